/*
 * The path MTU, from tracepath (iputils).
 */
#ifndef BDP_TRACEPATH_H
#define BDP_TRACEPATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

struct tracepath {
	uint32_t local_mtu; /* bytes, of the interface that it began with; 0 when it is not told */
	uint32_t path_mtu;  /* bytes, the smallest that was found */
	unsigned hop;	    /* where it became that; 0 when it was so from the beginning */
	unsigned hops;	    /* the furthest that answered */
	bool reached;	    /* it answered: then path_mtu is that of the whole path */
};

/* False when there is no MTU in it: *why completes "NAME: ...", errno is not 0 when the input could not be
 * read.  The last run of several counts. */
bool tracepath_read(struct tracepath *tracepath, struct source *source, const char **why);

#endif
