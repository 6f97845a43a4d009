/* Lines for /bin/sh.  Nothing foreign gets out of a comment: keys and values are those of the
 * tunables table, and a command is printed to be run only when it is one whole line. */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "report/script.h"

/* Quotes only where sysctl -w must be given one word with blanks in it. */
static void setting_line(const struct setting *setting, FILE *stream)
{
	const char *quote;
	char value[256];

	tunable_value_text(setting->id, &setting->value, value, sizeof(value));
	quote = strchr(value, ' ') ? "\"" : "";
	fprintf(
	    stream, "sudo sysctl -w %s=%s%s%s\n", tunables[setting->id].key, quote, value, quote);
}

static bool is_word(const char *text, const char *word)
{
	const char *at = text;
	size_t length = strlen(word);

	while ((at = strstr(at, word)) != NULL) {
		bool begins = at == text || strchr(" @=:", at[-1]);
		bool ends = strchr(" @=:.", at[length]) != NULL; /* also at the end of the text */
		if (begins && ends)
			return true;
		at += length;
	}
	return false;
}

/* A template waits for a name that the evidence does not tell; "..." stands for what was typed. */
static bool is_runnable(const struct command *command)
{
	char safe[sizeof(command->command) * 4];

	return !is_word(command->command, "HOST") && !is_word(command->command, "DEV") &&
	       strncmp(command->command, "...", 3) != 0 &&
	       strcmp(quote_text(command->command, safe, sizeof(safe)), command->command) == 0;
}

static void command_line(const struct command *command, FILE *stream)
{
	if (is_runnable(command))
		fprintf(stream, "%s\n", command->command);
	else
		script_comment_line(stream, command->command);
}

bool report_sh(const struct report *report, const struct style *style, FILE *stream)
{
	static const struct script_form form = {
	    .setting = setting_line, .command = command_line, .modules_first = true};

	(void)style;
	fputs("#!/bin/sh\n", stream);
	return script_print(report, &form, stream);
}
