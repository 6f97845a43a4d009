/*
 * From the trials gathered to what the reports print.
 */
#ifndef BDP_RUN_GROUPS_BUNDLE_H
#define BDP_RUN_GROUPS_BUNDLE_H

#include "report/run_groups_report.h"
#include "verbs/run_groups.h"

/* Pointers into the set; `typical` is filled and must last as long as the bundle. */
struct groups_report run_groups_bundle(
    const struct run_groups *set, const struct analysis *typical[RUN_GROUPS_MAX]);

#endif
