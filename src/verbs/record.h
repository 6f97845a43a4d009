/*
 * bdp record: runs the whole measurement and writes it down as a session of a shell.
 */
#ifndef BDP_VERB_RECORD_H
#define BDP_VERB_RECORD_H

#include "options/options.h"

/* Returns the exit code: 3 when there came no run of it. */
int verb_record(const struct options *options);

#endif
