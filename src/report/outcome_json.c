#include "report/outcome_json.h"

#include <inttypes.h>
#include <time.h>

#include "base/json_out.h"

/* Stable words for programs; what people read may change (item_state_name). */
static const char *const states[ITEM_STATES] = {
    [ITEM_NOT_TRIED] = "not-tried",
    [ITEM_ALREADY] = "already",
    [ITEM_SET] = "set",
    [ITEM_WOULD_SET] = "would-set",
    [ITEM_DIFFERS] = "differs",
    [ITEM_NOT_HERE] = "not-here",
    [ITEM_REFUSED] = "refused",
    [ITEM_FAILED] = "failed",
    [ITEM_UNDONE] = "undone",
    [ITEM_STUCK] = "stuck",
    [ITEM_RESTORED] = "restored",
    [ITEM_WOULD_RESTORE] = "would-restore",
    [ITEM_REMOVED] = "removed",
    [ITEM_WOULD_REMOVE] = "would-remove",
    [ITEM_CHANGED_SINCE] = "changed-since",
    [ITEM_NOT_AS_SET] = "not-as-set",
};

static void put_id(struct json_out *out, const char *key, uint32_t id)
{
	if (id == 0)
		json_out_null(out, key);
	else
		json_out_uint(out, key, id);
}

static void put_text(struct json_out *out, const char *key, const char *text)
{
	json_out_string(out, key, text[0] != '\0' ? text : NULL);
}

static void put_value(
    struct json_out *out, const char *key, enum tunable_id id, const struct tunable_value *value)
{
	char text[256];
	json_out_string(
	    out, key, value->known ? tunable_value_text(id, value, text, sizeof(text)) : NULL);
}

static void put_settings(struct json_out *out, const struct outcome *outcome)
{
	json_out_array(out, "settings");
	for (size_t i = 0; i < outcome->setting_count; i++) {
		const struct outcome_setting *item = &outcome->settings[i];
		json_out_object(out, NULL);
		json_out_string(out, "key", tunables[item->id].key);
		json_out_string(
		    out, "host", item->host != ROLE_UNKNOWN ? role_name(item->host) : NULL);
		json_out_string(out, "state", states[item->state]);
		put_value(out, "before", item->id, &item->before);
		put_value(out, "wanted", item->id, &item->wanted);
		put_value(out, "after", item->id, &item->after);
		put_id(out, "journal", item->journal);
		put_text(out, "why", item->why);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void put_files(struct json_out *out, const struct outcome *outcome)
{
	json_out_array(out, "files");
	for (size_t i = 0; i < outcome->file_count; i++) {
		const struct outcome_file *item = &outcome->files[i];
		json_out_object(out, NULL);
		json_out_string(out, "path", item->path);
		json_out_string(out, "state", states[item->state]);
		put_id(out, "journal", item->journal);
		put_text(out, "why", item->why);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

/* Seconds since 1970, as a time of day that every program reads (RFC 3339). */
static void put_time(struct json_out *out, const char *key, int64_t time_s)
{
	char text[32];
	time_t time = (time_t)time_s;
	struct tm utc;
	if (time_s > 0 && gmtime_r(&time, &utc) != NULL &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
		json_out_string(out, key, text);
	else
		json_out_null(out, key);
}

static void put_changes(struct json_out *out, const struct journal *journal)
{
	json_out_array(out, "changes");
	for (size_t i = 0; i < journal->setting_count; i++) {
		const struct journal_setting *setting = &journal->settings[i];
		json_out_object(out, NULL);
		json_out_string(out, "key", tunables[setting->id].key);
		put_value(out, "old", setting->id, &setting->old);
		put_value(out, "new", setting->id, &setting->new);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static const char *ender(const struct journal *journal)
{
	static const char *const enders[JOURNAL_ENDERS] = {
	    [ENDED_BY_ROLLBACK] = "rollback",
	    [ENDED_BY_GUARD] = "guard",
	    [ENDED_BY_CONFIRM] = "confirm",
	};
	return enders[journal->ended_by];
}

/* A journal that cannot be read has its number and what is wrong, and null for the rest. */
static void put_journal(struct json_out *out, const struct outcome_journal *item)
{
	const struct journal *journal = &item->journal;
	bool timed = !item->damaged && item->here && journal->state == JOURNAL_UNCONFIRMED;
	json_out_object(out, NULL);
	json_out_uint(out, "id", item->id);
	put_text(out, "damage", item->damage);
	json_out_string(out, "state",
	    item->damaged   ? NULL
	    : item->at_work ? "at-work"
			    : journal_state_name(journal->state));
	put_time(out, "time", item->damaged ? 0 : journal->time_s);
	put_text(out, "user", item->damaged ? "" : journal->user);
	if (item->damaged)
		json_out_null(out, "here");
	else
		json_out_bool(out, "here", item->here);
	if (timed && item->guarded)
		json_out_number(out, "seconds_left", (double)item->seconds_left);
	else
		json_out_null(out, "seconds_left");
	json_out_string(out, "ended_by", item->damaged ? NULL : ender(journal));
	put_time(out, "ended", item->damaged ? 0 : journal->ended_s);
	put_id(out, "steps", item->damaged ? 0 : journal->steps);
	json_out_uint(out, "left", item->damaged ? 0 : journal->left);
	put_changes(out, journal);
	json_out_end_object(out);
}

static void put_journals(struct json_out *out, const struct outcome *outcome)
{
	json_out_array(out, "journals");
	for (size_t i = 0; i < outcome->journal_count; i++)
		put_journal(out, &outcome->journals[i]);
	json_out_end_array(out);
}

bool outcome_json(
    const struct outcome *outcome, const char *what, const char *version, FILE *stream)
{
	struct json_out out;
	json_out_begin(&out, stream, false);
	json_out_object(&out, NULL);
	json_out_string(&out, "schema", "bdp-apply/1");
	json_out_string(&out, "version", version);
	json_out_string(&out, "verb", what);
	json_out_uint(&out, "exit", (uint64_t)outcome->exit);
	put_text(&out, "message", outcome->message);
	json_out_bool(&out, "dry_run", outcome->dry_run);
	json_out_bool(&out, "changed", outcome->changed);
	json_out_bool(&out, "lasting", !outcome->not_lasting);
	put_id(&out, "journal", outcome->journal);
	put_id(&out, "confirm_seconds", outcome->confirm_seconds);
	put_settings(&out, outcome);
	put_files(&out, outcome);
	put_journals(&out, outcome);
	json_out_array(&out, "notes");
	for (size_t i = 0; i < outcome->note_count; i++)
		json_out_string(&out, NULL, outcome->notes[i]);
	json_out_end_array(&out);
	json_out_end_object(&out);
	return json_out_finish(&out);
}
