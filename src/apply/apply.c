#include "apply/apply.h"

#include <bsd/string.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/backend.h"
#include "apply/guard.h"
#include "apply/netns.h"
#include "apply/persist.h"
#include "apply/plan_check.h"
#include "apply/refusal.h"
#include "apply/store.h"
#include "apply/tree.h"

/* How long one apply waits for another. */
#define LOCK_WAIT_MS 5000

/* One apply.  Setting i of the plan is item i of the outcome. */
struct work {
	const struct apply_request *request;
	const struct plan *plan;
	struct outcome *outcome;
	struct tree tree;
	struct backend backend;
	struct store store;
	struct journal journal;
	bool chosen[PLAN_SETTINGS_MAX]; /* is for this host */
	struct tunable_value current[PLAN_SETTINGS_MAX];
	struct persist persist; /* the files of --persist: what they hold and will hold */
	bool boot_asked;
	char boot_problem[400]; /* why the file of --persist would not hold; "" when it does */
	size_t settings_tried, files_tried;	    /* of the journal's */
	struct saved_copy saved[JOURNAL_FILES_MAX]; /* what the journal's files hold now */
	int leash;				    /* of the guard; -1: none */
};

/* ---- what the plan meets: each setting and file beside what is there now ---- */

/* Values copied from guides are often bytes where the kernel counts pages. */
static bool exceeds_memory(struct work *work, const struct setting *setting, char *why, size_t size)
{
	if (setting->id != TUNABLE_TCP_MEM)
		return false;
	char text[4096];
	unsigned long long kib = 0;
	if (tree_read(&work->tree, work->tree.root, "proc/meminfo", true, text, sizeof(text)) < 0 ||
	    sscanf(text, "MemTotal: %llu kB", &kib) != 1)
		return false;
	long long pages = (long long)(kib * 1024 / (unsigned long long)sysconf(_SC_PAGESIZE));
	if (setting->value.number[2] <= pages)
		return false;
	snprintf(why, size,
	    "%lld pages are more than the %lld of this host's memory: this key counts "
	    "pages, not bytes",
	    (long long)setting->value.number[2], pages);
	return true;
}

/* What is certain to be refused is refused before anything is written; of what only trying can tell a
 * dry run says so. */
static void predict_setting(
    struct work *work, const struct setting *setting, struct outcome_setting *item)
{
	char why[sizeof(item->why)];
	switch (predict(&work->backend, setting->id, &setting->value, why, sizeof(why))) {
	case PREDICTED_REFUSED:
		item->state = ITEM_REFUSED;
		strlcpy(item->why, why, sizeof(item->why));
		break;
	case PREDICTED_NOT:
		if (work->request->mode == APPLY_DRY_RUN || !work->tree.machine)
			strlcpy(item->why, why, sizeof(item->why));
		break;
	case PREDICTED_TAKEN:
		break;
	}
}

static void compare_setting(struct work *work, size_t i)
{
	const struct setting *setting = &work->plan->settings[i];
	struct outcome_setting *item = &work->outcome->settings[i];
	*item = (struct outcome_setting){.id = setting->id, .host = setting->host};
	item->wanted = setting->value;
	work->current[i] = (struct tunable_value){0};
	if (!work->chosen[i]) {
		item->state = ITEM_NOT_HERE;
		return;
	}
	bool only_compare = work->request->mode == APPLY_CHECK;
	if (!work->backend.read(&work->backend, setting->id, &item->before)) {
		item->state = ITEM_REFUSED;
		refusal_text(&work->backend, setting->id, &setting->value, REFUSED_READ, errno,
		    item->why, sizeof(item->why));
		return;
	}
	/* The order of the questions is that of importance: a value that is there already is neither
	 * lower nor out of reach, whatever the plan says. */
	work->current[i] = item->after = item->before;
	if (tunable_value_equal(setting->id, &item->before, &setting->value))
		item->state = ITEM_ALREADY;
	else if (only_compare)
		item->state = ITEM_DIFFERS;
	else if ((!work->request->allow_lower &&
		     setting_lowers(setting->id, &item->before, &setting->value, item->why,
			 sizeof(item->why))) ||
		 exceeds_memory(work, setting, item->why, sizeof(item->why)))
		item->state = ITEM_REFUSED;
	else
		predict_setting(work, setting, item);
}

static bool compare_files(struct work *work)
{
	if (work->request->persist == NULL)
		return true;
	if (!work->boot_asked)
		boot_reads(&work->tree, work->request->persist, work->boot_problem,
		    sizeof(work->boot_problem));
	work->boot_asked = true;
	struct persist_request request = {
	    .boot_problem = work->boot_problem,
	    .tree = &work->tree,
	    .plan = work->plan,
	    .chosen = work->chosen,
	    .current = work->current,
	    .path = work->request->persist,
	    .maker = work->request->maker != NULL ? work->request->maker : "bdp",
	    .now_s = work->tree.io->clock_ms(CLOCK_REALTIME) / 1000,
	};
	char why[400];
	/* This runs a second time under the lock: what the first look found is void. */
	persist_free(&work->persist);
	work->outcome->file_count = work->outcome->note_count = 0;
	if (!persist_prepare(&work->persist, &request, work->outcome, why, sizeof(why)))
		return outcome_refuse(work->outcome, "%s; nothing was written", why);
	for (size_t i = 0; i < work->persist.count; i++) {
		const struct persist_file *file = &work->persist.files[i];
		struct outcome_file *item = outcome_add_file(work->outcome, file->path);
		if (!file->change)
			item->state = ITEM_ALREADY;
		else if (work->request->mode == APPLY_CHECK)
			item->state = ITEM_DIFFERS;
	}
	return true;
}

/* Compares everything with what is there; a second call looks again, from the start.  False with the
 * outcome failed when anything is refused: then nothing at all is to be written. */
static bool compare(struct work *work)
{
	for (size_t i = 0; i < work->plan->setting_count; i++)
		compare_setting(work, i);
	if (!compare_files(work))
		return false;
	size_t refused = outcome_count_settings(work->outcome, ITEM_REFUSED);
	const char *why;
	if (refused == 0)
		return true;
	/* Whoever may not write at all need not look for other reasons. */
	if (work->request->mode == APPLY_SET && !tree_may_write(&work->tree, &why))
		outcome_refuse(work->outcome, "%s: nothing was written", why);
	if (work->request->mode != APPLY_CHECK)
		outcome_refuse(work->outcome,
		    "%zu of %zu settings cannot be made: nothing was written", refused,
		    work->plan->setting_count);
	return false;
}

/* Checks the plan, which comes from a file or from advice and is not taken at its word, and chooses
 * what is for this host.  False with the outcome failed when the plan cannot be used. */
static bool choose(struct work *work)
{
	char why[300];
	if (work->plan->setting_count > PLAN_SETTINGS_MAX) {
		outcome_fail(work->outcome, OUTCOME_INPUT, "the plan is too long");
		return false;
	}
	for (size_t i = 0; i < work->plan->setting_count; i++) {
		outcome_add_setting(work->outcome);
		if (setting_check(&work->plan->settings[i], why, sizeof(why)))
			continue;
		work->outcome->setting_count = 0;
		outcome_fail(work->outcome, OUTCOME_INPUT, "%s: nothing was written", why);
		return false;
	}
	if (settings_choose(work->plan, work->request->role, work->chosen, why, sizeof(why)))
		return true;
	work->outcome->setting_count = 0;
	return outcome_refuse(work->outcome, "%s; nothing was written", why);
}

static bool is_to_do(const struct work *work, size_t i)
{
	return work->outcome->settings[i].state == ITEM_NOT_TRIED;
}

static bool is_nothing_to_do(const struct work *work)
{
	return outcome_count_settings(work->outcome, ITEM_NOT_TRIED) == 0 &&
	       outcome_count_files(work->outcome, ITEM_NOT_TRIED) == 0;
}

/* ---- writing ---- */

/* Between the comparison and this write lie a journal and its fsync: whoever came in between must not
 * have their value overwritten, nor the journal's old value be a wrong one. */
static bool is_as_compared(struct work *work, size_t i)
{
	struct outcome_setting *item = &work->outcome->settings[i];
	struct tunable_value now = {0};
	if (work->backend.read(&work->backend, item->id, &now) &&
	    tunable_value_equal(item->id, &now, &work->current[i]))
		return true;
	item->state = ITEM_FAILED;
	item->after = now;
	snprintf(
	    item->why, sizeof(item->why), "somebody else changed it at this moment: try again");
	return outcome_refuse(work->outcome, "%s could not be set", tunables[item->id].key);
}

static bool write_settings(struct work *work)
{
	for (size_t i = 0; i < work->plan->setting_count; i++) {
		const struct setting *setting = &work->plan->settings[i];
		struct outcome_setting *item = &work->outcome->settings[i];
		if (!is_to_do(work, i))
			continue;
		if (!is_as_compared(work, i))
			return false;
		int error;
		work->settings_tried++;
		enum put_result result = backend_put(&work->backend, setting->id, &work->current[i],
		    &setting->value, &item->after, &error);
		if (result == PUT_DONE) {
			item->state = work->backend.writes ? ITEM_SET : ITEM_WOULD_SET;
			continue;
		}
		item->state = result == PUT_STUCK ? ITEM_STUCK : ITEM_FAILED;
		if (error != 0)
			refusal_text(&work->backend, setting->id, &setting->value, REFUSED_WRITE,
			    error, item->why, sizeof(item->why));
		else
			snprintf(item->why, sizeof(item->why),
			    "it was written, but reads back otherwise");
		return outcome_refuse(
		    work->outcome, "%s could not be set", tunables[setting->id].key);
	}
	return true;
}

/* After the settings: a file that holds at boot must not promise what this kernel has refused. */
static bool write_files(struct work *work)
{
	for (size_t i = 0; i < work->persist.count; i++) {
		const struct persist_file *file = &work->persist.files[i];
		struct outcome_file *item = &work->outcome->files[i];
		if (item->state != ITEM_NOT_TRIED)
			continue;
		work->files_tried++;
		if (work->backend.file_write(
			&work->backend, file->path, file->text, file->length, 0644)) {
			item->state = work->backend.writes ? ITEM_SET : ITEM_WOULD_SET;
			continue;
		}
		item->state = ITEM_FAILED;
		snprintf(item->why, sizeof(item->why), "%s", strerror(errno));
		return outcome_refuse(work->outcome, "/%s could not be written", file->path);
	}
	return true;
}

/* ---- taking back what was done so far ---- */

/* Tells in the items of the apply what the undoing came to; a setting whose own write failed stays
 * "failed", since that is why all the others went back. */
static void mark_setting(struct work *work, const struct outcome_setting *undone)
{
	for (size_t i = 0; i < work->plan->setting_count; i++) {
		struct outcome_setting *item = &work->outcome->settings[i];
		if (item->id != undone->id || item->state == ITEM_NOT_HERE)
			continue;
		item->after = undone->after;
		if (undone->state == ITEM_STUCK) {
			item->state = ITEM_STUCK;
			strlcpy(item->why, undone->why, sizeof(item->why));
		} else if (item->state == ITEM_SET) {
			item->state = ITEM_UNDONE;
		} else if (item->state == ITEM_STUCK) {
			item->state = ITEM_FAILED;
		}
	}
}

static void mark_file(struct work *work, const struct outcome_file *undone)
{
	for (size_t i = 0; i < work->outcome->file_count; i++) {
		struct outcome_file *item = &work->outcome->files[i];
		if (strcmp(item->path, undone->path) != 0)
			continue;
		if (undone->state == ITEM_STUCK) {
			item->state = ITEM_STUCK;
			strlcpy(item->why, undone->why, sizeof(item->why));
		} else if (item->state == ITEM_SET) {
			item->state = ITEM_UNDONE;
		}
	}
}

/*
 * Undoes what was tried, the failed write included: a refused vector may have been taken in part.
 * Forced, because nobody else can have been meant by a value that was written a moment ago.
 */
static void take_back(struct work *work)
{
	struct journal done = work->journal;
	struct outcome undone = {0};
	struct reason reason;
	done.setting_count = work->settings_tried;
	done.file_count = work->files_tried;
	bool good = undo_journal(&work->backend, &work->store, work->saved, &done, UNDO_FORCED,
			&undone) == UNDO_ALL;
	for (size_t i = 0; i < undone.setting_count; i++)
		mark_setting(work, &undone.settings[i]);
	for (size_t i = 0; i < undone.file_count; i++)
		mark_file(work, &undone.files[i]);
	outcome_free(&undone);
	if (good) {
		strlcat(work->outcome->message, ": everything is as it was",
		    sizeof(work->outcome->message));
		guard_call_off(work->leash);
		work->leash = -1;
		store_drop(&work->store, work->journal.id, &reason);
		return;
	}
	work->outcome->changed = true;
	work->outcome->journal = work->journal.id;
	strlcat(work->outcome->message,
	    ": NOT everything could be undone, see below; 'bdp rollback' tries again",
	    sizeof(work->outcome->message));
	work->journal.state = JOURNAL_STUCK;
	store_save(&work->store, &work->journal, &reason);
}

/* ---- getting ready ---- */

static void confine(struct work *work)
{
	static const char *const readable[] = {
	    "proc", "sys", "etc", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib", "lib"};
	struct sandbox sandbox;
	sandbox_begin(&sandbox);
	for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
		sandbox_allow(&sandbox, &work->tree, readable[i], SANDBOX_READ);
	for (size_t i = 0; i < work->plan->setting_count; i++)
		if (work->chosen[i])
			sandbox_allow(&sandbox, &work->tree,
			    tunables[work->plan->settings[i].id].path, SANDBOX_WRITE);
	sandbox_allow(&sandbox, &work->tree, "run/bdp", SANDBOX_DIRECTORY);
	for (size_t i = 0; i < work->persist.count; i++)
		sandbox_allow_parent(&sandbox, &work->tree, work->persist.files[i].path);
	sandbox_enter(&sandbox);
}

static bool open_store(struct work *work)
{
	struct reason reason;
	if (store_open(&work->store, &work->tree, true, &reason) != STORE_OPEN ||
	    !store_lock(&work->store, LOCK_WAIT_MS, &reason))
		return outcome_refuse(work->outcome, "%s; nothing was written", reason.text);
	/* Under Landlock the namespaces of other processes can no longer be looked at. */
	store_prune_gone(&work->store, &work->journal.netns);
	if (work->request->confine)
		confine(work);
	return true;
}

/* One thing at a time: while an earlier apply waits to be confirmed, or was left half done, what a
 * further one would have to go back to is not certain. */
static bool is_settled(struct work *work, const struct journal *earlier)
{
	static const char *const problem[JOURNAL_STATES] = {
	    [JOURNAL_PENDING] = "was cut short: 'bdp rollback' first",
	    [JOURNAL_UNCONFIRMED] = "still waits: 'bdp confirm' or 'bdp rollback' first",
	    [JOURNAL_STUCK] = "could not be undone: 'bdp rollback' first",
	};
	if (problem[earlier->state] == NULL ||
	    netns_identity_compare(&earlier->netns, &work->journal.netns) == NETNS_OTHER)
		return true;
	return outcome_refuse(work->outcome, "apply %" PRIu32 " %s; nothing was written",
	    earlier->id, problem[earlier->state]);
}

/* Takes the number of an earlier step of the same sweep, of which nothing is left to take back. */
static bool continues(struct work *work)
{
	struct journal earlier;
	struct reason ignored;
	uint32_t id = work->request->continues;
	if (id == 0 || !store_load(&work->store, id, &earlier, &ignored) ||
	    earlier.state != JOURNAL_UNDONE || earlier.steps == 0 ||
	    store_guard_is_alive(&work->store, id))
		return false;
	work->journal.id = id;
	work->journal.steps = earlier.steps + 1;
	return true;
}

/* The next number, unless an earlier journal forbids any apply; one that cannot be read does too,
 * since it might be one that waits. */
static bool take_number(struct work *work)
{
	struct journal_ids ids;
	struct reason reason;
	struct journal earlier;
	bool good = store_ids(&work->store, &ids, &reason);
	if (good && ids.count >= STORE_JOURNALS_MAX) {
		/* Room counts more than what was done when: not even the newest ended ones are kept. */
		store_prune(&work->store, &work->journal.netns, 0);
		good = store_ids(&work->store, &ids, &reason);
	}
	for (size_t i = 0; i < ids.count && good; i++) {
		good = store_load(&work->store, ids.id[i], &earlier, &reason);
		if (good && !is_settled(work, &earlier))
			return false;
	}
	if (!good)
		return outcome_refuse(work->outcome, "%s; nothing was written", reason.text);
	if (ids.count > 0 && ids.id[ids.count - 1] == INT32_MAX)
		return outcome_refuse(
		    work->outcome, "the journals' numbers have run out; nothing was written");
	if (ids.count >= STORE_JOURNALS_MAX)
		return outcome_refuse(work->outcome,
		    "%zu applies can be taken back, and no more are kept: take some back ('bdp "
		    "rollback', 'bdp rollback --all'); nothing was written",
		    ids.count);
	if (!continues(work))
		work->journal.id = ids.count > 0 ? ids.id[ids.count - 1] + 1 : 1;
	return true;
}

/* Every file that will be written is opened now: a refusal shows while all is as it was. */
static bool open_settings(struct work *work)
{
	size_t refused = 0;
	for (size_t i = 0; i < work->plan->setting_count; i++) {
		struct outcome_setting *item = &work->outcome->settings[i];
		if (!is_to_do(work, i) || work->backend.prepare(&work->backend, item->id))
			continue;
		item->state = ITEM_REFUSED;
		refusal_text(&work->backend, item->id, &item->wanted, REFUSED_OPEN, errno,
		    item->why, sizeof(item->why));
		refused++;
	}
	if (refused > 0)
		outcome_refuse(work->outcome,
		    "%zu of %zu settings cannot be made: nothing was written", refused,
		    work->plan->setting_count);
	return refused == 0;
}

/* SUDO_USER is whatever the environment says: kept only when it looks like a name. */
static void copy_user(char *out, size_t size)
{
	const char *user = getenv("SUDO_USER");
	out[0] = '\0';
	if (user == NULL || strlen(user) >= size)
		return;
	for (const char *at = user; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("._@-", *at) == NULL)
			return;
	if (strcmp(user, "-") != 0)
		strlcpy(out, user, size);
}

/* Only what will be changed is in it, in the order of writing; the files after the settings. */
static void fill_journal(struct work *work)
{
	struct journal *journal = &work->journal;
	const struct kernel_io *io = work->tree.io;
	journal->state = JOURNAL_PENDING;
	if (work->request->is_step && journal->steps == 0)
		journal->steps = 1;
	journal->time_s = io->clock_ms(CLOCK_REALTIME) / 1000;
	journal->uid = getuid();
	journal->pid = getpid();
	copy_user(journal->user, sizeof(journal->user));
	journal->confirm_seconds = work->request->confirm_seconds;
	if (journal->confirm_seconds > 0)
		journal->deadline_ms =
		    io->clock_ms(CLOCK_BOOTTIME) + (int64_t)journal->confirm_seconds * 1000;
	for (size_t i = 0; i < work->plan->setting_count; i++) {
		if (!is_to_do(work, i))
			continue;
		journal->settings[journal->setting_count++] = (struct journal_setting){
		    .id = work->plan->settings[i].id,
		    .old = work->current[i],
		    .new = work->plan->settings[i].value,
		};
	}
	for (size_t i = 0; i < work->persist.count; i++) {
		const struct persist_file *file = &work->persist.files[i];
		if (!file->change)
			continue;
		work->saved[journal->file_count] =
		    (struct saved_copy){.text = file->old_text, .length = file->old_length};
		struct journal_file *entry = &journal->files[journal->file_count++];
		strlcpy(entry->path, file->path, sizeof(entry->path));
		entry->existed = file->existed;
		entry->mode = file->old_mode;
		entry->old_hash = file->existed ? text_hash(file->old_text, file->old_length) : 0;
		entry->new_hash = text_hash(file->text, file->length);
	}
}

/*
 * The point of no surprise: saved content, then the journal that names it, then the guard that will
 * read both.  Should any of it fail, nothing has been written yet, and nothing is left behind.
 */
static bool save_journal(struct work *work)
{
	struct reason reason;
	bool good = true;
	size_t saved = 0;
	for (size_t i = 0; i < work->persist.count && good; i++) {
		const struct persist_file *file = &work->persist.files[i];
		if (!file->change)
			continue;
		if (file->existed)
			good = store_keep(&work->store, work->journal.id, saved, file->old_text,
			    file->old_length, &reason);
		saved++;
	}
	good = good && store_save(&work->store, &work->journal, &reason);
	const struct guard_request guard = {.backend = &work->backend,
	    .store = &work->store,
	    .journal = &work->journal,
	    .saved = work->saved};
	if (good && work->journal.confirm_seconds > 0)
		good = guard_start(&guard, &work->leash, &reason);
	if (good)
		return true;
	outcome_refuse(work->outcome, "%s; nothing was written", reason.text);
	store_drop(&work->store, work->journal.id, &reason);
	return false;
}

/* ---- the whole of it ---- */

/* Until here a crash leaves "pending", and a rollback that takes even half a vector for ours. */
static bool settle_journal(struct work *work)
{
	struct reason reason;
	struct journal settled = work->journal;
	settled.state = settled.confirm_seconds > 0 ? JOURNAL_UNCONFIRMED : JOURNAL_APPLIED;
	if (store_save(&work->store, &settled, &reason))
		return true;
	return outcome_refuse(work->outcome, "%s", reason.text);
}

/* From the journal on there is something to take back. */
static void commit(struct work *work)
{
	fill_journal(work);
	if (!save_journal(work))
		return;
	if (!write_settings(work) || !write_files(work) || !settle_journal(work)) {
		take_back(work);
		return;
	}
	work->outcome->changed = true;
	work->outcome->journal = work->journal.id;
	work->outcome->confirm_seconds = work->journal.confirm_seconds;
	store_prune(&work->store, &work->journal.netns, STORE_KEEP_ENDED);
}

/* Everything that can be refused is refused in here, before commit() changes the first thing. */
static void set(struct work *work)
{
	const char *why;
	if (!tree_may_write(&work->tree, &why)) {
		outcome_refuse(work->outcome, "%s: nothing was written", why);
		return;
	}
	if (!netns_identity_read(&work->journal.netns, &work->tree)) {
		outcome_refuse(work->outcome,
		    "boot and network namespace cannot be told (%s): nothing was written",
		    strerror(errno));
		return;
	}
	if (!open_store(work))
		return;
	/* While the lock was waited for, somebody may have changed things. */
	if (!compare(work) || is_nothing_to_do(work))
		return;
	if (take_number(work) && open_settings(work))
		commit(work);
}

static void check(struct work *work)
{
	if (outcome_count_settings(work->outcome, ITEM_DIFFERS) +
		outcome_count_settings(work->outcome, ITEM_REFUSED) +
		outcome_count_files(work->outcome, ITEM_DIFFERS) >
	    0)
		work->outcome->exit = OUTCOME_DIFFERS;
}

/* Nothing was done because nothing was meant for this host: that is no success. */
static bool is_for_others(struct work *work)
{
	const struct outcome *outcome = work->outcome;
	if (outcome->setting_count == 0 ||
	    outcome_count_settings(outcome, ITEM_NOT_HERE) < outcome->setting_count)
		return false;
	outcome_refuse(work->outcome,
	    "nothing in the plan is for the %s, which this host is taken to be: if it is another, say "
	    "so with --role",
	    role_name(work->request->role));
	return true;
}

/* Set now, and told; but whoever asked for a file that holds has not got one. */
static void fail_unlasting(struct work *work)
{
	struct outcome *outcome = work->outcome;
	if (!work->persist.overridden || outcome->exit != OUTCOME_DONE)
		return;
	outcome->not_lasting = true;
	outcome_fail(outcome,
	    work->request->mode == APPLY_CHECK ? OUTCOME_DIFFERS : OUTCOME_INCOMPLETE,
	    "%s will not hold at the next boot: something sets another value after it, see below",
	    work->request->persist);
}

static void run(struct work *work)
{
	if (!choose(work))
		return;
	bool good = compare(work);
	if (work->request->mode == APPLY_CHECK) {
		if (!is_for_others(work))
			check(work);
	} else if (good && !is_for_others(work) && !is_nothing_to_do(work)) {
		if (work->request->mode == APPLY_SET)
			set(work);
		else if (write_settings(work))
			write_files(work);
	}
	fail_unlasting(work);
}

void apply_run(const struct apply_request *request, struct outcome *outcome)
{
	struct work work = {
	    .request = request,
	    .plan = request->plan,
	    .outcome = outcome,
	    .store = {.dir = -1, .lock = -1},
	    .leash = -1,
	};
	sigset_t before;
	outcome->dry_run = request->mode == APPLY_DRY_RUN;
	if (!tree_open(&work.tree, request->io, request->sysroot)) {
		outcome_fail(outcome, OUTCOME_SYSTEM, "%s: %s",
		    request->sysroot != NULL ? request->sysroot : "/", strerror(errno));
		return;
	}
	/* A dry run goes the same way, on a backend that only remembers. */
	if (request->mode == APPLY_SET)
		backend_proc(&work.backend, &work.tree);
	else
		backend_null(&work.backend, &work.tree);
	critical_begin(&before);
	run(&work);
	critical_end(&before);
	if (work.leash >= 0)
		close(work.leash);
	persist_free(&work.persist);
	backend_close(&work.backend);
	store_close(&work.store);
	tree_close(&work.tree);
}
