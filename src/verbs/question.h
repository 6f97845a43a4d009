/*
 * One question: the operands and numbers of one question, carried from evidence to plan.
 */
#ifndef BDP_QUESTION_H
#define BDP_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/advice.h"
#include "evidence/evidence.h"
#include "model/memory.h"
#include "model/rfc6349.h"
#include "options/options.h"
#include "report/report.h"

/* Whose facts stand for the ends of one run, settled before it is analysed. */
struct ends {
	const struct host *receiver, *sender; /* borrowed of the question; NULL: not known */
	enum role here;			      /* what this machine is of it */
	enum here_by here_by;
	enum role contradicts; /* what this machine surely is, where --role says otherwise */
};

struct question {
	struct evidence evidence, baseline_evidence;
	struct host advised; /* of --sysroot, --sysctl, --kernel, or this machine */
	struct host here;    /* this machine, when it is an end of the path */
	const struct host *receiver, *sender; /* of the chosen run, as the two below */
	enum role here_role;
	enum here_by here_by;
	struct path_given given;
	struct analysis *analyses;
	struct path_context *contexts; /* parallel to analyses, as is ends */
	struct ends *ends;
	size_t analysis_count, chosen;
	struct analysis baseline;
	bool has_baseline, target_is_given;
	struct findings findings;
	struct plan plan;
	struct exposure memory;
	struct rfc6349 rfc6349;
};

/* Exit codes of the stages: 0 to go on, else what main returns; one error line was printed.
 * question_read() makes the case, question_free() ends it, whatever came of it. */
int question_read(struct question **into, const struct options *options);
int question_compute(struct question *c, const struct options *options);
void question_bundle(
    const struct question *c, const struct options *options, struct report *report);
void question_free(struct question *c); /* NULL-safe */

/* Facts of this machine ("") or of a tree: they do not change while --each goes through its files,
 * and are read once. */
bool question_host_read(struct host *host, const char *sysroot, const struct options *options);

/* Settles whose facts are whose of a run (NULL: of numbers): by labels, then --role, then what run and
 * settings say of their machines, then addresses. */
void question_ends(
    struct question *c, const struct options *options, const struct run *run, struct ends *ends);
/* Makes those of the chosen run the question's.  0, or 2 when --role contradicts what the run says of this
 * machine; an error line was printed. */
int question_take_ends(struct question *c, const struct options *options, const struct ends *ends);

/* Loss of the chosen run that a host's own drops explain is that host's, before the plan is made. */
void question_place_loss(struct question *c);
/* Adds what counters and probes say of hosts and path beside the run. */
void question_state(struct question *c);
/* True when there is something of that to speak of, even without a run. */
bool question_has_state(const struct question *c);

/* True when the run says that it was made on this machine. */
bool run_is_of_here(const struct run *run);

#endif
