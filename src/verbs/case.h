/*
 * One case: the operands and numbers of one question, carried from evidence to plan.
 */
#ifndef BDP_CASE_H
#define BDP_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/advice.h"
#include "evidence/evidence.h"
#include "model/memory.h"
#include "model/rfc6349.h"
#include "options/options.h"
#include "report/report.h"

struct advise_case {
	struct evidence evidence, baseline_evidence;
	struct host advised; /* of --sysroot, --sysctl, --kernel, or this machine */
	struct host here;    /* this machine, when it is an end of the path */
	const struct host *receiver, *sender;
	enum role here_role;
	enum here_by here_by;
	struct path_given given;
	struct analysis *analyses;
	struct path_context *contexts; /* parallel to analyses */
	size_t analysis_count, chosen;
	struct analysis baseline;
	bool has_baseline, target_is_given;
	struct findings findings;
	struct plan plan;
	struct exposure memory;
	struct rfc6349 rfc6349;
};

/* Exit codes of the stages: 0 to go on, else what main returns; one complaint has been made.
 * case_read() makes the case, case_free() ends it, whatever came of it. */
int case_read(struct advise_case **into, const struct options *options);
int case_reckon(struct advise_case *c, const struct options *options);
void case_bundle(const struct advise_case *c, const struct options *options, struct report *report);
void case_free(struct advise_case *c); /* NULL-safe */

/* The run to report on: of the last complete test the direction that is dead, slow or held, unless the
 * other direction, or a later run that did not end as planned, is dead or carries less than half. */
size_t case_choose(const struct advise_case *c);
/* Says when another run of the same path carried twice as much or half as much as the chosen one. */
void case_compare_runs(const struct advise_case *c, struct findings *findings);
/* What the plan costs in memory, and the findings on that. */
void case_memory(struct advise_case *c, const struct options *options);

/* Whether there is something to change, or a problem was found. */
bool case_wants_change(const struct advise_case *c);

/* Facts of this machine ("") or of a tree: they do not change while --each goes through its files,
 * and are read once. */
bool case_host_read(struct host *host, const char *sysroot, const struct options *options);

/* Decides whose facts are whose: sets receiver, sender, here_role and here_by.  0, or 2 when --role
 * contradicts what the run says of this machine; that has been complained of. */
int case_hosts(struct advise_case *c, const struct options *options);

/* Loss of the chosen run that a host's own drops explain is that host's, before the plan is made. */
void case_place_loss(struct advise_case *c);
/* Adds what counters and probes say of hosts and path beside the run. */
void case_state(struct advise_case *c);
/* True when there is something of that to speak of, even without a run. */
bool case_has_state(const struct advise_case *c);

/* True when the run says that it was made on this machine. */
bool run_is_of_here(const struct run *run);

#endif
