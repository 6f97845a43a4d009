/*
 * What apply, confirm or rollback came to, as plain data.
 */
#ifndef BDP_OUTCOME_H
#define BDP_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/plan.h"
#include "apply/journal.h"
#include "evidence/tunable.h"

/* The program's exit codes that apply knows. */
enum outcome_exit {
	OUTCOME_DONE = 0,
	OUTCOME_SYSTEM = 1,
	OUTCOME_INPUT = 3,
	OUTCOME_INCOMPLETE =
	    4, /* nothing was changed, or it was undone, or the items say what was not */
	OUTCOME_DIFFERS = 5
};

enum item_state {
	ITEM_NOT_TRIED,
	ITEM_ALREADY, /* is as wanted, nothing was written */
	ITEM_SET,
	ITEM_WOULD_SET,
	ITEM_DIFFERS,  /* --check */
	ITEM_NOT_HERE, /* for another host */
	ITEM_REFUSED,  /* before anything was written */
	ITEM_FAILED,   /* the kernel refused; the old value is in place */
	ITEM_UNDONE,   /* was set; the old value is in place again */
	ITEM_STUCK,    /* should have the old value again, but has not */
	ITEM_RESTORED,
	ITEM_WOULD_RESTORE,
	ITEM_REMOVED, /* a file that was not there before */
	ITEM_WOULD_REMOVE,
	ITEM_CHANGED_SINCE, /* somebody else set it since: left as it is */
	ITEM_NOT_AS_SET,    /* confirm: it is not as the apply set it */
	ITEM_STATES
};

const char *item_state_name(enum item_state state);

struct outcome_setting {
	enum tunable_id id;
	enum role host;
	uint32_t journal;
	enum item_state state;
	struct tunable_value before, wanted, after; /* .known false where not known */
	char why[480];
};

struct outcome_file {
	char path[JOURNAL_PATH_MAX + 1]; /* with the leading slash */
	uint32_t journal;
	enum item_state state;
	char why[240];
};

struct outcome_journal {
	uint32_t id;
	bool damaged;
	struct journal journal; /* valid unless damaged */
	bool here;		/* of this boot and network namespace */
	bool guarded;		/* a guard is alive */
	bool at_work;		/* its apply has not ended yet */
	int64_t seconds_left;	/* until the guard undoes it; may be negative */
	char damage[400];
};

#define OUTCOME_NOTES_MAX 24

struct outcome {
	enum outcome_exit exit;
	char message[480]; /* "" when there is nothing to add to the items */
	bool dry_run, changed;
	bool not_lasting; /* done, but the file of --persist does not win at boot */
	uint32_t journal; /* that was made, 0 for none */
	unsigned confirm_seconds;
	struct outcome_setting *settings; /* owned */
	size_t setting_count;
	struct outcome_file *files; /* owned */
	size_t file_count;
	struct outcome_journal *journals; /* owned: rollback --list */
	size_t journal_count;
	char notes[OUTCOME_NOTES_MAX][400];
	size_t note_count;
};

/* Adds a zeroed item; pointers to earlier ones are void after it. */
struct outcome_setting *outcome_add_setting(struct outcome *outcome);
struct outcome_file *outcome_add_file(struct outcome *outcome, const char *path);
struct outcome_journal *outcome_add_journal(struct outcome *outcome);
void outcome_note(struct outcome *outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets exit and message; the first failure stands. */
void outcome_fail(struct outcome *outcome, enum outcome_exit exit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for OUTCOME_INCOMPLETE; always false, so that it ends a function. */
bool outcome_refuse(struct outcome *outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How many of the items are in that state. */
size_t outcome_count_settings(const struct outcome *outcome, enum item_state state);
size_t outcome_count_files(const struct outcome *outcome, enum item_state state);
/* Forgets the settings and files. */
void outcome_free_items(struct outcome *outcome);
void outcome_free(struct outcome *outcome);

#endif
