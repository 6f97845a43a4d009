/*
 * bdp sockets: who holds more than its path needs, live or from what ss printed.
 */
#ifndef BDP_VERB_SOCKETS_H
#define BDP_VERB_SOCKETS_H

#include "options/options.h"

/* Returns the exit code. */
int verb_sockets(const struct options *options);

#endif
