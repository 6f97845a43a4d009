/* Features of hosts and of what was asked for: CPU, options, scaling; stalls and starts. */
#include "diagnosis/view.h"

#include <math.h>

#include "model/window.h"

/* A core is busy from here on; below the other mark it holds nothing. */
#define CPU_BUSY_PERCENT 90
#define CPU_IDLE_PERCENT 60
/* RFC 9293, 3.1: the window field without scaling. */
#define UNSCALED_BYTES 65535
/* cwnd and what is in flight are whole segments, and a rate is a mean: 1.02 x twice the window in the four recorded
 * logs of such runs. */
#define UNSCALED_LOW 0.95
#define UNSCALED_HIGH 1.05
/* The kernel doubles what SO_RCVBUF and SO_SNDBUF ask for; from 0.3 of what was asked to twice is used. */
#define ASKED_USED 0.3
#define ASKED_MOST 2.2
/* Time without a byte that makes a flow a stalled one. */
#define STALLED_SHARE 0.3
#define STALLED_LONGEST 0.2
#define STALLED_MOST 0.6
#define STOPPED_MS 5000

static void cpu(const struct view *view)
{
	const struct run *run = view->run;

	if (!run || !(run->has & (RUN_SENDER_CPU | RUN_RECEIVER_CPU)))
		return;
	double sender = run->has & RUN_SENDER_CPU ? run->sender_cpu_percent : -1;
	double receiver = run->has & RUN_RECEIVER_CPU ? run->receiver_cpu_percent : -1;
	if (fmax(sender, receiver) >= CPU_BUSY_PERCENT)
		feature_set(view, FEATURE_CPU_BUSY, sender, receiver);
	else if (sender >= 0 && receiver >= 0 && fmax(sender, receiver) < CPU_IDLE_PERCENT)
		feature_set(view, FEATURE_CPU_IDLE, sender, receiver);
}

static bool scaling_is_off(const struct host *host)
{
	return host && host->values[TUNABLE_TCP_WINDOW_SCALING].known &&
	       host->values[TUNABLE_TCP_WINDOW_SCALING].number[0] == 0;
}

/* More than 64 KiB in flight, or a scale that ss shows: it is on, whatever a file says. */
static bool scaling_is_on(const struct view *view)
{
	const struct path *path = view->path;

	return (view->socket && (view->socket->has & SOCKET_WSCALE) &&
		   view->socket->snd_wscale > 0) ||
	       (view->in_flight_measured && view->in_flight > 1.1 * UNSCALED_BYTES) ||
	       (path->peer_window.known && path->peer_window.max_bytes > UNSCALED_BYTES);
}

/* What is in flight, or where cwnd rests (model/rtt.c: at the window, or at twice that), fits a window of 65,535
 * bytes, the largest without scaling (RFC 7323, section 2.2). */
static void unscaled_mark(const struct view *view)
{
	const struct path *path = view->path;
	double seen = view->in_flight_measured ? view->in_flight : path->cwnd.bytes;
	double ratio = seen / UNSCALED_BYTES;
	bool fits = ratio > UNSCALED_LOW && ratio < UNSCALED_HIGH;
	bool twice =
	    !view->in_flight_measured && ratio > 2 * UNSCALED_LOW && ratio < 2 * UNSCALED_HIGH;

	if (path->phases.cwnd_rests && view->lossless && !path->peer_window.known &&
	    view->buffer_asked <= 0 && (fits || twice))
		feature_set(view, FEATURE_UNSCALED_MARK, seen, UNSCALED_BYTES);
}

static void scaling(const struct view *view)
{
	const struct path *path = view->path;
	bool told = scaling_is_off(view->sender) || scaling_is_off(view->receiver);

	const struct socket_info *socket = view->socket;

	if (scaling_is_on(view)) {
		feature_set(view, FEATURE_SCALE_SEEN, view->in_flight, UNSCALED_BYTES);
		return;
	}
	/* ss prints wscale beside the rest whenever both ends agreed on it */
	if (socket && (socket->has & SOCKET_MSS) && (socket->has & SOCKET_PEER_WINDOW) &&
	    !(socket->has & SOCKET_WSCALE) && socket->peer_window_bytes <= UNSCALED_BYTES)
		feature_set(
		    view, FEATURE_SCALE_ABSENT, (double)socket->peer_window_bytes, UNSCALED_BYTES);
	if (told)
		feature_set(view, FEATURE_SCALING_OFF, scaling_is_off(view->receiver), 0);
	if (path->peer_window.known && path->peer_window.max_bytes > 64000 &&
	    path->peer_window.max_bytes <= UNSCALED_BYTES && view->buffer_asked <= 0)
		feature_set(
		    view, FEATURE_WINDOW_UNSCALED, path->peer_window.max_bytes, UNSCALED_BYTES);
}

/* What the kernel of the end that receives makes of the number that was asked for. */
static void buffer_given(const struct view *view)
{
	const struct host *host = view->receiver;

	if (!host || !host->values[TUNABLE_RMEM_MAX].known)
		return;
	double most = (double)host->values[TUNABLE_RMEM_MAX].number[0];
	feature_set(view,
	    most < view->buffer_asked ? FEATURE_BUFFER_ASKED_CUT : FEATURE_BUFFER_ASKED_PERMITTED,
	    setsockopt_window(view->buffer_asked, most, &host->kernel), most);
}

static void buffer_asked(const struct view *view)
{
	const struct path *path = view->path;
	double asked = view->buffer_asked;

	if (view->run && (view->run->has & RUN_SOCKET_BUFFER) && asked <= 0)
		feature_set(view, FEATURE_NO_BUFFER_ASKED, 0, 0);
	if (view->run && (view->run->has & RUN_TARGET_RATE) && view->asked_bps <= 0)
		feature_set(view, FEATURE_NO_RATE_ASKED, 0, 0);
	if (asked <= 0)
		return;
	bool lossy = view->knows_loss && !view->lossless && path->loss.steady_ratio > 2e-4;
	double used = view->in_flight_measured ? view->in_flight : path->cwnd.peak_bytes;
	if (lossy || (used > 0 && used < ASKED_USED * asked))
		feature_set(view, FEATURE_BUFFER_ASKED_FAR, used, asked);
	else if (!view->in_flight_measured || view->in_flight < ASKED_MOST * asked)
		feature_set(view, FEATURE_BUFFER_ASKED_BINDS, used, asked);
	buffer_given(view);
}

/* In rows without a byte the peer's window is 0, or less than a segment. */
static bool window_shuts(const struct view *view)
{
	const struct path *path = view->path;

	for (size_t i = 0; view->run && i < path->phases.usable; i++) {
		const struct bin *bin = &view->run->series.bins[i];
		/* a window of 0 is one that is not shown where no other row has one */
		bool none = !(bin->has & BIN_PEER_WINDOW) && path->peer_window.known;
		if (bin->bytes == 0 && (none || ((bin->has & BIN_PEER_WINDOW) &&
						    bin->peer_window_bytes < 2ULL * path->mss)))
			return true;
	}
	return false;
}

/* The longest dead stretch as a share of the run: timeouts of a lossy path make many short ones. */
static double longest_dead(const struct phases *phases)
{
	double longest_s = 0,
	       whole_s = phases->count > 0 ? phases->items[phases->count - 1].end_s : 0;

	for (size_t i = 0; i < phases->count; i++)
		if (phases->items[i].kind == PHASE_STALLED || phases->items[i].kind == PHASE_IDLE)
			longest_s =
			    fmax(longest_s, phases->items[i].end_s - phases->items[i].start_s);
	return whole_s > 0 ? longest_s / whole_s : 0;
}

static void stalls(const struct view *view)
{
	const struct path *path = view->path;
	const struct phases *phases = &path->phases;
	const struct socket_info *socket = view->socket;
	bool tiny = path->cwnd.known && path->cwnd.bytes < 5.0 * path->mss;
	double dead = phases->share[PHASE_STALLED] + phases->share[PHASE_IDLE];
	bool broken = longest_dead(phases) > STALLED_LONGEST || dead > STALLED_MOST;

	if (dead > STALLED_SHARE && broken &&
	    (tiny || phases->share[PHASE_STALLED] > STALLED_SHARE))
		feature_set(view,
		    !path->cwnd.known			 ? FEATURE_STALLS_CWND_UNSEEN
		    : tiny || path->loss.retransmits > 0 ? FEATURE_STALLS_TINY_CWND
							 : FEATURE_STALLS_OPEN_CWND,
		    dead, path->cwnd.bytes);
	bool shut = window_shuts(view);
	if (dead > STALLED_SHARE && shut && !tiny)
		feature_set(view, FEATURE_STALLS_OPEN_CWND, dead, path->cwnd.bytes);
	if (socket && (socket->persists || ((socket->has & SOCKET_BACKOFF) && socket->backoff > 1)))
		feature_set(view, FEATURE_BACKOFF, socket->backoff, 0);
	if (socket && (socket->has & SOCKET_PEER_WINDOW) && socket->peer_window_bytes == 0 &&
	    (socket->has & SOCKET_LAST_SND) && socket->lastsnd_ms > STOPPED_MS)
		feature_set(view, FEATURE_PERSIST, socket->lastsnd_ms, 0);
}

/* From the first row to the last cwnd and rate grew without a loss: the start is all there is. */
static void start_only(const struct view *view)
{
	const struct path *path = view->path;

	if (!path->steady.known || !view->knows_loss || path->loss.retransmits > 0 ||
	    !path->cwnd.known || path->phases.cwnd_rests)
		return;
	const struct bin *bins = view->run->series.bins;
	size_t n = path->phases.usable;
	bool grows = n >= 2 &&
		     (double)bins[n - 1].cwnd_bytes > 1.15 * (double)bins[n - 2].cwnd_bytes &&
		     (double)bins[n - 1].bytes > 1.1 * (double)bins[n - 2].bytes;
	if (grows && (view->cwnd_fill <= 0 || view->cwnd_fill > 0.5))
		feature_set(view, FEATURE_START_ONLY, (double)n, 0);
}

/* A test shorter than two round trips: what was counted is what fitted into a buffer. */
static void too_short(const struct view *view)
{
	const struct path *path = view->path;

	if (view->run && path->seconds > 0 && path->rtt.method != RTT_UNKNOWN &&
	    path->rtt.method != RTT_CWND && path->seconds * 1e6 < 2 * path->rtt.us)
		feature_set(view, FEATURE_TOO_SHORT, path->seconds * 1e6, path->rtt.us);
}

void features_of_hosts(const struct view *view)
{
	cpu(view);
	scaling(view);
	unscaled_mark(view);
	buffer_asked(view);
	stalls(view);
	start_only(view);
	too_short(view);
}
