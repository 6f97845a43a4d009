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
#include <err.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "case.h"
#include "options.h"
#include "report/report.h"

static unsigned terminal_width(void)
{
	struct winsize size;
	unsigned width = 80;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	return width < 40 ? 40 : width > 100 ? 100 : width;
}

static struct style style_for(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool plain = (no_color && no_color[0]) || (term && strcmp(term, "dumb") == 0);

	setlocale(LC_CTYPE, "");
	return (struct style){
	    .color = options->color == COLOR_ALWAYS ||
		     (options->color == COLOR_AUTO && !plain && isatty(STDOUT_FILENO)),
	    .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	    .width = isatty(STDOUT_FILENO) ? terminal_width() : 80,
	};
}

static const struct report_form *form_named(const char *name)
{
	const struct report_form *form = report_forms;

	while (form->name && strcmp(form->name, name) != 0)
		form++;
	return form;
}

/* A full disk or a closed pipe must not pass for success. */
static int finish_output(bool printed)
{
	if (!printed || ferror(stdout)) {
		warnx("standard output: the report could not be written");
		return 1;
	}
	errno = 0;
	if (fflush(stdout) != 0) {
		warn("standard output");
		return 1;
	}
	return 0;
}

/* Something to change, or a problem that was found. */
static bool wants_change(const struct advise_case *c)
{
	for (size_t i = 0; i < c->plan.setting_count; i++)
		if (c->plan.settings[i].change)
			return true;
	for (size_t i = 0; i < c->findings.count; i++)
		if (finding_table[c->findings.items[i].id].severity >= SEVERITY_WARNING)
			return true;
	return false;
}

static int verb_advise(const struct options *options)
{
	struct advise_case c;
	struct report report;
	int code = case_read(&c, options);

	if (code == 0)
		code = case_reckon(&c, options);
	if (code == 0) {
		struct style style = style_for(options);

		case_bundle(&c, options, &report);
		code = finish_output(form_named(options->form)->print(&report, &style, stdout));
		if (code == 0 && options->check && wants_change(&c))
			code = 5;
	}
	case_free(&c);
	return code;
}

static int (*const verbs[VERB_COUNT])(const struct options *) = {
    [VERB_ADVISE] = verb_advise,
};

int main(int argc, char **argv)
{
	struct options options;

	/* A closed pipe is a failed write, reported like any other. */
	signal(SIGPIPE, SIG_IGN);
	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_DONE:
		return finish_output(true);
	case OPTIONS_MISUSE:
		return 2;
	case OPTIONS_RUN:
		break;
	}
	return verbs[options.verb](&options);
}
