#include "options/table.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26
#define HELP_WIDTH 79

static const char notes[] =
    "\nEach FILE is taken for what it holds: iperf3 text or JSON, ss -tmi, ping,\n"
    "sysctl -a, nstat, tc -s qdisc. '-', or nothing at all, is standard input.\n"
    "\nRates are bit/s with k, M, G (1000-based): 703M, 3.34Gbit/s, 80MB/s. Sizes are\n"
    "bytes with K, M, G (1024-based, as in iperf3): 4.36M, 20MiB; MB is decimal.\n"
    "Times need a unit: 52ms.\n"
    "\nExit status: 0 done, 1 system error, 2 usage, 3 no usable evidence,\n"
    "4 not all could be set or taken back, 5 with --check: something to change.\n";

/* Prints the words of `text` from HELP_COLUMN on. */
static void print_wrapped(const char *text)
{
	size_t at = HELP_COLUMN;
	for (const char *word = text; *word;) {
		size_t length = strcspn(word, " ");
		if (at + 1 + length > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		}
		at += (size_t)printf("%s%.*s", at > HELP_COLUMN ? " " : "", (int)length, word);
		word += length + (word[length] == ' ');
	}
	putchar('\n');
}

static void print_entry(const char *head, const char *help)
{
	if (strlen(head) > HELP_COLUMN - 2)
		printf("%s\n%*s", head, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, head);
	print_wrapped(help);
}

static void print_option(const struct option_row *row)
{
	char head[80], letter[8] = "    ", argument[48] = "";
	if (row->letter)
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	if (row->argument)
		snprintf(argument, sizeof argument, row->optional ? "[=%s]" : " %s", row->argument);
	snprintf(head, sizeof head, "  %s--%s%s", letter, row->name, argument);
	print_entry(head, row->help);
}

static void print_usage_line(FILE *stream, const char *lead, const struct verb_row *verb)
{
	const char *name = verb->verb == VERB_ADVISE ? "[advise]" : verb->name;
	fprintf(stream, "%sbdp %s [options] %s\n", lead, name, verb->operands);
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

static void print_verb(const struct verb_row *verb)
{
	char head[32];
	snprintf(head, sizeof head, "  %s", verb->name);
	print_entry(head, verb->help);
}

void options_print_help(const struct verb_row *verb)
{
	const struct verb_row *first = verb ? verb : verb_rows;
	const struct verb_row *end = verb ? verb + 1 : verb_rows + verb_row_count;
	for (const struct verb_row *row = first; row < end; row++)
		print_usage_line(stdout, row == first ? "Usage: " : "       ", row);
	printf("\nVerbs:\n");
	for (const struct verb_row *row = first; row < end; row++)
		print_verb(row);
	for (const struct verb_row *row = first; row < end; row++)
		print_verb_options(row);
	print_common_options();
	fputs(notes, stdout);
}

void options_usage(void *stream)
{
	for (size_t i = 0; i < verb_row_count; i++)
		print_usage_line(stream, i == 0 ? "usage: " : "       ", &verb_rows[i]);
	fputs("Give it an iperf3 run, or two of -b RATE, -r TIME and -w SIZE; see bdp --help.\n",
	    stream);
}
