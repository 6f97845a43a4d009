/* Features of the rate: speeds of links, somebody's choice, and how it moves. */
#include "diagnosis/view.h"

#include <math.h>

#include "base/stats.h"
#include "model/rfc6349.h"

/* Over the Ethernet payload rate: what is measured lies within these, by bytes of whole seconds. */
#define LINE_LOW 0.988
#define LINE_HIGH 1.006
#define LINE_SPREAD 0.035
/* cwnd / rate beyond this is no link's queue, but a window at one end. */
#define LINE_NAIVE_US 40000
#define SPEED_REACHED 0.9
#define FLAT 0.03
#define MOVES 0.05
#define RTT_PART 0.4
#define SWINGS 0.15
#define EXACT 0.006
/* -b counts as reached from here on: iperf3 sends in blocks and keeps to the rate on average. */
#define ASKED_REACHED 0.985
#define ASKED_NEARLY 0.80
/* Beyond this one CPU may hold a stream; windows do not where the path is as short as this. */
#define FAST_BPS 2.4e9
/* A single stream this fast may be held by its hosts as well as by a window. */
#define VERY_FAST_BPS 4e9
/* d ln rate / d ln cwnd is 0 where a queue takes what cwnd adds.  At a constant RTT it would be 1 if cwnd were known
 * at all times; printed once a row, of 61 lossy runs the quartiles are 0.22, 0.40 and 0.58, and before a queue
 * (5 runs) it is below 0.2.  On paths shorter than this the last cwnd of a row tells nothing of the row. */
#define BY_CWND_LEAST 0.1
#define BY_CWND_MIDDLE 0.28
#define BY_CWND_STEP 1.8
#define BY_CWND_LEAST_US 10000
#define NEAR_US 4000
#define SHORT_US 1500

static double ethernet_speed_near(const struct view *view, double rate_bps)
{
	for (const double *speed = ethernet_speeds_bps; *speed > 0; speed++) {
		double payload = ethernet_payload_bps(*speed, view->path->mss);
		if (rate_bps > LINE_LOW * payload && rate_bps < LINE_HIGH * payload)
			return *speed;
	}
	return 0;
}

static double known_link_speed(const struct host *host)
{
	double least = 0;

	for (unsigned i = 0; host && i < host->interface_count; i++)
		if (host->interfaces[i].up && host->interfaces[i].speed_bps > 0)
			least = least > 0 ? fmin(least, (double)host->interfaces[i].speed_bps)
					  : (double)host->interfaces[i].speed_bps;
	return least;
}

static void link_rates(const struct view *view)
{
	const struct path *path = view->path;
	double speed = ethernet_speed_near(view, path->rate.sent_bps);

	if (speed <= 0 && path->rate.mean_known)
		speed = ethernet_speed_near(view, path->rate.mean_bps);
	bool far = !view->has_rtt && view->naive_us > LINE_NAIVE_US;
	if (speed > 0 && path->rate.deviation < LINE_SPREAD && view->count >= 3 && !far &&
	    view->asked_bps <= 0)
		feature_set(view, FEATURE_ETHERNET_RATE, path->rate.bps, speed);
	double known = fmax(known_link_speed(view->sender), known_link_speed(view->receiver));
	if (known > 0 && path->rate.bps > SPEED_REACHED * ethernet_payload_bps(known, path->mss))
		feature_set(view, FEATURE_LINK_SPEED_REACHED, path->rate.bps, known);
}

static void moves(const struct view *view)
{
	const struct path *path = view->path;
	struct stats rows = {0};

	for (size_t i = 0; i < view->count; i++)
		stats_add(&rows, bins_rate_bps(&view->bins[i], 1));
	double rows_deviation = rows.mean > 0 ? stats_deviation(&rows) / rows.mean : 1;
	/* rows that are alike need no pooling */
	size_t block = rows_deviation < FLAT / 2 ? 1 : path->phases.block;
	size_t pools = block ? view->count / block : 0;

	if (pools < 3)
		return;
	bool cwnd_moves = path->cwnd.known && path->cwnd.spread > MOVES;
	/* at one rate cwnd moves only as the RTT does: where that rests, rows are too long to see the rate move */
	bool rtt_rests =
	    view->has_rtt && path->bin_rtt.min_us > 0 &&
	    path->bin_rtt.max_us / path->bin_rtt.min_us - 1 < RTT_PART * path->cwnd.spread;
	double deviation = fmin(rows_deviation, path->rate.deviation);
	if (deviation < FLAT && cwnd_moves && !rtt_rests && !view->bbr)
		feature_set(view,
		    view->has_rtt ? FEATURE_RATE_FLAT_CWND_MOVES : FEATURE_RATE_FLAT_RTT_UNSEEN,
		    deviation, path->cwnd.spread);
	else if (path->rate.deviation > SWINGS)
		feature_set(view, FEATURE_RATE_SWINGS, path->rate.deviation, 0);
}

/* 700 Mbit/s and 710 are, 703 is not: what somebody would ask for. */
static bool is_two_digits(double rate_bps)
{
	double step = pow(10, floor(log10(rate_bps)) - 1);

	return fabs(rate_bps / (round(rate_bps / step) * step) - 1) < 0.002;
}

/* The same bytes in nearly every row, though neither loss nor a full cwnd makes them so: somebody's pace. */
static void exact(const struct view *view)
{
	double rates[SERIES_MAX];
	size_t alike = 0;

	double us = view->has_rtt	? view->loaded_us
		    : view->base_us > 0 ? view->base_us
					: view->naive_us;

	/* on a short, fast path a link or a CPU is as even */
	/* three printed digits are alike by themselves: then only a round rate tells */
	if (view->run && view->run->rounding > 0 && !is_two_digits(view->path->rate.sent_bps))
		return;
	if (view->count < 4 || !view->lossless || view->cwnd_fill > 0.75 ||
	    (us < NEAR_US && view->path->rate.bps > 5e8))
		return;
	for (size_t i = 0; i < view->count; i++)
		rates[i] = bins_rate_bps(&view->bins[i], 1);
	double median = stats_median(rates, view->count);
	for (size_t i = 0; i < view->count; i++)
		alike += fabs(rates[i] / median - 1) < EXACT;
	if (median > 0 && alike + 1 >= view->count && median < 5e9)
		feature_set(view, FEATURE_RATE_EXACT, view->path->rate.sent_bps, 0);
}

static void asked(const struct view *view)
{
	const struct path *path = view->path;
	/* what the sender's rows count is what the program gave */
	double got = fmax(path->rate.sent_bps, path->rate.mean_bps);

	if (view->asked_bps <= 0)
		return;
	bool clean = !view->knows_loss || path->loss.ratio < 1e-4;
	if (got >= ASKED_REACHED * view->asked_bps && clean && view->window_fill < 0.9)
		feature_set(view, FEATURE_ASKED_REACHED, got, view->asked_bps);
	else if (got < ASKED_REACHED * view->asked_bps)
		feature_set(view, FEATURE_ASKED_MISSED, got, view->asked_bps);
}

static void nearness(const struct view *view)
{
	const struct path *path = view->path;
	double us = view->has_rtt ? view->loaded_us : view->naive_us;
	bool clean = !view->knows_loss || path->loss.steady_ratio < 2e-4;
	bool line = view->features->items[FEATURE_ETHERNET_RATE].present;

	if (view->same_host)
		feature_set(view, FEATURE_SAME_HOST, path->rate.bps, 0);
	else if (path->rate.bps > FAST_BPS && clean && us < NEAR_US && !line)
		feature_set(view, FEATURE_FAST_AND_NEAR, path->rate.bps, us);
	else if (path->rate.stream_bps > VERY_FAST_BPS)
		feature_set(view, FEATURE_VERY_FAST, path->rate.stream_bps, 0);
	else if (us > 0 && us < SHORT_US)
		feature_set(view, FEATURE_SHORT_PATH, us, 0);
}

/* Without an RTT: how the rate follows cwnd tells whether the RTT does. */
static void by_cwnd(const struct view *view)
{
	if (view->path->elasticity.rate_known && !view->has_rtt && !view->bbr &&
	    view->naive_us > BY_CWND_LEAST_US)
		feature_grade(view, FEATURE_RATE_BY_CWND,
		    fmax(view->path->elasticity.rate, BY_CWND_LEAST), 0, BY_CWND_MIDDLE,
		    BY_CWND_STEP);
}

void features_of_rate(const struct view *view)
{
	link_rates(view);
	moves(view);
	by_cwnd(view);
	exact(view);
	asked(view);
	nearness(view);
}
