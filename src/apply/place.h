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
	uint64_t netns;	  /* inode of the network namespace, 0 when unknown */
};

/* What the kernel does not have stays empty.  False with errno when it cannot be read: a journal
 * without it could not be believed later. */
bool place_read(struct place *place, const struct tree *tree);
bool place_equal(const struct place *a, const struct place *b);

/* False when this process is in a network namespace other than the first process's: what sysctl.d
 * sets at boot is not what is set here.  True when that cannot be told. */
bool place_is_boots(const struct tree *tree);

#endif
