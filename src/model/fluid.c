#include "model/fluid.h"

#include <math.h>

#include "base/stats.h"

#define POOL_S 5.0

static double cwnd_of_row(const struct bin *bins, size_t i)
{
	double before = (double)bins[i > 0 ? i - 1 : i].cwnd_bytes,
	       after = (double)bins[i].cwnd_bytes;

	return bins[i].retransmits > 0 ? fmin(before, after) : (before + after) / 2;
}

static bool has_all(const struct bin *bins, size_t count, unsigned what)
{
	for (size_t i = 0; i < count; i++)
		if ((bins[i].has & what) != what || ((what & BIN_CWND) && bins[i].cwnd_bytes == 0))
			return false;
	return true;
}

void fluid_read(struct fluid *f, const struct run *run, const struct phases *phases)
{
	const struct bin *bins = run->series.bins;
	bool cwnd = has_all(bins, phases->usable, BIN_CWND);
	bool rtt = has_all(bins, phases->usable, BIN_RTT);
	double counted = 0, shaped = 0;
	double excess = run->has & RUN_RECEIVED && run->received_bytes > 0 &&
				run->sent_bytes > run->received_bytes
			    ? (double)(run->sent_bytes - run->received_bytes)
			    : 0;

	f->count = phases->usable;
	f->first_bytes = fmax(0, (double)bins[0].bytes - excess);
	f->fill = bins[0].bytes > 0 ? fmin(1, excess / (double)bins[0].bytes) : 0;
	for (size_t i = 0; i < f->count; i++) {
		f->seconds[i] = bins[i].end_s - bins[i].start_s;
		f->lost[i] = bins[i].retransmits;
		f->bytes[i] = (double)bins[i].bytes;
		if (cwnd)
			f->bytes[i] = cwnd_of_row(bins, i) * f->seconds[i] /
				      (rtt && bins[i].rtt_us > 0 ? bins[i].rtt_us / 1e6 : 1);
		if (i > 0) {
			counted += (double)bins[i].bytes;
			shaped += f->bytes[i];
		}
	}
	counted -= fmax(0, excess - (double)bins[0].bytes);
	double scale = cwnd && shaped > 0 ? counted / shaped : 1;
	/* both tell the mean rate, each with an error of its own */
	if (rtt && cwnd && scale > 0.5 && scale < 2)
		scale = sqrt(scale);
	for (size_t i = 0; i < f->count; i++)
		f->bytes[i] *= scale;
}

double fluid_rate(const struct fluid *f, size_t first, size_t end)
{
	double bytes = 0, seconds = 0;

	for (size_t i = first; i < end; i++) {
		bytes += f->bytes[i];
		seconds += f->seconds[i];
	}
	return seconds > 0 ? bytes / seconds : 0;
}

double fluid_swing(const struct fluid *f)
{
	struct stats rates = {0};
	size_t rows = 1, most = (f->count - 1) / 4;

	while (rows < most && (double)rows * f->seconds[1] < POOL_S)
		rows++;
	for (size_t i = 1; i + rows <= f->count; i++)
		stats_add(&rates, fluid_rate(f, i, i + rows));
	return rates.mean > 0 ? stats_deviation(&rates) / rates.mean : 0;
}
