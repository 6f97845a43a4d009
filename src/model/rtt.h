/*
 * The round-trip time of a path, from the best source there is.
 */
#ifndef BDP_RTT_H
#define BDP_RTT_H

#include "model/path.h"

/* Sets path->rtt, loaded and idle RTT from what was given, the run, and what is known beside it. The
 * steady state must have been computed. */
void rtt_compute(struct path *path, const struct run *run, const struct path_given *given,
    const struct path_context *context);

/* Whether TCP's RTT rests at several times what ping saw, which no queue explains, or is several times smaller:
 * then the two went different ways. */
bool rtt_contradicts(const struct path *path, double tcp_us, double ping_us);

#endif
