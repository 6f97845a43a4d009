/* The sweep for people: the knee first, then the table it was found in, the rule, and what the next step
 * would have bought and cost. */
#include "report/run_groups_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/bar.h"
#include "report/layout.h"
#include "report/text_sections.h"
#include "report/text_groups.h"

#define BAR_CELLS 7u

enum column_id {
	COLUMN_RATE,
	COLUMN_BAR,
	COLUMN_GAIN,
	COLUMN_RETR,
	COLUMN_LOSS,
	COLUMN_CWND,
	COLUMN_RTT,
	COLUMN_COUNT
};

/* Right edges; those past the terminal's are left out.  What the rule goes by fits any. */
static const struct column {
	const char *title;
	unsigned end, narrow_end; /* 0: not there */
} columns[COLUMN_COUNT] = {
    [COLUMN_RATE] = {"rate", 23, 23},
    [COLUMN_BAR] = {"", 32, 0},
    [COLUMN_GAIN] = {"gain/MiB", 44, 0},
    [COLUMN_RETR] = {"retr", 53, 0},
    [COLUMN_LOSS] = {"loss", 62, 33},
    [COLUMN_CWND] = {"cwnd peak", 72, 44},
    [COLUMN_RTT] = {"RTT", 80, 0},
};

#define CEILING_END 10u

static unsigned column_end(const struct layout *layout, enum column_id column)
{
	bool is_narrow = layout->style->width < columns[COLUMN_LOSS].end;

	return is_narrow ? columns[column].narrow_end : columns[column].end;
}

/* What the terminal has no room for is left out. */
static void cell_put(struct layout *layout, unsigned end, enum ink ink, const char *text)
{
	if (*text && end > 0 && end <= layout->style->width)
		layout_cell_to(layout, end, ink, text);
}

static const struct range *range_of(const struct sweep_report *report, size_t i, enum figure figure)
{
	return &report->groups.groups[i].range[figure];
}

static double top_rate(const struct sweep_report *report)
{
	double top = 0;

	for (size_t i = 0; i < report->groups.count; i++)
		top = fmax(top, range_of(report, i, FIGURE_RATE)->median);
	return top;
}

static struct unit_text gain_text(const struct sweep_report *report, size_t i)
{
	double gain = report->sweep->steps[i].gain_bps_per_mib;
	struct unit_text text = {"-"};

	if (i == 0)
		return text;
	snprintf(text.s, sizeof(text.s), "%s%.20s", gain < 0 ? "-" : "", rate_text(fabs(gain)).s);
	return text;
}

/* tcp_info's under load; else the bound that cwnd gives. */
static struct unit_text rtt_cell(const struct sweep_report *report, size_t i)
{
	const struct range *loaded = range_of(report, i, FIGURE_LOADED_RTT);
	const struct rtt *rtt = &report->groups.typical[i]->path.rtt;
	struct unit_text text = {"-"};

	if (loaded->count > 0)
		return time_text(loaded->median);
	if (range_of(report, i, FIGURE_PING)->count > 0)
		return time_text(range_of(report, i, FIGURE_PING)->median);
	if (rtt->method != RTT_UNKNOWN)
		snprintf(text.s, sizeof(text.s), "<%.20s", time_text(rtt->high_us).s);
	return text;
}

static struct unit_text cell_text(
    const struct sweep_report *report, size_t i, enum column_id column)
{
	static const enum figure summary[COLUMN_COUNT] = {
	    [COLUMN_RATE] = FIGURE_RATE,
	    [COLUMN_RETR] = FIGURE_RETRANSMITS,
	    [COLUMN_LOSS] = FIGURE_LOSS,
	    [COLUMN_CWND] = FIGURE_CWND,
	};
	const struct range *range = range_of(report, i, summary[column]);

	if (column == COLUMN_GAIN)
		return gain_text(report, i);
	if (column == COLUMN_RTT)
		return rtt_cell(report, i);
	return figure_text(summary[column], range);
}

static void bar_cell(struct layout *layout, const struct sweep_report *report, size_t i, double top)
{
	struct bar bar =
	    bar_draw(range_of(report, i, FIGURE_RATE)->median, top, BAR_CELLS, layout->style->utf8);

	unsigned end = column_end(layout, COLUMN_BAR);
	if (end == 0 || bar.cells == 0)
		return;
	layout_cell(layout, end - BAR_CELLS, INK_PLAIN, bar.s);
}

/* How far the runs of one ceiling lie apart. */
static void spread_line(struct layout *layout, const struct sweep_report *report, size_t i)
{
	const struct run_group *group = &report->groups.groups[i];
	const struct range *rate = &group->range[FIGURE_RATE];

	if (group->runs < 2)
		return;
	layout_tab(layout, CEILING_END + 2);
	layout_textf(layout, INK_DIM, "%u runs, %s to %s%s", group->runs, rate_text(rate->low).s,
	    rate_text(rate->high).s,
	    report->sweep->steps[i].overlaps ? ": overlaps the step before it" : "");
	layout_break(layout);
}

static void table_row(
    struct layout *layout, const struct sweep_report *report, size_t i, double top)
{
	bool knee = i == report->sweep->knee;
	enum ink ink = knee ? INK_GREEN : INK_PLAIN;

	layout_break(layout);
	if (knee) {
		layout_tab(layout, 0);
		layout_raw(layout, ink, ">");
	}
	cell_put(layout, CEILING_END, ink, size_text(report->groups.groups[i].ceiling_bytes).s);
	for (int column = 0; column < COLUMN_COUNT; column++) {
		if (column == COLUMN_BAR)
			bar_cell(layout, report, i, top);
		else
			cell_put(layout, column_end(layout, (enum column_id)column), ink,
			    cell_text(report, i, (enum column_id)column).s);
	}
	layout_break(layout);
	spread_line(layout, report, i);
}

static unsigned runs_of(const struct groups_report *report)
{
	unsigned runs = 0;

	for (size_t i = 0; i < report->count; i++)
		runs += report->groups[i].runs;
	return runs;
}

static void table(struct layout *layout, const struct sweep_report *report)
{
	double top = top_rate(report);

	layout_heading(layout, "SWEEP");
	layout_textf(layout, INK_PLAIN, "ceiling of %s, %zu values, %u runs",
	    tunables[report->key].key, report->groups.count, runs_of(&report->groups));
	layout_break(layout);
	cell_put(layout, CEILING_END, INK_DIM, "ceiling");
	for (int column = 0; column < COLUMN_COUNT; column++)
		cell_put(layout, column_end(layout, (enum column_id)column), INK_DIM,
		    columns[column].title);
	layout_break(layout);
	for (size_t i = 0; i < report->groups.count; i++)
		table_row(layout, report, i, top);
}

static void next_step(struct layout *layout, const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;
	size_t next = sweep->knee + 1;

	if (sweep->stop == STOP_NONE)
		return;
	layout_item(layout, INK_PLAIN, "beyond");
	layout_textf(layout, INK_PLAIN, "%s would buy %s%s (%s)",
	    size_text(report->groups.groups[next].ceiling_bytes).s,
	    sweep->next_gain < 0 ? "nothing: " : "",
	    sweep->next_gain < 0 ? "less rate" : share_text(sweep->next_gain).s,
	    rate_text(range_of(report, next, FIGURE_RATE)->median).s);
	if (sweep->has & SWEEP_NEXT_LOSS)
		layout_textf(
		    layout, INK_PLAIN, "at a loss of %s", percent_text(sweep->next_loss).s);
	if ((sweep->has & SWEEP_NEXT_RETRANSMITS) && sweep->next_retransmits > 1.5)
		layout_textf(layout, INK_PLAIN, "and %s the retransmits",
		    factor_text(sweep->next_retransmits).s);
	if ((sweep->has & SWEEP_NEXT_DELAY) && sweep->next_delay_us > 1000)
		layout_textf(
		    layout, INK_PLAIN, "and %s more RTT", time_text(sweep->next_delay_us).s);
	if (sweep->next_is_uncertain)
		layout_text(layout, INK_PLAIN, "; their runs overlap");
	layout_break(layout);
}

/* What was found, as far as the ceilings measured tell. */
static void knee_line(struct layout *layout, const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;
	struct unit_text ceiling = size_text(report->groups.groups[sweep->knee].ceiling_bytes);

	layout_gap(layout);
	layout_heading(layout, "KNEE");
	if (sweep->end == SWEEP_LOSSY)
		layout_textf(layout, INK_YELLOW, "below %s", ceiling.s);
	else
		layout_text(layout, INK_GREEN, ceiling.s);
	if (sweep->end == SWEEP_RISING)
		layout_text(layout, INK_PLAIN, "or beyond: it is the largest that was measured");
	else if (sweep->end == SWEEP_FLAT)
		layout_text(layout, INK_PLAIN, "or below: it is the smallest that was measured");
	layout_break(layout);
}

static void knee(struct layout *layout, const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;

	knee_line(layout, report);
	layout_item(layout, INK_PLAIN, "rule");
	layout_text(layout, INK_PLAIN, sweep_rule_text(report->rule).s);
	layout_break(layout);
	next_step(layout, report);
	if (sweep->loss_is_unknown) {
		layout_item(layout, INK_YELLOW, "loss");
		layout_text(layout, INK_PLAIN,
		    "not known of every run, as only the sender counts retransmits: where it is "
		    "missing the rule went by gain alone");
		layout_break(layout);
	}
	if (sweep->knee_is_uncertain) {
		layout_item(layout, INK_YELLOW, "spread");
		layout_text(layout, INK_PLAIN,
		    "the runs of the knee and of the ceiling chosen before it overlap: the gain may be "
		    "chance; more runs of both would tell");
		layout_break(layout);
	}
}

/* What is set there now, where that is no less than the knee: then nothing is to be set. */
static void now(struct layout *layout, const struct sweep_report *report)
{
	double ceiling = report->groups.groups[report->sweep->knee].ceiling_bytes;
	double current = report->current ? (double)report->current->number[2] : 0;

	for (size_t i = 0; i < report->advice->plan->setting_count; i++)
		if (report->advice->plan->settings[i].id == report->key)
			return;
	if (current < ceiling)
		return;
	layout_item(layout, INK_PLAIN, "now");
	if (current > ceiling)
		layout_textf(layout, INK_PLAIN,
		    "%s is set: more than that; --allow-lower advises to lower it",
		    size_text(current).s);
	else
		layout_textf(layout, INK_PLAIN, "%s is set already", size_text(current).s);
	layout_break(layout);
}

bool sweep_text(const struct sweep_report *report, const struct style *style, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	layout_tab(&layout, 0);
	layout_text(&layout, INK_BOLD, sweep_answer(report).s);
	layout_gap(&layout);
	table(&layout, report);
	knee(&layout, report);
	if (report->sweep->end != SWEEP_FLAT && report->sweep->end != SWEEP_LOSSY)
		now(&layout, report);
	text_settings(&layout, report->advice);
	text_commands(&layout, report->advice->plan, true);
	text_left_out(&layout, &report->groups);
	layout_break(&layout);
	return fflush(stream) == 0 && !ferror(stream);
}
