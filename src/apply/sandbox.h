/*
 * Landlock: this process may from here on only touch the files named.
 */
#ifndef BDP_SANDBOX_H
#define BDP_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/tree.h"

enum sandbox_access {
	SANDBOX_READ,	  /* files below, and listing */
	SANDBOX_WRITE,	  /* one file: read and write */
	SANDBOX_DIRECTORY /* files below: read, write, create, rename, remove */
};

struct sandbox {
	int ruleset;	  /* -1: the kernel has no Landlock, and the rest does nothing */
	uint64_t handled; /* rights that this kernel can take away */
};

void sandbox_begin(struct sandbox *sandbox);
/* What is not there is passed over: it cannot be touched either. */
void sandbox_allow(
    struct sandbox *sandbox, const struct tree *tree, const char *path, enum sandbox_access access);
/* True when the rules are in force. */
bool sandbox_enter(struct sandbox *sandbox);

#endif
