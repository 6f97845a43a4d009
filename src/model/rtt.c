#include "model/rtt.h"

#include <math.h>
#include <string.h>

#include "model/window.h"

/*
 * cwnd / rate over the true RTT, as seen in 5,707 public wide-area runs of CUBIC with one stream and an
 * RTT above 20 ms: with a constant cwnd, median 2.07 and at most 2.3 in 95 % of them without
 * retransmits; with a varying one, median 1.02, 5 % below 0.94, 95 % below 1.9.  A constant cwnd is one
 * that the flow does not use: Linux lets it grow to twice what is in flight in slow start
 * (net/ipv4/tcp_input.c tcp_is_cwnd_limited).  BBR keeps cwnd at twice the BDP by design (cwnd_gain 2).
 * Flows held by their send buffer were measured beyond that: up to 2.8 with CUBIC, 3.3 with BBR, and
 * where a program's own pace holds the flow there is no lower bound at all.
 */
struct cwnd_rule {
	double guess, low, high; /* RTT = naive x these */
};

static const struct cwnd_rule cwnd_constant = {1 / 2.07, 1 / 2.8, 1};
static const struct cwnd_rule cwnd_varying = {1 / 1.02, 1 / 2.8, 1.05};
/* Losses now and then keep the mean rate below what the mean cwnd would carry. */
static const struct cwnd_rule cwnd_sawtooth = {1 / 1.02, 1 / 2.8, 1.25};
/* One that moves by a few per cent without loss may be either. */
static const struct cwnd_rule cwnd_wavering = {1 / 1.4, 1 / 2.8, 1.05};
static const struct cwnd_rule cwnd_of_bbr = {1 / 2.0, 1 / 3.4, 1};
/* Loss all along: timeouts leave the mean rate below what cwnd would carry, or above. */
static const struct cwnd_rule cwnd_lossy = {1, 1 / 1.9, 1.5};
/* BBR under loss: its own queue adds to the RTT. */
static const struct cwnd_rule cwnd_of_lossy_bbr = {1 / 2.0, 1 / 6.0, 1};

/* A cwnd that moves by less than this share is constant: 3 printed digits round by up to 1 %. */
#define CWND_CONSTANT 0.02
#define CWND_WAVERING 0.08
/* Below this, queues in hosts and interfaces weigh as much as the path: no lower bound. */
#define LEAST_BOUND_US 10000
/* A rate this steady may be somebody's choice, or a link's: what cwnd says of it is no lower bound. */
#define STEADY_RATE 0.15

static bool path_is_bbr(const struct path *path)
{
	return congestion_is_bbr(path->congestion_control) ||
	       (path->congestion_control[0] == '\0' && path_ignores_loss(path));
}

static const struct cwnd_rule *cwnd_rule_for(const struct path *path)
{
	bool lossy = path->steady_loss > 1e-3 && path->retransmit_bins > 0.5;

	if (path_is_bbr(path))
		return lossy ? &cwnd_of_lossy_bbr : &cwnd_of_bbr;
	if (lossy)
		return &cwnd_lossy;
	if (path->cwnd_spread < CWND_CONSTANT)
		return &cwnd_constant;
	if (path->cwnd_spread < CWND_WAVERING && path->steady_loss < LOSSLESS_RATIO)
		return &cwnd_wavering;
	return path->steady_loss >= LOSSLESS_RATIO ? &cwnd_sawtooth : &cwnd_varying;
}

/* True when a queue may stand in cwnd / rate, or nothing but the program's pace in the rate. */
static bool has_no_lower_bound(const struct path *path, const struct cwnd_rule *rule)
{
	if (rule == &cwnd_varying || rule == &cwnd_sawtooth || rule == &cwnd_lossy)
		return path->rate_deviation < STEADY_RATE || path->rtt_trend > 1.2;
	/* iperf3 paces -b by blocks: the same bytes in every interval, or a round rate. */
	return rule == &cwnd_constant && (path->rate_deviation < 0.005 ||
					     rate_is_round(path->median_rate_bps / path->streams));
}

/* RTT from cwnd and rate: an upper bound with an interval. A queue that the flow itself builds makes
 * cwnd / rate rise; the path without it may then be far shorter, and only the smallest counts. */
static struct rtt rtt_from_cwnd(const struct path *path)
{
	const struct cwnd_rule *rule = cwnd_rule_for(path);
	double naive_us = path->cwnd_bytes * 8 / path->stream_rate_bps * 1e6;
	struct rtt rtt = {.method = RTT_CWND,
	    .us = naive_us * rule->guess,
	    .low_us = naive_us * rule->low,
	    .high_us = naive_us * rule->high};

	if (path->rtt_is_proxy && path->rtt_min_us > 0)
		rtt.low_us = fmin(rtt.low_us, path->rtt_min_us * rule->low);
	/* No algorithm told and no loss seen: it may be BBR, whose cwnd need not move. */
	if (path->congestion_control[0] == '\0' && path->steady_loss < LOSSLESS_RATIO)
		rtt.low_us = fmin(rtt.low_us, naive_us * cwnd_of_bbr.low);
	if (has_no_lower_bound(path, rule) || rtt.low_us < LEAST_BOUND_US) {
		rtt.low_us = 0;
		if (path->rtt_trend > 1.2 && path->rtt_is_proxy && path->rtt_min_us > 0)
			rtt.us = fmin(rtt.us, path->rtt_min_us);
	}
	return rtt;
}

/* Narrows `bound` by what the receiver's ceiling can have given as window, where the flow sits on it:
 * no loss, and a cwnd above that window. */
static bool rtt_from_rmem(struct rtt *rtt, const struct path *path, const struct host *receiver)
{
	const struct tunable_value *rmem = &receiver->values[TUNABLE_TCP_RMEM];

	if (!rmem->known || path->steady_loss >= LOSSLESS_RATIO || path->stream_rate_bps <= 0)
		return false;
	struct share share =
	    window_share(&receiver->kernel, &receiver->values[TUNABLE_TCP_ADV_WIN_SCALE]);
	double ceiling_bytes = (double)rmem->number[2];
	double per_byte_us = 8e6 / path->stream_rate_bps;
	struct rtt held = {.method = RTT_RMEM_SHARE,
	    .us = window_of_buffer(ceiling_bytes, share.typical) * per_byte_us,
	    .low_us = window_of_buffer(ceiling_bytes, share.low) * per_byte_us,
	    .high_us = window_of_buffer(ceiling_bytes, share.high) * per_byte_us};

	if (path->has & PATH_CWND) {
		/* Not held by that window if cwnd is below it, or far above what slow start leaves. */
		double window_bytes = window_of_buffer(ceiling_bytes, share.typical);
		if (path->cwnd_bytes < 0.9 * window_bytes || path->cwnd_bytes > 3.2 * window_bytes)
			return false;
		struct rtt bound = rtt_from_cwnd(path);
		held.low_us = fmax(held.low_us, bound.low_us * 0.9);
		held.high_us = fmin(held.high_us, bound.high_us * 1.05);
	}
	if (held.us < held.low_us || held.us > held.high_us)
		return false;
	*rtt = held;
	return true;
}

static struct rtt rtt_exact(enum rtt_method method, double us)
{
	return (struct rtt){.method = method, .us = us, .low_us = us, .high_us = us};
}

/* The smallest of tcp_info's samples is the path's; the mean, that under load. */
static struct rtt rtt_from_tcp_info(const struct run *run, const struct path_context *context)
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
	return rtt_exact(RTT_TCP_INFO, us);
}

static struct rtt rtt_from_ping(const struct ping *ping)
{
	return (struct rtt){.method = RTT_PING,
	    .us = ping->min_us,
	    .low_us = ping->min_us,
	    .high_us = ping->avg_us};
}

static void set_idle(struct path *path, const struct path_given *given, const struct ping *ping)
{
	if (given->idle_rtt_us > 0)
		path->idle_rtt_us = given->idle_rtt_us;
	else if (ping && ping->min_us > 0)
		path->idle_rtt_us = ping->min_us;
	else
		return;
	path->has |= PATH_IDLE_RTT;
}

/* CUBIC gives up 30 % of cwnd at a loss, of which samples a second apart show a part. */
#define LOSS_MOVES_CWND 0.08

/*
 * Where loss holds cwnd, all of it is in flight (RFC 9438, section 5.8: it does not grow otherwise), and
 * cwnd / rate is the RTT under load.  Worth knowing beside that of the idle path.  Not with BBR, whose
 * cwnd is twice that.
 */
static void load_from_cwnd(struct path *path)
{
	bool lossy = path->steady_loss >= LOSSLESS_RATIO && path->steady_retransmits > 0 &&
		     path->cwnd_spread > LOSS_MOVES_CWND;

	if ((path->has & PATH_LOADED_RTT) || !(path->has & PATH_IDLE_RTT) ||
	    !(path->has & PATH_CWND) || !lossy || path->stream_rate_bps <= 0 ||
	    congestion_is_bbr(path->congestion_control) || path_ignores_loss(path))
		return;
	path->has |= PATH_LOADED_RTT;
	path->loaded_rtt_us = path->cwnd_bytes * 8 / path->stream_rate_bps * 1e6;
	path->loaded_method = RTT_CWND;
}

void rtt_reckon(struct path *path, const struct run *run, const struct path_given *given,
    const struct path_context *context)
{
	const struct ping *idle = context->ping_is_loaded ? NULL : context->ping;
	bool has_ping = idle && idle->min_us > 0;

	set_idle(path, given, idle);
	if (context->socket && (context->socket->has & SOCKET_RTT) &&
	    !(path->has & PATH_LOADED_RTT)) {
		path->has |= PATH_LOADED_RTT;
		path->loaded_rtt_us = context->socket->rtt_us;
		path->loaded_method = RTT_TCP_INFO;
	}

	if (context->loaded_ping && context->loaded_ping->avg_us > 0 &&
	    !(path->has & PATH_LOADED_RTT)) {
		path->has |= PATH_LOADED_RTT;
		path->loaded_rtt_us = context->loaded_ping->avg_us;
		path->loaded_method = RTT_PING;
	}
	load_from_cwnd(path);

	struct rtt info = rtt_from_tcp_info(run, context);
	if (given->rtt_us > 0)
		path->rtt = rtt_exact(RTT_GIVEN, given->rtt_us);
	else if (info.method != RTT_UNKNOWN)
		path->rtt = info;
	else if (given->idle_rtt_us > 0)
		path->rtt = rtt_exact(RTT_GIVEN, given->idle_rtt_us);
	else if (has_ping)
		path->rtt = rtt_from_ping(idle);
	else if (context->receiver && rtt_from_rmem(&path->rtt, path, context->receiver))
		return;
	else if ((path->has & PATH_PEER_WINDOW) && path->steady_loss < LOSSLESS_RATIO &&
		 path->stream_rate_bps > 0 && path->cwnd_bytes >= path->peer_window_bytes)
		path->rtt = (struct rtt){.method = RTT_PEER_WINDOW,
		    .us = path->peer_window_bytes * 8e6 / path->stream_rate_bps,
		    .low_us = path->peer_window_bytes * 8e6 / path->stream_rate_bps * 0.5,
		    .high_us = path->peer_window_max_bytes * 8e6 / path->stream_rate_bps};
	else if ((path->has & PATH_CWND) && path->stream_rate_bps > 0)
		path->rtt = rtt_from_cwnd(path);
}
