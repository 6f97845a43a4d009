#include "apply/kernel_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

/* include/uapi/asm-generic/socket.h, since Linux 5.14: newer than some headers. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static int open_resolved(int dir, const char *path, int flags, mode_t mode, uint64_t resolve)
{
	struct open_how how = {
	    .flags = (uint64_t)(unsigned)flags,
	    .mode = (flags & O_CREAT) != 0 ? mode : 0,
	    .resolve = resolve,
	};
	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* Before 5.6 the call is missing; container runtimes of that time answer EPERM to calls that their
 * filter does not know. */
static bool is_missing(int error)
{
	return error == ENOSYS || error == EPERM;
}

int kernel_io_walk(int dir, const char *path, int flags, mode_t mode)
{
	int at = dir;
	for (;;) {
		const char *slash = strchr(path, '/');
		if (slash == NULL)
			break;
		char part[NAME_MAX + 1];
		int length = snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		int next = -1;
		if (length >= (int)sizeof(part))
			errno = ENAMETOOLONG;
		else if (length == 0 || strcmp(part, "..") == 0)
			errno = EINVAL;
		else
			next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		/* O_DIRECTORY is looked at first: a link shows as ENOTDIR. */
		if (next < 0 && errno == ENOTDIR) {
			struct stat status;
			int found = fstatat(at, part, &status, AT_SYMLINK_NOFOLLOW);
			errno = found == 0 && S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
		}
		int error = errno;
		if (at != dir)
			close(at);
		if (next < 0) {
			errno = error;
			return -1;
		}
		at = next;
		path = slash + 1;
	}
	int fd = openat(at, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	int error = errno;
	if (at != dir)
		close(at);
	errno = error;
	return fd;
}

static int open_unlinked(int dir, const char *path, int flags, mode_t mode)
{
	int fd = open_resolved(dir, path, flags | O_CLOEXEC, mode,
	    RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH);
	if (fd < 0 && is_missing(errno))
		fd = kernel_io_walk(dir, path, flags, mode);
	return fd;
}

/* O_NONBLOCK: a fifo planted in a recorded tree must not hang the reader. */
static int open_linked(int dir, const char *path)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open_resolved(dir, path, flags, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && is_missing(errno))
		fd = openat(dir, path, flags);
	return fd;
}

static ssize_t put(int fd, const void *bytes, size_t size)
{
	return pwrite(fd, bytes, size, 0);
}

static int stat_at(int dir, const char *path, struct stat *status)
{
	return fstatat(dir, path, status, 0);
}

static int rename_in(int dir, const char *from, const char *to)
{
	return renameat(dir, from, dir, to);
}

static int unlink_in(int dir, const char *name)
{
	return unlinkat(dir, name, 0);
}

static ssize_t list(int dir, void *entries, size_t size)
{
	return (ssize_t)syscall(SYS_getdents64, dir, entries, size);
}

static int pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;
	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_ms(int64_t milliseconds)
{
	struct timespec time = {
	    .tv_sec = (time_t)(milliseconds / 1000),
	    .tv_nsec = (long)(milliseconds % 1000) * 1000000,
	};
	nanosleep(&time, NULL);
}

static int is_read_only(int dir, const char *path)
{
	struct statvfs status;
	int fd = openat(dir, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int got = fstatvfs(fd, &status);
	int error = errno;
	close(fd);
	errno = error;
	return got == 0 ? (status.f_flag & ST_RDONLY) != 0 : -1;
}

static int cookie(uint64_t *cookie)
{
	socklen_t size = sizeof(*cookie);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	int got = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size);
	int error = errno;
	close(fd);
	errno = error;
	return got;
}

/* syslog(3) does not say that nobody listens. */
static void log_line(const char *line)
{
	struct stat status;
	if (stat("/dev/log", &status) == 0) {
		openlog("bdp", LOG_PID, LOG_DAEMON);
		syslog(LOG_WARNING, "%s", line);
		closelog();
		return;
	}
	char text[600];
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int length = snprintf(text, sizeof(text), "<%d>bdp: %s\n", LOG_DAEMON | LOG_WARNING, line);
	if (fd < 0)
		return;
	size_t size = (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1;
	ssize_t ignored = write(fd, text, size);
	(void)ignored;
	close(fd);
}

const struct kernel_io kernel_io_system = {
    .open = open_unlinked,
    .open_linked = open_linked,
    .read = read,
    .write = write,
    .put = put,
    .stat = fstat,
    .stat_at = stat_at,
    .truncate = ftruncate,
    .chmod = fchmod,
    .sync = fsync,
    .rename = rename_in,
    .unlink = unlink_in,
    .mkdir = mkdirat,
    .lock = flock,
    .list = list,
    .pair = pair,
    .fork = fork,
    .clock_ms = clock_ms,
    .sleep_ms = sleep_ms,
    .is_read_only = is_read_only,
    .cookie = cookie,
    .log = log_line,
};
