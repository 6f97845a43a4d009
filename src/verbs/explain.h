/*
 * bdp explain: what the tool knows of a kernel setting, a finding, a limit or a counter.
 */
#ifndef BDP_VERB_EXPLAIN_H
#define BDP_VERB_EXPLAIN_H

#include "options/options.h"

/* Returns the exit code: 2 for a name that is not known. */
int verb_explain(const struct options *options);

#endif
