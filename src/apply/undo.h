/*
 * Takes one journal back: files first, then settings, in reverse order of how they were made.
 */
#ifndef BDP_UNDO_H
#define BDP_UNDO_H

#include <stdbool.h>

#include "apply/backend.h"
#include "apply/journal.h"
#include "apply/outcome.h"
#include "apply/store.h"

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

/* Goes on whatever fails; one item of the outcome for each setting and file, and the worst result.
 * `kept` is by file of the journal, or NULL: then what the store keeps counts. */
enum undo_result undo_journal(struct backend *backend, const struct store *store,
    const struct saved_copy *saved, const struct journal *journal, enum undo_force force,
    struct outcome *outcome);

/* How many items were left as somebody changed them. */
uint32_t undo_left_count(const struct outcome *outcome, uint32_t journal);

#endif
