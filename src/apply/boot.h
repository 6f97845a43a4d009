/*
 * Whether a file in sysctl.d sets at boot what is set here now.
 */
#ifndef BDP_BOOT_H
#define BDP_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/tree.h"

/* False with a sentence in why[size] when nothing reads `path` (absolute) at boot in this system, as in
 * a container, or when it would set another network namespace than this one, or when that cannot be
 * told.  To be asked before the sandbox, from which other processes cannot be looked at. */
bool boot_reads(const struct tree *tree, const char *path, char *why, size_t size);

#endif
