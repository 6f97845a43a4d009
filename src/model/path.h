/*
 * What a run says of the path: steady state, RTT, window, in flight, loss.
 * Pure arithmetic; rates in bit/s, times in us unless named otherwise, sizes in bytes.
 */
#ifndef BDP_PATH_H
#define BDP_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/evidence.h"
#include "model/bucket.h"
#include "model/loss_pattern.h"
#include "model/phases.h"

/* A steady state with fewer retransmits than this a segment counts as lossless: a stray one in a few
 * seconds of a fast flow neither halves its window nor tells of a queue. */
#define LOSSLESS_RATIO 2e-5

/* How an RTT was come by, in order of trust. */
enum rtt_method {
	RTT_UNKNOWN,
	RTT_GIVEN,    /* -r */
	RTT_TCP_INFO, /* the kernel's own, from iperf3 JSON or ss */
	RTT_PING,
	RTT_WINDOW_RATE, /* -w and -b: taken at their word */
	RTT_PEER_WINDOW, /* peer's window / rate, the flow sitting on it */
	RTT_RMEM_SHARE,	 /* share of the receiver's tcp_rmem[2] / rate */
	RTT_CWND,	 /* cwnd / rate: an upper bound with an interval */
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
	WINDOW_GIVEN, /* -w */
	WINDOW_PEER,  /* the peer's advertised window */
	WINDOW_CWND,
	WINDOW_IN_FLIGHT, /* rate x RTT */
};

const char *window_kind_name(enum window_kind kind);

enum path_has {
	PATH_RATE = 1 << 0,
	PATH_RETRANSMITS = 1 << 1,
	PATH_LOSS = 1 << 2,
	PATH_CWND = 1 << 3,
	PATH_PEER_WINDOW = 1 << 4,
	PATH_IN_FLIGHT = 1 << 5,
	PATH_MSS = 1 << 6, /* measured; otherwise mss is the assumed one */
	PATH_TARGET = 1 << 7,
	PATH_BDP = 1 << 8,
	PATH_LOADED_RTT = 1 << 9,
	PATH_IDLE_RTT = 1 << 10,
	PATH_SERIES = 1 << 11, /* there were intervals: the steady-state figures below are valid */
	PATH_MEAN_RATE = 1 << 12,
	PATH_RATE_ELASTICITY = 1 << 13,
};

/* What a run, or numbers given by hand, say of one direction of a path. Windows, cwnd, in flight and
 * BDP are per connection (one stream); rates named so are of all streams together. */
struct path {
	unsigned has; /* enum path_has */
	unsigned streams;
	double seconds;
	double rate_bps;	/* all streams, over the rows that govern, as they arrived */
	double sent_rate_bps;	/* as the rows of the end that printed them count it */
	double mean_rate_bps;	/* whole test, receiver's total where known */
	double stream_rate_bps; /* rate_bps / streams */
	uint64_t retransmits;
	double loss_ratio;    /* retransmits / (bytes / MSS) */
	bool loss_is_probed;  /* it is what ping or mtr lost */
	struct rtt rtt;	      /* of the path */
	double loaded_rtt_us; /* mean under load */
	enum rtt_method
	    loaded_method; /* how that is known: tcp_info, a ping, or cwnd / rate of a flow held by cwnd */
	double idle_rtt_us; /* measured without load */
	enum window_kind window_kind;
	double window_bytes;
	double cwnd_bytes, cwnd_peak_bytes;
	double peer_window_bytes; /* mean over the steady state */
	double peer_window_max_bytes;
	double in_flight_bytes; /* rate x RTT under load */
	uint32_t mss;
	double target_bps;	 /* of all streams together */
	double bdp_bytes;	 /* of the path: target_bps x rtt.us */
	double stream_bdp_bytes; /* of one connection: its share of the target x rtt.us */
	char congestion_control[16];

	struct phases phases;
	struct bucket bucket;
	struct loss_pattern losses;

	/* of the steady state */
	size_t steady_first, steady_count; /* bins of the series that count */
	size_t quiet_first,
	    quiet_count;	/* its lossless end, when that is most of it; else all of it */
	double median_rate_bps; /* of the second half's bins */
	double quiet_rate_bps;	/* of the quiet bins, all streams */
	bool ends_quiet;	/* quiet_* is such an end, or there was no loss at all */
	double
	    queue_elasticity; /* d ln RTT / d ln cwnd: 1 in a queue, 0 elsewhere; 0 when cwnd is still */
	double
	    rate_elasticity; /* d ln rate / d ln cwnd over the steady bins: 1 where the RTT rests, 0 where
			      * something else makes the rate; with PATH_RATE_ELASTICITY */
	double cwnd_spread;	/* (max - min) / max of cwnd over the quiet bins */
	double rate_deviation;	/* relative standard deviation of the bins' rates */
	double rtt_trend;	/* mean RTT of the last third / of the first, quiet bins */
	double retransmit_bins; /* share of steady bins with retransmits */
	double cwnd_growth;	/* cwnd of the last third / of the first third */
	double lossy_streak;	/* share of steady retransmits that fell in the worst bin */
	bool
	    cwnd_falls_unlost; /* cwnd shrank between bins without a retransmit: not CUBIC or Reno */
	double rtt_median_us;  /* as the two below */
	double window_fill, cwnd_fill; /* in flight / window, / cwnd; 0 when unknown */
	double rtt_min_us, rtt_max_us; /* over the quiet bins: tcp_info's, else cwnd / rate */
	bool rtt_is_proxy;	       /* rtt_min_us, rtt_max_us, rtt_trend come from cwnd / rate */
	double peer_window_spread;     /* as cwnd_spread */
	uint64_t early_retransmits;    /* those before the steady state */
	uint64_t steady_retransmits;
	double steady_loss; /* steady_retransmits / segments of the steady state */
};

/* Numbers given by hand, and facts that outrank the run's own. 0 where not given. */
struct path_given {
	bool loss_is_probed; /* by ping or mtr, and not by hand */
	double bandwidth_bps, target_bps, rtt_us, idle_rtt_us, loss_ratio;
	double window_bytes;
};

/* What ping or mtr lost without load: the path's own loss. A ratio of 0 over many probes is as much of an
 * answer as another. */
struct probe_loss {
	bool known;
	uint64_t sent, lost;
	double ratio;
	const struct ping *ping; /* whose figures these are; .hops is not 0 when mtr took them */
};

/* One probe lost of a few is chance. */
#define PROBES_LOST_MIN 2
#define PROBES_SENT_MIN 20
/* Enough was lost, of enough, to be the path's. */
bool probe_loss_tells(const struct probe_loss *loss);

/* What is known beside the run that helps to tell its RTT; every pointer may be NULL. */
struct path_context {
	const struct ping *ping;	       /* of this path, without load */
	const struct socket_info *socket;      /* the run's own, at its sender */
	const struct socket_info *peer_socket; /* the same connection at its receiver */
	const struct host *receiver;	       /* for the share of its tcp_rmem[2] */
	bool ping_is_loaded;		   /* taken during the test: no base for the path's RTT */
	const struct ping *loaded_ping;	   /* of this path, during the test */
	const struct ping *other_ping;	   /* of the same target as `ping`, slower or not */
	const struct tc *tc;		   /* queues of this path, during the test */
	const struct tracepath *tracepath; /* its MTU */
	struct probe_loss probe_loss;
};

/* Everything that a run says; `given` outranks it. Pure. */
void path_from_run(struct path *path, const struct run *run, const struct path_given *given,
    const struct path_context *context);

/* Any two of bandwidth, RTT and window give the third; needs at least one. Pure. */
void path_from_numbers(struct path *path, const struct path_given *given);

/* cwnd moves as no loss-based control moves it: it shrinks without a loss, or stays many times above
 * what the loss ratio would leave (sqrt(3/2)/sqrt(p) segments). */
bool path_ignores_loss(const struct path *path);

/* BBR of any version, by its name as the kernel has it. */
bool congestion_is_bbr(const char *name);
/* The same of a flow: by its name; where that is not known, when its cwnd ignores loss. */
bool path_is_bbr(const struct path *path);

/* RTT of the path without the flow's own queue, in us: measured idle, else the smallest that tcp_info shows, else
 * as given; 0 where none of them is known. */
double path_base_rtt_us(const struct path *path);

/* A rate such as somebody asks for (-b): 1, 1.5, 2, 2.5, 3, 4, ... times a power of ten, within 1.5 %. */
bool rate_is_round(double rate_bps);

/* Bytes in flight that a rate needs over a round-trip time. */
double bdp_bytes(double rate_bps, double rtt_us);

#endif
