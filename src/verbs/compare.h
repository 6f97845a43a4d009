/*
 * compare: which of several algorithms or settings does better, by runs of each.
 */
#ifndef BDP_VERB_COMPARE_H
#define BDP_VERB_COMPARE_H

#include "options/options.h"
#include "report/run_groups_report.h"

/* bdp compare LABEL=FILE[,FILE...] LABEL=FILE[,FILE...] ...  Returns the exit code. */
int verb_compare(const struct options *options);

/* Pointers into the set; `typical` is filled and must last as long as the bundle. */
struct groups_report groups_bundle(
    const struct run_groups *set, const struct analysis *typical[RUN_GROUPS_MAX]);

/* Prints what the gathered trials come to, and draws it with --plot. */
int compare_report_groups(const struct run_groups *set, const struct options *options);

#endif
