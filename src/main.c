/*
 * bdp: what limits a TCP path, and what to set.
 *
 *     options.c       the command line                      bytes come in
 *     evidence/       what the operands say                   |
 *     model/          RTT, BDP, window, loss, memory          |
 *     diagnosis/      what limits the flow                    |
 *     advice/         what to set, where, why                 v
 *     report/         text, json, sysctl, sh                bytes go out
 *     apply/          sets it, proves it, takes it back
 *
 * case_read.c and case_reckon.c carry one question through the stages; each arrow is one call below.
 */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "options.h"
#include "output.h"
#include "picture.h"
#include "report/report.h"
#include "verb_apply.h"
#include "verb_compare.h"
#include "verb_each.h"
#include "verb_explain.h"
#include "verb_sockets.h"
#include "verb_sweep.h"

static const struct report_form *form_named(const char *name)
{
	const struct report_form *form = report_forms;

	while (form->name && strcmp(form->name, name) != 0)
		form++;
	return form;
}

static int verb_advise(const struct options *options)
{
	struct advise_case *c;
	struct report report;

	if (options->each)
		return verb_each(options);
	int code = case_read(&c, options);

	if (code == 0)
		code = case_reckon(c, options);
	if (code == 0) {
		struct style style = output_style(options, OUTPUT_WIDTH_PROSE);

		case_bundle(c, options, &report);
		if (options->plot && !picture_write(options->plot, picture_advise, &report))
			code = 1;
		else
			code = output_finish(
			    form_named(options->form)->print(&report, &style, stdout));
		if (code == 0 && options->apply)
			code = plan_apply(&c->plan, options);
		if (code == 0 && options->check && case_wants_change(c))
			code = 5;
	}
	case_free(c);
	return code;
}

static int (*const verbs[VERB_COUNT])(const struct options *) = {
    [VERB_ADVISE] = verb_advise,
    [VERB_SWEEP] = verb_sweep,
    [VERB_COMPARE] = verb_compare,
    [VERB_SOCKETS] = verb_sockets,
    [VERB_APPLY] = verb_apply,
    [VERB_CONFIRM] = verb_confirm,
    [VERB_ROLLBACK] = verb_rollback,
    [VERB_EXPLAIN] = verb_explain,
};

int main(int argc, char **argv)
{
	struct options options;

	output_begin();
	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_DONE:
		return output_finish(true);
	case OPTIONS_MISUSE:
		return 2;
	case OPTIONS_RUN:
		break;
	}
	warn_unconfirmed(&options);
	return verbs[options.verb](&options);
}
