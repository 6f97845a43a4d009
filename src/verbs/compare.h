/*
 * compare: which of several algorithms or settings does better, by runs of each.
 */
#ifndef BDP_VERB_COMPARE_H
#define BDP_VERB_COMPARE_H

#include "options/options.h"
#include "verbs/run_groups.h"

/* bdp compare LABEL=FILE[,FILE...] LABEL=FILE[,FILE...] ...  Returns the exit code. */
int verb_compare(const struct options *options);

/* Prints what the gathered trials come to, and draws it with --plot. */
int compare_report_groups(const struct run_groups *set, const struct options *options);

#endif
