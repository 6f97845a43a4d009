/*
 * Sentences with places for values.
 */
#ifndef BDP_TEMPLATE_H
#define BDP_TEMPLATE_H

#include <stddef.h>

#include "base/value.h"
#include "report/phrase.h"

/* Appends `text` with its places filled from values[count]:
 *     {2}                value 2, with its unit
 *     {2|time|times}     "1 time", "7 times": the value, and the noun that goes with it
 *     {2?of each stream} the text, where value 2 is there
 *     [, RAM {3}]        left out when a value in it is absent; not nested
 * A value that is absent outside brackets leaves its place empty. */
void template_fill(struct phrase *out, const char *text, const struct value *values, size_t count);

#endif
