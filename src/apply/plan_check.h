/*
 * What of a plan may be written at all, and what of it is for this host.
 */
#ifndef BDP_PLAN_CHECK_H
#define BDP_PLAN_CHECK_H

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

/*
 * What this host is in the plan: by the addresses that the plan names its ends with, else by the role
 * that was asked for, else by what the machine was that made the plan, if this is it.  `asked` is
 * ROLE_UNKNOWN when no role was given.
 *
 * False with a sentence in why[size] when neither end is here and no role was given, or when the role
 * contradicts the addresses.  *role is ROLE_UNKNOWN when nothing tells; then only a plan for one host can
 * be applied (settings_choose).
 */
bool plan_own_role(
    const struct plan *plan, enum role asked, enum role *role, char *why, size_t size);

#endif
