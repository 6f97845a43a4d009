#include "apply/tree.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Keeps errno over a close. */
static void close_quietly(int fd)
{
	int error = errno;
	close(fd);
	errno = error;
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
