/*
 * How losses fall: what chance would do, and what a fixed rate does.
 */
#ifndef BDP_LOSS_PATTERN_H
#define BDP_LOSS_PATTERN_H

#include "model/phases.h"

/*
 * All but `first_ratio` are of the rows after the first, which is the start of the flow.  Chance takes each
 * segment alike, so that a row's retransmits vary as a Poisson number does and the window is what their
 * ratio leaves; what drops beyond a rate takes many at once, at one rate, after the highest rows.
 */
struct loss_pattern {
	bool known;	/* there were retransmits, and rows enough */
	double ratio;	/* retransmits / segments */
	double events;	/* stretches of rows with losses, the first row among them */
	double per_row; /* retransmits a row */
	double
	    dispersion; /* variance of a row's retransmits over what chance gives them; chance: 1 */
	double swing;	/* fluid_swing, of one stream */
	double window_bytes, chance_bytes; /* mean in flight, and sqrt(3/2)/sqrt(ratio) segments */
	double first_ratio; /* what passed in the first row, over the rate after it */
	double
	    after_peaks; /* chance that a row before a loss is faster than one that is not; 0: unknown */
	double
	    peak_spread; /* relative deviation of the rates at which something was lost; 0: unknown */
};

/* `mss` in bytes, not 0; `rtt_us` under load, 0 when unknown: then cwnd stands for what is in flight. */
void loss_pattern_read(struct loss_pattern *pattern, const struct run *run,
    const struct phases *phases, uint32_t mss, double rtt_us);

#endif
