/*
 * Running statistics in constant memory, and order statistics of small arrays.
 */
#ifndef BDP_STATS_H
#define BDP_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Welford's recurrences: mean and spread without keeping the values. Zero-initialise. */
struct stats {
	uint64_t count;
	double mean, m2, min, max;
};

void stats_add(struct stats *stats, double value);
/* Sample standard deviation; 0 for fewer than two values. */
double stats_deviation(const struct stats *stats);
/* Median of n values (mean of the middle two when n is even); reorders the array; 0 for n == 0. */
double stats_median(double *values, size_t n);

#endif
