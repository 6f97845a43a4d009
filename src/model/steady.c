#include "model/steady.h"

#include <math.h>

#include "base/stats.h"

/* Pools of rows, and how much cwnd moves over them (standard deviation of its logarithm), from which on its effect
 * on the rate shows. */
#define ELASTICITY_POOLS 5
#define ELASTICITY_MOVES 0.12

static double bin_rate(const struct bin *bin)
{
	return bins_rate_bps(bin, 1);
}

static double later_median(const struct bin *bins, size_t count, size_t block)
{
	double rates[SERIES_MAX];
	size_t n = 0;

	for (size_t i = count / 2; i < count; i++)
		rates[n++] = bins_rate_bps(&bins[i], count - i < block ? count - i : block);
	return stats_median(rates, n);
}

/* What tells the RTT of one bin: tcp_info's, else cwnd / rate, which follows it while cwnd is full. */
static double bin_rtt(const struct bin *bin, bool *proxy)
{
	if (bin->has & BIN_RTT)
		return bin->rtt_us;
	double rate = bin_rate(bin);
	if (!(bin->has & BIN_CWND) || rate <= 0)
		return 0;
	*proxy = true;
	return (double)bin->cwnd_bytes * 8 / rate * 1e6;
}

static double spread(const struct stats *stats)
{
	return stats->count > 0 && stats->max > 0 ? (stats->max - stats->min) / stats->max : 0;
}

struct thirds {
	struct stats first, last;
};

static void thirds_add(struct thirds *thirds, size_t i, size_t count, double value)
{
	/* With fewer than three the first and the last stand for them. */
	size_t third = count < 3 ? 1 : count / 3;

	if (i < third)
		stats_add(&thirds->first, value);
	if (i >= count - third)
		stats_add(&thirds->last, value);
}

static double thirds_ratio(const struct thirds *thirds)
{
	return thirds->first.mean > 0 ? thirds->last.mean / thirds->first.mean : 1;
}

static void steady_windows(struct path *path, const struct bin *bins, size_t count)
{
	struct stats cwnd = {0}, window = {0};
	struct thirds cwnd_thirds = {0};

	for (size_t i = 0; i < count; i++) {
		const struct bin *bin = &bins[i];

		if (bin->has & BIN_CWND) {
			stats_add(&cwnd, (double)bin->cwnd_bytes);
			thirds_add(&cwnd_thirds, i, count, (double)bin->cwnd_bytes);
			if (i > 0 && bin->retransmits + bins[i - 1].retransmits == 0 &&
			    (double)bin->cwnd_bytes < 0.97 * (double)bins[i - 1].cwnd_bytes)
				path->cwnd.falls_unlost = true;
		}
		if (bin->has & BIN_PEER_WINDOW)
			stats_add(&window, (double)bin->peer_window_bytes);
	}
	if (cwnd.count > 0) {
		path->cwnd.known = true;
		path->cwnd.bytes = cwnd.mean / path->streams;
		path->cwnd.peak_bytes = cwnd.max / path->streams;
		path->cwnd.spread = spread(&cwnd);
		path->cwnd.growth = thirds_ratio(&cwnd_thirds);
	}
	if (window.count > 0) {
		path->peer_window.known = true;
		path->peer_window.bytes = window.mean / path->streams;
		path->peer_window.max_bytes = window.max / path->streams;
		path->peer_window.spread = spread(&window);
	}
}

/* How full the windows are: the mean rate (writes come in blocks, so that seconds differ) over the
 * median RTT, by the median window: one strange second must not move it. */
static void steady_fills(struct path *path, const struct bin *bins, size_t count)
{
	double windows[SERIES_MAX], cwnds[SERIES_MAX];
	size_t window_count = 0, cwnd_count = 0;
	double bytes = bdp_bytes(path->rate.quiet_bps, path->bin_rtt.median_us);

	if (!path->loaded.known || bytes <= 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if ((bins[i].has & BIN_PEER_WINDOW) && bins[i].peer_window_bytes > 0)
			windows[window_count++] = (double)bins[i].peer_window_bytes;
		if ((bins[i].has & BIN_CWND) && bins[i].cwnd_bytes > 0)
			cwnds[cwnd_count++] = (double)bins[i].cwnd_bytes;
	}
	if (window_count > 0)
		path->peer_window.fill = bytes / stats_median(windows, window_count);
	if (cwnd_count > 0)
		path->cwnd.fill = bytes / stats_median(cwnds, cwnd_count);
	path->in_flight.known = true;
	path->in_flight.bytes = bytes / path->streams;
}

static void steady_rtt(struct path *path, const struct bin *bins, size_t count)
{
	double rtts[SERIES_MAX];
	struct stats rtt = {0};
	struct thirds rtt_thirds = {0};

	for (size_t i = 0; i < count; i++) {
		double rtt_us = bin_rtt(&bins[i], &path->bin_rtt.is_proxy);

		if (rtt_us > 0) {
			rtts[rtt.count] = rtt_us;
			stats_add(&rtt, rtt_us);
			thirds_add(&rtt_thirds, i, count, rtt_us);
		}
	}
	path->bin_rtt.min_us = rtt.min;
	path->bin_rtt.max_us = rtt.max;
	path->bin_rtt.median_us = stats_median(rtts, rtt.count);
	path->bin_rtt.trend = thirds_ratio(&rtt_thirds);
	if (rtt.count > 0 && !path->bin_rtt.is_proxy) {
		path->loaded.known = true;
		path->loaded.rtt_us = rtt.mean;
		path->loaded.method = RTT_TCP_INFO;
	}
}

/* Of rows pooled until the jumps of the writes level out. */
static double pooled_deviation(const struct bin *bins, size_t count, size_t block)
{
	struct stats rate = {0};

	for (size_t i = 0; i + block <= count; i += block)
		stats_add(&rate, bins_rate_bps(&bins[i], block));
	return rate.mean > 0 ? stats_deviation(&rate) / rate.mean : 0;
}

static void steady_rate(struct path *path, const struct bin *bins, size_t count)
{
	uint64_t bytes = 0, worst = 0;
	size_t lossy = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += bins[i].bytes;
		path->loss.steady_retransmits += bins[i].retransmits;
		lossy += bins[i].retransmits > 0;
		if (bins[i].retransmits > worst)
			worst = bins[i].retransmits;
	}
	path->rate.deviation = pooled_deviation(bins, count, path->phases.block);
	path->loss.lossy_bins = (double)lossy / (double)count;
	if (bytes > 0)
		path->loss.steady_ratio =
		    fmin(1, (double)path->loss.steady_retransmits * path->mss / (double)bytes);
	if (path->loss.steady_retransmits > 0)
		path->loss.worst_bin = (double)worst / (double)path->loss.steady_retransmits;
}

/* Bytes that the sender had counted and the receiver had not when row `row` began.  Of those at the end of
 * the test, a part as large as cwnd then was of the last cwnd, since Linux sizes the send buffer by it
 * (net/ipv4/tcp_input.c, tcp_sndbuf_expand); where cwnd is not known, they grow with time.  What the
 * rounding of printed totals explains is no difference. */
static double queued_bytes(const struct run *run, size_t row)
{
	const struct bin *bins = run->series.bins, *last = &bins[run->series.count - 1];
	double sent = (double)run->sent_bytes, received = (double)run->received_bytes;

	if (row == 0 || !run->local_sends || !(run->has & RUN_SENT) || received <= 0 ||
	    sent - received <= run->rounding * (sent + received))
		return 0;
	/* the receiver goes on after the sender has stopped, and more than it got was on the way */
	if (run->received_seconds > run->sent_seconds)
		received *= run->sent_seconds / run->received_seconds;
	double part = (bins[row - 1].has & last->has & BIN_CWND) && last->cwnd_bytes > 0
			  ? (double)bins[row - 1].cwnd_bytes / (double)last->cwnd_bytes
			  : bins[row - 1].end_s / last->end_s;
	return (sent - received) * fmin(1, part);
}

/* Rate at which rows arrived, by the receiver's own rows; without them at most the one at which they were
 * sent. */
static double arrived_bps(const struct run *run, size_t first, size_t count)
{
	const struct bin *bins = &run->series.bins[first];
	double queued = queued_bytes(run, first + count) - queued_bytes(run, first);
	double seconds = bins[count - 1].end_s - bins[0].start_s;
	uint64_t arrived = 0;
	size_t told = 0;

	for (; told < count && (bins[told].has & BIN_ARRIVED); told++)
		arrived += bins[told].arrived_bytes;
	if (told == count && seconds > 0)
		return (double)arrived * 8 / seconds;
	return bins_rate_bps(bins, count) - (seconds > 0 ? fmax(0, queued) * 8 / seconds : 0);
}

/* What the path carried in the rows that govern: as much as arrived, and no less than in the whole test unless
 * the rows say so. */
static void find_rate(struct path *path, const struct run *run)
{
	bool rests = path->phases.cwnd_rests;
	size_t first = rests ? path->quiet.first : path->steady.first;
	size_t count = rests ? path->quiet.count : path->steady.count;

	path->rate.sent_bps = bins_rate_bps(&run->series.bins[first], count);
	if (first == 0 && count > 2 &&
	    arrived_bps(run, 0, 1) < START_SHARE * arrived_bps(run, 1, count - 1)) {
		/* a start that the filling of the buffer hides */
		first = path->steady.first = 1;
		count--;
		path->steady.count--;
	}
	path->rate.bps =
	    fmax(arrived_bps(run, first, count), fmin(path->rate.sent_bps, path->rate.mean_bps));
}

/* Sums of a straight line's fit by least squares. */
struct line {
	double n, x, y, xx, yy, xy;
};

static void line_add(struct line *line, double x, double y)
{
	line->n++;
	line->x += x;
	line->y += y;
	line->xx += x * x;
	line->yy += y * y;
	line->xy += x * y;
}

static double line_x_variance(const struct line *line)
{
	return line->xx / line->n - line->x * line->x / (line->n * line->n);
}

static double line_y_variance(const struct line *line)
{
	return line->yy / line->n - line->y * line->y / (line->n * line->n);
}

static double line_covariance(const struct line *line)
{
	return line->xy / line->n - line->x * line->y / (line->n * line->n);
}

/* Slope of ln RTT over ln cwnd, where cwnd moved enough to tell and the fit is good. */
static void find_queue_elasticity(struct path *path, const struct bin *bins, size_t count)
{
	struct line line = {0};

	for (size_t i = 0; i < count; i++)
		if ((bins[i].has & (BIN_CWND | BIN_RTT)) == (BIN_CWND | BIN_RTT) &&
		    bins[i].rtt_us > 0 && bins[i].cwnd_bytes > 0)
			line_add(&line, log((double)bins[i].cwnd_bytes), log(bins[i].rtt_us));
	if (line.n < 3)
		return;
	double x_var = line_x_variance(&line), y_var = line_y_variance(&line);
	double both = line_covariance(&line);
	if (x_var > 0.02 * 0.02 && y_var > 0 && both / sqrt(x_var * y_var) > 0.8)
		path->elasticity.queue = both / x_var;
}

/* Slope of ln rate over ln cwnd.  Rows are pooled until the writes' blocks level out; cwnd of a pool is its
 * rows' mean. */
static void find_rate_elasticity(struct path *path, const struct bin *bins, size_t count)
{
	size_t block = path->phases.block > 0 ? path->phases.block : 1;
	struct line line = {0};

	for (size_t i = 0; i + block <= count; i += block) {
		double rate = bins_rate_bps(&bins[i], block), cwnd = 0;
		for (size_t j = i; j < i + block; j++)
			cwnd += bins[j].has & BIN_CWND ? (double)bins[j].cwnd_bytes : -INFINITY;
		if (rate > 0 && cwnd > 0)
			line_add(&line, log(cwnd / (double)block), log(rate));
	}
	if (line.n < ELASTICITY_POOLS ||
	    line_x_variance(&line) < ELASTICITY_MOVES * ELASTICITY_MOVES)
		return;
	path->elasticity.rate = line_covariance(&line) / line_x_variance(&line);
	path->elasticity.rate_known = true;
}

static bool stretch_is_lossless(const struct bin *bins, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bins[i].retransmits > 0)
			return false;
	return true;
}

void steady_compute(struct path *path, const struct run *run)
{
	const struct series *series = &run->series;
	const struct phases *phases = &path->phases;

	phases_cut(&path->phases, run);
	if (phases->usable == 0)
		return;
	path->steady.known = path->rate.known = true;
	path->steady.first = phases->regime_first;
	path->steady.count = phases->regime_end - phases->regime_first;
	path->quiet.first = phases->first;
	path->quiet.count = phases->stretch;
	const struct bin *bins = &series->bins[path->steady.first];
	path->rate.median_bps = later_median(bins, path->steady.count, phases->block);
	for (size_t i = 0; i < path->steady.first; i++)
		path->loss.early_retransmits += series->bins[i].retransmits;

	steady_rate(path, bins, path->steady.count);
	find_rate_elasticity(path, bins, path->steady.count);
	bins = &series->bins[path->quiet.first];
	path->quiet.is_lossless = stretch_is_lossless(bins, path->quiet.count);
	find_queue_elasticity(path, bins, path->quiet.count);
	steady_windows(path, bins, path->quiet.count);
	steady_rtt(path, bins, path->quiet.count);
	path->rate.quiet_bps = bins_rate_bps(bins, path->quiet.count);
	find_rate(path, run);
	steady_fills(path, bins, path->quiet.count);
}
