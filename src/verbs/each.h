/*
 * advise --each: many captures in one call, each a case of its own.
 */
#ifndef BDP_VERB_EACH_H
#define BDP_VERB_EACH_H

#include "options/options.h"

/* One JSON object a line and file, in their order: the report with the file's name, or why there is
 * none.  Returns the exit code: 3 when there was none for some file. */
int verb_each(const struct options *options);

#endif
