/* Which to prefer, by what and by how much, and what it costs. */
#include "report/run_groups_report.h"

#include <math.h>
#include <stdio.h>

/* Below this the difference is better said as a share. */
#define SHARE_BELOW 1.95

static const struct range *range_of(
    const struct compare_report *report, size_t index, enum figure figure)
{
	return &report->groups.groups[index].range[figure];
}

static const char *delay_source(enum figure figure)
{
	return figure == FIGURE_PING	     ? "by ping under load"
	       : figure == FIGURE_LOADED_RTT ? "RTT under load"
					     : "by backlog / rate";
}

static void add_rates(struct phrase *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;

	phrase_add(answer, "%s against %s",
	    rate_text(range_of(report, compare->best, FIGURE_RATE)->median).s,
	    rate_text(range_of(report, compare->other, FIGURE_RATE)->median).s);
}

static void add_delays(struct phrase *answer, const struct compare *compare)
{
	phrase_add(answer, "%s against %s, %s", time_text(compare->best_delay_us).s,
	    time_text(compare->other_delay_us).s, delay_source(compare->delay_figure));
}

static void add_losses(struct phrase *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	const struct range *best = range_of(report, compare->best, FIGURE_RETRANSMITS);
	const struct range *other = range_of(report, compare->other, FIGURE_RETRANSMITS);

	phrase_add(answer, "%s of its segments are sent again, against %s",
	    percent_text(range_of(report, compare->best, FIGURE_LOSS)->median).s,
	    percent_text(range_of(report, compare->other, FIGURE_LOSS)->median).s);
	if (best->count > 0 && other->count > 0)
		phrase_add(answer, " (%s against %s)",
		    count_text((uint64_t)llround(best->median)).s,
		    count_text((uint64_t)llround(other->median)).s);
}

/* What the better one has more of. */
static void add_costs(struct phrase *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	const char *joint = "; it costs: ";

	if (compare->loss_is_worse) {
		phrase_add(answer, "%s", joint);
		add_losses(answer, report);
		joint = "; ";
	}
	if (compare->delay_is_worse) {
		phrase_add(answer, "%s%s the delay (", joint,
		    factor_text(compare->best_delay_us / compare->other_delay_us).s);
		add_delays(answer, compare);
		phrase_add(answer, ")");
		joint = "; ";
	}
	if (compare->cpu_is_worse)
		phrase_add(answer, "%s%s of a core against %s", joint,
		    percent_text(range_of(report, compare->best, FIGURE_CPU)->median / 100).s,
		    percent_text(range_of(report, compare->other, FIGURE_CPU)->median / 100).s);
}

static void add_same_rate(struct phrase *answer, const struct compare_report *report)
{
	phrase_add(answer, "the same rate (");
	add_rates(answer, report);
	phrase_add(answer, ")");
}

static void add_none(struct phrase *answer, const struct compare_report *report)
{
	const struct compare *compare = report->compare;

	phrase_add(answer, "No difference beyond the noise of %s: ", share_text(compare->noise).s);
	for (size_t i = 0; i < report->groups.count && i < 4; i++)
		phrase_add(answer, "%s%s %s", i > 0 ? ", " : "",
		    run_groups_label(&report->groups, i).s,
		    rate_text(range_of(report, i, FIGURE_RATE)->median).s);
	if (compare->link_bps > 0)
		phrase_add(answer, "; both fill a link of %s", rate_text(compare->link_bps).s);
	phrase_add(answer, ". Keep %s, or whatever is there now.",
	    run_groups_label(&report->groups, compare->best).s);
}

struct phrase compare_answer(const struct compare_report *report)
{
	const struct compare *compare = report->compare;
	struct phrase answer = run_groups_label(&report->groups, compare->best);
	char other[160];

	snprintf(
	    other, sizeof(other), "%.150s", run_groups_label(&report->groups, compare->other).s);
	answer.s[150] = '\0';
	switch (compare->by) {
	case COMPARE_RATE:
		if (compare->factor < SHARE_BELOW)
			phrase_add(&answer, " carries %s more than %s (",
			    share_text(compare->factor - 1).s, other);
		else
			phrase_add(&answer, " carries %s what %s does (",
			    factor_text(compare->factor).s, other);
		add_rates(&answer, report);
		phrase_add(&answer, ")");
		break;
	case COMPARE_DELAY:
		phrase_add(&answer, ": ");
		add_same_rate(&answer, report);
		phrase_add(
		    &answer, " at %s lower delay than %s (", factor_text(compare->factor).s, other);
		add_delays(&answer, compare);
		phrase_add(&answer, ")");
		break;
	case COMPARE_LOSS:
		phrase_add(&answer, ": ");
		add_same_rate(&answer, report);
		phrase_add(&answer, " with less loss than %s: ", other);
		add_losses(&answer, report);
		break;
	case COMPARE_NONE:
	case COMPARE_BY_COUNT:
		answer.s[0] = '\0';
		add_none(&answer, report);
		return answer;
	}
	add_costs(&answer, report);
	phrase_add(&answer, ".");
	return answer;
}
