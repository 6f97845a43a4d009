#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "report/svg.h"
#include "report/text_trials.h"

#define WIDTH 760.0
#define LABEL_RIGHT 150.0
#define BAR_LEFT 160.0
#define BAR_MOST 470.0
#define BAR_HEIGHT 18.0
#define LINE 26.0
#define GROUP_GAP 40.0

static const struct group {
	const char *title;
	enum figure figure;
	enum svg_paint paint;
} groups[] = {
    {"Rate", FIGURE_RATE, PAINT_RATE},
    {"Segments sent again", FIGURE_LOSS, PAINT_LOSS},
    {"Ping under load", FIGURE_PING, PAINT_DELAY},
    {"RTT under load", FIGURE_LOADED_RTT, PAINT_DELAY},
    {"Backlog at the bottleneck", FIGURE_BACKLOG, PAINT_DELAY},
};
#define GROUP_COUNT (sizeof(groups) / sizeof(groups[0]))

static bool is_known(const struct compare_report *report, enum figure figure)
{
	for (size_t i = 0; i < report->trials.count; i++)
		if (report->trials.trials[i].range[figure].count > 0)
			return true;
	return false;
}

/* The end of a long label says more: of file names it is the file. */
static const char *short_label(const struct wording *label)
{
	size_t length = strlen(label->s);
	const size_t most = 20;
	const char *at = length > most ? label->s + length - most : label->s;

	while (((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

static double draw_group(
    struct svg *svg, const struct compare_report *report, const struct group *group, double y)
{
	double top = 0;

	for (size_t i = 0; i < report->trials.count; i++)
		top = fmax(top, report->trials.trials[i].range[group->figure].median);
	svg_text(svg, BAR_LEFT, y, ANCHOR_START, PAINT_INK, true, group->title);
	y += 10;
	for (size_t i = 0; i < report->trials.count; i++, y += LINE) {
		const struct range *range = &report->trials.trials[i].range[group->figure];
		struct wording label = trials_label(&report->trials, i);
		bool best = report->compare->by != COMPARE_NONE && i == report->compare->best;
		double length = range->count > 0 && top > 0 ? BAR_MOST * range->median / top : 0;
		svg_text(svg, LABEL_RIGHT, y + BAR_HEIGHT - 4, ANCHOR_END,
		    best ? PAINT_KNEE : PAINT_INK, best, short_label(&label));
		if (length > 0)
			svg_bar(svg, BAR_LEFT, y, fmax(length, 1.5), BAR_HEIGHT, group->paint);
		svg_text(svg, BAR_LEFT + fmax(length, 1.5) + 8, y + BAR_HEIGHT - 4, ANCHOR_START,
		    PAINT_FAINT, false,
		    range->count > 0 ? figure_text(group->figure, range).s : "unknown");
	}
	return y + GROUP_GAP;
}

bool plot_compare(const struct compare_report *report, FILE *stream)
{
	struct svg svg;
	size_t known = 0;
	double y = 76;

	for (size_t i = 0; i < GROUP_COUNT; i++)
		known += is_known(report, groups[i].figure);
	double height = y + (double)known * ((double)report->trials.count * LINE + GROUP_GAP + 10);
	svg_begin(&svg, stream, WIDTH, height, "Comparison", compare_answer(report).s);
	svg_text(&svg, BAR_LEFT, 34, ANCHOR_START, PAINT_INK, true, "Comparison");
	for (size_t i = 0; i < GROUP_COUNT; i++)
		if (is_known(report, groups[i].figure))
			y = draw_group(&svg, report, &groups[i], y);
	return svg_end(&svg);
}
