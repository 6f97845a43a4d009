#include "model/bucket.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "model/fluid.h"

/* IPv4 and TCP headers with timestamps, beside the payload of a segment. */
#define HEADER_BYTES 52.0
/* A first burst of more than so many BDPs tells of a deep bucket. */
#define DEEP_BDP 1.0
/* Where a shallow bucket drops, the rate has grown past r by about this. */
#define OVERSHOOT 0.955
/* So much of the first row still in the socket buffer at the end: what passed is not told by it. */
#define FILL_MUCH 0.6
#define ROWS_MIN 4

/* Bytes/s in the rows in which, or before which, something was dropped. */
static double rate_at_loss(const struct fluid *f)
{
	double rates[SERIES_MAX];
	size_t count = 0;

	for (size_t i = 2; i < f->count; i++)
		if (f->lost[i] > 0)
			rates[count++] =
			    fmax(f->bytes[i] / f->seconds[i], f->bytes[i - 1] / f->seconds[i - 1]);
	return stats_median(rates, count);
}

/* What passed beyond `rate` before each loss: the median over the losses. */
static double excess_at_loss(const struct fluid *f, double rate)
{
	double peaks[SERIES_MAX], level = 0, peak = 0;
	size_t count = 0;

	for (size_t i = 1; i < f->count; i++) {
		level = fmax(0, level + f->bytes[i] - rate * f->seconds[i]);
		if (f->lost[i] > 0) {
			peaks[count++] = peak;
			level = peak = 0;
		}
		peak = fmax(peak, level);
	}
	return stats_median(peaks, count);
}

/* cwnd at which something was lost, after the first row: the same each time where a rate is fixed, anything
 * where chance takes. */
static void loss_windows(struct bucket *bucket, const struct run *run, size_t rows)
{
	const struct bin *bins = run->series.bins;
	struct stats cwnd = {0};

	for (size_t i = 2; i < rows; i++)
		if (bins[i].retransmits > 0 && bins[i - 1].retransmits == 0 &&
		    (bins[i - 1].has & BIN_CWND))
			stats_add(&cwnd, (double)bins[i - 1].cwnd_bytes);
	bucket->events = (unsigned)cwnd.count;
	bucket->cwnd_swing = cwnd.mean > 0 ? stats_deviation(&cwnd) / cwnd.mean : 0;
}

void bucket_fit(struct bucket *bucket, const struct run *run, const struct phases *phases,
    uint32_t mss, double rtt_us)
{
	struct fluid f;
	uint64_t lost = 0;
	size_t empty = 0;

	*bucket = (struct bucket){.known = false};
	if (phases->usable < ROWS_MIN || !(run->has & RUN_RETRANSMITS) || mss == 0)
		return;
	fluid_read(&f, run, phases);
	for (size_t i = 1; i < f.count; i++) {
		lost += f.lost[i];
		empty += run->series.bins[i].bytes == 0 && !(run->series.bins[i].has & BIN_RTT);
	}
	double mean = fluid_rate(&f, 1, f.count), whole_s = 0;
	if (mean <= 0 || lost == 0 || 2 * empty > f.count)
		return;
	for (size_t i = 0; i < f.count; i++)
		whole_s += f.seconds[i];

	double headers = (mss + HEADER_BYTES) / mss;
	double burst = f.first_bytes - mean * f.seconds[0];
	double rate = mean, depth = burst;
	if (burst < DEEP_BDP * mean * rtt_us / 1e6 || burst < mss) {
		rate = rate_at_loss(&f);
		depth = excess_at_loss(&f, OVERSHOOT * rate);
		if (depth > 4.0 * mss)
			rate *= OVERSHOOT;
		else
			depth = 4.0 * mss;
	} else if (f.fill > FILL_MUCH && (double)run->received_bytes > mean * whole_s) {
		depth = (double)run->received_bytes - mean * whole_s;
	}
	bucket->known = rate > 0;
	bucket->rate_bps = rate * headers * 8;
	bucket->depth_bytes = depth * headers;
	loss_windows(bucket, run, phases->usable);
	bucket->swing = fluid_swing(&f);
	bucket->first_ratio = f.first_bytes / f.seconds[0] / mean;
}
