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

#endif
