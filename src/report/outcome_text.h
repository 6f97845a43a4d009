/*
 * What apply, confirm and rollback came to, for people: an answer, then one line for each setting
 * with its state.
 */
#ifndef BDP_OUTCOME_TEXT_H
#define BDP_OUTCOME_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "apply/outcome.h"

enum outcome_of {
	OUTCOME_OF_APPLY,
	OUTCOME_OF_CHECK,
	OUTCOME_OF_ROLLBACK,
	OUTCOME_OF_CONFIRM,
	OUTCOME_OF_LIST
};

/* Not of a list.  The message of a failure is not among it: that is for standard error.  False when a write
 * failed. */
bool outcome_text(const struct outcome *outcome, enum outcome_of what, FILE *stream);

/* The journals of rollback --list. */
bool outcome_list_text(const struct outcome *outcome, FILE *stream);

/* What is left to be typed, each with its reason; then what was left alone, "" for nothing. */
void outcome_text_commands(
    const struct command *commands, size_t count, const char *left_alone, FILE *stream);

/* One paragraph, broken at blanks to 80 columns, as the notes of an outcome are printed. */
void outcome_text_wrapped(FILE *stream, unsigned indent, const char *text);

#endif
