/* ss -tmi, also again and again: every number is finite, and strings are safe to print. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "evidence/ss_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (!isprint((unsigned char)*text))
			abort();
}

static void check_time(double us)
{
	if (!isfinite(us) || us < 0)
		abort();
}

/* Intervals go forward, and their bytes add up to the total. */
static void check_run(const struct run *run)
{
	uint64_t bytes = 0;
	double end_s = 0;

	for (size_t i = 0; i < run->series.count; i++) {
		const struct bin *bin = &run->series.bins[i];
		if (!isfinite(bin->rtt_us) || bin->start_s < end_s - 1e-6 ||
		    bin->end_s < bin->start_s)
			abort();
		bytes += bin->bytes;
		end_s = bin->end_s;
	}
	check_time(run->sent_seconds);
	check_time(run->received_seconds);
	check_time(run->busy_us);
	if (run->streams == 1 &&
	    bytes != (run->local_sends ? run->sent_bytes : run->received_bytes))
		abort();
}

static void check_runs(struct ss_history *history)
{
	struct evidence evidence = {0};

	ss_history_close(history, &evidence, "fuzz", END_NONE);
	for (size_t i = 0; i < evidence.socket_runs.count; i++)
		check_run(&evidence.socket_runs.items[i]);
	evidence_free(&evidence);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_history *history = ss_history_open();
	struct source *source = source_memory("fuzz", data, size);
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	size_t count = 0;

	while (ss_next(reader, &info) > 0) {
		ss_history_add(history, &info);
		check_printable(info.state);
		check_printable(info.local);
		check_printable(info.peer);
		check_printable(info.cc);
		check_time(info.rtt_us);
		check_time(info.min_rtt_us);
		check_time(info.busy_us);
		check_time(info.delivery_rate_bps);
		check_time(info.bbr_bw_bps);
		check_time(info.lastsnd_ms);
		if ((info.has & SOCKET_RTT) && info.rtt_us <= 0)
			abort();
		/* "0 0 a:1 b:1": a socket takes a line of at least this */
		if (++count > size / 11 + 1)
			abort();
	}
	check_runs(history);
	ss_close(reader);
	source_close(source);
	return 0;
}
