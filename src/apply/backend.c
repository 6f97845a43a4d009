#include "apply/backend.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The longest value: a list of names. */
#define VALUE_MAX 4096

/*
 * What a dry run has written counts; else what is in place, which is the first line.  The kernel gives one; a plain file of a sysroot may for an
 * instant hold the rest of a longer value behind it.
 */
static bool read_value(struct backend *backend, enum tunable_id id, struct tunable_value *value)
{
	const struct tree *tree = backend->tree;
	char text[VALUE_MAX];
	*value = backend->shadow[id];
	if (value->known)
		return true;
	if (tree_read(tree, tree->root, tunables[id].path, false, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	if (!tunable_value_parse(id, text, value)) {
		errno = EBADMSG;
		return false;
	}
	return true;
}

static bool proc_prepare(struct backend *backend, enum tunable_id id)
{
	if (tunables[id].access != TUNABLE_WRITABLE) {
		errno = EPERM;
		return false;
	}
	if (backend->fd[id] >= 0)
		return true;
	backend->fd[id] =
	    backend->tree->io->open(backend->tree->root, tunables[id].path, O_WRONLY | O_NOCTTY, 0);
	return backend->fd[id] >= 0;
}

/*
 * The kernel takes a vector element by element and keeps those before one that it refuses
 * (kernel/sysctl.c, proc_dointvec_minmax), and of more than three it takes three and returns short:
 * so it is one write of everything, and anything but the full count is a failure.
 */
static bool proc_write(
    struct backend *backend, enum tunable_id id, const struct tunable_value *value)
{
	const struct kernel_io *io = backend->tree->io;
	char text[256];
	tunable_value_text(id, value, text, sizeof(text) - 1);
	size_t length = strlen(text);
	text[length++] = '\n';
	if (!proc_prepare(backend, id))
		return false;
	ssize_t wrote = io->put(backend->fd[id], text, length);
	if (wrote < 0)
		return false;
	if ((size_t)wrote != length) {
		errno = EIO;
		return false;
	}
	/* Files below /proc have no size; plain ones of a sysroot may have been longer. */
	struct stat status;
	if (io->stat(backend->fd[id], &status) != 0)
		return false;
	return status.st_size <= (off_t)length || io->truncate(backend->fd[id], (off_t)length) == 0;
}

int backend_open_directory(const struct tree *tree, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	*name = slash != NULL ? slash + 1 : path;
	if (slash == NULL)
		return tree->io->open(tree->root, ".", O_RDONLY | O_DIRECTORY, 0);
	char directory[JOURNAL_PATH_MAX];
	size_t length = (size_t)(slash - path);
	if (length == 0 || length >= sizeof(directory)) {
		errno = length == 0 ? EINVAL : ENAMETOOLONG;
		return -1;
	}
	memcpy(directory, path, length);
	directory[length] = '\0';
	return tree->io->open(tree->root, directory, O_RDONLY | O_DIRECTORY, 0);
}

/* Of a file that a dry run has written; else shadow_file_count. */
static size_t find_shadow(const struct backend *backend, const char *path)
{
	size_t at = 0;
	while (at < backend->shadow_file_count && strcmp(backend->shadow_files[at].path, path) != 0)
		at++;
	return at;
}

/* As with values; a file that is not there is a state like any other. */
static bool read_file(struct backend *backend, const char *path, struct file_state *state)
{
	const struct tree *tree = backend->tree;
	const struct kernel_io *io = tree->io;
	size_t at = find_shadow(backend, path);
	if (at < backend->shadow_file_count) {
		*state = backend->shadow_files[at].state;
		return true;
	}
	*state = (struct file_state){0};
	int fd = io->open(tree->root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return errno == ENOENT;
	struct stat status;
	bool good = io->stat(fd, &status) == 0;
	close_quietly(fd);
	if (!good)
		return false;
	static char text[PERSIST_FILE_MAX];
	ssize_t length = tree_read(tree, tree->root, path, false, text, sizeof(text));
	if (length < 0)
		return false;
	state->exists = true;
	state->mode = status.st_mode & 07777;
	state->hash = text_hash(text, (size_t)length);
	return true;
}

static bool proc_file_write(
    struct backend *backend, const char *path, const char *text, size_t length, unsigned mode)
{
	const char *name;
	int dir = backend_open_directory(backend->tree, path, &name);
	if (dir < 0)
		return false;
	bool good = text != NULL ? tree_replace(backend->tree, dir, name, text, length, mode)
				 : tree_remove(backend->tree, dir, name);
	close_quietly(dir);
	return good;
}

static void clear(struct backend *backend, const struct tree *tree)
{
	*backend = (struct backend){.tree = tree, .read = read_value, .file_read = read_file};
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		backend->fd[i] = -1;
}

void backend_proc(struct backend *backend, const struct tree *tree)
{
	clear(backend, tree);
	backend->writes = true;
	backend->prepare = proc_prepare;
	backend->write = proc_write;
	backend->file_write = proc_file_write;
}

void backend_close(struct backend *backend)
{
	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		if (backend->fd[i] >= 0)
			close(backend->fd[i]);
		backend->fd[i] = -1;
	}
}

/* Whether it could be opened for writing is not asked: a dry run is for people without the right. */
static bool null_prepare(struct backend *backend, enum tunable_id id)
{
	struct tunable_value value;
	return read_value(backend, id, &value);
}

static bool null_write(
    struct backend *backend, enum tunable_id id, const struct tunable_value *value)
{
	backend->shadow[id] = *value;
	return true;
}

static bool null_file_write(
    struct backend *backend, const char *path, const char *text, size_t length, unsigned mode)
{
	size_t at = find_shadow(backend, path);
	if (at == sizeof(backend->shadow_files) / sizeof(backend->shadow_files[0]) ||
	    strlen(path) >= sizeof(backend->shadow_files[at].path)) {
		errno = ENOSPC;
		return false;
	}
	if (at == backend->shadow_file_count)
		backend->shadow_file_count++;
	strlcpy(backend->shadow_files[at].path, path, sizeof(backend->shadow_files[at].path));
	backend->shadow_files[at].state = (struct file_state){
	    .exists = text != NULL,
	    .hash = text != NULL ? text_hash(text, length) : 0,
	    .mode = mode,
	};
	return true;
}

void backend_null(struct backend *backend, const struct tree *tree)
{
	clear(backend, tree);
	backend->prepare = null_prepare;
	backend->write = null_write;
	backend->file_write = null_file_write;
}

/* After a failed write: whatever a part of it may have changed is brought back. */
static enum put_result put_back(struct backend *backend, enum tunable_id id,
    const struct tunable_value *before, struct tunable_value *found, enum put_result result)
{
	if (backend->read(backend, id, found) && tunable_value_equal(id, found, before))
		return result;
	if (before->known)
		backend->write(backend, id, before);
	if (backend->read(backend, id, found) && tunable_value_equal(id, found, before))
		return result;
	return PUT_STUCK;
}

enum put_result backend_put(struct backend *backend, enum tunable_id id,
    const struct tunable_value *before, const struct tunable_value *wanted,
    struct tunable_value *found, int *error)
{
	*error = 0;
	*found = (struct tunable_value){0};
	/* Reading back is the only proof: kernels clamp, and some keys take what they then ignore. */
	enum put_result result = PUT_DONE;
	if (!backend->write(backend, id, wanted) || !backend->read(backend, id, found)) {
		*error = errno;
		result = PUT_FAILED;
	} else if (!tunable_value_equal(id, found, wanted)) {
		result = PUT_REJECTED;
	}
	return result == PUT_DONE ? result : put_back(backend, id, before, found, result);
}
