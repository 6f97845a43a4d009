#include "model/rtt.h"

#include <math.h>
#include <string.h>

#include "model/window.h"

/*
 * cwnd / rate over the true RTT, in 650 public wide-area runs of CUBIC with one stream and an RTT above
 * 20 ms (2 to 98 of 100 unless said otherwise).  A constant cwnd is one that the flow does not use: Linux
 * lets it grow to twice what is in flight in slow start (net/ipv4/tcp_input.c tcp_is_cwnd_limited).  BBR
 * keeps cwnd at twice the BDP by design (cwnd_gain 2).
 */
struct cwnd_rule {
	double guess, low, high; /* RTT = naive x these */
};

/* At the mark of the default ceiling: 2.02 to 2.9 in 95 of 100. */
static const struct cwnd_rule cwnd_marked = {1 / 2.09, 1 / 3.2, 1 / 1.98};
/* Constant elsewhere: 0.99 to 4 in 95 of 100, with a long tail where a program's pace holds the flow. */
static const struct cwnd_rule cwnd_constant = {1 / 2.05, 1 / 8.4, 1 / 0.97};
/* Growing back after a loss: all of it is in flight. */
static const struct cwnd_rule cwnd_regrowing = {1, 1 / 1.4, 1 / 0.8};
/* Moving with losses, now and then: 0.91 to 2.08 in 95 of 100. */
static const struct cwnd_rule cwnd_sawtooth = {1 / 1.04, 1 / 2.0, 1 / 0.91};
/* Growing all along without a loss: 0.87 to 1.11 in 36 of 37. */
static const struct cwnd_rule cwnd_growing = {1 / 1.01, 1 / 1.85, 1 / 0.87};
static const struct cwnd_rule cwnd_of_bbr = {1 / 2.0, 1 / 5.0, 1};
/* Loss all along: timeouts leave the mean rate below what cwnd would carry, or above. */
static const struct cwnd_rule cwnd_lossy = {1, 1 / 2.0, 1.5};
/* BBR under loss: its own queue adds to the RTT. */
static const struct cwnd_rule cwnd_of_lossy_bbr = {1 / 2.0, 1 / 6.0, 1};

/* A cwnd that moves by less than this share is constant: 3 printed digits round by up to 1 %. */
#define CWND_CONSTANT 0.022
/* One whose last third is beyond the first by this grows. */
#define GROWS 1.1
/* So much is lost where slow start has overrun a queue, which then stands in cwnd / rate. */
#define LOSS_OF_OVERFLOW 0.05
/* One that moves by less is hardly used. */
#define CWND_WAVERING 0.08
/* 49 of 100 runs with a constant cwnd had 2.0 +- 0.15 times what was in flight; up to 2.5 on 6.18. */
#define TWICE_LOW 1.8
#define TWICE_HIGH 2.6
/* Below this, queues in hosts and interfaces weigh as much as the path: no lower bound. */
#define LEAST_BOUND_US 10000
/* The exponent of the rate over cwnd below which a queue takes what cwnd adds. */
#define RATE_FOLLOWS 0.45
/* cwnd that rests at the mark of the default ceiling, in bytes (diagnosis/features_ceilings.c). */
#define MARK_LOW (5.91 * 0x1p20)
#define MARK_HIGH (6.35 * 0x1p20)
/* A cwnd of so few segments is collapsed, or BBR's PROBE_RTT (tcp_bbr.c bbr_cwnd_min_target): it tells
 * nothing of what is in flight. */
#define COLLAPSED_SEGMENTS 5

static const struct cwnd_rule *cwnd_rule_for(const struct path *path)
{
	bool lossy = path->loss.steady_ratio > 1e-3 && path->loss.lossy_bins > 0.5;
	bool lossless = path->quiet.is_lossless || path->loss.steady_ratio < LOSSLESS_RATIO;

	if (path_is_bbr(path))
		return lossy ? &cwnd_of_lossy_bbr : &cwnd_of_bbr;
	if (path->phases.cwnd_rests || path->cwnd.spread < CWND_CONSTANT)
		return path->cwnd.bytes > MARK_LOW && path->cwnd.bytes < MARK_HIGH && lossless
			   ? &cwnd_marked
			   : &cwnd_constant;
	if (lossless)
		return path->loss.retransmits > 0 && path->cwnd.growth > 1.04 ? &cwnd_regrowing
									      : &cwnd_growing;
	return lossy ? &cwnd_lossy : &cwnd_sawtooth;
}

/* The exponent of the rate over cwnd, by the halves of the steady rows with the smaller and the larger
 * cwnd; 1 when cwnd hardly moves. */
static double rate_exponent(const struct path *path, const struct run *run)
{
	const struct bin *bins = &run->series.bins[path->steady.first];
	double bytes[2] = {0}, seconds[2] = {0}, cwnd[2] = {0}, rows[2] = {0};

	for (size_t i = 0; i < path->steady.count; i++) {
		if (!(bins[i].has & BIN_CWND))
			return 1;
		size_t half = (double)bins[i].cwnd_bytes > path->cwnd.bytes * path->streams;
		bytes[half] += (double)bins[i].bytes;
		seconds[half] += bins[i].end_s - bins[i].start_s;
		cwnd[half] += (double)bins[i].cwnd_bytes;
		rows[half]++;
	}
	if (rows[0] == 0 || rows[1] == 0 || bytes[0] <= 0 || bytes[1] <= 0 || cwnd[0] <= 0)
		return 1;
	double larger = cwnd[1] / rows[1] / (cwnd[0] / rows[0]);
	double faster = bytes[1] / seconds[1] / (bytes[0] / seconds[0]);
	return larger > 1.06 ? log(faster) / log(larger) : 1;
}

/* True when a queue may stand in cwnd / rate, or nothing but the program's pace in the rate. */
static bool has_no_lower_bound(
    const struct path *path, const struct run *run, const struct cwnd_rule *rule)
{
	if (rule == &cwnd_constant)
		return path->rate.deviation < 0.005 ||
		       rate_is_round(path->rate.median_bps / path->streams);
	if (rule == &cwnd_marked)
		return false;
	return path->phases.governing == PHASE_FILLING ||
	       path->loss.steady_ratio > LOSS_OF_OVERFLOW ||
	       (path->bin_rtt.is_proxy && path->bin_rtt.trend > 1.3 && rule != &cwnd_sawtooth) ||
	       rate_exponent(path, run) < RATE_FOLLOWS;
}

/* RTT from cwnd and rate: an upper bound with an interval. A queue that the flow itself builds makes
 * cwnd / rate rise; the path without it may then be far shorter, and only the smallest counts. */
static struct rtt rtt_from_cwnd(const struct path *path, const struct run *run)
{
	const struct cwnd_rule *rule = cwnd_rule_for(path);
	double naive_us = path->cwnd.bytes * 8 / path->rate.stream_bps * 1e6;
	struct rtt rtt = {.method = RTT_CWND,
	    .us = naive_us * rule->guess,
	    .low_us = naive_us * rule->low,
	    .high_us = naive_us * rule->high + 100};

	/* No algorithm told and no loss seen: it may be BBR, whose cwnd rests, or steps, after the start. */
	bool grows = rule == &cwnd_growing && path->cwnd.growth > GROWS;
	if (path->congestion_control[0] == '\0' && path->loss.retransmits == 0 &&
	    rule != &cwnd_marked && !grows)
		rtt.low_us = fmin(rtt.low_us, naive_us * cwnd_of_bbr.low);
	if (has_no_lower_bound(path, run, rule) || rtt.low_us < LEAST_BOUND_US) {
		rtt.low_us = 0;
		if (path->bin_rtt.trend > 1.2 && path->bin_rtt.is_proxy && path->bin_rtt.min_us > 0)
			rtt.us = fmin(rtt.us, path->bin_rtt.min_us);
	}
	return rtt;
}

/* Narrows `bound` by what the receiver's ceiling can have given as window, where the flow sits on it:
 * no loss, and a cwnd above that window. */
static bool rtt_from_rmem(
    struct rtt *rtt, const struct path *path, const struct run *run, const struct host *receiver)
{
	const struct tunable_value *rmem = &receiver->values[TUNABLE_TCP_RMEM];

	if (!rmem->known || !path->cwnd.known || path->loss.steady_ratio >= LOSSLESS_RATIO ||
	    path->rate.stream_bps <= 0)
		return false;
	struct share share =
	    window_share(&receiver->kernel, &receiver->values[TUNABLE_TCP_ADV_WIN_SCALE]);
	double ceiling_bytes = (double)rmem->number[2];
	double per_byte_us = 8e6 / path->rate.stream_bps;
	struct rtt held = {.method = RTT_RMEM_SHARE,
	    .us = window_of_buffer(ceiling_bytes, share.typical) * per_byte_us,
	    .low_us = window_of_buffer(ceiling_bytes, share.low) * per_byte_us,
	    .high_us = window_of_buffer(ceiling_bytes, share.high) * per_byte_us};

	/* Not held by that window if cwnd is below it, or far above what slow start leaves. */
	double window_bytes = window_of_buffer(ceiling_bytes, share.typical);
	bool still =
	    path->phases.cwnd_rests || path->cwnd.spread < CWND_WAVERING || path_is_bbr(path);
	if (!still || path->cwnd.bytes < 0.9 * window_bytes ||
	    path->cwnd.bytes > 3.2 * window_bytes)
		return false;
	struct rtt bound = rtt_from_cwnd(path, run);
	/* At twice the window cwnd is where slow start leaves it; elsewhere the match may be chance. */
	bool twice = path->cwnd.bytes > TWICE_LOW * window_bytes &&
		     path->cwnd.bytes < TWICE_HIGH * window_bytes;
	held.low_us = twice ? fmax(held.low_us, bound.low_us * 0.9) : bound.low_us;
	held.high_us = fmin(held.high_us, bound.high_us * 1.05);
	if (held.us < held.low_us || held.us > held.high_us)
		return false;
	*rtt = held;
	return true;
}

static struct rtt rtt_exact(enum rtt_method method, double us)
{
	return (struct rtt){.method = method, .us = us, .low_us = us, .high_us = us};
}

/* tcp_info's RTT is a mean (7/8 of the old, 1/8 of the new: RFC 6298) of what is measured under load, so its
 * smallest is an upper bound of the path's.  Where it never moves, hosts and their queues add up to this
 * (171 situations on Linux 6.18). */
#define FLAT_LOW 0.87
#define FLAT_RISE 1.06
#define MOVING_LOW 0.4
#define QUEUE_RISE 1.25
#define HOSTS_US 2500
/* What the ends add to one small packet's RTT. */
#define PROBE_US 100

/* The part of the smallest RTT seen that is surely the path's: none where a queue may stand all along. */
static double queue_free_part(const struct path *path)
{
	double rise = path->bin_rtt.min_us > 0 ? path->bin_rtt.max_us / path->bin_rtt.min_us : 1;

	if (rise > QUEUE_RISE || path->elasticity.queue > 0.5 ||
	    path->phases.governing == PHASE_FILLING)
		return 0;
	return rise > FLAT_RISE ? MOVING_LOW : FLAT_LOW;
}

/* The smallest of tcp_info's samples is the path's; the mean, that under load. */
static struct rtt rtt_from_tcp_info(
    const struct path *path, const struct run *run, const struct path_context *context)
{
	double us = INFINITY;

	for (size_t i = 0; i < run->series.count; i++)
		if (run->series.bins[i].has & BIN_RTT)
			us = fmin(us, run->series.bins[i].rtt_min_us);
	if (run->has & RUN_RTT_EXTREMES)
		us = fmin(us, run->rtt_min_us);
	if (context->socket && (context->socket->has & SOCKET_MIN_RTT))
		us = fmin(us, context->socket->min_rtt_us);
	else if (context->socket && (context->socket->has & SOCKET_RTT))
		us = fmin(us, context->socket->rtt_us);
	if (!isfinite(us))
		return (struct rtt){.method = RTT_UNKNOWN};
	struct rtt rtt = rtt_exact(RTT_TCP_INFO, us);
	bool kept = context->socket && (context->socket->has & SOCKET_MIN_RTT);
	/* the smallest of all, since the connection began, is the path's but for what hosts add */
	if (kept)
		rtt.low_us = fmax(0, 0.95 * us - PROBE_US);
	else
		rtt.low_us = fmax(0, queue_free_part(path) * us - HOSTS_US);
	rtt.high_us = us + PROBE_US;
	return rtt;
}

/* The smallest of n probes is above the path's RTT: delays beyond that taken as exponential, their mean is
 * (avg - min) x n / (n - 1), and with 95 % probability the smallest is below 3 / n of it. */
static struct rtt rtt_from_ping(const struct ping *ping)
{
	double n = ping->has_counts	    ? (double)ping->received
		   : ping->rtt_us.count > 0 ? (double)ping->rtt_us.count
					    : 1;
	double over_us = n > 1 ? 3 * (ping->avg_us - ping->min_us) / (n - 1) : ping->min_us / 2;

	return (struct rtt){.method = RTT_PING,
	    .us = ping->min_us,
	    .low_us = fmax(ping->min_us / 2, ping->min_us - over_us),
	    .high_us = fmax(ping->avg_us, ping->min_us + PROBE_US)};
}

/* Ratio and least difference of two RTTs of one path that nothing explains; an RTT rests when its median is within
 * this of its smallest. */
#define CONTRADICTS_RATIO 3
#define CONTRADICTS_US 5000
#define RESTS_RATIO 1.2

bool rtt_contradicts(const struct path *path, double tcp_us, double ping_us)
{
	bool rests = path->bin_rtt.median_us < RESTS_RATIO * path->bin_rtt.min_us;

	if (ping_us <= 0 || fabs(tcp_us - ping_us) < CONTRADICTS_US)
		return false;
	return (rests && tcp_us > CONTRADICTS_RATIO * ping_us) ||
	       ping_us > CONTRADICTS_RATIO * tcp_us;
}

/* One rule: the path's RTT is the smallest of all that was measured on it. */
static struct rtt smaller_of(struct rtt a, struct rtt b)
{
	return a.method == RTT_UNKNOWN || (b.method != RTT_UNKNOWN && b.us < a.us) ? b : a;
}

static void set_idle(struct path *path, const struct path_given *given, const struct ping *ping)
{
	if (given->idle_rtt_us > 0)
		path->idle.rtt_us = given->idle_rtt_us;
	else if (ping && ping->min_us > 0)
		path->idle.rtt_us = ping->min_us;
	else
		return;
	path->idle.known = true;
}

/* CUBIC gives up 30 % of cwnd at a loss, of which samples a second apart show a part. */
#define LOSS_MOVES_CWND 0.08
#define LEAST_USED 0.02
#define SEGMENTS_TO_TELL 10.0

/*
 * Where loss holds cwnd, all of it is in flight (RFC 9438, section 5.8: it does not grow otherwise), and
 * cwnd / rate is the RTT under load.  Worth knowing beside that of the idle path.  Not with BBR, whose
 * cwnd is twice that.
 */
static void load_from_cwnd(struct path *path)
{
	bool lossy = path->loss.steady_ratio >= LOSSLESS_RATIO &&
		     path->loss.steady_retransmits > 0 && path->cwnd.spread > LOSS_MOVES_CWND;
	/* a relay beside the sender, or timeouts: cwnd is not what is in flight */
	bool unused =
	    path->rate.stream_bps / 8e6 * path->idle.rtt_us < LEAST_USED * path->cwnd.bytes;

	unused |= path->loss.steady_ratio > LOSS_OF_OVERFLOW ||
		  path->cwnd.bytes < SEGMENTS_TO_TELL * (double)path->mss;
	if (path->loaded.known || !path->idle.known || !path->cwnd.known || !lossy || unused ||
	    path->rate.stream_bps <= 0 || path_is_bbr(path))
		return;
	path->loaded.known = true;
	path->loaded.rtt_us = path->cwnd.bytes * 8 / path->rate.stream_bps * 1e6;
	path->loaded.method = RTT_CWND;
}

/* Not of a receiver's log, whose cwnd is another direction's, nor of one that has collapsed. */
static bool cwnd_tells(const struct path *path, const struct run *run)
{
	return path->cwnd.known && run->local_sends && path->rate.stream_bps > 0 &&
	       path->cwnd.bytes > COLLAPSED_SEGMENTS * (double)path->mss;
}

void rtt_compute(struct path *path, const struct run *run, const struct path_given *given,
    const struct path_context *context)
{
	const struct ping *idle = context->ping_is_loaded ? NULL : context->ping;
	bool has_ping = idle && idle->min_us > 0;

	set_idle(path, given, idle);
	if (context->socket && (context->socket->has & SOCKET_RTT) && !path->loaded.known) {
		path->loaded.known = true;
		path->loaded.rtt_us = context->socket->rtt_us;
		path->loaded.method = RTT_TCP_INFO;
	}

	if (context->loaded_ping && context->loaded_ping->avg_us > 0 && !path->loaded.known) {
		path->loaded.known = true;
		path->loaded.rtt_us = context->loaded_ping->avg_us;
		path->loaded.method = RTT_PING;
	}
	load_from_cwnd(path);

	struct rtt measured = rtt_from_tcp_info(path, run, context);
	if (given->idle_rtt_us > 0)
		measured = smaller_of(measured, rtt_exact(RTT_GIVEN, given->idle_rtt_us));
	else if (has_ping && !(measured.method == RTT_TCP_INFO &&
				 rtt_contradicts(path, measured.us, idle->min_us)))
		measured = smaller_of(measured, rtt_from_ping(idle));
	if (given->rtt_us > 0)
		path->rtt = rtt_exact(RTT_GIVEN, given->rtt_us);
	else if (measured.method != RTT_UNKNOWN)
		path->rtt = measured;
	else if (context->receiver && rtt_from_rmem(&path->rtt, path, run, context->receiver))
		return;
	else if (path->peer_window.known && path->loss.steady_ratio < LOSSLESS_RATIO &&
		 path->rate.stream_bps > 0 && path->cwnd.bytes >= path->peer_window.bytes)
		path->rtt = (struct rtt){.method = RTT_PEER_WINDOW,
		    .us = path->peer_window.bytes * 8e6 / path->rate.stream_bps,
		    .low_us = path->peer_window.bytes * 8e6 / path->rate.stream_bps * 0.5,
		    .high_us = path->peer_window.max_bytes * 8e6 / path->rate.stream_bps};
	else if (cwnd_tells(path, run))
		path->rtt = rtt_from_cwnd(path, run);
}
