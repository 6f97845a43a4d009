/*
 * Where the gain of a larger ceiling ends: the knee of runs at several ceilings.
 */
#ifndef BDP_SWEEP_H
#define BDP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "model/run_group.h"

/* Ceilings that guides double are told apart by far more; runs of a minute repeat to a few per cent. */
#define SWEEP_MIN_GAIN 0.05
/* CUBIC at 50 ms and 1 Gbit/s needs loss far below this (RFC 9438, section 5.2); above it the ceiling
 * is what makes the loss. */
#define SWEEP_MAX_LOSS 0.002

struct sweep_rule {
	double min_gain; /* relative, over the last ceiling chosen */
	double max_loss; /* ratio */
};

/* From one ceiling to the next larger one. */
struct sweep_step {
	double gain;		 /* relative, of the rate */
	double gain_bps_per_mib; /* of the rate, for each MiB more */
	bool overlaps;		 /* within the spread of their runs */
};

enum sweep_end {
	SWEEP_KNEE,   /* what lies beyond gains too little or loses too much */
	SWEEP_RISING, /* the largest measured still gains: the knee lies beyond */
	SWEEP_FLAT,   /* the smallest measured carries as much as any */
	SWEEP_LOSSY   /* already the smallest loses more than the rule allows */
};

enum sweep_stop {
	STOP_NONE, /* nothing larger was measured */
	STOP_GAIN, /* the next ceiling gains too little */
	STOP_LOSS, /* the next ceiling loses too much */
};

/* What is known of the next larger ceiling beside its rate. */
enum sweep_has {
	SWEEP_NEXT_LOSS = 1 << 0,
	SWEEP_NEXT_RETRANSMITS = 1 << 1, /* and the knee had some */
	SWEEP_NEXT_DELAY = 1 << 2,
};

struct sweep {
	unsigned has;				 /* enum sweep_has */
	struct sweep_step steps[RUN_GROUPS_MAX]; /* [i] leads to trial i; [0] is unused */
	size_t knee;
	enum sweep_end end;
	enum sweep_stop stop;
	/* the next larger ceiling against the knee, unless stop is STOP_NONE */
	double next_gain, next_loss;
	double next_retransmits; /* multiple of the knee's */
	double next_delay_us;	 /* more RTT under load, at least 0 */
	bool knee_is_uncertain;	 /* its gain lies within the spread of the runs */
	bool next_is_uncertain;
	bool
	    loss_is_unknown; /* of the knee or of anything chosen from: the rule went by gain alone */
};

/* `trials` in ascending order of ceiling, each with a rate; 1 <= count <= RUN_GROUPS_MAX. Pure.
 *
 * The knee is the largest ceiling that gains at least min_gain over the last one chosen and loses at
 * most max_loss, beginning with the smallest.  Gains are over the last one chosen, not over the
 * neighbour, so that a finely divided sweep does not end at its first small step. */
void sweep_compute(const struct run_group *groups, size_t count, const struct sweep_rule *rule,
    struct sweep *sweep);

#endif
