/*
 * The verbs that change a host, and those that go back.  Each returns the exit code.
 */
#ifndef BDP_VERB_APPLY_H
#define BDP_VERB_APPLY_H

#include "advice/plan.h"
#include "options/options.h"

/* bdp apply [PLAN]: a JSON report or sysctl.d lines, standard input by default. */
int verb_apply(const struct options *options);
int verb_confirm(const struct options *options);
int verb_rollback(const struct options *options);

/* advise --apply: sets this host's part of a plan just made.  Asks for itself whether --apply was
 * given, whatever its caller has asked; 0, and nothing touched, when it was not. */
int plan_apply(const struct plan *plan, const struct options *options);

/* Says on standard error when an earlier apply waits for its confirmation, was cut short or is
 * stuck; for every verb, before it begins. */
void warn_unconfirmed(const struct options *options);

#endif
