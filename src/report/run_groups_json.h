/*
 * Parts of the JSON forms of sweep and compare; each writes members of an object begun by the caller.
 */
#ifndef BDP_RUN_GROUPS_JSON_H
#define BDP_RUN_GROUPS_JSON_H

#include "report/json_parts.h"
#include "report/run_groups_report.h"

/* The label (or ceiling_bytes), runs, and every figure as {median, low, high} or null. */
void json_group(struct json_out *out, const struct groups_report *report, size_t index);
void json_left_out(struct json_out *out, const struct groups_report *report);

#endif
