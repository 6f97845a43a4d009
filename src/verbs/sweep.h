/*
 * sweep: which ceiling to set, by runs at several.
 */
#ifndef BDP_VERB_SWEEP_H
#define BDP_VERB_SWEEP_H

#include "options/options.h"

/* bdp sweep [CEILING=]FILE[,FILE...] ..., or --run COMMAND.  Returns the exit code. */
int verb_sweep(const struct options *options);

#endif
