/*
 * The whole program but for its command line: up to four operands, from bytes to every form of
 * report.  The first two bytes choose the options, record separators (0x1e) part the operands.
 * What is printed must be harmless, and the JSON must be JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/complaint.h"
#include "base/json.h"
#include "base/utf8.h"
#include "report/plot.h"
#include "verbs/case.h"

#define PARTS_MAX 4

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int files[PARTS_MAX];
static char names[PARTS_MAX][40];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const labels[PARTS_MAX] = {"", "receiver=", "", "sender="};

	(void)argc, (void)argv;
	for (int i = 0; i < PARTS_MAX; i++) {
		files[i] = memfd_create("fuzz", 0);
		if (files[i] < 0)
			abort();
		snprintf(
		    names[i], sizeof(names[i]), "%s/proc/self/fd/%d", labels[i], files[i]);
	}
	return 0;
}

/* Fills the files with the parts; how many there are. */
static size_t parts_write(const uint8_t *data, size_t size)
{
	size_t count = 0;

	for (;;) {
		const uint8_t *end = size > 0 ? memchr(data, 0x1e, size) : NULL;
		size_t length = end && count + 1 < PARTS_MAX ? (size_t)(end - data) : size;

		if (ftruncate(files[count], 0) < 0 ||
		    pwrite(files[count], data, length, 0) != (ssize_t)length)
			abort();
		count++;
		if (length == size)
			return count;
		data += length + 1;
		size -= length + 1;
	}
}

static void options_choose(struct options *options, uint8_t one, uint8_t two)
{
	options->no_host = true;
	options->role = (enum role)(one & 3);
	options->allow_lower = one & 4;
	options->setsockopt = one & 8;
	options->kernel = one & 16 ? "6.1" : NULL;
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

/* Line feeds and what can be seen: nothing of the input reaches a terminal as it was. */
static void check_harmless(const char *text, size_t length)
{
	while (length > 0) {
		uint32_t code;
		size_t skip, taken = utf8_decode(text, length, &code, &skip);

		if (taken == 0 || (utf8_is_hidden(code) && code != '\n'))
			abort();
		text += taken;
		length -= taken;
	}
}

static void check_json(const char *text, size_t length)
{
	struct source *source = source_memory("report", text, length);
	struct json *json = json_open(source, 0);
	enum json_token token;

	while ((token = json_next(json)) > JSON_END)
		;
	if (token != JSON_END)
		abort();
	json_close(json);
	source_close(source);
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

	for (const struct report_form *form = report_forms; form->name; form++) {
		char *text = NULL;
		size_t length = 0;
		FILE *stream = open_memstream(&text, &length);

		if (!stream || !form->print(report, &style, stream) || fclose(stream) != 0)
			abort();
		check_harmless(text, length);
		if (strcmp(form->name, "json") == 0)
			check_json(text, length);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char complaint[4096];
	const char *operands[PARTS_MAX] = {names[0], names[1], names[2], names[3]};
	struct options options = {.form = "text", .operands = operands};
	struct advise_case *c;
	struct report report;

	if (size < 2)
		return 0;
	options_choose(&options, data[0], data[1]);
	options.operand_count = parts_write(data + 2, size - 2);
	complaint[0] = '\0';
	complaints_keep(complaint, sizeof(complaint));
	int code = case_read(&c, &options);
	if (code == 0)
		code = case_reckon(c, &options);
	complaints_keep(NULL, 0);
	check_harmless(complaint, strlen(complaint));
	if (code == 0) {
		case_bundle(c, &options, &report);
		check_reports(&report, data[1]);
		check_picture(&report);
	} else if (complaint[0] == '\0') {
		abort();
	}
	case_free(c);
	return 0;
}
