/*
 * Which files set a key later at boot than a given file in sysctl.d does: sysctl.d(5).
 */
#ifndef BDP_OVERRIDE_H
#define BDP_OVERRIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/tree.h"
#include "evidence/tunable.h"

struct override {
	char path[272]; /* "/etc/sysctl.d/99-local.conf" */
	unsigned line;
	enum tunable_id id;
	char value[200]; /* as written there, safe to print */
	bool old_style;	 /* /etc/sysctl.conf, which not every system reads at boot */
};

/* True when the directory of `path` is one that is read at boot and the name ends in .conf. */
bool override_is_read_at_boot(const char *path);

/* Finds what sets one of the keys (wanted[id].known) to another value after `path` (below the
 * sysroot, without a leading slash) is read.  Returns how many were found, at most max are filled
 * in.  *wins, unless NULL: at the next boot another value is the last for some key; what is in /run is gone by
 * then, and whether the old file is read depends on the system, so that neither counts. */
size_t override_find(const struct tree *tree, const char *path,
    const struct tunable_value wanted[TUNABLE_COUNT], struct override *found, size_t max,
    bool *wins);

#endif
