/*
 * A run as a fluid: what passed in each interval, free of the jumps that writes in blocks make.
 */
#ifndef BDP_FLUID_H
#define BDP_FLUID_H

#include "model/phases.h"

/* Bytes that passed in each row, from cwnd where it is known (rows jump by what one write holds; cwnd does
 * not), scaled to the bytes that were counted. */
struct fluid {
	double bytes[SERIES_MAX], seconds[SERIES_MAX];
	uint64_t lost[SERIES_MAX]; /* retransmits */
	size_t count;		   /* rows: the usable ones of `phases` */
	double first_bytes; /* of the first row, without what only filled the socket buffer */
	double fill;	    /* that, as part of the first row */
};

/* `phases` has a row at least.  Pure. */
void fluid_read(struct fluid *fluid, const struct run *run, const struct phases *phases);

/* Bytes/s of rows first .. end - 1; 0 for none. */
double fluid_rate(const struct fluid *fluid, size_t first, size_t end);

/* Relative deviation of the rate over 5 s (a quarter of a short run), after the first row. */
double fluid_swing(const struct fluid *fluid);

#endif
