#include "report/plot.h"

#include <math.h>

#include "report/chart.h"

/* A scale of powers of two, when the largest ceiling is this many times the smallest. */
#define LOG_FROM 3
/* Retransmits that differ by more would leave most bars without height. */
#define COUNT_LOG_FROM 30

static double ceiling_of(const struct sweep_report *report, size_t i)
{
	return report->groups.groups[i].ceiling_bytes;
}

/* Room beside the first and the last ceiling. */
static struct chart_x axis_of(const struct sweep_report *report)
{
	double low = ceiling_of(report, 0), high = ceiling_of(report, report->groups.count - 1);
	struct chart_x x = {.log = high > LOG_FROM * low, .line_paint = PAINT_KNEE};
	double room = x.log ? pow(high / low, 0.06) : (high - low) * 0.06;

	x.low = x.log ? low / room : low - room;
	x.high = x.log ? high * room : high + room;
	return x;
}

static void panel(struct chart *chart, const struct sweep_report *report, const struct chart_x *x,
    enum figure figure, struct chart_panel part)
{
	struct chart_point points[RUN_GROUPS_MAX];
	bool rate = figure == FIGURE_RATE;
	const struct chart_series series = {.mark = rate ? CHART_LINE : CHART_BARS,
	    .paint = rate ? PAINT_RATE : PAINT_LOSS,
	    .points = points,
	    .count = report->groups.count};

	for (size_t i = 0; i < report->groups.count; i++) {
		const struct range *range = &report->groups.groups[i].range[figure];
		double ceiling = ceiling_of(report, i);
		bool known = range->count > 0;
		points[i] = (struct chart_point){.x = ceiling,
		    .x_end = ceiling,
		    .y = known ? range->median : (double)NAN,
		    .low = range->low,
		    .high = known ? range->high : 0,
		    .strong = i == report->sweep->knee};
	}
	part.series = &series;
	part.series_count = 1;
	chart_panel(chart, x, &part);
}

static void ticks(struct chart *chart, const struct sweep_report *report, const struct chart_x *x)
{
	struct chart_tick list[RUN_GROUPS_MAX];
	struct unit_text texts[RUN_GROUPS_MAX];

	for (size_t i = 0; i < report->groups.count; i++) {
		texts[i] = size_text(ceiling_of(report, i));
		list[i] = (struct chart_tick){.x = ceiling_of(report, i),
		    .text = texts[i].s,
		    .strong = i == report->sweep->knee};
	}
	chart_ticks(chart, x, list, report->groups.count);
}

bool plot_sweep(const struct sweep_report *report, FILE *stream)
{
	size_t knee = report->sweep->knee;
	struct phrase title = {""}, label = {""}, sentence = sweep_answer(report);
	struct chart_x x = axis_of(report);
	struct chart chart;

	phrase_add(&title, "Ceiling of %s", tunables[report->key].key);
	if (report->sweep->end == SWEEP_KNEE || report->sweep->end == SWEEP_RISING)
		phrase_add(&label, "knee: %s, %s", size_text(ceiling_of(report, knee)).s,
		    rate_text(report->groups.groups[knee].range[FIGURE_RATE].median).s);
	const struct chart_tick line = {
	    .x = ceiling_of(report, knee), .text = label.s[0] ? label.s : NULL, .strong = true};
	x.lines = &line;
	x.line_count = 1;
	chart_begin(&chart, stream, title.s, sentence.s);
	panel(&chart, report, &x, FIGURE_RATE,
	    (struct chart_panel){.title = "Rate", .unit = SVG_RATE, .height = 210});
	panel(&chart, report, &x, FIGURE_RETRANSMITS,
	    (struct chart_panel){.title = "Retransmits",
		.log_title = "Retransmits (logarithmic scale)",
		.unit = SVG_COUNT,
		.height = 100,
		.plain = true,
		.log_from = COUNT_LOG_FROM});
	ticks(&chart, report, &x);
	return chart_end(&chart);
}
