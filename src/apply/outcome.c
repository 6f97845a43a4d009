#include "apply/outcome.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const item_states[ITEM_STATES] = {
    [ITEM_NOT_TRIED] = "not tried",
    [ITEM_ALREADY] = "already so",
    [ITEM_SET] = "set",
    [ITEM_WOULD_SET] = "would set",
    [ITEM_DIFFERS] = "differs",
    [ITEM_NOT_HERE] = "not for this host",
    [ITEM_REFUSED] = "refused",
    [ITEM_FAILED] = "failed",
    [ITEM_UNDONE] = "undone",
    [ITEM_STUCK] = "NOT UNDONE",
    [ITEM_RESTORED] = "restored",
    [ITEM_WOULD_RESTORE] = "would restore",
    [ITEM_REMOVED] = "removed",
    [ITEM_WOULD_REMOVE] = "would remove",
    [ITEM_CHANGED_SINCE] = "changed since",
    [ITEM_NOT_AS_SET] = "not as set",
};

const char *item_state_name(enum item_state state)
{
	return item_states[state];
}

static void *grow(void *items, size_t count, size_t size)
{
	void *grown = reallocarray(items, count + 1, size);
	if (grown == NULL)
		err(1, NULL);
	return grown;
}

struct outcome_setting *outcome_add_setting(struct outcome *outcome)
{
	outcome->settings =
	    grow(outcome->settings, outcome->setting_count, sizeof(*outcome->settings));
	struct outcome_setting *item = &outcome->settings[outcome->setting_count++];
	*item = (struct outcome_setting){.id = TUNABLE_COUNT};
	return item;
}

struct outcome_file *outcome_add_file(struct outcome *outcome, const char *path)
{
	outcome->files = grow(outcome->files, outcome->file_count, sizeof(*outcome->files));
	struct outcome_file *item = &outcome->files[outcome->file_count++];
	*item = (struct outcome_file){.state = ITEM_NOT_TRIED};
	snprintf(item->path, sizeof(item->path), "/%s", path);
	return item;
}

struct outcome_journal *outcome_add_journal(struct outcome *outcome)
{
	outcome->journals =
	    grow(outcome->journals, outcome->journal_count, sizeof(*outcome->journals));
	struct outcome_journal *item = &outcome->journals[outcome->journal_count++];
	*item = (struct outcome_journal){0};
	return item;
}

void outcome_note(struct outcome *outcome, const char *format, ...)
{
	if (outcome->note_count == OUTCOME_NOTES_MAX)
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(
	    outcome->notes[outcome->note_count++], sizeof(outcome->notes[0]), format, arguments);
	va_end(arguments);
}

static void fail(struct outcome *outcome, enum outcome_exit exit, const char *format,
    va_list arguments) __attribute__((format(printf, 3, 0)));

static void fail(
    struct outcome *outcome, enum outcome_exit exit, const char *format, va_list arguments)
{
	if (outcome->exit != OUTCOME_DONE)
		return;
	outcome->exit = exit;
	vsnprintf(outcome->message, sizeof(outcome->message), format, arguments);
}

void outcome_fail(struct outcome *outcome, enum outcome_exit exit, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail(outcome, exit, format, arguments);
	va_end(arguments);
}

bool outcome_refuse(struct outcome *outcome, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail(outcome, OUTCOME_INCOMPLETE, format, arguments);
	va_end(arguments);
	return false;
}

void outcome_free_items(struct outcome *outcome)
{
	free(outcome->settings);
	free(outcome->files);
	outcome->settings = NULL;
	outcome->files = NULL;
	outcome->setting_count = outcome->file_count = 0;
}

void outcome_free(struct outcome *outcome)
{
	if (outcome == NULL)
		return;
	outcome_free_items(outcome);
	free(outcome->journals);
	*outcome = (struct outcome){0};
}

size_t outcome_count_settings(const struct outcome *outcome, enum item_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < outcome->setting_count; i++)
		count += outcome->settings[i].state == state;
	return count;
}

size_t outcome_count_files(const struct outcome *outcome, enum item_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < outcome->file_count; i++)
		count += outcome->files[i].state == state;
	return count;
}
