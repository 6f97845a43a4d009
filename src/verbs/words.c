#include "verbs/words.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

/* Copies one word without its quotes; false when a quote has no end. */
static bool word_copy(const char **from, char **to)
{
	const char *at = *from;
	char quote = '\0';

	for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
		bool escapes = *at == '\\' && quote != '\'' && at[1];

		if (escapes)
			*(*to)++ = *++at;
		else if (quote ? *at == quote : *at == '\'' || *at == '"')
			quote = quote ? '\0' : *at;
		else
			*(*to)++ = *at;
	}
	*(*to)++ = '\0';
	*from = at;
	return quote == '\0';
}

bool words_split(const char *line, struct words *words, const char **why)
{
	size_t length = strlen(line);
	char *to;

	/* no word is longer than the line, and there are at most half as many as it has bytes */
	words->count = 0;
	words->text = to = malloc(length + 2);
	words->items = reallocarray(NULL, length / 2 + 2, sizeof(*words->items));
	if (!words->text || !words->items)
		err(1, NULL);
	words->items[0] = NULL;
	for (line += strspn(line, " \t\n"); *line; line += strspn(line, " \t\n")) {
		words->items[words->count++] = to;
		words->items[words->count] = NULL;
		if (!word_copy(&line, &to)) {
			*why = "a quote in it has no end";
			words_free(words);
			return false;
		}
	}
	if (words->count > 0)
		return true;
	*why = "no command in it";
	words_free(words);
	return false;
}

void words_free(struct words *words)
{
	free(words->items);
	free(words->text);
	*words = (struct words){.count = 0};
}
