#include "verbs/run_groups_bundle.h"

struct groups_report run_groups_bundle(
    const struct run_groups *set, const struct analysis *typical[RUN_GROUPS_MAX])
{
	for (size_t i = 0; i < set->count; i++)
		typical[i] = &set->typical[i]->analysis;
	return (struct groups_report){.version = BDP_VERSION,
	    .groups = set->groups,
	    .labels = set->labels,
	    .typical = typical,
	    .count = set->count,
	    .left_out = set->left_out,
	    .left_out_count = set->left_out_count,
	    .idle_rtt_us = set->idle_rtt_us,
	    .idle_is_seen = set->idle_is_seen};
}
