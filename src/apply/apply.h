/*
 * Sets a plan, proves that it took, and leaves what is needed to take it back.
 */
#ifndef BDP_APPLY_H
#define BDP_APPLY_H

#include <stdbool.h>

#include "advice/plan.h"
#include "apply/outcome.h"
#include "apply/tree.h"

enum apply_mode {
	APPLY_SET,
	APPLY_DRY_RUN, /* the same report, nothing is written, no root needed */
	APPLY_CHECK    /* only compares: exit 5 when something differs */
};

struct apply_request {
	const struct kernel_io *io; /* NULL: the real calls */
	const char *sysroot;	    /* NULL, "" or "/": this machine */
	const struct plan *plan;
	enum role role; /* what this host is; ROLE_UNKNOWN is refused when it matters */
	enum apply_mode mode;
	bool allow_lower;
	bool confine;		  /* give up, for good, what the process does not need (Landlock) */
	const char *persist;	  /* absolute path below the sysroot, or NULL */
	unsigned confirm_seconds; /* 0: no timed undo */
	bool is_step;		  /* of a sweep, whose steps have one journal */
	uint32_t continues;	  /* the journal of its earlier steps; 0 for the first */
	const char *maker;	  /* "bdp 0.2.0", for the header of a persisted file */
};

/* Zero-initialise the outcome; free it with outcome_free. */
void apply_run(const struct apply_request *request, struct outcome *outcome);

#endif
