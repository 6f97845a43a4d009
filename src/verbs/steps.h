/*
 * What sweep --run and compare --run try in turn: a value to set on this host, or another command.
 */
#ifndef BDP_STEPS_H
#define BDP_STEPS_H

#include "evidence/tunable.h"
#include "model/run_group.h"
#include "options/options.h"

struct step {
	char label[64];
	struct tunable_value value; /* .known: to be set */
	double ceiling_bytes;	    /* 0 when it is not one */
	char *command;		    /* owned: what is run */
};

struct steps {
	enum steps_of what;
	struct step items[RUN_GROUPS_MAX];
	size_t count;
};

/* True when steps of that kind set something on this host. */
bool steps_set(enum steps_of what);

/* Fills in the steps; `before` is what is set now, where steps set something.  An exit code: 0, or 2
 * with an error line.  Free with steps_free in either case. */
int steps_find(struct steps *steps, const struct options *options, enum tunable_id id,
    const struct tunable_value *before);
void steps_free(struct steps *steps);

#endif
