/* Lines for /etc/sysctl.d or `sysctl -p -`: sysctl(8) takes a "#" behind a value as part of it, so
 * that comments stand on lines of their own, and it has no quotes. */
#include "report/report.h"

#include <stdio.h>

#include "report/script.h"

static void setting_line(const struct setting *setting, FILE *stream)
{
	char value[256];

	fprintf(stream, "%s = %s\n", tunables[setting->id].key,
	    tunable_value_text(setting->id, &setting->value, value, sizeof(value)));
}

/* sysctl(8) runs nothing: the command is there to be read, whole. */
static void command_line(const struct command *command, FILE *stream)
{
	script_comment_line(stream, command->command);
}

bool report_sysctl(const struct report *report, const struct style *style, FILE *stream)
{
	static const struct script_form form = {.setting = setting_line, .command = command_line};

	(void)style;
	return script_print(report, &form, stream);
}
