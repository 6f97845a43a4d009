/*
 * sweep and compare on up to four operands: labels, runs, dumps, and every form of their reports.  The
 * first two bytes choose the options, record separators (0x1e) part the operands.  What is printed
 * must be harmless, and the JSON must be JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parts.h"
#include "verbs/verbs.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The third label is the first one again where the options say so: two runs of one setting. */
static char sweep_names[PARTS_MAX][PART_NAME_MAX], compare_names[PARTS_MAX][PART_NAME_MAX];
static char bare_names[PARTS_MAX][PART_NAME_MAX];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const ceilings[PARTS_MAX] = {"17M=", "20M=", "17M=", "32M="};
	static const char *const algorithms[PARTS_MAX] = {"cubic=", "bbr=", "cubic=", "bbr="};

	(void)argc, (void)argv;
	parts_open();
	for (unsigned i = 0; i < PARTS_MAX; i++) {
		part_name(i, ceilings[i], sweep_names[i]);
		part_name(i, algorithms[i], compare_names[i]);
		part_name(i, "", bare_names[i]);
	}
	return 0;
}

static void options_choose(struct options *options, uint8_t one, uint8_t two)
{

	options->form = (enum form)(one & 3);
	options->role = (enum role)(one >> 2 & 3);
	options->allow_lower = one & 16;
	options->no_host = true;
	if (two & 1) {
		options->given |= GIVEN_IDLE_RTT;
		options->idle_rtt_us = 52000;
	}
	if (two & 2) {
		options->given |= GIVEN_MAX_LOSS;
		options->max_loss = 0.01;
	}
}

static int run_quietly(const struct options *options, bool sweep, char **text, size_t *length)
{
	static char message[4096];
	FILE *out = stdout, *err = stderr;
	char *said = NULL;
	size_t said_length = 0;

	fflush(stdout);
	stdout = open_memstream(text, length);
	stderr = open_memstream(&said, &said_length);
	if (!stdout || !stderr)
		abort();
	message[0] = '\0';
	errors_keep(message, sizeof(message));
	int code = sweep ? verb_sweep(options) : verb_compare(options);
	errors_keep(NULL, 0);
	if (fclose(stdout) != 0 || fclose(stderr) != 0)
		abort();
	stdout = out;
	stderr = err;
	check_harmless(message, strlen(message));
	check_harmless(said, said_length);
	if (code != 0 && message[0] == '\0' && said_length == 0)
		abort();
	free(said);
	return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *operands[PARTS_MAX];
	struct options options = {.operands = operands};
	char *text = NULL;
	size_t length = 0;

	if (size < 2)
		return 0;
	bool sweep = data[0] & 32, bare = data[0] & 64;
	options_choose(&options, data[0], data[1]);
	options.operand_count = parts_write(data + 2, size - 2);
	for (unsigned i = 0; i < PARTS_MAX; i++)
		operands[i] = bare ? bare_names[i] : sweep ? sweep_names[i] : compare_names[i];
	int code = run_quietly(&options, sweep, &text, &length);
	check_harmless(text, length);
	if (code != 0 && length > 0)
		abort();
	if (code == 0 && options.form == FORM_JSON)
		check_json(text, length);
	free(text);
	return 0;
}
