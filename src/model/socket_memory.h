/*
 * What one socket holds, and what its path needs: pure arithmetic.
 */
#ifndef BDP_SOCKET_MEMORY_H
#define BDP_SOCKET_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/host.h"
#include "evidence/ss.h"

/* By what a socket is judged. */
struct socket_memory_rule {
	double target_bps;  /* that each connection should carry; 0: what was measured */
	double factor;	    /* a buffer beyond this many BDPs is more than the path needs */
	double floor_bytes; /* smaller buffers are what any connection is given at first */
};

/* What changed between two readings of a socket. */
struct counter_delta {
	double seconds;
	uint64_t received_bytes, acked_bytes;
	double busy_us, rwnd_limited_us, sndbuf_limited_us;
	/* received and not read: before and now */
	uint64_t queue_before_bytes, queue_bytes;
};

/* One direction. */
struct direction {
	bool has_rate, has_bdp;
	bool beyond;	     /* the buffer is more than the path needs */
	double buffer_bytes; /* what it may hold: sk_rcvbuf, sk_sndbuf */
	double held_bytes;   /* what it holds */
	double rate_bps;     /* the target, else the fastest measured */
	double bdp_bytes, ratio;
	double window_max_bytes; /* the largest that the window scale permits; 0 when unknown */
};

enum socket_memory_has {
	SOCKET_MEMORY_BUFFERS = 1 << 0,	    /* both sides' buffers and what they hold */
	SOCKET_MEMORY_RTT = 1 << 1,	    /* rtt_us */
	SOCKET_MEMORY_PATH_RTT = 1 << 2,    /* path_rtt_us */
	SOCKET_MEMORY_RETRANSMITS = 1 << 3, /* retransmit_ratio */
	SOCKET_MEMORY_LIMITED = 1 << 4,	    /* rwnd_share, sndbuf_share: of the time it was busy */
	SOCKET_MEMORY_BUSY =
	    1 << 5,		    /* busy_share, of the interval: the rest is the application's */
	SOCKET_MEMORY_NOW = 1 << 6, /* receive_now_bps, send_now_bps: over the interval */
};

/* How the application reads. */
enum reader {
	READER_KEEPS_UP,
	READER_BEHIND,	/* what waits to be read fills half of the buffer */
	READER_STALLED, /* and nothing of it was read during the interval */
};

struct socket_memory {
	unsigned has;	   /* enum socket_memory_has */
	double held_bytes; /* all that it is charged for */
	double rtt_us;
	double path_rtt_us; /* the smallest seen: without the queue */
	struct direction receive, send;
	bool beyond; /* either side is */
	enum reader reader;
	double retransmit_ratio, rwnd_share, sndbuf_share, busy_share;
	double receive_now_bps, send_now_bps;
};

/* The rule for a host's sockets: factor (0: 2), target_bps as in the rule, and as the floor what the host gives
 * every connection at first. */
struct socket_memory_rule socket_memory_rule_for(
    const struct host *host, double factor, double target_bps);

/* `delta` is NULL when there is one reading only. */
void socket_memory_compute(struct socket_memory *memory, const struct socket_info *info,
    const struct counter_delta *delta, const struct socket_memory_rule *rule);

#endif
