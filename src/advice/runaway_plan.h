/*
 * What to set, and what not, where receive buffers run away.
 */
#ifndef BDP_RUNAWAY_PLAN_H
#define BDP_RUNAWAY_PLAN_H

#include "advice/plan.h"
#include "diagnosis/runaway.h"

/* Pure.  The lines are for the host that receives; `here`: that is this machine. */
void runaway_plan(
    const struct runaway_input *input, const struct runaway *runaway, bool here, struct plan *plan);

#endif
