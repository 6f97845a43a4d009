/*
 * The command line of an iperf3 client, as it stands above its output in a pasted session: it
 * tells what the output does not, such as -w.
 */
#ifndef BDP_IPERF_COMMAND_H
#define BDP_IPERF_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum command_has {
	COMMAND_WINDOW = 1 << 0,
	COMMAND_RATE = 1 << 1,
	COMMAND_TIME = 1 << 2,
	COMMAND_OMIT = 1 << 3,
};

struct iperf_command {
	bool client; /* -c was there; without it the rest is not filled in */
	bool reverse, bidir, udp, sctp;
	unsigned parallel; /* 0: not given */
	uint64_t window_bytes;
	double rate_bps, time_s, omit_s;
	char cc[16];
	unsigned has; /* enum command_has */
};

/* Finds "iperf3 ... -c HOST ..." in a line; false when it is none. */
bool iperf_command_parse(const char *line, struct iperf_command *command);

#endif
