/*
 * Settings that hold after a reboot: a file in sysctl.d, and one in modules-load.d where a module
 * is needed.  A file that bdp did not write is never changed.
 */
#ifndef BDP_PERSIST_H
#define BDP_PERSIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/plan.h"
#include "apply/backend.h"
#include "apply/journal.h"
#include "apply/outcome.h"
#include "apply/tree.h"

#define PERSIST_DEFAULT "/etc/sysctl.d/90-bdp.conf"
#define PERSIST_MODULES "etc/modules-load.d/bdp.conf"

struct persist_file {
	char path[JOURNAL_PATH_MAX]; /* without a leading slash */
	bool existed, change;
	unsigned old_mode;
	char *old_text, *text; /* owned */
	size_t old_length, length;
};

struct persist {
	struct persist_file files[JOURNAL_FILES_MAX];
	size_t count;
	bool overridden; /* what is read or run later at boot sets another value: notes say which */
};

struct persist_request {
	const struct tree *tree;
	const struct plan *plan;
	const bool *chosen;		     /* of plan->settings */
	const struct tunable_value *current; /* by place in plan->settings */
	const char *path;		     /* absolute, below the sysroot */
	const char *boot_problem;	     /* of boot_reads() for this path; "" when it is read */
	const char *maker;		     /* "bdp 0.2.0" */
	int64_t now_s;
};

/* Works out what the files must hold, without writing anything.  False with the reason; notes (a
 * file read later at boot that says otherwise) go to the outcome. */
bool persist_prepare(struct persist *persist, const struct persist_request *request,
    struct outcome *outcome, char *why, size_t size);
void persist_free(struct persist *persist);

#endif
