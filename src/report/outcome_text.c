#include "report/outcome_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "report/layout.h"

#define WIDTH 80

void outcome_text_wrapped(FILE *stream, unsigned indent, const char *text)
{
	fprintf(stream, "%*s", (int)indent, "");
	layout_paragraph(stream, WIDTH, indent, NULL, text);
}

/* "3 settings and 1 file": what is in a state, or in either of two. */
static const char *count_text(
    const struct outcome *outcome, enum item_state state, enum item_state other, char out[64])
{
	size_t settings = 0, files = 0;
	for (size_t i = 0; i < outcome->setting_count; i++)
		settings +=
		    outcome->settings[i].state == state || outcome->settings[i].state == other;
	for (size_t i = 0; i < outcome->file_count; i++)
		files += outcome->files[i].state == state || outcome->files[i].state == other;
	int length = 0;
	out[0] = '\0';
	if (settings > 0)
		length = snprintf(out, 64, "%zu setting%s", settings, settings == 1 ? "" : "s");
	if (files > 0)
		snprintf(out + length, 64 - (size_t)length, "%s%zu file%s",
		    settings > 0 ? " and " : "", files, files == 1 ? "" : "s");
	return out;
}

static void answer_apply(const struct outcome *outcome, FILE *stream)
{
	char count[64];
	if (outcome->exit != OUTCOME_DONE && !outcome->not_lasting)
		fprintf(stream, "%s\n",
		    outcome->changed ? "NOT APPLIED, AND NOT ALL OF IT COULD BE UNDONE"
				     : "not applied");
	else if (count_text(outcome, ITEM_WOULD_SET, ITEM_WOULD_SET, count)[0] != '\0')
		fprintf(stream, "would change %s; nothing was written\n", count);
	else if (count_text(outcome, ITEM_SET, ITEM_SET, count)[0] == '\0')
		fprintf(stream, "everything is already so: nothing was written\n");
	else if (outcome->confirm_seconds > 0)
		fprintf(stream,
		    "set and verified as apply %" PRIu32
		    ": undone in %u s unless kept by: bdp confirm\n",
		    outcome->journal, outcome->confirm_seconds);
	else
		fprintf(stream,
		    "set and verified as apply %" PRIu32 "; taken back by: bdp rollback\n",
		    outcome->journal);
}

static bool has_state(const struct outcome *outcome, enum item_state state)
{
	char count[64];
	return count_text(outcome, state, state, count)[0] != '\0';
}

/* "would restore 2 settings, remove 1 file" */
static void put_would(const struct outcome *outcome, FILE *stream)
{
	char back[64], gone[64];
	count_text(outcome, ITEM_WOULD_RESTORE, ITEM_WOULD_RESTORE, back);
	count_text(outcome, ITEM_WOULD_REMOVE, ITEM_WOULD_REMOVE, gone);
	fprintf(stream, "would %s%s%s%s%s; nothing was written\n",
	    back[0] != '\0' ? "restore " : "", back, back[0] != '\0' && gone[0] != '\0' ? ", " : "",
	    gone[0] != '\0' ? "remove " : "", gone);
}

/* "rolled back: 2 settings restored and verified, 1 file removed, 1 setting left" */
static void put_done(const struct outcome *outcome, FILE *stream)
{
	char back[64], gone[64], left[64];
	count_text(outcome, ITEM_RESTORED, ITEM_RESTORED, back);
	count_text(outcome, ITEM_REMOVED, ITEM_REMOVED, gone);
	count_text(outcome, ITEM_CHANGED_SINCE, ITEM_CHANGED_SINCE, left);
	fprintf(stream, "rolled back%s: %s%s%s%s%s", left[0] != '\0' ? " in part" : "", back,
	    back[0] != '\0' ? " restored and verified" : "",
	    back[0] != '\0' && gone[0] != '\0' ? ", " : "", gone,
	    gone[0] != '\0' ? " removed" : "");
	if (left[0] != '\0')
		fprintf(stream, ", %s left as somebody changed it since", left);
	fputc('\n', stream);
}

static void answer_rollback(const struct outcome *outcome, FILE *stream)
{
	if (outcome->setting_count + outcome->file_count == 0)
		return;
	if (has_state(outcome, ITEM_STUCK))
		fprintf(stream, "%s\n",
		    outcome->changed ? "NOT ALL OF IT WAS RESTORED" : "not rolled back");
	else if (has_state(outcome, ITEM_WOULD_RESTORE) || has_state(outcome, ITEM_WOULD_REMOVE))
		put_would(outcome, stream);
	else if (has_state(outcome, ITEM_RESTORED) || has_state(outcome, ITEM_REMOVED))
		put_done(outcome, stream);
	else if (has_state(outcome, ITEM_CHANGED_SINCE))
		fprintf(stream, "nothing restored: all of it was changed since by somebody else\n");
	else
		fprintf(stream, "rolled back: everything was as before already\n");
}

static void answer_check(const struct outcome *outcome, FILE *stream)
{
	char count[64];
	if (count_text(outcome, ITEM_DIFFERS, ITEM_REFUSED, count)[0] == '\0')
		fprintf(stream, "everything is as the plan says\n");
	else
		fprintf(stream, "not as the plan says: %s\n", count);
}

/* How the values of a setting are told, by state. */
static void values_text(const struct outcome_setting *item, char *out, size_t size)
{
	char before[220], wanted[220], after[220];
	tunable_value_text(item->id, &item->before, before, sizeof(before));
	tunable_value_text(item->id, &item->wanted, wanted, sizeof(wanted));
	tunable_value_text(item->id, &item->after, after, sizeof(after));
	if (item->state == ITEM_NOT_HERE)
		snprintf(out, size, "%s", wanted);
	else if (!item->before.known)
		snprintf(out, size, "(wanted: %s)", wanted);
	else if (item->state == ITEM_ALREADY)
		snprintf(out, size, "%s", before);
	else if (item->state == ITEM_STUCK)
		snprintf(out, size, "is %s, should be %s", item->after.known ? after : "unknown",
		    before);
	else if (item->state == ITEM_CHANGED_SINCE)
		snprintf(out, size, "%s (before bdp: %s)", before, wanted);
	else if (item->state == ITEM_NOT_AS_SET)
		snprintf(out, size, "%s (set: %s)", before, wanted);
	else if (item->state == ITEM_FAILED || item->state == ITEM_UNDONE)
		snprintf(out, size, "%s (wanted: %s)", item->after.known ? after : before, wanted);
	else
		snprintf(out, size, "%s -> %s", before, wanted);
}

/* Widths of the columns, over all items; values go below where one would not fit beside. */
struct columns {
	int key, state;
	bool values_below;
};

#define VALUES_SIZE 720

static void widen(int *width, size_t length)
{
	if ((int)length > *width && length < 64)
		*width = (int)length;
}

static struct columns columns_of(const struct outcome *outcome)
{
	struct columns columns = {0};
	char values[VALUES_SIZE];
	size_t widest = 0;
	for (size_t i = 0; i < outcome->setting_count; i++) {
		widen(&columns.key, strlen(tunables[outcome->settings[i].id].key));
		widen(&columns.state, strlen(item_state_name(outcome->settings[i].state)));
		values_text(&outcome->settings[i], values, sizeof(values));
		widest = strlen(values) > widest ? strlen(values) : widest;
	}
	for (size_t i = 0; i < outcome->file_count; i++)
		widen(&columns.key, strlen(outcome->files[i].path));
	columns.values_below =
	    2 + (size_t)columns.key + 2 + (size_t)columns.state + 2 + widest > WIDTH;
	return columns;
}

static void put_setting(
    const struct outcome_setting *item, const struct columns *columns, FILE *stream)
{
	char values[VALUES_SIZE];
	values_text(item, values, sizeof(values));
	const char *key = tunables[item->id].key, *state = item_state_name(item->state);
	if (columns->values_below)
		fprintf(stream, "  %-*s  %s\n      %s\n", columns->key, key, state, values);
	else
		fprintf(
		    stream, "  %-*s  %-*s  %s\n", columns->key, key, columns->state, state, values);
	if (item->state == ITEM_NOT_HERE) {
		fprintf(stream, "      on the %s: sudo sysctl -w %s=\"%s\"\n",
		    role_name(item->host), tunables[item->id].key, values);
		return;
	}
	if (item->why[0] != '\0')
		outcome_text_wrapped(stream, 6, item->why);
}

static void put_items(const struct outcome *outcome, FILE *stream)
{
	struct columns columns = columns_of(outcome);
	for (size_t i = 0; i < outcome->setting_count; i++)
		put_setting(&outcome->settings[i], &columns, stream);
	for (size_t i = 0; i < outcome->file_count; i++) {
		const struct outcome_file *item = &outcome->files[i];
		fprintf(stream, "  %-*s  %s\n", columns.key, item->path,
		    item->state == ITEM_SET ? "written" : item_state_name(item->state));
		if (item->why[0] != '\0')
			outcome_text_wrapped(stream, 6, item->why);
	}
}

/* A setting that counts for new connections only has been changed (include/net/tcp.h: the window
 * scale is chosen in the handshake; tcp_ca_openreq_child: a connection keeps its algorithm). */
static bool is_for_new_connections(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->setting_count; i++) {
		const struct outcome_setting *item = &outcome->settings[i];
		if (item->state == ITEM_SET &&
		    (item->id == TUNABLE_TCP_RMEM || item->id == TUNABLE_TCP_CONGESTION_CONTROL))
			return true;
	}
	return false;
}

bool outcome_text(const struct outcome *outcome, enum outcome_of what, FILE *stream)
{
	static void (*const answers[])(const struct outcome *, FILE *) = {
	    [OUTCOME_OF_APPLY] = answer_apply,
	    [OUTCOME_OF_CHECK] = answer_check,
	    [OUTCOME_OF_ROLLBACK] = answer_rollback,
	};
	if (what == OUTCOME_OF_CONFIRM) {
		if (outcome->exit == OUTCOME_DONE)
			fprintf(stream, "%s\n", outcome->message);
		else if (outcome->setting_count + outcome->file_count > 0)
			fprintf(stream, "kept, but NOT AS IT WAS SET\n");
	} else {
		answers[what](outcome, stream);
	}
	put_items(outcome, stream);
	if (is_for_new_connections(outcome))
		outcome_text_wrapped(stream, 0,
		    "Connections that are open keep their window scale and congestion control; those "
		    "opened from now on have the new ones.");
	for (size_t i = 0; i < outcome->note_count; i++)
		outcome_text_wrapped(stream, 0, outcome->notes[i]);
	return !ferror(stream);
}

static void put_journal_state(const struct outcome_journal *item, FILE *stream)
{
	const struct journal *journal = &item->journal;
	if (journal->state == JOURNAL_UNCONFIRMED && item->here && item->guarded)
		fprintf(stream, "undone in %" PRId64 " s unless confirmed",
		    item->seconds_left > 0 ? item->seconds_left : 0);
	else if (journal->state == JOURNAL_UNCONFIRMED && item->here)
		fprintf(stream, "unconfirmed, and its guard is gone");
	else if (item->at_work)
		fprintf(stream, "at work");
	else if (journal->state == JOURNAL_PENDING)
		fprintf(stream, "cut short");
	else
		fprintf(stream, "%s", journal_state_name(journal->state));
	static const char *const enders[JOURNAL_ENDERS] = {
	    [ENDED_BY_ROLLBACK] = " by rollback",
	    [ENDED_BY_GUARD] = " by its guard",
	    [ENDED_BY_CONFIRM] = ", confirmed",
	};
	if (enders[journal->ended_by] != NULL)
		fprintf(stream, "%s", enders[journal->ended_by]);
	if (journal->left > 0)
		fprintf(stream, ", %" PRIu32 " left as somebody changed %s", journal->left,
		    journal->left == 1 ? "it" : "them");
	if (!item->here && journal_is_active(journal))
		fprintf(stream, " (another network namespace, or before a reboot)");
}

static void put_journal_items(const struct journal *journal, FILE *stream)
{
	int width = 0;
	for (size_t i = 0; i < journal->setting_count; i++)
		widen(&width, strlen(tunables[journal->settings[i].id].key));
	for (size_t i = 0; i < journal->setting_count; i++) {
		const struct journal_setting *setting = &journal->settings[i];
		char old[220], new[220];
		fprintf(stream, "      %-*s  %s -> %s\n", width, tunables[setting->id].key,
		    tunable_value_text(setting->id, &setting->old, old, sizeof(old)),
		    tunable_value_text(setting->id, &setting->new, new, sizeof(new)));
	}
	for (size_t i = 0; i < journal->file_count; i++)
		fprintf(stream, "      /%s\n", journal->files[i].path);
}

static void put_journal(const struct outcome_journal *item, FILE *stream)
{
	const struct journal *journal = &item->journal;
	char when[32] = "";
	time_t time = (time_t)journal->time_s;
	struct tm utc;
	if (gmtime_r(&time, &utc) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &utc);
	fprintf(stream, "%4" PRIu32 "  %s  ", item->id, when);
	if (journal->steps > 0)
		fprintf(stream, "sweep of %" PRIu32 " step%s by ", journal->steps,
		    journal->steps == 1 ? "" : "s");
	if (journal->user[0] != '\0')
		fprintf(stream, "%s  ", journal->user);
	else
		fprintf(stream, "uid %" PRIu32 "  ", journal->uid);
	put_journal_state(item, stream);
	fputc('\n', stream);
	put_journal_items(journal, stream);
}

/* What the list is asked for: is there anything to take back? */
static void answer_list(const struct outcome *outcome, FILE *stream)
{
	size_t active = 0, damaged = 0;
	uint32_t newest = 0;
	for (size_t i = 0; i < outcome->journal_count; i++) {
		const struct outcome_journal *item = &outcome->journals[i];
		damaged += item->damaged;
		if (item->damaged || !item->here || !journal_is_active(&item->journal))
			continue;
		active++;
		newest = item->id > newest ? item->id : newest;
	}
	if (outcome->journal_count == 0)
		fprintf(stream, "nothing was applied since the last boot\n");
	else if (active == 0 && damaged > 0)
		fprintf(stream, "nothing can be taken back: %zu journal%s cannot be read\n",
		    damaged, damaged == 1 ? "" : "s");
	else if (active == 0)
		fprintf(stream, "nothing is left to take back\n");
	else if (active == 1)
		fprintf(stream, "apply %" PRIu32 " is taken back by: bdp rollback\n", newest);
	else
		fprintf(stream,
		    "%zu applies can be taken back; the newest, %" PRIu32 ", by: bdp rollback\n",
		    active, newest);
}

bool outcome_list_text(const struct outcome *outcome, FILE *stream)
{
	if (outcome->exit == OUTCOME_DONE || outcome->journal_count > 0)
		answer_list(outcome, stream);
	for (size_t i = 0; i < outcome->journal_count; i++) {
		const struct outcome_journal *item = &outcome->journals[i];
		if (item->damaged)
			fprintf(stream, "%4" PRIu32 "  %s\n", item->id, item->damage);
		else
			put_journal(item, stream);
	}
	for (size_t i = 0; i < outcome->note_count; i++)
		outcome_text_wrapped(stream, 0, outcome->notes[i]);
	return !ferror(stream);
}

void outcome_text_commands(
    const struct command *commands, size_t count, const char *left_alone, FILE *stream)
{
	for (size_t i = 0; i < count; i++) {
		outcome_text_wrapped(stream, 0, commands[i].why);
		fprintf(stream, "    %s\n", commands[i].command);
	}
	if (left_alone[0] != '\0')
		fprintf(stream, "left as somebody set them up: %s\n", left_alone);
}
