/*
 * Sockets that were listed once as a run, so that what holds them is told by the same rules as an
 * iperf3 run's.
 */
#ifndef BDP_SS_RUN_H
#define BDP_SS_RUN_H

#include "evidence/run.h"
#include "evidence/ss.h"

/*
 * Appends a run of one interval, the sockets its streams.  Of senders: what they have had acknowledged
 * over the longest busy time (tcp_info, Linux 4.10 on), or a second of the delivery rate where that time
 * is not shown.  Of receivers: what came in over the time since they last sent anything, which is since
 * the beginning when they never did.  False when they tell no rate.
 */
bool run_from_sockets(struct runs *runs, const char *input,
    const struct socket_info *const *sockets, size_t count, bool sends);

/* What a socket says of the run it is of: ends, congestion control, MSS. */
void run_describe_socket(struct run *run, const struct socket_info *socket, bool sends);
/* Adds the kernel's account of what the flow waited for, and of what it put on the wire. */
void run_add_account(struct run *run, const struct socket_info *socket);
/* What of that is known: enum run_has of the bits that all its sockets have. */
unsigned run_account_has(unsigned socket_has);
/* Of what comes in, this end knows the RTT of the path at its best, and no more: its own srtt is of when
 * it last sent something. */
struct bin bin_of_receiver(const struct socket_info *socket);

#endif
