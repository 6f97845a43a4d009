#include "model/socket_memory.h"

#include <math.h>
#include <string.h>

#include "evidence/socket_filter.h"
#include "model/path.h"
#include "model/window.h"

static void compute_times(struct socket_memory *memory, const struct socket_info *info)
{
	if (info->has & SOCKET_RTT) {
		memory->has |= SOCKET_MEMORY_RTT | SOCKET_MEMORY_PATH_RTT;
		memory->rtt_us = memory->path_rtt_us = info->rtt_us;
	}
	if ((info->has & SOCKET_MIN_RTT) && info->min_rtt_us > 0) {
		memory->has |= SOCKET_MEMORY_PATH_RTT;
		memory->path_rtt_us = info->min_rtt_us;
	}
}

static void fastest(struct direction *direction, bool known, double rate_bps)
{
	if (!known || rate_bps <= 0)
		return;
	direction->has_rate = true;
	direction->rate_bps = fmax(direction->rate_bps, rate_bps);
}

/*
 * The fastest rate on record: the kernel's own measure, which it keeps while a connection is idle,
 * and that of the interval.  Of the receive side the former is what the application took in one round
 * trip, by which the buffer is tuned: net/ipv4/tcp_input.c, tcp_rcv_space_adjust.
 */
static void compute_rates(struct socket_memory *memory, const struct socket_info *info,
    const struct socket_memory_rule *rule)
{
	const unsigned drs = SOCKET_RCV_SPACE | SOCKET_RCV_RTT;
	bool now = (memory->has & SOCKET_MEMORY_NOW) != 0;

	if (rule->target_bps > 0) {
		fastest(&memory->receive, true, rule->target_bps);
		fastest(&memory->send, true, rule->target_bps);
		return;
	}
	if ((info->has & drs) == drs && info->rcv_rtt_us > 0)
		fastest(&memory->receive, true, 8e6 * (double)info->rcv_space / info->rcv_rtt_us);
	fastest(&memory->receive, now, memory->receive_now_bps);
	fastest(&memory->send, (info->has & SOCKET_DELIVERY_RATE) != 0, info->delivery_rate_bps);
	fastest(&memory->send, (info->has & SOCKET_BBR) != 0, info->bbr_bw_bps);
	fastest(&memory->send, now, memory->send_now_bps);
}

static void judge(struct direction *direction, const struct socket_memory *memory,
    const struct socket_memory_rule *rule)
{
	if (!direction->has_rate || !(memory->has & SOCKET_MEMORY_PATH_RTT))
		return;
	direction->has_bdp = true;
	direction->bdp_bytes = bdp_bytes(direction->rate_bps, memory->path_rtt_us);
	if (!(memory->has & SOCKET_MEMORY_BUFFERS) || direction->bdp_bytes <= 0)
		return;
	direction->ratio = direction->buffer_bytes / direction->bdp_bytes;
	direction->beyond =
	    direction->ratio > rule->factor && direction->buffer_bytes > rule->floor_bytes;
}

static void compute_growth(struct socket_memory *memory, const struct counter_delta *delta)
{
	if (!delta || delta->seconds <= 0)
		return;
	memory->has |= SOCKET_MEMORY_NOW | SOCKET_MEMORY_BUSY;
	memory->receive_now_bps = 8 * (double)delta->received_bytes / delta->seconds;
	memory->send_now_bps = 8 * (double)delta->acked_bytes / delta->seconds;
	memory->busy_share = fmin(1, delta->busy_us / 1e6 / delta->seconds);
}

/* Shares of the time that there was something to send; of the interval when there was one. */
static void compute_limits(
    struct socket_memory *memory, const struct socket_info *info, const struct counter_delta *delta)
{
	double busy = info->busy_us, rwnd = info->rwnd_limited_us, sndbuf = info->sndbuf_limited_us;

	if (!(info->has & SOCKET_BUSY)) {
		memory->has &= ~(unsigned)SOCKET_MEMORY_BUSY;
		return;
	}
	if (delta) {
		busy = delta->busy_us;
		rwnd = delta->rwnd_limited_us;
		sndbuf = delta->sndbuf_limited_us;
	}
	if (busy <= 0)
		return;
	memory->has |= SOCKET_MEMORY_LIMITED;
	memory->rwnd_share = fmin(1, rwnd / busy);
	memory->sndbuf_share = fmin(1, sndbuf / busy);
}

static enum reader reader_of(const struct socket_info *info, const struct counter_delta *delta)
{
	bool connected = strcmp(info->state, "LISTEN") != 0;

	if (!connected || !(info->has & SOCKET_SKMEM) || info->recv_queue == 0 ||
	    info->rcvbuf == 0 || 2 * info->rmem_alloc < info->rcvbuf)
		return READER_KEEPS_UP;
	/* read = received - what the queue grew by */
	if (delta && delta->queue_before_bytes > 0 &&
	    delta->queue_before_bytes + delta->received_bytes <= delta->queue_bytes)
		return READER_STALLED;
	return READER_BEHIND;
}

void socket_memory_compute(struct socket_memory *memory, const struct socket_info *info,
    const struct counter_delta *delta, const struct socket_memory_rule *rule)
{
	*memory = (struct socket_memory){.reader = reader_of(info, delta)};
	if (info->has & SOCKET_SKMEM) {
		memory->has |= SOCKET_MEMORY_BUFFERS;
		memory->held_bytes = (double)socket_held_bytes(info);
		memory->receive.buffer_bytes = (double)info->rcvbuf;
		memory->receive.held_bytes = (double)info->rmem_alloc;
		memory->send.buffer_bytes = (double)info->sndbuf;
		memory->send.held_bytes = (double)info->wmem_queued;
	}
	/* Each end tells its scale in its SYN; the window it gives is shifted by that. */
	if (info->has & SOCKET_WSCALE) {
		memory->receive.window_max_bytes = window_scale_limit(info->rcv_wscale);
		memory->send.window_max_bytes = window_scale_limit(info->snd_wscale);
	}
	if ((info->has & SOCKET_RETRANS) && (info->has & SOCKET_DATA_SEGS_OUT) &&
	    info->data_segs_out > 0) {
		memory->has |= SOCKET_MEMORY_RETRANSMITS;
		memory->retransmit_ratio =
		    fmin(1, (double)info->retransmits / (double)info->data_segs_out);
	}
	compute_times(memory, info);
	compute_growth(memory, delta);
	compute_limits(memory, info, delta);
	compute_rates(memory, info, rule);
	judge(&memory->receive, memory, rule);
	judge(&memory->send, memory, rule);
	memory->beyond = memory->receive.beyond || memory->send.beyond;
}

/* Larger than what any connection is given at first (131072 to receive, up to 87 KiB to send), and
 * than what a few round trips make of it: net/ipv4/tcp.c, tcp_init; tcp_input.c. */
#define FLOOR_BYTES 262144.0

struct socket_memory_rule socket_memory_rule_for(
    const struct host *host, double factor, double target_bps)
{
	const struct tunable_value *rmem = &host->values[TUNABLE_TCP_RMEM];

	return (struct socket_memory_rule){.factor = factor > 0 ? factor : 2,
	    .target_bps = target_bps,
	    .floor_bytes = rmem->known ? fmax(FLOOR_BYTES, (double)rmem->number[1]) : FLOOR_BYTES};
}
