/* The comparison for programs: schema "bdp-compare/1". */
#include "report/run_groups_json.h"

/* In the words of a limit's factor. */
static const char *means_name(enum compare_means means)
{
	static const enum factor factors[COMPARE_MEANS_COUNT] = {
	    [MEANS_LOSS] = FACTOR_RANDOM_LOSS,
	    [MEANS_QUEUE] = FACTOR_QUEUE,
	    [MEANS_LINK] = FACTOR_LINK,
	};
	return means == MEANS_NOTHING ? NULL : factor_table[factors[means]].name;
}

static void json_verdict(struct json_out *out, const struct compare_report *report)
{
	const struct compare *compare = report->compare;

	json_out_object(out, "compare");
	json_out_string(out, "best", report->groups.labels[compare->best]);
	json_out_string(out, "other", report->groups.labels[compare->other]);
	json_out_string(out, "by", compare_by_name(compare->by));
	json_out_string(out, "means", means_name(compare->means));
	json_out_number(out, "factor", compare->factor);
	json_out_number(out, "rate_ratio", compare->rate_ratio);
	json_out_number(out, "noise", compare->noise);
	json_out_string(
	    out, "delay_by", compare->has_delay ? figure_name(compare->delay_figure) : NULL);
	json_known(out, "best_delay_us", compare->has_delay, compare->best_delay_us);
	json_known(out, "other_delay_us", compare->has_delay, compare->other_delay_us);
	json_known(out, "link_bps", compare->link_bps > 0, compare->link_bps);
	json_out_array(out, "costs");
	if (compare->loss_is_worse)
		json_out_string(out, NULL, "loss");
	if (compare->delay_is_worse)
		json_out_string(out, NULL, "delay");
	if (compare->cpu_is_worse)
		json_out_string(out, NULL, "cpu");
	json_out_end_array(out);
	json_out_array(out, "labels");
	for (size_t i = 0; i < report->groups.count; i++) {
		json_out_object(out, NULL);
		json_group(out, &report->groups, i);
		json_out_end_object(out);
	}
	json_out_end_array(out);
	json_out_end_object(out);
}

bool compare_json(const struct compare_report *report, const struct style *style, FILE *stream)
{
	struct json_out out;

	(void)style;
	json_out_begin(&out, stream, false);
	json_out_object(&out, NULL);
	json_out_string(&out, "schema", "bdp-compare/1");
	json_out_string(&out, "version", report->groups.version);
	json_out_string(&out, "answer", compare_answer(report).s);
	json_verdict(&out, report);
	json_known(&out, "idle_rtt_us", report->groups.idle_rtt_us > 0, report->groups.idle_rtt_us);
	json_left_out(&out, &report->groups);
	json_out_end_object(&out);
	return json_out_finish(&out) && fflush(stream) == 0 && !ferror(stream);
}
