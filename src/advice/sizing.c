/* The ladder of evidence from which a ceiling is sized. */
#include "advice/advice.h"

#include <math.h>
#include <string.h>

#include "model/window.h"

static bool candidate_within(const struct limit *limit, enum factor factor, size_t first)
{
	for (size_t i = 0; i < limit->candidate_count && i < first; i++)
		if (limit->candidates[i] == factor)
			return true;
	return false;
}

bool receive_side_holds(const struct analysis *analysis)
{
	return analysis->limit.factor == FACTOR_RECEIVE_WINDOW ||
	       (analysis->limit.factor == FACTOR_UNKNOWN &&
		   candidate_within(&analysis->limit, FACTOR_RECEIVE_WINDOW, 2));
}

bool send_side_holds(const struct analysis *analysis)
{
	return analysis->limit.factor == FACTOR_SEND_BUFFER ||
	       (analysis->limit.factor == FACTOR_UNKNOWN &&
		   candidate_within(&analysis->limit, FACTOR_SEND_BUFFER, 2));
}

static const struct tunable_value *vector_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

static struct share receive_share(const struct host *receiver)
{
	static const struct kernel_version unknown = {.known = false};

	return receiver
		   ? window_share(&receiver->kernel, &receiver->values[TUNABLE_TCP_ADV_WIN_SCALE])
		   : window_share(&unknown, NULL);
}

/* The ceiling can have given the window that was seen, or not: then the facts are another host's, or a
 * program has set its buffers. cwnd and numbers given by hand may be up to three times the window. */
static bool window_fits(const struct path *path, double ceiling_bytes)
{
	double ratio =
	    (path->has & PATH_PEER_WINDOW ? path->peer_window_max_bytes : path->window_bytes) /
	    ceiling_bytes;

	return ratio > 0.2 && ratio < (path->has & PATH_PEER_WINDOW ? 1.1 : 2.5);
}

static void pick_best(struct rungs *rungs)
{
	rungs->best = SIZING_NONE;
	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++)
		if (rungs->bytes[i] > 0) {
			rungs->best = (enum sizing)i;
			return;
		}
}

static double held_to_kernel(double bytes)
{
	return fmin(bytes, BUFFER_MAX_BYTES);
}

void sizing_receive(const struct advice_input *input, struct rungs *rungs)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *rmem = vector_of(input->receiver, TUNABLE_TCP_RMEM);
	double ceiling = rmem ? (double)rmem->number[2] : 0;

	memset(rungs, 0, sizeof(*rungs));
	rungs->bytes[SIZING_SWEEP] = input->sweep_ceiling_bytes;
	bool fits = rmem && window_fits(path, ceiling);
	rungs->outdated =
	    rmem && !fits && path->window_bytes > 0 && path->window_bytes < 0.2 * ceiling;
	bool held = input->analysis->run ? receive_side_holds(input->analysis)
					 : path->window_kind == WINDOW_GIVEN;
	if (fits && held && (path->has & PATH_TARGET) && path->rate_bps > 0)
		rungs->bytes[SIZING_SCALING] =
		    held_to_kernel(ceiling * path->target_bps / path->rate_bps);
	if (fits && (path->has & PATH_BDP) && (path->has & PATH_PEER_WINDOW) &&
	    path->peer_window_max_bytes > 65535)
		rungs->bytes[SIZING_OBSERVED_RATIO] =
		    held_to_kernel(fmin(path->stream_bdp_bytes, WINDOW_MAX_BYTES) * ceiling /
				   path->peer_window_max_bytes);
	if (path->has & PATH_BDP)
		rungs->bytes[SIZING_KERNEL_RULE] = buffer_for_window(
		    path->stream_bdp_bytes, receive_share(input->receiver).planning);
	pick_best(rungs);
}

/* How much of the send buffer is in flight now, against what it settles at: small buffers hold up to a
 * third more (0.85 at 4 MiB), which a larger one does not keep.  Without an RTT that third is allowed
 * for. */
static double send_share_excess(const struct path *path, double ceiling_bytes)
{
	if (path->rtt.method == RTT_UNKNOWN || path->rtt.method == RTT_CWND)
		return 1.3;
	double share = bdp_bytes(path->stream_rate_bps, path->rtt.us) / ceiling_bytes;
	return fmax(1, share / SEND_SHARE_SETTLED);
}

void sizing_send(const struct advice_input *input, struct rungs *rungs)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *wmem = vector_of(input->sender, TUNABLE_TCP_WMEM);

	memset(rungs, 0, sizeof(*rungs));
	rungs->bytes[SIZING_SWEEP] = input->sweep_send_bytes;
	/* Scaling is exact only where this buffer alone holds the flow. */
	if (wmem && input->analysis->limit.factor == FACTOR_SEND_BUFFER &&
	    (path->has & PATH_TARGET) && path->rate_bps > 0)
		rungs->bytes[SIZING_SCALING] =
		    held_to_kernel((double)wmem->number[2] * path->target_bps / path->rate_bps *
				   send_share_excess(path, (double)wmem->number[2]));
	if (path->has & PATH_BDP)
		rungs->bytes[SIZING_KERNEL_RULE] = buffer_for_window(path->stream_bdp_bytes,
		    send_share(congestion_is_bbr(path->congestion_control)).planning);
	pick_best(rungs);
}

static double rate_of_window(const struct path *path, double window_bytes)
{
	if (path->rtt.method == RTT_UNKNOWN || path->rtt.us <= 0)
		return 0;
	return window_bytes * 8 / (path->rtt.us / 1e6) * path->streams;
}

double predict_receive_bps(const struct advice_input *input, double ceiling_bytes)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *rmem = vector_of(input->receiver, TUNABLE_TCP_RMEM);
	struct rungs rungs;

	sizing_receive(input, &rungs);
	if (rmem && rungs.bytes[SIZING_SCALING] > 0)
		return path->rate_bps * ceiling_bytes / (double)rmem->number[2];
	return rate_of_window(
	    path, window_of_buffer(ceiling_bytes, receive_share(input->receiver).typical));
}

double predict_send_bps(const struct advice_input *input, double ceiling_bytes)
{
	const struct path *path = &input->analysis->path;
	const struct tunable_value *wmem = vector_of(input->sender, TUNABLE_TCP_WMEM);
	struct rungs rungs;

	sizing_send(input, &rungs);
	if (wmem && rungs.bytes[SIZING_SCALING] > 0)
		return path->rate_bps * ceiling_bytes / (double)wmem->number[2] /
		       send_share_excess(path, (double)wmem->number[2]);
	return rate_of_window(path, window_of_buffer(ceiling_bytes, send_share(false).typical));
}
