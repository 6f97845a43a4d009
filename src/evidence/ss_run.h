/*
 * A live socket as a run, so that what holds it is told by the same rules as an iperf3 run's.
 */
#ifndef BDP_SS_RUN_H
#define BDP_SS_RUN_H

#include "evidence/run.h"
#include "evidence/ss.h"

/* Appends a run of one interval: what the socket has had acknowledged over its busy time (tcp_info,
 * Linux 4.10 on), or a second of its delivery rate where that time is not shown.  False when the
 * socket tells no rate. */
bool run_from_socket(struct runs *runs, const char *input, const struct socket_info *socket);

#endif
