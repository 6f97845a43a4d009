/*
 * The nearest of known words to one that was misspelt, for "did you mean ...?".
 */
#ifndef BDP_NEAREST_H
#define BDP_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* as typed */
	const char *best; /* NULL: none is near */
	size_t distance;
};

/* Begins a search; then each known word is tried, and .best read. */
struct nearest nearest_to(const char *word);

/* Keeps the candidate when it is near the word, and nearer than those tried before: by edits
 * (insert, delete, replace, swap of neighbours), about one in four letters, or because the word
 * is its beginning. The candidate is borrowed. */
void nearest_try(struct nearest *nearest, const char *candidate);

#endif
