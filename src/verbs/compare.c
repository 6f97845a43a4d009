#include "verbs/compare.h"

#include <err.h>
#include <string.h>

#include "report/trials_report.h"
#include "verbs/measure.h"
#include "verbs/output.h"
#include "verbs/picture.h"
#include "verbs/trials_bundle.h"

static const struct compare_form *form_named(const char *name)
{
	const struct compare_form *form = compare_forms;

	while (form->name && strcmp(form->name, name) != 0)
		form++;
	return form->name ? form : compare_forms;
}

int compare_report_trials(const struct trial_set *set, const struct options *options)
{
	const struct style style = output_style(options, OUTPUT_WIDTH_PROSE);
	const struct analysis *typical[TRIALS_MAX];
	struct compare compare;
	const struct compare_report report = {
	    .trials = trials_bundle(set, typical), .compare = &compare};

	compare_reckon(set->trials, set->count, &compare);
	if (options->plot && !picture_write(options->plot, picture_compare, &report))
		return 1;
	return output_finish(form_named(options->form)->print(&report, &style, stdout));
}

int verb_compare(const struct options *options)
{
	const struct trials_given given = {.what = TRIALS_OF_COMPARE,
	    .swept_key = TUNABLE_COUNT,
	    .idle_rtt_us = options->idle_rtt_us};
	struct trial_set set;
	int code = 0;

	if (options->operand_count < 2) {
		warnx("compare needs two runs or more, such as cubic=a.json bbr=b.json");
		return 2;
	}
	trials_begin(&set, &given);
	if (options->run_commands)
		code = measure_commands(options, &set);
	for (size_t i = 0; i < options->operand_count && code == 0 && !options->run_commands; i++)
		code = trials_read(&set, options->operands[i]);
	if (code == 0)
		code = trials_gather(&set);
	if (code == 0)
		code = compare_report_trials(&set, options);
	trials_free(&set);
	return code;
}
