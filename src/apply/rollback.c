#include "apply/rollback.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apply/backend.h"
#include "apply/tree.h"
#include "apply/persist.h"
#include "apply/netns.h"
#include "apply/refusal.h"
#include "apply/store.h"
#include "apply/journal.h"

#define LOCK_WAIT_MS 5000

struct work {
	const struct rollback_request *request;
	struct outcome *outcome;
	struct tree tree;
	struct store store;
	struct netns_identity netns;
	struct journal_ids ids;
	struct journal *journals; /* owned: to be undone, newest first */
	size_t count;
	uint32_t elsewhere;		    /* newest active journal of another place, 0 for none */
	bool rebooted;			    /* that one is of another boot */
	bool unsure;			    /* that one may be of this place */
	uint32_t guarded[STORE_LISTED_MAX]; /* applies whose guards are no longer wanted */
	size_t guarded_count;
};

static bool begin(
    struct work *work, const struct rollback_request *request, struct outcome *outcome)
{
	*work = (struct work){.request = request, .outcome = outcome};
	work->store = (struct store){.dir = -1, .lock = -1};
	outcome->dry_run = request->dry_run;
	if (tree_open(&work->tree, request->io, request->sysroot) &&
	    netns_identity_read(&work->netns, &work->tree))
		return true;
	outcome_fail(outcome, OUTCOME_SYSTEM, "%s: %s",
	    request->sysroot != NULL ? request->sysroot : "/", strerror(errno));
	tree_close(&work->tree);
	return false;
}

/* A guard that nobody waits for any more has gone when the command ends. */
static void end(struct work *work)
{
	store_unlock(&work->store);
	for (size_t i = 0; i < work->guarded_count; i++)
		store_guard_await(&work->store, work->guarded[i]);
	free(work->journals);
	store_close(&work->store);
	tree_close(&work->tree);
}

/* A file that is still there after the journals of its boot are gone. */
static void hint_persisted(struct work *work)
{
	static char text[PERSIST_FILE_MAX];
	const char *path = PERSIST_DEFAULT;
	if (tree_read(&work->tree, work->tree.root, path + 1, false, text, sizeof(text)) > 0 &&
	    strncmp(text, "# Written by bdp ", 17) == 0)
		outcome_note(work->outcome,
		    "%s is still there, from before a reboot or a rollback: remove it to go back to what "
		    "the system sets at boot",
		    path);
}

/* False when there is no store, or it may not be used. */
static bool open_locked(struct work *work, const char *absent)
{
	struct reason reason;
	switch (store_open(&work->store, &work->tree, false, &reason)) {
	case STORE_ABSENT:
		hint_persisted(work);
		return outcome_refuse(work->outcome, "%s", absent);
	case STORE_REFUSED:
		return outcome_refuse(work->outcome, "%s", reason.text);
	case STORE_OPEN:
		break;
	}
	if (!store_lock(&work->store, LOCK_WAIT_MS, &reason) ||
	    !store_ids(&work->store, &work->ids, &reason))
		return outcome_refuse(work->outcome, "%s", reason.text);
	return true;
}

/* ---- rollback ---- */

static void choose(struct work *work, const struct journal *journal)
{
	work->journals = reallocarray(work->journals, work->count + 1, sizeof(*work->journals));
	if (work->journals == NULL)
		err(1, NULL);
	work->journals[work->count++] = *journal;
}

static void remember_elsewhere(struct work *work, const struct journal *journal)
{
	if (work->elsewhere != 0)
		return;
	work->elsewhere = journal->id;
	work->unsure = netns_identity_compare(&journal->netns, &work->netns) == NETNS_UNSURE;
	work->rebooted = strcmp(journal->netns.boot_id, work->netns.boot_id) != 0;
}

/* Says why there is nothing to take back. */
static bool nothing_chosen(struct work *work)
{
	uint32_t to = work->request->to;
	if (work->elsewhere != 0 && work->unsure && (to == 0 || to == work->elsewhere))
		return outcome_refuse(work->outcome,
		    "whether apply %" PRIu32
		    " was made in this network namespace, or in one that has ended and had the same "
		    "number, cannot be told on this kernel (before 5.14): look at 'bdp rollback --list'; "
		    "--force takes it back here",
		    work->elsewhere);
	if (work->elsewhere != 0 && (to == 0 || to == work->elsewhere))
		return outcome_refuse(work->outcome, "apply %" PRIu32 " was made %s",
		    work->elsewhere,
		    work->rebooted
			? "before a reboot: its values are gone, there is nothing to restore"
			: "in another network namespace: roll it back from there");
	if (to != 0)
		return outcome_refuse(work->outcome,
		    "there is no apply %" PRIu32
		    " to roll back here ('bdp rollback --list' shows them)",
		    to);
	hint_persisted(work);
	return outcome_refuse(work->outcome, "there is nothing to roll back");
}

static bool is_for_here(const struct work *work, const struct journal *journal)
{
	enum netns_identity_match match = netns_identity_compare(&journal->netns, &work->netns);
	/* A guard that lives holds its namespace. */
	return match == NETNS_SAME ||
	       (match == NETNS_UNSURE && (work->request->force || work->request->made_here ||
					     store_guard_is_alive(&work->store, journal->id)));
}

/* Newest first, since each goes back to what the one before it had set. */
static bool choose_journals(struct work *work)
{
	const struct rollback_request *request = work->request;
	struct journal journal;
	struct reason reason;
	bool reached = false;
	for (size_t i = work->ids.count; i-- > 0 && !reached;) {
		if (work->ids.id[i] < request->to)
			break;
		if (!store_load(&work->store, work->ids.id[i], &journal, &reason))
			return outcome_refuse(work->outcome, "%s", reason.text);
		if (!journal_is_active(&journal))
			continue;
		if (!is_for_here(work, &journal)) {
			remember_elsewhere(work, &journal);
			continue;
		}
		choose(work, &journal);
		reached = request->to != 0 ? journal.id == request->to : !request->all;
	}
	if (work->count == 0 || (request->to != 0 && !reached))
		return nothing_chosen(work);
	return true;
}

/* What is left as somebody changed it does not stop the rest; but it is no success. */
static void fail_left(struct work *work, const struct journal *journal, uint32_t left)
{
	size_t items = journal->setting_count + journal->file_count;
	outcome_refuse(work->outcome,
	    "%" PRIu32 " of %zu changes of apply %" PRIu32
	    " %s no longer as bdp made %s: left as %s",
	    left, items, journal->id, left == 1 ? "is" : "are", left == 1 ? "it" : "them",
	    left == 1 ? "it is" : "they are");
}

/* Goes through all of it on a backend that only remembers, so that a failure at the third journal
 * does not leave the first two undone. */
static bool rehearse(struct work *work)
{
	struct backend backend;
	bool good = true;
	enum undo_force force = work->request->force ? UNDO_FORCED : UNDO_OURS;
	backend_null(&backend, &work->tree);
	for (size_t i = 0; i < work->count; i++)
		good = undo_journal(&backend, &work->store, NULL, &work->journals[i], force,
			   work->outcome) != UNDO_STUCK &&
		       good;
	backend_close(&backend);
	if (!good && !work->request->force)
		return outcome_refuse(
		    work->outcome, "not everything can be brought back: nothing was restored");
	for (size_t i = 0; i < work->count && work->request->dry_run; i++) {
		uint32_t left = undo_left_count(work->outcome, work->journals[i].id);
		if (left > 0)
			fail_left(work, &work->journals[i], left);
	}
	return true;
}

static void confine(struct work *work)
{
	static const char *const readable[] = {"proc", "sys", "lib", "usr/lib"};
	struct sandbox sandbox;
	sandbox_begin(&sandbox);
	for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
		sandbox_allow(&sandbox, &work->tree, readable[i], SANDBOX_READ);
	sandbox_allow(&sandbox, &work->tree, "run/bdp", SANDBOX_DIRECTORY);
	for (size_t i = 0; i < work->count; i++) {
		const struct journal *journal = &work->journals[i];
		for (size_t j = 0; j < journal->setting_count; j++)
			sandbox_allow(&sandbox, &work->tree, tunables[journal->settings[j].id].path,
			    SANDBOX_WRITE);
		for (size_t j = 0; j < journal->file_count; j++)
			sandbox_allow_parent(&sandbox, &work->tree, journal->files[j].path);
	}
	sandbox_enter(&sandbox);
}

/* Opens all that will be written, for the same reason. */
static bool prepare(struct work *work, struct backend *backend)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct journal *journal = &work->journals[i];
		for (size_t j = 0; j < journal->setting_count; j++) {
			const struct journal_setting *setting = &journal->settings[j];
			char why[300];
			if (backend->prepare(backend, setting->id) || work->request->force)
				continue;
			refusal_text(backend, setting->id, &setting->old, REFUSED_OPEN, errno, why,
			    sizeof(why));
			return outcome_refuse(work->outcome, "%s: %s; nothing was restored",
			    tunables[setting->id].key, why);
		}
	}
	return true;
}

/* The journal is marked when its work is done: killed in between, the same rollback does the rest. */
static bool undo_one(struct work *work, struct backend *backend, struct journal *journal)
{
	struct reason reason;
	enum undo_force force = work->request->force ? UNDO_FORCED : UNDO_OURS;
	enum undo_result result =
	    undo_journal(backend, &work->store, NULL, journal, force, work->outcome);
	journal->state = result == UNDO_STUCK ? JOURNAL_STUCK : JOURNAL_UNDONE;
	journal->left = undo_left_count(work->outcome, journal->id);
	journal->ended_by = ENDED_BY_ROLLBACK;
	journal->ended_s = work->tree.io->clock_ms(CLOCK_REALTIME) / 1000;
	bool saved = store_save(&work->store, journal, &reason);
	if (journal->confirm_seconds > 0)
		work->guarded[work->guarded_count++] = journal->id;
	if (result == UNDO_STUCK)
		outcome_refuse(work->outcome,
		    "apply %" PRIu32 " could not be taken back in full: see below", journal->id);
	else if (!saved)
		outcome_refuse(work->outcome,
		    "apply %" PRIu32 " is taken back, but that could not be noted: %s", journal->id,
		    reason.text);
	else if (result == UNDO_LEFT)
		fail_left(work, journal, journal->left);
	return result != UNDO_STUCK;
}

static void undo_all(struct work *work)
{
	struct backend backend;
	const char *why;
	if (!tree_may_write(&work->tree, &why)) {
		outcome_refuse(work->outcome, "%s: nothing was restored", why);
		return;
	}
	if (work->request->confine)
		confine(work);
	backend_proc(&backend, &work->tree);
	/* The items of the rehearsal give way to those of the performance. */
	outcome_free_items(work->outcome);
	if (prepare(work, &backend)) {
		for (size_t i = 0; i < work->count; i++)
			if (!undo_one(work, &backend, &work->journals[i]))
				break;
		store_prune(&work->store, &work->netns, STORE_KEEP_ENDED);
	}
	work->outcome->changed = backend.changed;
	backend_close(&backend);
}

void rollback_run(const struct rollback_request *request, struct outcome *outcome)
{
	struct work work;
	sigset_t before;
	if (!begin(&work, request, outcome))
		return;
	critical_begin(&before);
	if (open_locked(&work, "there is nothing to roll back") && choose_journals(&work) &&
	    rehearse(&work) && !request->dry_run)
		undo_all(&work);
	critical_end(&before);
	end(&work);
}

/* ---- list ---- */

static int64_t seconds_left(const struct kernel_io *io, const struct journal *journal)
{
	int64_t left_ms = journal->deadline_ms - io->clock_ms(CLOCK_BOOTTIME);
	return left_ms >= 0 ? (left_ms + 999) / 1000 : left_ms / 1000;
}

void rollback_list(const struct rollback_request *request, struct outcome *outcome)
{
	struct work work;
	struct reason reason;
	size_t damaged = 0;
	if (!begin(&work, request, outcome))
		return;
	enum store_result opened = store_open(&work.store, &work.tree, false, &reason);
	if (opened == STORE_REFUSED ||
	    (opened == STORE_OPEN && !store_ids(&work.store, &work.ids, &reason)))
		outcome_refuse(work.outcome, "%s", reason.text);
	for (size_t i = work.ids.count; i-- > 0 && outcome->exit == OUTCOME_DONE;) {
		struct outcome_journal *item = outcome_add_journal(outcome);
		item->id = work.ids.id[i];
		if (store_load(&work.store, item->id, &item->journal, &reason)) {
			item->here = netns_identity_compare(&item->journal.netns, &work.netns) !=
				     NETNS_OTHER;
			item->at_work =
			    item->journal.state == JOURNAL_PENDING && store_is_busy(&work.store);
			item->guarded = item->journal.state == JOURNAL_UNCONFIRMED &&
					store_guard_is_alive(&work.store, item->id);
			item->seconds_left = seconds_left(work.tree.io, &item->journal);
		} else {
			item->damaged = true;
			snprintf(item->damage, sizeof(item->damage), "%s", reason.text);
			damaged++;
		}
	}
	if (damaged > 0)
		outcome_refuse(outcome, "%zu of %zu journals cannot be read: see below", damaged,
		    work.ids.count);
	if (opened == STORE_ABSENT)
		hint_persisted(&work);
	end(&work);
}

/* ---- confirm ---- */

/* What is kept must be there: names what is not as the apply set it.  Returns how many. */
static size_t verify_settings(
    struct work *work, struct backend *backend, const struct journal *journal)
{
	size_t wrong = 0;
	for (size_t i = 0; i < journal->setting_count; i++) {
		const struct journal_setting *setting = &journal->settings[i];
		struct tunable_value now;
		bool known = backend->read(backend, setting->id, &now);
		int error = errno;
		if (known && tunable_value_equal(setting->id, &now, &setting->new))
			continue;
		struct outcome_setting *item = outcome_add_setting(work->outcome);
		*item = (struct outcome_setting){.id = setting->id,
		    .journal = journal->id,
		    .state = ITEM_NOT_AS_SET,
		    .wanted = setting->new};
		item->before = item->after = now;
		if (!known)
			refusal_text(backend, setting->id, &setting->new, REFUSED_READ, error,
			    item->why, sizeof(item->why));
		wrong++;
	}
	return wrong;
}

static size_t verify_files(
    struct work *work, struct backend *backend, const struct journal *journal)
{
	size_t wrong = 0;
	for (size_t i = 0; i < journal->file_count; i++) {
		struct file_state now;
		bool known = backend->file_read(backend, journal->files[i].path, &now);
		const char *problem = !known	    ? strerror(errno)
				      : !now.exists ? "it was removed since"
						    : "it was changed since";
		if (known && now.exists && now.hash == journal->files[i].new_hash)
			continue;
		struct outcome_file *item = outcome_add_file(work->outcome, journal->files[i].path);
		item->journal = journal->id;
		item->state = ITEM_NOT_AS_SET;
		snprintf(item->why, sizeof(item->why), "%s", problem);
		wrong++;
	}
	return wrong;
}

static void verify(struct work *work, const struct journal *journal)
{
	size_t items = journal->setting_count + journal->file_count;
	struct backend backend;
	backend_null(&backend, &work->tree);
	size_t wrong =
	    verify_settings(work, &backend, journal) + verify_files(work, &backend, journal);
	backend_close(&backend);
	if (wrong > 0)
		outcome_refuse(work->outcome,
		    "apply %" PRIu32 " is kept, but %zu of its %zu changes %s not as it made %s",
		    journal->id, wrong, items, wrong == 1 ? "is" : "are",
		    wrong == 1 ? "it" : "them");
}

/* The newest apply of this place is not waiting: says what became of it. */
static void confirm_nothing(struct work *work, const struct journal *journal)
{
	char when[32] = "";
	time_t time = (time_t)journal->ended_s;
	struct tm utc;
	if (gmtime_r(&time, &utc) == NULL ||
	    strftime(when, sizeof(when), "%H:%M:%S UTC", &utc) == 0)
		when[0] = '\0';
	if (journal->state == JOURNAL_PENDING)
		outcome_refuse(work->outcome,
		    "apply %" PRIu32
		    " was cut short and cannot be confirmed: 'bdp rollback' takes it back",
		    journal->id);
	else if (journal->state == JOURNAL_STUCK)
		outcome_refuse(work->outcome,
		    "apply %" PRIu32 " was being undone and is stuck: 'bdp rollback' tries again",
		    journal->id);
	else if (journal->state == JOURNAL_UNDONE && journal->ended_by == ENDED_BY_GUARD)
		outcome_refuse(work->outcome,
		    "too late: apply %" PRIu32 " was undone at %s, %" PRIu32 " s after it was made",
		    journal->id, when, journal->confirm_seconds);
	else if (journal->state == JOURNAL_APPLIED && journal->ended_by == ENDED_BY_CONFIRM) {
		snprintf(work->outcome->message, sizeof(work->outcome->message),
		    "apply %" PRIu32 " was confirmed already, at %s", journal->id, when);
		verify(work, journal);
	} else
		outcome_refuse(work->outcome, "nothing waits for confirmation");
}

/* Under the lock, so the guard is either before it (then the state has changed) or after it (then
 * it finds the state changed).  A guard that is late by the clock has the say. */
static void confirm_one(struct work *work, struct journal *journal)
{
	struct reason reason;
	bool guarded = store_guard_is_alive(&work->store, journal->id);
	if (guarded && seconds_left(work->tree.io, journal) <= 0) {
		outcome_refuse(work->outcome,
		    "too late: the time of apply %" PRIu32 " is up, it is being undone",
		    journal->id);
		return;
	}
	journal->state = JOURNAL_APPLIED;
	journal->ended_by = ENDED_BY_CONFIRM;
	journal->ended_s = work->tree.io->clock_ms(CLOCK_REALTIME) / 1000;
	if (!store_save(&work->store, journal, &reason)) {
		outcome_refuse(work->outcome, "%s", reason.text);
		return;
	}
	if (journal->confirm_seconds > 0)
		work->guarded[work->guarded_count++] = journal->id;
	work->outcome->journal = journal->id;
	work->outcome->changed = true;
	snprintf(work->outcome->message, sizeof(work->outcome->message),
	    "apply %" PRIu32 " is kept%s; 'bdp rollback' still takes it back", journal->id,
	    guarded ? "" : " (its guard had died, nothing would have undone it)");
	verify(work, journal);
}

static void confirm_newest(struct work *work)
{
	struct journal journal;
	struct reason reason;
	for (size_t i = work->ids.count; i-- > 0;) {
		if (!store_load(&work->store, work->ids.id[i], &journal, &reason)) {
			outcome_refuse(work->outcome, "%s", reason.text);
			return;
		}
		if (netns_identity_compare(&journal.netns, &work->netns) == NETNS_OTHER)
			continue;
		if (journal.state == JOURNAL_UNCONFIRMED)
			confirm_one(work, &journal);
		else
			confirm_nothing(work, &journal);
		return;
	}
	outcome_refuse(work->outcome, "nothing waits for confirmation");
}

void confirm_run(const struct rollback_request *request, struct outcome *outcome)
{
	struct work work;
	sigset_t before;
	if (!begin(&work, request, outcome))
		return;
	critical_begin(&before);
	if (open_locked(&work, "nothing waits for confirmation"))
		confirm_newest(&work);
	critical_end(&before);
	end(&work);
}

/* ---- notice ---- */

static bool describe(
    const struct journal *journal, bool guarded, int64_t left, char *text, size_t size)
{
	switch (journal->state) {
	case JOURNAL_PENDING:
		snprintf(text, size,
		    "apply %" PRIu32
		    " was cut short, its settings may be half made: 'bdp rollback' takes "
		    "them back",
		    journal->id);
		return true;
	case JOURNAL_STUCK:
		snprintf(text, size,
		    "apply %" PRIu32 " could not be undone in full: see 'bdp rollback'",
		    journal->id);
		return true;
	case JOURNAL_UNCONFIRMED:
		if (guarded && left > 0)
			snprintf(text, size,
			    "apply %" PRIu32 " is undone in %" PRId64
			    " s unless 'bdp confirm' keeps it",
			    journal->id, left);
		else if (guarded)
			snprintf(text, size,
			    "apply %" PRIu32 " is being undone: it was not confirmed in time",
			    journal->id);
		else
			snprintf(text, size,
			    "apply %" PRIu32
			    " was never confirmed and its guard is gone, so its settings are "
			    "still in place: 'bdp confirm' keeps them, 'bdp rollback' takes them back",
			    journal->id);
		return true;
	default:
		return false;
	}
}

/* An apply that is at work this moment holds the lock, and is no news; one that ended between two
 * looks has another state at the second. */
static bool load_settled(const struct work *work, uint32_t id, struct journal *journal)
{
	struct reason reason;
	if (!store_load(&work->store, id, journal, &reason))
		return false;
	if (journal->state != JOURNAL_PENDING)
		return true;
	return !store_is_busy(&work->store) && store_load(&work->store, id, journal, &reason);
}

const char *journal_notice(const struct rollback_request *request, char *text, size_t size)
{
	struct work work;
	struct reason reason;
	struct journal journal;
	struct outcome outcome = {0};
	bool guarded;
	text[0] = '\0';
	if (!begin(&work, request, &outcome))
		return text;
	bool found = store_open(&work.store, &work.tree, false, &reason) != STORE_OPEN ||
		     !store_ids(&work.store, &work.ids, &reason);
	for (size_t i = work.ids.count; i-- > 0 && !found;) {
		if (!load_settled(&work, work.ids.id[i], &journal))
			continue;
		guarded = store_guard_is_alive(&work.store, journal.id);
		enum netns_identity_match match =
		    netns_identity_compare(&journal.netns, &work.netns);
		if (match == NETNS_OTHER || (match == NETNS_UNSURE && !guarded))
			continue;
		found =
		    describe(&journal, guarded, seconds_left(work.tree.io, &journal), text, size);
	}
	end(&work);
	return text;
}

const char *journal_unconfirmed_notice(const char *sysroot, char *text, size_t size)
{
	const struct rollback_request request = {.sysroot = sysroot};
	return journal_notice(&request, text, size);
}
