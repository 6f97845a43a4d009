/*
 * The file system that is worked on: this machine's, or a tree below a sysroot.
 */
#ifndef BDP_TREE_H
#define BDP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "apply/kernel_io.h"

struct tree {
	const struct kernel_io *io;
	int root;	/* directory all paths are relative to; -1 when closed */
	bool machine;	/* this machine itself */
	char name[256]; /* prefix for messages: "" for this machine, else the sysroot */
};

/* `io` NULL stands for the real calls; sysroot NULL, "" or "/" for this machine.  False with errno. */
bool tree_open(struct tree *tree, const struct kernel_io *io, const char *sysroot);
void tree_close(struct tree *tree);

/* Without being root nothing but reading is tried on the machine itself; a tree of one's own may be
 * written.  False with a phrase in *why. */
bool tree_may_write(const struct tree *tree, const char **why);

/* Reads a whole small file below directory `dir`, always terminated.  -1 with errno; EFBIG when it
 * does not fit, ELOOP for a link unless `linked`. */
ssize_t tree_read(
    const struct tree *tree, int dir, const char *path, bool linked, char *text, size_t size);

/* Puts a file in place at once or not at all: temporary name, fsync, rename, fsync of the
 * directory.  False with errno; then no temporary file is left, as far as it can be removed. */
bool tree_replace(const struct tree *tree, int dir, const char *name, const char *text,
    size_t length, mode_t mode);

/* Removes a file and makes that last.  False with errno. */
bool tree_remove(const struct tree *tree, int dir, const char *name);

/* Calls `each` for every name in a directory.  False with errno. */
bool tree_list(
    const struct tree *tree, int dir, void (*each)(const char *name, void *context), void *context);

/* FNV-1a, 64 bits: tells a cut or changed file from a whole one; it is no protection from malice,
 * the directory's mode is. */
uint64_t text_hash(const char *text, size_t length);

#endif
