#include "report/plot.h"

#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/answer.h"
#include "report/chart.h"
#include "report/limit_text.h"

/* The step of the time axis is chosen for half as many. */
#define TIME_TICKS_MAX 20
#define PANEL_HEIGHT 96.0

enum series_id {
	SERIES_RATE,
	SERIES_CWND,
	SERIES_WINDOW,
	SERIES_IN_FLIGHT,
	SERIES_RTT,
	SERIES_RETRANSMITS,
	SERIES_COUNT
};

static double in_flight(const struct bin *bin, double rate_bps)
{
	return (bin->has & BIN_RTT) ? bdp_bytes(rate_bps, bin->rtt_us) : (double)NAN;
}

static double value_of(const struct bin *bin, int id)
{
	double seconds = bin->end_s - bin->start_s;
	double rate_bps = seconds > 0 ? (double)bin->bytes * 8 / seconds : (double)NAN;

	switch (id) {
	case SERIES_RATE:
		return rate_bps;
	case SERIES_CWND:
		return (bin->has & BIN_CWND) ? (double)bin->cwnd_bytes : (double)NAN;
	case SERIES_WINDOW:
		return (bin->has & BIN_PEER_WINDOW) ? (double)bin->peer_window_bytes : (double)NAN;
	case SERIES_IN_FLIGHT:
		return in_flight(bin, rate_bps);
	case SERIES_RTT:
		return (bin->has & BIN_RTT) ? bin->rtt_us : (double)NAN;
	case SERIES_RETRANSMITS:
		return (bin->has & BIN_RETRANSMITS) ? (double)bin->retransmits : (double)NAN;
	}
	return (double)NAN;
}

/* Of every series, one behind the other. */
static struct chart_point *points_of(const struct series *series)
{
	struct chart_point *points = calloc(series->count * SERIES_COUNT, sizeof(*points));

	if (!points)
		err(1, NULL);
	for (size_t i = 0; i < series->count * SERIES_COUNT; i++) {
		const struct bin *bin = &series->bins[i % series->count];
		double y = value_of(bin, (int)(i / series->count));
		points[i] = (struct chart_point){
		    .x = bin->start_s, .x_end = bin->end_s, .y = y, .low = y, .high = y};
	}
	return points;
}

static void time_ticks(struct chart *chart, const struct chart_x *x)
{
	double seconds = x->high - x->low, step = pow(10, floor(log10(seconds / 5)));
	struct chart_tick ticks[TIME_TICKS_MAX + 1];
	char texts[TIME_TICKS_MAX + 1][32];
	size_t count = 0;

	while (seconds / step > 10)
		step *= seconds / step > 20 ? 5 : 2;
	/* counted: beside a large time a small step may add nothing */
	for (double first = ceil(x->low / step); count <= TIME_TICKS_MAX; count++) {
		double t = (first + (double)count) * step;
		if (!(t <= x->high * 1.0001))
			break;
		snprintf(texts[count], sizeof(texts[count]), "%.4g s", t);
		ticks[count] = (struct chart_tick){.x = t, .text = texts[count]};
	}
	chart_ticks(chart, x, ticks, count);
}

static void draw_panels(struct chart *chart, const struct series *series, const struct chart_x *x)
{
	struct chart_point *points = points_of(series);
	struct chart_series lines[SERIES_COUNT] = {
	    [SERIES_RATE] = {.mark = CHART_STEPS, .paint = PAINT_RATE},
	    [SERIES_CWND] = {.name = "cwnd", .mark = CHART_STEPS, .paint = PAINT_KNEE},
	    [SERIES_WINDOW] = {.name = "the receiver's window",
		.mark = CHART_STEPS,
		.paint = PAINT_DELAY},
	    [SERIES_IN_FLIGHT] = {.name = "in flight (rate x RTT)",
		.mark = CHART_STEPS,
		.paint = PAINT_RATE},
	    [SERIES_RTT] = {.mark = CHART_STEPS, .paint = PAINT_DELAY},
	    [SERIES_RETRANSMITS] = {.mark = CHART_BARS, .paint = PAINT_LOSS}};
	const struct chart_panel panels[] = {
	    {.title = "Rate", .unit = SVG_RATE, .series = &lines[SERIES_RATE], .series_count = 1},
	    {.title = "Windows, all streams",
		.unit = SVG_SIZE,
		.series = &lines[SERIES_CWND],
		.series_count = 3},
	    {.title = "RTT", .unit = SVG_TIME, .series = &lines[SERIES_RTT], .series_count = 1},
	    {.title = "Retransmits in each interval",
		.unit = SVG_COUNT,
		.series = &lines[SERIES_RETRANSMITS],
		.series_count = 1},
	};

	for (size_t i = 0; i < SERIES_COUNT; i++) {
		lines[i].points = points + i * series->count;
		lines[i].count = series->count;
	}
	for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
		struct chart_panel panel = panels[i];
		panel.height = PANEL_HEIGHT;
		chart_panel(chart, x, &panel);
	}
	free(points);
}

static bool has_anything(const struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		for (int id = 0; id < SERIES_COUNT; id++)
			if (value_of(&series->bins[i], id) > 0)
				return true;
	return false;
}

/* The phases, each with its name; the governing one with that of the limit. */
struct phase_bands {
	struct chart_band items[PHASES_MAX];
	struct phrase labels[PHASES_MAX];
};

static size_t bands_of(const struct analysis *analysis, struct phase_bands *bands)
{
	const struct phases *phases = &analysis->path.phases;

	for (size_t i = 0; i < phases->count; i++) {
		const struct phase *phase = &phases->items[i];
		bands->labels[i] = (struct phrase){""};
		phrase_add(&bands->labels[i], "%s", phase_name(phase->kind));
		if (phase->kind == phases->governing && analysis->limit.factor != FACTOR_UNKNOWN)
			phrase_add(
			    &bands->labels[i], ": %s", factor_words[analysis->limit.factor].text);
		bands->items[i] = (struct chart_band){
		    .start = phase->start_s, .end = phase->end_s, .label = bands->labels[i].s};
	}
	return phases->count;
}

bool plot_run(const struct report *report, FILE *stream)
{
	struct phase_bands bands;
	const struct analysis *chosen = report_chosen(report);
	const struct run *run = chosen ? chosen->run : NULL;
	const struct series *series = run ? &run->series : NULL;
	struct chart chart;

	if (!run || series->count == 0 ||
	    series->bins[series->count - 1].end_s <= series->bins[0].start_s ||
	    !has_anything(series))
		return false;
	struct phrase title = phrase_direction(run), sentence = answer_compute(report);
	const struct path *path = &chosen->path;
	phrase_add(&title, ", %u stream%s", path->streams, path->streams == 1 ? "" : "s");
	if (path->congestion_control[0])
		phrase_add(&title, ", %s", path->congestion_control);
	/* Where the steady state begins: what is before it does not count. */
	bool ramps = path->steady.first > 0 && path->steady.first < series->count;
	const struct chart_tick steady = {
	    .x = ramps ? series->bins[path->steady.first].start_s : 0, .text = "steady from here"};
	const struct chart_x x = {.low = series->bins[0].start_s,
	    .high = series->bins[series->count - 1].end_s,
	    .bands = bands.items,
	    .band_count = bands_of(chosen, &bands),
	    .lines = &steady,
	    .line_count = ramps,
	    .line_paint = PAINT_FAINT};
	chart_begin(&chart, stream, title.s, sentence.s);
	chart_bands(&chart, &x);
	draw_panels(&chart, series, &x);
	time_ticks(&chart, &x);
	return chart_end(&chart);
}
