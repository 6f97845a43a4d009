/*
 * What tuned, which many distributions run, sets at boot after sysctl.d: tuned-profiles(7),
 * tuned-main.conf(5).
 */
#ifndef BDP_TUNED_H
#define BDP_TUNED_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/override.h"

struct tuned {
	char profile[128]; /* active, safe to print; "" when there is no tuned */
	/* It reads /run/sysctl.d, /etc/sysctl.d and /etc/sysctl.conf again after its own settings, so
	 * that those win: reapply_sysctl, on by default. */
	bool rereads;
};

/* Fills in what is known of tuned, and finds where its active profiles, or those that they include,
 * set one of the keys (wanted[id].known) to another value.  Returns how many were found, at most max
 * are filled in. */
size_t tuned_find(const struct tree *tree, const struct tunable_value wanted[TUNABLE_COUNT],
    struct tuned *tuned, struct override *found, size_t max);

#endif
