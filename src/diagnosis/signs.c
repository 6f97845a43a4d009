#include "diagnosis/signs.h"

#include <string.h>

#include "model/loss.h"

/* Rates of one-second bins of a steady flow differ by this much at most, as relative deviation. */
#define FLAT_DEVIATION 0.15
/* Three printed digits let a constant cwnd differ by up to 1 %. */
#define CONSTANT_SPREAD 0.02

static void read_fills(struct signs *signs)
{
	const struct path *path = signs->path;

	if (!(path->has & PATH_IN_FLIGHT))
		return;
	if ((path->has & PATH_PEER_WINDOW) && path->peer_window_bytes > 0) {
		signs->has_window_fill = true;
		signs->window_fill = path->window_fill > 0
					 ? path->window_fill
					 : path->in_flight_bytes / path->peer_window_bytes;
	}
	if ((path->has & PATH_CWND) && path->cwnd_bytes > 0) {
		signs->has_cwnd_fill = true;
		signs->cwnd_fill = path->cwnd_fill > 0 ? path->cwnd_fill
						       : path->in_flight_bytes / path->cwnd_bytes;
	}
}

static void read_rtt(struct signs *signs)
{
	const struct path *path = signs->path;

	signs->has_load = path->has & PATH_LOADED_RTT;
	signs->has_rtt = signs->has_load && path->loaded_method != RTT_CWND;
	signs->rtt_rise = path->rtt_min_us > 0 ? path->rtt_median_us / path->rtt_min_us : 1;
	if (!signs->has_load)
		return;
	double base_us = 0;
	if (path->has & PATH_IDLE_RTT) {
		base_us = path->idle_rtt_us;
		signs->base_is_measured = true;
	} else if (path->rtt.method == RTT_TCP_INFO || path->rtt.method == RTT_GIVEN) {
		base_us = path->rtt.us;
		signs->base_is_measured = path->rtt.method == RTT_GIVEN ||
					  (signs->socket && (signs->socket->has & SOCKET_MIN_RTT));
	}
	if (base_us > 0) {
		signs->has_rtt_over_base = true;
		signs->rtt_over_base = path->loaded_rtt_us / base_us;
	}
}

static void read_backlog(struct signs *signs, const struct path_context *context)
{
	if (context && context->tc && signs->path->rate_bps > 0)
		signs->backlog_us =
		    (double)context->tc->backlog_bytes * 8 / signs->path->rate_bps * 1e6;
}

static void read_loss(struct signs *signs)
{
	const struct path *path = signs->path;

	signs->knows_loss = path->has & PATH_RETRANSMITS;
	signs->lossless =
	    signs->knows_loss && (path->ends_quiet || path->steady_loss < LOSSLESS_RATIO);
	if (path->steady_loss > 0 && path->rtt.method != RTT_UNKNOWN)
		signs->loss_bound = path->stream_rate_bps /
				    cubic_rate_bps(path->mss, path->rtt.us, path->steady_loss);
}

void signs_read(const struct diagnosis_input *input, struct signs *signs)
{
	const struct path *path = input->path;

	*signs = (struct signs){.path = path,
	    .run = input->run,
	    .socket = input->context ? input->context->socket : NULL,
	    .sender = input->sender,
	    .receiver = input->receiver};
	signs->cwnd_constant = (path->has & PATH_CWND) && path->cwnd_spread < CONSTANT_SPREAD;
	signs->rate_is_flat = (path->has & PATH_SERIES) && path->rate_deviation < FLAT_DEVIATION;
	signs->bbr = congestion_is_bbr(path->congestion_control) ||
		     (path->congestion_control[0] == '\0' && path_ignores_loss(path));
	if (input->run && (input->run->has & RUN_TARGET_RATE))
		signs->asked_bps = input->run->target_rate_bps * path->streams;
	read_fills(signs);
	read_backlog(signs, input->context);
	read_rtt(signs);
	read_loss(signs);
}
