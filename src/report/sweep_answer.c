/* The knee, or why there is none, in a sentence or two. */
#include "report/limit_text.h"
#include "report/run_groups_report.h"

#include <math.h>
#include <stdio.h>

/* Less of a gain is none: single runs repeat to a few per cent. */
#define NEXT_GAIN_MIN 0.005

static const char *const end_names[] = {
    [SWEEP_KNEE] = "knee",
    [SWEEP_RISING] = "rising",
    [SWEEP_FLAT] = "flat",
    [SWEEP_LOSSY] = "lossy",
};

const char *sweep_end_name(enum sweep_end end)
{
	return end_names[end];
}

struct phrase sweep_rule_text(const struct sweep_rule *rule)
{
	struct phrase text = {""};

	phrase_add(&text,
	    "the largest ceiling that gains at least %s over the one chosen before it, at a loss of at "
	    "most %s (--min-gain, --max-loss)",
	    share_text(rule->min_gain).s, share_text(rule->max_loss).s);
	return text;
}

static void add_ceiling(struct phrase *answer, const struct sweep_report *report, size_t index)
{
	const struct run_group *group = &report->groups.groups[index];
	const struct range *loss = &group->range[FIGURE_LOSS];

	phrase_add(answer, "%s at %s", size_text(group->ceiling_bytes).s,
	    rate_text(group->range[FIGURE_RATE].median).s);
	if (loss->count > 0)
		phrase_add(answer, " and %s loss", percent_text(loss->median).s);
}

/* "32 MiB would gain 17 %, but lose 7.22 % of the segments." */
static void add_next(struct phrase *answer, const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;
	const struct run_group *next = &report->groups.groups[sweep->knee + 1];

	if (sweep->stop == STOP_LOSS)
		phrase_add(answer, "; %s would gain %s but lose %s of the segments",
		    size_text(next->ceiling_bytes).s, share_text(fmax(0, sweep->next_gain)).s,
		    percent_text(sweep->next_loss).s);
	else if (sweep->next_gain >= NEXT_GAIN_MIN)
		phrase_add(answer, "; %s would gain no more than %s",
		    size_text(next->ceiling_bytes).s, share_text(sweep->next_gain).s);
	else
		phrase_add(answer, "; %s would gain nothing", size_text(next->ceiling_bytes).s);
}

static void add_holds(struct phrase *answer, const struct sweep_report *report)
{
	const struct limit *limit = &report->groups.typical[report->sweep->knee]->limit;

	if (limit->factor != FACTOR_UNKNOWN && limit->factor != FACTOR_RECEIVE_WINDOW &&
	    limit->factor != FACTOR_SEND_BUFFER)
		phrase_add(answer, ": what holds the flow is %s", factor_words[limit->factor].text);
}

struct phrase sweep_answer(const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;
	struct phrase answer = {""};

	switch (sweep->end) {
	case SWEEP_KNEE:
		phrase_add(&answer, "The knee is ");
		add_ceiling(&answer, report, sweep->knee);
		add_next(&answer, report);
		break;
	case SWEEP_RISING:
		phrase_add(&answer, "The rate still rises up to the largest ceiling measured, ");
		add_ceiling(&answer, report, sweep->knee);
		phrase_add(&answer, ": the knee lies there or beyond; sweep further");
		break;
	case SWEEP_FLAT:
		phrase_add(&answer, "No ceiling gains %s over the smallest, ",
		    share_text(report->rule->min_gain).s);
		add_ceiling(&answer, report, sweep->knee);
		add_holds(&answer, report);
		break;
	case SWEEP_LOSSY:
		phrase_add(&answer, "Already the smallest ceiling loses too much, ");
		add_ceiling(&answer, report, sweep->knee);
		phrase_add(&answer, ": sweep below it");
		break;
	}
	phrase_add(&answer, ".");
	return answer;
}
