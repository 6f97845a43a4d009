/*
 * Members that several JSON reports have in common.
 */
#ifndef BDP_JSON_PARTS_H
#define BDP_JSON_PARTS_H

#include "advice/plan.h"
#include "base/json_out.h"
#include "diagnosis/diagnosis.h"
#include "model/memory.h"

/* A member that is null when it is not known. */
void json_known(struct json_out *out, const char *key, bool known, double value);
/* The same for bytes and bit/s, where what follows the point is the arithmetic's. */
void json_known_whole(struct json_out *out, const char *key, bool known, double value);
void json_known_uint(struct json_out *out, const char *key, bool known, uint64_t value);
/* Null for a text that is empty or NULL. */
void json_known_text(struct json_out *out, const char *key, const char *text);

/* The first members of a "memory": the limits of tcp_mem, RAM, and what is held. */
void json_memory_limits(struct json_out *out, const struct exposure *memory);
/* "findings": id, severity, text, advice. */
void json_findings(struct json_out *out, const struct findings *findings);
/* "settings", "not_advised", "commands". */
void json_plan(struct json_out *out, const struct plan *plan);
/* "plan": the roles and names of the hosts, and the rate predicted. */
void json_plan_facts(struct json_out *out, const struct plan *plan);

#endif
