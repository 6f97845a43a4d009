#include "model/phases.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"

/* A first row above this multiple of the later median is the socket buffer filling. */
#define FILL_FACTOR 1.6
/* cwnd counts as constant within this: 1 % in JSON; text prints three digits. */
#define CWND_CONSTANT 0.012
#define CWND_CONSTANT_ROUNDED 0.022
/* Rows of constant cwnd without loss that make a held stretch, and its least share of the run. */
#define HELD_ROWS 3
#define HELD_SHARE 0.4
/* cwnd after a timeout, in segments, and the part of the run that such rows without a byte must fill
 * where blocks could explain them. */
#define TINY_SEGMENTS 4
#define DEAD_SHARE 0.5
/* Retransmits a second. */
#define RESENT_BY_TIMEOUT 8.0
#define MOST_DEAD 0.7
/* Rows are pooled until a write burst is at most this part of them, and no longer than that. */
#define POOL_NOISE 0.1
#define POOL_SECONDS 5.0
/* Two stretches whose rates differ by this are regimes of their own, of at least so many rows each. */
#define REGIME_RATIO 3.0
#define REGIME_ROWS 3
/* Two levels of the RTT, each flat within the first, that differ by the second, while rate x RTT keeps
 * within the third: the path changed; a queue would leave the rate as it is. */
#define LEVEL_SPREAD 1.08
#define LEVEL_RATIO 1.25
#define LEVEL_PRODUCT 1.25
/* Growth of RTT or cwnd / rate over the stretch that is a queue being filled. */
#define FILLING_GROWTH 1.25

const char *phase_name(enum phase_kind kind)
{
	static const char *const names[] = {
	    [PHASE_START] = "start",
	    [PHASE_HELD] = "held",
	    [PHASE_RECOVERING] = "recovering",
	    [PHASE_FILLING] = "filling",
	    [PHASE_STALLED] = "stalled",
	    [PHASE_IDLE] = "idle",
	};
	return names[kind];
}

static double bin_seconds(const struct bin *bin)
{
	return bin->end_s - bin->start_s;
}

double bins_rate_bps(const struct bin *bins, size_t count)
{
	double seconds = 0, bytes = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += (double)bins[i].bytes;
		seconds += bin_seconds(&bins[i]);
	}
	return seconds > 0 ? bytes * 8 / seconds : 0;
}

/* What an interrupt leaves: a last row of a fraction of the others, or empty rows at the very end. */
static size_t usable_bins(const struct run *run)
{
	const struct series *series = &run->series;
	double seconds[SERIES_MAX];
	size_t n = series->count;

	if (n < 3)
		return n;
	for (size_t i = 0; i < n; i++)
		seconds[i] = bin_seconds(&series->bins[i]);
	if (seconds[n - 1] < 0.6 * stats_median(seconds, n - 1))
		n--;
	if (!run->complete && !run->has_summary && n >= 3 && series->bins[n - 1].bytes == 0 &&
	    series->bins[n - 2].bytes > 0)
		n--;
	return n;
}

/* Neighbouring rows over which the jumps of the writes level out. */
static size_t pool_size(const struct bin *bins, size_t n)
{
	double seconds = 0, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		bytes += (double)bins[i].bytes;
		seconds += bin_seconds(&bins[i]);
	}
	if (bytes <= 0 || seconds <= 0)
		return 1;
	double rows = ceil(WRITE_BURST_BYTES / POOL_NOISE / (bytes / (double)n));
	double most = fmax(1, POOL_SECONDS / (seconds / (double)n));
	return (size_t)fmax(1, fmin(fmin(rows, most), (double)n));
}

static size_t start_rows(const struct run *run, size_t n, size_t pool)
{
	const struct bin *bins = run->series.bins;
	double rates[SERIES_MAX];
	size_t later = 0, first = 0;

	for (size_t i = n / 2; i < n; i++)
		rates[later++] = bins_rate_bps(&bins[i], n - i < pool ? n - i : pool);
	double median = stats_median(rates, later);
	if (run->local_sends && n >= 4 && bins_rate_bps(bins, 1) > FILL_FACTOR * median)
		first = 1;
	for (size_t i = first; i < n; i++)
		if (bins_rate_bps(&bins[i], n - i < pool ? n - i : pool) >= START_SHARE * median)
			return i;
	return first;
}

static bool bin_lost(const struct bin *bin, bool knows)
{
	return knows && (bin->has & BIN_RETRANSMITS) && bin->retransmits > 0;
}

/* Length of the stretch from `i` on in which cwnd is constant and nothing is lost. */
static size_t constant_from(const struct run *run, size_t i, size_t n)
{
	const struct bin *bins = run->series.bins;
	double limit = run->rounding > 0 ? CWND_CONSTANT_ROUNDED : CWND_CONSTANT;
	double low = INFINITY, high = 0;
	size_t at = i;

	for (; at < n; at++) {
		if (!(bins[at].has & BIN_CWND) || bins[at].cwnd_bytes == 0 ||
		    bin_lost(&bins[at], true))
			break;
		double l = fmin(low, (double)bins[at].cwnd_bytes),
		       h = fmax(high, (double)bins[at].cwnd_bytes);
		if (h > l * (1 + limit))
			break;
		low = l;
		high = h;
	}
	return at - i;
}

/* No acknowledgement came in these rows: the RTT stays what it was, to the microsecond; where none is
 * shown, cwnd does, with next to nothing sent again. */
static bool is_frozen(const struct bin *bins, size_t first, size_t count)
{
	for (size_t i = first + 1; i < first + count; i++) {
		if ((bins[i].has & BIN_RTT) && bins[i].rtt_us != bins[i - 1].rtt_us)
			return false;
		if (!(bins[i].has & BIN_RTT) && (bins[i].has & BIN_CWND) &&
		    (bins[i].cwnd_bytes != bins[i - 1].cwnd_bytes || bins[i].retransmits > 2))
			return false;
	}
	return true;
}

/* Timeouts alone send at most a few segments a second again (RFC 6298: 200 ms at first in Linux, and each
 * twice the one before); more of them tell that acknowledgements come all the time. */
static bool is_acknowledged(const struct bin *bins, size_t first, size_t count)
{
	size_t busy = 0;

	for (size_t i = first; i < first + count; i++)
		busy += (double)bins[i].retransmits > RESENT_BY_TIMEOUT * bin_seconds(&bins[i]);
	return 2 * busy > count;
}

/* Empty rows in a row from `i` on that the writes' blocks do not explain; 0 when they do. */
static size_t stall_from(const struct run *run, size_t i, size_t n, double row_bytes)
{
	const struct bin *bins = run->series.bins;
	size_t at = i;

	while (at < n && bins[at].bytes == 0)
		at++;
	size_t empty = at - i;
	if (empty == 0 || is_acknowledged(bins, i, empty))
		return 0;
	/* a row that holds several bursts leaves no second empty by itself */
	if (row_bytes > 2 * WRITE_BURST_BYTES)
		return empty;
	bool tiny = (bins[i].has & BIN_CWND) && run->mss > 0 && bins[i].cwnd_bytes > 0 &&
		    bins[i].cwnd_bytes <= TINY_SEGMENTS * (uint64_t)run->mss * run->streams;
	if (!is_frozen(bins, i, empty))
		return 0;
	/* nothing at all, or nothing for most of it */
	if (row_bytes <= 0 || (double)empty > MOST_DEAD * (double)n)
		return run->has & RUN_RECEIVED && run->sent_bytes > 0 &&
			       2 * run->received_bytes > run->sent_bytes
			   ? 0
			   : empty;
	double expected = row_bytes > 0 ? WRITE_BURST_BYTES / row_bytes : (double)n;
	double most = tiny ? fmin(2 * expected + 1, DEAD_SHARE * (double)n)
			   : fmax(2 * expected + 1, 0.4 * (double)n);
	return (double)empty >= most ? empty : 0;
}

/* Median of the rows that are not empty: bytes of a row while the flow runs. */
static double running_row_bytes(const struct bin *bins, size_t n)
{
	double bytes[SERIES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (bins[i].bytes > 0)
			bytes[count++] = (double)bins[i].bytes;
	return stats_median(bytes, count);
}

/* RTT of a row: measured, else cwnd / rate over the pool around it, which follows it while cwnd is full. */
static double row_rtt_us(const struct bin *bins, size_t i, size_t n, size_t pool)
{
	if (bins[i].has & BIN_RTT)
		return bins[i].rtt_us;
	size_t count = n - i < pool ? n - i : pool;
	double rate = bins_rate_bps(&bins[i], count);
	return (bins[i].has & BIN_CWND) && rate > 0 ? (double)bins[i].cwnd_bytes * 8e6 / rate : 0;
}

/* The RTT, or cwnd / rate, is larger at the end than in the first third of the stretch and in its middle,
 * while the rate is not. */
static bool stretch_fills(const struct bin *bins, size_t count, size_t pool)
{
	double third[3] = {0}, seen[3] = {0};

	if (count < 6)
		return false;
	for (size_t i = 0; i < count; i++) {
		double us = row_rtt_us(bins, i, count, pool);
		size_t at = i * 3 / count;
		if (us > 0) {
			third[at] += us;
			seen[at]++;
		}
	}
	for (int i = 0; i < 3; i++) {
		if (seen[i] == 0)
			return false;
		third[i] /= seen[i];
	}
	double early = bins_rate_bps(bins, count / 2);
	double late = bins_rate_bps(bins + count / 2, count - count / 2);
	return third[2] > FILLING_GROWTH * third[0] && third[2] > 1.08 * third[1] &&
	       late < 1.1 * early;
}

/* Splits the steady rows where the mean logarithm of the rate changes most; the longer side governs, of
 * equal ones the later. */
static void find_regimes(struct phases *p, const struct run *run)
{
	const struct bin *bins = run->series.bins;
	size_t begin = p->start_count, end = p->usable, best = 0;
	double most = 0;

	p->regime_first = begin;
	p->regime_end = end;
	for (size_t i = begin + REGIME_ROWS; i + REGIME_ROWS <= end; i++) {
		double before = bins_rate_bps(&bins[begin], i - begin);
		double after = bins_rate_bps(&bins[i], end - i);
		double weight = (double)(i - begin) * (double)(end - i);
		if (before <= 0 || after <= 0)
			continue;
		double ratio = fabs(log(before / after));
		if (ratio > log(REGIME_RATIO) && ratio * sqrt(weight) > most) {
			most = ratio * sqrt(weight);
			best = i;
		}
	}
	/* cwnd that grows all along is one regime: a start, or a recovery */
	if (best == 0 ||
	    bins_rate_bps(&bins[begin], best - begin) < bins_rate_bps(&bins[best], end - best))
		return;
	bool late = end - best >= best - begin;
	p->other_rate_bps = late ? bins_rate_bps(&bins[begin], best - begin)
				 : bins_rate_bps(&bins[best], end - best);
	p->regime_changed_s = bins[best].start_s;
	p->regime_first = late ? best : begin;
	p->regime_end = late ? end : best;
}

static void mark(enum phase_kind *kinds, size_t first, size_t count, enum phase_kind kind)
{
	for (size_t i = first; i < first + count; i++)
		kinds[i] = kind;
}

/* A dead row of an open cwnd without a retransmit near it: the program or the peer's, not the path. */
static enum phase_kind dead_kind(const struct run *run, size_t i, size_t n)
{
	const struct bin *bins = run->series.bins;
	bool open = (bins[i].has & BIN_CWND) &&
		    bins[i].cwnd_bytes > 10ULL * (run->mss ? run->mss : 1448) * run->streams;
	bool lost = bin_lost(&bins[i], true) || (i > 0 && bin_lost(&bins[i - 1], true)) ||
		    (i + 1 < n && bin_lost(&bins[i + 1], true));

	return open && !lost && (bins[i].has & BIN_RETRANSMITS) ? PHASE_IDLE : PHASE_STALLED;
}

static void classify(struct phases *p, const struct run *run, enum phase_kind *kinds)
{
	const struct bin *bins = run->series.bins;
	double row_bytes = running_row_bytes(bins, p->usable);
	bool lost = false;

	for (size_t i = 0; i < p->usable;) {
		size_t dead = stall_from(run, i, p->usable, row_bytes);
		size_t rests = constant_from(run, i, p->usable);

		lost |= bin_lost(&bins[i], true);
		if (dead > 0) {
			mark(kinds, i, dead, dead_kind(run, i, p->usable));
			i += dead;
		} else if (i < p->start_count) {
			kinds[i++] = PHASE_START;
		} else if (rests >= HELD_ROWS) {
			if (rests > p->stretch) {
				p->first = i;
				p->stretch = rests;
			}
			mark(kinds, i, rests, PHASE_HELD);
			i += rests;
		} else {
			kinds[i++] = lost ? PHASE_RECOVERING : PHASE_HELD;
		}
	}
}

/* The longest lossless end that is most of the steady part; else all of it. */
static void choose_lossless_end(struct phases *p, const struct run *run)
{
	const struct bin *bins = run->series.bins;
	size_t first = p->regime_end, begin = p->regime_first;

	while (first > begin && !bin_lost(&bins[first - 1], true))
		first--;
	size_t quiet = p->regime_end - first;
	bool most = first == begin || (quiet >= 3 && quiet * 2 >= p->regime_end - begin);
	p->first = most ? first : begin;
	p->stretch = p->regime_end - p->first;
}

static void choose_stretch(struct phases *p, const struct run *run, enum phase_kind *kinds)
{
	size_t steady = p->usable - p->start_count;

	p->cwnd_rests = p->stretch >= HELD_ROWS &&
			(double)p->stretch >= HELD_SHARE * (double)p->usable &&
			2 * p->stretch >= steady;
	if (p->cwnd_rests) {
		p->governing = PHASE_HELD;
		p->regime_first = p->start_count;
		p->regime_end = p->usable;
		return;
	}
	find_regimes(p, run);
	choose_lossless_end(p, run);
	if (stretch_fills(&run->series.bins[p->first], p->stretch, p->block))
		for (size_t i = p->first; i < p->first + p->stretch; i++)
			if (kinds[i] == PHASE_HELD)
				kinds[i] = PHASE_FILLING;
}

/* Mean RTT of rows when they are of one level; 0 otherwise. */
static double level_us(const struct bin *bins, size_t count)
{
	double least = INFINITY, most = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(bins[i].has & BIN_RTT) || bins[i].rtt_us <= 0)
			return 0;
		least = fmin(least, bins[i].rtt_us);
		most = fmax(most, bins[i].rtt_us);
		sum += bins[i].rtt_us;
	}
	return most < LEVEL_SPREAD * least ? sum / (double)count : 0;
}

/* The longer side of the step governs, of equal ones the later. */
static void find_rtt_step(struct phases *p, const struct run *run)
{
	const struct bin *bins = &run->series.bins[p->first];

	for (size_t i = 2; i + 2 <= p->stretch; i++) {
		double before = level_us(bins, i), after = level_us(bins + i, p->stretch - i);
		if (before <= 0 || after <= 0)
			continue;
		double ratio = fmax(before / after, after / before);
		/* the row in which it happens belongs to both */
		double product = before * bins_rate_bps(bins, i - 1) /
				 (after * bins_rate_bps(bins + i + 1, p->stretch - i - 1));
		if (ratio < LEVEL_RATIO || product > LEVEL_PRODUCT || product < 1 / LEVEL_PRODUCT)
			continue;
		p->rtt_before_us = before;
		p->rtt_after_us = after;
		if (p->stretch - i >= i) {
			p->first += i + 1;
			p->stretch -= i + 1;
		} else {
			p->stretch = i - 1;
		}
		return;
	}
}

static void add_phase(struct phases *p, const struct run *run, enum phase_kind kind, size_t i)
{
	const struct bin *bin = &run->series.bins[i];
	struct phase *last = p->count > 0 ? &p->items[p->count - 1] : NULL;

	if (!last || (last->kind != kind && p->count < PHASES_MAX)) {
		last = &p->items[p->count++];
		*last = (struct phase){.kind = kind, .first = i, .start_s = bin->start_s};
	}
	last->count = i + 1 - last->first;
	last->end_s = bin->end_s;
	last->rate_bps = bins_rate_bps(&run->series.bins[last->first], last->count);
}

static void sum_up(struct phases *p, const struct run *run, const enum phase_kind *kinds)
{
	double whole = 0;

	for (size_t i = 0; i < p->usable; i++) {
		double seconds = bin_seconds(&run->series.bins[i]);
		p->share[kinds[i]] += seconds;
		whole += seconds;
		add_phase(p, run, kinds[i], i);
	}
	for (int kind = 0; kind < PHASE_COUNT && whole > 0; kind++)
		p->share[kind] /= whole;
	if (p->cwnd_rests)
		return;
	p->governing = PHASE_START;
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		if (kind != PHASE_START && p->share[kind] > 0 &&
		    (p->governing == PHASE_START || p->share[kind] > p->share[p->governing]))
			p->governing = (enum phase_kind)kind;
}

void phases_cut(struct phases *p, const struct run *run)
{
	enum phase_kind kinds[SERIES_MAX] = {PHASE_START};

	memset(p, 0, sizeof(*p));
	p->usable = usable_bins(run);
	if (p->usable == 0)
		return;
	p->block = pool_size(run->series.bins, p->usable);
	p->start_count = start_rows(run, p->usable, p->block);
	classify(p, run, kinds);
	choose_stretch(p, run, kinds);
	find_rtt_step(p, run);
	sum_up(p, run, kinds);
}
