/*
 * The file system that is worked on, this machine's or a tree below a sysroot; the system calls by
 * which it is touched; and what this process shuts itself off from.
 */
#ifndef BDP_TREE_H
#define BDP_TREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/*
 * Every system call by which apply/ touches the machine, as one struct of function pointers: the
 * tests put in calls that fail, or that kill the process, at any one of them.
 *
 * Like the calls they stand for they return -1 with errno set.
 */

struct kernel_io {
	/* Opens path below the directory `dir`; a symbolic link in any component is ELOOP. */
	int (*open)(int dir, const char *path, int flags, mode_t mode);
	/* The same for reading, links followed but never out of `dir`; never waits for a writer. */
	int (*open_linked)(int dir, const char *path);
	ssize_t (*read)(int fd, void *bytes, size_t size);
	ssize_t (*write)(int fd, const void *bytes, size_t size);
	/* Writes at the start of the file, whatever was written before: a setting is always whole. */
	ssize_t (*put)(int fd, const void *bytes, size_t size);
	int (*stat)(int fd, struct stat *status);
	/* Links are followed: for /proc/self/ns/net, which is one. */
	int (*stat_at)(int dir, const char *path, struct stat *status);
	int (*truncate)(int fd, off_t length);
	int (*chmod)(int fd, mode_t mode);
	int (*sync)(int fd);
	int (*rename)(int dir, const char *from, const char *to);
	int (*unlink)(int dir, const char *name);
	int (*mkdir)(int dir, const char *name, mode_t mode);
	int (*lock)(int fd, int operation);
	/* getdents64(2) */
	ssize_t (*list)(int dir, void *entries, size_t size);
	/* Two connected ends, each to read and to write. */
	int (*pair)(int ends[2]);
	pid_t (*fork)(void);
	int64_t (*clock_ms)(clockid_t clock);
	void (*sleep_ms)(int64_t milliseconds);
	/* 1 when the file is on what is mounted read-only, 0 when not. */
	int (*is_read_only)(int dir, const char *path);
	/* The number of this network namespace that the kernel gives no second one (SO_NETNS_COOKIE,
	 * since 5.14). */
	int (*cookie)(uint64_t *cookie);
	/* One line for the system's log: syslog, or the kernel's where none listens. */
	void (*log)(const char *line);
};

extern const struct kernel_io kernel_io_system;

/* What `open` does where openat2(2) is missing (before Linux 5.6) or filtered: one component after
 * another, each O_NOFOLLOW.  Named here so that the tests run it on any kernel. */
int kernel_io_walk(int dir, const char *path, int flags, mode_t mode);

/*
 * The stretch in which settings and journal do not agree: no signal that can be held back ends the
 * program there.
 */

/* Holds back every signal; *before is what was held back until now. */
void critical_begin(sigset_t *before);
void critical_end(const sigset_t *before);

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

/* Closes, and keeps errno. */
void close_quietly(int fd);

/* Removes a file and makes that last.  False with errno. */
bool tree_remove(const struct tree *tree, int dir, const char *name);

/* Calls `each` for every name in a directory.  False with errno. */
bool tree_list(
    const struct tree *tree, int dir, void (*each)(const char *name, void *context), void *context);

/* FNV-1a, 64 bits: tells a cut or changed file from a whole one; it is no protection from malice,
 * the directory's mode is. */
uint64_t text_hash(const char *text, size_t length);

/*
 * Landlock: this process may from here on only touch the files named.
 */

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
/* The directory of a file below the root, for it to be replaced in. */
void sandbox_allow_parent(struct sandbox *sandbox, const struct tree *tree, const char *path);
/* True when the rules are in force. */
bool sandbox_enter(struct sandbox *sandbox);

#endif
