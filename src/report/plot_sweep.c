#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "report/svg.h"

#define WIDTH 760.0
#define HEIGHT 500.0
#define LEFT 96.0
#define RIGHT 30.0
/* Ceilings closer than this on the axis share a number. */
#define LABEL_GAP 62.0
/* A scale of powers of two, when the largest ceiling is this many times the smallest. */
#define LOG_FROM 3
/* Retransmits that differ by more would leave most bars without height. */
#define COUNT_LOG_FROM 30

static const struct range *range_of(const struct sweep_report *report, size_t i, enum figure figure)
{
	return &report->trials.trials[i].range[figure];
}

static double ceiling_of(const struct sweep_report *report, size_t i)
{
	return report->trials.trials[i].ceiling_bytes;
}

/* Room beside the first and the last ceiling. */
static void set_x(struct panel *panel, const struct sweep_report *report)
{
	double low = ceiling_of(report, 0), high = ceiling_of(report, report->trials.count - 1);

	panel->x_log = high > LOG_FROM * low;
	double room = panel->x_log ? pow(high / low, 0.06) : (high - low) * 0.06;
	panel->x_low = panel->x_log ? low / room : low - room;
	panel->x_high = panel->x_log ? high * room : high + room;
}

static double top_of(const struct sweep_report *report, enum figure figure)
{
	double top = 0;

	for (size_t i = 0; i < report->trials.count; i++)
		if (range_of(report, i, figure)->count > 0)
			top = fmax(top, range_of(report, i, figure)->high);
	return top;
}

static void axis(struct svg *svg, const struct panel *panel, const struct sweep_report *report)
{
	double knee = panel_x(panel, ceiling_of(report, report->sweep->knee));
	double last = -LABEL_GAP, y = panel->top + panel->height;

	for (size_t i = 0; i < report->trials.count; i++) {
		double x = panel_x(panel, ceiling_of(report, i));
		svg_line(svg, x, y, x, y + 5, PAINT_FAINT, false);
		if (i != report->sweep->knee &&
		    (x - last < LABEL_GAP || fabs(x - knee) < LABEL_GAP))
			continue;
		svg_text(svg, x, y + 20, ANCHOR_MIDDLE, PAINT_FAINT, false,
		    size_text(ceiling_of(report, i)).s);
		last = x;
	}
}

static void knee_line(struct svg *svg, const struct panel *panel, const struct sweep_report *report,
    const char *label)
{
	double x = panel_x(panel, ceiling_of(report, report->sweep->knee));
	bool left = x > panel->left + panel->width * 0.7;

	svg_line(svg, x, panel->top, x, panel->top + panel->height, PAINT_KNEE, true);
	if (*label)
		svg_text(svg, x + (left ? -8 : 8), panel->top + panel->height - 10,
		    left ? ANCHOR_END : ANCHOR_START, PAINT_KNEE, true, label);
}

static void rates(struct svg *svg, struct panel *panel, const struct sweep_report *report)
{
	struct wording label = {""};
	size_t knee = report->sweep->knee;

	panel->y_top = top_of(report, FIGURE_RATE);
	panel->unit = SVG_RATE;
	panel_begin(svg, panel, "Rate");
	if (report->sweep->end == SWEEP_KNEE || report->sweep->end == SWEEP_RISING)
		wording_add(&label, "knee: %s, %s", size_text(ceiling_of(report, knee)).s,
		    rate_text(range_of(report, knee, FIGURE_RATE)->median).s);
	knee_line(svg, panel, report, label.s);
	svg_path_begin(svg, PAINT_RATE);
	for (size_t i = 0; i < report->trials.count; i++)
		svg_path_point(svg, i == 0, panel_x(panel, ceiling_of(report, i)),
		    panel_y(panel, range_of(report, i, FIGURE_RATE)->median));
	svg_path_end(svg);
	for (size_t i = 0; i < report->trials.count; i++) {
		const struct range *rate = range_of(report, i, FIGURE_RATE);
		double x = panel_x(panel, ceiling_of(report, i));
		if (rate->count > 1)
			svg_line(svg, x, panel_y(panel, rate->low), x, panel_y(panel, rate->high),
			    PAINT_RATE, false);
		svg_dot(svg, x, panel_y(panel, rate->median), i == knee ? 6 : 4,
		    i == knee ? PAINT_KNEE : PAINT_RATE);
	}
}

static double least_count(const struct sweep_report *report)
{
	double least = INFINITY;

	for (size_t i = 0; i < report->trials.count; i++)
		if (range_of(report, i, FIGURE_RETRANSMITS)->count > 0)
			least = fmin(least, range_of(report, i, FIGURE_RETRANSMITS)->median);
	return fmax(least, 1);
}

static void retransmits(struct svg *svg, struct panel *panel, const struct sweep_report *report)
{
	const double half = 9;

	panel->y_top = fmax(top_of(report, FIGURE_RETRANSMITS), 1);
	panel->y_log = panel->y_top > COUNT_LOG_FROM * least_count(report);
	panel->unit = SVG_COUNT;
	panel_begin(svg, panel, panel->y_log ? "Retransmits (logarithmic scale)" : "Retransmits");
	for (size_t i = 0; i < report->trials.count; i++) {
		const struct range *count = range_of(report, i, FIGURE_RETRANSMITS);
		double x = panel_x(panel, ceiling_of(report, i));
		double y = panel_y(panel, count->median), bottom = panel->top + panel->height;
		if (count->count == 0)
			continue;
		svg_bar(svg, x - half, y, 2 * half, bottom - y, PAINT_LOSS);
		svg_text(svg, x, y - 5, ANCHOR_MIDDLE, PAINT_LOSS, false,
		    count_text((uint64_t)llround(count->median)).s);
	}
}

bool plot_sweep(const struct sweep_report *report, FILE *stream)
{
	struct svg svg;
	struct panel panel = {
	    .left = LEFT, .top = 76, .width = WIDTH - LEFT - RIGHT, .height = 210};
	struct wording title = {""};

	wording_add(&title, "Ceiling of %s", tunables[report->key].key);
	svg_begin(&svg, stream, WIDTH, HEIGHT, title.s, sweep_answer(report).s);
	svg_text(&svg, LEFT, 28, ANCHOR_START, PAINT_INK, true, title.s);
	set_x(&panel, report);
	rates(&svg, &panel, report);
	panel.top = 346;
	panel.height = 100;
	retransmits(&svg, &panel, report);
	axis(&svg, &panel, report);
	return svg_end(&svg);
}
