#include "model/holding.h"

#include <math.h>
#include <string.h>

#include "evidence/socket_filter.h"
#include "model/path.h"
#include "model/window.h"

static void reckon_times(struct holding *holding, const struct socket_info *info)
{
	if (info->has & SOCKET_RTT) {
		holding->has |= HOLDING_RTT | HOLDING_PATH_RTT;
		holding->rtt_us = holding->path_rtt_us = info->rtt_us;
	}
	if ((info->has & SOCKET_MIN_RTT) && info->min_rtt_us > 0) {
		holding->has |= HOLDING_PATH_RTT;
		holding->path_rtt_us = info->min_rtt_us;
	}
}

static void fastest(struct side *side, bool known, double rate_bps)
{
	if (!known || rate_bps <= 0)
		return;
	side->has_rate = true;
	side->rate_bps = fmax(side->rate_bps, rate_bps);
}

/*
 * The fastest rate on record: the kernel's own measure, which it keeps while a connection is idle,
 * and that of the interval.  Of the receive side the former is what the application took in one round
 * trip, by which the buffer is tuned: net/ipv4/tcp_input.c, tcp_rcv_space_adjust.
 */
static void reckon_rates(
    struct holding *holding, const struct socket_info *info, const struct holding_rule *rule)
{
	const unsigned drs = SOCKET_RCV_SPACE | SOCKET_RCV_RTT;
	bool now = (holding->has & HOLDING_NOW) != 0;

	if (rule->target_bps > 0) {
		fastest(&holding->receive, true, rule->target_bps);
		fastest(&holding->send, true, rule->target_bps);
		return;
	}
	if ((info->has & drs) == drs && info->rcv_rtt_us > 0)
		fastest(&holding->receive, true, 8e6 * (double)info->rcv_space / info->rcv_rtt_us);
	fastest(&holding->receive, now, holding->receive_now_bps);
	fastest(&holding->send, (info->has & SOCKET_DELIVERY_RATE) != 0, info->delivery_rate_bps);
	fastest(&holding->send, (info->has & SOCKET_BBR) != 0, info->bbr_bw_bps);
	fastest(&holding->send, now, holding->send_now_bps);
}

static void judge(struct side *side, const struct holding *holding, const struct holding_rule *rule)
{
	if (!side->has_rate || !(holding->has & HOLDING_PATH_RTT))
		return;
	side->has_bdp = true;
	side->bdp_bytes = bdp_bytes(side->rate_bps, holding->path_rtt_us);
	if (!(holding->has & HOLDING_MEMORY) || side->bdp_bytes <= 0)
		return;
	side->ratio = side->buffer_bytes / side->bdp_bytes;
	side->beyond = side->ratio > rule->factor && side->buffer_bytes > rule->floor_bytes;
}

static void reckon_growth(struct holding *holding, const struct growth *growth)
{
	if (!growth || growth->seconds <= 0)
		return;
	holding->has |= HOLDING_NOW | HOLDING_BUSY;
	holding->receive_now_bps = 8 * (double)growth->received_bytes / growth->seconds;
	holding->send_now_bps = 8 * (double)growth->acked_bytes / growth->seconds;
	holding->busy_share = fmin(1, growth->busy_us / 1e6 / growth->seconds);
}

/* Shares of the time that there was something to send; of the interval when there was one. */
static void reckon_limits(
    struct holding *holding, const struct socket_info *info, const struct growth *growth)
{
	double busy = info->busy_us, rwnd = info->rwnd_limited_us, sndbuf = info->sndbuf_limited_us;

	if (!(info->has & SOCKET_BUSY)) {
		holding->has &= ~(unsigned)HOLDING_BUSY;
		return;
	}
	if (growth) {
		busy = growth->busy_us;
		rwnd = growth->rwnd_limited_us;
		sndbuf = growth->sndbuf_limited_us;
	}
	if (busy <= 0)
		return;
	holding->has |= HOLDING_LIMITED;
	holding->rwnd_share = fmin(1, rwnd / busy);
	holding->sndbuf_share = fmin(1, sndbuf / busy);
}

static enum reader reader_of(const struct socket_info *info, const struct growth *growth)
{
	bool connected = strcmp(info->state, "LISTEN") != 0;

	if (!connected || !(info->has & SOCKET_SKMEM) || info->recv_queue == 0 ||
	    info->rcvbuf == 0 || 2 * info->rmem_alloc < info->rcvbuf)
		return READER_KEEPS_UP;
	/* read = received - what the queue grew by */
	if (growth && growth->queue_before_bytes > 0 &&
	    growth->queue_before_bytes + growth->received_bytes <= growth->queue_bytes)
		return READER_STALLED;
	return READER_BEHIND;
}

void holding_reckon(struct holding *holding, const struct socket_info *info,
    const struct growth *growth, const struct holding_rule *rule)
{
	*holding = (struct holding){.reader = reader_of(info, growth)};
	if (info->has & SOCKET_SKMEM) {
		holding->has |= HOLDING_MEMORY;
		holding->held_bytes = (double)socket_held_bytes(info);
		holding->receive.buffer_bytes = (double)info->rcvbuf;
		holding->receive.held_bytes = (double)info->rmem_alloc;
		holding->send.buffer_bytes = (double)info->sndbuf;
		holding->send.held_bytes = (double)info->wmem_queued;
	}
	/* Each end tells its scale in its SYN; the window it gives is shifted by that. */
	if (info->has & SOCKET_WSCALE) {
		holding->receive.window_max_bytes = window_scale_limit(info->rcv_wscale);
		holding->send.window_max_bytes = window_scale_limit(info->snd_wscale);
	}
	if ((info->has & SOCKET_RETRANS) && (info->has & SOCKET_DATA_SEGS_OUT) &&
	    info->data_segs_out > 0) {
		holding->has |= HOLDING_RETRANSMITS;
		holding->retransmit_ratio =
		    fmin(1, (double)info->retransmits / (double)info->data_segs_out);
	}
	reckon_times(holding, info);
	reckon_growth(holding, growth);
	reckon_limits(holding, info, growth);
	reckon_rates(holding, info, rule);
	judge(&holding->receive, holding, rule);
	judge(&holding->send, holding, rule);
	holding->beyond = holding->receive.beyond || holding->send.beyond;
}
