/*
 * The process that takes an apply back when nobody confirms it in time.
 */
#ifndef BDP_GUARD_H
#define BDP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/backend.h"
#include "apply/journal.h"
#include "apply/store.h"

/* Closes every descriptor from 3 on that is not among kept[count], however many are open.  False when
 * some may still be open.  kept[] is sorted in place; negative ones stand for none. */
bool descriptors_close_others(int *kept, size_t count);

/* What it does where close_range(2) is missing (before Linux 5.9): by /proc/self/fd.  Named here so
 * that the tests run it on any kernel; kept[] must be in ascending order. */
bool descriptors_close_listed(const int *kept, size_t count);

struct guard_request {
	struct backend *backend; /* its files must be open: the guard undoes through them */
	const struct store *store;
	const struct journal *journal;
	const struct saved_copy *saved; /* by file of the journal */
};

/* Starts it, detached from the terminal and from this process, and returns when it is ready.  It has
 * all that it needs in memory: a journal that is removed meanwhile does not stop it.  *leash is for
 * guard_call_off, or to be closed.  False when it could not be started. */
bool guard_start(const struct guard_request *request, int *leash, struct reason *reason);

/* Ends the guard's waiting, since all is taken back already.  Closes the leash. */
void guard_call_off(int leash);

#endif
