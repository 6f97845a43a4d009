/*
 * What a run measured as figures that can be set side by side, and those of several runs of one
 * thing (one ceiling, one algorithm): median and range.
 */
#ifndef BDP_RUN_GROUP_H
#define BDP_RUN_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "model/path.h"

enum figure {
	FIGURE_RATE, /* bit/s, as path.rate.bps */
	FIGURE_BYTES,
	FIGURE_RETRANSMITS,
	FIGURE_LOSS,	     /* ratio */
	FIGURE_EFFICIENCY,   /* RFC 6349, ratio */
	FIGURE_CWND,	     /* bytes, the peak of one connection */
	FIGURE_RTT,	     /* us, of the path */
	FIGURE_LOADED_RTT,   /* us, mean of tcp_info's under load */
	FIGURE_PING,	     /* us, mean of a ping during the test */
	FIGURE_BUFFER_DELAY, /* RFC 6349, ratio to the idle RTT */
	FIGURE_BACKLOG,	     /* bytes in the deepest queue, by tc */
	FIGURE_QUEUE_DELAY,  /* us that this backlog takes to drain at the rate */
	FIGURE_CPU,	     /* percent of a core, the busier end's */
	FIGURE_COUNT
};

/* Figures of one run; valid with the bit 1 << figure. */
struct run_summary {
	unsigned has;
	double value[FIGURE_COUNT];
};

/* What was measured beside the run; every pointer may be NULL, 0 is "not known". */
struct run_summary_input {
	const struct run *run;
	const struct path *path;
	const struct ping *loaded_ping; /* taken during the test */
	const struct tc *tc;		/* taken during the test */
	double idle_rtt_us;
};

void run_summary_compute(const struct run_summary_input *input, struct run_summary *summary);

/* Median, smallest and largest of the runs that know the figure. */
struct range {
	unsigned count; /* 0: unknown */
	double median, low, high;
};

struct run_group {
	double ceiling_bytes; /* 0 when it is not one of a sweep */
	unsigned runs;
	struct range range[FIGURE_COUNT];
	double rate_error; /* relative: standard error of one run's rate by its intervals */
};

#define RUN_GROUPS_MAX 32
#define GROUP_RUNS_MAX 100

/* `errors[i]` is the relative standard error of run i's rate; both arrays have `count` elements,
 * at most GROUP_RUNS_MAX. */
void run_group_compute(struct run_group *group, const struct run_summary *summary,
    const double *errors, unsigned count);

/* Relative standard error of a run's rate, by the spread of its steady intervals; 0 when it has
 * fewer than two. */
double rate_error(const struct path *path);

/* Relative difference of two rates that is within the noise: what the ranges of several runs, or the
 * intervals of single ones, leave open; never below 3 %, since single runs are not repeatable better. */
double rate_noise(const struct run_group *a, const struct run_group *b);

/* Both have several runs, and the ranges of their rates touch. */
bool rates_overlap(const struct run_group *a, const struct run_group *b);

#endif
