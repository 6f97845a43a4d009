#include "verbs/advise.h"

#include <string.h>

#include "base/error.h"
#include "report/report.h"
#include "verbs/apply.h"
#include "verbs/question.h"
#include "verbs/each.h"
#include "verbs/output.h"
#include "verbs/picture.h"

static const struct report_form *form_named(const char *name)
{
	const struct report_form *form = report_forms;

	while (form->name && strcmp(form->name, name) != 0)
		form++;
	return form;
}

int verb_advise(const struct options *options)
{
	struct question *c;
	struct report report;

	if (options->each)
		return verb_each(options);
	if (strcmp(options->form, "table") == 0) {
		report_error("-o table has a line for each of several files: add --each");
		return 2;
	}
	int code = question_read(&c, options);

	if (code == 0)
		code = question_compute(c, options);
	if (code == 0) {
		struct style style = output_style(options, OUTPUT_WIDTH_PROSE);

		question_bundle(c, options, &report);
		if (options->plot && !picture_write(options->plot, picture_advise, &report))
			code = 1;
		else
			code = output_finish(
			    form_named(options->form)->print(&report, &style, stdout));
		if (code == 0 && options->apply)
			code = plan_apply(&c->plan, options);
		if (code == 0 && options->check && question_wants_change(c))
			code = 5;
	}
	question_free(c);
	return code;
}
