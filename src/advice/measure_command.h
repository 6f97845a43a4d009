/*
 * The iperf3 command that measures a run's direction again, as it can be pasted at the client.
 */
#ifndef BDP_MEASURE_COMMAND_H
#define BDP_MEASURE_COMMAND_H

#include <stddef.h>

#include "evidence/run.h"

/* Address of the end that iperf3 -c goes to, as it may stand in a command; "SERVER" when unknown. */
const char *run_server(const struct run *run);

/* Where the client sends and its system shows neither cwnd nor RTT (Windows, older macOS), -J is asked of the
 * other end, which sends instead.
 * iperf3 -c 192.0.2.10 -R -P 4 OPTIONS, into out[size], which is returned; `options` such as "-J". */
const char *measure_command(const struct run *run, const char *options, char *out, size_t size);

#endif
