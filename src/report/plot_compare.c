#include "report/plot.h"

#include <math.h>

#include "report/chart.h"
#include "report/text_groups.h"

static const struct chart_group {
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

static bool is_known(const struct compare_report *report, enum figure figure)
{
	for (size_t i = 0; i < report->groups.count; i++)
		if (report->groups.groups[i].range[figure].count > 0)
			return true;
	return false;
}

static void rows(
    struct chart *chart, const struct compare_report *report, const struct chart_group *group)
{
	struct chart_row list[RUN_GROUPS_MAX];
	struct phrase labels[RUN_GROUPS_MAX];
	struct unit_text texts[RUN_GROUPS_MAX];

	for (size_t i = 0; i < report->groups.count; i++) {
		const struct range *range = &report->groups.groups[i].range[group->figure];
		bool known = range->count > 0;
		labels[i] = run_groups_label(&report->groups, i);
		texts[i] =
		    known ? figure_text(group->figure, range) : (struct unit_text){"unknown"};
		list[i] = (struct chart_row){.label = labels[i].s,
		    .text = texts[i].s,
		    .value = known ? range->median : (double)NAN,
		    .low = range->low,
		    .high = range->high,
		    .strong = report->compare->by != COMPARE_NONE && i == report->compare->best};
	}
	chart_rows(chart, group->title, group->paint, list, report->groups.count);
}

bool plot_compare(const struct compare_report *report, FILE *stream)
{
	struct phrase sentence = compare_answer(report);
	struct chart chart;

	chart_begin(&chart, stream, "Comparison", sentence.s);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (is_known(report, groups[i].figure))
			rows(&chart, report, &groups[i]);
	return chart_end(&chart);
}
