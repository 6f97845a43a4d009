/* The table of a file's runs: which one the report is on, and what the others came to. */
#include "report/text_sections.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "report/limit_text.h"
#include "report/phrase.h"

/* Rows shown; -o json has them all. */
#define RUNS_SHOWN 12

static const char *limit_words(const struct limit *limit)
{
	return limit->factor == FACTOR_UNKNOWN ? "undecided" : factor_words[limit->factor].text;
}

static unsigned direction_width(const struct report *report)
{
	unsigned width = 0;

	for (size_t i = 0; i < report->analysis_count; i++) {
		unsigned w = layout_width(phrase_direction(report->analyses[i].run).s);
		if (w > width)
			width = w;
	}
	return width;
}

/* Columns when they fit, else the same words in a row. */
static void run_line(struct layout *layout, const struct report *report, size_t index,
    unsigned direction, bool show_input)
{
	const struct analysis *analysis = &report->analyses[index];
	const struct path *path = &analysis->path;
	unsigned rate = LAYOUT_LABEL + direction + 2, limit = rate + LAYOUT_VALUE;
	bool columns = limit + 20 <= layout->style->width;
	bool known = path->rate.known;
	char label[24];

	snprintf(label, sizeof(label), "%zu%s", index + 1, index == report->chosen ? " *" : "");
	layout_item(layout, INK_PLAIN, label);
	layout_textf(
	    layout, INK_PLAIN, "%s%s", phrase_direction(analysis->run).s, columns ? "" : ",");
	if (columns)
		layout_tab(layout, rate);
	layout_textf(layout, INK_PLAIN, "%s%s", known ? rate_text(path->rate.bps).s : "no rate",
	    columns ? "" : ",");
	if (columns)
		layout_tab(layout, limit);
	layout_text(layout, INK_PLAIN, limit_words(&analysis->limit));
	if (show_input)
		layout_textf(layout, INK_DIM, "(%s)", quoted(analysis->run->input));
	layout_break(layout);
}

static bool inputs_differ(const struct report *report)
{
	for (size_t i = 1; i < report->analysis_count; i++) {
		if (strcmp(report->analyses[i].run->input, report->analyses[0].run->input) != 0)
			return true;
	}
	return false;
}

void text_runs(struct layout *layout, const struct report *report)
{
	unsigned direction = direction_width(report);
	bool show_input = inputs_differ(report);
	size_t shown = 0;

	layout_heading(layout, "RUNS");
	layout_textf(layout, INK_PLAIN, "this report is on run %zu of %zu; --run N picks another",
	    report->chosen + 1, report->analysis_count);
	layout_break(layout);
	for (size_t i = 0; i < report->analysis_count; i++) {
		if (i < RUNS_SHOWN || i == report->chosen) {
			run_line(layout, report, i, direction, show_input);
			shown++;
		}
	}
	if (shown < report->analysis_count) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_textf(layout, INK_PLAIN, "and %zu more, which -o json lists",
		    report->analysis_count - shown);
		layout_break(layout);
	}
}
