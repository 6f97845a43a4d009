/*
 * What a plan meets on this host: each setting and file beside what is there now.  Reads only.
 */
#ifndef BDP_COMPARISON_H
#define BDP_COMPARISON_H

#include "apply/apply.h"
#include "apply/backend.h"
#include "apply/persist.h"

/* Setting i of the plan is item i of the outcome.  The first four members are the caller's, and
 * outlive the comparison; persist_free() frees the persist. */
struct comparison {
	const struct apply_request *request;
	struct tree *tree;
	struct backend *backend;
	struct outcome *outcome;
	bool chosen[PLAN_SETTINGS_MAX]; /* is for this host */
	struct tunable_value current[PLAN_SETTINGS_MAX];
	struct persist persist; /* the files of --persist: what they hold and will hold */
	bool boot_asked;
	char boot_problem[400]; /* why the file of --persist would not hold; "" when it does */
};

/* Checks the plan, which comes from a file or from advice and is not taken at its word, and chooses
 * what is for this host.  False with the outcome failed when the plan cannot be used. */
bool comparison_begin(struct comparison *comparison);

/* Compares everything with what is there; a second call looks again, from the start.  False with the
 * outcome failed when anything is refused: then nothing at all is to be written. */
bool comparison_make(struct comparison *comparison);

#endif
