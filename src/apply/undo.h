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

/* Goes on whatever fails; one item of the outcome for each setting and file.  True when all is as
 * it was before the journal. */
bool undo_journal(struct backend *backend, const struct store *store, const struct journal *journal,
    enum undo_force force, struct outcome *outcome);

#endif
