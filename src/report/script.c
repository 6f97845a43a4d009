#include "report/script.h"

#include <stdarg.h>
#include <string.h>

#include "base/quote.h"
#include "report/answer.h"
#include "report/layout.h"
#include "report/phrase.h"

#define COMMENT_WIDTH 80u

void script_comment(FILE *stream, const char *text)
{
	char safe[2048];

	/* a line feed in a name would end the comment, and what follows it would be run */
	layout_paragraph(stream, COMMENT_WIDTH, 0, "# ", quote_text(text, safe, sizeof(safe)));
}

void script_comment_line(FILE *stream, const char *text)
{
	char safe[2048];

	fprintf(stream, "# %s\n", quote_text(text, safe, sizeof(safe)));
}

void script_commentf(FILE *stream, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	script_comment(stream, text);
}

static void setting_put(const struct script_form *form, const struct plan *plan,
    const struct setting *setting, FILE *stream)
{
	char value[256];

	if (!setting->change) {
		script_commentf(stream, "already so: %s = %s", tunables[setting->id].key,
		    tunable_value_text(setting->id, &setting->value, value, sizeof(value)));
		return;
	}
	script_comment(stream, setting->why);
	if (setting->current.known)
		script_commentf(stream, "before: %s",
		    tunable_value_text(setting->id, &setting->current, value, sizeof(value)));
	if (*setting->risk && !plan_repeats_risk(plan, setting, false))
		script_commentf(stream, "risk: %s", setting->risk);
	form->setting(setting, stream);
}

static bool loads_module(const struct command *command)
{
	return strncmp(command->command, "modprobe ", 9) == 0 ||
	       strncmp(command->command, "sudo modprobe ", 14) == 0;
}

static void commands_put(const struct script_form *form, const struct plan *plan, enum role host,
    bool modules, FILE *stream)
{
	for (size_t i = 0; i < plan->command_count; i++) {
		const struct command *command = &plan->commands[i];
		if (command->host != host || !command->for_files ||
		    loads_module(command) != modules)
			continue;
		if (*command->why)
			script_comment(stream, command->why);
		form->command(command, stream);
	}
}

static void host_put(const struct report *report, const struct script_form *form, enum role host,
    size_t place, FILE *stream)
{
	const struct plan *plan = report->plan;

	fputc('\n', stream);
	if (place > 0 && form->separator)
		fprintf(stream, "%s\n", form->separator);
	script_commentf(stream, "on %s%s", phrase_host(report, host).s,
	    host != ROLE_UNKNOWN && host == plan->here ? " (this machine)" : "");
	if (form->begin)
		form->begin(plan, host, stream);
	if (form->modules_first)
		commands_put(form, plan, host, true, stream);
	for (size_t i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].host == host)
			setting_put(form, plan, &plan->settings[i], stream);
	}
	if (!form->modules_first)
		commands_put(form, plan, host, true, stream);
	commands_put(form, plan, host, false, stream);
}

bool script_print(const struct report *report, const struct script_form *form, FILE *stream)
{
	enum role hosts[ROLE_COUNT];
	size_t count = plan_hosts(report->plan, hosts);
	size_t printed = 0;

	script_commentf(stream, "bdp %s: %s", report->version,
	    report->headline ? report->headline : answer_compute(report).s);
	if (*report->plan->reason_text && (count > 0 || report->headline))
		script_commentf(stream, "but: %s", report->plan->reason_text);
	for (size_t i = 0; i < count; i++) {
		if (report->only == ROLE_UNKNOWN || hosts[i] == ROLE_UNKNOWN ||
		    hosts[i] == report->only)
			host_put(report, form, hosts[i], printed++, stream);
	}
	if (printed == 0 && report->only != ROLE_UNKNOWN)
		script_commentf(
		    stream, "nothing to set on %s", phrase_host(report, report->only).s);
	else if (printed == 0)
		script_comment(stream, "nothing to set");
	return fflush(stream) == 0 && !ferror(stream);
}
