#include "system/sock_diag.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "evidence/scan.h"
#include "evidence/socket_state.h"
#include "system/netlink.h"

/* tcpi_options: include/uapi/linux/tcp.h, which netinet/tcp.h repeats. */
#define OPTION_TIMESTAMPS 1u
#define OPTION_SACK 2u
#define OPTION_WSCALE 4u
/* TCP_INFINITE_SSTHRESH, include/net/tcp.h. */
#define SSTHRESH_INFINITE 0x7fffffffu
/* Enough to show that the kernel cannot keep up, rather than that it was interrupted. */
#define RESTARTS_MAX 3
/* The kernel fills dumps into pieces of at most 32 KiB (net/netlink/af_netlink.c). */
#define PIECE_BYTES 32768

_Static_assert(sizeof(((struct sock_diag_id *)0)->bytes) >= sizeof(struct inet_diag_sockid),
    "room for the kernel's identity of a socket");

struct sock_diag {
	int fd;
	unsigned family, states;
	uint16_t peer_port;
	uint32_t sequence;
	unsigned restarts;
	bool ended;
	struct netlink_span left; /* of the piece, not yet taken */
	_Alignas(struct nlmsghdr) char piece[PIECE_BYTES];
};

/* ---- one socket ---------------------------------------------------------------------------- */

/* What tcp_info tells from which length on: it has only ever grown at its end. */
static const struct presence {
	size_t end;
	unsigned has;
} presences[] = {
#define UP_TO(member) offsetof(struct tcp_info, member) + sizeof(((struct tcp_info *)0)->member)
    {UP_TO(tcpi_total_retrans), SOCKET_RTT | SOCKET_CWND | SOCKET_MSS | SOCKET_RETRANS |
				    SOCKET_UNACKED | SOCKET_RCV_SPACE | SOCKET_RCV_RTT |
				    SOCKET_LAST_SND | SOCKET_RCV_SSTHRESH | SOCKET_SSTHRESH |
				    SOCKET_WSCALE},
    {UP_TO(tcpi_max_pacing_rate), SOCKET_PACING_RATE},					 /* 3.15 */
    {UP_TO(tcpi_bytes_received), SOCKET_BYTES_ACKED | SOCKET_BYTES_RECEIVED},		 /* 4.1 */
    {UP_TO(tcpi_data_segs_out), SOCKET_NOTSENT | SOCKET_MIN_RTT | SOCKET_DATA_SEGS_OUT}, /* 4.6 */
    {UP_TO(tcpi_delivery_rate), SOCKET_DELIVERY_RATE},					 /* 4.9 */
    {UP_TO(tcpi_sndbuf_limited), SOCKET_BUSY},						 /* 4.10 */
    {UP_TO(tcpi_bytes_retrans), SOCKET_BYTES_SENT | SOCKET_BYTES_RESENT},		 /* 4.19 */
    {UP_TO(tcpi_snd_wnd), SOCKET_PEER_WINDOW},						 /* 5.4 */
};

static void absent_if(struct socket_info *info, unsigned has, bool unknown)
{
	if (unknown)
		info->has &= ~has;
}

/* Values that mean that there is none: as misc/ss.c leaves them out. */
static void drop_unknown(struct socket_info *info, const struct tcp_info *tcp)
{
	absent_if(info, SOCKET_RTT, tcp->tcpi_rtt == 0);
	absent_if(info, SOCKET_MIN_RTT, tcp->tcpi_min_rtt == 0 || tcp->tcpi_min_rtt == UINT32_MAX);
	absent_if(info, SOCKET_RCV_RTT, tcp->tcpi_rcv_rtt == 0);
	absent_if(info, SOCKET_RCV_SPACE, tcp->tcpi_rcv_space == 0);
	absent_if(info, SOCKET_MSS, tcp->tcpi_snd_mss == 0);
	absent_if(info, SOCKET_DELIVERY_RATE, tcp->tcpi_delivery_rate == 0);
	absent_if(info, SOCKET_PEER_WINDOW, tcp->tcpi_snd_wnd == 0);
	absent_if(info, SOCKET_SSTHRESH, tcp->tcpi_snd_ssthresh >= SSTHRESH_INFINITE);
	absent_if(info, SOCKET_WSCALE, (tcp->tcpi_options & OPTION_WSCALE) == 0);
	absent_if(info, SOCKET_PACING_RATE,
	    tcp->tcpi_pacing_rate == 0 || tcp->tcpi_pacing_rate == UINT64_MAX);
	/* of a listener, fields mean other things: net/ipv4/tcp.c, tcp_get_info */
	if (tcp->tcpi_state == STATE_LISTEN)
		info->has &= SOCKET_CWND | SOCKET_SKMEM;
}

static void take_counts(struct socket_info *info, const struct tcp_info *tcp)
{
	info->mss = tcp->tcpi_snd_mss;
	info->cwnd_segments = tcp->tcpi_snd_cwnd;
	info->ssthresh_segments = tcp->tcpi_snd_ssthresh;
	info->unacked_segments = tcp->tcpi_unacked;
	info->retransmits = tcp->tcpi_total_retrans;
	info->backoff = tcp->tcpi_backoff;
	info->bytes_sent = tcp->tcpi_bytes_sent;
	info->bytes_resent = tcp->tcpi_bytes_retrans;
	info->bytes_acked = tcp->tcpi_bytes_acked;
	info->bytes_received = tcp->tcpi_bytes_received;
	info->data_segs_out = tcp->tcpi_data_segs_out;
	info->peer_window_bytes = tcp->tcpi_snd_wnd;
	info->delivered = tcp->tcpi_delivered;
	info->delivered_ce = tcp->tcpi_delivered_ce;
	info->notsent_bytes = tcp->tcpi_notsent_bytes;
	info->rcv_space = tcp->tcpi_rcv_space;
	info->rcv_ssthresh = tcp->tcpi_rcv_ssthresh;
	info->snd_wscale = tcp->tcpi_snd_wscale;
	info->rcv_wscale = tcp->tcpi_rcv_wscale;
	info->has_timestamps = (tcp->tcpi_options & OPTION_TIMESTAMPS) != 0;
	info->has_sack = (tcp->tcpi_options & OPTION_SACK) != 0;
	info->app_limited = tcp->tcpi_delivery_rate_app_limited != 0;
}

/* The kernel's units: us, ms for what it keeps in jiffies, and bytes per second. */
static void take_times(struct socket_info *info, const struct tcp_info *tcp)
{
	info->rtt_us = tcp->tcpi_rtt;
	info->rttvar_us = tcp->tcpi_rttvar;
	info->min_rtt_us = tcp->tcpi_min_rtt;
	info->rcv_rtt_us = tcp->tcpi_rcv_rtt;
	info->busy_us = (double)tcp->tcpi_busy_time;
	info->rwnd_limited_us = (double)tcp->tcpi_rwnd_limited;
	info->sndbuf_limited_us = (double)tcp->tcpi_sndbuf_limited;
	info->lastsnd_ms = tcp->tcpi_last_data_sent;
	info->lastrcv_ms = tcp->tcpi_last_data_recv;
	info->delivery_rate_bps = 8 * (double)tcp->tcpi_delivery_rate;
	info->pacing_rate_bps = 8 * (double)tcp->tcpi_pacing_rate;
	/* ~0: no limit */
	if (tcp->tcpi_max_pacing_rate < UINT32_MAX)
		info->max_pacing_bps = 8 * (double)tcp->tcpi_max_pacing_rate;
}

static void take_tcp_info(struct socket_info *info, struct netlink_span body)
{
	struct tcp_info tcp;
	size_t length = netlink_copy(body, &tcp, sizeof(tcp));

	for (size_t i = 0; i < sizeof(presences) / sizeof(presences[0]); i++)
		if (length >= presences[i].end)
			info->has |= presences[i].has;
	take_counts(info, &tcp);
	take_times(info, &tcp);
	drop_unknown(info, &tcp);
}

static void take_memory(struct socket_info *info, struct netlink_span body)
{
	uint32_t memory[SK_MEMINFO_VARS];
	size_t length = netlink_copy(body, memory, sizeof(memory));

	if (length < (SK_MEMINFO_WMEM_QUEUED + 1) * sizeof(memory[0]))
		return;
	info->has |= SOCKET_SKMEM;
	info->rmem_alloc = memory[SK_MEMINFO_RMEM_ALLOC];
	info->rcvbuf = memory[SK_MEMINFO_RCVBUF];
	info->wmem_alloc = memory[SK_MEMINFO_WMEM_ALLOC];
	info->sndbuf = memory[SK_MEMINFO_SNDBUF];
	/* an int that may go below zero: include/net/sock.h */
	if (memory[SK_MEMINFO_FWD_ALLOC] <= INT32_MAX)
		info->forward_alloc = memory[SK_MEMINFO_FWD_ALLOC];
	info->wmem_queued = memory[SK_MEMINFO_WMEM_QUEUED];
	info->backlog = memory[SK_MEMINFO_BACKLOG];
	info->drops = memory[SK_MEMINFO_DROPS];
}

static void take_bbr(struct socket_info *info, struct netlink_span body)
{
	struct tcp_bbr_info bbr;

	if (netlink_copy(body, &bbr, sizeof(bbr)) < sizeof(bbr))
		return;
	info->has |= SOCKET_BBR;
	info->bbr_bw_bps = 8 * (0x1p32 * (double)bbr.bbr_bw_hi + (double)bbr.bbr_bw_lo);
	info->bbr_min_rtt_us = bbr.bbr_min_rtt;
}

/* As ss -n prints it, without brackets; mapped addresses as IPv4, as the reader of ss does. */
static void address_text(
    unsigned family, const uint32_t address[4], bool only_v6, char *out, size_t size)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const uint32_t any[4];

	out[0] = '\0';
	if (family == AF_INET)
		inet_ntop(AF_INET, address, out, (socklen_t)size);
	else if (memcmp(address, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, &address[3], out, (socklen_t)size);
	else if (memcmp(address, any, sizeof(any)) == 0 && !only_v6)
		strlcpy(out, "*", size);
	else
		inet_ntop(AF_INET6, address, out, (socklen_t)size);
}

static void take_identity(struct socket_info *info, const struct inet_diag_msg *message,
    bool only_v6, struct sock_diag_id *id)
{
	const struct inet_diag_sockid *from = &message->id;

	info->local_port = ntohs(from->idiag_sport);
	info->peer_port = ntohs(from->idiag_dport);
	address_text(
	    message->idiag_family, from->idiag_src, only_v6, info->local, sizeof(info->local));
	address_text(
	    message->idiag_family, from->idiag_dst, only_v6, info->peer, sizeof(info->peer));
	info->recv_queue = message->idiag_rqueue;
	info->send_queue = message->idiag_wqueue;
	if (message->idiag_state < STATE_COUNT)
		strlcpy(info->state, socket_state_name((enum socket_state)message->idiag_state),
		    sizeof(info->state));
	if (id != NULL) {
		id->family = message->idiag_family;
		memcpy(id->bytes, from, sizeof(*from));
		id->cookie = (uint64_t)from->idiag_cookie[1] << 32 | from->idiag_cookie[0];
	}
}

bool sock_diag_take(
    struct socket_info *info, struct sock_diag_id *id, const void *bytes, size_t length)
{
	struct netlink_span span = {.at = bytes, .left = length}, body;
	struct inet_diag_msg message;
	unsigned type;
	bool only_v6 = false;

	memset(info, 0, sizeof(*info));
	if (!netlink_header(&span, &message, sizeof(message)) ||
	    (message.idiag_family != AF_INET && message.idiag_family != AF_INET6))
		return false;
	while (netlink_attribute(&span, &type, &body)) {
		if (type == INET_DIAG_INFO)
			take_tcp_info(info, body);
		else if (type == INET_DIAG_SKMEMINFO)
			take_memory(info, body);
		else if (type == INET_DIAG_BBRINFO)
			take_bbr(info, body);
		else if (type == INET_DIAG_CONG)
			netlink_text(body, info->cc, sizeof(info->cc));
		else if (type == INET_DIAG_SKV6ONLY)
			only_v6 = body.left > 0 && body.at[0] != 0;
	}
	scan_printable(info->cc);
	take_identity(info, &message, only_v6, id);
	return true;
}

/* ---- the conversation ---------------------------------------------------------------------- */

struct request {
	struct nlmsghdr header;
	struct inet_diag_req_v2 body;
};

/* `id` is NULL for all. */
static bool ask(struct sock_diag *reader, unsigned family, const struct sock_diag_id *id)
{
	struct request request = {
	    .header = {.nlmsg_len = sizeof(request),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = (uint16_t)(id ? NLM_F_REQUEST : NLM_F_REQUEST | NLM_F_DUMP),
		.nlmsg_seq = ++reader->sequence},
	    .body = {.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1u << (INET_DIAG_INFO - 1) | 1u << (INET_DIAG_VEGASINFO - 1) |
			     1u << (INET_DIAG_CONG - 1) | 1u << (INET_DIAG_SKMEMINFO - 1),
		.idiag_states = reader->states},
	};

	if (id != NULL)
		memcpy(&request.body.id, id->bytes, sizeof(request.body.id));
	else
		request.body.id.idiag_dport = htons(reader->peer_port);
	reader->left.left = 0;
	ssize_t sent;
	do
		sent = send(reader->fd, &request, sizeof(request), 0);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof(request);
}

static bool connect_anew(struct sock_diag *reader)
{
	/* The kernel answers within the call; an emulation of it may never do. */
	static const struct timeval patience = {.tv_sec = 10};

	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	return reader->fd >= 0 &&
	       setsockopt(reader->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0;
}

struct sock_diag *sock_diag_open(unsigned states, uint16_t peer_port)
{
	struct sock_diag *reader = calloc(1, sizeof(*reader));

	if (reader == NULL)
		err(1, NULL);
	reader->fd = -1;
	reader->family = AF_INET;
	reader->states = states;
	reader->peer_port = peer_port;
	if (connect_anew(reader) && ask(reader, AF_INET, NULL))
		return reader;
	int error = errno;
	sock_diag_close(reader);
	errno = error;
	return NULL;
}

/* The next piece of an answer: 1, or 0 with errno. */
static int receive(struct sock_diag *reader)
{
	ssize_t got;

	do
		got = recv(reader->fd, reader->piece, sizeof(reader->piece), 0);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		errno = got == 0 ? EPROTO : errno;
		return 0;
	}
	reader->left = (struct netlink_span){.at = reader->piece, .left = (size_t)got};
	return 1;
}

/* What ended an answer: 0, or an errno.  The kernel puts it negative at the front. */
static int error_of(struct netlink_span body)
{
	int error = 0;

	netlink_copy(body, &error, sizeof(error));
	return error < 0 ? -error : 0;
}

/* IPv4 is through: goes on with IPv6, which a kernel may not have. */
static enum sock_diag_result next_family(struct sock_diag *reader, int error)
{
	if (error == ENOENT && reader->family == AF_INET6)
		error = 0;
	if (error != 0) {
		errno = error;
		return SOCK_DIAG_ERROR;
	}
	if (reader->family == AF_INET6) {
		reader->ended = true;
		return SOCK_DIAG_END;
	}
	reader->family = AF_INET6;
	return ask(reader, AF_INET6, NULL) ? SOCK_DIAG_SOCKET : SOCK_DIAG_ERROR;
}

/* The receive queue overflowed, and a part of the answer with it: nothing tells which. */
static enum sock_diag_result restart(struct sock_diag *reader)
{
	if (++reader->restarts > RESTARTS_MAX) {
		errno = ENOBUFS;
		return SOCK_DIAG_ERROR;
	}
	reader->family = AF_INET;
	return connect_anew(reader) && ask(reader, AF_INET, NULL) ? SOCK_DIAG_AGAIN
								  : SOCK_DIAG_ERROR;
}

enum sock_diag_result sock_diag_next(
    struct sock_diag *reader, struct socket_info *info, struct sock_diag_id *id)
{
	struct nlmsghdr header;
	struct netlink_span body;

	while (!reader->ended) {
		if (!netlink_message(&reader->left, &header, &body)) {
			if (receive(reader))
				continue;
			return errno == ENOBUFS ? restart(reader) : SOCK_DIAG_ERROR;
		}
		if (header.nlmsg_seq != reader->sequence)
			continue;
		if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR) {
			enum sock_diag_result result = next_family(reader, error_of(body));
			if (result != SOCK_DIAG_SOCKET)
				return result;
		} else if (header.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
			   sock_diag_take(info, id, body.at, body.left)) {
			return SOCK_DIAG_SOCKET;
		}
	}
	return SOCK_DIAG_END;
}

enum sock_diag_result sock_diag_look_up(
    struct sock_diag *reader, const struct sock_diag_id *id, struct socket_info *info)
{
	struct nlmsghdr header;
	struct netlink_span body;

	if (!ask(reader, id->family, id))
		return SOCK_DIAG_ERROR;
	while (receive(reader)) {
		while (netlink_message(&reader->left, &header, &body)) {
			if (header.nlmsg_seq != reader->sequence)
				continue;
			if (header.nlmsg_type == NLMSG_ERROR) {
				errno = error_of(body);
				/* ESTALE: the cookie is of a socket before this one */
				return errno == ENOENT || errno == ESTALE ? SOCK_DIAG_END
									  : SOCK_DIAG_ERROR;
			}
			if (sock_diag_take(info, NULL, body.at, body.left))
				return SOCK_DIAG_SOCKET;
		}
	}
	return SOCK_DIAG_ERROR;
}

void sock_diag_close(struct sock_diag *reader)
{
	if (reader == NULL)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader);
}

const char *sock_diag_why(int error)
{
	switch (error) {
	case ENOENT:
	case EPROTONOSUPPORT:
	case EAFNOSUPPORT:
		return "this kernel does not tell of its sockets: modprobe tcp_diag, or give it the "
		       "output of ss -tmin";
	case EPERM:
	case EACCES:
		return "not permitted here (a container's filter?): run it on the host, or give it "
		       "the output of ss -tmin";
	case ENOBUFS:
		return "the kernel dropped a part of its answer each time: narrow it down with "
		       "--state";
	default:
		return strerror(error);
	}
}
