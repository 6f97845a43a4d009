/*
 * A command line as words, the way a shell takes it apart, without anything that a shell would replace.
 */
#ifndef BDP_WORDS_H
#define BDP_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
	char **items; /* owned, NULL-terminated; empty when there is none */
	char *text;   /* owned: what the items point into */
	size_t count;
};

/* Blanks separate; '...', "..." and \ keep what is in them together.  $, * and the like stand for
 * themselves.  False, and *why, for a quote without its end or no word at all. */
bool words_split(const char *line, struct words *words, const char **why);
void words_free(struct words *words);

#endif
