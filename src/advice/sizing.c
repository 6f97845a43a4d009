/* The sizing methods of a ceiling, and the evidence that each needs. */
#include "advice/advice.h"

#include <math.h>
#include <string.h>

#include "model/loss.h"
#include "model/window.h"

static const struct tunable_value *vector_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

struct share receive_share(const struct host *receiver)
{
	static const struct kernel_version unknown = {.known = false};

	return receiver
		   ? window_share(&receiver->kernel, &receiver->values[TUNABLE_TCP_ADV_WIN_SCALE])
		   : window_share(&unknown, NULL);
}

unsigned stream_count(const struct advice_input *input)
{
	unsigned streams = input->streams ? input->streams : input->analysis->path.streams;

	return streams ? streams : 1;
}

double stream_target_bps_asked(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;

	return path->target.known ? path->target.bps / stream_count(input) : 0;
}

/* Loss given by hand is of the path; a run's counts where it is that of the steady state, and then the
 * rate that was measured under it is possible, whatever a formula says. */
double loss_known(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;

	if (!input->analysis->run || input->loss_is_given)
		return path->loss.known ? path->loss.ratio : 0;
	return path->steady.known ? path->loss.steady_ratio : 0;
}

double loss_bound_bps(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;
	double loss = loss_known(input);

	if (loss < LOSSLESS_RATIO || path->rtt.method == RTT_UNKNOWN || path->rtt.us <= 0 ||
	    path->mss == 0 || congestion_is_bbr(path->congestion_control))
		return INFINITY;
	double bound = cubic_rate_bps(path->mss, path->rtt.us, loss) * stream_count(input);
	return input->analysis->run ? fmax(bound, path->rate.bps) : bound;
}

double stream_target_bps(const struct advice_input *input)
{
	double asked = stream_target_bps_asked(input);

	return input->loss_is_given ? fmin(asked, loss_bound_bps(input) / stream_count(input))
				    : asked;
}

double stream_need_bytes(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;

	if (!path->bdp.known || path->rtt.us <= 0)
		return 0;
	return bdp_bytes(stream_target_bps(input), path->rtt.us);
}

/* How much more than measured each stream must carry. */
static double scale_factor(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;

	if (!path->target.known || path->rate.stream_bps <= 0)
		return 0;
	return stream_target_bps(input) / path->rate.stream_bps;
}

/* An RTT that is only bounded from above by cwnd sizes nothing, nor does one that was computed from the
 * very ceiling that is to be sized. */
static bool rtt_will_do(const struct path *path)
{
	return path->rtt.method != RTT_UNKNOWN && path->rtt.method != RTT_CWND &&
	       path->rtt.method != RTT_RMEM_SHARE;
}

/* The ceiling can have given the window that was seen, or not: then the facts are another host's, or a
 * program has set its buffers. cwnd and numbers given by hand may be up to three times the window. */
static bool window_fits(const struct path *path, double ceiling_bytes)
{
	double ratio =
	    (path->peer_window.known ? path->peer_window.max_bytes : path->window.bytes) /
	    ceiling_bytes;

	return ratio > 0.2 && ratio < (path->peer_window.known ? 1.1 : 2.5);
}

static void pick_best(struct size_candidates *candidates)
{
	candidates->best = SIZING_NONE;
	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++)
		if (candidates->bytes[i] > 0) {
			candidates->best = (enum sizing)i;
			return;
		}
}

static double held_to_kernel(double bytes)
{
	return fmin(bytes, BUFFER_MAX_BYTES);
}

void sizing_receive(const struct advice_input *input, struct size_candidates *candidates)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *rmem = vector_of(input->receiver, TUNABLE_TCP_RMEM);
	double ceiling = rmem ? (double)rmem->number[2] : 0;

	memset(candidates, 0, sizeof(*candidates));
	candidates->bytes[SIZING_SWEEP] = input->sweep_ceiling_bytes;
	bool fits = rmem && window_fits(path, ceiling);
	bool held = input->analysis->run ? cause_is_sure(input->analysis, FACTOR_RECEIVE_WINDOW)
					 : path->window.kind == WINDOW_GIVEN;
	double need = rtt_will_do(path) ? stream_need_bytes(input) : 0;
	if (fits && held)
		candidates->bytes[SIZING_SCALING] = held_to_kernel(ceiling * scale_factor(input));
	if (fits && need > 0 && path->peer_window.known && path->peer_window.max_bytes > 65535)
		candidates->bytes[SIZING_OBSERVED_RATIO] = held_to_kernel(
		    fmin(need, WINDOW_MAX_BYTES) * ceiling / path->peer_window.max_bytes);
	if (need > 0)
		candidates->bytes[SIZING_KERNEL_RULE] =
		    buffer_for_window(need, receive_share(input->receiver).planning);
	pick_best(candidates);
}

/* How much of the send buffer is in flight now, against what it settles at: small buffers hold up to a
 * third more (0.85 at 4 MiB), which a larger one does not keep.  Without an RTT that third is allowed
 * for. */
static double send_share_excess(const struct path *path, double ceiling_bytes)
{
	if (path->rtt.method == RTT_UNKNOWN || path->rtt.method == RTT_CWND)
		return 1.3;
	double share = bdp_bytes(path->rate.stream_bps, path->rtt.us) / ceiling_bytes;
	return fmax(1, share / SEND_SHARE_SETTLED);
}

/* The share that is in flight now: measured where the RTT is, else what such a buffer gives. */
static double send_share_now(const struct path *path, double ceiling_bytes)
{
	if (path->rtt.method == RTT_UNKNOWN || path->rtt.method == RTT_CWND)
		return send_share_at(ceiling_bytes);
	double share = bdp_bytes(path->rate.stream_bps, path->rtt.us) / ceiling_bytes;
	return fmin(fmax(share, SEND_SHARE_SETTLED), send_share(false).high);
}

void sizing_send(const struct advice_input *input, struct size_candidates *candidates)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *wmem = vector_of(input->sender, TUNABLE_TCP_WMEM);

	memset(candidates, 0, sizeof(*candidates));
	candidates->bytes[SIZING_SWEEP] = input->sweep_send_bytes;
	/* Scaling is exact only where this buffer alone holds the flow. */
	if (wmem && cause_is_sure(input->analysis, FACTOR_SEND_BUFFER))
		candidates->bytes[SIZING_SCALING] =
		    held_to_kernel((double)wmem->number[2] * scale_factor(input) *
				   send_share_excess(path, (double)wmem->number[2]));
	double need = rtt_will_do(path) ? stream_need_bytes(input) : 0;
	if (need > 0)
		candidates->bytes[SIZING_KERNEL_RULE] = buffer_for_window(
		    need, send_share(congestion_is_bbr(path->congestion_control)).planning);
	pick_best(candidates);
}

static double rate_of_window(const struct advice_input *input, double window_bytes)
{
	const struct path *path = &input->analysis->path;

	if (path->rtt.method == RTT_UNKNOWN || path->rtt.us <= 0)
		return 0;
	return window_bytes * 8 / (path->rtt.us / 1e6) * stream_count(input);
}

double predict_receive_bps(const struct advice_input *input, double ceiling_bytes)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *rmem = vector_of(input->receiver, TUNABLE_TCP_RMEM);
	struct size_candidates candidates;

	sizing_receive(input, &candidates);
	if (rmem && candidates.bytes[SIZING_SCALING] > 0)
		return path->rate.stream_bps * stream_count(input) * ceiling_bytes /
		       (double)rmem->number[2];
	return rate_of_window(
	    input, window_of_buffer(ceiling_bytes, receive_share(input->receiver).typical));
}

double predict_send_bps(const struct advice_input *input, double ceiling_bytes, double share)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *wmem = vector_of(input->sender, TUNABLE_TCP_WMEM);
	struct size_candidates candidates;

	sizing_send(input, &candidates);
	if (wmem && candidates.bytes[SIZING_SCALING] > 0)
		return path->rate.stream_bps * stream_count(input) * ceiling_bytes * share /
		       ((double)wmem->number[2] * send_share_now(path, (double)wmem->number[2]));
	return rate_of_window(input, window_of_buffer(ceiling_bytes, share));
}
