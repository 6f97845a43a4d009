/*
 * The record of one apply, from which it can be taken back.
 *
 * It is text of a fixed order of lines, ended by a checksum; it is replaced as a whole, never
 * changed in place.  Journals of the first version, without cookie, steps and left, are still read.
 */
#ifndef BDP_JOURNAL_H
#define BDP_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "advice/plan.h"
#include "apply/netns.h"
#include "evidence/tunable.h"

enum journal_state {
	JOURNAL_PENDING, /* written before the first write; found later: the apply was cut short */
	JOURNAL_UNCONFIRMED, /* set; the guard undoes it unless it is confirmed */
	JOURNAL_APPLIED,     /* set, and nothing is waited for */
	JOURNAL_STUCK,	     /* undoing it did not bring everything back */
	JOURNAL_UNDONE,	     /* taken back */
	JOURNAL_STATES
};

const char *journal_state_name(enum journal_state state);

enum journal_ender {
	ENDED_NOT,
	ENDED_BY_ROLLBACK,
	ENDED_BY_GUARD,
	ENDED_BY_CONFIRM,
	JOURNAL_ENDERS
};

struct journal_setting {
	enum tunable_id id;
	struct tunable_value old, new;
};

#define JOURNAL_PATH_MAX 256
#define JOURNAL_FILES_MAX 2

/* A file written by --persist.  What was there before is kept beside the journal. */
struct journal_file {
	char path[JOURNAL_PATH_MAX]; /* below the sysroot, without a leading slash */
	bool existed;
	unsigned mode; /* of the file that was there */
	uint64_t old_hash, new_hash;
};

struct journal {
	uint32_t id; /* from 1 */
	enum journal_state state;
	int64_t time_s; /* since 1970 */
	struct netns_identity netns;
	uint32_t uid;
	char user[33]; /* SUDO_USER, "" when not set or not plain */
	int32_t pid;
	uint32_t confirm_seconds; /* 0: not waited for */
	int64_t deadline_ms;	  /* CLOCK_BOOTTIME; valid with confirm_seconds */
	enum journal_ender ended_by;
	int64_t ended_s;
	uint32_t
	    steps;     /* of a sweep so far, all of them under this one journal; 0: a plain apply */
	uint32_t left; /* when it was taken back: left as somebody else had changed it */
	struct journal_setting settings[PLAN_SETTINGS_MAX];
	size_t setting_count;
	struct journal_file files[JOURNAL_FILES_MAX];
	size_t file_count;
};

#define JOURNAL_TEXT_MAX 24576

/* Length of the text, always below JOURNAL_TEXT_MAX. */
size_t journal_text(const struct journal *journal, char text[JOURNAL_TEXT_MAX]);

/* False with *why, a static phrase, when the text is cut, garbled or not what bdp writes. */
bool journal_parse(struct journal *journal, const char *text, size_t length, const char **why);

/* Something is set that a rollback would take back. */
bool journal_is_active(const struct journal *journal);

struct backend;
struct outcome;
struct store;

enum undo_force {
	UNDO_OURS,  /* leave what somebody changed since */
	UNDO_FORCED /* bring back the old value whatever is there */
};

enum undo_result {
	UNDO_ALL,  /* all is as it was before the journal */
	UNDO_LEFT, /* but for what somebody changed since, which is left as it is */
	UNDO_STUCK /* something could not be brought back */
};

/* What a file held before, kept in memory: for an undo that must do without the store. */
struct saved_copy {
	const char *text;
	size_t length;
};

/* Takes one journal back: files first, then settings, in reverse order of how they were made.  Goes on
 * whatever fails; one item of the outcome for each setting and file, and the worst result.
 * `saved` is by file of the journal, or NULL: then what the store keeps counts. */
enum undo_result undo_journal(struct backend *backend, const struct store *store,
    const struct saved_copy *saved, const struct journal *journal, enum undo_force force,
    struct outcome *outcome);

/* How many items were left as somebody changed them. */
uint32_t undo_left_count(const struct outcome *outcome, uint32_t journal);

#endif
