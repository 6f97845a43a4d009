#include "evidence/ss_run.h"

#include <bsd/string.h>
#include <err.h>
#include <math.h>
#include <stdlib.h>

/* What a handshake leaves in the count of bytes acknowledged: its SYN. */
#define SYN_BYTES 1

/* Linux's default range of local ports begins here: ip_local_port_range. */
#define EPHEMERAL_FIRST 32768

void run_describe_socket(struct run *run, const struct socket_info *socket, bool sends)
{
	run->protocol = PROTOCOL_TCP;
	run->client =
	    socket->local_port >= EPHEMERAL_FIRST || socket->local_port >= socket->peer_port;
	run->local_sends = sends;
	run->complete = run->has_summary = true;
	strlcpy(run->sender, sends ? socket->local : socket->peer, sizeof(run->sender));
	strlcpy(run->receiver, sends ? socket->peer : socket->local, sizeof(run->receiver));
	strlcpy(sends ? run->sender_cc : run->receiver_cc, socket->cc, sizeof(run->sender_cc));
	if (socket->has & SOCKET_MSS) {
		run->has |= RUN_MSS;
		run->mss = socket->mss;
	}
}

struct bin bin_of_receiver(const struct socket_info *socket)
{
	struct bin bin = {.has = 0};

	if (socket->has & SOCKET_MIN_RTT) {
		bin.has = BIN_RTT;
		bin.rtt_us = bin.rtt_min_us = socket->min_rtt_us;
	}
	return bin;
}

void run_add_account(struct run *run, const struct socket_info *socket)
{
	run->busy_us += fmax(socket->busy_us, 0);
	run->rwnd_limited_us += fmax(socket->rwnd_limited_us, 0);
	run->sndbuf_limited_us += fmax(socket->sndbuf_limited_us, 0);
	run->segments_sent += socket->data_segs_out;
	run->retransmits += socket->retransmits;
}

unsigned run_account_has(unsigned socket_has)
{
	return (socket_has & SOCKET_BUSY ? RUN_BUSY : 0U) |
	       (socket_has & SOCKET_DATA_SEGS_OUT ? RUN_SEGMENTS : 0U) |
	       (socket_has & SOCKET_RETRANS ? RUN_RETRANSMITS : 0U);
}

static struct bin bin_of_sender(const struct socket_info *socket)
{
	struct bin bin = {.retransmits = socket->retransmits};

	if (socket->has & SOCKET_RETRANS)
		bin.has |= BIN_RETRANSMITS;
	if ((socket->has & SOCKET_CWND) && (socket->has & SOCKET_MSS)) {
		bin.has |= BIN_CWND;
		bin.cwnd_bytes = (uint64_t)socket->cwnd_segments * socket->mss;
		bin.cwnd_min_bytes = bin.cwnd_max_bytes = bin.cwnd_bytes;
	}
	if (socket->has & SOCKET_PEER_WINDOW) {
		bin.has |= BIN_PEER_WINDOW;
		bin.peer_window_bytes = socket->peer_window_bytes;
	}
	if (socket->has & SOCKET_RTT) {
		bin.has |= BIN_RTT;
		bin.rtt_us = socket->rtt_us;
		bin.rtt_min_us = socket->has & SOCKET_MIN_RTT ? socket->min_rtt_us : socket->rtt_us;
	}
	return bin;
}

/* What one socket moved, and in which time; false when that is not known. */
static bool moved(const struct socket_info *socket, bool sends, uint64_t *bytes, double *seconds)
{
	if (!sends) {
		*bytes = socket->bytes_received;
		*seconds = socket->lastsnd_ms / 1e3;
		return (socket->has & SOCKET_LAST_SND) && socket->lastsnd_ms > 0 &&
		       socket->bytes_sent <= SYN_BYTES && socket->data_segs_out == 0;
	}
	if ((socket->has & SOCKET_BUSY) && (socket->has & SOCKET_BYTES_ACKED) &&
	    socket->busy_us > 0 && socket->bytes_acked > 0) {
		*bytes = socket->bytes_acked;
		*seconds = socket->busy_us / 1e6;
		return true;
	}
	*bytes = (uint64_t)(socket->delivery_rate_bps / 8);
	*seconds = 1;
	return socket->has & SOCKET_DELIVERY_RATE;
}

/* Adds one socket; false when it tells no rate. */
static bool stream_add(struct run *run, struct bin *bin, const struct socket_info *socket)
{
	struct stream_total *total = &run->stream_totals[run->stream_count];

	if (!moved(socket, run->local_sends, &total->bytes, &total->seconds))
		return false;
	struct bin stream = run->local_sends ? bin_of_sender(socket) : bin_of_receiver(socket);
	stream.bytes = total->bytes;
	stream.end_s = fmax(bin->end_s, total->seconds);
	if (run->stream_count > 0)
		bin_add_stream(bin, &stream);
	else
		*bin = stream;
	bin->end_s = stream.end_s;
	if (run->local_sends) {
		total->retransmits = socket->retransmits;
		run_add_account(run, socket);
	}
	run->stream_count++;
	return true;
}

bool run_from_sockets(struct runs *runs, const char *input,
    const struct socket_info *const *sockets, size_t count, bool sends)
{
	struct bin bin = {.has = 0};
	struct run made = {.local_sends = sends};
	unsigned has = ~0U; /* a fact of the run is one that every socket has */

	made.stream_totals = calloc(count, sizeof(*made.stream_totals));
	if (!made.stream_totals)
		err(1, NULL);
	for (size_t i = 0; i < count; i++) {
		stream_add(&made, &bin, sockets[i]);
		has &= sockets[i]->has;
	}
	if (made.stream_count == 0) {
		free(made.stream_totals);
		return false;
	}
	bin.rtt_us /= (double)made.stream_count;
	run_describe_socket(&made, sockets[0], sends);
	made.has |= sends ? RUN_SENT | run_account_has(has) : RUN_RECEIVED;
	*(sends ? &made.sent_bytes : &made.received_bytes) = bin.bytes;
	*(sends ? &made.sent_seconds : &made.received_seconds) = bin.end_s;
	series_add(&made.series, &bin);
	struct run *run = runs_append(runs, input, runs->tests++);
	made.input = run->input;
	made.test = run->test;
	made.streams = (unsigned)made.stream_count;
	*run = made;
	return true;
}
