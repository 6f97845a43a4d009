/*
 * The steady state of a run: which intervals count, and the figures over them.
 */
#ifndef BDP_STEADY_H
#define BDP_STEADY_H

#include "evidence/run.h"
#include "model/path.h"

/* Fills the steady-state part of `path` from the series: leading intervals are left out until the rate
 * first reaches 90 % of the median of the second half, and the first one when the sender's count of it
 * holds the filling of its socket buffer.  Of the rate, what had not arrived at the receiver is taken off;
 * path->rate.mean_bps must be set before, or 0.  Sets PATH_SERIES when there are intervals. */
void steady_compute(struct path *path, const struct run *run);

#endif
