/*
 * Members that several JSON reports have in common.
 */
#ifndef BDP_JSON_PARTS_H
#define BDP_JSON_PARTS_H

#include "advice/plan.h"
#include "base/json_out.h"
#include "diagnosis/diagnosis.h"

/* "findings": id, severity, text, advice. */
void json_findings(struct json_out *out, const struct findings *findings);
/* "settings", "not_advised", "commands". */
void json_plan(struct json_out *out, const struct plan *plan);
/* "plan": the roles and names of the hosts, and the rate predicted. */
void json_plan_facts(struct json_out *out, const struct plan *plan);

#endif
