/*
 * One line of a file in sysctl.d(5).
 */
#ifndef BDP_SYSCTL_LINE_H
#define BDP_SYSCTL_LINE_H

#include <stdbool.h>

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

#endif
