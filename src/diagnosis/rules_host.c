/* Rules about the ends: program, CPU, windows and buffers. */
#include "diagnosis/limit.h"

#include <math.h>

#include "base/quote.h"
#include "base/units.h"
#include "model/window.h"

/* A core is taken as busy from here on. */
#define CPU_BUSY_PERCENT 90
/* -b counts as reached from here on: iperf3 sends in blocks of 128 KiB. */
#define ASKED_REACHED 0.93
/* Share of the busy time in which the kernel says the flow was held by one of its windows. */
#define HELD_SHARE 0.4
/* A single stream this fast may be held by its hosts as well as by a window. */
#define FAST_STREAM_BPS 4e9
/* Seconds of a slow, long path differ by this much for iperf3 writes 128 KiB at a time. */
#define WRITES_SHAKE 0.25
/* How far a cwnd that does not hold the flow may move over a test. */
#define CWND_CREEPS 0.08

/* Nothing waits in the send buffer and most of it is free: the program is the slower one. */
static bool queue_is_empty(const struct socket_info *socket)
{
	return (socket->has & SOCKET_SKMEM) && (socket->has & SOCKET_NOTSENT) &&
	       socket->notsent_bytes < 65536 &&
	       (double)socket->wmem_queued < 0.5 * (double)socket->sndbuf;
}

bool rule_application(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	if (signs->asked_bps > 0 &&
	    fmax(path->rate_bps, path->mean_rate_bps) >= ASKED_REACHED * signs->asked_bps) {
		limit_set(limit, FACTOR_APPLICATION, CONFIDENCE_HIGH);
		limit_say(limit, "asked for %s (-b) and got %s: nothing held it back",
		    rate_text(signs->asked_bps).s, rate_text(path->rate_bps).s);
		return true;
	}
	const struct socket_info *socket = signs->socket;
	if (!socket || !queue_is_empty(socket))
		return false;
	/* By its own choice or for want of CPU: the socket cannot tell. ss's app_limited does not count: it
	 * is set at the end of every burst, with a full queue, too. */
	limit_set(limit, FACTOR_UNKNOWN, CONFIDENCE_LOW);
	limit_candidate(limit, FACTOR_APPLICATION);
	limit_candidate(limit, FACTOR_CPU);
	limit->where = WHERE_SENDER;
	limit_say(limit,
	    "next to nothing waits in the send buffer (%s of %s): the program is the slower one",
	    size_text((double)socket->wmem_queued).s, size_text((double)socket->sndbuf).s);
	limit_settle(limit, "top -H   # on the sender during the test");
	return true;
}

bool rule_cpu(const struct signs *signs, struct limit *limit)
{
	const struct run *run = signs->run;

	if (!run)
		return false;
	bool sender = (run->has & RUN_SENDER_CPU) && run->sender_cpu_percent >= CPU_BUSY_PERCENT;
	bool receiver =
	    (run->has & RUN_RECEIVER_CPU) && run->receiver_cpu_percent >= CPU_BUSY_PERCENT;
	if (!sender && !receiver)
		return false;
	/* Since 3.16 each stream has a thread: 100 % of several streams need not be a full core. */
	bool threaded = run->streams > 1;
	limit_set(limit, FACTOR_CPU, threaded ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH);
	limit->where = sender && receiver ? WHERE_EITHER : sender ? WHERE_SENDER : WHERE_RECEIVER;
	if (sender)
		limit_say(
		    limit, "the sender's iperf3 used %.0f %% of a core", run->sender_cpu_percent);
	if (receiver)
		limit_say(limit, "the receiver's iperf3 used %.0f %% of a core",
		    run->receiver_cpu_percent);
	if (threaded)
		limit_settle(limit, "top -H on both ends during the test");
	return true;
}

static bool scaling_is_off(const struct host *host)
{
	return host && host->values[TUNABLE_TCP_WINDOW_SCALING].known &&
	       host->values[TUNABLE_TCP_WINDOW_SCALING].number[0] == 0;
}

bool rule_window_scaling(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	bool told = scaling_is_off(signs->sender) || scaling_is_off(signs->receiver);
	bool small = (path->has & PATH_PEER_WINDOW) && path->peer_window_max_bytes <= 65535;
	bool asked = signs->run && (signs->run->has & RUN_SOCKET_BUFFER) &&
		     signs->run->socket_buffer_bytes > 0;

	/* A connection that agreed on a scale has it on; a small ceiling gives a small window all the same. */
	if (signs->socket && (signs->socket->has & SOCKET_WSCALE) && signs->socket->snd_wscale > 0)
		return false;
	if ((!told && !small) || (small && !told && asked))
		return false;
	if (signs->has_window_fill && signs->window_fill < 0.8)
		return false;
	if (!signs->has_window_fill && !told)
		return false;
	limit_set(
	    limit, FACTOR_WINDOW_SCALING_OFF, told && small ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	limit->where = scaling_is_off(signs->sender)	 ? WHERE_SENDER
		       : scaling_is_off(signs->receiver) ? WHERE_RECEIVER
							 : WHERE_EITHER;
	if (told)
		limit_say(
		    limit, "net.ipv4.tcp_window_scaling is 0 there: no window above 65,535 bytes");
	if (small)
		limit_say(limit, "the peer's window never exceeds %s",
		    size_text(path->peer_window_max_bytes).s);
	limit_settle(
	    limit, "sysctl net.ipv4.tcp_window_scaling   # on both ends; ss -ti shows wscale");
	return true;
}

/* What the kernel of the end that receives makes of the number that was asked for. */
static void say_window_given(const struct signs *signs, double asked_bytes, struct limit *limit)
{
	const struct host *host = signs->receiver;

	if (!host || !host->values[TUNABLE_RMEM_MAX].known)
		return;
	double most = (double)host->values[TUNABLE_RMEM_MAX].number[0];
	limit_say(limit, "the receiver's net.core.rmem_max (%s) %s it: a window of about %s",
	    size_text(most).s, most < asked_bytes ? "cuts" : "permits",
	    size_text(setsockopt_window(asked_bytes, most, &host->kernel)).s);
}

bool rule_socket_option(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	const struct run *run = signs->run;

	if (!run || !(run->has & RUN_SOCKET_BUFFER) || run->socket_buffer_bytes == 0)
		return false;
	double asked_bytes = (double)run->socket_buffer_bytes;
	/* The kernel doubles what was asked; from 0.6 of it up to all of it is window or in flight. */
	if (path->has & PATH_IN_FLIGHT) {
		if (path->in_flight_bytes < 0.3 * asked_bytes)
			return false;
		limit_say(limit, "%s in flight of a buffer of %s that was asked for (-w)",
		    size_text(path->in_flight_bytes).s, size_text(asked_bytes).s);
	} else {
		limit_say(
		    limit, "a socket buffer of %s was asked for (-w)", size_text(asked_bytes).s);
	}
	bool high = (path->has & PATH_IN_FLIGHT) && signs->lossless &&
		    path->in_flight_bytes < 2.2 * asked_bytes;
	limit_set(limit, FACTOR_SOCKET_OPTION, high ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	say_window_given(signs, asked_bytes, limit);
	limit_say(limit, "it switches autotuning off: tcp_rmem and tcp_wmem maxima do not count");
	limit_settle(limit, "iperf3 -c %s -J   # without -w", limit_peer(signs));
	return true;
}

/* A writer that was woken fills it again to the brim. */
static bool buffer_is_full(const struct socket_info *socket)
{
	return (socket->has & SOCKET_SKMEM) &&
	       (double)socket->wmem_queued > 0.85 * (double)socket->sndbuf;
}

/* tcp_info's own account of what held the sender (net/ipv4/tcp_output.c tcp_chrono, 4.10 on). */
bool rule_socket_times(const struct signs *signs, struct limit *limit)
{
	const struct socket_info *socket = signs->socket;

	if (!socket || !(socket->has & SOCKET_BUSY) || socket->busy_us <= 0)
		return false;
	double rwnd = socket->rwnd_limited_us / socket->busy_us;
	double sndbuf = socket->sndbuf_limited_us / socket->busy_us;
	if (sndbuf > 0.05 && rwnd < sndbuf && buffer_is_full(socket)) {
		limit_set(limit, FACTOR_SEND_BUFFER, CONFIDENCE_HIGH);
		limit_say(limit,
		    "ss: %s of the send buffer of %s in use, sndbuf-limited for %.0f %% of the busy time",
		    size_text((double)socket->wmem_queued).s, size_text((double)socket->sndbuf).s,
		    100 * sndbuf);
		return true;
	}
	if (rwnd < HELD_SHARE && sndbuf < HELD_SHARE)
		return false;
	bool receive = rwnd >= sndbuf;
	limit_set(limit, receive ? FACTOR_RECEIVE_WINDOW : FACTOR_SEND_BUFFER, CONFIDENCE_HIGH);
	limit_say(limit, "ss: %s-limited for %.0f %% of the busy time (%s of %s)",
	    receive ? "rwnd" : "sndbuf", 100 * (receive ? rwnd : sndbuf),
	    time_text(receive ? socket->rwnd_limited_us : socket->sndbuf_limited_us).s,
	    time_text(socket->busy_us).s);
	if (socket->has & SOCKET_PEER_WINDOW)
		limit_say(limit, "the peer's window is %s",
		    size_text((double)socket->peer_window_bytes).s);
	return true;
}

/* True when the RTT tells of no queue: then a full window is what holds the flow, not a result. */
static bool no_queue_seen(const struct signs *signs)
{
	if (signs->base_is_measured)
		return signs->rtt_over_base < 1.25;
	return signs->rtt_rise < 1.08 && signs->path->rtt_trend < 1.2;
}

/* A path that is long by itself shows a ramp-up; a standing queue on a short one is full at once. */
static bool base_is_sure(const struct signs *signs)
{
	return signs->base_is_measured ||
	       (signs->path->ramp_share > 0 && signs->path->ramp_share < 0.95);
}

bool rule_receive_window(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	if (!signs->has_window_fill || !signs->lossless)
		return false;
	if (signs->window_fill < 0.85 || path->cwnd_bytes < 1.05 * path->peer_window_bytes)
		return false;
	if (!no_queue_seen(signs))
		return false;
	bool sure = signs->window_fill > 0.95 && path->peer_window_spread < 0.08 &&
		    signs->rtt_rise < 1.05 && base_is_sure(signs);
	/* A window that breathes, or one not quite full under a wavering RTT, is a busy host's. */
	bool breathes = path->peer_window_spread > 0.12 && signs->window_fill < 0.95;
	if (breathes || path->peer_window_spread > 0.4 ||
	    (signs->window_fill < 0.97 && path->stream_rate_bps > FAST_STREAM_BPS))
		return false;
	bool fair = signs->window_fill > 0.9;
	limit_set(limit, FACTOR_RECEIVE_WINDOW,
	    sure   ? CONFIDENCE_HIGH
	    : fair ? CONFIDENCE_MEDIUM
		   : CONFIDENCE_LOW);
	limit_say(limit, "%s in flight (rate x RTT) of a peer window of %s: %.0f %% of it",
	    size_text(path->in_flight_bytes).s, size_text(path->peer_window_bytes).s,
	    100 * signs->window_fill);
	limit_say(limit, "cwnd would permit %s; no retransmits in the steady state",
	    size_text(path->cwnd_bytes).s);
	limit_settle(limit, "ss -tin dst %s   # on the sender during the test: rwnd_limited",
	    limit_peer(signs));
	return true;
}

/* Text of a sender and the receiver's settings: cwnd rests without loss at what that ceiling gives. */
bool rule_receive_ceiling(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	if (path->rtt.method != RTT_RMEM_SHARE || !signs->lossless || !signs->receiver)
		return false;
	/* A cwnd that creeps by a few per cent is still not the one that holds. */
	if (!signs->cwnd_constant && !signs->bbr && path->cwnd_spread > CWND_CREEPS)
		return false;
	double ceiling_bytes = (double)signs->receiver->values[TUNABLE_TCP_RMEM].number[2];
	struct share share = window_share(
	    &signs->receiver->kernel, &signs->receiver->values[TUNABLE_TCP_ADV_WIN_SCALE]);
	limit_set(limit, FACTOR_RECEIVE_WINDOW, CONFIDENCE_MEDIUM);
	limit_say(limit, "cwnd rests at %s without a retransmit: it is not what holds the flow",
	    size_text(path->cwnd_bytes).s);
	limit_say(limit, "the receiver's tcp_rmem ceiling is %s, about %s of it window",
	    size_text(ceiling_bytes).s,
	    size_text(window_of_buffer(ceiling_bytes, share.typical)).s);
	limit_settle(limit, "iperf3 -c %s -J   # 3.10 or later shows the peer's window and the RTT",
	    limit_peer(signs));
	return true;
}

/* What is in flight per stream, with the path's own RTT where none was measured under load. */
static double in_flight_at_least(const struct path *path)
{
	if (path->has & PATH_IN_FLIGHT)
		return path->in_flight_bytes;
	if (path->rtt.method == RTT_PING || path->rtt.method == RTT_GIVEN)
		return path->stream_rate_bps / 8 * path->rtt.us / 1e6;
	return 0;
}

/*
 * The peer's window is not shown, but what is in flight is the mark of one that nobody ever set: half of
 * the default ceiling, as kernels before 6.6 give it.  Others may come to the same by chance.
 */
bool rule_default_window(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;
	const struct run *run = signs->run;
	double in_flight_bytes = in_flight_at_least(path);
	double window_bytes = window_of_buffer(RMEM_MAX_USUAL, 0.5);

	if ((path->has & PATH_PEER_WINDOW) || signs->bbr || !signs->lossless ||
	    !signs->cwnd_constant || path->rate_deviation > WRITES_SHAKE ||
	    path->cwnd_bytes < 1.05 * in_flight_bytes)
		return false;
	if ((run && (run->has & RUN_SOCKET_BUFFER) && run->socket_buffer_bytes > 0) ||
	    (signs->receiver && signs->receiver->values[TUNABLE_TCP_RMEM].known))
		return false;
	if (in_flight_bytes < 0.93 * window_bytes || in_flight_bytes > 1.01 * window_bytes ||
	    (signs->has_rtt && !no_queue_seen(signs)))
		return false;
	limit_set(limit, FACTOR_RECEIVE_WINDOW, CONFIDENCE_LOW);
	limit_say(limit, "%s in flight (rate x RTT) of a cwnd of %s: something else holds it",
	    size_text(in_flight_bytes).s, size_text(path->cwnd_bytes).s);
	limit_say(limit,
	    "it is %.0f %% of %s, the window under the kernel's default tcp_rmem ceiling of %s",
	    100 * in_flight_bytes / window_bytes, size_text(window_bytes).s,
	    size_text(RMEM_MAX_USUAL).s);
	if (signs->has_rtt)
		limit_settle(limit,
		    "ss -tin dst %s   # on the sender during the test: rwnd_limited",
		    limit_peer(signs));
	else
		limit_settle(limit, "iperf3 -c %s -J   # 3.10 or later: RTT and the peer's window",
		    limit_peer(signs));
	return true;
}

/* The buffer of the sender's socket is known and what is in flight is the part of it that can be. */
static bool wmem_matches(const struct signs *signs)
{
	if (!signs->sender || !signs->sender->values[TUNABLE_TCP_WMEM].known)
		return false;
	double ceiling_bytes = (double)signs->sender->values[TUNABLE_TCP_WMEM].number[2];
	double share = signs->path->in_flight_bytes / ceiling_bytes;
	return share > 0.55 && share < 1.0;
}

static bool wmem_contradicts(const struct signs *signs)
{
	if (!signs->sender || !signs->sender->values[TUNABLE_TCP_WMEM].known)
		return false;
	double ceiling_bytes = (double)signs->sender->values[TUNABLE_TCP_WMEM].number[2];
	return signs->path->in_flight_bytes / ceiling_bytes < 0.45;
}

bool rule_send_buffer(const struct signs *signs, struct limit *limit)
{
	const struct path *path = signs->path;

	if (!signs->has_cwnd_fill || !signs->lossless)
		return false;
	if (signs->cwnd_fill > 0.85 || !signs->has_window_fill || signs->window_fill > 0.85)
		return false;
	/* The kernel's own account outranks the ratios. */
	if (signs->socket && (signs->socket->has & SOCKET_BUSY) &&
	    signs->socket->rwnd_limited_us > signs->socket->sndbuf_limited_us)
		return false;
	/* sk_sndbuf starts at ten segments and grows with cwnd: a smaller flow is not at a ceiling. */
	if (path->in_flight_bytes < 131072 || signs->rtt_rise > 1.08 || path->rtt_trend > 1.2 ||
	    wmem_contradicts(signs))
		return false;
	/* BBR keeps twice the BDP as cwnd when the link is full, too. */
	if (signs->bbr && !wmem_matches(signs) && signs->cwnd_fill > 0.4)
		return false;
	bool sure = wmem_matches(signs) && base_is_sure(signs) && signs->rtt_rise < 1.05;
	limit_set(limit, FACTOR_SEND_BUFFER, sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	limit_say(limit, "%s in flight (rate x RTT): %.0f %% of cwnd (%s)",
	    size_text(path->in_flight_bytes).s, 100 * signs->cwnd_fill,
	    size_text(path->cwnd_bytes).s);
	limit_say(limit, "and %.0f %% of the peer's window (%s); no loss, RTT flat",
	    100 * signs->window_fill, size_text(path->peer_window_bytes).s);
	if (wmem_matches(signs))
		limit_say(limit, "the sender's tcp_wmem ceiling is %s",
		    size_text((double)signs->sender->values[TUNABLE_TCP_WMEM].number[2]).s);
	limit_settle(limit, "ss -tin dst %s   # on the sender during the test: sndbuf_limited",
	    limit_peer(signs));
	return true;
}
