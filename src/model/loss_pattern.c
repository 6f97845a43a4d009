#include "model/loss_pattern.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "model/fluid.h"

#define ROWS_MIN 4
/* Pairs of rows to compare, before that says anything. */
#define PAIRS_MIN 6
#define PEAKS_MIN 2

static double row_rate(const struct fluid *f, size_t i)
{
	return f->seconds[i] > 0 ? f->bytes[i] / f->seconds[i] : 0;
}

/* Pearson's statistic of the rows' retransmits against one ratio for all, over its degrees of freedom. */
static double dispersion(const struct fluid *f, double ratio, uint32_t mss)
{
	double sum = 0;

	for (size_t i = 1; i < f->count; i++) {
		double expected = ratio * fmax(1, f->bytes[i] / mss);
		double off = (double)f->lost[i] - expected;
		sum += off * off / expected;
	}
	return sum / (double)(f->count - 2);
}

/* The rank statistic of Mann and Whitney: of all pairs of a row before a loss and one before none, the share
 * in which the former is the faster. */
static double after_peaks(const struct fluid *f)
{
	double faster = 0, pairs = 0;

	for (size_t i = 2; i < f->count; i++)
		for (size_t j = 2; f->lost[i] > 0 && j < f->count; j++)
			if (f->lost[j] == 0) {
				pairs++;
				faster += row_rate(f, i - 1) > row_rate(f, j - 1);
			}
	return pairs >= PAIRS_MIN ? faster / pairs : 0;
}

/* A loss ends a row's growth: the row before may be the faster. */
static double peak_spread(const struct fluid *f)
{
	struct stats peaks = {0};

	for (size_t i = 2; i < f->count; i++)
		if (f->lost[i] > 0)
			stats_add(&peaks, fmax(row_rate(f, i), row_rate(f, i - 1)));
	return peaks.count >= PEAKS_MIN ? stats_deviation(&peaks) / peaks.mean : 0;
}

/* A burst and its repair fall into two rows at most. */
#define ROWS_OF_EVENT 2.0

static double count_events(const struct fluid *f)
{
	double count = 0, rows = 0;

	for (size_t i = 0; i < f->count; i++) {
		count += f->lost[i] > 0 && (i == 0 || f->lost[i - 1] == 0);
		rows += f->lost[i] > 0;
	}
	return fmax(count, rows / ROWS_OF_EVENT);
}

static double mean_cwnd(const struct run *run, size_t count)
{
	struct stats cwnd = {0};

	for (size_t i = 1; i < count; i++)
		if ((run->series.bins[i].has & BIN_CWND) && run->series.bins[i].cwnd_bytes > 0)
			stats_add(&cwnd, (double)run->series.bins[i].cwnd_bytes);
	return cwnd.mean;
}

void loss_pattern_read(struct loss_pattern *pattern, const struct run *run,
    const struct phases *phases, uint32_t mss, double rtt_us)
{
	struct fluid f;
	size_t empty = 0; /* rows: what passed when is not known */
	double lost = 0, segments = 0, streams = run->streams ? run->streams : 1;

	*pattern = (struct loss_pattern){.known = false};
	if (phases->usable < ROWS_MIN || !(run->has & RUN_RETRANSMITS))
		return;
	fluid_read(&f, run, phases);
	double mean = fluid_rate(&f, 1, f.count);
	for (size_t i = 1; i < f.count; i++) {
		lost += (double)f.lost[i];
		empty += run->series.bins[i].bytes == 0 && !(run->series.bins[i].has & BIN_RTT);
		segments += fmax(1, f.bytes[i] / mss);
	}
	if (mean <= 0 || lost <= 0 || f.seconds[0] <= 0 || 2 * empty > f.count)
		return;
	pattern->known = true;
	pattern->ratio = lost / segments;
	pattern->events = count_events(&f);
	pattern->per_row = lost / (double)(f.count - 1);
	pattern->dispersion = dispersion(&f, pattern->ratio, mss);
	pattern->swing = fluid_swing(&f) * sqrt(streams);
	pattern->window_bytes =
	    (rtt_us > 0 ? mean * rtt_us / 1e6 : mean_cwnd(run, f.count)) / streams;
	pattern->chance_bytes = 1.2247 / sqrt(pattern->ratio) * mss;
	pattern->first_ratio = f.first_bytes / f.seconds[0] / mean;
	pattern->after_peaks = after_peaks(&f);
	pattern->peak_spread = peak_spread(&f);
}
