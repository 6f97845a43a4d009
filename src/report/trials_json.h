/*
 * Parts of the JSON forms of sweep and compare; each writes members of an object begun by the caller.
 */
#ifndef BDP_TRIALS_JSON_H
#define BDP_TRIALS_JSON_H

#include "report/json_parts.h"
#include "report/trials_report.h"

/* The label (or ceiling_bytes), runs, and every figure as {median, low, high} or null. */
void json_trial(struct json_out *out, const struct trials_report *report, size_t index);
void json_left_out(struct json_out *out, const struct trials_report *report);

#endif
