/*
 * Where a setting was made: values of one boot or network namespace mean nothing in another.
 */
#ifndef BDP_NETNS_IDENTITY_H
#define BDP_NETNS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/tree.h"

struct netns_identity {
	char boot_id[40]; /* "" when the kernel does not tell */
	uint64_t
	    netns; /* inode of the network namespace, 0 when unknown; used again after its end */
	uint64_t
	    cookie;   /* its number that is never used again; 0 when the kernel has none (< 5.14) */
	bool lasting; /* it is one that does not end before the next boot; not in journals */
};

/* What the kernel does not have stays empty.  False with errno when it cannot be read: a journal
 * without it could not be believed later. */
bool netns_identity_read(struct netns_identity *netns, const struct tree *tree);

enum netns_identity_match {
	NETNS_SAME,
	NETNS_OTHER,
	NETNS_UNSURE /* the inode is the same, but may have been another namespace's before */
};

/* Whether what was recorded there counts here. */
enum netns_identity_match netns_identity_compare(
    const struct netns_identity *recorded, const struct netns_identity *here);

enum netns_identity_boots {
	NETNS_BOOTS,	   /* sysctl.d sets at boot what is set here */
	NETNS_NOT_BOOTS,   /* this network namespace is another than the first process's */
	NETNS_BOOTS_HIDDEN /* that cannot be told: errno */
};

enum netns_identity_boots netns_identity_is_boots(const struct tree *tree);

#endif
