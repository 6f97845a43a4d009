/*
 * The whole program but for its command line: up to four operands, from bytes to every form of
 * report.  The first two bytes choose the options, record separators (0x1e) part the operands.
 * What is printed must be harmless, and the JSON must be JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parts.h"
#include "report/plot.h"
#include "verbs/question.h"

static char names[PARTS_MAX][PART_NAME_MAX];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const labels[PARTS_MAX] = {"", "receiver=", "", "sender="};

	(void)argc, (void)argv;
	parts_open();
	for (unsigned i = 0; i < PARTS_MAX; i++)
		part_name(i, labels[i], names[i]);
	return 0;
}

static void options_choose(struct options *options, uint8_t one, uint8_t two)
{
	options->no_host = true;
	options->role = (enum role)(one & 3);
	options->allow_lower = one & 4;
	options->setsockopt = one & 8;
	if (one & 16)
		kernel_version_parse("6.1", &options->kernel);
	if (one & 32) {
		options->given |= GIVEN_TARGET;
		options->target_bps = 3.34e9;
	}
	if (one & 64) {
		options->given |= GIVEN_CONNECTIONS;
		options->connections = options->active = 10000;
	}
	if (one & 128) {
		options->given |= GIVEN_MEMORY;
		options->memory_bytes = 16ull << 30;
	}
	if (two & 1) {
		options->given |= GIVEN_RTT;
		options->rtt_us = 52000;
	}
	if (two & 2) {
		options->given |= GIVEN_RUN;
		options->run = 1;
	}
	if (two & 4) {
		options->given |= GIVEN_IDLE_RTT;
		options->idle_rtt_us = 20000;
	}
	options->baseline = two & 8 ? names[0] : NULL;
}

/* Drawn, or nothing to draw. */
static void check_picture(const struct report *report)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		abort();
	plot_run(report, stream);
	if (fclose(stream) != 0)
		abort();
	check_harmless(text, length);
	free(text);
}

static void check_reports(const struct report *report, uint8_t two)
{
	const struct style style = {.utf8 = two & 16, .width = 40 + (two & 0xe0)};

	for (enum form form = FORM_TEXT; form < FORM_TABLE; form++) {
		char *text = NULL;
		size_t length = 0;
		FILE *stream = open_memstream(&text, &length);

		if (!stream || !form_table[form].advise(report, &style, stream) ||
		    fclose(stream) != 0)
			abort();
		check_harmless(text, length);
		if (form == FORM_JSON)
			check_json(text, length);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char error[4096];
	const char *operands[PARTS_MAX] = {names[0], names[1], names[2], names[3]};
	struct options options = {.operands = operands};
	struct question *c;
	struct report report;

	if (size < 2)
		return 0;
	options_choose(&options, data[0], data[1]);
	options.operand_count = parts_write(data + 2, size - 2);
	error[0] = '\0';
	errors_keep(error, sizeof(error));
	int code = question_read(&c, &options);
	if (code == 0)
		code = question_compute(c, &options);
	errors_keep(NULL, 0);
	check_harmless(error, strlen(error));
	if (code == 0) {
		question_bundle(c, &options, &report);
		check_reports(&report, data[1]);
		check_picture(&report);
	} else if (error[0] == '\0') {
		abort();
	}
	question_free(c);
	return 0;
}
