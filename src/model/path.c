#include "model/path.h"

#include <bsd/string.h>
#include <math.h>
#include <string.h>

#include "model/rtt.h"
#include "model/steady.h"
#include "model/window.h"

static const char *const rtt_method_names[RTT_METHOD_COUNT] = {
    [RTT_UNKNOWN] = NULL,
    [RTT_GIVEN] = "given",
    [RTT_TCP_INFO] = "tcp_info",
    [RTT_PING] = "ping",
    [RTT_WINDOW_RATE] = "window/rate",
    [RTT_PEER_WINDOW] = "peer-window/rate",
    [RTT_RMEM_SHARE] = "rmem-share/rate",
    [RTT_CWND] = "cwnd/rate",
};

const char *rtt_method_name(enum rtt_method method)
{
	return rtt_method_names[method];
}

const char *window_kind_name(enum window_kind kind)
{
	static const char *const names[] = {
	    [WINDOW_UNKNOWN] = NULL,
	    [WINDOW_GIVEN] = "given",
	    [WINDOW_PEER] = "peer-window",
	    [WINDOW_CWND] = "cwnd",
	    [WINDOW_IN_FLIGHT] = "in-flight",
	};
	return names[kind];
}

double bdp_bytes(double rate_bps, double rtt_us)
{
	return rate_bps / 8 * (rtt_us / 1e6);
}

bool congestion_is_bbr(const char *name)
{
	return strncmp(name, "bbr", 3) == 0;
}

/* cwnd moves as no loss-based control moves it: it shrinks without a loss, or stays many times above
 * what the loss ratio would leave (sqrt(3/2)/sqrt(p) segments). */
static bool path_ignores_loss(const struct path *path)
{
	if (path->cwnd.falls_unlost)
		return true;
	if (!path->cwnd.known || path->loss.steady_ratio < 2e-3 || path->loss.lossy_bins < 0.8)
		return false;
	return path->cwnd.bytes / path->mss > 8 * 1.2247 / sqrt(path->loss.steady_ratio);
}

bool path_is_bbr(const struct path *path)
{
	return congestion_is_bbr(path->congestion_control) ||
	       (path->congestion_control[0] == '\0' && path_ignores_loss(path));
}

double path_base_rtt_us(const struct path *path)
{
	if (path->idle.known)
		return path->idle.rtt_us;
	return path->rtt.method == RTT_TCP_INFO || path->rtt.method == RTT_GIVEN ? path->rtt.us : 0;
}

bool rate_is_round(double rate_bps)
{
	static const double leads[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 7.5, 8, 9, 10};
	double lead = rate_bps / pow(10, floor(log10(rate_bps)));

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (fabs(lead / leads[i] - 1) < 0.015)
			return true;
	return false;
}

/* The receiver's count is what the path carried; the sender's is what its socket buffer took. */
static void set_mean_rate(struct path *path, const struct run *run)
{
	if ((run->has & RUN_RECEIVED) && run->received_seconds > 0) {
		path->rate.mean_bps = (double)run->received_bytes * 8 / run->received_seconds;
		path->seconds = run->received_seconds;
	} else if ((run->has & RUN_SENT) && run->sent_seconds > 0) {
		path->rate.mean_bps = (double)run->sent_bytes * 8 / run->sent_seconds;
		path->seconds = run->sent_seconds;
	} else {
		return;
	}
	path->rate.mean_known = true;
}

/* Of several rows the rate is theirs; a test without rows has its mean. */
static void set_rate(struct path *path, const struct run *run)
{
	/* What the receiver never saw was queued, or eaten, on the way: the intervals of a sender whose
	 * peer got far less tell how fast a buffer filled, not what the path carried. */
	bool misleading =
	    run->local_sends && (run->has & RUN_SENT) && (run->has & RUN_RECEIVED) &&
	    run->sent_seconds > 0 && run->received_bytes > 0 &&
	    path->rate.mean_bps < 0.7 * (double)run->sent_bytes * 8 / run->sent_seconds;

	steady_compute(path, run);
	if (path->rate.mean_known && (!path->rate.known || misleading)) {
		path->rate.known = true;
		path->rate.bps = path->rate.sent_bps = path->rate.mean_bps;
	}
	path->rate.stream_bps = path->rate.bps / path->streams;
}

/* Of the segments sent, those sent again; counted with them only where the kernel tells. */
static void set_loss(struct path *path, const struct run *run, const struct path_given *given)
{
	uint64_t bytes = run->has & RUN_SENT ? run->sent_bytes : run->received_bytes;
	double segments = (run->has & RUN_SEGMENTS) && run->segments_sent > 0
			      ? (double)run->segments_sent
			      : (double)bytes / path->mss;

	if (run->has & RUN_RETRANSMITS) {
		path->loss.counted = true;
		path->loss.retransmits = run->retransmits;
		path->loss.known = segments > 0;
		if (segments > 0)
			path->loss.ratio = fmin(1, (double)run->retransmits / segments);
		/* the steady state is all there is */
		if ((run->has & RUN_SEGMENTS) && path->loss.known &&
		    path->loss.steady_retransmits == run->retransmits)
			path->loss.steady_ratio = path->loss.ratio;
	}
	if (given->loss_ratio > 0) {
		path->loss.known = true;
		path->loss.ratio = given->loss_ratio;
		path->loss.is_probed = given->loss_is_probed;
	}
}

/* In flight is rate x RTT under load where both were measured; otherwise the window stands in. */
static void set_window(struct path *path)
{
	if (!path->in_flight.known && path->loaded.known && path->loaded.method != RTT_CWND &&
	    path->rate.stream_bps > 0) {
		path->in_flight.known = true;
		path->in_flight.bytes = bdp_bytes(path->rate.stream_bps, path->loaded.rtt_us);
	}
	if (path->in_flight.known) {
		path->window.kind = WINDOW_IN_FLIGHT;
		path->window.bytes = path->in_flight.bytes;
	} else if (path->peer_window.known) {
		path->window.kind = WINDOW_PEER;
		path->window.bytes = path->peer_window.bytes;
	} else if (path->cwnd.known) {
		path->window.kind = WINDOW_CWND;
		path->window.bytes = path->cwnd.bytes;
	}
}

static void set_target(struct path *path, const struct path_given *given)
{
	path->target.bps = given->target_bps > 0      ? given->target_bps
			   : given->bandwidth_bps > 0 ? given->bandwidth_bps
						      : path->rate.bps;
	if (path->target.bps > 0)
		path->target.known = true;
	if (path->target.known && path->rtt.method != RTT_UNKNOWN) {
		path->bdp.known = true;
		path->bdp.bytes = bdp_bytes(path->target.bps, path->rtt.us);
		path->bdp.stream_bytes = path->bdp.bytes / path->streams;
	}
}

/* Linux counts cwnd in segments: printed values are multiples of the MSS.  Of the sizes that fit all of them
 * within the rounding to three digits, the largest; only small values, and three different ones, tell. */
#define MSS_LEAST 500
#define MSS_MOST 9100
#define MSS_VALUES 3

static bool mss_fits(const double *cwnds, size_t count, double mss)
{
	for (size_t i = 0; i < count; i++) {
		double segments = cwnds[i] / mss;
		if (fabs(segments - round(segments)) * mss > 0.0051 * cwnds[i] + 1)
			return false;
	}
	return true;
}

static void mss_from_cwnd(struct path *path, const struct run *run)
{
	double cwnds[SERIES_MAX];
	size_t count = 0;

	if (run->streams != 1)
		return;
	for (size_t i = 0; i < run->series.count; i++) {
		double cwnd = (double)run->series.bins[i].cwnd_bytes;
		bool seen = false;
		/* beyond that the rounding is as large as a segment */
		if (!(run->series.bins[i].has & BIN_CWND) || cwnd <= 0 || cwnd > 60 * 1024)
			continue;
		for (size_t j = 0; j < count; j++)
			seen |= cwnds[j] == cwnd;
		if (!seen)
			cwnds[count++] = cwnd;
	}
	for (uint32_t mss = MSS_MOST; count >= MSS_VALUES && mss >= MSS_LEAST; mss--)
		if (mss_fits(cwnds, count, mss)) {
			path->mss_is_measured = true;
			path->mss = mss;
			return;
		}
}

void path_from_run(struct path *path, const struct run *run, const struct path_given *given,
    const struct path_context *context)
{
	*path = (struct path){.streams = run->streams ? run->streams : 1, .mss = MSS_ASSUMED};
	if (run->has & RUN_MSS) {
		path->mss_is_measured = true;
		path->mss = run->mss;
	} else if (context->socket && (context->socket->has & SOCKET_MSS)) {
		path->mss_is_measured = true;
		path->mss = context->socket->mss;
	}
	if (!path->mss_is_measured)
		mss_from_cwnd(path, run);
	strlcpy(path->congestion_control, run->sender_cc, sizeof(path->congestion_control));
	if (path->congestion_control[0] == '\0' && context->socket)
		strlcpy(path->congestion_control, context->socket->cc,
		    sizeof(path->congestion_control));

	set_mean_rate(path, run);
	set_rate(path, run);
	set_loss(path, run, given);
	rtt_compute(path, run, given, context);
	bucket_fit(&path->bucket, run, &path->phases, path->mss, path->rtt.us);
	loss_pattern_read(&path->losses, run, &path->phases, path->mss,
	    path->loaded.known && path->loaded.method != RTT_CWND ? path->loaded.rtt_us : 0);
	set_window(path);
	set_target(path, given);
}

void path_from_numbers(struct path *path, const struct path_given *given)
{
	double bandwidth = given->bandwidth_bps, rtt_us = given->rtt_us,
	       window = given->window_bytes;

	*path = (struct path){.streams = 1, .mss = MSS_ASSUMED};
	if (bandwidth <= 0 && rtt_us > 0 && window > 0)
		bandwidth = window * 8 / (rtt_us / 1e6);
	if (bandwidth > 0) {
		path->rate.known = true;
		path->rate.bps = path->rate.sent_bps = path->rate.stream_bps = bandwidth;
	}
	if (rtt_us > 0)
		path->rtt = (struct rtt){RTT_GIVEN, rtt_us, rtt_us, rtt_us};
	else if (bandwidth > 0 && window > 0) {
		double us = window * 8 / bandwidth * 1e6;
		path->rtt = (struct rtt){RTT_WINDOW_RATE, us, us, us};
	}
	if (window > 0) {
		path->window.kind = WINDOW_GIVEN;
		path->window.bytes = window;
	}
	if (given->loss_ratio > 0) {
		path->loss.known = true;
		path->loss.ratio = given->loss_ratio;
		path->loss.is_probed = given->loss_is_probed;
	}
	if (given->idle_rtt_us > 0) {
		path->idle.known = true;
		path->idle.rtt_us = given->idle_rtt_us;
	}
	set_target(path, given);
}
