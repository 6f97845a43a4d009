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

/* The rate of all streams. */
struct path_rate {
	bool known, mean_known;
	double bps;	   /* over the rows that govern, as they arrived */
	double sent_bps;   /* as the rows of the end that printed them count it */
	double mean_bps;   /* of the whole test, by the receiver's total where known */
	double stream_bps; /* bps / streams */
	double median_bps; /* of the second half's bins */
	double quiet_bps;  /* of the quiet bins */
	double deviation;  /* relative standard deviation of the bins' rates */
};

struct path_loss {
	bool known;	/* the ratio is */
	bool counted;	/* and the retransmits are */
	bool is_probed; /* the ratio is what ping or mtr lost */
	double ratio;	/* retransmits / segments sent, as counted or as bytes / MSS */
	double steady_ratio;
	uint64_t retransmits, early_retransmits,
	    steady_retransmits; /* in all; before, and in the steady state */
	double lossy_bins;	/* share of steady bins with retransmits */
	double worst_bin;	/* share of steady retransmits that fell in the worst bin */
};

/* The RTT under load: a mean, and how it is known: tcp_info, a ping, or cwnd / rate of a flow held by cwnd. */
struct path_loaded_rtt {
	bool known;
	double rtt_us;
	enum rtt_method method;
};

/* The RTT without load, measured. */
struct path_idle_rtt {
	bool known;
	double rtt_us;
};

/* The RTT of the quiet bins: tcp_info's, else cwnd / rate. */
struct path_bin_rtt {
	double min_us, median_us, max_us; /* 0 when unknown */
	double trend;			  /* mean of the last third / of the first */
	bool is_proxy;			  /* it is cwnd / rate */
};

/* Of one connection. */
struct path_window {
	enum window_kind kind;
	double bytes;
};

struct path_cwnd {
	bool known;
	bool falls_unlost; /* it shrank between bins without a retransmit: not CUBIC or Reno */
	double bytes, peak_bytes;
	double spread; /* (max - min) / max over the quiet bins */
	double growth; /* last third / first third */
	double fill;   /* in flight / cwnd; 0 when unknown */
};

struct path_peer_window {
	bool known;
	double bytes; /* mean over the steady state */
	double max_bytes;
	double spread; /* as of cwnd */
	double fill;   /* in flight / window; 0 when unknown */
};

/* rate x RTT under load, of one connection */
struct path_in_flight {
	bool known;
	double bytes;
};

struct path_target {
	bool known;
	double bps; /* of all streams together */
};

struct path_bdp {
	bool known;
	double bytes;	     /* of the path: target x RTT */
	double stream_bytes; /* of one connection: its share of the target x RTT */
};

/* Bins of the series that count. */
struct path_steady {
	bool known; /* there were intervals: what is said of bins is valid */
	size_t first, count;
};

/* Their lossless end, when that is most of them; else all of them. */
struct path_quiet {
	bool is_lossless; /* it is such an end, or nothing was lost at all */
	size_t first, count;
};

struct path_elasticity {
	double queue; /* d ln RTT / d ln cwnd: 1 in a queue, 0 elsewhere; 0 when cwnd is still */
	bool rate_known;
	double
	    rate; /* d ln rate / d ln cwnd over the steady bins: at most 1 where the RTT rests, 0 where something
		      * else makes the rate */
};

/* What a run, or numbers given by hand, say of one direction of a path. Windows, cwnd, in flight and
 * BDP are per connection (one stream); rates named so are of all streams together. */
struct path {
	unsigned streams;
	double seconds;
	uint32_t mss;
	bool mss_is_measured; /* otherwise it is the assumed one */
	char congestion_control[16];
	struct path_rate rate;
	struct path_loss loss;
	struct rtt rtt; /* of the path */
	struct path_loaded_rtt loaded;
	struct path_idle_rtt idle;
	struct path_bin_rtt bin_rtt;
	struct path_window window;
	struct path_cwnd cwnd;
	struct path_peer_window peer_window;
	struct path_in_flight in_flight;
	struct path_target target;
	struct path_bdp bdp;
	struct path_elasticity elasticity;

	struct phases phases;
	struct bucket bucket;
	struct loss_pattern losses;
	struct path_steady steady;
	struct path_quiet quiet;
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
