/*
 * The runs that sweep and compare set side by side: read, looked over, and gathered by label.
 */
#ifndef BDP_RUN_GROUPS_H
#define BDP_RUN_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "diagnosis/diagnosis.h"
#include "evidence/evidence.h"
#include "model/run_group.h"

enum run_groups_of { RUN_GROUPS_OF_SWEEP, RUN_GROUPS_OF_COMPARE };

/* Where the ceiling of a sweep's operand is known from. */
enum ceiling_from { CEILING_UNKNOWN, CEILING_LABEL, CEILING_DUMP, CEILING_SOCKET };

/* One operand: a label and what its files say. */
struct run_source {
	struct evidence evidence; /* owned */
	char *label;		  /* owned; "" when not given */
	char *name;		  /* owned; the files as typed */
	double ceiling_bytes;
	enum ceiling_from from;
};

/* One run that counts. */
struct group_run {
	const struct run_source *source;
	struct analysis analysis;
	struct path_context context;
	struct run_summary summary;
};

#define RUN_GROUPS_LEFT_OUT_MAX 16

struct run_groups {
	enum run_groups_of what;
	bool made;		     /* by this program, in turn and to one host */
	struct run_source **sources; /* owned, and each of them */
	size_t source_count;
	struct group_run *runs; /* owned */
	size_t run_count;
	double idle_rtt_us; /* of the path without load; 0 when unknown */
	bool idle_is_seen;  /* it is the smallest that any run saw, not measured without load */
	enum tunable_id swept_key; /* of a sweep: tcp_rmem or tcp_wmem */
	const struct host *host;   /* of a dump given beside the runs, or NULL */

	/* gathered, in ascending order of ceiling, or as given */
	struct run_group groups[RUN_GROUPS_MAX];
	const char *labels[RUN_GROUPS_MAX];		 /* not yet safe to print */
	const struct group_run *typical[RUN_GROUPS_MAX]; /* the run nearest the median rate */
	size_t count;

	char left_out[RUN_GROUPS_LEFT_OUT_MAX]
		     [256]; /* runs that do not count, and why; safe to print */
	size_t left_out_count;
	bool contradicts; /* one test is given under two labels */
};

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
/* Screens and gathers what was read. */
int run_groups_gather(struct run_groups *set);
void run_groups_free(struct run_groups *set);

/* run_groups_screen.c: analyses the runs and leaves out those that cannot be set beside the others. */
void run_groups_screen(struct run_groups *set);
void run_groups_leave_out(struct run_groups *set, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* True when both are views of one test. */
bool run_is_same_test(const struct run *a, const struct run *b);
/* True when one carries data the other way than the other, as far as they tell. */
bool run_is_opposite(const struct run *a, const struct run *b);

#endif
