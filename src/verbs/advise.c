#include "verbs/verbs.h"

#include "base/error.h"
#include "report/plot.h"
#include "report/report.h"
#include "verbs/output.h"
#include "verbs/picture.h"
#include "verbs/question.h"

int verb_advise(const struct options *options)
{
	struct question *c;
	struct report report;

	if (options->each)
		return verb_each(options);
	if (options->form == FORM_TABLE) {
		report_error("-o table has a line for each of several files: add --each");
		return 2;
	}
	int code = question_read(&c, options);

	if (code == 0)
		code = question_compute(c, options);
	if (code == 0) {
		struct picture picture;
		struct style style = output_style(options, OUTPUT_WIDTH_PROSE);

		question_bundle(c, options, &report);
		if (options->plot) {
			FILE *stream = picture_begin(&picture);
			bool drawn = plot_run(&report, stream);

			code = picture_write(&picture, drawn, options->plot) ? 0 : 1;
		} else {
			code = output_finish(
			    form_table[options->form].advise(&report, &style, stdout));
		}
		if (code == 0 && options->apply)
			code = plan_apply(&c->plan, options);
		if (code == 0 && options->check && plan_wants_change(&c->plan, &c->findings))
			code = 5;
	}
	question_free(c);
	return code;
}
