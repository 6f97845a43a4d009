#include "verbs/run_groups_read.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/units.h"
#include "report/run_groups_report.h"

void run_groups_begin(struct run_groups *set, const struct run_groups_given *given)
{
	*set = (struct run_groups){
	    .what = given->what, .swept_key = given->swept_key, .idle_rtt_us = given->idle_rtt_us};
}

static char *copy(const char *text, size_t length)
{
	char *made = strndup(text, length);

	if (!made)
		err(1, NULL);
	return made;
}

static struct run_source *append(struct run_groups *set, const char *name)
{
	struct run_source *source = calloc(1, sizeof(*source));

	set->sources = reallocarray(set->sources, set->source_count + 1, sizeof(*set->sources));
	if (!source || !set->sources)
		err(1, NULL);
	source->name = copy(name, strlen(name));
	set->sources[set->source_count++] = source;
	return source;
}

/* ---- reading ---- */

/* "LABEL=FILE": the equals sign of a path that exists, or behind a slash, is part of a name; those of
 * sender=FILE and receiver=FILE say whose file it is. */
static const char *split_label(const char *operand, size_t *length)
{
	const char *equals = strchr(operand, '=');

	*length = 0;
	if (!equals || equals == operand || memchr(operand, '/', (size_t)(equals - operand)) ||
	    strncmp(operand, "sender=", 7) == 0 || strncmp(operand, "receiver=", 9) == 0 ||
	    access(operand, F_OK) == 0)
		return operand;
	*length = (size_t)(equals - operand);
	return equals + 1;
}

static int exit_of(enum operand_result result)
{
	return result == OPERAND_OK ? 0 : result == OPERAND_SYSTEM ? 1 : 3;
}

/* "run.json,ping.txt"; a file whose name has the comma is one. */
static int read_files(struct evidence *evidence, const char *files)
{
	if (access(files, F_OK) == 0)
		return exit_of(evidence_read(evidence, files));
	for (const char *at = files;;) {
		size_t length = strcspn(at, ",");
		char *file = copy(at, length);
		int code = 2;
		if (length == 0)
			warnx("'%s': a file name is missing beside the comma", quoted(files));
		else
			code = exit_of(evidence_read(evidence, file));
		free(file);
		if (code != 0 || at[length] == '\0')
			return code;
		at += length + 1;
	}
}

static int read_ceiling(struct run_source *source)
{
	uint64_t bytes;
	const char *why;

	if (source->label[0] == '\0')
		return 0;
	if (!size_parse(source->label, &bytes, &why)) {
		warnx("'%s=': a ceiling such as 17M= is expected there: %s", quoted(source->label),
		    why);
		return 2;
	}
	source->ceiling_bytes = (double)bytes;
	source->from = CEILING_LABEL;
	return 0;
}

int run_groups_read(struct run_groups *set, const char *operand)
{
	size_t length;
	const char *files = split_label(operand, &length);
	struct run_source *source = append(set, files);

	source->label = copy(operand, length);
	int code = set->what == RUN_GROUPS_OF_SWEEP ? read_ceiling(source) : 0;
	return code != 0 ? code : read_files(&source->evidence, files);
}

void run_groups_add(
    struct run_groups *set, const char *label, double ceiling_bytes, struct evidence *evidence)
{
	struct run_source *source = append(set, label);

	source->label = copy(label, strlen(label));
	source->ceiling_bytes = ceiling_bytes;
	source->from = ceiling_bytes > 0 ? CEILING_LABEL : CEILING_UNKNOWN;
	source->evidence = *evidence;
	*evidence = (struct evidence){0};
}

/* ---- gathering ---- */

/* Labels that were not given: the files as typed. */
static void find_labels(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++) {
		struct run_source *source = set->sources[i];
		if (source->label[0] != '\0')
			continue;
		free(source->label);
		source->label = copy(source->name, strlen(source->name));
	}
}

int run_groups_prepare(struct run_groups *set)
{
	if (set->what == RUN_GROUPS_OF_COMPARE)
		find_labels(set);
	enum groups_problem problem = run_groups_gather(set);
	if (problem == GROUPS_GOOD)
		return 0;
	for (size_t i = 0; i < set->left_out_count; i++)
		warnx("%s", left_out_text(&set->left_out[i]).s);
	warnx("%s", groups_problem_text(set, problem).s);
	return 3;
}

void run_groups_free(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++) {
		evidence_free(&set->sources[i]->evidence);
		free(set->sources[i]->label);
		free(set->sources[i]->name);
		free(set->sources[i]);
	}
	free(set->sources);
	free(set->runs);
}
