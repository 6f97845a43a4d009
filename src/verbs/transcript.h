/*
 * A transcript on standard output: commands behind prompts, and what they printed.
 */
#ifndef BDP_TRANSCRIPT_H
#define BDP_TRANSCRIPT_H

#include <stddef.h>

#include "system/process.h"

/* "$ " and the words, quoted where a shell would take them apart. */
void transcript_command(const char *const *argv);
/* "$ " and a line as it is. */
void transcript_line(const char *line);
/* What it printed, or why it could not be started; control characters become '?'. */
void transcript_output(const struct process *process, const char *name);
/* The same of text that is there. */
void transcript_text(const char *text, size_t length);
/* "# " and a sentence: what could not be had, and why. */
__attribute__((format(printf, 1, 2))) void transcript_note(const char *format, ...);

#endif
