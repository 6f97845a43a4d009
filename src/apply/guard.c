#include "apply/guard.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/outcome.h"
#include "apply/tree.h"

#define FIRST 3

static int compare(const void *a, const void *b)
{
	const int *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

static bool close_range_of(unsigned from, unsigned to)
{
	return from > to || syscall(SYS_close_range, from, to, 0) == 0;
}

/* The gaps between those that are kept. */
static bool close_gaps(const int *kept, size_t count)
{
	unsigned from = FIRST;
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		if (kept[i] < (int)from)
			continue;
		if (kept[i] > (int)from)
			good = close_range_of(from, (unsigned)kept[i] - 1);
		from = (unsigned)kept[i] + 1;
	}
	return good && close_range_of(from, UINT_MAX);
}

bool descriptors_close_listed(const int *kept, size_t count)
{
	DIR *listed = opendir("/proc/self/fd");
	if (listed == NULL)
		return false;
	for (struct dirent *entry; (entry = readdir(listed)) != NULL;) {
		const char *problem;
		int fd = (int)strtonum(entry->d_name, FIRST, INT_MAX, &problem);
		if (problem != NULL || fd == dirfd(listed))
			continue;
		if (count == 0 || bsearch(&fd, kept, count, sizeof(fd), compare) == NULL)
			close(fd);
	}
	closedir(listed);
	return true;
}

bool descriptors_close_others(int *kept, size_t count)
{
	if (count > 0)
		qsort(kept, count, sizeof(*kept), compare);
	return close_gaps(kept, count) || descriptors_close_listed(kept, count);
}

/* How often it looks whether it is still wanted: confirm and rollback wait for that look. */
#define GUARD_LOOKS_MS 200

struct guard {
	struct backend *backend;
	struct store store;
	struct journal journal; /* as it was when the guard began */
	const struct saved_copy *saved;
	int lock;
	int leash; /* to whoever started it: a byte there calls it off; -1 when that one has ended */
};

/*
 * Lets go of all that ties it to who started it: session, terminal, directory, descriptors.  The
 * lock of the store is one of these: a copy of it here would hold it for as long as the guard lives.
 */
static bool detach(struct guard *guard)
{
	sigset_t before;
	int saved[TUNABLE_COUNT + 4];
	size_t count = 0;
	/* For good: whoever logs out, hangs up or says "terminate" does not mean the undo. */
	critical_begin(&before);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || chdir("/") != 0)
		return false;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return false;
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		saved[count++] = guard->backend->fd[i];
	saved[count++] = guard->lock;
	saved[count++] = guard->leash;
	saved[count++] = guard->store.dir;
	saved[count++] = guard->store.tree->root;
	guard->store.lock = -1;
	prctl(PR_SET_NAME, "bdp-guard", 0, 0, 0);
	return descriptors_close_others(saved, count);
}

/* Nothing there while the apply is at work; the end of it closes its side. */
static bool is_called_off(struct guard *guard)
{
	char byte;
	if (guard->leash < 0)
		return false;
	ssize_t got = recv(guard->leash, &byte, 1, MSG_DONTWAIT);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		close(guard->leash);
		guard->leash = -1;
	}
	return got == 1;
}

/* The journal may have gone, and another may have come in its place. */
static bool is_same(const struct journal *a, const struct journal *b)
{
	return a->id == b->id && a->pid == b->pid && a->time_s == b->time_s &&
	       a->deadline_ms == b->deadline_ms;
}

enum found { FOUND_WAITING, FOUND_ENDED, FOUND_OTHER, FOUND_NOTHING };

/* What has become of the journal; one that is damaged counts as gone. */
static enum found look_up(const struct guard *guard)
{
	struct journal now;
	struct reason reason;
	if (!store_load(&guard->store, guard->journal.id, &now, &reason))
		return FOUND_NOTHING;
	if (!is_same(&now, &guard->journal))
		return FOUND_OTHER;
	return now.state == JOURNAL_PENDING || now.state == JOURNAL_UNCONFIRMED ? FOUND_WAITING
										: FOUND_ENDED;
}

/* A journal that is damaged or removed is no reason to leave a host as it is: then what the guard
 * remembers stands. */
static bool still_waits(struct guard *guard)
{
	return !is_called_off(guard) && look_up(guard) != FOUND_ENDED;
}

/* False when there is nothing left to wait for: confirmed, rolled back, or never begun.  It looks
 * now and then, so that it goes soon after. */
static bool wait_for_deadline(struct guard *guard)
{
	const struct kernel_io *io = guard->store.tree->io;
	for (;;) {
		if (!still_waits(guard))
			return false;
		/* Time asleep (suspended) counts. */
		int64_t left = guard->journal.deadline_ms - io->clock_ms(CLOCK_BOOTTIME);
		if (left <= 0)
			return true;
		io->sleep_ms(left < GUARD_LOOKS_MS ? left : GUARD_LOOKS_MS);
	}
}

/* The directory may have been removed, and another made: that one's lock counts then.  Without any
 * there is nobody to lock out. */
static void take_lock(struct guard *guard)
{
	const struct tree *tree = guard->store.tree;
	struct reason reason;
	if (store_lock(&guard->store, -1, &reason))
		return;
	store_close(&guard->store);
	if (store_open(&guard->store, tree, false, &reason) == STORE_OPEN)
		store_lock(&guard->store, -1, &reason);
}

/* Nobody watches a guard: the system's log is where it can speak. */
static void log_end(const struct guard *guard, enum undo_result result, const char *journal,
    const struct outcome *outcome)
{
	static const char *const results[] = {
	    [UNDO_ALL] = "",
	    [UNDO_LEFT] = "; what somebody changed since is left as it is",
	    [UNDO_STUCK] = "; NOT everything could be undone",
	};
	char line[400];
	snprintf(line, sizeof(line),
	    "apply %" PRIu32 " was not confirmed within %" PRIu32
	    " s: %zu of %zu settings restored%s%s",
	    guard->journal.id, guard->journal.confirm_seconds,
	    outcome_count_settings(outcome, ITEM_RESTORED) +
		outcome_count_settings(outcome, ITEM_ALREADY),
	    outcome->setting_count, results[result], journal);
	guard->store.tree->io->log(line);
}

/* What it came to is noted where the journal is, or was; one that has taken its number is left. */
static const char *note_end(struct guard *guard, struct journal *ended, enum found found)
{
	struct reason reason;
	if (guard->store.dir < 0 || found == FOUND_OTHER)
		return "; its journal was removed meanwhile";
	if (found == FOUND_NOTHING && !store_has(&guard->store, ended->id)) {
		store_save(&guard->store, ended, &reason);
		return "; its journal was removed meanwhile";
	}
	store_save(&guard->store, ended, &reason);
	return found == FOUND_NOTHING ? "; its journal was damaged meanwhile" : "";
}

/* Under the lock nobody can confirm any more: what was decided before counts. */
static void guard_run(struct guard *guard)
{
	const struct kernel_io *io = guard->store.tree->io;
	if (!wait_for_deadline(guard))
		return;
	take_lock(guard);
	if (!still_waits(guard))
		return;
	enum found found = guard->store.dir >= 0 ? look_up(guard) : FOUND_NOTHING;
	struct outcome outcome = {0};
	struct journal ended = guard->journal;
	enum undo_result result = undo_journal(
	    guard->backend, &guard->store, guard->saved, &guard->journal, UNDO_OURS, &outcome);
	ended.state = result == UNDO_STUCK ? JOURNAL_STUCK : JOURNAL_UNDONE;
	ended.left = undo_left_count(&outcome, ended.id);
	ended.ended_by = ENDED_BY_GUARD;
	ended.ended_s = io->clock_ms(CLOCK_REALTIME) / 1000;
	log_end(guard, result, note_end(guard, &ended, found), &outcome);
	outcome_free(&outcome);
}

/* In the first child: makes a session of its own, and in it a second child that leads none and so
 * can never get a terminal. */
static void become_guard(struct guard *guard)
{
	if (setsid() < 0)
		_exit(1);
	pid_t pid = guard->store.tree->io->fork();
	if (pid != 0)
		_exit(pid < 0);
	if (!detach(guard))
		_exit(1);
	/* Whoever waits for this may be gone. */
	send(guard->leash, "", 1, MSG_NOSIGNAL);
	guard_run(guard);
	_exit(0);
}

/* The other end says when the guard is ready, with a byte, or closes when it is not. */
static bool is_ready(int fd)
{
	char byte;
	ssize_t got;
	do
		got = recv(fd, &byte, 1, 0);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		errno = ESRCH; /* "No such process": it ended early */
	return got == 1;
}

/* The first child is waited for, so that no zombie is left; the second belongs to init.  Where
 * SIGCHLD is ignored the kernel reaps it, and the wait ends with ECHILD. */
static bool start(struct guard *guard, int other)
{
	pid_t pid = guard->store.tree->io->fork();
	if (pid == 0)
		become_guard(guard);
	close(guard->leash);
	if (pid < 0)
		return false;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
	return is_ready(other);
}

bool guard_start(const struct guard_request *request, int *leash, struct reason *reason)
{
	const struct store *store = request->store;
	int ends[2];
	struct guard guard = {.backend = request->backend,
	    .store = *store,
	    .journal = *request->journal,
	    .saved = request->saved};
	*leash = -1;
	guard.lock = store_guard_take(store, request->journal->id, reason);
	if (guard.lock < 0)
		return false;
	bool started = store->tree->io->pair(ends) == 0;
	if (started) {
		guard.leash = ends[1];
		started = start(&guard, ends[0]);
		if (started)
			*leash = ends[0];
		else
			close(ends[0]);
	}
	/* The guard holds its own copy of the same lock. */
	close(guard.lock);
	if (!started)
		snprintf(reason->text, sizeof(reason->text),
		    "the guard for --confirm could not be started: %s", strerror(errno));
	return started;
}

void guard_call_off(int leash)
{
	if (leash < 0)
		return;
	send(leash, "", 1, MSG_NOSIGNAL);
	close(leash);
}
