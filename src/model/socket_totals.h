/*
 * What many sockets come to: sums, a histogram, and the ten largest.  Its size does not depend on
 * how many there are.
 */
#ifndef BDP_SOCKET_TOTALS_H
#define BDP_SOCKET_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/socket_state.h"
#include "evidence/ss.h"
#include "model/socket_memory.h"

#define SOCKET_TOTALS_LARGEST 10
#define SOCKET_TOTALS_SLOW 5
/* Below 64 KiB, then by powers of two, to 1 GiB and above. */
#define SOCKET_TOTALS_CLASSES 16
#define SOCKET_TOTALS_FIRST_CLASS_BYTES 65536.0

struct listed {
	struct socket_info info;
	struct socket_memory memory;
};

struct size_class {
	uint64_t sockets;
	double held_bytes;
};

/* One direction, over all sockets. */
struct direction_sum {
	double buffer_bytes, held_bytes;
	uint64_t beyond; /* sockets */
	double beyond_buffer_bytes, beyond_held_bytes;
	double largest_bdp_bytes, largest_buffer_bytes;
};

struct socket_totals {
	uint64_t sockets;
	uint64_t by_state[STATE_COUNT];
	uint64_t with_memory;	  /* told what they hold */
	uint64_t judged;	  /* with a BDP on a side at least */
	uint64_t beyond;	  /* with a side beyond factor x BDP */
	uint64_t behind, stalled; /* slow readers; the latter are part of the former */
	double held_bytes;
	double beyond_held_bytes, beyond_buffer_bytes; /* of the sides that are beyond */
	struct direction_sum receive, send;
	struct size_class classes[SOCKET_TOTALS_CLASSES]; /* by the larger of the two buffers */
	/* of those in ESTAB, how many told what not every kernel, and not every input, tells */
	uint64_t with_min_rtt, with_peer_window, with_busy;
	struct listed
	    largest[SOCKET_TOTALS_LARGEST]; /* by what they hold, then by what they may hold */
	size_t largest_count;
	struct listed slow[SOCKET_TOTALS_SLOW]; /* by what waits to be read, stalled ones first */
	size_t slow_count;
};

/* A zeroed tally is an empty one. */
void socket_totals_add(struct socket_totals *totals, const struct listed *item);

/* Smallest buffer of a class; 0 for the first. */
double socket_totals_class_bytes(unsigned class_index);

#endif
