/*
 * advise: what limits one flow, and what to set.
 */
#ifndef BDP_VERB_ADVISE_H
#define BDP_VERB_ADVISE_H

#include "options/options.h"

/*
 * bdp [advise] [OPERAND...]: reads, computes, reports, and with --apply sets what it advised.  Returns
 * the exit code, 5 with --check when something ought to change.
 */
int verb_advise(const struct options *options);

#endif
