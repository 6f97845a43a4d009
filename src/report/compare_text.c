/* The comparison for people: the verdict, the figures side by side, what holds each, and how the measured
 * rates stand to what theory allows. */
#include "report/run_groups_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/loss.h"
#include "report/bar.h"
#include "report/layout.h"
#include "report/limit_text.h"
#include "report/text_groups.h"

#define LABEL_COLUMN 18u
#define CELL_MIN 13u
#define CELL_MAX 24u
/* Loss below this leaves the bound far above any rate. */
#define BOUND_LOSS 1e-3

static const struct table_row {
	const char *title;
	enum figure figure;
} rows[] = {
    {"rate", FIGURE_RATE},
    {"loss", FIGURE_LOSS},
    {"retransmits", FIGURE_RETRANSMITS},
    {"efficiency", FIGURE_EFFICIENCY},
    {"RTT under load", FIGURE_LOADED_RTT},
    {"ping under load", FIGURE_PING},
    {"buffer delay", FIGURE_BUFFER_DELAY},
    {"backlog", FIGURE_BACKLOG},
    {"backlog / rate", FIGURE_QUEUE_DELAY},
    {"cwnd peak", FIGURE_CWND},
    {"moved", FIGURE_BYTES},
    {"CPU", FIGURE_CPU},
};

/* The labels of one block of the table: as many as fit beside each other. */
struct block {
	const struct compare_report *report;
	size_t first, end;
	unsigned cell;
};

static const struct run_group *run_group_of(const struct block *block, size_t i)
{
	return &block->report->groups.groups[i];
}

static void cell_put(
    struct layout *layout, const struct block *block, size_t i, enum ink ink, const char *text)
{
	layout_cell(layout, LABEL_COLUMN + (unsigned)(i - block->first) * block->cell, ink, text);
}

static enum ink ink_of(const struct block *block, size_t i)
{
	const struct compare *compare = block->report->compare;

	return compare->by != COMPARE_NONE && i == compare->best ? INK_GREEN : INK_PLAIN;
}

static void row_begin(struct layout *layout, const char *title)
{
	layout_break(layout);
	layout_tab(layout, 2);
	layout_raw(layout, INK_PLAIN, title);
}

static void head_row(struct layout *layout, const struct block *block)
{
	layout_break(layout);
	for (size_t i = block->first; i < block->end; i++) {
		struct phrase label = run_groups_label(&block->report->groups, i);
		/* The start of a file name says less than its end. */
		unsigned width = layout_width(label.s), most = block->cell - 2;
		const char *text =
		    width > most && width == strlen(label.s) ? label.s + width - most : label.s;
		cell_put(
		    layout, block, i, ink_of(block, i) == INK_PLAIN ? INK_BOLD : INK_GREEN, text);
	}
	layout_break(layout);
}

static bool is_known(const struct block *block, enum figure figure)
{
	for (size_t i = block->first; i < block->end; i++)
		if (run_group_of(block, i)->range[figure].count > 0)
			return true;
	return false;
}

static void figure_row(
    struct layout *layout, const struct block *block, const struct table_row *row)
{
	if (!is_known(block, row->figure))
		return;
	row_begin(layout, row->title);
	for (size_t i = block->first; i < block->end; i++) {
		cell_put(layout, block, i, ink_of(block, i),
		    figure_text(row->figure, &run_group_of(block, i)->range[row->figure]).s);
	}
	layout_break(layout);
}

static void bar_row(struct layout *layout, const struct block *block)
{
	const struct groups_report *all = &block->report->groups;
	double top = 0;

	for (size_t i = 0; i < all->count; i++)
		top = fmax(top, all->groups[i].range[FIGURE_RATE].median);
	row_begin(layout, "");
	for (size_t i = block->first; i < block->end; i++) {
		struct bar bar = bar_draw(run_group_of(block, i)->range[FIGURE_RATE].median, top,
		    block->cell - 3, layout->style->utf8);
		cell_put(layout, block, i, ink_of(block, i), bar.s);
	}
	layout_break(layout);
}

/* Several runs of one label: how far they lie apart. */
static void spread_row(struct layout *layout, const struct block *block)
{
	bool several = false;

	for (size_t i = block->first; i < block->end; i++)
		several |= run_group_of(block, i)->runs > 1;
	if (!several)
		return;
	row_begin(layout, "runs, spread");
	for (size_t i = block->first; i < block->end; i++) {
		const struct range *rate = &run_group_of(block, i)->range[FIGURE_RATE];
		double spread = rate->median > 0 ? (rate->high - rate->low) / 2 / rate->median : 0;
		char text[64];
		snprintf(text, sizeof(text), "%u, +-%.10s", run_group_of(block, i)->runs,
		    share_text(spread).s);
		cell_put(layout, block, i, INK_DIM, text);
	}
	layout_break(layout);
}

static void table(struct layout *layout, const struct compare_report *report)
{
	unsigned room = layout->style->width - LABEL_COLUMN;
	size_t fit = room / CELL_MIN,
	       beside = report->groups.count < fit ? report->groups.count : fit;
	unsigned even = room / (unsigned)beside;

	layout_heading(layout, "COMPARE");
	if (report->groups.idle_rtt_us > 0)
		layout_textf(layout, INK_PLAIN,
		    report->groups.idle_is_seen ? "smallest RTT seen %s" : "RTT without load %s",
		    time_text(report->groups.idle_rtt_us).s);
	layout_break(layout);
	for (size_t first = 0; first < report->groups.count; first += fit) {
		struct block block = {.report = report, .first = first, .end = first + fit};
		if (block.end > report->groups.count)
			block.end = report->groups.count;
		block.cell = even > CELL_MAX ? CELL_MAX : even;
		head_row(layout, &block);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			figure_row(layout, &block, &rows[i]);
			if (rows[i].figure == FIGURE_RATE)
				bar_row(layout, &block);
			if (rows[i].figure == FIGURE_RATE)
				spread_row(layout, &block);
		}
	}
}

static void means(struct layout *layout, const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	const struct run_group *other = &report->groups.groups[compare->other];
	struct phrase best = run_groups_label(&report->groups, compare->best);
	struct phrase worse = run_groups_label(&report->groups, compare->other);

	if (compare->means == MEANS_NOTHING)
		return;
	layout_gap(layout);
	layout_heading(layout, "MEANS");
	if (compare->means == MEANS_LOSS)
		layout_textf(layout, INK_PLAIN,
		    "random loss: %s of its segments are lost while no queue shows in the delay; %.100s "
		    "slows down for it, %.100s does not",
		    percent_text(other->range[FIGURE_LOSS].median).s, worse.s, best.s);
	else if (compare->means == MEANS_QUEUE)
		layout_textf(layout, INK_PLAIN,
		    "a standing queue at the bottleneck: %.100s fills it, which gains no rate; a larger "
		    "ceiling would make it longer",
		    worse.s);
	else
		layout_textf(layout, INK_PLAIN,
		    "the link of %s is full: the algorithm has nothing to win",
		    rate_text(compare->link_bps).s);
	layout_break(layout);
}

static void held_by(struct layout *layout, const struct compare_report *report)
{
	bool first = true;

	for (size_t i = 0; i < report->groups.count; i++) {
		const struct limit *limit = &report->groups.typical[i]->limit;
		if (limit->factor == FACTOR_UNKNOWN)
			continue;
		if (first) {
			layout_gap(layout);
			layout_heading(layout, "HELD BY");
		}
		first = false;
		layout_tab(layout, LAYOUT_LABEL);
		layout_textf(layout, INK_PLAIN, "%.120s: %s (%s confidence)",
		    run_groups_label(&report->groups, i).s, factor_words[limit->factor].text,
		    confidence_name(limit->confidence));
		layout_break(layout);
	}
}

/* The algorithm, by the run, else by a label that is its name. */
static bool is_loss_based(const struct compare_report *report, size_t i, bool *cubic)
{
	const char *cc = report->groups.typical[i]->path.congestion_control;
	const char *name = *cc ? cc : report->groups.labels[i];

	*cubic = strcasecmp(name, "cubic") == 0;
	return *cubic || strcasecmp(name, "reno") == 0;
}

static double rtt_of(const struct groups_report *report, size_t i)
{
	static const enum figure sources[] = {FIGURE_LOADED_RTT, FIGURE_PING};
	const struct run_group *group = &report->groups[i];

	for (size_t k = 0; k < sizeof(sources) / sizeof(sources[0]); k++)
		if (group->range[sources[k]].count > 0)
			return group->range[sources[k]].median;
	return report->idle_rtt_us;
}

/* What loss-based control can carry under that loss, against what it carried. */
static void bound_line(struct layout *layout, const struct compare_report *report, size_t i)
{
	const struct run_group *group = &report->groups.groups[i];
	const struct path *path = &report->groups.typical[i]->path;
	double loss = group->range[FIGURE_LOSS].median, rtt_us = rtt_of(&report->groups, i);
	double rate = group->range[FIGURE_RATE].median;
	bool cubic;

	if (group->range[FIGURE_LOSS].count == 0 || loss < BOUND_LOSS || rtt_us <= 0 ||
	    !is_loss_based(report, i, &cubic))
		return;
	double bound = (cubic ? cubic_rate_bps(path->mss, rtt_us, loss)
			      : reno_rate_bps(path->mss, rtt_us, loss)) *
		       path->streams;
	layout_gap(layout);
	layout_heading(layout, "BOUND");
	layout_textf(layout, INK_PLAIN,
	    "under %s loss over %s %s carries about %s%s; %.100s carried %s%s",
	    percent_text(loss).s, time_text(rtt_us).s, cubic ? "CUBIC (RFC 9438)" : "Reno",
	    rate_text(bound).s, path->streams > 1 ? " in all streams" : "",
	    run_groups_label(&report->groups, i).s, rate_text(rate).s,
	    rate > 2 * bound   ? ": more, as where losses fall in bunches, each of which cuts the "
				 "window once"
	    : rate < bound / 2 ? ": less, so something else holds it, too"
			       : ": loss is what holds it");
	layout_break(layout);
}

static void rule(struct layout *layout, const struct compare_report *report)
{
	layout_gap(layout);
	layout_heading(layout, "RULE");
	layout_textf(layout, INK_PLAIN,
	    "by rate, where it differs by more than the noise (%s here); else by delay under load, where "
	    "one is 1.5 times the other; else by loss",
	    share_text(report->compare->noise).s);
	layout_break(layout);
}

/* Only the sender sees cwnd, RTT and retransmits. */
static void unknown_delay(struct layout *layout, const struct compare_report *report)
{
	if (report->compare->has_delay)
		return;
	layout_gap(layout);
	layout_heading(layout, "UNKNOWN");
	layout_text(layout, INK_PLAIN,
	    "the delay under load: run `ping HOST` during each test and give it beside the run "
	    "(cubic=run.json,ping.txt), or use iperf3 -J where data is sent (with -R: "
	    "--get-server-output, or `ss -tmi` on the server)");
	layout_break(layout);
}

bool compare_text(const struct compare_report *report, const struct style *style, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	layout_tab(&layout, 0);
	layout_text(&layout, INK_BOLD, compare_answer(report).s);
	layout_gap(&layout);
	table(&layout, report);
	means(&layout, report);
	/* A queue makes its own loss; the bound is of loss that is there whatever is sent. */
	for (size_t i = 0; i < report->groups.count && report->compare->means == MEANS_LOSS; i++)
		bound_line(&layout, report, i);
	held_by(&layout, report);
	unknown_delay(&layout, report);
	rule(&layout, report);
	text_left_out(&layout, &report->groups);
	layout_break(&layout);
	return fflush(stream) == 0 && !ferror(stream);
}
