/* Features of windows: the peer's and cwnd, how full and how they move. */
#include "diagnosis/view.h"

#include <math.h>

/* A window that is filled to this share is full: rate and RTT are means of a second each. */
#define WINDOW_FULL 0.88
#define WINDOW_NEARLY 0.75
/* A full window inside a queue: the RTT under load is beyond the path's by this and by so much time. */
#define QUEUE_RATIO 1.3
#define QUEUE_LEAST_US 3000
/* The peer's window fell to this part of what it was, or moves by so much. */
#define WINDOW_SHRANK 0.6
#define WINDOW_VARIES 0.25
/* A row whose window is larger than all before by this ends a time of growth (autotuning doubles it). */
#define WINDOW_GREW 1.2
/* cwnds of data that wait behind a full window: the flow was faster before (tcp_input.c tcp_sndbuf_expand). */
#define READER_EXCESS 6.0
/* A window below this part of what its scale lets expect was not made by autotuning's ceiling. */
#define SCALE_PART 0.33
#define SCALE_FAR 0.03
#define CWND_FULL_LOW 0.78
#define CWND_UNUSED 0.62
/* Less than this is left by bursts of a program, or by one that no longer reads. */
#define CWND_FAR_UNUSED 0.2
/* BBR keeps two BDPs of cwnd (tcp_bbr.c bbr_cwnd_gain): half used is its full. */
#define CWND_UNUSED_BBR 0.38
#define BBR_FULL_LEAST 0.46
#define BBR_FULL_MOST 0.8
#define SHORT_US 1500
/* cwnd / rate beyond this is no host's or LAN's; from 2 Gbit/s on CPUs hold flows as well. */
#define FAR_US 40000
#define FAR_RATE_BPS 2e9
#define CREEP 0.08
#define LOSS_FILLS 1e-3
/* BBR moves cwnd by itself; with less lost it is not that. */
#define BBR_MOVES 0.005
#define SHUT_SHARE 0.2
#define GROWS 1.15
#define TINY_SEGMENTS 4
/* Slow start adds a segment for each that is delivered. */
#define CLAMPED_FACTOR 10

static bool inside_queue(const struct view *view)
{
	const struct path *path = view->path;
	bool over =
	    view->queue_ratio > QUEUE_RATIO && view->loaded_us - view->base_us > QUEUE_LEAST_US;

	return over || (view->has_rtt && path->bin_rtt.trend > 1.2 &&
			   path->bin_rtt.max_us - path->bin_rtt.min_us > QUEUE_LEAST_US);
}

bool window_tells_reader(const struct view *view)
{
	const struct feature_value *items = view->features->items;

	return items[FEATURE_WINDOW_SHRANK].present || items[FEATURE_WINDOW_ZERO].present ||
	       items[FEATURE_WINDOW_FAR_BELOW_SCALE].present ||
	       (view->lossless && view->has_excess && view->excess_ratio > READER_EXCESS &&
		   view->window_fill > WINDOW_FULL);
}

static void peer_window_fill(const struct view *view)
{
	const struct path *path = view->path;
	double fill = view->window_fill;

	if (fill <= 0)
		return;
	/* one reading tells that a window is full; that it is open may be a moment */
	if (view->count == 1 && fill < WINDOW_NEARLY)
		return;
	enum feature state = FEATURE_WINDOW_OPEN;
	if (fill >= WINDOW_FULL)
		state = inside_queue(view) && !window_tells_reader(view)
			    ? FEATURE_WINDOW_FULL_IN_QUEUE
			    : FEATURE_WINDOW_FULL;
	else if (fill >= WINDOW_NEARLY)
		state = FEATURE_WINDOW_NEARLY_FULL;
	feature_set(view, state, view->in_flight, path->peer_window.bytes);
}

/* Against the largest before the stretch: a program that reads slowly lets it shrink. */
static void peer_window_course(const struct view *view)
{
	const struct path *path = view->path;
	double most = 0, least = INFINITY;
	uint64_t mss = path->mss;

	/* what waits for a lost segment fills the receiver's buffer, too */
	if (!path->peer_window.known || !view->run || path->loss.steady_ratio > LOSS_FILLS)
		return;
	for (size_t i = 0; i < view->run->series.count; i++) {
		const struct bin *bin = &view->run->series.bins[i];
		if (!(bin->has & BIN_PEER_WINDOW))
			continue;
		double window = (double)bin->peer_window_bytes / path->streams;
		/* what autotuning has not opened yet is no reader's doing */
		if (window > WINDOW_GREW * most && i < path->quiet.first + path->quiet.count)
			least = INFINITY;
		most = fmax(most, window);
		if (i >= path->quiet.first && i < path->quiet.first + path->quiet.count)
			least = fmin(least, window);
	}
	if (least < 2.0 * (double)mss && path->rate.stream_bps > 0)
		feature_set(view, FEATURE_WINDOW_ZERO, least, most);
	if (path->peer_window.bytes < WINDOW_SHRANK * most)
		feature_set(view, FEATURE_WINDOW_SHRANK, path->peer_window.bytes, most);
	else if (least < (1 - WINDOW_VARIES) * path->peer_window.max_bytes)
		feature_set(view, FEATURE_WINDOW_VARIES, least, path->peer_window.max_bytes);
}

/* Data waits to be sent, nothing is under way, and the kernel says that the window is why. */
static void peer_window_shut(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (socket && (socket->has & SOCKET_BUSY) && (socket->has & SOCKET_UNACKED) &&
	    socket->unacked_segments == 0 && socket->notsent_bytes > socket->mss &&
	    socket->rwnd_limited_us > SHUT_SHARE * socket->busy_us)
		feature_set(view, FEATURE_WINDOW_ZERO, 0, (double)socket->peer_window_bytes);
}

/* net/ipv4/tcp_output.c tcp_select_initial_window: the scale tells the ceiling, or rmem_max, within a
 * factor of two. */
static void peer_window_scale(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_WSCALE) || !(socket->has & SOCKET_PEER_WINDOW) ||
	    socket->snd_wscale == 0)
		return;
	double ceiling = ldexp(65536, (int)socket->snd_wscale - 1);
	double part = (double)socket->peer_window_bytes / ceiling;
	if (part < SCALE_PART * 0.5)
		feature_set(view,
		    part < SCALE_FAR ? FEATURE_WINDOW_FAR_BELOW_SCALE : FEATURE_WINDOW_BELOW_SCALE,
		    (double)socket->peer_window_bytes, ceiling);
}

static void cwnd_fill(const struct view *view)
{
	double fill = view->cwnd_fill;

	/* on a short path the RTT is the hosts' own, and says nothing of what is in flight */
	if (fill <= 0 || (view->has_rtt && view->loaded_us < SHORT_US))
		return;
	if (view->bbr && view->has_rtt && fill >= BBR_FULL_LEAST && fill < BBR_FULL_MOST)
		feature_set(view, FEATURE_BBR_FULL, view->in_flight, view->path->cwnd.bytes);
	double unused = view->bbr ? CWND_UNUSED_BBR : CWND_UNUSED;
	if (fill < CWND_FAR_UNUSED)
		feature_set(view, FEATURE_CWND_FAR_UNUSED, view->in_flight, view->path->cwnd.bytes);
	else if (fill < unused)
		feature_set(view, FEATURE_CWND_UNUSED, view->in_flight, view->path->cwnd.bytes);
	else if (!view->bbr && fill > CWND_FULL_LOW)
		feature_set(view, FEATURE_CWND_FULL, view->in_flight, view->path->cwnd.bytes);
}

static void cwnd_rests(const struct view *view)
{
	const struct path *path = view->path;

	if (!path->phases.cwnd_rests)
		return;
	/* a pace is what the sender's own rows show */
	double rate_bps = path->rate.sent_bps / path->streams;
	bool far = view->naive_us > FAR_US && rate_bps < FAR_RATE_BPS && view->asked_bps <= 0 &&
		   !rate_is_round(rate_bps);
	feature_set(view, far ? FEATURE_CWND_RESTS_FAR : FEATURE_CWND_RESTS, path->cwnd.bytes,
	    (double)path->phases.stretch);
}

/* Mean of the last third of the stretch over the first, by bytes. */
static double rate_growth(const struct view *view)
{
	size_t third = view->count / 3;

	if (third == 0)
		return 1;
	double first = bins_rate_bps(view->bins, third);
	return first > 0 ? bins_rate_bps(view->bins + view->count - third, third) / first : 1;
}

static void cwnd_course(const struct view *view)
{
	const struct path *path = view->path;

	if (!path->cwnd.known || view->count < 3 || path->phases.cwnd_rests)
		return;
	bool grew = path->cwnd.growth > GROWS;
	bool by_loss = !view->bbr || path->loss.steady_ratio > BBR_MOVES;
	if (!view->lossless && path->cwnd.spread > CREEP && view->knows_loss && by_loss)
		feature_set(view, FEATURE_CWND_MOVES_WITH_LOSS, path->cwnd.spread, 0);
	else if (view->lossless &&
		 (grew || (path->cwnd.growth > 1.04 && path->loss.retransmits > 0)) &&
		 path->phases.governing != PHASE_FILLING && !view->bbr)
		feature_set(
		    view, FEATURE_CWND_GROWS_WITH_RATE, path->cwnd.growth, rate_growth(view));
	else if (view->lossless && path->cwnd.spread < CREEP)
		feature_set(view, FEATURE_CWND_CREEPS, path->cwnd.spread, path->cwnd.bytes);
	else if (view->lossless)
		feature_set(view, FEATURE_CWND_MOVES_UNLOST, path->cwnd.spread, path->cwnd.bytes);
}

static void cwnd_tiny(const struct view *view)
{
	const struct path *path = view->path;

	if (path->cwnd.known && path->cwnd.peak_bytes <= TINY_SEGMENTS * (double)path->mss &&
	    view->count >= 2)
		feature_set(view, FEATURE_CWND_TINY, path->cwnd.peak_bytes, path->mss);
}

/* All of a constant cwnd in flight, no loss, and no queue: something at the sender caps cwnd (a route's
 * `cwnd lock`, for one). */
static void cwnd_clamped(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	/* slow start, which a loss never ended, would have made it far larger by what was delivered */
	if (view->count == 1 && socket && (socket->has & SOCKET_MIN_RTT) && !view->bbr &&
	    !(socket->has & SOCKET_SSTHRESH) && socket->retransmits == 0 && view->cwnd_fill > 0.9 &&
	    socket->delivered > CLAMPED_FACTOR * socket->cwnd_segments && view->queue_ratio < 1.15)
		feature_set(view, FEATURE_CWND_CLAMPED,
		    (double)socket->unacked_segments * socket->mss, view->path->cwnd.bytes);
	if (view->path->phases.cwnd_rests && view->has_rtt && !view->bbr && view->cwnd_fill > 0.9 &&
	    view->window_fill < 0.7 && view->lossless && view->queue_ratio < 1.15)
		feature_set(view, FEATURE_CWND_CLAMPED, view->in_flight, view->path->cwnd.bytes);
}

void features_of_window(const struct view *view)
{
	peer_window_course(view);
	peer_window_shut(view);
	peer_window_scale(view);
	peer_window_fill(view);
	cwnd_fill(view);
	cwnd_rests(view);
	cwnd_course(view);
	cwnd_tiny(view);
	cwnd_clamped(view);
}
