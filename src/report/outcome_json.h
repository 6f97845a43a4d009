/*
 * What apply, confirm and rollback came to, for programs: bdp-json(5), schema bdp-apply/1.
 */
#ifndef BDP_OUTCOME_JSON_H
#define BDP_OUTCOME_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "apply/outcome.h"

/* `what` is "apply", "check", "rollback", "list" or "confirm".  False when a write failed. */
bool outcome_json(
    const struct outcome *outcome, const char *what, const char *version, FILE *stream);

#endif
