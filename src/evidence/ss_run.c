#include "evidence/ss_run.h"

#include <bsd/string.h>

static void fill_identity(struct run *run, const struct socket_info *socket)
{
	run->protocol = PROTOCOL_TCP;
	run->client = run->local_sends = true;
	run->complete = run->has_summary = true;
	strlcpy(run->sender, socket->local, sizeof(run->sender));
	strlcpy(run->receiver, socket->peer, sizeof(run->receiver));
	strlcpy(run->sender_cc, socket->cc, sizeof(run->sender_cc));
	if (socket->has & SOCKET_MSS) {
		run->has |= RUN_MSS;
		run->mss = socket->mss;
	}
}

static struct bin bin_of_socket(const struct socket_info *socket, uint64_t bytes, double seconds)
{
	struct bin bin = {.end_s = seconds, .bytes = bytes};

	if (socket->has & SOCKET_RETRANS) {
		bin.has |= BIN_RETRANSMITS;
		bin.retransmits = socket->retransmits;
	}
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

bool run_from_socket(struct runs *runs, const char *input, const struct socket_info *socket)
{
	bool busy = (socket->has & SOCKET_BUSY) && (socket->has & SOCKET_BYTES_ACKED) &&
		    socket->busy_us > 0 && socket->bytes_acked > 0;
	double seconds = busy ? socket->busy_us / 1e6 : 1;
	uint64_t bytes = busy ? socket->bytes_acked : (uint64_t)(socket->delivery_rate_bps / 8);

	if (!busy && !(socket->has & SOCKET_DELIVERY_RATE))
		return false;
	struct run *run = runs_append(runs, input, runs->tests++);
	fill_identity(run, socket);
	struct bin bin = bin_of_socket(socket, bytes, seconds);
	series_add(&run->series, &bin);
	run->has |= RUN_SENT;
	run->sent_bytes = bytes;
	run->sent_seconds = seconds;
	if (bin.has & BIN_RETRANSMITS) {
		run->has |= RUN_RETRANSMITS;
		run->retransmits = bin.retransmits;
	}
	return true;
}
