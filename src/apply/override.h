/*
 * What sets a key at boot: the lines of files in sysctl.d(5), and which of them, and which profiles of
 * tuned, are read later than a given file.
 */
#ifndef BDP_OVERRIDE_H
#define BDP_OVERRIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/tree.h"
#include "evidence/tunable.h"

/*
 * One line of a file in sysctl.d(5).
 */

enum sysctl_line_kind {
	SYSCTL_BLANK,
	SYSCTL_COMMENT,
	SYSCTL_SETTING, /* key = value */
	SYSCTL_OTHER
};

struct sysctl_line {
	enum sysctl_line_kind kind;
	const char *key,
	    *value;    /* into the line, blanks around them cut off; the value may be "" */
	bool optional; /* a leading '-': a failure at boot does not count */
};

/* Cuts the line up in place. */
struct sysctl_line sysctl_line_cut(char *line);

/*
 * Which files set a key later at boot than a given file in sysctl.d does: sysctl.d(5).
 */

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

/*
 * What tuned, which many distributions run, sets at boot after sysctl.d: tuned-profiles(7),
 * tuned-main.conf(5).
 */

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
