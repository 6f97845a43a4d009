/*
 * The process that takes an apply back when nobody confirms it in time.
 */
#ifndef BDP_GUARD_H
#define BDP_GUARD_H

#include <stdbool.h>

#include "apply/backend.h"
#include "apply/journal.h"
#include "apply/store.h"

/* Starts it, detached from the terminal and from this process, and returns when it is ready.  The
 * backend's files must be open: it undoes through them.  False when it could not be started. */
bool guard_start(struct backend *backend, const struct store *store, const struct journal *journal,
    struct reason *reason);

#endif
