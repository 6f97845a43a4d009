/*
 * Output of tools that bdp does not read, told by name, with the command that would help.
 */
#ifndef BDP_FOREIGN_H
#define BDP_FOREIGN_H

#include <stddef.h>

struct foreign {
	const char *mark;    /* a text that only this tool prints */
	const char *what;    /* completes "this is ...": "output of netperf" */
	const char *instead; /* the one command that would help */
};

/* The tool whose output the bytes look like; NULL when it is none of the table. Pure. */
const struct foreign *foreign_find(const char *bytes, size_t length);

#endif
