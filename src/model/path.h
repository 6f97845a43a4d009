/*
 * What a run says of the path: steady state, RTT, window, in flight, loss.
 * Pure arithmetic; rates in bit/s, times in us unless named otherwise, sizes in bytes.
 */
#ifndef BDP_PATH_H
#define BDP_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/evidence.h"

/* How an RTT was come by, in order of trust. */
enum rtt_method {
	RTT_UNKNOWN,
	RTT_GIVEN,        /* -r */
	RTT_TCP_INFO,     /* the kernel's own, from iperf3 JSON or ss */
	RTT_PING,
	RTT_WINDOW_RATE,  /* -w and -b: taken at their word */
	RTT_PEER_WINDOW,  /* peer's window / rate, the flow sitting on it */
	RTT_RMEM_SHARE,   /* share of the receiver's tcp_rmem[2] / rate */
	RTT_CWND,         /* cwnd / rate: an upper bound with an interval */
	RTT_METHOD_COUNT
};

/* A value with its interval; low == high == us when it is taken as exact. */
struct rtt {
	enum rtt_method method;
	double us, low_us, high_us;
};

const char *rtt_method_name(enum rtt_method method); /* json: "tcp-info", "cwnd", ... */

enum window_kind {
	WINDOW_UNKNOWN,
	WINDOW_GIVEN,       /* -w */
	WINDOW_PEER,        /* the peer's advertised window */
	WINDOW_CWND,
	WINDOW_IN_FLIGHT,   /* rate x RTT */
};

const char *window_kind_name(enum window_kind kind);

enum path_has {
	PATH_RATE = 1 << 0,
	PATH_RETRANSMITS = 1 << 1,
	PATH_LOSS = 1 << 2,
	PATH_CWND = 1 << 3,
	PATH_PEER_WINDOW = 1 << 4,
	PATH_IN_FLIGHT = 1 << 5,
	PATH_MSS = 1 << 6,          /* measured; otherwise mss is the assumed one */
	PATH_TARGET = 1 << 7,
	PATH_BDP = 1 << 8,
	PATH_LOADED_RTT = 1 << 9,
	PATH_IDLE_RTT = 1 << 10,
	PATH_SERIES = 1 << 11,      /* there were intervals: the steady-state figures below are valid */
	PATH_MEAN_RATE = 1 << 12,
};

/* What a run, or numbers given by hand, say of one direction of a path. Windows, cwnd, in flight and
 * BDP are per connection (one stream); rates named so are of all streams together. */
struct path {
	unsigned has;             /* enum path_has */
	unsigned streams;
	double seconds;
	double rate_bps;          /* steady state, all streams */
	double mean_rate_bps;     /* whole test, receiver's total where known */
	double stream_rate_bps;   /* rate_bps / streams */
	uint64_t retransmits;
	double loss_ratio;        /* retransmits / (bytes / MSS) */
	struct rtt rtt;           /* of the path */
	double loaded_rtt_us;     /* mean under load */
	double idle_rtt_us;       /* measured without load */
	enum window_kind window_kind;
	double window_bytes;
	double cwnd_bytes, cwnd_peak_bytes;
	double peer_window_bytes; /* mean over the steady state */
	double peer_window_max_bytes;
	double in_flight_bytes;   /* rate x RTT under load */
	uint32_t mss;
	double target_bps;        /* of all streams together */
	double bdp_bytes;         /* at the target, with rtt.us, of one connection that carries it all */
	char congestion_control[16];

	/* of the steady state */
	size_t steady_first, steady_count; /* bins of the series that count */
	double cwnd_spread;       /* (max - min) / max of cwnd over the steady bins */
	double rate_deviation;    /* relative standard deviation of the bins' rates */
	double rtt_trend;         /* mean RTT of the last third / of the first third */
	double retransmit_bins;   /* share of steady bins with retransmits */
	uint64_t early_retransmits; /* those before the steady state */
	uint64_t steady_retransmits;
};

#endif
