#include "options/table.h"

#include <stdio.h>
#include <string.h>

#include "report/layout.h"

#define HELP_COLUMN 26
#define BRIEF_COLUMN 12
#define HELP_WIDTH 79

#define READS_FILES \
	(IN(VERB_ADVISE) | IN(VERB_SWEEP) | IN(VERB_COMPARE) | IN(VERB_SOCKETS) | IN(VERB_HOST))
#define SETS (IN(VERB_ADVISE) | IN(VERB_SWEEP) | IN(VERB_APPLY) | IN(VERB_ROLLBACK))

/* What holds for several verbs, each with those that need it; the overview has all of it. */
static const struct {
	unsigned verbs;
	const char *text;
} notes[] = {
    {READS_FILES, "Each FILE is taken for what it holds: iperf3 text or JSON, ss -tmi, ping, "
		  "sysctl -a, nstat, tc -s qdisc.  '-' is standard input."},
    {IN(VERB_ADVISE) | IN(VERB_SWEEP) | IN(VERB_SOCKETS) | IN(VERB_HOST),
	"Rates are bit/s with k, M, G (1000-based): 703M, 3.34Gbit/s, 80MB/s.  Sizes are bytes "
	"with K, M, G (1024-based, as in iperf3): 4.36M, 20MiB; MB is decimal."},
    {IN(VERB_ADVISE) | IN(VERB_SWEEP) | IN(VERB_COMPARE) | IN(VERB_SOCKETS) | IN(VERB_APPLY),
	"Times have a unit: 52ms, 60s."},
};

/* Exit codes and the verbs that have them. */
static const struct {
	unsigned verbs;
	const char *text;
} exits[] = {
    {IN_ALL, "0 done"},
    {IN_ALL, "1 system error"},
    {IN_ALL, "2 usage"},
    {READS_FILES | IN(VERB_APPLY), "3 no usable evidence"},
    {SETS, "4 not all could be set or taken back"},
    {IN(VERB_ADVISE) | IN(VERB_SOCKETS) | IN(VERB_APPLY) | IN(VERB_HOST),
	"5 with --check: something to change"},
};

/* Prints the words of `text` from `column` on, where the cursor is, wrapped. */
static void print_wrapped(const char *text, unsigned column)
{
	layout_paragraph(stdout, HELP_WIDTH, column, NULL, text);
}

static void print_entry(const char *head, const char *help, int column)
{
	if (strlen(head) > (size_t)column - 2)
		printf("%s\n%*s", head, column, "");
	else
		printf("%-*s", column, head);
	print_wrapped(help, (unsigned)column);
}

static void print_option(const struct option_row *row)
{
	char head[80], letter[8] = "    ", argument[48] = "";
	if (row->letter)
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	if (row->argument)
		snprintf(argument, sizeof argument, row->optional ? "[=%s]" : " %s", row->argument);
	snprintf(head, sizeof head, "  %s--%s%s", letter, row->name, argument);
	print_entry(head, row->help, HELP_COLUMN);
}

/* Where there is nothing to name, nothing stands behind the options. */
static void print_usage_line(FILE *stream, const char *lead, const struct verb_row *verb)
{
	const char *name = verb->verb == VERB_ADVISE ? "[advise]" : verb->name;
	const char *blank = verb->operands[0] ? " " : "";
	fprintf(stream, "%sbdp %s [options]%s%s\n", lead, name, blank, verb->operands);
	if (verb->otherwise)
		fprintf(stream, "       bdp %s [options] %s\n", name, verb->otherwise);
}

static void print_verb_options(const struct verb_row *verb)
{
	bool any = false;
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (option_rows[i].verbs == IN_ALL || !(option_rows[i].verbs & IN(verb->verb)))
			continue;
		if (!any)
			printf("\nOptions of %s:\n", verb->name);
		any = true;
		print_option(&option_rows[i]);
	}
}

static void print_common_options(void)
{
	printf("\nOptions of every verb:\n");
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (option_rows[i].verbs == IN_ALL)
			print_option(&option_rows[i]);
	}
}

static void print_examples(const struct verb_row *verb)
{
	printf("\nExamples:\n");
	for (size_t i = 0; i < VERB_EXAMPLES; i++) {
		printf("  %s\n      ", verb->examples[i].command);
		print_wrapped(verb->examples[i].what, 6);
	}
}

/* What of the notes and the exit codes belongs to one of the verbs. */
static void print_notes(unsigned verbs)
{
	char line[256] = "Exit status:";
	putchar('\n');
	for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
		if (notes[i].verbs & verbs)
			print_wrapped(notes[i].text, 0);
	}
	for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
		size_t used = strlen(line);
		if (exits[i].verbs & verbs)
			snprintf(line + used, sizeof line - used, "%s %s", i > 0 ? "," : "",
			    exits[i].text);
	}
	print_wrapped(line, 0);
}

static void print_verb_help(const struct verb_row *verb)
{
	print_usage_line(stdout, "Usage: ", verb);
	putchar('\n');
	print_wrapped(verb->help, 0);
	print_verb_options(verb);
	print_common_options();
	print_examples(verb);
	print_notes(IN(verb->verb));
}

/* The verbs, and of the options those that are used most. */
static void print_overview(void)
{
	print_usage_line(stdout, "Usage: ", &verb_rows[0]);
	printf("       bdp VERB [options] [operands]\n\nVerbs (bdp help VERB says more):\n");
	for (size_t i = 0; i < verb_row_count; i++) {
		char head[32];
		snprintf(head, sizeof head, "  %s", verb_rows[i].name);
		print_entry(head, verb_rows[i].brief, BRIEF_COLUMN);
	}
	printf("\nOptions of advise that are used most (bdp help advise has all):\n");
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (option_rows[i].common)
			print_option(&option_rows[i]);
	}
	printf("\nExamples:\n");
	for (size_t i = 0; i < VERB_EXAMPLES; i++)
		printf("  %s\n", verb_rows[0].examples[i].command);
	print_notes(IN_ALL);
}

void options_print_help(const struct verb_row *verb)
{
	if (verb)
		print_verb_help(verb);
	else
		print_overview();
}

void options_usage(FILE *stream)
{
	print_usage_line(stream, "usage: ", &verb_rows[0]);
	fputs("       bdp VERB [options] [operands]\n"
	      "Give it an iperf3 run, or two of -b RATE, -r TIME and -w SIZE; see bdp --help.\n",
	    stream);
}
