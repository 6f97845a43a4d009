/* Which to prefer, by what and by how much, and what it costs. */
#include "report/trials_report.h"

#include <math.h>
#include <stdio.h>

/* Below this the difference is better said as a share. */
#define SHARE_BELOW 1.95

static const struct range *range_of(
    const struct compare_report *report, size_t index, enum figure figure)
{
	return &report->trials.trials[index].range[figure];
}

static const char *delay_source(enum figure figure)
{
	return figure == FIGURE_PING	     ? "by ping under load"
	       : figure == FIGURE_LOADED_RTT ? "RTT under load"
					     : "by backlog / rate";
}

static void add_rates(struct wording *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;

	wording_add(answer, "%s against %s",
	    rate_text(range_of(report, compare->best, FIGURE_RATE)->median).s,
	    rate_text(range_of(report, compare->other, FIGURE_RATE)->median).s);
}

static void add_delays(struct wording *answer, const struct compare *compare)
{
	wording_add(answer, "%s against %s, %s", time_text(compare->best_delay_us).s,
	    time_text(compare->other_delay_us).s, delay_source(compare->delay_figure));
}

static void add_losses(struct wording *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	const struct range *best = range_of(report, compare->best, FIGURE_RETRANSMITS);
	const struct range *other = range_of(report, compare->other, FIGURE_RETRANSMITS);

	wording_add(answer, "%s of its segments are sent again, against %s",
	    percent_text(range_of(report, compare->best, FIGURE_LOSS)->median).s,
	    percent_text(range_of(report, compare->other, FIGURE_LOSS)->median).s);
	if (best->count > 0 && other->count > 0)
		wording_add(answer, " (%s against %s)",
		    count_text((uint64_t)llround(best->median)).s,
		    count_text((uint64_t)llround(other->median)).s);
}

/* What the better one has more of. */
static void add_costs(struct wording *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	const char *joint = "; it costs: ";

	if (compare->loss_is_worse) {
		wording_add(answer, "%s", joint);
		add_losses(answer, report);
		joint = "; ";
	}
	if (compare->delay_is_worse) {
		wording_add(answer, "%s%s the delay (", joint,
		    factor_text(compare->best_delay_us / compare->other_delay_us).s);
		add_delays(answer, compare);
		wording_add(answer, ")");
		joint = "; ";
	}
	if (compare->cpu_is_worse)
		wording_add(answer, "%s%s of a core against %s", joint,
		    percent_text(range_of(report, compare->best, FIGURE_CPU)->median / 100).s,
		    percent_text(range_of(report, compare->other, FIGURE_CPU)->median / 100).s);
}

static void add_same_rate(struct wording *answer, const struct compare_report *report)
{
	wording_add(answer, "the same rate (");
	add_rates(answer, report);
	wording_add(answer, ")");
}

static void add_none(struct wording *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;

	wording_add(answer, "No difference beyond the noise of %s: ", share_text(compare->noise).s);
	for (size_t i = 0; i < report->trials.count && i < 4; i++)
		wording_add(answer, "%s%s %s", i > 0 ? ", " : "",
		    trials_label(&report->trials, i).s,
		    rate_text(range_of(report, i, FIGURE_RATE)->median).s);
	if (compare->link_bps > 0)
		wording_add(answer, "; both fill a link of %s", rate_text(compare->link_bps).s);
	wording_add(answer, ". Keep %s, or whatever is there now.",
	    trials_label(&report->trials, compare->best).s);
}

struct wording compare_answer(const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	struct wording answer = trials_label(&report->trials, compare->best);
	char other[160];

	snprintf(other, sizeof(other), "%.150s", trials_label(&report->trials, compare->other).s);
	answer.s[150] = '\0';
	switch (compare->by) {
	case COMPARE_RATE:
		if (compare->factor < SHARE_BELOW)
			wording_add(&answer, " carries %s more than %s (",
			    share_text(compare->factor - 1).s, other);
		else
			wording_add(&answer, " carries %s what %s does (",
			    factor_text(compare->factor).s, other);
		add_rates(&answer, report);
		wording_add(&answer, ")");
		break;
	case COMPARE_DELAY:
		wording_add(&answer, ": ");
		add_same_rate(&answer, report);
		wording_add(
		    &answer, " at %s lower delay than %s (", factor_text(compare->factor).s, other);
		add_delays(&answer, compare);
		wording_add(&answer, ")");
		break;
	case COMPARE_LOSS:
		wording_add(&answer, ": ");
		add_same_rate(&answer, report);
		wording_add(&answer, " with less loss than %s: ", other);
		add_losses(&answer, report);
		break;
	case COMPARE_NONE:
	case COMPARE_BY_COUNT:
		answer.s[0] = '\0';
		add_none(&answer, report);
		return answer;
	}
	add_costs(&answer, report);
	wording_add(&answer, ".");
	return answer;
}
