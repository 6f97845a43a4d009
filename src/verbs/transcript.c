#include "verbs/transcript.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

static void print_word(const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-_./:=,@%+";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar((unsigned char)*word < ' ' || *word == 0x7f ? '?' : *word);
	putchar('\'');
}

void transcript_command(const char *const *argv)
{
	putchar('$');
	for (; *argv; argv++) {
		putchar(' ');
		print_word(*argv);
	}
	putchar('\n');
}

void transcript_line(const char *line)
{
	printf("$ %s\n", line);
}

void transcript_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		bool control = (c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f;
		putchar(control ? '?' : c);
	}
	/* what was cut short must not swallow the next prompt */
	if (length > 0 && text[length - 1] != '\n')
		putchar('\n');
}

void transcript_output(const struct process *process, const char *name)
{
	if (process->error != 0)
		printf("%s: %s\n", quoted(name),
		    process->error == ENOENT ? "not found" : strerror(process->error));
	transcript_text(process->text, process->length);
	if (process->cut)
		transcript_note("more than 16 MiB: the rest is left out");
}

void transcript_note(const char *format, ...)
{
	va_list arguments;

	fputs("# ", stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}
