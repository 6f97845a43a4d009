/*
 * The lines that mend a host's settings without a run, and that make them enough for a rate and an RTT.
 */
#ifndef BDP_HOST_MEND_H
#define BDP_HOST_MEND_H

#include <stdbool.h>
#include <stddef.h>

#include "diagnosis/deviation.h"
#include "model/capacity.h"

/* What one connection is to carry; rate_bps 0 when nothing was asked for. */
struct host_need {
	double rate_bps, rtt_us;
	double receive_ceiling_bytes, send_ceiling_bytes; /* 0: no value does */
	bool receives_enough, sends_enough; /* with the settings as they are; false when unknown */
};

struct host_mend {
	enum tunable_id id;
	struct tunable_value before, value; /* before.known false: not known */
	const struct deviation *deviation;  /* that it mends, or NULL: it is for the need alone */
};

#define HOST_MENDS_MAX 32

/* Enough is judged by the share to plan with; pure. */
void host_need_find(
    const struct host *host, double rate_bps, double rtt_us, struct host_need *need);

/* In the order of the deviations, then what the need adds; at most max.  Nothing is lowered but a value
 * that harms. */
size_t host_mends_find(const struct host *host, const struct deviations *deviations,
    const struct host_need *need, struct host_mend *mends, size_t max);

#endif
