/*
 * From the trials gathered to what the reports print.
 */
#ifndef BDP_TRIALS_BUNDLE_H
#define BDP_TRIALS_BUNDLE_H

#include "report/trials_report.h"
#include "verbs/trials.h"

/* Pointers into the set; `typical` is filled and must last as long as the bundle. */
struct trials_report trials_bundle(
    const struct trial_set *set, const struct analysis *typical[TRIALS_MAX]);

#endif
