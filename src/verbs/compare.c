#include "verbs/verbs.h"

#include <err.h>
#include <string.h>

#include "report/run_groups_report.h"
#include "verbs/measure.h"
#include "report/plot.h"
#include "verbs/output.h"
#include "verbs/picture.h"
#include "verbs/run_groups_read.h"

struct groups_report groups_bundle(
    const struct run_groups *set, const struct analysis *typical[RUN_GROUPS_MAX])
{
	for (size_t i = 0; i < set->count; i++)
		typical[i] = &set->typical[i]->analysis;
	return (struct groups_report){.version = BDP_VERSION,
	    .groups = set->groups,
	    .labels = set->labels,
	    .typical = typical,
	    .count = set->count,
	    .left_out = set->left_out,
	    .left_out_count = set->left_out_count,
	    .idle_rtt_us = set->idle_rtt_us,
	    .idle_is_seen = set->idle_is_seen};
}

int compare_report_groups(const struct run_groups *set, const struct options *options)
{
	const struct style style = output_style(options, OUTPUT_WIDTH_PROSE);
	const struct analysis *typical[RUN_GROUPS_MAX];
	struct compare compare;
	struct picture picture;
	const struct compare_report report = {
	    .groups = groups_bundle(set, typical), .compare = &compare};

	compare_compute(set->groups, set->count, &compare);
	if (options->plot) {
		FILE *stream = picture_begin(&picture);
		bool drawn = plot_compare(&report, stream);

		if (!picture_write(&picture, drawn, options->plot))
			return 1;
	}
	return output_finish(form_table[options->form].compare(&report, &style, stdout));
}

int verb_compare(const struct options *options)
{
	const struct run_groups_given given = {.what = RUN_GROUPS_OF_COMPARE,
	    .swept_key = TUNABLE_COUNT,
	    .idle_rtt_us = options->idle_rtt_us};
	struct run_groups set;
	int code = 0;

	if (options->operand_count < 2) {
		warnx("compare needs two runs or more, such as cubic=a.json bbr=b.json");
		return 2;
	}
	run_groups_begin(&set, &given);
	if (options->run_commands)
		code = measure_commands(options, &set);
	for (size_t i = 0; i < options->operand_count && code == 0 && !options->run_commands; i++)
		code = run_groups_read(&set, options->operands[i]);
	if (code == 0)
		code = run_groups_prepare(&set);
	if (code == 0)
		code = compare_report_groups(&set, options);
	run_groups_free(&set);
	return code;
}
