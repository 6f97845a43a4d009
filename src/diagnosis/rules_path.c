/* Rules about the path: loss, policers, queues, links; and what to say when nothing decides. */
#include "diagnosis/limit.h"

#include <math.h>

#include "base/quote.h"
#include "base/units.h"
#include "model/loss.h"
#include "model/rfc6349.h"

/* A rate that moves by less is one that a link or a policer sets, not chance. */
#define EVEN_DEVIATION 0.06
/* Below this ratio losses are the ordinary probing of a congestion control, not a limit. */
#define LOSS_MATTERS 2e-4
/* So many losses in the steady state are no accident. */
#define MANY_LOSSES 20
/* Delays below this come from hosts and interfaces as well as from a queue on the path. */
#define QUEUE_MATTERS_US 4000
#define SHORT_PATH_US 20000
/* cwnd / rate stands for the RTT only roughly: it must grow by this before it tells of a queue. */
#define PROXY_QUEUE_US 20000

/* RTT near the path's own while data is lost: what drops does not queue first. */
static bool rtt_is_flat(const struct signs *signs)
{
	if (signs->has_rtt_over_base && signs->base_is_measured)
		return signs->rtt_over_base < 1.2;
	const struct path *path = signs->path;
	return signs->has_rtt && path->queue_elasticity < 0.5 && signs->rtt_rise < 1.095;
}

/* cwnd as loss alone would leave it: sqrt(3/2)/sqrt(p) segments, known without an RTT. */
static bool cwnd_fits_loss(const struct signs *signs)
{
	const struct path *path = signs->path;
	double expected = 1.2247 / sqrt(path->steady_loss);
	double segments = path->cwnd_bytes / path->mss;

	return (path->has & PATH_CWND) && segments < 3 * expected && segments > expected / 4;
}

static void say_loss(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	limit_say(limit, "%s of the segments are lost, in %.0f %% of the intervals",
	    percent_text(path->steady_loss).s, 100 * path->retransmit_bins);
	if (path->loaded_method == RTT_CWND)
		limit_say(limit,
		    "cwnd / rate is %s, the idle path's RTT %s: next to nothing queues",
		    time_text(path->loaded_rtt_us).s, time_text(path->idle_rtt_us).s);
	else if (signs->has_rtt)
		limit_say(limit, "the RTT stays between %s and %s", time_text(path->rtt_min_us).s,
		    time_text(path->rtt_max_us).s);
}

/* What to ask of whoever runs the path: the loss under which CUBIC would carry the target. */
static void say_loss_allowed(const struct path *path, struct limit *limit)
{
	double target_bps = path->target_bps / path->streams;

	if (!(path->has & PATH_TARGET) || path->rtt.method == RTT_CWND ||
	    target_bps <= path->stream_rate_bps)
		return;
	limit_say(limit, "for %s a stream over %s CUBIC needs less than %s lost",
	    rate_text(target_bps).s, time_text(path->rtt.us).s,
	    percent_text(cubic_loss_for_rate(path->mss, path->rtt.us, target_bps)).s);
}

/* In most intervals, or, where few segments go, in no one above all. */
static bool loss_is_even(const struct path *path)
{
	return path->retransmit_bins >= 0.6 ||
	       (path->retransmit_bins >= 0.3 && path->lossy_streak < 0.5 &&
		   path->steady_retransmits >= 3);
}

bool rule_random_loss(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	if (!signs->knows_loss || path->steady_loss < LOSS_MATTERS || !loss_is_even(path))
		return false;
	if (signs->bbr) {
		/* BBR does not slow down for loss: what is lost all along at no even rate is the path's. */
		if (path->rate_deviation < EVEN_DEVIATION || path->steady_loss < 2e-3 ||
		    path->retransmit_bins < 0.95)
			return false;
		limit_set(limit, FACTOR_RANDOM_LOSS, CONFIDENCE_LOW);
		say_loss(signs, limit);
		limit_settle(limit,
		    "iperf3 -c %s -J -t 30 -C cubic   # CUBIC shows what the loss costs",
		    limit_peer(signs));
		return true;
	}
	bool fits =
	    signs->loss_bound > 0 && path->rtt.method != RTT_CWND
		? signs->loss_bound < 3 || (path->rate_deviation > 0.15 && path->lossy_streak < 0.6)
		: cwnd_fits_loss(signs);
	/* A rate that losses do not move is one that a queue or a policer sets. */
	/* Without an RTT only wild swings tell it from a drop-tail queue: both leave that cwnd. */
	if (!fits || path->rate_deviation < (signs->has_load ? 0.05 : 0.2) ||
	    (signs->has_load && !rtt_is_flat(signs)))
		return false;
	bool sure = signs->has_rtt && path->retransmit_bins > 0.8 && path->steady_loss > 2e-3 &&
		    path->rate_deviation > 0.15;
	limit_set(limit, FACTOR_RANDOM_LOSS, sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	say_loss(signs, limit);
	if (signs->loss_bound > 0 && path->rtt.method != RTT_CWND)
		limit_say(limit, "CUBIC carries about %s a stream under that loss; measured %s",
		    rate_text(path->stream_rate_bps / signs->loss_bound).s,
		    rate_text(path->stream_rate_bps).s);
	else
		limit_say(limit, "cwnd of %.0f segments is what such loss leaves (%.0f)",
		    path->cwnd_bytes / path->mss, 1.2247 / sqrt(path->steady_loss));
	say_loss_allowed(path, limit);
	limit_settle(limit, "mtr -c 200 -i 0.2 -n %s   # loss without load", limit_peer(signs));
	return true;
}

bool rule_policer(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	bool steady = path->steady_loss >= LOSS_MATTERS;
	bool early = signs->lossless && path->early_retransmits > 0;

	if (!signs->knows_loss || !signs->has_load || !rtt_is_flat(signs) || path->steady_count < 2)
		return false;

	if (!steady && !early && path->retransmits == 0)
		return false;
	/* Without the RTT itself chance losses look alike, but they do not leave an even rate. */
	if (!signs->has_rtt && (!signs->rate_is_flat || path->steady_retransmits < MANY_LOSSES))
		return false;
	/* What is left over from one overflow in slow start is a shallow queue's work only while cwnd,
	 * and nothing else, holds the flow. */
	bool cwnd_holds = signs->has_cwnd_fill && signs->cwnd_fill > 0.85;
	if (signs->lossless && !cwnd_holds)
		return false;
	if (signs->bbr && !steady)
		return false;
	/* On a short path the delay of a shallow queue hides in the RTT's own noise. */
	bool told = path->rtt_min_us >= SHORT_PATH_US || signs->base_is_measured;
	limit_set(limit, FACTOR_POLICER, told ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW);
	if (steady)
		say_loss(signs, limit);
	else
		limit_say(limit,
		    "%s retransmits as the rate first rose, none after; cwnd grows back slowly",
		    count_text(path->retransmits).s);
	if (signs->has_rtt)
		limit_say(limit, "the RTT does not rise with it: %s at least, %s at most",
		    time_text(path->rtt_min_us).s, time_text(path->rtt_max_us).s);
	limit_settle(limit,
	    "iperf3 -c %s -u -b RATE   # step RATE: a policer loses all above one rate",
	    limit_peer(signs));
	return true;
}

/* The RTT, or cwnd / rate in its stead, rises while the rate does not. */
static bool queue_grows(const struct signs *signs)
{
	const struct path *path = signs->path;

	if (path->rtt_max_us - path->rtt_min_us < QUEUE_MATTERS_US || path->rate_deviation > 0.25)
		return false;
	if (signs->has_rtt)
		return path->rtt_trend > 1.2;
	/* From text alone only a cwnd that grows without a loss tells of a queue. */
	return path->rtt_trend > 1.2 && path->cwnd_growth > 1.15 && signs->lossless &&
	       path->rtt_max_us - path->rtt_min_us > PROXY_QUEUE_US;
}

static double queue_delay_us(const struct signs *signs)
{
	return signs->has_rtt_over_base
		   ? signs->path->loaded_rtt_us * (1 - 1 / signs->rtt_over_base)
		   : 0;
}

static bool queue_stands(const struct signs *signs)
{
	if (queue_delay_us(signs) < QUEUE_MATTERS_US)
		return false;
	if (signs->base_is_measured)
		return signs->rtt_over_base > 1.5;
	/* The smallest sample of the run itself: of its first second, when the queue was short. */
	return (signs->rtt_over_base > 1.3 && signs->rate_is_flat) ||
	       (signs->rtt_over_base > 1.5 && queue_delay_us(signs) > PROXY_QUEUE_US);
}

bool rule_queue(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	bool cwnd_holds = !signs->has_cwnd_fill || signs->cwnd_fill > 0.75;
	bool measured = signs->base_is_measured && queue_stands(signs);

	bool follows = path->queue_elasticity > 0.6 && cwnd_holds;
	/* tc saw it, at a moment, on the host where it was run: as much as that tells. */
	bool seen = signs->backlog_us > PROXY_QUEUE_US && !measured;
	if (seen) {
		limit_set(limit, FACTOR_QUEUE, CONFIDENCE_MEDIUM);
		limit_say(limit, "tc shows a queue that takes %s to drain at %s",
		    time_text(signs->backlog_us).s, rate_text(path->rate_bps).s);
		limit_settle(
		    limit, "ping %s   # idle, and again during the test", limit_peer(signs));
		return true;
	}
	if (!follows && !queue_grows(signs) && !queue_stands(signs))
		return false;
	bool stands = queue_stands(signs) && queue_delay_us(signs) > PROXY_QUEUE_US;
	if (!measured && !follows && !stands && signs->bbr)
		return false;
	if (!measured && !(path->has & PATH_CWND))
		return false;
	if (!measured && !stands && signs->has_cwnd_fill && !cwnd_holds && !queue_grows(signs))
		return false;
	/* A few milliseconds may stand in the sending host itself. */
	bool sure =
	    (measured && signs->rtt_over_base > 2 && queue_delay_us(signs) > PROXY_QUEUE_US) ||
	    (signs->has_rtt && path->rtt_trend > 1.5 && cwnd_holds && path->rate_deviation < 0.25);
	limit_set(limit, FACTOR_QUEUE, sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	if (measured)
		limit_say(limit, "RTT %s under load, %s idle: a queue of %s",
		    time_text(path->loaded_rtt_us).s,
		    time_text(path->loaded_rtt_us / signs->rtt_over_base).s,
		    time_text(path->loaded_rtt_us * (1 - 1 / signs->rtt_over_base)).s);
	else
		limit_say(limit, "%s goes from %s to %s while the rate stays at %s",
		    path->rtt_is_proxy ? "cwnd / rate" : "the RTT", time_text(path->rtt_min_us).s,
		    time_text(path->rtt_max_us).s, rate_text(path->rate_bps).s);
	limit_settle(limit, "ping %s   # idle, and again during the test", limit_peer(signs));
	return true;
}

/* Payload rates of the usual Ethernet speeds: the line rate less framing. */
static double ethernet_speed_near(const struct path *path)
{
	static const double speeds[] = {
	    10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9};

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		double payload = ethernet_payload_bps(speeds[i], path->mss);
		if (path->rate_bps > 0.985 * payload && path->rate_bps < 1.008 * payload)
			return speeds[i];
	}
	return 0;
}

static double known_link_speed(const struct host *host)
{
	double least = 0;

	for (unsigned i = 0; host && i < host->interface_count; i++)
		if (host->interfaces[i].up && host->interfaces[i].speed_bps > 0)
			least = least > 0 ? fmin(least, (double)host->interfaces[i].speed_bps)
					  : (double)host->interfaces[i].speed_bps;
	return least;
}

bool rule_link(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	double known = fmax(known_link_speed(signs->sender), known_link_speed(signs->receiver));
	double near = ethernet_speed_near(path);

	if (!(path->has & PATH_SERIES))
		return false;
	if (known > 0 && path->rate_bps > 0.9 * ethernet_payload_bps(known, path->mss)) {
		limit_set(limit, FACTOR_LINK, CONFIDENCE_MEDIUM);
		limit_say(limit, "%s is what a link of %s carries", rate_text(path->rate_bps).s,
		    rate_text(known).s);
	} else if (near > 0 && path->rate_deviation < 0.03 && path->steady_count >= 3) {
		limit_set(limit, FACTOR_LINK, CONFIDENCE_MEDIUM);
		limit_say(limit, "a flat %s is the payload of Ethernet at %s",
		    rate_text(path->rate_bps).s, rate_text(near).s);
	} else if (signs->bbr && signs->cwnd_fill > 0.4 && signs->rate_is_flat && signs->has_rtt &&
		   signs->has_window_fill && signs->window_fill < 0.8 &&
		   (signs->lossless || path->steady_loss < 2e-3) &&
		   (path->retransmits > 0 || path->rtt_max_us > 1.08 * path->rtt_min_us)) {
		limit_set(limit, FACTOR_LINK, CONFIDENCE_MEDIUM);
		limit_say(limit,
		    "BBR holds a flat %s with %.0f %% of cwnd and %.0f %% of the peer's window",
		    rate_text(path->rate_bps).s, 100 * signs->cwnd_fill, 100 * signs->window_fill);
	} else if (signs->knows_loss && !signs->lossless && signs->has_rtt && signs->rate_is_flat &&
		   signs->rtt_rise >= 1.05) {
		limit_set(limit, FACTOR_LINK, CONFIDENCE_LOW);
		limit_say(limit,
		    "losses at a flat %s while the RTT moves between %s and %s: a queue before a link",
		    rate_text(path->rate_bps).s, time_text(path->rtt_min_us).s,
		    time_text(path->rtt_max_us).s);
	} else {
		return false;
	}
	limit_settle(limit,
	    "iperf3 -c %s -P 4 -J   # the same sum from four streams: it is the link",
	    limit_peer(signs));
	return true;
}

static void candidates_of_lost(const struct signs *signs, struct limit *limit)
{
	bool rises = signs->path->rtt_is_proxy && signs->rtt_rise > 1.3;

	if (rises)
		limit_candidate(limit, FACTOR_QUEUE);
	limit_candidate(limit, FACTOR_POLICER);
	/* Lost early and quiet since: a buffer may have taken over. */
	if (signs->lossless) {
		limit_candidate(limit, FACTOR_RECEIVE_WINDOW);
		limit_candidate(limit, FACTOR_SEND_BUFFER);
	}
	limit_candidate(limit, FACTOR_RANDOM_LOSS);
	limit_candidate(limit, FACTOR_QUEUE);
	limit_candidate(limit, FACTOR_LINK);
}

static void candidates_of_lossless(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	bool window_out = signs->has_window_fill && signs->window_fill < 0.7;
	bool cwnd_moves = (path->has & PATH_CWND) && !signs->cwnd_constant;
	bool knows_rate = signs->run && (signs->run->has & RUN_TARGET_RATE);

	if (!window_out)
		limit_candidate(limit, FACTOR_RECEIVE_WINDOW);
	limit_candidate(limit, FACTOR_SEND_BUFFER);
	if (!knows_rate && path->rate_bps > 0 && rate_is_round(path->rate_bps))
		limit_candidate(limit, FACTOR_APPLICATION);
	if (cwnd_moves) {
		limit_candidate(limit, FACTOR_LINK);
		limit_candidate(limit, FACTOR_QUEUE);
	}
	if (!signs->run || !(signs->run->has & RUN_SOCKET_BUFFER))
		limit_candidate(limit, FACTOR_SOCKET_OPTION);
	if (!knows_rate)
		limit_candidate(limit, FACTOR_APPLICATION);
	limit_candidate(limit, FACTOR_CPU);
	limit_candidate(limit, FACTOR_LINK);
}

bool rule_unknown(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	bool lost = signs->knows_loss && path->loss_ratio >= LOSSLESS_RATIO &&
		    !(signs->lossless && signs->cwnd_constant);

	limit_set(limit, FACTOR_UNKNOWN, CONFIDENCE_LOW);
	if (lost)
		candidates_of_lost(signs, limit);
	else
		candidates_of_lossless(signs, limit);
	if (!(path->has & PATH_CWND) && !signs->has_rtt)
		limit_say(limit,
		    "a receiver's output shows neither cwnd nor RTT nor retransmits by interval");
	else if (signs->cwnd_constant && !lost)
		limit_say(limit,
		    "cwnd rests at %s without a retransmit: something other than cwnd holds it",
		    size_text(path->cwnd_bytes).s);
	if (lost)
		limit_say(limit, "%s retransmits (%s) at %s; cwnd up to %s",
		    count_text(path->retransmits).s, percent_text(path->loss_ratio).s,
		    rate_text(path->rate_bps).s, size_text(path->cwnd_peak_bytes).s);
	else if ((path->has & PATH_CWND) && !signs->cwnd_constant)
		limit_say(limit, "no loss to speak of at %s; cwnd %s on average, %s at most",
		    rate_text(path->rate_bps).s, size_text(path->cwnd_bytes).s,
		    size_text(path->cwnd_peak_bytes).s);
	if (signs->has_rtt && !(path->has & PATH_PEER_WINDOW))
		limit_say(
		    limit, "the peer's window is not shown: iperf3 -J of 3.10 or later has it");
	if (signs->has_window_fill)
		limit_say(limit, "%s in flight, %.0f %% of the peer's window, %.0f %% of cwnd",
		    size_text(path->in_flight_bytes).s, 100 * signs->window_fill,
		    100 * signs->cwnd_fill);
	if (signs->run && !signs->run->local_sends && !signs->has_rtt)
		limit_settle(limit,
		    "iperf3 -c %s ... -J --get-server-output   # the sender's side knows more",
		    quote_host(signs->run->sender, "SENDER"));
	else if (!signs->has_rtt)
		limit_settle(limit, "iperf3 -c %s -J   # 3.10 or later: RTT and the peer's window",
		    limit_peer(signs));
	else
		limit_settle(limit,
		    "ss -tin dst %s   # on the sender during the test: rwnd_limited, "
		    "sndbuf_limited",
		    limit_peer(signs));
	return true;
}
