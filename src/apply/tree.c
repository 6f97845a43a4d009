#include "apply/tree.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

/* include/uapi/asm-generic/socket.h, since Linux 5.14: newer than some headers. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

void close_quietly(int fd)
{
	int error = errno;
	close(fd);
	errno = error;
}

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
		if (at != dir)
			close_quietly(at);
		if (next < 0)
			return -1;
		at = next;
		path = slash + 1;
	}
	int fd = openat(at, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	if (at != dir)
		close_quietly(at);
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
	close_quietly(fd);
	return got == 0 ? (status.f_flag & ST_RDONLY) != 0 : -1;
}

static int cookie(uint64_t *cookie)
{
	socklen_t size = sizeof(*cookie);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	int got = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size);
	close_quietly(fd);
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

void critical_begin(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, before);
}

void critical_end(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

bool tree_open(struct tree *tree, const struct kernel_io *io, const char *sysroot)
{
	*tree = (struct tree){.io = io != NULL ? io : &kernel_io_system, .root = -1};
	tree->machine = sysroot == NULL || sysroot[strspn(sysroot, "/")] == '\0';
	if (!tree->machine)
		strlcpy(tree->name, sysroot, sizeof(tree->name));
	/* The root itself is the user's own word and may be a link. */
	tree->root = open(tree->machine ? "/" : sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return tree->root >= 0;
}

void tree_close(struct tree *tree)
{
	if (tree->root >= 0)
		close(tree->root);
	tree->root = -1;
}

bool tree_may_write(const struct tree *tree, const char **why)
{
	struct stat status;
	*why = NULL;
	if (tree->machine && geteuid() != 0)
		*why = "this needs root: run with sudo (--dry-run does not)";
	else if (!tree->machine &&
		 (tree->io->stat(tree->root, &status) != 0 || status.st_uid != geteuid()))
		*why = "the sysroot is not owned by you";
	return *why == NULL;
}

ssize_t tree_read(
    const struct tree *tree, int dir, const char *path, bool linked, char *text, size_t size)
{
	const struct kernel_io *io = tree->io;
	int fd = linked ? io->open_linked(dir, path)
			: io->open(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return -1;
	size_t length = 0;
	ssize_t got = 0;
	while (length < size) {
		got = io->read(fd, text + length, size - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	close_quietly(fd);
	if (got < 0)
		return -1;
	if (length == size) {
		errno = EFBIG;
		return -1;
	}
	text[length] = '\0';
	return (ssize_t)length;
}

static bool write_all(const struct kernel_io *io, int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t wrote = io->write(fd, text, length);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			if (wrote == 0)
				errno = EIO;
			return false;
		}
		text += wrote;
		length -= (size_t)wrote;
	}
	return true;
}

bool tree_replace(const struct tree *tree, int dir, const char *name, const char *text,
    size_t length, mode_t mode)
{
	const struct kernel_io *io = tree->io;
	/* No name that sysctl.d or modules-load.d would read: those end in .conf. */
	char temporary[300];
	int written = snprintf(temporary, sizeof(temporary), ".%s.bdp-new", name);
	if (written >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (io->unlink(dir, temporary) != 0 && errno != ENOENT)
		return false;
	int fd = io->open(dir, temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return false;
	bool done =
	    write_all(io, fd, text, length) && io->chmod(fd, mode) == 0 && io->sync(fd) == 0;
	close_quietly(fd);
	done = done && io->rename(dir, temporary, name) == 0;
	if (!done) {
		int error = errno;
		io->unlink(dir, temporary);
		errno = error;
		return false;
	}
	return io->sync(dir) == 0;
}

bool tree_remove(const struct tree *tree, int dir, const char *name)
{
	return tree->io->unlink(dir, name) == 0 && tree->io->sync(dir) == 0;
}

/* As the kernel fills it in: getdents64(2). */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

bool tree_list(
    const struct tree *tree, int dir, void (*each)(const char *name, void *context), void *context)
{
	/* A descriptor of its own: reading a directory moves the position of one that is shared. */
	int fd = tree->io->open(dir, ".", O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return false;
	_Alignas(struct entry) char entries[8192];
	ssize_t got;
	while ((got = tree->io->list(fd, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct entry *entry = (const void *)(entries + at);
			if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
				each(entry->name, context);
			at += entry->length;
		}
	}
	close_quietly(fd);
	return got == 0;
}

uint64_t text_hash(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Newer than the headers of Debian 12: since 6.2 (ABI 3), 6.7 (ABI 4) and 6.10 (ABI 5). */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_IOCTL_DEV (UINT64_C(1) << 15)
#define ACCESS_NET_BIND_TCP (UINT64_C(1) << 0)
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1)

/* The first two fields of struct landlock_ruleset_attr since ABI 4. */
struct ruleset {
	uint64_t files, net;
};

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGING (LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)

static const uint64_t access_rights[] = {
    [SANDBOX_READ] = READING,
    [SANDBOX_WRITE] =
	LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE,
    [SANDBOX_DIRECTORY] = READING | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | CHANGING,
};

/* All that this version of Landlock can take away. */
static uint64_t handled(long abi)
{
	uint64_t all = (UINT64_C(1) << 13) - 1; /* ABI 1: thirteen rights, up to MAKE_SYM */
	if (abi >= 2)
		all |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		all |= ACCESS_TRUNCATE;
	if (abi >= 5)
		all |= ACCESS_IOCTL_DEV;
	return all;
}

static void allow_fd(struct sandbox *sandbox, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {
	    .allowed_access = rights & sandbox->handled,
	    .parent_fd = fd,
	};
	syscall(SYS_landlock_add_rule, sandbox->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

void sandbox_begin(struct sandbox *sandbox)
{
	*sandbox = (struct sandbox){.ruleset = -1};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 1)
		return;
	sandbox->handled = handled(abi);
	struct ruleset rules = {
	    .files = sandbox->handled,
	    .net = ACCESS_NET_BIND_TCP | ACCESS_NET_CONNECT_TCP,
	};
	size_t size = abi >= 4 ? sizeof(rules) : sizeof(rules.files);
	sandbox->ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	/* The guard puts it in the place of its terminal. */
	int null = open("/dev/null", O_PATH | O_CLOEXEC);
	if (sandbox->ruleset >= 0 && null >= 0)
		allow_fd(sandbox, null, access_rights[SANDBOX_WRITE]);
	if (null >= 0)
		close(null);
}

void sandbox_allow(
    struct sandbox *sandbox, const struct tree *tree, const char *path, enum sandbox_access access)
{
	if (sandbox->ruleset < 0)
		return;
	int fd = openat(
	    tree->root, path, O_PATH | O_CLOEXEC | (access == SANDBOX_WRITE ? O_NOFOLLOW : 0));
	if (fd < 0)
		return;
	allow_fd(sandbox, fd, access_rights[access]);
	close(fd);
}

void sandbox_allow_parent(struct sandbox *sandbox, const struct tree *tree, const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[256] = ".";
	if (slash != NULL)
		snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path), path);
	sandbox_allow(sandbox, tree, directory, SANDBOX_DIRECTORY);
}

bool sandbox_enter(struct sandbox *sandbox)
{
	if (sandbox->ruleset < 0)
		return false;
	bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		       syscall(SYS_landlock_restrict_self, sandbox->ruleset, 0) == 0;
	close(sandbox->ruleset);
	sandbox->ruleset = -1;
	return entered;
}
