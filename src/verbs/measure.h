/*
 * Measures at several settings of this host: sets one, runs a command, sets the old value again.
 */
#ifndef BDP_MEASURE_H
#define BDP_MEASURE_H

#include "options/options.h"
#include "verbs/steps.h"
#include "verbs/run_groups_read.h"

/* sweep --run: adds a source to the set for every run made.  *host is filled with this host's facts as
 * they were before, where something is set, *role with what it is in the runs.  Exit codes: 0, else what
 * main returns, one line being on standard error.  Whatever it returns, and before a signal ends the
 * program, the old value is back, or a line says that it is not. */
int measure_run(const struct options *options, enum steps_of what, struct run_groups *set,
    struct host *host, enum role *role);

/* compare --run: the operands are LABEL=COMMAND, run in turn, round by round.  Sets nothing. */
int measure_commands(const struct options *options, struct run_groups *set);

/* The setting that --run with --ceilings or --cc changes, at this end of the path. */
enum tunable_id measure_key(enum steps_of what, enum role role);

#endif
