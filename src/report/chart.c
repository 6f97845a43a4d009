#include "report/chart.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 760.0
#define LEFT 96.0
#define RIGHT 28.0
#define TITLE_Y 28.0
/* Of the text: one column on average, and from one line to the next. */
#define CHARACTER 6.6
#define TEXT_LINE 17.0
#define PART_TOP 30.0  /* of a panel's title above its scale */
#define PART_GAP 20.0  /* below a part */
#define TICK_ROOM 14.0 /* of the numbers below the last panel */
/* Numbers on the x axis stand at least that far apart. */
#define TICK_GAP 62.0
/* Of a bar that stands for a point. */
#define BAR_HALF 9.0
#define BAND_ROW 18.0
#define ROW_LEFT 160.0
#define ROW_MOST 470.0
#define ROW_LINE 26.0
#define ROW_HEIGHT 18.0
#define ROW_LABEL_MOST 20

static double plot_width(void)
{
	return WIDTH - LEFT - RIGHT;
}

/* ---- the page ---- */

static size_t sentence_columns(void)
{
	return (size_t)(plot_width() / CHARACTER);
}

/* How much of the text is the next line. */
static size_t line_length(const char *text)
{
	size_t most = sentence_columns(), at = 0;

	if (strlen(text) <= most)
		return strlen(text);
	for (size_t i = 1; i <= most; i++)
		if (text[i] == ' ')
			at = i;
	return at > 0 ? at : most;
}

static void put_sentence(struct chart *chart)
{
	char line[160];

	for (const char *text = chart->sentence; *text;) {
		size_t length = line_length(text);
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		svg_text(&chart->svg, LEFT, chart->y, ANCHOR_START, PAINT_FAINT, false, line);
		chart->y += TEXT_LINE;
		text += length;
		text += *text == ' ';
	}
}

void chart_begin(struct chart *chart, FILE *stream, const char *title, const char *sentence)
{
	*chart = (struct chart){.stream = stream, .title = title, .sentence = sentence};
	chart->svg.stream = open_memstream(&chart->body, &chart->length);
	if (!chart->svg.stream)
		err(1, NULL);
	svg_text(&chart->svg, LEFT, TITLE_Y, ANCHOR_START, PAINT_INK, true, title);
	chart->y = TITLE_Y + TEXT_LINE + 3;
	put_sentence(chart);
}

bool chart_end(struct chart *chart)
{
	struct svg page;

	if (fclose(chart->svg.stream) != 0)
		err(1, NULL);
	svg_begin(&page, chart->stream, WIDTH, chart->y, chart->title, chart->sentence);
	fwrite(chart->body, 1, chart->length, chart->stream);
	free(chart->body);
	return svg_end(&page);
}

/* ---- bands ---- */

static struct panel scale_of(const struct chart *chart, const struct chart_x *x, double height)
{
	return (struct panel){.left = LEFT,
	    .top = chart->y,
	    .width = plot_width(),
	    .height = height,
	    .x_low = x->low,
	    .x_high = x->high,
	    .x_log = x->log};
}

static bool label_fits(const struct panel *panel, const struct chart_band *band)
{
	return (double)strlen(band->label) * CHARACTER <
	       panel_x(panel, band->end) - panel_x(panel, band->start);
}

/* Names stand above their bands; what is too narrow gets a number there, and its name below. */
void chart_bands(struct chart *chart, const struct chart_x *x)
{
	struct panel panel = scale_of(chart, x, BAND_ROW);
	char text[96];
	size_t number = 0;

	if (x->band_count == 0)
		return;
	chart->y += BAND_ROW;
	for (size_t i = 0; i < x->band_count; i++) {
		const struct chart_band *band = &x->bands[i];
		double middle = (panel_x(&panel, band->start) + panel_x(&panel, band->end)) / 2;
		if (label_fits(&panel, band)) {
			svg_text(&chart->svg, middle, panel.top + 12, ANCHOR_MIDDLE, PAINT_INK,
			    false, band->label);
			continue;
		}
		snprintf(text, sizeof(text), "%zu", ++number);
		svg_text(
		    &chart->svg, middle, panel.top + 12, ANCHOR_MIDDLE, PAINT_INK, false, text);
		snprintf(text, sizeof(text), "%zu: %.80s", number, band->label);
		svg_text(&chart->svg, LEFT, chart->y + 12, ANCHOR_START, PAINT_FAINT, false, text);
		chart->y += BAND_ROW;
	}
}

static void shade_bands(struct svg *svg, const struct panel *panel, const struct chart_x *x)
{
	for (size_t i = 0; i < x->band_count; i++) {
		double from = panel_x(panel, x->bands[i].start),
		       to = panel_x(panel, x->bands[i].end);
		svg_bar(svg, from, panel->top, to - from, panel->height,
		    i % 2 == 0 ? PAINT_BAND : PAINT_BAND_TOO);
	}
}

/* ---- panels ---- */

static void draw_bars(struct svg *svg, const struct panel *panel, const struct chart_series *series)
{
	double bottom = panel->top + panel->height;

	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		double x = panel_x(panel, point->x), width = panel_x(panel, point->x_end) - x - 1;
		double y = panel_y(panel, point->y);
		bool thin = !(point->x_end > point->x);
		if (!isfinite(point->y) || (!thin && !(point->y > 0)))
			continue;
		svg_bar(svg, thin ? x - BAR_HALF : x, y, thin ? 2 * BAR_HALF : fmax(width, 1),
		    bottom - y, series->paint);
		if (thin)
			svg_text(svg, x, y - 5, ANCHOR_MIDDLE, series->paint, false,
			    svg_value(point->y, panel->unit).s);
	}
}

/* A gap where a value is unknown. */
static void draw_path(struct svg *svg, const struct panel *panel, const struct chart_series *series)
{
	bool open = false;

	svg_path_begin(svg, series->paint);
	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		if (!isfinite(point->y)) {
			open = false;
			continue;
		}
		svg_path_point(svg, !open, panel_x(panel, point->x), panel_y(panel, point->y));
		if (series->mark == CHART_STEPS)
			svg_path_point(
			    svg, false, panel_x(panel, point->x_end), panel_y(panel, point->y));
		open = true;
	}
	svg_path_end(svg);
}

static void draw_dots(struct svg *svg, const struct panel *panel, const struct chart_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		double x = panel_x(panel, point->x);
		if (!isfinite(point->y))
			continue;
		if (point->high > point->low)
			svg_line(svg, x, panel_y(panel, point->low), x, panel_y(panel, point->high),
			    series->paint, false);
		svg_dot(svg, x, panel_y(panel, point->y), point->strong ? 6 : 4,
		    point->strong ? PAINT_KNEE : series->paint);
	}
}

static void draw_series(
    struct svg *svg, const struct panel *panel, const struct chart_series *series)
{
	if (series->mark == CHART_BARS) {
		draw_bars(svg, panel, series);
		return;
	}
	draw_path(svg, panel, series);
	if (series->mark == CHART_LINE)
		draw_dots(svg, panel, series);
}

static bool is_drawn(const struct chart_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->points[i].y > 0)
			return true;
	return false;
}

/* The names of the series, from the right. */
static void legend(struct svg *svg, const struct panel *panel, const struct chart_panel *part)
{
	double x = panel->left + panel->width;

	for (size_t i = part->series_count; i-- > 0;) {
		const struct chart_series *series = &part->series[i];
		if (!series->name || !is_drawn(series))
			continue;
		svg_text(svg, x, panel->top - 10, ANCHOR_END, series->paint, false, series->name);
		x -= (double)strlen(series->name) * CHARACTER + 16;
	}
}

static void range_of(const struct chart_panel *part, double *least, double *most)
{
	*least = (double)INFINITY;
	*most = 0;
	for (size_t k = 0; k < part->series_count; k++)
		for (size_t i = 0; i < part->series[k].count; i++) {
			const struct chart_point *point = &part->series[k].points[i];
			if (!isfinite(point->y))
				continue;
			*least = fmin(*least, point->y);
			*most = fmax(*most, fmax(point->y, point->high));
		}
}

static void draw_lines(
    struct svg *svg, const struct panel *panel, const struct chart_x *x, bool first)
{
	for (size_t i = 0; i < x->line_count; i++) {
		double at = panel_x(panel, x->lines[i].x);
		bool left = at > panel->left + panel->width * 0.7;
		svg_line(svg, at, panel->top, at, panel->top + panel->height, x->line_paint, true);
		if (first && x->lines[i].text)
			svg_text(svg, at + (left ? -8 : 8), panel->top + panel->height - 8,
			    left ? ANCHOR_END : ANCHOR_START, x->line_paint, x->lines[i].strong,
			    x->lines[i].text);
	}
}

void chart_panel(struct chart *chart, const struct chart_x *x, const struct chart_panel *part)
{
	bool first = !chart->panels;
	double least, most;

	range_of(part, &least, &most);
	if (!(most > 0))
		return;
	chart->panels = true;
	chart->y += PART_TOP;
	struct panel panel = scale_of(chart, x, part->height);
	panel.unit = part->unit;
	panel.y_top = most;
	panel.y_log = part->log_from > 0 && most > part->log_from * fmax(least, 1);
	shade_bands(&chart->svg, &panel, x);
	panel_begin(&chart->svg, &panel, panel.y_log ? part->log_title : part->title);
	legend(&chart->svg, &panel, part);
	if (!part->plain)
		draw_lines(&chart->svg, &panel, x, first);
	for (size_t i = 0; i < part->series_count; i++)
		draw_series(&chart->svg, &panel, &part->series[i]);
	chart->y += part->height + PART_GAP;
}

/* ---- numbers below ---- */

static bool has_room(
    const struct panel *panel, const struct chart_tick *ticks, size_t count, size_t at, double last)
{
	double x = panel_x(panel, ticks[at].x);

	for (size_t i = 0; i < count; i++)
		if (i != at && ticks[i].strong && !ticks[at].strong &&
		    fabs(panel_x(panel, ticks[i].x) - x) < TICK_GAP)
			return false;
	return ticks[at].strong || x - last >= TICK_GAP;
}

void chart_ticks(
    struct chart *chart, const struct chart_x *x, const struct chart_tick *ticks, size_t count)
{
	double y = chart->y - PART_GAP, last = -TICK_GAP;
	struct panel panel = scale_of(chart, x, 0);

	for (size_t i = 0; i < count; i++) {
		double at = panel_x(&panel, ticks[i].x);
		svg_line(&chart->svg, at, y, at, y + 5, PAINT_FAINT, false);
		if (!has_room(&panel, ticks, count, i, last))
			continue;
		svg_text(&chart->svg, at, y + 20, ANCHOR_MIDDLE, PAINT_FAINT, false, ticks[i].text);
		last = at;
	}
	chart->y += TICK_ROOM;
}

/* ---- rows of bars ---- */

/* The end of a long label says more: of file names it is the file. */
static const char *short_label(const char *label)
{
	size_t length = strlen(label);
	const char *at = length > ROW_LABEL_MOST ? label + length - ROW_LABEL_MOST : label;

	while (((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

static void draw_row(
    struct svg *svg, const struct chart_row *row, double top, double y, enum svg_paint paint)
{
	double scale = top > 0 ? ROW_MOST / top : 0;
	double length = isfinite(row->value) ? scale * row->value : 0;
	double end = fmax(length, 1.5);

	svg_text(svg, ROW_LEFT - 10, y + ROW_HEIGHT - 4, ANCHOR_END,
	    row->strong ? PAINT_KNEE : PAINT_INK, row->strong, short_label(row->label));
	if (length > 0)
		svg_bar(svg, ROW_LEFT, y, end, ROW_HEIGHT, paint);
	if (isfinite(row->value) && row->high > row->low) {
		double middle = y + ROW_HEIGHT / 2;
		svg_line(svg, ROW_LEFT + scale * row->low, middle, ROW_LEFT + scale * row->high,
		    middle, PAINT_INK, false);
		end = fmax(end, scale * row->high);
	}
	svg_text(svg, ROW_LEFT + end + 8, y + ROW_HEIGHT - 4, ANCHOR_START, PAINT_FAINT, false,
	    row->text);
}

void chart_rows(struct chart *chart, const char *title, enum svg_paint paint,
    const struct chart_row *rows, size_t count)
{
	double top = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(rows[i].value))
			top = fmax(top, fmax(rows[i].value, rows[i].high));
	chart->y += PART_TOP;
	svg_text(&chart->svg, ROW_LEFT, chart->y - 10, ANCHOR_START, PAINT_INK, true, title);
	for (size_t i = 0; i < count; i++, chart->y += ROW_LINE)
		draw_row(&chart->svg, &rows[i], top, chart->y, paint);
	chart->y += PART_GAP;
}
