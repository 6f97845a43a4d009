/*
 * Which network namespaces there are, as far as it can be seen from here.
 */
#ifndef BDP_NAMESPACES_H
#define BDP_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/tree.h"

struct namespaces {
	uint64_t *inodes; /* owned */
	size_t count;
};

/* Those of processes, and those that a mount keeps (ip netns add).  False when not every process can
 * be looked at: then none can be said to have ended. */
bool namespaces_find(struct namespaces *namespaces, const struct tree *tree);
bool namespaces_have(const struct namespaces *namespaces, uint64_t inode);
void namespaces_free(struct namespaces *namespaces);

#endif
