#include "apply/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/critical.h"
#include "apply/undo.h"

#define GUARD_LOOKS_MS 500
/* Descriptors that a caller may have left open; a service manager gives no more. */
#define DESCRIPTORS_MAX 1024

struct guard {
	struct backend *backend;
	struct store store;
	struct journal journal; /* as it was when the guard began */
	int lock, ready;
};

static bool is_kept(const struct guard *guard, int fd)
{
	if (fd == guard->lock || fd == guard->ready || fd == guard->store.dir ||
	    fd == guard->store.tree->root)
		return true;
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		if (fd == guard->backend->fd[i])
			return true;
	return false;
}

/*
 * Lets go of all that ties it to who started it: session, terminal, directory, descriptors.  The
 * lock of the store is one of these: a copy of it here would hold it for as long as the guard lives.
 */
static bool detach(struct guard *guard)
{
	sigset_t before;
	/* For good: whoever logs out, hangs up or says "terminate" does not mean the undo. */
	critical_begin(&before);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || chdir("/") != 0)
		return false;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return false;
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		if (!is_kept(guard, fd))
			close(fd);
	guard->store.lock = -1;
	prctl(PR_SET_NAME, "bdp-guard", 0, 0, 0);
	return true;
}

/* The journal may have gone, and another may have come in its place. */
static bool is_same(const struct journal *a, const struct journal *b)
{
	return a->id == b->id && a->pid == b->pid && a->time_s == b->time_s &&
	       a->deadline_ms == b->deadline_ms;
}

/* Reads the journal again; a damaged one is no reason to leave a host as it is: then what the guard
 * remembers stands. */
static bool still_waits(struct guard *guard)
{
	struct journal now;
	struct reason reason;
	if (store_load(&guard->store, guard->journal.id, &now, &reason))
		return is_same(&now, &guard->journal) &&
		       (now.state == JOURNAL_PENDING || now.state == JOURNAL_UNCONFIRMED);
	return store_has(&guard->store, guard->journal.id);
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

/* Under the lock nobody can confirm any more: what was decided before counts. */
static void guard_run(struct guard *guard)
{
	const struct kernel_io *io = guard->store.tree->io;
	struct reason reason;
	if (!wait_for_deadline(guard) || !store_lock(&guard->store, -1, &reason))
		return;
	if (!still_waits(guard))
		return;
	struct outcome outcome = {0};
	struct journal ended = guard->journal;
	bool good =
	    undo_journal(guard->backend, &guard->store, &guard->journal, UNDO_OURS, &outcome);
	outcome_free(&outcome);
	ended.state = good ? JOURNAL_UNDONE : JOURNAL_STUCK;
	ended.ended_by = ENDED_BY_GUARD;
	ended.ended_s = io->clock_ms(CLOCK_REALTIME) / 1000;
	store_save(&guard->store, &ended, &reason);
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
	/* Whoever waits for this may be gone; SIGPIPE is held back. */
	ssize_t ignored = write(guard->ready, "", 1);
	(void)ignored;
	close(guard->ready);
	guard->ready = -1;
	guard_run(guard);
	_exit(0);
}

/* The other end closes when the guard is ready, with a byte, or when it is not, without. */
static bool is_ready(int fd)
{
	char byte;
	ssize_t got;
	do
		got = read(fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		errno = ESRCH; /* "No such process": it ended early */
	return got == 1;
}

/* The first child is waited for, so that no zombie is left; the second belongs to init. */
static bool start(struct guard *guard, int ready)
{
	pid_t pid = guard->store.tree->io->fork();
	if (pid == 0)
		become_guard(guard);
	close(guard->ready);
	if (pid < 0)
		return false;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
	return is_ready(ready);
}

bool guard_start(struct backend *backend, const struct store *store, const struct journal *journal,
    struct reason *reason)
{
	int ends[2];
	struct guard guard = {.backend = backend, .store = *store, .journal = *journal};
	guard.lock = store_guard_take(store, journal->id, reason);
	if (guard.lock < 0)
		return false;
	bool started = store->tree->io->pipe(ends) == 0;
	if (started) {
		guard.ready = ends[1];
		started = start(&guard, ends[0]);
		close(ends[0]);
	}
	/* The guard holds its own copy of the same lock. */
	close(guard.lock);
	if (!started)
		snprintf(reason->text, sizeof(reason->text),
		    "the guard for --confirm could not be started: %s", strerror(errno));
	return started;
}
