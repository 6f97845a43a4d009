/*
 * The verdict in words: a sentence for each feature, and the command that would settle what is open.
 */
#ifndef BDP_LIMIT_TEXT_H
#define BDP_LIMIT_TEXT_H

#include <stddef.h>

#include "diagnosis/diagnosis.h"
#include "report/phrase.h"

struct factor_words {
	const char *text;    /* "the receive window" */
	const char *meaning; /* one sentence, for explain */
};

extern const struct factor_words factor_words[FACTOR_COUNT]; /* factor_words.c */

/* Stable name of an evidence item, for JSON: "window-full". */
const char *evidence_name(const struct evidence_item *item);
/* Value over reference where both are of one unit and that says something; false otherwise. */
bool evidence_ratio(const struct evidence_item *item, double *ratio);
/* The sentence, with its numbers. */
struct phrase evidence_text(const struct evidence_item *item);

/* A command to run: its words as they are typed, where, and what it shows. */
struct measurement_text {
	char command[200];
	const char *note; /* "3.10 or later", where and when to run it; NULL for none */
};

/* False when there is nothing to measure. */
bool measurement_text(const struct analysis *analysis, struct measurement_text *text);

#endif
