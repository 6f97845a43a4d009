/*
 * Why the kernel refuses a value and what helps, told after it did or before it is asked; and the
 * modules on which that may depend.
 */
#ifndef BDP_REFUSAL_H
#define BDP_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/backend.h"
#include "apply/tree.h"
#include "evidence/tunable.h"

/*
 * Kernel modules: is a name built in, a module, or not there.
 */

enum module_kind {
	MODULE_UNKNOWN, /* no list of modules to be read here */
	MODULE_BUILT_IN,
	MODULE_LOADED,
	MODULE_LOADABLE,
	MODULE_ABSENT /* the lists are there, it is not in them */
};

enum module_kind module_kind(const struct tree *tree, const char *name);

/* The module that carries a congestion control or queueing discipline ("tcp_bbr", "sch_fq"); ""
 * for every other setting. Returns out. */
const char *module_of(
    enum tunable_id id, const struct tunable_value *value, char *out, size_t size);

enum refusal_step { REFUSED_READ, REFUSED_OPEN, REFUSED_WRITE };

void refusal_text(struct backend *backend, enum tunable_id id, const struct tunable_value *value,
    enum refusal_step step, int error, char *why, size_t size);

/*
 * Whether the kernel will take a value, told before it is asked.
 */

enum prediction {
	PREDICTED_TAKEN,
	PREDICTED_REFUSED, /* certain, with the reason */
	PREDICTED_NOT	   /* only trying tells, with what is not known */
};

/* What is in place must be another value.  Reads only; needs no root. */
enum prediction predict(struct backend *backend, enum tunable_id id,
    const struct tunable_value *value, char *why, size_t size);

#endif
