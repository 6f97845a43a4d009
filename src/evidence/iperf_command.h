/*
 * The command line of an iperf3 client, as it stands above its output in a pasted session: it
 * tells what the output does not, such as -w.
 */
#ifndef BDP_IPERF_COMMAND_H
#define BDP_IPERF_COMMAND_H

#include <stdbool.h>

#include "evidence/run_facts.h"

struct iperf_command {
	bool client; /* -c was there; without it the rest is not filled in */
	bool reverse, bidir, udp, sctp;
	unsigned parallel; /* 0: not given */
	char cc[16];
	/* -w, -b, -t and -O as RUN_SOCKET_BUFFER, RUN_TARGET_RATE, RUN_DURATION and RUN_OMIT */
	struct run_facts facts;
};

/* Finds "iperf3 ... -c HOST ..." in a line; false when it is none. */
bool iperf_command_parse(const char *line, struct iperf_command *command);

#endif
