/*
 * bdp host: what a host's TCP settings allow, without a run.
 */
#ifndef BDP_VERB_HOST_H
#define BDP_VERB_HOST_H

#include "options/options.h"

/* Returns the exit code: 5 with --check when there is something to change. */
int verb_host(const struct options *options);

#endif
