/* Features of loss: how much, where it falls, and what it would leave. */
#include "diagnosis/view.h"

#include <math.h>

#include "base/stats.h"
#include "model/loss.h"

/* Below this ratio losses are the ordinary probing of a congestion control. */
#define LOSS_MATTERS 2e-4
/* From here on a path is broken rather than lossy: Padhye et al. 1998, timeouts govern. */
#define LOSS_HEAVY 0.10
/* Of what was sent; with a cwnd of a few segments hardly any full one gets through.  Slow policers (0.5 to
 * 2 Mbit/s, five recorded) drop 25 to 32 %, and the flow goes on; the paths of two pastes that pass no full segment
 * 36 and 45 %. */
#define LOSS_OF_MOST 0.33
#define BOUND_FITS 2.2
#define BOUND_EXCEEDED 2.6
/* cwnd in segments over sqrt(3/2)/sqrt(p) */
#define CWND_FITS 1.9
/* Relative deviation of the rate over 5 s: 2-10 % under a policer whose bucket is empty, 24-37 % under
 * chance loss (9 policed and 60 lossy runs). */
#define POLICED_SWING 0.11
#define CHANCE_SWING 0.20
/* A rate of bytes this even does not swing, whatever cwnd does between. */
#define EVEN 0.08
/* The first row of a flow through a deep bucket, over the rest. */
#define FIRST_BURST 1.3
/* Deviation of cwnd just before losses, of three losses or more. */
#define EVENTS_MIN 3
#define ONE_CWND 0.12
#define ANY_CWND 0.28
/* BBR does not slow down for less (tcp_bbr.c); what is lost is told by FEATURE_BBR_LOSS. */
#define BBR_HEEDS 0.005
#define COLLAPSE_ROWS 6
#define COLLAPSED 0.35
/* What is lost around a stall tells of the stall. */
#define STALLED_SHARE 0.3
/* RTT that moves by less than this is flat. */
#define RTT_FLAT 1.12

static bool loss_is_throughout(const struct path *path)
{
	return path->loss.steady_ratio >= LOSS_MATTERS &&
	       (path->loss.lossy_bins >= 0.6 ||
		   (path->loss.lossy_bins >= 0.3 && path->loss.worst_bin < 0.5 &&
		       path->loss.steady_retransmits >= 3));
}

static bool regrows(const struct view *view)
{
	const struct path *path = view->path;
	bool before = path->loss.early_retransmits > 0 ||
		      path->loss.retransmits > path->loss.steady_retransmits ||
		      path->loss.steady_retransmits > 0;

	return view->lossless && before && !path->phases.cwnd_rests && !view->bbr &&
	       path->cwnd.known && path->cwnd.growth > 1.04 &&
	       (view->cwnd_fill <= 0 || view->cwnd_fill > 0.75);
}

static void loss_course(const struct view *view)
{
	const struct path *path = view->path;

	if (!view->knows_loss)
		return;
	bool tiny = path->cwnd.known && path->cwnd.bytes <= 3.0 * path->mss;
	if (tiny && path->loss.ratio >= LOSS_OF_MOST)
		feature_set(view, FEATURE_LOSS_OF_MOST, path->loss.ratio, path->cwnd.bytes);
	if (path->loss.ratio >= LOSS_HEAVY || path->loss.steady_ratio >= LOSS_HEAVY)
		feature_set(
		    view, FEATURE_LOSS_HEAVY, fmax(path->loss.ratio, path->loss.steady_ratio), 0);
	if (!view->lossless && (!view->rows_tell_loss || view->count < 2))
		feature_set(
		    view, FEATURE_LOSS_SUM, path->loss.ratio, (double)path->loss.retransmits);
	else if (view->bbr && path->loss.steady_ratio < BBR_HEEDS)
		return;
	else if (loss_is_throughout(path) && !path->phases.cwnd_rests)
		feature_set(
		    view, FEATURE_LOSS_THROUGHOUT, path->loss.steady_ratio, path->loss.lossy_bins);
	else if (regrows(view))
		feature_set(view, FEATURE_LOSS_ONCE_THEN_GROWTH, (double)path->loss.retransmits,
		    path->cwnd.growth);
	else if (view->lossless)
		feature_set(
		    view, FEATURE_LOSSLESS, (double)path->loss.retransmits, path->loss.ratio);
	else
		feature_set(
		    view, FEATURE_LOSS_RARE, path->loss.steady_ratio, path->loss.lossy_bins);
}

/* What the measured rate is of the one that CUBIC would make of that loss; without an RTT, of cwnd. */
static void loss_bound(const struct view *view)
{
	const struct path *path = view->path;

	if (view->bbr || path->loss.steady_ratio < LOSS_MATTERS || view->lossless)
		return;
	bool knows_rtt = path->rtt.method != RTT_UNKNOWN && path->rtt.method != RTT_CWND;
	/* the losses are those of the rows of the sender, and so is the rate */
	double ratio = 0, allowed = 0, rate_bps = path->rate.sent_bps / path->streams;
	if (knows_rtt) {
		allowed = cubic_rate_bps(path->mss, path->rtt.us, path->loss.steady_ratio);
		ratio = rate_bps / allowed;
	} else if (path->cwnd.known) {
		ratio = path->cwnd.bytes / path->mss / (1.2247 / sqrt(path->loss.steady_ratio));
	}
	if (ratio <= 0)
		return;
	if (ratio > BOUND_EXCEEDED && path->loss.lossy_bins < 0.55)
		feature_set(view, FEATURE_LOSS_BURSTS, path->loss.lossy_bins, allowed);
	if (ratio > BOUND_EXCEEDED)
		feature_set(view, FEATURE_LOSS_BOUND_EXCEEDED, rate_bps, allowed);
	else if (ratio > 1 / BOUND_FITS && ratio < (knows_rtt ? BOUND_FITS : CWND_FITS))
		feature_set(view, FEATURE_LOSS_BOUND_FITS, rate_bps, allowed);
}

/* What to ask of whoever runs the path: the loss under which CUBIC would carry the target. */
static void loss_allowed(const struct view *view)
{
	const struct path *path = view->path;
	double target_bps = path->target.bps / path->streams;

	if (!path->target.known || path->rtt.method == RTT_UNKNOWN ||
	    path->rtt.method == RTT_CWND || target_bps <= path->rate.stream_bps ||
	    path->loss.steady_ratio < LOSS_MATTERS || view->lossless)
		return;
	feature_set(view, FEATURE_LOSS_ALLOWED, target_bps,
	    cubic_loss_for_rate(path->mss, path->rtt.us, target_bps));
}

/* True unless the RTT is known to move: what drops does not queue first. */
static bool rtt_may_be_flat(const struct view *view)
{
	const struct path *path = view->path;

	if (view->base_is_measured && view->loaded_us > 0)
		return view->queue_ratio < 1.2;
	if (!view->has_rtt || path->bin_rtt.min_us <= 0)
		return true;
	return path->bin_rtt.median_us < RTT_FLAT * path->bin_rtt.min_us ||
	       path->bin_rtt.median_us - path->bin_rtt.min_us < 2000;
}

static void bucket(const struct view *view)
{
	const struct path *path = view->path;
	const struct bucket *b = &path->bucket;

	if (!b->known || path->phases.cwnd_rests || !rtt_may_be_flat(view))
		return;
	double swing = b->swing * sqrt((double)path->streams);
	bool dropping = path->loss.lossy_bins >= 0.15 && path->loss.steady_ratio >= LOSS_MATTERS;
	if (dropping && swing < POLICED_SWING && path->phases.usable >= 6)
		feature_set(view, FEATURE_BUCKET_STEADY, b->rate_bps, b->depth_bytes);
	else if (dropping && swing > CHANCE_SWING && path->rate.deviation > EVEN)
		feature_set(view, FEATURE_BUCKET_SWINGS, swing, 0);
	if (b->events >= EVENTS_MIN && !view->bbr && b->cwnd_swing < ONE_CWND)
		feature_set(view, FEATURE_LOSS_AT_ONE_CWND, b->cwnd_swing, b->events);
	else if (b->events >= EVENTS_MIN && !view->bbr && b->cwnd_swing > ANY_CWND)
		feature_set(view, FEATURE_LOSS_AT_ANY_CWND, b->cwnd_swing, b->events);
	if (dropping && b->first_ratio > FIRST_BURST && swing < CHANCE_SWING &&
	    path->phases.usable >= 8)
		feature_set(view, FEATURE_FIRST_BURST, b->first_ratio, b->rate_bps);
}

/* Something is lost, and nothing of it looks like a token bucket. */
static void no_bucket(const struct view *view)
{
	const struct feature_value *items = view->features->items;

	if (view->knows_loss && !view->lossless && !items[FEATURE_LOSS_SUM].present &&
	    !items[FEATURE_BUCKET_STEADY].present && !items[FEATURE_FIRST_BURST].present &&
	    !items[FEATURE_LOSS_AT_ONE_CWND].present)
		feature_set(view, FEATURE_NO_BUCKET, view->path->loss.steady_ratio, 0);
}

/* The RTT of the rows in which something was lost over the smallest of all: a queue that drops is full then. */
static void loss_and_delay(const struct view *view)
{
	const struct path *path = view->path;
	double delays_us[SERIES_MAX], most_us = 0;
	size_t lossy = 0;

	/* from the idle RTT and cwnd / rate of a flow that loss holds (model/rtt.c) */
	if (!view->has_rtt && view->base_is_measured && view->loaded_us > 0 && !view->lossless) {
		if (view->queue_ratio < 1.15)
			feature_set(
			    view, FEATURE_LOSS_WITHOUT_DELAY, view->loaded_us, view->base_us);
		return;
	}
	if (!view->has_rtt || !view->run || path->loss.retransmits < 3 || path->rtt.us <= 0 ||
	    path->phases.cwnd_rests)
		return;
	for (size_t i = 0; i < path->phases.usable; i++) {
		const struct bin *bin = &view->run->series.bins[i];
		if ((bin->has & BIN_RTT) && (bin->has & BIN_RETRANSMITS) && bin->retransmits > 0)
			delays_us[lossy++] = bin->rtt_us;
	}
	/* the first burst of a start is a queue of its own: the median of the rows counts */
	most_us = stats_median(delays_us, lossy);
	double base_us = view->base_us > 0 ? view->base_us : path->rtt.us;
	if (most_us <= 0)
		return;
	bool near = base_us > 8000 ? most_us < 1.06 * base_us + 800 : most_us < 1.05 * base_us;
	if (near)
		feature_set(view, FEATURE_LOSS_WITHOUT_DELAY, most_us, base_us);
	else if (most_us > 1.3 * base_us + 1000 && !view->bbr)
		feature_set(view, FEATURE_LOSS_WITH_DELAY, most_us, base_us);
}

/* cwnd falls to a segment or two where it was large: retransmission timeouts (RFC 6298), as outages and
 * lost tails make them. */
static void timeouts(const struct view *view)
{
	const struct path *path = view->path;
	double rows = 0, large = path->cwnd.peak_bytes;

	if (!view->run || !path->cwnd.known || view->bbr || large < 40.0 * path->mss)
		return;
	for (size_t i = 1; i < path->phases.usable; i++) {
		const struct bin *bin = &view->run->series.bins[i];
		rows += (bin->has & BIN_CWND) && bin->cwnd_bytes > 0 &&
			(double)bin->cwnd_bytes <= 2.0 * path->mss * path->streams;
	}
	if (rows > 0)
		feature_set(view, FEATURE_TIMEOUTS, rows, (double)path->phases.usable);
}

/* Rows in which something is lost and little else passes: outages, which a rate that is fixed does not make. */
static void collapses(const struct view *view)
{
	double bytes[SERIES_MAX];
	size_t rows = 0, usable = view->path->phases.usable;

	if (!view->run || !view->rows_tell_loss || usable < COLLAPSE_ROWS)
		return;
	for (size_t i = 0; i < usable; i++)
		bytes[i] = (double)view->run->series.bins[i].bytes;
	double median = stats_median(bytes, usable);
	/* below that the writes' blocks leave rows nearly empty by themselves */
	if (median < 2 * WRITE_BURST_BYTES)
		return;
	for (size_t i = 1; i < usable; i++) {
		const struct bin *bin = &view->run->series.bins[i];
		rows += bin->retransmits > 0 && (double)bin->bytes < COLLAPSED * median;
	}
	if (rows > 0)
		feature_set(view, FEATURE_RATE_COLLAPSES, (double)rows, (double)usable);
}

/* ping's own loss, of so many probes that it is no accident. */
static void probes(const struct view *view)
{
	if (view->ping_loss > 0)
		feature_set(view, FEATURE_PATH_LOSS_SEEN, view->ping_loss, 0);
}

/* Where only their sum is known. */
static void pattern_of_sum(const struct view *view)
{
	const struct path *path = view->path;
	double chance_bytes = 1.2247 / sqrt(path->loss.ratio) * path->mss;

	if (view->bbr) {
		feature_grade(view, FEATURE_BBR_LOSS, path->loss.ratio, 0, 0.02, 2.5);
		return;
	}
	feature_grade(view, FEATURE_LOSS_MUCH, path->loss.ratio, 0, 0.008, 4);
	if (view->in_flight_measured && view->in_flight > 0)
		feature_grade(view, FEATURE_LOSS_AGAINST_CHANCE, view->in_flight, chance_bytes,
		    1.6 * chance_bytes, 2);
}

/*
 * How the losses fall.  Middles and steps: the medians of 91 policed and 69 lossy runs of CUBIC and Reno lie on
 * both sides of the middle, about a step apart.
 */
static void pattern(const struct view *view)
{
	const struct loss_pattern *losses = &view->path->losses;

	if (view->features->items[FEATURE_LOSS_SUM].present && view->path->loss.ratio > 0) {
		pattern_of_sum(view);
		return;
	}
	if (!losses->known || view->path->phases.cwnd_rests || view->lossless ||
	    view->path->phases.share[PHASE_STALLED] > STALLED_SHARE ||
	    view->features->items[FEATURE_FAST_AND_NEAR].present)
		return;
	if (view->bbr) {
		feature_grade(view, FEATURE_BBR_LOSS, losses->ratio, 0, 0.02, 2.5);
		return;
	}
	/* what streams do independently evens out in their sum */
	double alone = sqrt((double)view->path->streams);
	feature_grade(view, FEATURE_LOSS_CLUSTERS, losses->dispersion, 1, 4, 4);
	if (losses->window_bytes > 0)
		feature_grade(view, FEATURE_LOSS_AGAINST_CHANCE, losses->window_bytes,
		    losses->chance_bytes, 1.6 * losses->chance_bytes, 2);
	feature_grade(view, FEATURE_LOSS_SWING, alone * losses->swing, 0, 0.15, 2);
	if (losses->after_peaks > 0)
		feature_grade(view, FEATURE_LOSS_AFTER_PEAKS, losses->after_peaks, 0, 0.8, 1.2);
	if (losses->peak_spread > 0)
		feature_grade(
		    view, FEATURE_LOSS_PEAKS_DIFFER, alone * losses->peak_spread, 0, 0.15, 2.5);
	feature_grade(view, FEATURE_LOSS_MUCH, losses->ratio, 0, 0.008, 4);
	feature_grade(view, FEATURE_LOSS_OFTEN, losses->per_row, 0, 6, 3);
	feature_grade(view, FEATURE_LOSS_RECURS, losses->events, 0, 1.5, 1.6);
	feature_grade(view, FEATURE_LOSS_FIRST_BURST, losses->first_ratio, 0, 1.4, 2);
}

void features_of_loss(const struct view *view)
{
	loss_course(view);
	loss_bound(view);
	loss_allowed(view);
	bucket(view);
	no_bucket(view);
	pattern(view);
	loss_and_delay(view);
	timeouts(view);
	collapses(view);
	probes(view);
}
