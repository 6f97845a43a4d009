#include "verbs/verbs.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/quote.h"
#include "report/each_table.h"
#include "verbs/question.h"
#include "verbs/output.h"

struct each {
	struct options options; /* of the case at hand */
	const char *name;	/* its one operand */
	bool written;		/* every line so far */
	bool failed, wants_change;
	bool tabular; /* -o table */
	struct each_table table;
};

/* The error without the name that it begins with: the line has that already. */
static const char *reason_of(const char *error, const char *name)
{
	const char *shown = quoted(strcmp(name, "-") == 0 ? "standard input" : name);
	size_t length = strlen(shown);

	if (strncmp(error, shown, length) == 0 && strncmp(error + length, ": ", 2) == 0)
		return error + length + 2;
	return error;
}

static bool failure_line(const char *name, const char *why)
{
	struct json_out out;

	json_out_begin(&out, stdout, true);
	json_out_object(&out, NULL);
	json_out_string(&out, "file", name);
	json_out_string(&out, "error", why);
	json_out_end_object(&out);
	return json_out_finish(&out);
}

static void each_fail(struct each *each, const char *name, const char *why)
{
	each->failed = true;
	each->written =
	    each->tabular ? each_table_failure(&each->table, name, why) : failure_line(name, why);
}

static void each_file(struct each *each, const char *name)
{
	/* a name, every byte of it escaped, and what is said of it */
	char error[2048] = "";
	struct question *c;
	struct report report;

	each->name = name;
	errors_keep(error, sizeof(error));
	int code = question_read(&c, &each->options);
	if (code == 0)
		code = question_compute(c, &each->options);
	errors_keep(NULL, 0);
	if (code == 0) {
		question_bundle(c, &each->options, &report);
		each->written = each->tabular ? each_table_line(&each->table, &report, name)
					      : report_json_line(&report, name, stdout);
		each->wants_change =
		    each->wants_change || plan_wants_change(&c->plan, &c->findings);
	} else {
		each_fail(each, name, reason_of(error, name));
	}
	question_free(c);
	each->name = NULL;
}

/* Names that end in NUL, as find -print0 writes them, so that any name can be told. */
static int each_name_read(struct each *each)
{
	char name[PATH_MAX];
	size_t length = 0;
	int c;

	while (each->written && (c = getc_unlocked(stdin)) != EOF) {
		if (length < sizeof(name))
			name[length++] = (char)c;
		if (c != '\0')
			continue;
		if (name[length - 1] == '\0') {
			each_file(each, name);
		} else {
			name[sizeof(name) - 1] = '\0';
			each_fail(each, name, strerror(ENAMETOOLONG));
		}
		length = 0;
	}
	if (ferror(stdin)) {
		report_error("standard input: %s", strerror(errno));
		return 1;
	}
	if (each->written && length > 0 && length < sizeof(name)) {
		name[length] = '\0';
		each_file(each, name);
	}
	return 0;
}

/* Standard input can be read once only, and most combinations would read it for every file. */
static const char *misuse_of(const struct options *options)
{
	bool reads_input = (options->sysctl && strcmp(options->sysctl, "-") == 0) ||
			   (options->baseline && strcmp(options->baseline, "-") == 0);

	if (options->form != FORM_TEXT && options->form != FORM_JSON && options->form != FORM_TABLE)
		return "--each writes one JSON object a line: leave out -o, or make it -o json or "
		       "-o table";
	if (reads_input)
		return "--each reads --sysctl and --baseline for every file: name a file, not '-'";
	if (options->operand_count == 0 && !options->null_names)
		return "--each needs files, or -0 and their names on standard input";
	return NULL;
}

/* What one case gives back the next one needs again: it is not worth the kernel's while. */
static void memory_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

/* The names on standard input are not known yet. */
static void begin_table(struct each *each, const struct options *options)
{
	struct style style = output_style(options, OUTPUT_WIDTH_TABLE);
	size_t longest = 0;

	for (size_t i = 0; i < options->operand_count && !options->null_names; i++)
		if (strlen(options->operands[i]) > longest)
			longest = strlen(options->operands[i]);
	/* what a pipe takes is not wrapped */
	style.width = isatty(STDOUT_FILENO) ? style.width : UINT_MAX;
	each_table_begin(&each->table, &style, longest, stdout);
}

int verb_each(const struct options *options)
{
	struct each each = {
	    .options = *options, .written = true, .tabular = options->form == FORM_TABLE};
	const char *misuse = misuse_of(options);
	int code = 0;

	if (misuse) {
		report_error("%s", misuse);
		return 2;
	}
	memory_keep();
	if (each.tabular)
		begin_table(&each, options);
	each.options.operands = &each.name;
	each.options.operand_count = 1;
	for (size_t i = 0; i < options->operand_count && each.written; i++)
		each_file(&each, options->operands[i]);
	if (options->null_names && each.written)
		code = each_name_read(&each);
	int written = output_finish(each.written);
	if (written != 0 || code != 0)
		return written != 0 ? written : code;
	if (each.failed)
		return 3;
	return options->check && each.wants_change ? 5 : 0;
}
