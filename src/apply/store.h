/*
 * /run/bdp: the journals, what they keep of replaced files, and the lock.
 *
 * The directory is 0700 and its files 0600, all owned by who runs bdp; nothing is used that is
 * otherwise, and no symbolic link is followed to any of it.
 */
#ifndef BDP_STORE_H
#define BDP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/journal.h"
#include "apply/tree.h"

/* So many, and no apply is added before there is room again. */
#define STORE_JOURNALS_MAX 512
/* So many are looked at: more than that only somebody else can have put there. */
#define STORE_LISTED_MAX 4096
#define STORE_KEEP_ENDED 32

struct store {
	const struct tree *tree;
	int dir;  /* -1 when there is none */
	int lock; /* -1 when not held */
};

/* Messages complete "NAME: ...", NAME being what the reason is about and part of it. */
struct reason {
	char text[400];
};

enum store_result { STORE_OPEN, STORE_ABSENT, STORE_REFUSED };

/* With `create`, makes what is missing. */
enum store_result store_open(
    struct store *store, const struct tree *tree, bool create, struct reason *reason);
void store_close(struct store *store);

/* Serialises all that changes anything; waits at most wait_ms (negative: as long as it takes). */
bool store_lock(struct store *store, int64_t wait_ms, struct reason *reason);
void store_unlock(struct store *store);
/* Somebody holds the lock at this moment. */
bool store_is_busy(const struct store *store);

struct journal_ids {
	uint32_t id[STORE_LISTED_MAX]; /* ascending; the newest, if there are more */
	size_t count;
};

bool store_ids(const struct store *store, struct journal_ids *ids, struct reason *reason);

/* True unless there certainly is no such journal. */
bool store_has(const struct store *store, uint32_t id);
/* Loads one journal; a damaged one is refused with the reason. */
bool store_load(
    const struct store *store, uint32_t id, struct journal *journal, struct reason *reason);
bool store_save(const struct store *store, const struct journal *journal, struct reason *reason);

/* Removes a journal and all that is kept with it. */
bool store_drop(const struct store *store, uint32_t id, struct reason *reason);

/* Removes journals that have ended, or are of another boot than `here`, but for the `keep` newest of
 * all; what fails stays. */
void store_prune(const struct store *store, const struct netns_identity *here, size_t keep);
/* Also removes those of network namespaces that have ended; what cannot be told stays. */
void store_prune_gone(const struct store *store, const struct netns_identity *here);

/* The content that file number `index` of a journal had before. */
bool store_keep(const struct store *store, uint32_t id, size_t index, const char *text,
    size_t length, struct reason *reason);
/* Length, or -1 with errno. */
ssize_t store_saved_copy(
    const struct store *store, uint32_t id, size_t index, char *text, size_t size);

/* The guard's own lock, held as long as it lives: taken by who starts it, inherited by it. */
int store_guard_take(const struct store *store, uint32_t id, struct reason *reason);
bool store_guard_is_alive(const struct store *store, uint32_t id);
/* Waits until a guard that is no longer wanted has gone, at most a second or so. */
void store_guard_await(const struct store *store, uint32_t id);

#endif
