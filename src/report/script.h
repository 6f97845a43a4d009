/*
 * What the two forms that machines run have in common: comments, and lines grouped by host.
 */
#ifndef BDP_SCRIPT_H
#define BDP_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* How one form writes its lines. */
struct script_form {
	const char *separator; /* a line between two hosts, or NULL */
	/* Before the lines of a host, or NULL. */
	void (*begin)(const struct plan *plan, enum role host, FILE *stream);
	void (*setting)(const struct setting *setting, FILE *stream);
	void (*command)(const struct command *command, FILE *stream);
	bool modules_first; /* commands that load a module go before the settings that need it */
};

/* Words wrapped at 80 columns, each line behind "# "; anything that could end a comment is made
 * visible. */
void script_comment(FILE *stream, const char *text);
void script_commentf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same on one line of any length, for a command that is to be copied. */
void script_comment_line(FILE *stream, const char *text);

/* The answer, then each wanted host's settings and commands; a comment when there are none.
 * False when a write failed. */
bool script_print(const struct report *report, const struct script_form *form, FILE *stream);

#endif
