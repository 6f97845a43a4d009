/*
 * Which of several measured things to prefer: by rate, else by delay, else by loss; or none.
 */
#ifndef BDP_COMPARE_H
#define BDP_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/run_group.h"

enum compare_by {
	COMPARE_NONE, /* no difference that the runs can tell */
	COMPARE_RATE,
	COMPARE_DELAY,
	COMPARE_LOSS,
	COMPARE_BY_COUNT
};

/* What the difference, or that there is none, tells of the path. */
enum compare_means {
	MEANS_NOTHING,
	MEANS_LOSS,  /* one slows down for loss that no queue makes */
	MEANS_QUEUE, /* one fills a queue, which gains it nothing */
	MEANS_LINK,  /* both fill the link */
	COMPARE_MEANS_COUNT
};

const char *compare_by_name(enum compare_by by); /* json: "rate"; NULL for none */

struct compare {
	enum compare_by by;
	enum compare_means means;
	size_t best;
	size_t other;	   /* what it is held against: the first given, or the best of the others */
	double factor;	   /* how many times more rate, less delay or less loss; 1 for none */
	double rate_ratio; /* rate of the best / of the other */
	double noise;	   /* relative difference of their rates that means nothing */
	bool has_delay;	   /* both delays are known, by this figure */
	enum figure delay_figure;
	double best_delay_us, other_delay_us;
	bool delay_is_worse; /* the best one has more of it: a price */
	bool loss_is_worse;
	bool cpu_is_worse;
	double link_bps; /* Ethernet speed that both fill without loss; 0 when none */
};

/* 2 <= count <= RUN_GROUPS_MAX, each with a rate.  The first is what is there now: it is kept unless
 * another is better. Pure. */
void compare_compute(const struct run_group *groups, size_t count, struct compare *compare);

#endif
