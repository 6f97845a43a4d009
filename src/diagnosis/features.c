#include "diagnosis/features.h"

#include <math.h>
#include <string.h>

#include "diagnosis/view.h"

/* Text prints totals with three digits: what is left in the buffer is known no better than that. */
#define TOTALS_ROUNDING 0.005
/* No number counts for more than this many times its weight. */
#define LOADED_OVER_MEDIAN 1.1
#define GRADE_MOST 1.5

void feature_set(const struct view *view, enum feature feature, double value, double reference)
{
	view->features->items[feature] = (struct feature_value){
	    .present = true, .value = value, .reference = reference, .grade = 1};
}

void feature_grade(const struct view *view, enum feature feature, double value, double reference,
    double middle, double step)
{
	double grade = log(fmax(value, 1e-9) / middle) / log(step);

	feature_set(view, feature, value, reference);
	view->features->items[feature].grade = fmax(-GRADE_MOST, fmin(GRADE_MOST, grade));
}

static void read_rtt(struct view *view)
{
	const struct path *path = view->path;

	/* one strange row must not make a queue */
	if (path->loaded.known)
		view->loaded_us =
		    path->steady.known && !path->bin_rtt.is_proxy && path->bin_rtt.median_us > 0 &&
			    path->quiet.count > 2
			? fmin(path->loaded.rtt_us, LOADED_OVER_MEDIAN * path->bin_rtt.median_us)
			: path->loaded.rtt_us;
	view->has_rtt = path->loaded.known && path->loaded.method != RTT_CWND;
	view->base_us = path_base_rtt_us(path);
	view->base_is_measured =
	    path->idle.known || path->rtt.method == RTT_GIVEN ||
	    (view->base_us > 0 && view->socket && (view->socket->has & SOCKET_MIN_RTT));
	/* after a change of the path the smallest RTT is of the other one */
	if (path->phases.rtt_after_us > 0 && view->has_rtt)
		view->base_us = path->bin_rtt.min_us;
	if (view->base_us > 0 && view->loaded_us > 0)
		view->queue_ratio = view->loaded_us / view->base_us;
	if (path->cwnd.known && path->rate.stream_bps > 0)
		view->naive_us = path->cwnd.bytes * 8e6 * path->streams / path->rate.sent_bps;
}

/* Measured, or rate x the path's RTT (a queue would add to it), or what is left: at most cwnd. */
static void read_in_flight(struct view *view)
{
	const struct path *path = view->path;

	if (path->in_flight.known) {
		view->in_flight_measured = true;
		view->in_flight = view->in_flight_low = view->in_flight_high =
		    path->in_flight.bytes;
	} else if ((path->rtt.method == RTT_PING || path->rtt.method == RTT_GIVEN) &&
		   path->rate.stream_bps > 0) {
		view->in_flight_measured = true;
		view->in_flight = view->in_flight_low = view->in_flight_high =
		    path->rate.stream_bps / 8e6 * path->rtt.us;
	} else if (path->cwnd.known && path->cwnd.bytes > 0) {
		/* cwnd is what may be in flight, twice that where it is constant (model/rtt.c) */
		view->in_flight_high = path->cwnd.bytes;
		view->in_flight_low = path->cwnd.bytes / 4;
		view->in_flight = path->phases.cwnd_rests || view->bbr ? path->cwnd.bytes / 2.05
								       : path->cwnd.bytes;
	}
	if (view->in_flight <= 0)
		return;
	/* one reading of a socket: its rate is a mean over its life, what is unacknowledged is of now */
	if (view->count == 1 && view->socket && (view->socket->has & SOCKET_UNACKED) &&
	    (view->socket->has & SOCKET_PEER_WINDOW) && view->socket->peer_window_bytes > 0) {
		view->window_fill = (double)view->socket->unacked_segments * view->socket->mss /
				    (double)view->socket->peer_window_bytes;
	} else if (path->peer_window.known && path->peer_window.bytes > 0 &&
		   view->in_flight_measured)
		view->window_fill = path->peer_window.fill > 0
					? path->peer_window.fill
					: view->in_flight / path->peer_window.bytes;
	if (path->cwnd.known && path->cwnd.bytes > 0 && view->in_flight_measured)
		view->cwnd_fill =
		    path->cwnd.fill > 0 ? path->cwnd.fill : view->in_flight / path->cwnd.bytes;
	if (view->count == 1 && view->socket && (view->socket->has & SOCKET_UNACKED) &&
	    (view->socket->has & SOCKET_CWND) && view->socket->cwnd_segments > 0)
		view->cwnd_fill =
		    (double)view->socket->unacked_segments / view->socket->cwnd_segments;
}

static void read_loss(struct view *view)
{
	const struct path *path = view->path;

	view->knows_loss = path->loss.counted;
	/* where rows do not tell, the sum must be next to none */
	view->rows_tell_loss = false;
	for (size_t i = 0; i < view->count; i++)
		view->rows_tell_loss |= (view->bins[i].has & BIN_RETRANSMITS) != 0;
	if (view->rows_tell_loss)
		view->lossless = view->knows_loss && (path->quiet.is_lossless ||
							 path->loss.steady_ratio < LOSSLESS_RATIO);
	else
		view->lossless = view->knows_loss && path->loss.ratio < LOSSLESS_RATIO;
}

/* With -O the receiver's total holds bytes of the omitted start: nothing can be told then. */
static void read_excess(struct view *view)
{
	const struct run *run = view->run;
	const struct path *path = view->path;

	if (!run || run->omitted_intervals > 0 || ((run->has & RUN_OMIT) && run->omit_s > 0) ||
	    !(run->has & RUN_SENT) || !(run->has & RUN_RECEIVED) || run->received_bytes == 0 ||
	    !run->local_sends || !path->cwnd.known || path->cwnd.bytes <= 0 || !run->complete ||
	    (run->received_seconds > 0 && run->sent_bytes == run->received_bytes &&
		run->rounding <= 0 && run->streams == 0))
		return;
	double cwnds = path->cwnd.bytes * path->streams;
	double excess = (double)run->sent_bytes - (double)run->received_bytes;
	double rounding =
	    run->rounding > 0 ? 2 * TOTALS_ROUNDING * (double)run->sent_bytes / cwnds : 0;
	view->has_excess = rounding < 0.1 || excess / cwnds > 1 + rounding;
	view->excess_ratio = excess / cwnds;
}

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
	       strcmp(address, "localhost") == 0;
}

static bool ends_are_one(const struct run *run)
{
	if (!run)
		return false;
	return is_loopback(run->receiver) || is_loopback(run->sender) ||
	       (run->sender[0] != '\0' && strcmp(run->sender, run->receiver) == 0);
}

/* Twenty probes, or two of them lost: fewer are no evidence. */
static double lost_probes(const struct path_context *context)
{
	const struct probe_loss *loss = context ? &context->probe_loss : NULL;

	if (!loss || !loss->known || loss->lost == 0 || (loss->sent < 20 && loss->lost < 2))
		return 0;
	return loss->ratio;
}

void view_read(const struct diagnosis_input *input, struct features *features, struct view *view)
{
	const struct path *path = input->path;

	*view = (struct view){.path = path,
	    .run = input->run,
	    .socket = input->context ? input->context->socket : NULL,
	    .peer_socket = input->context ? input->context->peer_socket : NULL,
	    .other_ping = input->context ? input->context->other_ping : NULL,
	    .sender = input->sender,
	    .receiver = input->receiver,
	    .features = features};
	if (input->run && path->steady.known) {
		view->bins = &input->run->series.bins[path->quiet.first];
		view->count = path->quiet.count;
	}
	view->bbr = path_is_bbr(path);
	if (input->run && (input->run->has & RUN_TARGET_RATE))
		view->asked_bps = input->run->target_rate_bps * path->streams;
	if (input->run && (input->run->has & RUN_SOCKET_BUFFER))
		view->buffer_asked = (double)input->run->socket_buffer_bytes;
	if (input->context && input->context->tc && path->rate.bps > 0)
		view->backlog_us =
		    (double)input->context->tc->backlog_bytes * 8 / path->rate.bps * 1e6;
	view->ping_loss = lost_probes(input->context);
	view->same_host = ends_are_one(input->run);
	view->one_reading = view->count == 1 && view->socket && input->run &&
			    input->run->series.count == 1 && !view->peer_socket;
	read_rtt(view);
	read_loss(view);
	read_in_flight(view);
	read_excess(view);
}

void features_read(const struct diagnosis_input *input, struct features *features)
{
	struct view view;

	memset(features, 0, sizeof(*features));
	view_read(input, features, &view);
	if (view.bbr)
		feature_set(&view, FEATURE_BBR, 0, 0);
	if (!view.has_rtt)
		feature_set(&view, FEATURE_RTT_UNSEEN, 0, 0);
	/* rows of a sender that leave out what others print */
	bool rows = view.run && view.run->local_sends && view.path->steady.known;
	if (rows && !view.path->cwnd.known)
		feature_set(&view, FEATURE_CWND_UNSEEN, 0, 0);
	if (rows && !view.knows_loss)
		feature_set(&view, FEATURE_LOSS_UNSEEN, 0, 0);
	if (view.one_reading)
		feature_set(&view, FEATURE_ONE_READING, 0, 0);
	features_of_window(&view);
	features_of_ceilings(&view);
	features_of_sockets(&view);
	features_of_rate(&view);
	features_of_loss(&view);
	features_of_queue(&view);
	features_of_hosts(&view);
}
