#include "apply/journal.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apply/backend.h"
#include "apply/outcome.h"
#include "apply/refusal.h"
#include "apply/store.h"

static const char *const first_lines[] = {"bdp-journal 1", "bdp-journal 2"};
#define VERSIONS (sizeof(first_lines) / sizeof(first_lines[0]))

static const char *const state_names[JOURNAL_STATES] = {
    [JOURNAL_PENDING] = "pending",
    [JOURNAL_UNCONFIRMED] = "unconfirmed",
    [JOURNAL_APPLIED] = "applied",
    [JOURNAL_STUCK] = "stuck",
    [JOURNAL_UNDONE] = "undone",
};

static const char *const ender_names[JOURNAL_ENDERS] = {
    [ENDED_NOT] = "-",
    [ENDED_BY_ROLLBACK] = "rollback",
    [ENDED_BY_GUARD] = "guard",
    [ENDED_BY_CONFIRM] = "confirm",
};

const char *journal_state_name(enum journal_state state)
{
	return state_names[state];
}

bool journal_is_active(const struct journal *journal)
{
	return journal->state != JOURNAL_UNDONE;
}

/* ---- writing ---- */

struct writer {
	char *text;
	size_t used;
};

static void put_line(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_line(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(
	    writer->text + writer->used, JOURNAL_TEXT_MAX - writer->used, format, arguments);
	va_end(arguments);
	/* Sixteen settings of two 200-byte values and two files stay far below the maximum. */
	if (length > 0 && writer->used + (size_t)length < JOURNAL_TEXT_MAX)
		writer->used += (size_t)length;
}

size_t journal_text(const struct journal *journal, char text[JOURNAL_TEXT_MAX])
{
	struct writer writer = {.text = text};
	const struct netns_identity *netns = &journal->netns;
	put_line(&writer, "%s\nid %" PRIu32 "\nstate %s\ntime %" PRId64 "\n",
	    first_lines[VERSIONS - 1], journal->id, state_names[journal->state], journal->time_s);
	put_line(&writer, "boot %s\nnetns %" PRIu64 "\ncookie %" PRIu64 "\n",
	    netns->boot_id[0] != '\0' ? netns->boot_id : "-", netns->netns, netns->cookie);
	put_line(&writer, "uid %" PRIu32 "\nuser %s\npid %" PRId32 "\n", journal->uid,
	    journal->user[0] != '\0' ? journal->user : "-", journal->pid);
	put_line(&writer,
	    "confirm %" PRIu32 "\ndeadline %" PRId64 "\nended-by %s\nended %" PRId64 "\n",
	    journal->confirm_seconds, journal->deadline_ms, ender_names[journal->ended_by],
	    journal->ended_s);
	put_line(&writer, "steps %" PRIu32 "\nleft %" PRIu32 "\n", journal->steps, journal->left);
	char value[220];
	put_line(&writer, "settings %zu\n", journal->setting_count);
	for (size_t i = 0; i < journal->setting_count; i++) {
		const struct journal_setting *setting = &journal->settings[i];
		put_line(&writer, "key %s\n", tunables[setting->id].key);
		put_line(&writer, "old %s\n",
		    tunable_value_text(setting->id, &setting->old, value, sizeof(value)));
		put_line(&writer, "new %s\n",
		    tunable_value_text(setting->id, &setting->new, value, sizeof(value)));
	}
	put_line(&writer, "files %zu\n", journal->file_count);
	for (size_t i = 0; i < journal->file_count; i++) {
		const struct journal_file *file = &journal->files[i];
		put_line(&writer, "file %s\n", file->path);
		put_line(&writer, "was %s %04o %016" PRIx64 "\n", file->existed ? "file" : "absent",
		    file->mode, file->old_hash);
		put_line(&writer, "now %016" PRIx64 "\n", file->new_hash);
	}
	put_line(&writer, "end %016" PRIx64 "\n", text_hash(text, writer.used));
	return writer.used;
}

/* ---- reading ---- */

/* Lines come in one order only, so reading is taking them one by one. */
struct reader {
	const char *at, *end;
	size_t version;
	bool bad;
	char line[512]; /* what follows the word asked for */
};

static const char *take(struct reader *reader, const char *word)
{
	reader->line[0] = '\0';
	size_t length = strlen(word);
	const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
	if (reader->bad || newline == NULL || (size_t)(newline - reader->at) <= length ||
	    memcmp(reader->at, word, length) != 0 || reader->at[length] != ' ') {
		reader->bad = true;
		return reader->line;
	}
	const char *rest = reader->at + length + 1;
	size_t size = (size_t)(newline - rest);
	if (size >= sizeof(reader->line) || memchr(rest, '\0', size) != NULL) {
		reader->bad = true;
		return reader->line;
	}
	memcpy(reader->line, rest, size);
	reader->line[size] = '\0';
	reader->at = newline + 1;
	return reader->line;
}

static int64_t take_number(struct reader *reader, const char *word, int64_t min, int64_t max)
{
	const char *problem;
	int64_t number = strtonum(take(reader, word), min, max, &problem);
	if (problem != NULL)
		reader->bad = true;
	return number;
}

static unsigned take_name(
    struct reader *reader, const char *word, const char *const names[], unsigned count)
{
	const char *name = take(reader, word);
	for (unsigned i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	reader->bad = true;
	return 0;
}

static void take_text(struct reader *reader, const char *word, char *out, size_t size)
{
	const char *text = take(reader, word);
	if (strlcpy(out, strcmp(text, "-") == 0 ? "" : text, size) >= size)
		reader->bad = true;
}

static void take_setting(struct reader *reader, struct journal_setting *setting)
{
	setting->id = tunable_find(take(reader, "key"));
	if (setting->id == TUNABLE_COUNT || tunables[setting->id].access != TUNABLE_WRITABLE) {
		setting->id = 0;
		reader->bad = true;
		return;
	}
	if (!tunable_value_parse(setting->id, take(reader, "old"), &setting->old) ||
	    !tunable_value_parse(setting->id, take(reader, "new"), &setting->new))
		reader->bad = true;
}

/* A path of plain components: what is restored is never outside the tree. */
static bool path_is_plain(const char *path)
{
	for (const char *part = path;; part++) {
		size_t length = strcspn(part, "/");
		if (length == 0 || strncmp(part, "..", length) == 0)
			return false;
		part += length;
		if (*part == '\0')
			return true;
	}
}

static void take_file(struct reader *reader, struct journal_file *file)
{
	char kind[8];
	int used = -1;
	take_text(reader, "file", file->path, sizeof(file->path));
	if (!path_is_plain(file->path))
		reader->bad = true;
	const char *was = take(reader, "was");
	if (sscanf(was, "%7s %4o %16" SCNx64 "%n", kind, &file->mode, &file->old_hash, &used) !=
		3 ||
	    was[used] != '\0' || file->mode > 07777 ||
	    (strcmp(kind, "file") != 0 && strcmp(kind, "absent") != 0))
		reader->bad = true;
	else
		file->existed = kind[0] == 'f';
	const char *now = take(reader, "now");
	used = -1;
	if (sscanf(now, "%16" SCNx64 "%n", &file->new_hash, &used) != 1 || now[used] != '\0')
		reader->bad = true;
}

static void take_head(struct reader *reader, struct journal *journal)
{
	journal->id = (uint32_t)take_number(reader, "id", 1, INT32_MAX);
	journal->state =
	    (enum journal_state)take_name(reader, "state", state_names, JOURNAL_STATES);
	journal->time_s = take_number(reader, "time", 0, INT64_MAX);
	take_text(reader, "boot", journal->netns.boot_id, sizeof(journal->netns.boot_id));
	journal->netns.netns = (uint64_t)take_number(reader, "netns", 0, INT64_MAX);
	if (reader->version > 1)
		journal->netns.cookie = (uint64_t)take_number(reader, "cookie", 0, INT64_MAX);
	journal->uid = (uint32_t)take_number(reader, "uid", 0, UINT32_MAX);
	take_text(reader, "user", journal->user, sizeof(journal->user));
	journal->pid = (int32_t)take_number(reader, "pid", 0, INT32_MAX);
	journal->confirm_seconds = (uint32_t)take_number(reader, "confirm", 0, INT32_MAX);
	journal->deadline_ms = take_number(reader, "deadline", 0, INT64_MAX);
	journal->ended_by =
	    (enum journal_ender)take_name(reader, "ended-by", ender_names, JOURNAL_ENDERS);
	journal->ended_s = take_number(reader, "ended", 0, INT64_MAX);
	if (reader->version > 1) {
		journal->steps = (uint32_t)take_number(reader, "steps", 0, INT32_MAX);
		journal->left = (uint32_t)take_number(reader, "left", 0, INT32_MAX);
	}
}

/* The checksum is looked at before anything else is believed. */
static const char *seal_problem(const char *text, size_t length)
{
	static const char end[] = "\nend ";
	const size_t seal = sizeof(end) - 1 + 16 + 1;
	if (length == 0)
		return "it is empty";
	if (length < seal || text[length - 1] != '\n' ||
	    memcmp(text + length - seal, end, sizeof(end) - 1) != 0)
		return "it is cut short: its last line is missing";
	char wanted[17];
	size_t sealed = length - seal + 1;
	snprintf(wanted, sizeof(wanted), "%016" PRIx64, text_hash(text, sealed));
	if (memcmp(text + length - 17, wanted, 16) != 0)
		return "it is damaged: its checksum does not match";
	return NULL;
}

/* From 1; 0 when it is none that this bdp knows. */
static size_t version_of(const char *text, size_t length)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		size_t first = strlen(first_lines[i]);
		if (length > first && memcmp(text, first_lines[i], first) == 0 &&
		    text[first] == '\n')
			return i + 1;
	}
	return 0;
}

bool journal_parse(struct journal *journal, const char *text, size_t length, const char **why)
{
	*journal = (struct journal){0};
	*why = seal_problem(text, length);
	if (*why != NULL)
		return false;
	size_t version = version_of(text, length);
	if (version == 0) {
		*why = "it is of another version of bdp";
		return false;
	}
	struct reader reader = {.at = text + strlen(first_lines[version - 1]) + 1,
	    .end = text + length,
	    .version = version};
	take_head(&reader, journal);
	journal->setting_count = (size_t)take_number(&reader, "settings", 0, PLAN_SETTINGS_MAX);
	for (size_t i = 0; i < journal->setting_count && !reader.bad; i++)
		take_setting(&reader, &journal->settings[i]);
	journal->file_count = (size_t)take_number(&reader, "files", 0, JOURNAL_FILES_MAX);
	for (size_t i = 0; i < journal->file_count && !reader.bad; i++)
		take_file(&reader, &journal->files[i]);
	take(&reader, "end");
	if (reader.bad || reader.at != reader.end) {
		*why = "it is damaged: a line is not what bdp writes";
		return false;
	}
	return true;
}

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
