#include "options/options.h"

#include "base/nearest.h"
#include "base/quote.h"
#include "base/units.h"
#include "evidence/host.h"
#include "evidence/socket_state.h"
#include "model/path.h"
#include "options/table.h"
#include "options/version.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* getopt_long returns this plus the row of a long option. */
#define LONG_BASE 256
/* Sockets are not read more often: the readings themselves would be the load. */
#define WAIT_MIN_S 0.1

struct parse {
	struct options *options;
	const struct verb_row *verb;
	bool verb_named;
	const char *words[OPTION_COUNT]; /* arguments as given, "" for a flag; NULL: not given */
};

typedef enum options_result setter(
    struct parse *parse, const struct option_row *row, const char *word);

static enum options_result __attribute__((format(printf, 1, 2))) misuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vwarnx(format, arguments);
	va_end(arguments);
	return OPTIONS_MISUSE;
}

static enum options_result misuse_value(
    const struct option_row *row, const char *word, const char *why)
{
	return misuse("%s '%s': %s", row->what, quoted(word), why);
}

static void *target_of(struct parse *parse, const struct option_row *row)
{
	return (char *)parse->options + row->target;
}

static enum options_result set_flag(
    struct parse *parse, const struct option_row *row, const char *word)
{
	(void)word;
	*(bool *)target_of(parse, row) = true;
	return OPTIONS_RUN;
}

static enum options_result set_text(
    struct parse *parse, const struct option_row *row, const char *word)
{
	if (*word == '\0')
		return misuse(
		    "--%s '': expected %s, such as %s", row->name, row->argument, row->example);
	*(const char **)target_of(parse, row) = word;
	return OPTIONS_RUN;
}

/* What reads a double: rates, times and percentages differ in nothing else. */
typedef bool reader(const char *text, double *value, const char **why);

static enum options_result set_double(
    struct parse *parse, const struct option_row *row, const char *word, reader *read)
{
	const char *why;
	if (!read(word, target_of(parse, row), &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

static enum options_result set_rate(
    struct parse *parse, const struct option_row *row, const char *word)
{
	return set_double(parse, row, word, rate_parse);
}

static enum options_result set_time(
    struct parse *parse, const struct option_row *row, const char *word)
{
	return set_double(parse, row, word, time_parse);
}

static enum options_result set_percent(
    struct parse *parse, const struct option_row *row, const char *word)
{
	return set_double(parse, row, word, percent_parse);
}

static enum options_result set_size(
    struct parse *parse, const struct option_row *row, const char *word)
{
	uint64_t *bytes = target_of(parse, row);
	const char *why;
	if (!size_parse(word, bytes, &why))
		return misuse_value(row, word, why);
	if (row->max > 0 && *bytes > row->max)
		return misuse(
		    "%s '%s': expected at most %s; a larger one is a control group's word for "
		    "unlimited",
		    row->what, quoted(word), size_text((double)row->max).s);
	if (*bytes < row->min)
		return misuse("%s '%s': expected at least %s, such as %s", row->what, quoted(word),
		    size_text((double)row->min).s, row->example);
	return OPTIONS_RUN;
}

static enum options_result set_persist(
    struct parse *parse, const struct option_row *row, const char *word)
{
	(void)row;
	parse->options->persist = true;
	parse->options->persist_file = *word ? word : NULL;
	return OPTIONS_RUN;
}

static enum options_result set_count(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!count_parse(word, row->min, row->max, target_of(parse, row), &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

static enum options_result set_unsigned(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	uint64_t count;
	if (!count_parse(word, row->min, row->max, &count, &why))
		return misuse_value(row, word, why);
	*(unsigned *)target_of(parse, row) = (unsigned)count;
	return OPTIONS_RUN;
}

static enum options_result set_seconds(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	double seconds;
	if (!duration_parse(word, (double)row->min, (double)row->max, &seconds, &why))
		return misuse_value(row, word, why);
	if (seconds != floor(seconds))
		return misuse_value(row, word, "expected whole seconds, such as 60s");
	*(unsigned *)target_of(parse, row) = (unsigned)seconds;
	return OPTIONS_RUN;
}

static enum options_result set_wait(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!duration_parse(word, WAIT_MIN_S, (double)row->max, target_of(parse, row), &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

static enum options_result set_number(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!number_parse(word, (double)row->min, (double)row->max, target_of(parse, row), &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

/* Finds the word in row->words, or says which there are. */
static enum options_result word_index(const struct option_row *row, const char *word, size_t *index)
{
	char list[120] = "", hint[48] = "";
	struct nearest nearest = nearest_to(word);
	for (size_t i = 0; row->words[i]; i++) {
		if (strcmp(word, row->words[i]) == 0) {
			*index = i;
			return OPTIONS_RUN;
		}
		nearest_try(&nearest, row->words[i]);
		const char *joint = i == 0 ? "" : row->words[i + 1] ? ", " : " or ";
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", joint, row->words[i]);
	}
	if (nearest.best)
		snprintf(hint, sizeof hint, "; did you mean %s?", nearest.best);
	return misuse("%s '%s': expected %s%s", row->what, quoted(word), list, hint);
}

static enum options_result set_form(
    struct parse *parse, const struct option_row *row, const char *word)
{
	size_t index = 0;
	enum options_result result = word_index(row, word, &index);
	if (result == OPTIONS_RUN)
		parse->options->form = (enum form)index;
	return result;
}

static enum options_result set_role(
    struct parse *parse, const struct option_row *row, const char *word)
{
	size_t index;
	enum options_result result = word_index(row, word, &index);
	if (result == OPTIONS_RUN)
		parse->options->role = (enum role)(index + 1); /* ROLE_UNKNOWN is no choice */
	return result;
}

static enum options_result set_color(
    struct parse *parse, const struct option_row *row, const char *word)
{
	size_t index = 0;
	enum options_result result = word_index(row, word, &index);
	if (result == OPTIONS_RUN)
		parse->options->color = (enum color_when)index;
	return result;
}

static enum options_result set_kernel(
    struct parse *parse, const struct option_row *row, const char *word)
{
	if (!kernel_version_parse(word, &parse->options->kernel))
		return misuse_value(
		    row, word, "expected a version, such as 6.1 or 5.15.0-91-generic");
	return OPTIONS_RUN;
}

static enum options_result set_endpoint(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!endpoint_parse(word, &parse->options->socket, &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

static enum options_result set_peer(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!address_block_parse(word, &parse->options->peer, &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

static enum options_result set_states(
    struct parse *parse, const struct option_row *row, const char *word)
{
	const char *why;
	if (!socket_states_parse(word, &parse->options->states, &why))
		return misuse_value(row, word, why);
	return OPTIONS_RUN;
}

/* One word of a list, as its kind has it. */
static enum options_result read_step(
    const struct option_row *row, const char *word, struct step_value *value)
{
	uint64_t whole = 0;
	const char *why = "expected a name such as cubic";
	bool good;

	switch (row->kind) {
	case KIND_CEILINGS:
		good = size_parse(word, &whole, &why);
		break;
	case KIND_STREAM_LIST:
		good = count_parse(word, row->min, row->max, &whole, &why);
		break;
	case KIND_PACING:
		good = rate_parse(word, &value->number, &why);
		break;
	default:
		good = *word != '\0' && strlen(word) < 32;
		break;
	}
	if (row->kind != KIND_PACING)
		value->number = (double)whole;
	return good ? OPTIONS_RUN : misuse_value(row, word, why);
}

static enum options_result set_steps(
    struct parse *parse, const struct option_row *row, const char *word)
{
	struct options *options = parse->options;
	enum steps_of steps = (enum steps_of)(STEPS_CEILINGS + (row->kind - KIND_CEILINGS));
	enum options_result result = OPTIONS_RUN;

	if (options->steps != STEPS_NOTHING && options->steps != steps)
		return misuse(
		    "--ceilings, --cc, --streams and --pacing exclude each other: one thing "
		    "at a time; sweep the algorithms first");
	options->steps = steps;
	options->step_count = 0;
	for (const char *at = word; result == OPTIONS_RUN; at++) {
		struct step_value *value = &options->step_values[options->step_count];
		size_t length = strcspn(at, ",");
		if (options->step_count++ == STEPS_MAX)
			return misuse("--%s: more than %d values", row->name, STEPS_MAX);
		snprintf(
		    value->word, sizeof(value->word), "%.*s", length < 60 ? (int)length : 60, at);
		result = read_step(row, value->word, value);
		at += length;
		if (*at == '\0')
			break;
	}
	return result;
}

/* A percentage can be computed only when the connections are known: see active_resolve. */
static enum options_result set_active(
    struct parse *parse, const struct option_row *row, const char *word)
{
	(void)parse, (void)row, (void)word;
	return OPTIONS_RUN;
}

static enum options_result set_help(
    struct parse *parse, const struct option_row *row, const char *word)
{
	(void)row, (void)word;
	options_print_help(parse->verb_named ? parse->verb : NULL);
	return OPTIONS_DONE;
}

static enum options_result set_version(
    struct parse *parse, const struct option_row *row, const char *word)
{
	(void)parse, (void)row, (void)word;
	version_print();
	return OPTIONS_DONE;
}

static setter *const setters[] = {
    [KIND_FLAG] = set_flag,
    [KIND_TEXT] = set_text,
    [KIND_RATE] = set_rate,
    [KIND_TIME] = set_time,
    [KIND_SIZE] = set_size,
    [KIND_PERCENT] = set_percent,
    [KIND_COUNT] = set_count,
    [KIND_UNSIGNED] = set_unsigned,
    [KIND_SECONDS] = set_seconds,
    [KIND_WAIT] = set_wait,
    [KIND_NUMBER] = set_number,
    [KIND_FORM] = set_form,
    [KIND_ROLE] = set_role,
    [KIND_COLOR] = set_color,
    [KIND_KERNEL] = set_kernel,
    [KIND_ENDPOINT] = set_endpoint,
    [KIND_PEER] = set_peer,
    [KIND_STATES] = set_states,
    [KIND_CEILINGS] = set_steps,
    [KIND_ALGORITHMS] = set_steps,
    [KIND_STREAM_LIST] = set_steps,
    [KIND_PACING] = set_steps,
    [KIND_ACTIVE] = set_active,
    [KIND_PERSIST] = set_persist,
    [KIND_HELP] = set_help,
    [KIND_VERSION] = set_version,
};
_Static_assert(sizeof setters / sizeof setters[0] == KIND_COUNT_OF_KINDS, "a setter for each kind");

static bool row_is_of(const struct option_row *row, enum verb verb)
{
	return (row->verbs & IN(verb)) != 0;
}

/* The command whose help fits what was typed. */
static const char *help_of(const struct parse *parse)
{
	static char command[32];
	snprintf(command, sizeof command, "bdp %s", parse->verb->name);
	return parse->verb_named ? command : "bdp";
}

/* An option of other verbs: which ones, since the verb may be what was forgotten. */
static enum options_result misuse_other_verb(const struct parse *parse, const char *name)
{
	char list[120] = "";
	const char *last = NULL;
	for (size_t i = 0; i < verb_row_count; i++) {
		for (size_t id = 0; id < OPTION_COUNT; id++) {
			const struct option_row *row = &option_rows[id];
			if (!row_is_of(row, verb_rows[i].verb) || strcmp(name, row->name) != 0)
				continue;
			size_t used = strlen(list);
			last = verb_rows[i].name;
			snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", last);
		}
	}
	return misuse("'--%s' is not an option of '%s', but of %s; see bdp %s --help", name,
	    parse->verb->name, list, last);
}

/* "--name=value" or "--name": is it an option of another verb, or near one of this verb? */
static enum options_result misuse_unknown_long(const struct parse *parse, const char *word)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	struct nearest nearest = nearest_to(name);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		if (row_is_of(row, parse->verb->verb))
			nearest_try(&nearest, row->name);
		else if (strcmp(name, row->name) == 0)
			return misuse_other_verb(parse, name);
	}
	if (nearest.best)
		return misuse(
		    "unknown option '%s'; did you mean --%s?", quoted(word), nearest.best);
	return misuse("unknown option '%s'; %s --help lists them", quoted(word), help_of(parse));
}

/* The row of what getopt_long returned. */
static const struct option_row *row_find(const struct parse *parse, int code)
{
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[id];
		bool same = code == LONG_BASE + id || (row->letter && code == row->letter);
		if (same && row_is_of(row, parse->verb->verb))
			return row;
	}
	return NULL;
}

/* The same of a code that getopt_long has out of the lists that were made of the rows. */
static const struct option_row *row_of(const struct parse *parse, int code)
{
	const struct option_row *row = row_find(parse, code);
	if (row == NULL)
		abort();
	return row;
}

static enum options_result misuse_unknown_letter(const struct parse *parse, char letter)
{
	char word[2] = {letter, '\0'};
	char other = (char)(letter ^ ('a' ^ 'A'));
	const struct option_row *near = row_find(parse, other);
	if (near && isalpha((unsigned char)other))
		return misuse(
		    "unknown option '-%s'; did you mean -%c, --%s?", word, other, near->name);
	return misuse("unknown option '-%s'; %s --help lists them", quoted(word), help_of(parse));
}

static enum options_result misuse_no_argument(const struct parse *parse)
{
	const struct option_row *row = row_of(parse, optopt);
	if (optopt >= LONG_BASE)
		return misuse("'--%s' needs %s, such as --%s %s", row->name, row->argument,
		    row->name, row->example);
	return misuse("'-%c' needs %s, such as -%c %s", row->letter, row->argument, row->letter,
	    row->example);
}

static enum options_result misuse_option(const struct parse *parse, const char *word)
{
	if (optopt >= LONG_BASE)
		return misuse("'%s': --%s takes no argument; leave out '=' and what follows",
		    quoted(word), row_of(parse, optopt)->name);
	if (optopt == 0)
		return misuse_unknown_long(parse, word);
	return misuse_unknown_letter(parse, (char)optopt);
}

/* getopt_long takes any beginning of a name that is unique today; a name is known only whole. */
static bool is_spelt_out(const char *word, const struct option_row *row)
{
	return strcspn(word + 2, "=") == strlen(row->name);
}

static enum options_result parse_option(struct parse *parse, int code, char *const *end)
{
	if (code == ':')
		return misuse_no_argument(parse);
	if (code == '?')
		return misuse_option(parse, end[-1]);
	const struct option_row *row = row_of(parse, code);
	const char *word = end[-1] == optarg ? end[-2] : end[-1];
	if (code >= LONG_BASE && !is_spelt_out(word, row))
		return misuse_unknown_long(parse, word);
	const char *argument = optarg ? optarg : "";
	parse->words[row - option_rows] = argument;
	parse->options->given |= row->given;
	return setters[row->kind](parse, row, argument);
}

/* Makes getopt_long's two lists of the rows that belong to the verb. */
static void getopt_lists(enum verb verb, struct option *longs, char *letters)
{
	*letters++ = ':';
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[id];
		if (!row_is_of(row, verb))
			continue;
		int has_argument = row->argument == NULL ? no_argument
				   : row->optional	 ? optional_argument
							 : required_argument;
		*longs++ = (struct option){row->name, has_argument, NULL, LONG_BASE + id};
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && has_argument == required_argument)
			*letters++ = ':';
	}
	*longs = (struct option){NULL, 0, NULL, 0};
	*letters = '\0';
}

static enum options_result parse_words(struct parse *parse, int argc, char **argv)
{
	struct option longs[OPTION_COUNT + 1];
	char letters[2 * OPTION_COUNT + 2];
	getopt_lists(parse->verb->verb, longs, letters);
	optind = 0; /* GNU: begin anew, whatever was parsed before */
	opterr = 0;
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		enum options_result result = parse_option(parse, code, argv + optind);
		if (result != OPTIONS_RUN)
			return result;
	}
	parse->options->operands = (const char *const *)argv + optind;
	parse->options->operand_count = (size_t)(argc - optind);
	if (parse->verb->operands[0] == '\0' && optind < argc)
		return misuse("'%s' takes no operand, and '%s' is one", parse->verb->name,
		    quoted(argv[optind]));
	return OPTIONS_RUN;
}

static enum options_result check_relations(const struct parse *parse)
{
	for (size_t i = 0; i < relation_count; i++) {
		const struct relation *relation = &relations[i];
		const char *name = option_rows[relation->option].name;
		const char *other = option_rows[relation->other].name;
		bool has_other = parse->words[relation->other] != NULL;
		bool here = relation->verbs == 0 || (relation->verbs & IN(parse->verb->verb));
		if (!here || parse->words[relation->option] == NULL ||
		    relation->needs != !has_other)
			continue;
		if (relation->needs)
			return misuse("--%s needs --%s: %s", name, other, relation->why);
		return misuse("--%s and --%s exclude each other: %s", name, other, relation->why);
	}
	return OPTIONS_RUN;
}

/* Rounded up: the memory that busy connections take is not to be understated. */
static enum options_result resolve_active(const struct parse *parse)
{
	struct options *options = parse->options;
	const char *word = parse->words[OPTION_ACTIVE], *why;
	if (word == NULL)
		return OPTIONS_RUN;
	if (strchr(word, '%') == NULL) {
		if (!count_parse(word, 1, options->connections, &options->active, &why))
			return misuse("active connections '%s': %s, or a percentage such as 5%%",
			    quoted(word), why);
		return OPTIONS_RUN;
	}
	double ratio;
	if (!percent_parse(word, &ratio, &why))
		return misuse_value(&option_rows[OPTION_ACTIVE], word, why);
	if (ratio == 0)
		return misuse_value(
		    &option_rows[OPTION_ACTIVE], word, "expected more than none, such as 5%");
	options->active = (uint64_t)ceil(ratio * (double)options->connections);
	return OPTIONS_RUN;
}

/* Each of the three is given with three digits or so: up to 5 % apart is the same. */
static enum options_result check_triangle(const struct parse *parse)
{
	const struct options *options = parse->options;
	unsigned all = GIVEN_BANDWIDTH | GIVEN_RTT | GIVEN_WINDOW;
	if ((options->given & all) != all)
		return OPTIONS_RUN;
	double bdp = bdp_bytes(options->bandwidth_bps, options->rtt_us);
	if (fabs((double)options->window_bytes / bdp - 1) <= 0.05)
		return OPTIONS_RUN;
	return misuse("-b %s, -r %s and -w %s contradict each other: %s x %s is %s; leave one out",
	    quoted(parse->words[OPTION_BANDWIDTH]), quoted(parse->words[OPTION_RTT]),
	    quoted(parse->words[OPTION_WINDOW]), rate_text(options->bandwidth_bps).s,
	    time_text(options->rtt_us).s, size_text(bdp).s);
}

static enum options_result check(const struct parse *parse)
{
	static enum options_result (*const checks[])(const struct parse *) = {
	    check_relations, resolve_active, check_triangle};
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		enum options_result result = checks[i](parse);
		if (result != OPTIONS_RUN)
			return result;
	}
	return OPTIONS_RUN;
}

static const struct verb_row *verb_named(const char *word)
{
	for (size_t i = 0; word && i < verb_row_count; i++) {
		if (strcmp(verb_rows[i].name, word) == 0)
			return &verb_rows[i];
	}
	return NULL;
}

/* Where no verb was named, the word of advise that should be a file: is it a verb misspelt, or one
 * that does not come first? */
static enum options_result check_file(const char *word)
{
	const char *meant = options_suggest_verb(word);
	if (meant == NULL || access(word, F_OK) == 0 || errno != ENOENT)
		return OPTIONS_RUN;
	if (strcmp(word, meant) == 0)
		return misuse("%s: no such file; a verb must come first: bdp %s ...", word, meant);
	return misuse("%s: no such file; did you mean %s%s?", quoted(word),
	    *meant == '-' ? "" : "the verb ", meant);
}

/* The first word before the options, which would be refused as none of advise's. */
static enum options_result parse_unnamed(struct parse *parse, int argc, char **argv)
{
	bool has_word = argc > 1 && argv[1][0] != '-';
	enum options_result result = has_word ? check_file(argv[1]) : OPTIONS_RUN;
	if (result == OPTIONS_RUN)
		result = parse_words(parse, argc, argv);
	/* of a list of files each is answered by itself */
	if (result != OPTIONS_RUN || parse->options->operand_count == 0 || parse->options->each)
		return result;
	return check_file(parse->options->operands[0]);
}

/* bdp help [VERB] */
static enum options_result help_on(const struct options *options)
{
	if (options->operand_count > 1)
		return misuse("help takes one verb, not %zu", options->operand_count);
	const char *word = options->operand_count == 1 ? options->operands[0] : NULL;
	const struct verb_row *verb = verb_named(word);
	if (word && !verb) {
		const char *meant = options_suggest_verb(word);
		return misuse("help '%s': no verb; %s%s", quoted(word),
		    meant ? "did you mean bdp help " : "bdp explain has the words of reports",
		    meant ? meant : "");
	}
	options_print_help(verb);
	return OPTIONS_DONE;
}

enum options_result options_parse(struct options *options, int argc, char **argv)
{
	const struct verb_row *named = argc > 1 ? verb_named(argv[1]) : NULL;
	const struct verb_row *verb = named ? named : &verb_rows[0];
	*options = (struct options){.verb = verb->verb};
	struct parse parse = {.options = options, .verb = verb, .verb_named = named != NULL};
	enum options_result result =
	    named ? parse_words(&parse, argc - 1, argv + 1) : parse_unnamed(&parse, argc, argv);
	if (result == OPTIONS_RUN && verb->verb == VERB_HELP)
		return help_on(options);
	return result == OPTIONS_RUN ? check(&parse) : result;
}

const char *options_suggest_verb(const char *word)
{
	if (strpbrk(word, "/.=") != NULL)
		return NULL;
	struct nearest nearest = nearest_to(word);
	for (size_t i = 0; i < verb_row_count; i++)
		nearest_try(&nearest, verb_rows[i].name);
	if (nearest.best == NULL && strcmp(word, "version") == 0)
		return "--version";
	return nearest.best;
}
