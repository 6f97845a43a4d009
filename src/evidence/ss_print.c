#include "evidence/ss_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void ss_print_header(FILE *stream)
{
	fputs("State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n", stream);
}

/* ss sets IPv6 addresses in brackets. */
static void print_endpoint(FILE *stream, const char *address, uint16_t port)
{
	fprintf(stream, strchr(address, ':') ? " [%s]:%u" : " %s:%u", address, port);
}

static void print_memory(FILE *stream, const struct socket_info *info)
{
	if (info->has & SOCKET_SKMEM)
		fprintf(stream,
		    " skmem:(r%" PRIu64 ",rb%" PRIu64 ",t%" PRIu64 ",tb%" PRIu64 ",f%" PRIu64
		    ",w%" PRIu64 ",o0,bl%" PRIu64 ",d%" PRIu64 ")",
		    info->rmem_alloc, info->rcvbuf, info->wmem_alloc, info->sndbuf,
		    info->forward_alloc, info->wmem_queued, info->backlog, info->drops);
}

static void print_count(FILE *stream, const char *name, bool has, uint64_t value)
{
	if (has && value > 0)
		fprintf(stream, " %s:%" PRIu64, name, value);
}

/* "name:1.5": a time in milliseconds, as ss prints most of them, with its unit or without. */
static void print_ms(FILE *stream, const char *name, bool has, double us, const char *unit)
{
	if (has && us > 0)
		fprintf(stream, " %s:%.9g%s", name, us / 1000, unit);
}

static void print_window(FILE *stream, const struct socket_info *info)
{
	if (info->has_timestamps)
		fputs(" ts", stream);
	if (info->has_sack)
		fputs(" sack", stream);
	if (info->cc[0])
		fprintf(stream, " %s", info->cc);
	if (info->has & SOCKET_WSCALE)
		fprintf(stream, " wscale:%u,%u", info->snd_wscale, info->rcv_wscale);
	print_count(stream, "backoff", info->has & SOCKET_BACKOFF, info->backoff);
	if (info->has & SOCKET_RTT)
		fprintf(stream, " rtt:%.9g/%.9g", info->rtt_us / 1000, info->rttvar_us / 1000);
	print_count(stream, "mss", info->has & SOCKET_MSS, info->mss);
	print_count(stream, "cwnd", info->has & SOCKET_CWND, info->cwnd_segments);
	print_count(stream, "ssthresh", info->has & SOCKET_SSTHRESH, info->ssthresh_segments);
	print_count(stream, "bytes_sent", info->has & SOCKET_BYTES_SENT, info->bytes_sent);
	print_count(stream, "bytes_retrans", info->has & SOCKET_BYTES_RESENT, info->bytes_resent);
	print_count(stream, "bytes_acked", info->has & SOCKET_BYTES_ACKED, info->bytes_acked);
	print_count(
	    stream, "bytes_received", info->has & SOCKET_BYTES_RECEIVED, info->bytes_received);
	print_count(stream, "data_segs_out", info->has & SOCKET_DATA_SEGS_OUT, info->data_segs_out);
	if (info->has & SOCKET_BBR)
		fprintf(stream, " bbr:(bw:%.0fbps,mrtt:%.9g)", info->bbr_bw_bps,
		    info->bbr_min_rtt_us / 1000);
}

/* A share of the busy time, as ss adds it in parentheses. */
static void print_limited(FILE *stream, const char *name, double us, double busy_us)
{
	if (us > 0 && busy_us > 0)
		fprintf(stream, " %s:%.0fms(%.1f%%)", name, us / 1000, us / busy_us * 100);
}

static void print_rates(FILE *stream, const struct socket_info *info)
{
	if (info->has & SOCKET_LAST_SND) {
		print_ms(stream, "lastsnd", true, info->lastsnd_ms * 1000, "");
		print_ms(stream, "lastrcv", true, info->lastrcv_ms * 1000, "");
	}
	if (info->has & SOCKET_PACING_RATE && info->pacing_rate_bps > 0)
		fprintf(stream, " pacing_rate %.0fbps", info->pacing_rate_bps);
	if (info->has & SOCKET_PACING_RATE && info->pacing_rate_bps > 0 && info->max_pacing_bps > 0)
		fprintf(stream, "/%.0fbps", info->max_pacing_bps);
	if (info->has & SOCKET_DELIVERY_RATE && info->delivery_rate_bps > 0)
		fprintf(stream, " delivery_rate %.0fbps", info->delivery_rate_bps);
	print_count(stream, "delivered", true, info->delivered);
	print_count(stream, "delivered_ce", true, info->delivered_ce);
	if (info->app_limited)
		fputs(" app_limited", stream);
	if (info->has & SOCKET_BUSY) {
		print_ms(stream, "busy", true, floor(info->busy_us / 1000) * 1000, "ms");
		print_limited(stream, "rwnd_limited", info->rwnd_limited_us, info->busy_us);
		print_limited(stream, "sndbuf_limited", info->sndbuf_limited_us, info->busy_us);
	}
}

void ss_print(FILE *stream, const struct socket_info *info)
{
	fprintf(stream, "%s %" PRIu64 " %" PRIu64, info->state[0] ? info->state : "UNCONN",
	    info->recv_queue, info->send_queue);
	print_endpoint(stream, info->local, info->local_port);
	print_endpoint(stream, info->peer, info->peer_port);
	fputs("\n\t", stream);
	print_memory(stream, info);
	print_window(stream, info);
	print_rates(stream, info);
	print_count(stream, "unacked", info->has & SOCKET_UNACKED, info->unacked_segments);
	if (info->has & SOCKET_RETRANS && info->retransmits > 0)
		fprintf(stream, " retrans:0/%" PRIu64, info->retransmits);
	print_ms(stream, "rcv_rtt", info->has & SOCKET_RCV_RTT, info->rcv_rtt_us, "");
	print_count(stream, "rcv_space", info->has & SOCKET_RCV_SPACE, info->rcv_space);
	print_count(stream, "rcv_ssthresh", info->has & SOCKET_RCV_SSTHRESH, info->rcv_ssthresh);
	print_count(stream, "notsent", info->has & SOCKET_NOTSENT, info->notsent_bytes);
	print_ms(stream, "minrtt", info->has & SOCKET_MIN_RTT, info->min_rtt_us, "");
	print_count(stream, "snd_wnd", info->has & SOCKET_PEER_WINDOW, info->peer_window_bytes);
	fputc('\n', stream);
}
