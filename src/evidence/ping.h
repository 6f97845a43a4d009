/*
 * Round-trip times from ping (Linux iputils, busybox, macOS/BSD).
 */
#ifndef BDP_PING_H
#define BDP_PING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "base/stats.h"

struct ping {
	char target[64];     /* safe to print; "" when not told */
	struct stats rtt_us; /* of the replies seen line by line; else empty */
	bool has_summary;    /* min/avg/max of the closing line */
	double min_us, avg_us, max_us, deviation_us; /* from the summary, else from the replies */
	bool has_counts;
	uint64_t sent, received, duplicates, errors;
	unsigned hops;	   /* of mtr; 0 for a ping */
	unsigned loss_hop; /* of mtr: every hop from this one on loses; 0 when none does */
};

/* Several pings in a file are folded into one when they name one target; *targets counts the
 * distinct ones (the first is kept).  False when there is no ping output; *why completes "NAME: ...".
 * A ping without any reply is read (received 0) and has no times: neither a summary nor replies.
 * errno is not 0 after false when the input could not be read. */
bool ping_read(struct ping *ping, struct source *source, unsigned *targets, const char **why);

#endif
