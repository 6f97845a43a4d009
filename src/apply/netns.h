/*
 * Network namespaces: which one this is, which others there are, and whether it is the one that a
 * file in sysctl.d sets at boot.
 */
#ifndef BDP_NETNS_H
#define BDP_NETNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/tree.h"

/*
 * Where a setting was made: values of one boot or network namespace mean nothing in another.
 */

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

struct namespaces {
	uint64_t *inodes; /* owned */
	size_t count;
};

/* Those of processes, and those that a mount keeps (ip netns add).  False when not every process can
 * be looked at: then none can be said to have ended. */
bool namespaces_find(struct namespaces *namespaces, const struct tree *tree);
bool namespaces_have(const struct namespaces *namespaces, uint64_t inode);
void namespaces_free(struct namespaces *namespaces);

/* False with a sentence in why[size] when nothing reads `path` (absolute) at boot in this system, as in
 * a container, or when it would set another network namespace than this one, or when that cannot be
 * told.  To be asked before the sandbox, from which other processes cannot be looked at. */
bool boot_reads(const struct tree *tree, const char *path, char *why, size_t size);

#endif
