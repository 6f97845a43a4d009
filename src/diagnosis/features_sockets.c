/* Features of sockets: the kernel's own account, queues and buffers at both ends. */
#include "diagnosis/view.h"

#include <math.h>

#include "model/window.h"

/* Shares of the busy time (tcp_info, net/ipv4/tcp_output.c tcp_chrono; 4.10 on), as 57 public tests with
 * this account part: beyond 0.6 the receive window, beyond 0.3 the send buffer, below 0.2 and 0.1 neither. */
#define RWND_MOST 0.6
#define RWND_SOME 0.2
#define SNDBUF_MOST 0.3
#define SNDBUF_SOME 0.1
#define ACQUITTED 0.05
#define QUEUE_EMPTY_BYTES 65536
/* A buffer that has grown to this part of its ceiling has grown to it. */
#define AT_CEILING 0.95
/* Of 36 receivers whose window held the flow half were beyond 0.85, and a twentieth below 0.33; of 230 others
 * one in twenty was beyond 0.5. */
#define RECEIVER_FULL 0.65
#define RECEIVER_MOST 1.3
#define RECEIVER_OPEN 0.3
/* A reader with this share of its buffer unread is behind. */
#define READER_BEHIND 0.5
#define READER_PROMPT 0.1
/* Of 57 queues and links rttvar / rtt was above 0.06 in 2 of 100; of slow readers, in half of them. */
#define JITTERS 0.15
#define JITTER_LEAST_US 5000
#define PACING_REACHED 0.9
/* Two of the largest segments that TSO makes. */
#define LOCAL_QUEUE_BYTES 65536
#define LOCAL_QUEUE_FILL 0.9
/* Windows that protocols above TCP keep: HTTP/2's 64 KiB (RFC 9113, 6.9.2), SFTP's 512 KiB, OpenSSH's
 * channel of 2 MiB (channels.h CHAN_SES_WINDOW_DEFAULT), gRPC's 4 MiB. */
static const double protocol_windows[] = {65535, 0x1p19, 0x1p21, 0x1p22};

static void kernel_account(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_BUSY) || socket->busy_us <= 0)
		return;
	double rwnd = socket->rwnd_limited_us / socket->busy_us;
	double sndbuf = socket->sndbuf_limited_us / socket->busy_us;
	bool queued = view->base_is_measured && view->queue_ratio > 1.3 &&
		      view->loaded_us - view->base_us > 4000;
	if (rwnd >= RWND_MOST)
		feature_set(view, queued ? FEATURE_KERNEL_RWND_IN_QUEUE : FEATURE_KERNEL_RWND, rwnd,
		    socket->busy_us);
	else if (rwnd >= RWND_SOME)
		feature_set(view, FEATURE_KERNEL_RWND_PARTLY, rwnd, socket->busy_us);
	if (sndbuf >= SNDBUF_MOST)
		feature_set(view, FEATURE_KERNEL_SNDBUF, sndbuf, socket->busy_us);
	else if (sndbuf >= SNDBUF_SOME)
		feature_set(view, FEATURE_KERNEL_SNDBUF_PARTLY, sndbuf, socket->busy_us);
	if (rwnd < ACQUITTED && sndbuf < ACQUITTED)
		feature_set(view, FEATURE_KERNEL_ACQUITS, fmax(rwnd, sndbuf), socket->busy_us);
}

static double unacked_bytes(const struct socket_info *socket)
{
	return (socket->has & SOCKET_UNACKED) && (socket->has & SOCKET_MSS)
		   ? (double)socket->unacked_segments * socket->mss
		   : 0;
}

/* All that the program handed over and that is not acknowledged. */
static void protocol_window(const struct view *view)
{
	double queue = (double)view->socket->send_queue;

	for (size_t i = 0; i < sizeof(protocol_windows) / sizeof(protocol_windows[0]); i++)
		if (fabs(queue / protocol_windows[i] - 1) < 0.02 &&
		    queue < 0.8 * (double)view->socket->sndbuf)
			feature_set(view, FEATURE_SEND_QUEUE_IS_WINDOW, queue, protocol_windows[i]);
}

static void send_queue(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_SKMEM) || socket->sndbuf == 0 ||
	    !socket->app_limited || view->features->items[FEATURE_KERNEL_SNDBUF].present)
		return;
	protocol_window(view);
	/* ss leaves notsent out where it is 0 */
	double unsent = socket->has & SOCKET_NOTSENT ? (double)socket->notsent_bytes : 0;
	double flying = unacked_bytes(socket);
	double cwnd = (double)socket->cwnd_segments * socket->mss;
	if (unsent > fmin(QUEUE_EMPTY_BYTES, 0.3 * fmax(flying, 1)) ||
	    (double)socket->wmem_queued > 0.9 * (double)socket->sndbuf ||
	    (cwnd > 0 && flying > 0.9 * cwnd && socket->cwnd_segments > 4))
		return;
	feature_set(view, FEATURE_SEND_QUEUE_EMPTY, unsent, (double)socket->sndbuf);
}

/* What sndbuf-limited means depends on whether the buffer has grown to tcp_wmem's ceiling. */
static void send_buffer(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!view->features->items[FEATURE_KERNEL_SNDBUF].present || !(socket->has & SOCKET_SKMEM))
		return;
	if (!view->sender || !view->sender->values[TUNABLE_TCP_WMEM].known) {
		feature_set(view, FEATURE_SNDBUF_CEILING_UNKNOWN, (double)socket->sndbuf, 0);
		if ((double)socket->sndbuf < AT_CEILING * WMEM_MAX_USUAL)
			feature_set(view, FEATURE_SNDBUF_BELOW_DEFAULT, (double)socket->sndbuf,
			    WMEM_MAX_USUAL);
		return;
	}
	double ceiling = (double)view->sender->values[TUNABLE_TCP_WMEM].number[2];
	if ((double)socket->sndbuf > AT_CEILING * ceiling)
		feature_set(view, FEATURE_SNDBUF_AT_CEILING, (double)socket->sndbuf, ceiling);
}

/* A buffer that a program set does not grow: it is full below the ceiling. */
static void fixed_buffers(const struct view *view)
{
	const struct socket_info *socket = view->socket, *peer = view->peer_socket;

	if (socket && (socket->has & SOCKET_SKMEM) && view->sender &&
	    view->sender->values[TUNABLE_TCP_WMEM].known && socket->sndbuf > 0) {
		double ceiling = (double)view->sender->values[TUNABLE_TCP_WMEM].number[2];
		double held = socket->has & SOCKET_BUSY && socket->busy_us > 0
				  ? socket->sndbuf_limited_us / socket->busy_us
				  : 0;
		if ((double)socket->sndbuf < 0.8 * ceiling && held > SNDBUF_SOME)
			feature_set(view, FEATURE_SNDBUF_FIXED, (double)socket->sndbuf, ceiling);
	}
	if (peer && (peer->has & SOCKET_SKMEM) && view->receiver &&
	    view->receiver->values[TUNABLE_TCP_RMEM].known && peer->rcvbuf > 0) {
		double ceiling = (double)view->receiver->values[TUNABLE_TCP_RMEM].number[2];
		double full = view->window_fill;
		if ((double)peer->rcvbuf < 0.8 * ceiling && full > 0.9 &&
		    (double)peer->rmem_alloc < READER_PROMPT * (double)peer->rcvbuf)
			feature_set(view, FEATURE_RCVBUF_FIXED, (double)peer->rcvbuf, ceiling);
	}
}

static void reader(const struct view *view)
{
	const struct socket_info *peer = view->peer_socket;

	if (!peer || !(peer->has & SOCKET_SKMEM) || peer->rcvbuf == 0)
		return;
	double share = (double)peer->rmem_alloc / (double)peer->rcvbuf;
	if (peer->recv_queue > 0 && share > READER_BEHIND)
		feature_set(
		    view, FEATURE_READER_BEHIND, (double)peer->recv_queue, (double)peer->rcvbuf);
	else if (share < READER_PROMPT)
		feature_set(
		    view, FEATURE_READER_PROMPT, (double)peer->recv_queue, (double)peer->rcvbuf);
	if (share < READER_PROMPT && view->receiver &&
	    view->receiver->values[TUNABLE_TCP_RMEM].known) {
		double ceiling = (double)view->receiver->values[TUNABLE_TCP_RMEM].number[2];
		if ((double)peer->rcvbuf > AT_CEILING * ceiling)
			feature_set(view, FEATURE_RCVBUF_AT_CEILING, (double)peer->rcvbuf, ceiling);
	}
}

/* What the receiver took in within its own RTT, of the window that it may offer: tcp_input.c tcp_rcv_rtt_update
 * and rcv_ssthresh. */
static void receiver_window(const struct view *view)
{
	const struct socket_info *peer = view->peer_socket;
	const unsigned needs = SOCKET_RCV_RTT | SOCKET_RCV_SSTHRESH;

	if (!peer || (peer->has & needs) != needs || peer->rcv_ssthresh == 0 ||
	    view->path->rate.stream_bps <= 0 || view->window_fill > 0 ||
	    view->features->items[FEATURE_READER_BEHIND].present)
		return; /* the sender knows better how full the window is, and of a queue before it */
	double taken = view->path->rate.stream_bps / 8e6 * peer->rcv_rtt_us;
	double fill = taken / (double)peer->rcv_ssthresh;
	if (fill > RECEIVER_FULL && fill < RECEIVER_MOST)
		feature_set(view, FEATURE_RECEIVER_WINDOW_FULL, taken, (double)peer->rcv_ssthresh);
	else if (fill < RECEIVER_OPEN)
		feature_set(view, FEATURE_RECEIVER_WINDOW_OPEN, taken, (double)peer->rcv_ssthresh);
}

/* The rate is the socket's own pacing rate, well below what cwnd would let go; or what SO_MAX_PACING_RATE, a
 * program's choice, permits. */
static void paced(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (socket && socket->max_pacing_bps > 0) {
		double now_bps = socket->has & SOCKET_DELIVERY_RATE ? socket->delivery_rate_bps
								    : view->path->rate.stream_bps;
		if (now_bps > PACING_REACHED * socket->max_pacing_bps)
			feature_set(view, FEATURE_PACING_SET, now_bps, socket->max_pacing_bps);
		return;
	}
	if (!socket || !(socket->has & SOCKET_PACING_RATE) || socket->pacing_rate_bps <= 0 ||
	    view->bbr || view->cwnd_fill <= 0 || view->cwnd_fill > 0.7)
		return;
	double ratio = view->path->rate.stream_bps / socket->pacing_rate_bps;
	if (ratio > 0.9 && ratio < 1.1)
		feature_set(
		    view, FEATURE_PACED, view->path->rate.stream_bps, socket->pacing_rate_bps);
}

/* What has left TCP and not the host: its own queueing discipline, or its interface, is what holds it.  TCP
 * lets no more than about a millisecond of the pacing rate wait there (tcp_output.c tcp_small_queue_check). */
static void local_queue(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_SKMEM) || !(socket->has & SOCKET_NOTSENT) ||
	    socket->notsent_bytes < socket->wmem_alloc || socket->max_pacing_bps > 0)
		return;
	if (socket->wmem_alloc > LOCAL_QUEUE_BYTES && view->cwnd_fill < LOCAL_QUEUE_FILL)
		feature_set(view, FEATURE_LOCAL_QUEUE, (double)socket->wmem_alloc,
		    (double)socket->notsent_bytes);
}

/* Queues on the way marked segments rather than dropping them (RFC 3168). */
static void marks(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (socket && socket->delivered > 0 && socket->delivered_ce > 0)
		feature_set(view, FEATURE_ECN_MARKED, (double)socket->delivered_ce,
		    (double)socket->delivered);
}

/* The RTT's mean deviation: a queue that the flow builds moves slowly, programs and schedulers do not. */
static void jitter(const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (socket && (socket->has & SOCKET_RTT) && socket->rtt_us > JITTER_LEAST_US &&
	    socket->rttvar_us > JITTERS * socket->rtt_us)
		feature_set(view, FEATURE_RTT_JITTERS, socket->rttvar_us, socket->rtt_us);
}

void features_of_sockets(const struct view *view)
{
	local_queue(view);
	marks(view);
	jitter(view);
	kernel_account(view);
	send_buffer(view);
	send_queue(view);
	fixed_buffers(view);
	reader(view);
	receiver_window(view);
	paced(view);
}
