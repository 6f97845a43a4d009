#include "report/plot.h"

#include <math.h>
#include <stdio.h>

#include "report/svg.h"

#define WIDTH 760.0
#define LEFT 96.0
#define RIGHT 24.0
#define PANEL_HEIGHT 96.0
#define PANEL_STEP 146.0
#define PANELS_TOP 86.0

enum series_id { SERIES_RATE, SERIES_RETRANSMITS, SERIES_CWND, SERIES_RTT, SERIES_COUNT };

static const struct row {
	const char *title;
	enum svg_unit unit;
	enum svg_paint paint;
	bool bars;
} rows[SERIES_COUNT] = {
    [SERIES_RATE] = {"Rate", SVG_RATE, PAINT_RATE, false},
    [SERIES_RETRANSMITS] = {"Retransmits in each interval", SVG_COUNT, PAINT_LOSS, true},
    [SERIES_CWND] = {"Congestion window, all streams", SVG_SIZE, PAINT_KNEE, false},
    [SERIES_RTT] = {"RTT", SVG_TIME, PAINT_DELAY, false},
};

static double value_of(const struct bin *bin, int id)
{
	double seconds = bin->end_s - bin->start_s;

	if (id == SERIES_RATE && seconds > 0)
		return (double)bin->bytes * 8 / seconds;
	if (id == SERIES_RETRANSMITS && (bin->has & BIN_RETRANSMITS))
		return (double)bin->retransmits;
	if (id == SERIES_CWND && (bin->has & BIN_CWND))
		return (double)bin->cwnd_bytes;
	if (id == SERIES_RTT && (bin->has & BIN_RTT))
		return bin->rtt_us;
	return (double)NAN;
}

/* The largest value, 0 when there is none above 0. */
static double top_of(const struct series *series, int id)
{
	double top = 0;

	for (size_t i = 0; i < series->count; i++)
		top = fmax(top, value_of(&series->bins[i], id));
	return top;
}

static void draw_bars(
    struct svg *svg, const struct panel *panel, const struct series *series, int id)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct bin *bin = &series->bins[i];
		double value = value_of(bin, id), x = panel_x(panel, bin->start_s);
		if (!(value > 0))
			continue;
		double y = panel_y(panel, value);
		svg_bar(svg, x, y, fmax(panel_x(panel, bin->end_s) - x - 1, 1),
		    panel->top + panel->height - y, rows[id].paint);
	}
}

/* Each value holds for its interval: steps, not slopes. A gap where it is unknown. */
static void draw_steps(
    struct svg *svg, const struct panel *panel, const struct series *series, int id)
{
	bool open = false;

	svg_path_begin(svg, rows[id].paint);
	for (size_t i = 0; i < series->count; i++) {
		const struct bin *bin = &series->bins[i];
		double value = value_of(bin, id);
		if (!isfinite(value)) {
			open = false;
			continue;
		}
		svg_path_point(svg, !open, panel_x(panel, bin->start_s), panel_y(panel, value));
		svg_path_point(svg, false, panel_x(panel, bin->end_s), panel_y(panel, value));
		open = true;
	}
	svg_path_end(svg);
}

/* The step is chosen for half as many. */
#define TIME_TICKS_MAX 20

static void time_axis(struct svg *svg, const struct panel *panel)
{
	double seconds = panel->x_high - panel->x_low;
	double step = pow(10, floor(log10(seconds / 5)));
	double y = panel->top + panel->height;

	while (seconds / step > 10)
		step *= seconds / step > 20 ? 5 : 2;
	double first = ceil(panel->x_low / step);
	/* counted: beside a large time a small step may add nothing */
	for (int i = 0; i <= TIME_TICKS_MAX; i++) {
		double t = (first + i) * step;
		char text[32];
		if (!(t <= panel->x_high * 1.0001))
			break;
		snprintf(text, sizeof(text), "%.4g s", t);
		svg_line(svg, panel_x(panel, t), y, panel_x(panel, t), y + 5, PAINT_FAINT, false);
		svg_text(svg, panel_x(panel, t), y + 20, ANCHOR_MIDDLE, PAINT_FAINT, false, text);
	}
}

static void draw(struct svg *svg, const struct series *series, const struct path *path)
{
	struct panel panel = {.left = LEFT,
	    .top = PANELS_TOP,
	    .width = WIDTH - LEFT - RIGHT,
	    .height = PANEL_HEIGHT,
	    .x_low = series->bins[0].start_s,
	    .x_high = series->bins[series->count - 1].end_s};
	struct panel last = panel;

	for (int id = 0; id < SERIES_COUNT; id++) {
		if (top_of(series, id) <= 0)
			continue;
		panel.y_top = top_of(series, id);
		panel.unit = rows[id].unit;
		panel_begin(svg, &panel, rows[id].title);
		if (rows[id].bars)
			draw_bars(svg, &panel, series, id);
		else
			draw_steps(svg, &panel, series, id);
		/* Where the steady state begins: what is before it does not count. */
		if (path->steady_first > 0 && path->steady_first < series->count) {
			double x = panel_x(&panel, series->bins[path->steady_first].start_s);
			svg_line(svg, x, panel.top, x, panel.top + panel.height, PAINT_FAINT, true);
			if (id == SERIES_RATE)
				svg_text(svg, x, panel.top - 6, ANCHOR_MIDDLE, PAINT_FAINT, false,
				    "steady from here");
		}
		last = panel;
		panel.top += PANEL_STEP;
	}
	time_axis(svg, &last);
}

bool plot_run(const struct report *report, FILE *stream)
{
	const struct analysis *chosen = report_chosen(report);
	const struct run *run = chosen ? chosen->run : NULL;
	unsigned panels = 0;
	struct svg svg;

	if (!run || run->series.count == 0 ||
	    run->series.bins[run->series.count - 1].end_s <= run->series.bins[0].start_s)
		return false;
	for (int id = 0; id < SERIES_COUNT; id++)
		panels += top_of(&run->series, id) > 0;
	if (panels == 0)
		return false;
	struct wording title = wording_direction(run);
	wording_add(
	    &title, ", %u stream%s", chosen->path.streams, chosen->path.streams == 1 ? "" : "s");
	if (chosen->path.congestion_control[0])
		wording_add(&title, ", %s", chosen->path.congestion_control);
	svg_begin(&svg, stream, WIDTH, PANELS_TOP + panels * PANEL_STEP - 10, title.s,
	    factor_table[chosen->limit.factor].text);
	svg_text(&svg, LEFT, 34, ANCHOR_START, PAINT_INK, true, title.s);
	draw(&svg, &run->series, &chosen->path);
	return svg_end(&svg);
}
