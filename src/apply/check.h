/*
 * What may be written at all: the last look at every setting, wherever it comes from.
 */
#ifndef BDP_CHECK_H
#define BDP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/plan.h"

/* False with a sentence in why[size] when the setting is not one that bdp may write, or its value
 * is out of bounds or out of order. */
bool setting_check(const struct setting *setting, char *why, size_t size);

/* True when `wanted` takes room away from buffers that have more now; the element is described in
 * why[size]. */
bool setting_lowers(enum tunable_id id, const struct tunable_value *current,
    const struct tunable_value *wanted, char *why, size_t size);

/* False when the plan holds settings for several hosts and `role` does not say which this is. */
bool settings_choose(const struct plan *plan, enum role role, bool chosen[PLAN_SETTINGS_MAX],
    char *why, size_t size);

#endif
