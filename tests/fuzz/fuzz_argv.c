/*
 * The command line with any words: the input is split at its NULs.  What is accepted is held
 * against what options.h promises; what is refused must have been said.
 */
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Help and refusals would fill the log: they are read back from memory instead. */
static FILE *sink;
static char said[1 << 16];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	sink = fmemopen(said, sizeof said, "w");
	if (sink == NULL)
		abort();
	setvbuf(sink, NULL, _IONBF, 0);
	return 0;
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct options *options, char **argv, int argc)
{
	require(options->operand_count < (size_t)argc);
	for (size_t i = 0; i < options->operand_count; i++)
		require(options->operands[i] == argv[(size_t)argc - options->operand_count + i]);
	if (options->given & GIVEN_ACTIVE)
		require(options->active >= 1 && options->active <= options->connections);
	if (options->given & GIVEN_BANDWIDTH)
		require(options->bandwidth_bps > 0);
	if (options->given & GIVEN_RTT)
		require(options->rtt_us > 0);
	if (options->given & GIVEN_WINDOW)
		require(options->window_bytes > 0);
	require(options->form < FORM_COUNT);
}

static enum options_result parse_quietly(struct options *options, int argc, char **argv)
{
	FILE *out = stdout, *err = stderr;
	rewind(sink);
	stdout = stderr = sink;
	enum options_result result = options_parse(options, argc, argv);
	stdout = out;
	stderr = err;
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "bdp";
	char *words = malloc(size + 1), *argv[WORDS_MAX + 2] = {name};
	if (words == NULL)
		return 0;
	if (size > 0)
		memcpy(words, data, size);
	words[size] = '\0';
	int argc = 1;
	for (size_t at = 0; at < size && argc <= WORDS_MAX; at += strlen(words + at) + 1)
		argv[argc++] = words + at;
	struct options options;
	switch (parse_quietly(&options, argc, argv)) {
	case OPTIONS_RUN:
		check(&options, argv, argc);
		break;
	case OPTIONS_DONE:
	case OPTIONS_MISUSE:
		require(ftell(sink) > 0);
		break;
	}
	for (int i = 1; i < argc; i++)
		options_suggest_verb(argv[i]);
	free(words);
	return 0;
}
