/* Features of a queue: what the RTT does under the flow. */
#include "diagnosis/view.h"

#include <math.h>

/* A standing queue: the RTT under load beyond the idle path's by this, and by so much time. */
#define STANDS_RATIO 1.5
#define STANDS_US 4000
/* One that nothing but a queue explains. */
#define LONG_RATIO 4.0
#define LONG_US 50000
/* No queue to speak of: below this, or below so much time. */
#define NONE_RATIO 1.15
#define NONE_US 1500
/* The exponent of RTT over cwnd: 1 in a queue, 0 elsewhere. */
#define FOLLOWS 0.6
#define VARIES 1.25
#define FLAT 1.06
#define ONCE_FILL 0.5
/* What hosts add on a short path. */
#define NOISE_US 800
#define NOISE_RATIO 1.15
/* cwnd moves by more than this, and the RTT by less than this part of it. */
#define CWND_MOVES 0.15
#define RTT_PART 0.3
/* Median over smallest, of so many rows, that a queue exceeds. */
#define MEDIAN_RESTS 1.03
#define MEDIAN_ROWS 6
#define BACKLOG_US 20000

static void against_base(const struct view *view)
{
	if (view->base_us <= 0 || view->loaded_us <= 0)
		return;
	double over_us = view->loaded_us - view->base_us;
	bool stands = over_us > STANDS_US &&
		      (view->queue_ratio > STANDS_RATIO ||
			  (view->base_is_measured && over_us > 15000 && view->queue_ratio > 1.3));
	/* in one reading of a flow that does not fill its cwnd the queue, if any, is of others */
	if (view->one_reading && view->cwnd_fill < ONCE_FILL)
		stands = false;
	/* a receiving program that is behind delays its acknowledgements: that is no queue of the path */
	bool behind =
	    window_tells_reader(view) || view->features->items[FEATURE_READER_BEHIND].present;
	if (view->lossless && behind)
		return;
	if (view->base_is_measured && view->queue_ratio > LONG_RATIO && over_us > LONG_US)
		feature_set(view, FEATURE_QUEUE_LONG, over_us, view->base_us);
	if (stands)
		feature_set(view,
		    view->one_reading && !view->path->idle.known ? FEATURE_QUEUE_ONCE
								 : FEATURE_QUEUE_STANDS,
		    view->loaded_us, view->base_us);
	else if (view->base_is_measured && (view->queue_ratio < NONE_RATIO || over_us < NONE_US))
		feature_set(view, FEATURE_QUEUE_NONE, view->loaded_us, view->base_us);
}

static void course(const struct view *view)
{
	const struct path *path = view->path;
	double spread_us = path->bin_rtt.max_us - path->bin_rtt.min_us;

	if (path->phases.rtt_after_us > 0)
		feature_set(view, FEATURE_PATH_CHANGED, path->phases.rtt_after_us,
		    path->phases.rtt_before_us);

	if (path->elasticity.queue > FOLLOWS && spread_us > STANDS_US / 2.0 &&
	    view->cwnd_fill > 0.7)
		feature_set(
		    view, FEATURE_QUEUE_FOLLOWS_CWND, path->bin_rtt.min_us, path->bin_rtt.max_us);
	if (path->phases.governing == PHASE_FILLING && spread_us > STANDS_US)
		feature_set(view, FEATURE_QUEUE_FILLS, path->bin_rtt.min_us, path->bin_rtt.max_us);
	if (!view->has_rtt || view->count < 3 || path->bin_rtt.min_us <= 0)
		return;
	/* a row that a scheduler delayed is no queue: half of the rows would be */
	double median = path->bin_rtt.median_us / path->bin_rtt.min_us;
	if (!view->lossless && !view->bbr && path->cwnd.spread > CWND_MOVES &&
	    median - 1 < RTT_PART * path->cwnd.spread / 2)
		feature_set(view, FEATURE_RTT_STILL_UNDER_CWND, path->bin_rtt.min_us,
		    path->bin_rtt.median_us);
	if (path->bin_rtt.max_us > VARIES * path->bin_rtt.min_us && spread_us > STANDS_US &&
	    (median > MEDIAN_RESTS || view->count < MEDIAN_ROWS))
		feature_set(view, FEATURE_RTT_VARIES, path->bin_rtt.min_us, path->bin_rtt.max_us);
	else if (path->bin_rtt.max_us < FLAT * path->bin_rtt.min_us ||
		 (spread_us < NOISE_US &&
		     path->bin_rtt.max_us < NOISE_RATIO * path->bin_rtt.min_us))
		feature_set(view, FEATURE_RTT_FLAT, path->bin_rtt.min_us, path->bin_rtt.max_us);
}

/* Probes of the same path, one of them during the test, see no queue: what delays the flow's own segments is
 * an end, or a queue that they share with nobody. */
static void probes_pass(const struct view *view)
{
	const struct ping *ping = view->other_ping;

	if (!ping || ping->avg_us <= 0 || !view->has_rtt ||
	    view->path->loaded.method != RTT_TCP_INFO)
		return;
	if (view->loaded_us > VARIES * ping->avg_us && view->loaded_us - ping->avg_us > STANDS_US)
		feature_set(view, FEATURE_PING_PASSES, ping->avg_us, view->loaded_us);
}

void features_of_queue(const struct view *view)
{
	probes_pass(view);
	against_base(view);
	course(view);
	if (view->backlog_us > BACKLOG_US)
		feature_set(view, FEATURE_BACKLOG, view->backlog_us, view->path->rate.bps);
}
