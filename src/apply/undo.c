#include "apply/undo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apply/refusal.h"

/* A vector of which a refused write changed a part: each element is one of the two. */
static bool is_mixture(const struct journal_setting *setting, const struct tunable_value *found)
{
	if (tunables[setting->id].kind != TUNABLE_VECTOR3)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (found->number[i] != setting->old.number[i] &&
		    found->number[i] != setting->new.number[i])
			return false;
	return true;
}

/* Only an apply that was cut short, or an undo that failed, leaves half of a vector. */
static bool is_ours(const struct journal *journal, const struct journal_setting *setting,
    const struct tunable_value *found)
{
	if (tunable_value_equal(setting->id, found, &setting->new))
		return true;
	return (journal->state == JOURNAL_PENDING || journal->state == JOURNAL_STUCK) &&
	       is_mixture(setting, found);
}

/* The one case that needs a person: the command that brings the old value back is spelt out. */
static void explain_stuck(struct backend *backend, const struct journal_setting *setting, int error,
    struct outcome_setting *item)
{
	char old[220], reason[240] = "it reads back otherwise";
	if (error != 0)
		refusal_text(backend, setting->id, &setting->old, REFUSED_WRITE, error, reason,
		    sizeof(reason));
	snprintf(item->why, sizeof(item->why), "%s; by hand: sysctl -w %s=\"%s\"", reason,
	    tunables[setting->id].key,
	    tunable_value_text(setting->id, &setting->old, old, sizeof(old)));
}

/* It is somebody else's now; whoever wants the old one all the same reads how. */
static void explain_left(const struct journal_setting *setting, struct outcome_setting *item)
{
	char old[220], new[220];
	item->state = ITEM_CHANGED_SINCE;
	snprintf(item->why, sizeof(item->why),
	    "bdp had set %s; left as it is; by hand: sysctl -w %s=\"%s\"",
	    tunable_value_text(setting->id, &setting->new, new, sizeof(new)),
	    tunables[setting->id].key,
	    tunable_value_text(setting->id, &setting->old, old, sizeof(old)));
}

/* A value that is old already needs nothing: so an undo that was cut short can be repeated. */
static enum undo_result undo_setting(struct backend *backend, const struct journal *journal,
    const struct journal_setting *setting, enum undo_force force, struct outcome *outcome)
{
	struct outcome_setting *item = outcome_add_setting(outcome);
	item->id = setting->id;
	item->journal = journal->id;
	item->wanted = setting->old;
	bool known = backend->read(backend, setting->id, &item->before);
	int error = known ? 0 : errno;
	item->after = item->before;
	if (known && tunable_value_equal(setting->id, &item->before, &setting->old)) {
		item->state = ITEM_ALREADY;
		return UNDO_ALL;
	}
	if (known && force == UNDO_OURS && !is_ours(journal, setting, &item->before)) {
		explain_left(setting, item);
		return UNDO_LEFT;
	}
	/* A failed restore falls back to the old value too: there is nothing better to go to. */
	enum put_result result = PUT_STUCK;
	if (known)
		result = backend_put(
		    backend, setting->id, &setting->old, &setting->old, &item->after, &error);
	if (result == PUT_DONE ||
	    (known && tunable_value_equal(setting->id, &item->after, &setting->old))) {
		item->state = backend->writes ? ITEM_RESTORED : ITEM_WOULD_RESTORE;
		backend->changed = true;
		return UNDO_ALL;
	}
	item->state = ITEM_STUCK;
	explain_stuck(backend, setting, error, item);
	return UNDO_STUCK;
}

/* Brings the kept content back, or removes a file that was not there. */
static bool restore_file(struct backend *backend, const struct store *store,
    const struct saved_copy *saved, const struct journal *journal, size_t index)
{
	const struct journal_file *file = &journal->files[index];
	if (!file->existed)
		return backend->file_write(backend, file->path, NULL, 0, 0);
	static char stored[PERSIST_FILE_MAX];
	const char *text = stored;
	ssize_t length;
	if (saved != NULL) {
		text = saved[index].text;
		length = (ssize_t)saved[index].length;
	} else {
		length = store_saved_copy(store, journal->id, index, stored, sizeof(stored));
	}
	if (length < 0)
		return false;
	if (text_hash(text, (size_t)length) != file->old_hash) {
		errno = EBADMSG;
		return false;
	}
	return backend->file_write(backend, file->path, text, (size_t)length, file->mode);
}

/* What is done to a file: it gets its old content, or is removed as it was not there before. */
static enum item_state restored_state(const struct backend *backend, bool existed)
{
	if (existed)
		return backend->writes ? ITEM_RESTORED : ITEM_WOULD_RESTORE;
	return backend->writes ? ITEM_REMOVED : ITEM_WOULD_REMOVE;
}

/* By content, not by time: a file written again with the same bytes is still ours. */
static enum undo_result undo_file(struct backend *backend, const struct store *store,
    const struct saved_copy *saved, const struct journal *journal, size_t index,
    enum undo_force force, struct outcome *outcome)
{
	const struct journal_file *file = &journal->files[index];
	struct outcome_file *item = outcome_add_file(outcome, file->path);
	item->journal = journal->id;
	struct file_state now;
	if (!backend->file_read(backend, file->path, &now)) {
		item->state = ITEM_STUCK;
		snprintf(item->why, sizeof(item->why), "%s", strerror(errno));
		return UNDO_STUCK;
	}
	if (now.exists == file->existed && (!now.exists || now.hash == file->old_hash)) {
		item->state = ITEM_ALREADY;
		return UNDO_ALL;
	}
	if (force == UNDO_OURS && (!now.exists || now.hash != file->new_hash)) {
		item->state = ITEM_CHANGED_SINCE;
		snprintf(item->why, sizeof(item->why),
		    "it was changed or removed since bdp wrote it: left as it is");
		return UNDO_LEFT;
	}
	if (!restore_file(backend, store, saved, journal, index)) {
		item->state = ITEM_STUCK;
		snprintf(item->why, sizeof(item->why), "%s",
		    errno == EBADMSG ? "what was kept of it is damaged" : strerror(errno));
		return UNDO_STUCK;
	}
	item->state = restored_state(backend, file->existed);
	backend->changed = true;
	return UNDO_ALL;
}

static enum undo_result worse(enum undo_result a, enum undo_result b)
{
	return a > b ? a : b;
}

enum undo_result undo_journal(struct backend *backend, const struct store *store,
    const struct saved_copy *saved, const struct journal *journal, enum undo_force force,
    struct outcome *outcome)
{
	enum undo_result result = UNDO_ALL;
	for (size_t i = journal->file_count; i-- > 0;)
		result =
		    worse(result, undo_file(backend, store, saved, journal, i, force, outcome));
	for (size_t i = journal->setting_count; i-- > 0;)
		result = worse(
		    result, undo_setting(backend, journal, &journal->settings[i], force, outcome));
	return result;
}

uint32_t undo_left_count(const struct outcome *outcome, uint32_t journal)
{
	uint32_t count = 0;
	for (size_t i = 0; i < outcome->setting_count; i++)
		count += outcome->settings[i].journal == journal &&
			 outcome->settings[i].state == ITEM_CHANGED_SINCE;
	for (size_t i = 0; i < outcome->file_count; i++)
		count += outcome->files[i].journal == journal &&
			 outcome->files[i].state == ITEM_CHANGED_SINCE;
	return count;
}
