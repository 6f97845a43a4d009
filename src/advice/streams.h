/*
 * Advice in several streams, where one connection cannot carry the target.
 */
#ifndef BDP_STREAMS_H
#define BDP_STREAMS_H

#include "advice/advice.h"

/* Nobody runs more of them for one transfer. */
#define STREAMS_ADVISED_MAX 10000

/* What one stream carries at most over this RTT, bit/s: the window ends at 65535 << 14 bytes (RFC 7323,
 * section 2.3) and a buffer at INT_MAX.  INFINITY when the RTT is unknown. */
double stream_most_bps(const struct advice_input *input);

/* How many streams the target takes: as measured or asked for, more where those cannot carry it. */
unsigned streams_needed(const struct advice_input *input);

/* Fills in plan->streams where the number was asked for or is not the one measured, which is
 * `asked_before`; adds the command that paces them. */
void plan_streams(const struct advice_input *input, unsigned asked_before, struct plan *plan);

#endif
