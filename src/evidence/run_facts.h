/*
 * What iperf3 says of a test besides its rows, whatever form it is in.
 */
#ifndef BDP_RUN_FACTS_H
#define BDP_RUN_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "evidence/run.h"

/* Local is the end that printed it; "" is unknown. */
struct run_facts {
	/* RUN_MSS, RUN_SOCKET_BUFFER, RUN_TARGET_RATE, RUN_DURATION, RUN_OMIT; RUN_SENDER_CPU for the
	 * local CPU, RUN_RECEIVER_CPU for the remote one; other bits are left alone */
	unsigned has;
	char version[32], system_info[160];
	char local[64], remote[64];
	char host[64]; /* the remote end as the control connection names it */
	char sender_cc[16], receiver_cc[16];
	uint64_t mss, socket_buffer_bytes;
	double target_rate_bps, duration_s, omit_s;
	double local_cpu_percent, remote_cpu_percent;
};

/* Copies text without its prefix, if it has it, and without what follows one of `stop`. */
void run_text_take(char *into, size_t size, const char *text, const char *prefix, const char *stop);

/* Describes a run whose client, local_sends and bidir are set. */
void run_facts_take(struct run *run, const struct run_facts *facts);

#endif
