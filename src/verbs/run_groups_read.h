/*
 * The operands of sweep and compare, read into the groups of runs that diagnosis/ sets side by side.
 */
#ifndef BDP_RUN_GROUPS_READ_H
#define BDP_RUN_GROUPS_READ_H

#include "diagnosis/run_groups.h"

/* What the command line says beside the operands. */
struct run_groups_given {
	enum run_groups_of what;
	enum tunable_id swept_key; /* TUNABLE_COUNT: by the dumps */
	double idle_rtt_us;	   /* 0: not given */
};

/* Exit codes: 0 to go on, else what main returns; a line or two are on standard error. */
void run_groups_begin(struct run_groups *set, const struct run_groups_given *given);
int run_groups_read(struct run_groups *set, const char *operand);
/* An operand that is there already: a run just made.  Takes the evidence over. */
void run_groups_add(
    struct run_groups *set, const char *label, double ceiling_bytes, struct evidence *evidence);
/* Gathers what was read, or says why it cannot be set side by side. */
int run_groups_prepare(struct run_groups *set);
void run_groups_free(struct run_groups *set);

#endif
