/*
 * The runs that sweep and compare set side by side: looked over, and gathered by label.
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

enum left_out_why {
	LEFT_OUT_PROTOCOL,   /* not TCP: it has no window */
	LEFT_OUT_EMPTY,	     /* it carried nothing */
	LEFT_OUT_NO_RATE,    /* nothing to set beside the others */
	LEFT_OUT_DIRECTION,  /* it carries data the other way than .other */
	LEFT_OUT_PATH,	     /* its RTT is that of another path than .other's */
	LEFT_OUT_REPEATED,   /* the same test as .other, counted once */
	LEFT_OUT_RELABELLED, /* the same test as .other, under another label */
	LEFT_OUT_TOO_MANY    /* beyond RUN_GROUPS_MAX */
};

/* A run that does not count, and why; report/run_groups_report.c says it. */
struct left_out {
	enum left_out_why why;
	const struct run *run, *other; /* other: NULL where the reason names none */
	double rtt_us, other_rtt_us;   /* LEFT_OUT_PATH only */
};

/* Why nothing can be set side by side. */
enum groups_problem {
	GROUPS_GOOD,
	GROUPS_CEILING_UNKNOWN, /* of run_groups.unknown_ceiling */
	GROUPS_CONTRADICT,	/* one test is given under two labels */
	GROUPS_NO_RUN,
	GROUPS_ONE_ONLY
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

	struct left_out left_out[RUN_GROUPS_LEFT_OUT_MAX];
	size_t left_out_count;
	const struct run_source *unknown_ceiling; /* with GROUPS_CEILING_UNKNOWN */
	bool contradicts;			  /* one test is given under two labels */
};

/* Looks at what stands beside the runs, leaves out those that cannot be set beside the others, and gathers
 * the rest. */
enum groups_problem run_groups_gather(struct run_groups *set);

/* run_groups_filter.c: analyses the runs and leaves out those that cannot be set beside the others. */
void run_groups_filter(struct run_groups *set);
/* Notes why a run does not count. */
void run_groups_leave_out(struct run_groups *set, const struct left_out *item);

#endif
