/*
 * Whether the kernel will take a value, told before it is asked.
 */
#ifndef BDP_PREDICT_H
#define BDP_PREDICT_H

#include <stddef.h>

#include "apply/backend.h"

enum prediction {
	PREDICTED_TAKEN,
	PREDICTED_REFUSED, /* certain, with the reason */
	PREDICTED_NOT	   /* only trying tells, with what is not known */
};

/* What is in place must be another value.  Reads only; needs no root. */
enum prediction predict(struct backend *backend, enum tunable_id id,
    const struct tunable_value *value, char *why, size_t size);

#endif
