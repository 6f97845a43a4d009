/*
 * Prints the features of documents: reads lines as tests/corpus/score.sh lists them (set, form, name, split,
 * accepted causes, RTT, files) from standard input, and writes for each a line of set, form, name, split,
 * accepted causes and NUMBER:GRADE of the features that are present, joined by commas.  With -n, their
 * names and values, and the shares, for people.
 */
#include <bsd/string.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis/features.h"
#include "options/options.h"
#include "verbs/question.h"

#define CELLS 7
#define WORDS 40

static void print_numbers(const struct features *features)
{
	const char *comma = "";

	for (int i = 0; i < FEATURE_COUNT; i++)
		if (features->items[i].present) {
			printf("%s%d:%.2f", comma, i, features->items[i].grade);
			comma = ",";
		}
	putchar('\n');
}

static void print_names(const struct features *features, const struct analysis *analysis)
{
	putchar('\n');
	for (int i = 0; i < FEATURE_COUNT; i++)
		if (features->items[i].present)
			printf("    %-26s %12.6g %12.6g %6.2f\n", feature_table[i].name,
			    features->items[i].value, features->items[i].reference,
			    features->items[i].grade);
	for (int f = 0; f < FACTOR_COUNT; f++)
		if (analysis->limit.shares[f] >= 0.03)
			printf("    %5.1f %% %s\n", 100 * analysis->limit.shares[f],
			    factor_table[f].name);
}

static void answer(char **words, int count, bool names)
{
	struct options options;
	struct question *c = NULL;
	struct features features;

	if (options_parse(&options, count, words) != OPTIONS_RUN)
		return;
	if (question_read(&c, &options) == 0 && question_compute(c, &options) == 0) {
		const struct analysis *chosen = &c->analyses[c->chosen];
		const struct diagnosis_input input = {.path = &chosen->path,
		    .run = chosen->run,
		    .context = &c->contexts[c->chosen],
		    .sender = c->sender,
		    .receiver = c->receiver};
		features_read(&input, &features);
		if (names)
			print_names(&features, chosen);
		else
			print_numbers(&features);
	} else {
		puts("-");
	}
	question_free(c);
}

int main(int argc, char **argv)
{
	char line[8192];
	bool names = argc > 1 && strcmp(argv[1], "-n") == 0;

	while (fgets(line, sizeof(line), stdin)) {
		static char program[] = "bdp", no_host[] = "--no-host", none[] = "";
		char *cell[CELLS], *words[WORDS] = {program, no_host}, *at = line;
		int count = 2;

		line[strcspn(line, "\n")] = '\0';
		for (int i = 0; i < CELLS; i++)
			cell[i] = at ? strsep(&at, "\t") : none;
		for (int i = 0; i < 5; i++)
			printf("%s\t", cell[i]);
		for (char *word; count < WORDS - 1 && (word = strsep(&cell[6], " "));)
			if (*word)
				words[count++] = word;
		words[count] = NULL;
		answer(words, count, names);
		fflush(stdout);
	}
	return 0;
}
