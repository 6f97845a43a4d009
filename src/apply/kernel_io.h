/*
 * Every system call by which apply/ touches the machine, as one struct of function pointers: the
 * tests put in calls that fail, or that kill the process, at any one of them.
 *
 * Like the calls they stand for they return -1 with errno set.
 */
#ifndef BDP_KERNEL_IO_H
#define BDP_KERNEL_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

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

#endif
