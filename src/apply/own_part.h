/*
 * Which part of a plan is this host's.
 */
#ifndef BDP_OWN_PART_H
#define BDP_OWN_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/plan.h"

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
