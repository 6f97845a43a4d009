/*
 * From features to the shares of the causes.
 */
#ifndef BDP_VERDICT_H
#define BDP_VERDICT_H

#include "diagnosis/features.h"

/* Sums the weights of what is present and normalises: shares of all causes, sum 1.  A bottleneck's stands
 * at FACTOR_LINK, FACTOR_QUEUE is 0.  Pure. */
void shares_weigh(const struct features *features, double shares[FACTOR_COUNT]);

#endif
