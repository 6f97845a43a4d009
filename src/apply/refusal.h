/*
 * Why the kernel refused, and what helps: errno, in the words of the setting.
 */
#ifndef BDP_REFUSAL_H
#define BDP_REFUSAL_H

#include <stddef.h>

#include "apply/backend.h"

enum congestion_standing {
	CONGESTION_THERE,
	CONGESTION_FORBIDDEN,  /* there, but not allowed in this network namespace */
	CONGESTION_NOT_LISTED, /* not there now: at most a module would bring it */
	CONGESTION_UNKNOWN     /* there is no list */
};

/* By the kernel's lists of what is available and what is allowed. */
enum congestion_standing congestion_standing(struct backend *backend, const char *name);

enum refusal_step { REFUSED_READ, REFUSED_OPEN, REFUSED_WRITE };

void refusal_text(struct backend *backend, enum tunable_id id, const struct tunable_value *value,
    enum refusal_step step, int error, char *why, size_t size);

#endif
