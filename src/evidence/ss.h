/*
 * Sockets as `ss -tmi`/`ss -tmin` prints them, one at a time.
 */
#ifndef BDP_SS_H
#define BDP_SS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

/* A connection that moved less is iperf3's control connection, or idle. */
#define SOCKET_CONTROL_BYTES 65536

enum socket_has {
	SOCKET_SKMEM = 1 << 0,
	SOCKET_RTT = 1 << 1,
	SOCKET_MIN_RTT = 1 << 2,
	SOCKET_CWND = 1 << 3,
	SOCKET_MSS = 1 << 4,
	SOCKET_DELIVERY_RATE = 1 << 5,
	SOCKET_PEER_WINDOW = 1 << 6, /* snd_wnd */
	SOCKET_WSCALE = 1 << 7,
	SOCKET_BUSY = 1 << 8, /* busy_us and the limited times; absent ones are 0 */
	SOCKET_BYTES_SENT = 1 << 9,
	SOCKET_BYTES_ACKED = 1 << 10,
	SOCKET_BYTES_RECEIVED = 1 << 11,
	SOCKET_RETRANS = 1 << 12, /* retransmits in all */
	SOCKET_DATA_SEGS_OUT = 1 << 13,
	SOCKET_UNACKED = 1 << 14,
	SOCKET_NOTSENT = 1 << 15,
	SOCKET_RCV_SPACE = 1 << 16,
	SOCKET_RCV_RTT = 1 << 17,
	SOCKET_BBR = 1 << 18,	   /* bbr_bw_bps, bbr_min_rtt_us */
	SOCKET_LAST_SND = 1 << 19, /* lastsnd_ms, lastrcv_ms */
	SOCKET_RCV_SSTHRESH = 1 << 20,
	SOCKET_SSTHRESH = 1 << 21,
	SOCKET_PACING_RATE = 1 << 22,
	SOCKET_BYTES_RESENT = 1 << 23,
	SOCKET_BACKOFF = 1 << 24,     /* backoff: not printed when it is 0 */
	SOCKET_TAKEN = 1 << 25,	      /* taken_s */
	SOCKET_TAKEN_EXACT = 1 << 26, /* and it has a fraction of a second */
};

/* One TCP socket. Strings are safe to print. */
struct socket_info {
	char state[16]; /* as ss prints it: ESTAB, LISTEN, ...; "" when it leaves the
	                             * column out because one state was asked for */
	char local[64],
	    peer[64]; /* addresses without brackets, zone or port; mapped ones as IPv4 */
	uint16_t local_port, peer_port; /* 0: "*", or a service name that is not known */
	uint64_t recv_queue, send_queue;
	unsigned has;
	uint64_t rmem_alloc, rcvbuf, wmem_alloc, sndbuf, forward_alloc, wmem_queued, drops, backlog;
	char cc[16];
	unsigned snd_wscale, rcv_wscale;
	double rtt_us, rttvar_us, min_rtt_us, rcv_rtt_us;
	uint32_t mss, cwnd_segments, ssthresh_segments, unacked_segments;
	uint64_t
	    bytes_sent; /* again included; before Linux 4.19, which has no such count: bytes_acked */
	uint64_t bytes_resent, bytes_acked, bytes_received, data_segs_out, retransmits;
	uint64_t delivered,
	    delivered_ce; /* segments, and those that came marked (ECN); 0: not known */
	double delivery_rate_bps, pacing_rate_bps;
	double max_pacing_bps; /* SO_MAX_PACING_RATE; 0: not set, or not known */
	uint64_t peer_window_bytes, notsent_bytes, rcv_space, rcv_ssthresh;
	double busy_us, rwnd_limited_us, sndbuf_limited_us;
	double lastsnd_ms, lastrcv_ms;
	double bbr_bw_bps, bbr_min_rtt_us;
	bool app_limited, has_timestamps, has_sack;
	uint32_t backoff; /* how often the timer doubled for want of an answer */
	bool persists;	  /* it probes a window of 0: timer:(persist,...) */
	unsigned listing; /* from 0: which of several outputs of ss in one input it stood in */
	double taken_s;	  /* when ss ran, by the line in front: since 1970, or since midnight */
};

struct ss_reader;

/* Reads sockets in constant memory.  The source is borrowed. */
struct ss_reader *ss_open(struct source *source);
/* 1 and fills *info for a socket, 0 at the end, -1 on a read error. Lines that are not ss output
 * are passed over; ss_skipped counts them. */
int ss_next(struct ss_reader *reader, struct socket_info *info);
uint64_t ss_skipped(const struct ss_reader *reader);
void ss_close(struct ss_reader *reader);

#endif
