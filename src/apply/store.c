#include "apply/store.h"

#include <bsd/stdlib.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "apply/netns.h"

#define RUN_DIRECTORY "run/bdp"

#define NAME_SIZE 48

static void journal_name(uint32_t id, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%" PRIu32 ".journal", id);
}

static void guard_name(uint32_t id, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%" PRIu32 ".guard", id);
}

static void kept_name(uint32_t id, size_t index, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%" PRIu32 ".kept-%zu", id, index);
}

static bool refuse(struct reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Always false, so that it ends a function. */
static bool refuse(struct reason *reason, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	return false;
}

/* About the file of that name, or "" for the directory. */
static bool refuse_errno(const struct store *store, struct reason *reason, const char *name)
{
	const char *remedy = "";
	if (errno == ENOSPC || errno == EDQUOT)
		remedy = " (no journal, no change: make room first)";
	else if (errno == EROFS)
		remedy = " (no journal, no change)";
	else if (errno == EACCES)
		remedy = ": run with sudo";
	else if (errno == ELOOP || errno == ENOTDIR)
		remedy = " (a link where there must be none: remove it)";
	return refuse(reason, "%s/" RUN_DIRECTORY "%s%s: %s%s", store->tree->name,
	    name[0] != '\0' ? "/" : "", name, strerror(errno), remedy);
}

/* Nothing that somebody else may have put there is believed. */
static bool is_ours(
    const struct store *store, int fd, bool directory, const char *name, struct reason *reason)
{
	struct stat status;
	if (store->tree->io->stat(fd, &status) != 0)
		return refuse_errno(store, reason, name);
	const char *problem = NULL;
	if (directory ? !S_ISDIR(status.st_mode) : !S_ISREG(status.st_mode))
		problem = directory ? "is not a directory" : "is not a plain file";
	else if (status.st_uid != geteuid())
		problem = "is owned by another user";
	else if ((status.st_mode & 077) != 0)
		problem = "is open to other users (its mode must be 0700, that of its files 0600)";
	else if (!directory && status.st_nlink != 1)
		problem = "has more than one name (a hard link)";
	if (problem != NULL)
		return refuse(reason, "%s/" RUN_DIRECTORY "%s%s %s: not used", store->tree->name,
		    name[0] != '\0' ? "/" : "", name, problem);
	return true;
}

/* Somebody else may make it at the same moment: EEXIST is as good, since it is looked at after. */
static bool make_directory(const struct store *store, struct reason *reason)
{
	const struct kernel_io *io = store->tree->io;
	int root = io->open(store->tree->root, ".", O_RDONLY | O_DIRECTORY, 0);
	if (root < 0)
		return refuse_errno(store, reason, "");
	int run = io->open(root, "run", O_RDONLY | O_DIRECTORY, 0);
	if (run < 0 && errno == ENOENT && io->mkdir(root, "run", 0755) == 0)
		run = io->open(root, "run", O_RDONLY | O_DIRECTORY, 0);
	bool made =
	    run >= 0 && (io->mkdir(run, "bdp", 0700) == 0 || errno == EEXIST) && io->sync(run) == 0;
	if (!made)
		refuse_errno(store, reason, "");
	if (run >= 0)
		close(run);
	close(root);
	return made;
}

enum store_result store_open(
    struct store *store, const struct tree *tree, bool create, struct reason *reason)
{
	*store = (struct store){.tree = tree, .dir = -1, .lock = -1};
	int flags = O_RDONLY | O_DIRECTORY;
	store->dir = tree->io->open(tree->root, RUN_DIRECTORY, flags, 0);
	if (store->dir < 0 && errno == ENOENT) {
		if (!create)
			return STORE_ABSENT;
		if (!make_directory(store, reason))
			return STORE_REFUSED;
		store->dir = tree->io->open(tree->root, RUN_DIRECTORY, flags, 0);
	}
	if (store->dir < 0) {
		refuse_errno(store, reason, "");
		return STORE_REFUSED;
	}
	if (!is_ours(store, store->dir, true, "", reason)) {
		store_close(store);
		return STORE_REFUSED;
	}
	return STORE_OPEN;
}

void store_close(struct store *store)
{
	store_unlock(store);
	if (store->dir >= 0)
		close(store->dir);
	store->dir = -1;
}

/* ---- locks ---- */

/* Lock files are never removed while they count: a lock on a removed file locks nobody out. */
static int open_lock(const struct store *store, const char *name, struct reason *reason)
{
	int fd = store->tree->io->open(store->dir, name, O_RDWR | O_CREAT | O_NONBLOCK, 0600);
	if (fd < 0) {
		refuse_errno(store, reason, name);
		return -1;
	}
	if (!is_ours(store, fd, false, name, reason)) {
		close(fd);
		return -1;
	}
	return fd;
}

#define LOCK_RETRY_MS 50

bool store_lock(struct store *store, int64_t wait_ms, struct reason *reason)
{
	const struct kernel_io *io = store->tree->io;
	int fd = open_lock(store, "lock", reason);
	if (fd < 0)
		return false;
	/* Asked again and again, not slept on: flock(2) has no time limit of its own. */
	while (io->lock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK || wait_ms == 0) {
			if (errno == EWOULDBLOCK)
				refuse(reason,
				    "%s/" RUN_DIRECTORY
				    "/lock: another bdp is at work here: try again",
				    store->tree->name);
			else
				refuse_errno(store, reason, "lock");
			close(fd);
			return false;
		}
		io->sleep_ms(LOCK_RETRY_MS);
		if (wait_ms > 0)
			wait_ms = wait_ms > LOCK_RETRY_MS ? wait_ms - LOCK_RETRY_MS : 0;
	}
	store->lock = fd;
	return true;
}

void store_unlock(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	store->lock = -1;
}

int store_guard_take(const struct store *store, uint32_t id, struct reason *reason)
{
	char name[NAME_SIZE];
	guard_name(id, name);
	int fd = open_lock(store, name, reason);
	if (fd >= 0 && store->tree->io->lock(fd, LOCK_EX | LOCK_NB) != 0) {
		refuse_errno(store, reason, "guard");
		close(fd);
		return -1;
	}
	return fd;
}

/* Looks without taking: a shared lock that is let go at once. */
static bool is_locked(const struct store *store, const char *name)
{
	int fd = store->tree->io->open(store->dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	bool locked = store->tree->io->lock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

bool store_is_busy(const struct store *store)
{
	return is_locked(store, "lock");
}

bool store_guard_is_alive(const struct store *store, uint32_t id)
{
	char name[NAME_SIZE];
	guard_name(id, name);
	return is_locked(store, name);
}

#define GUARD_AWAIT_MS 20

void store_guard_await(const struct store *store, uint32_t id)
{
	for (unsigned i = 0; i < 75 && store_guard_is_alive(store, id); i++)
		store->tree->io->sleep_ms(GUARD_AWAIT_MS);
}

/* ---- journals ---- */

/* The newest stay when there are too many. */
static void add_id(struct journal_ids *ids, uint32_t id)
{
	size_t smallest = 0;
	if (ids->count < STORE_LISTED_MAX) {
		ids->id[ids->count++] = id;
		return;
	}
	for (size_t i = 1; i < ids->count; i++)
		if (ids->id[i] < ids->id[smallest])
			smallest = i;
	if (id > ids->id[smallest])
		ids->id[smallest] = id;
}

static void collect_id(const char *name, void *context)
{
	struct journal_ids *ids = context;
	const char *dot = strchr(name, '.');
	char digits[16];
	if (dot == NULL || strcmp(dot, ".journal") != 0 || (size_t)(dot - name) >= sizeof(digits))
		return;
	memcpy(digits, name, (size_t)(dot - name));
	digits[dot - name] = '\0';
	/* One spelling for each number: "007" is not ours. */
	const char *problem;
	uint32_t id = (uint32_t)strtonum(digits, 1, INT32_MAX, &problem);
	if (problem != NULL || digits[0] == '0')
		return;
	add_id(ids, id);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left, right;
	memcpy(&left, a, sizeof(left));
	memcpy(&right, b, sizeof(right));
	return (left > right) - (left < right);
}

bool store_ids(const struct store *store, struct journal_ids *ids, struct reason *reason)
{
	ids->count = 0;
	if (!tree_list(store->tree, store->dir, collect_id, ids))
		return refuse_errno(store, reason, "");
	qsort(ids->id, ids->count, sizeof(ids->id[0]), compare_ids);
	return true;
}

bool store_has(const struct store *store, uint32_t id)
{
	char name[NAME_SIZE];
	struct stat status;
	journal_name(id, name);
	return store->tree->io->stat_at(store->dir, name, &status) == 0 || errno != ENOENT;
}

bool store_load(
    const struct store *store, uint32_t id, struct journal *journal, struct reason *reason)
{
	const struct kernel_io *io = store->tree->io;
	char name[NAME_SIZE];
	journal_name(id, name);
	int fd = io->open(store->dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return refuse_errno(store, reason, name);
	bool ours = is_ours(store, fd, false, name, reason);
	close(fd);
	if (!ours)
		return false;
	char text[JOURNAL_TEXT_MAX];
	ssize_t length = tree_read(store->tree, store->dir, name, false, text, sizeof(text));
	if (length < 0)
		return refuse_errno(store, reason, name);
	const char *why;
	if (!journal_parse(journal, text, (size_t)length, &why))
		return refuse(reason,
		    "%s/" RUN_DIRECTORY
		    "/%s: %s; nothing is done by it: look at the settings, then remove "
		    "the file",
		    store->tree->name, name, why);
	if (journal->id != id)
		return refuse(reason,
		    "%s/" RUN_DIRECTORY "/%s: it is the journal of apply %" PRIu32 ", renamed",
		    store->tree->name, name, journal->id);
	return true;
}

bool store_save(const struct store *store, const struct journal *journal, struct reason *reason)
{
	char name[NAME_SIZE], text[JOURNAL_TEXT_MAX];
	journal_name(journal->id, name);
	size_t length = journal_text(journal, text);
	if (!tree_replace(store->tree, store->dir, name, text, length, 0600))
		return refuse_errno(store, reason, name);
	return true;
}

/* The journal goes first: as long as it is there, all that it needs is there too. */
bool store_drop(const struct store *store, uint32_t id, struct reason *reason)
{
	const struct kernel_io *io = store->tree->io;
	char name[NAME_SIZE];
	journal_name(id, name);
	if (io->unlink(store->dir, name) != 0 && errno != ENOENT)
		return refuse_errno(store, reason, "");
	for (size_t i = 0; i < JOURNAL_FILES_MAX; i++) {
		kept_name(id, i, name);
		io->unlink(store->dir, name);
	}
	guard_name(id, name);
	io->unlink(store->dir, name);
	return io->sync(store->dir) == 0 || refuse_errno(store, reason, "");
}

/* Lists what may go: all but the newest. */
static bool list_old(const struct store *store, struct journal_ids *ids, size_t keep)
{
	struct reason ignored;
	if (!store_ids(store, ids, &ignored) || ids->count <= keep)
		return false;
	ids->count -= keep;
	return true;
}

void store_prune(const struct store *store, const struct netns_identity *here, size_t keep)
{
	struct journal_ids ids;
	struct reason ignored;
	struct journal journal;
	if (!list_old(store, &ids, keep))
		return;
	for (size_t i = 0; i < ids.count; i++) {
		if (!store_load(store, ids.id[i], &journal, &ignored))
			continue;
		if (!journal_is_active(&journal) ||
		    strcmp(journal.netns.boot_id, here->boot_id) != 0)
			store_drop(store, ids.id[i], &ignored);
	}
}

/* Of two live namespaces none have the same inode: another that has ours has ended. */
static bool is_gone(const struct netns_identity *netns, const struct netns_identity *here,
    const struct namespaces *alive)
{
	return netns_identity_compare(netns, here) == NETNS_OTHER &&
	       (netns->netns == here->netns || !namespaces_have(alive, netns->netns));
}

void store_prune_gone(const struct store *store, const struct netns_identity *here)
{
	struct journal_ids ids;
	struct reason ignored;
	struct journal journal;
	struct namespaces alive;
	if (!list_old(store, &ids, STORE_KEEP_ENDED) || !namespaces_find(&alive, store->tree))
		return;
	for (size_t i = 0; i < ids.count; i++)
		if (store_load(store, ids.id[i], &journal, &ignored) &&
		    is_gone(&journal.netns, here, &alive))
			store_drop(store, ids.id[i], &ignored);
	namespaces_free(&alive);
}

bool store_keep(const struct store *store, uint32_t id, size_t index, const char *text,
    size_t length, struct reason *reason)
{
	char name[NAME_SIZE];
	kept_name(id, index, name);
	return tree_replace(store->tree, store->dir, name, text, length, 0600) ||
	       refuse_errno(store, reason, name);
}

ssize_t store_saved_copy(
    const struct store *store, uint32_t id, size_t index, char *text, size_t size)
{
	char name[NAME_SIZE];
	kept_name(id, index, name);
	return tree_read(store->tree, store->dir, name, false, text, size);
}
