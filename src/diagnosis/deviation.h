/*
 * Where a host's settings differ from what its kernel sets by itself, and whether that helps or harms.
 */
#ifndef BDP_DEVIATION_H
#define BDP_DEVIATION_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence/host.h"

enum effect {
	EFFECT_HARMS,
	EFFECT_HELPS,
	EFFECT_NEUTRAL, /* a choice: neither by itself */
	EFFECT_NOTHING, /* this kernel does not read it */
};

const char *effect_name(enum effect effect); /* "harms", "helps", "neutral", "does nothing" */

struct deviation {
	enum tunable_id id;
	enum effect effect;
	bool has_own;		  /* the kernel's own value is known */
	struct tunable_value own; /* by version and RAM */
	bool has_mend;		  /* a value that mends the harm */
	struct tunable_value mend;
	char text[240]; /* what it does, with the numbers */
};

#define DEVIATIONS_MAX 32

struct deviations {
	struct deviation items[DEVIATIONS_MAX]; /* those that harm first */
	size_t count;
	size_t harms;
};

/* Pure.  Without a kernel version only what no release ships counts; tcp_mem needs the RAM. */
void deviations_find(const struct host *host, struct deviations *deviations);

#endif
