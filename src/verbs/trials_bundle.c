#include "verbs/trials_bundle.h"

struct trials_report trials_bundle(
    const struct trial_set *set, const struct analysis *typical[TRIALS_MAX])
{
	for (size_t i = 0; i < set->count; i++)
		typical[i] = &set->typical[i]->analysis;
	return (struct trials_report){.version = BDP_VERSION,
	    .trials = set->trials,
	    .labels = set->labels,
	    .typical = typical,
	    .count = set->count,
	    .left_out = set->left_out,
	    .left_out_count = set->left_out_count,
	    .idle_rtt_us = set->idle_rtt_us,
	    .idle_is_seen = set->idle_is_seen};
}
