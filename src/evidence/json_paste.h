/*
 * JSON between other lines: what `tc -j` or `mtr -j` printed, in the paste of a session.
 */
#ifndef BDP_JSON_PASTE_H
#define BDP_JSON_PASTE_H

#include <stdbool.h>

#include "base/source.h"

/*
 * Moves the source to the next line that begins with a bracket or a brace and has `key`, with its quotes,
 * somewhere behind it, as far as source_peek sees.  False, and nothing is taken, when there is none.
 */
bool json_paste_next(struct source *source, const char *key);

#endif
