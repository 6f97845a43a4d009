/*
 * Where a setting was made: values of one boot or network namespace mean nothing in another.
 */
#ifndef BDP_PLACE_H
#define BDP_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/tree.h"

struct place {
	char boot_id[40]; /* "" when the kernel does not tell */
	uint64_t
	    netns; /* inode of the network namespace, 0 when unknown; used again after its end */
	uint64_t
	    cookie;   /* its number that is never used again; 0 when the kernel has none (< 5.14) */
	bool lasting; /* it is one that does not end before the next boot; not in journals */
};

/* What the kernel does not have stays empty.  False with errno when it cannot be read: a journal
 * without it could not be believed later. */
bool place_read(struct place *place, const struct tree *tree);

enum place_match {
	PLACE_SAME,
	PLACE_OTHER,
	PLACE_UNSURE /* the inode is the same, but may have been another namespace's before */
};

/* Whether what was recorded there counts here. */
enum place_match place_compare(const struct place *recorded, const struct place *here);

enum place_boots {
	PLACE_BOOTS,	   /* sysctl.d sets at boot what is set here */
	PLACE_NOT_BOOTS,   /* this network namespace is another than the first process's */
	PLACE_BOOTS_HIDDEN /* that cannot be told: errno */
};

enum place_boots place_is_boots(const struct tree *tree);

#endif
