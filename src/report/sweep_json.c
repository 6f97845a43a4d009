/* The sweep for programs: schema "bdp-sweep/1", with the plan that `bdp apply` reads. */
#include "report/json_parts.h"
#include "report/run_groups_json.h"

static const char *stop_name(enum sweep_stop stop)
{
	static const char *const names[] = {
	    [STOP_NONE] = NULL,
	    [STOP_GAIN] = "gain",
	    [STOP_LOSS] = "loss",
	};
	return names[stop];
}

static void json_rule(struct json_out *out, const struct sweep_rule *rule)
{
	json_out_object(out, "rule");
	json_out_number(out, "min_gain", rule->min_gain);
	json_out_number(out, "max_loss", rule->max_loss);
	json_out_string(out, "text", sweep_rule_text(rule).s);
	json_out_end_object(out);
}

static void json_next(struct json_out *out, const struct sweep_report *report)
{
	const struct sweep *sweep = report->sweep;

	if (sweep->stop == STOP_NONE) {
		json_out_null(out, "next");
		return;
	}
	json_out_object(out, "next");
	json_out_number(out, "ceiling_bytes", report->groups.groups[sweep->knee + 1].ceiling_bytes);
	json_out_number(out, "gain", sweep->next_gain);
	json_known(out, "loss_ratio", sweep->has & SWEEP_NEXT_LOSS, sweep->next_loss);
	json_known(out, "retransmits_factor", sweep->has & SWEEP_NEXT_RETRANSMITS,
	    sweep->next_retransmits);
	json_known(out, "delay_added_us", sweep->has & SWEEP_NEXT_DELAY, sweep->next_delay_us);
	json_out_bool(out, "overlaps", sweep->next_is_uncertain);
	json_out_end_object(out);
}

static void json_ceilings(struct json_out *out, const struct sweep_report *report)
{
	json_out_array(out, "ceilings");
	for (size_t i = 0; i < report->groups.count; i++) {
		const struct sweep_step *step = &report->sweep->steps[i];
		json_out_object(out, NULL);
		json_group(out, &report->groups, i);
		json_known(out, "gain", i > 0, step->gain);
		json_known(out, "gain_bps_per_mib", i > 0, step->gain_bps_per_mib);
		json_out_bool(out, "overlaps", step->overlaps);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

bool sweep_json(const struct sweep_report *report, const struct style *style, FILE *stream)
{
	const struct sweep *sweep = report->sweep;
	struct json_out out;

	(void)style;
	json_out_begin(&out, stream, false);
	json_out_object(&out, NULL);
	json_out_string(&out, "schema", "bdp-sweep/1");
	json_out_string(&out, "version", report->groups.version);
	json_out_string(&out, "answer", sweep_answer(report).s);
	json_out_object(&out, "sweep");
	json_out_string(&out, "key", tunables[report->key].key);
	json_out_number(&out, "knee_bytes", report->groups.groups[sweep->knee].ceiling_bytes);
	json_out_string(&out, "end", sweep_end_name(sweep->end));
	json_out_string(&out, "stop", stop_name(sweep->stop));
	json_out_bool(&out, "knee_overlaps", sweep->knee_is_uncertain);
	json_rule(&out, report->rule);
	json_next(&out, report);
	json_ceilings(&out, report);
	json_out_end_object(&out);
	json_left_out(&out, &report->groups);
	json_plan(&out, report->advice->plan);
	json_plan_facts(&out, report->advice->plan);
	json_out_end_object(&out);
	return json_out_finish(&out) && fflush(stream) == 0 && !ferror(stream);
}
