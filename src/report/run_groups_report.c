/* Words and numbers that the forms of sweep and compare share. */
#include "report/run_groups_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "report/text_groups.h"

enum unit { UNIT_RATE, UNIT_SIZE, UNIT_COUNT_OF, UNIT_RATIO, UNIT_TIME, UNIT_PERCENT };

static const struct figure_row {
	const char *name; /* json */
	enum unit unit;
} figure_rows[FIGURE_COUNT] = {
    [FIGURE_RATE] = {"rate_bps", UNIT_RATE},
    [FIGURE_BYTES] = {"bytes", UNIT_SIZE},
    [FIGURE_RETRANSMITS] = {"retransmits", UNIT_COUNT_OF},
    [FIGURE_LOSS] = {"loss_ratio", UNIT_RATIO},
    [FIGURE_EFFICIENCY] = {"tcp_efficiency", UNIT_RATIO},
    [FIGURE_CWND] = {"cwnd_peak_bytes", UNIT_SIZE},
    [FIGURE_RTT] = {"rtt_us", UNIT_TIME},
    [FIGURE_LOADED_RTT] = {"loaded_rtt_us", UNIT_TIME},
    [FIGURE_PING] = {"ping_us", UNIT_TIME},
    [FIGURE_BUFFER_DELAY] = {"buffer_delay", UNIT_RATIO},
    [FIGURE_BACKLOG] = {"backlog_bytes", UNIT_SIZE},
    [FIGURE_QUEUE_DELAY] = {"queue_delay_us", UNIT_TIME},
    [FIGURE_CPU] = {"cpu_percent", UNIT_PERCENT},
};

const char *figure_name(enum figure figure)
{
	return figure_rows[figure].name;
}

struct unit_text figure_text(enum figure figure, const struct range *range)
{
	double value = range->median;

	if (range->count == 0)
		return (struct unit_text){"-"};
	switch (figure_rows[figure].unit) {
	case UNIT_RATE:
		return rate_text(value);
	case UNIT_SIZE:
		return size_text(value);
	case UNIT_COUNT_OF:
		return count_text((uint64_t)llround(value));
	case UNIT_RATIO:
		/* Below this the digits are the counting of segments, not the path. */
		if (figure == FIGURE_LOSS && value > 0 && value < 1e-5)
			return (struct unit_text){"<0.001 %"};
		return phrase_ratio(value);
	case UNIT_TIME:
		return time_text(value);
	case UNIT_PERCENT:
		return percent_text(value / 100);
	}
	return (struct unit_text){"-"};
}

struct unit_text factor_text(double factor)
{
	struct unit_text text;
	int digits = factor < 9.95 ? 1 : 0;

	if (!isfinite(factor))
		return (struct unit_text){"many times"};
	if (factor >= 99.5) {
		double unit = pow(10, floor(log10(factor)) - 1);
		factor = round(factor / unit) * unit;
	}
	snprintf(text.s, sizeof(text.s), "%.*f x", digits, factor);
	return text;
}

struct unit_text share_text(double ratio)
{
	struct unit_text text;
	double percent = ratio * 100;

	/* "5 %" and "0.2 %", but "3.4 %" */
	snprintf(text.s, sizeof(text.s), "%.*f %%",
	    fabs(percent) >= 9.95 || fabs(percent - round(percent)) < 0.05 ? 0 : 1, percent);
	return text;
}

struct phrase run_groups_label(const struct groups_report *report, size_t index)
{
	struct phrase text = {""};

	quote_text(report->labels[index], text.s, sizeof(text.s));
	return text;
}

static bool is_to_server(const struct run *run)
{
	return run->client == run->local_sends;
}

struct phrase left_out_text(const struct left_out *item)
{
	const struct run *run = item->run;
	const char *other = item->other ? quoted(item->other->input) : "";
	bool to_server = is_to_server(run);
	struct phrase text = {""};

	phrase_add(&text, "%s: ", quoted(run->input));
	switch (item->why) {
	case LEFT_OUT_PROTOCOL:
		phrase_add(&text, "%s: it has no window",
		    run->protocol == PROTOCOL_UDP ? "a UDP run" : "an SCTP run");
		break;
	case LEFT_OUT_EMPTY:
		phrase_add(&text, "it carried nothing%s%s", run->error[0] ? ": iperf3 says " : "",
		    quoted(run->error));
		break;
	case LEFT_OUT_NO_RATE:
		phrase_add(&text, "no rate in it");
		break;
	case LEFT_OUT_DIRECTION:
		phrase_add(&text, "it carries data the other way (%s to %s) than %s",
		    to_server ? "client" : "server", to_server ? "server" : "client", other);
		break;
	case LEFT_OUT_PATH:
		phrase_add(&text, "another path: its RTT is %s, that of %s %s",
		    time_text(item->rtt_us).s, other, time_text(item->other_rtt_us).s);
		break;
	case LEFT_OUT_REPEATED:
		phrase_add(&text, "the same test as %s: counted once", other);
		break;
	case LEFT_OUT_RELABELLED:
		phrase_add(&text, "the same test as %s, under another label", other);
		break;
	case LEFT_OUT_TOO_MANY:
		phrase_add(&text, "more than %d to set side by side", RUN_GROUPS_MAX);
		break;
	}
	return text;
}

struct phrase groups_problem_text(const struct run_groups *set, enum groups_problem problem)
{
	struct phrase text = {""};
	const char *name =
	    problem == GROUPS_CEILING_UNKNOWN ? quoted(set->unknown_ceiling->name) : "";

	switch (problem) {
	case GROUPS_GOOD:
		break;
	case GROUPS_CEILING_UNKNOWN:
		phrase_add(&text, "%s: which ceiling was set is not known: say it, as in 17M=%s",
		    name, name);
		break;
	case GROUPS_CONTRADICT:
		phrase_add(&text, "one test under two labels tells nothing: give each its own run");
		break;
	case GROUPS_NO_RUN:
		phrase_add(&text, "there is no TCP run to set beside another");
		break;
	case GROUPS_ONE_ONLY:
		phrase_add(&text, "%s",
		    set->what == RUN_GROUPS_OF_SWEEP
			? "a sweep needs runs at two ceilings or more: there is one"
			: "a comparison needs runs under two labels or more: there "
			  "is one, as in cubic=a.json bbr=b.json");
		break;
	}
	return text;
}

void text_left_out(struct layout *layout, const struct groups_report *report)
{
	for (size_t i = 0; i < report->left_out_count; i++) {
		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "LEFT OUT");
		}
		layout_tab(layout, LAYOUT_LABEL);
		layout_text(layout, INK_YELLOW, left_out_text(&report->left_out[i]).s);
		layout_break(layout);
	}
}
