/* Runs made by hand for the tests of model, diagnosis and advice. */
#ifndef BDP_TEST_RUNS_H
#define BDP_TEST_RUNS_H

#include <bsd/string.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/run.h"
#include "model/path.h"

/* One second of a flow: rate in Mbit/s, cwnd and peer window in MiB, RTT in ms; 0 is "not shown". */
struct second {
	double mbps, cwnd_mib, window_mib, rtt_ms;
	unsigned retransmits;
};

static inline void run_make(struct run *run, const struct second *seconds, size_t count)
{
	memset(run, 0, sizeof(*run));
	run->streams = 1;
	run->client = run->local_sends = run->complete = run->has_summary = true;
	run->has = RUN_SENT | RUN_RETRANSMITS;
	strlcpy(run->sender, "198.51.100.2", sizeof(run->sender));
	strlcpy(run->receiver, "192.0.2.10", sizeof(run->receiver));
	for (size_t i = 0; i < count; i++) {
		const struct second *s = &seconds[i];
		struct bin bin = {.start_s = (double)i,
		    .end_s = (double)i + 1,
		    .bytes = (uint64_t)(s->mbps * 1e6 / 8),
		    .retransmits = s->retransmits,
		    .cwnd_bytes = (uint64_t)(s->cwnd_mib * 1048576),
		    .peer_window_bytes = (uint64_t)(s->window_mib * 1048576),
		    .rtt_us = s->rtt_ms * 1000,
		    .rtt_min_us = s->rtt_ms * 1000,
		    .has = BIN_RETRANSMITS | (s->cwnd_mib > 0 ? BIN_CWND : 0) |
			   (s->window_mib > 0 ? BIN_PEER_WINDOW : 0) |
			   (s->rtt_ms > 0 ? BIN_RTT : 0)};
		bin.cwnd_min_bytes = bin.cwnd_max_bytes = bin.cwnd_bytes;
		series_add(&run->series, &bin);
		run->sent_bytes += bin.bytes;
		run->sent_seconds += 1;
		run->retransmits += bin.retransmits;
	}
}

#endif
