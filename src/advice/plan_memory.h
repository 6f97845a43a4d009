/*
 * What the connections of a plan may take of a host's TCP memory.
 */
#ifndef BDP_PLAN_MEMORY_H
#define BDP_PLAN_MEMORY_H

#include "advice/plan.h"
#include "model/memory.h"

/* `in` says what the host is like and how many connections there are (exposure_of_host); the plan's ceilings
 * take the place of those that are set.  Adds findings where a ceiling that the plan raises, or what its
 * connections are likely to hold, comes near the host's limits. */
void plan_memory(const struct plan *plan, struct exposure_input *in, struct exposure *memory,
    struct findings *findings);

#endif
