/* What sweep and compare measured, for programs. */
#include "report/run_groups_json.h"

static void json_range(struct json_out *out, const char *key, const struct range *range)
{
	if (range->count == 0) {
		json_out_null(out, key);
		return;
	}
	json_out_object(out, key);
	json_out_number(out, "median", range->median);
	json_out_number(out, "low", range->low);
	json_out_number(out, "high", range->high);
	json_out_end_object(out);
}

void json_group(struct json_out *out, const struct groups_report *report, size_t index)
{
	const struct run_group *group = &report->groups[index];
	const struct analysis *typical = report->typical[index];

	if (group->ceiling_bytes > 0)
		json_out_number(out, "ceiling_bytes", group->ceiling_bytes);
	else
		json_out_string(out, "label", report->labels[index]);
	json_out_uint(out, "runs", group->runs);
	for (int figure = 0; figure < FIGURE_COUNT; figure++)
		json_range(out, figure_name((enum figure)figure), &group->range[figure]);
	json_out_string(out, "congestion_control",
	    typical->path.congestion_control[0] ? typical->path.congestion_control : NULL);
	json_out_string(out, "limit", factor_table[typical->limit.factor].name);
	json_out_string(out, "limit_confidence", confidence_name(typical->limit.confidence));
}

void json_left_out(struct json_out *out, const struct groups_report *report)
{
	json_out_array(out, "left_out");
	for (size_t i = 0; i < report->left_out_count; i++)
		json_out_string(out, NULL, left_out_text(&report->left_out[i]).s);
	json_out_end_array(out);
}
