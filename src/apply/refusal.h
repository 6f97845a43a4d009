/*
 * Why the kernel refused, and what helps: errno, in the words of the setting.
 */
#ifndef BDP_REFUSAL_H
#define BDP_REFUSAL_H

#include <stddef.h>

#include "apply/backend.h"

enum refusal_step { REFUSED_READ, REFUSED_OPEN, REFUSED_WRITE };

void refusal_text(struct backend *backend, enum tunable_id id, const struct tunable_value *value,
    enum refusal_step step, int error, char *why, size_t size);

#endif
