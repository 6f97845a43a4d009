/*
 * The verbs, each in a file of its name, and what one of them does for another.
 */
#ifndef BDP_VERBS_H
#define BDP_VERBS_H

#include "advice/plan.h"
#include "options/options.h"
#include "report/run_groups_report.h"

/* Each does what bdp(1) says of it, prints, and returns the exit code: 0; 1 after a system error, 2 for
 * misuse, 3 for input that cannot be used, 4 when nothing could be set, 5 with --check when something
 * ought to change.  One line on standard error says why, from 1 on. */
int verb_advise(const struct options *options);
int verb_sweep(const struct options *options);
int verb_compare(const struct options *options);
int verb_sockets(const struct options *options);
int verb_host(const struct options *options);
int verb_record(const struct options *options);
int verb_apply(const struct options *options);
int verb_confirm(const struct options *options);
int verb_rollback(const struct options *options);
int verb_explain(const struct options *options);

/* advise --each: every file a question of its own, one JSON object a line, in their order: the report with
 * the file's name, or why there is none. */
int verb_each(const struct options *options);

/* advise --apply: sets this host's part of a plan just made.  Asks for itself whether --apply was
 * given, whatever its caller has asked; 0, and nothing touched, when it was not. */
int plan_apply(const struct plan *plan, const struct options *options);

/* Says on standard error when an earlier apply waits for its confirmation, was cut short or is
 * stuck; for every verb, before it begins. */
void warn_unconfirmed(const struct options *options);

/* For sweep, too: pointers into the set; `typical` is filled and must last as long as the bundle. */
struct groups_report groups_bundle(
    const struct run_groups *set, const struct analysis *typical[RUN_GROUPS_MAX]);
/* Prints what the gathered runs come to, and draws it with --plot.  The exit code. */
int compare_report_groups(const struct run_groups *set, const struct options *options);

#endif
