#include "verbs/steps.h"

#include <bsd/string.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/units.h"
#include "evidence/iperf_command.h"

/* The option by which each kind is given, and what to write there. */
static const struct {
	const char *option, *needs, *program_option;
} kinds[] = {
    [STEPS_CEILINGS] = {"--ceilings", "two values or more, such as 16M,20M,24M", NULL},
    [STEPS_ALGORITHMS] = {"--cc", "two algorithms or more, such as cubic,bbr", NULL},
    [STEPS_STREAMS] = {"--streams", "two numbers or more, such as 1,2,4", "-P"},
    [STEPS_PACING] = {"--pacing", "two rates or more, such as 1G,2G", "--fq-rate"},
    [STEPS_COMMANDS] = {"--run", "two or more: A='iperf3 ...' B='iperf3 ...'", NULL},
};

bool steps_set(enum steps_of what)
{
	return what == STEPS_CEILINGS || what == STEPS_ALGORITHMS;
}

_Static_assert((int)STEPS_MAX == (int)RUN_GROUPS_MAX, "each value makes a group of runs");

/* ---- one step ---- */

/* The ceiling in the place of the present one; a default above it would be out of order. */
static bool find_ceiling(struct step *step, const struct step_value *value, enum tunable_id id,
    const struct tunable_value *before)
{
	double least = (double)before->number[0], most = (double)tunables[id].max;

	if (value->number < least || value->number > most) {
		warnx("ceiling '%s': expected %s to %s", quoted(value->word), size_text(least).s,
		    size_text(most).s);
		return false;
	}
	step->value = *before;
	step->value.number[2] = (int64_t)value->number;
	if (step->value.number[1] > step->value.number[2])
		step->value.number[1] = step->value.number[2];
	step->ceiling_bytes = value->number;
	strlcpy(step->label, size_text(value->number).s, sizeof(step->label));
	return true;
}

static bool find_algorithm(struct step *step, const struct step_value *value)
{
	step->value = (struct tunable_value){.known = true};
	strlcpy(step->value.word, value->word, sizeof(step->value.word));
	strlcpy(step->label, value->word, sizeof(step->label));
	return true;
}

/* Behind the program's name, wherever in the line it stands: a pipe or a quote may follow it. */
static bool set_command(struct step *step, const char *line, const char *option, uint64_t number)
{
	static const char program[] = "iperf3";
	const char *at = line;

	while ((at = strstr(at, program)) != NULL) {
		char behind = at[sizeof(program) - 1];
		bool begins = at == line || strchr(" \t/'\"(;&|", at[-1]) != NULL;
		at += sizeof(program) - 1;
		if (begins && (behind == ' ' || behind == '\t'))
			break;
	}
	if (at == NULL) {
		warnx("--run: there is no 'iperf3 ' in it to give %s to", option);
		return false;
	}
	if (asprintf(&step->command, "%.*s %s %" PRIu64 "%s", (int)(at - line), line, option,
		number, at) < 0)
		err(1, NULL);
	return true;
}

static bool find_streams(struct step *step, const struct step_value *value, const char *line)
{
	unsigned streams = (unsigned)value->number;

	snprintf(step->label, sizeof(step->label), "%u stream%s", streams, streams == 1 ? "" : "s");
	return set_command(step, line, kinds[STEPS_STREAMS].program_option, streams);
}

static bool find_pacing(struct step *step, const struct step_value *value, const char *line)
{
	snprintf(step->label, sizeof(step->label), "%s a stream", rate_text(value->number).s);
	return set_command(
	    step, line, kinds[STEPS_PACING].program_option, (uint64_t)(value->number + 0.5));
}

/* ---- all of them ---- */

static bool is_repeated(const struct steps *steps, const struct step *step)
{
	for (size_t i = 0; i < steps->count; i++)
		if (strcmp(steps->items[i].label, step->label) == 0) {
			warnx("'%s' is given twice; --runs N repeats each", quoted(step->label));
			return true;
		}
	return false;
}

static bool find_one(struct steps *steps, const struct options *options,
    const struct step_value *value, enum tunable_id id, const struct tunable_value *before)
{
	struct step *step = &steps->items[steps->count];
	bool good = false;

	*step = (struct step){.ceiling_bytes = 0};
	switch (steps->what) {
	case STEPS_CEILINGS:
		good = find_ceiling(step, value, id, before);
		break;
	case STEPS_ALGORITHMS:
		good = find_algorithm(step, value);
		break;
	case STEPS_STREAMS:
		good = find_streams(step, value, options->command);
		break;
	case STEPS_PACING:
		good = find_pacing(step, value, options->command);
		break;
	case STEPS_NOTHING:
	case STEPS_COMMANDS:
		break;
	}
	if (good && !step->command) {
		step->command = strdup(options->command);
		if (!step->command)
			err(1, NULL);
	}
	good = good && !is_repeated(steps, step);
	/* Counted in any case, so that it is freed. */
	steps->count++;
	return good;
}

static bool from_list(struct steps *steps, const struct options *options, enum tunable_id id,
    const struct tunable_value *before)
{
	for (size_t i = 0; i < options->step_count; i++)
		if (!find_one(steps, options, &options->step_values[i], id, before))
			return false;
	return true;
}

/* compare's operands: LABEL=COMMAND. */
static bool from_operands(struct steps *steps, const struct options *options)
{
	for (size_t i = 0; i < options->operand_count; i++) {
		const char *operand = options->operands[i], *equals = strchr(operand, '=');
		struct step *step = &steps->items[steps->count];
		size_t length = equals ? (size_t)(equals - operand) : 0;
		if (steps->count == RUN_GROUPS_MAX) {
			warnx("--run: more than %d commands", RUN_GROUPS_MAX);
			return false;
		}
		*step = (struct step){.ceiling_bytes = 0};
		if (length == 0 || length >= sizeof(step->label) ||
		    memchr(operand, ' ', length) != NULL || equals[1] == '\0') {
			warnx(
			    "'%s': expected LABEL='COMMAND', such as bbr='iperf3 -c HOST -C bbr -J'",
			    quoted(operand));
			return false;
		}
		memcpy(step->label, operand, length);
		step->label[length] = '\0';
		if (is_repeated(steps, step))
			return false;
		step->command = strdup(equals + 1);
		if (!step->command)
			err(1, NULL);
		steps->count++;
	}
	return true;
}

/* The option is set by the list: it cannot stand in the command as well. */
static bool is_in_command(const struct steps *steps, const struct options *options)
{
	struct iperf_command command;

	if (steps->what != STEPS_STREAMS)
		return false;
	iperf_command_parse(options->command, &command);
	if (command.parallel == 0)
		return false;
	warnx("--run: -P is what --streams tries: leave it out of the command");
	return true;
}

int steps_find(struct steps *steps, const struct options *options, enum tunable_id id,
    const struct tunable_value *before)
{
	if (is_in_command(steps, options))
		return 2;
	if (steps->what == STEPS_COMMANDS ? !from_operands(steps, options)
					  : !from_list(steps, options, id, before))
		return 2;
	if (steps->count < 2) {
		warnx("%s needs %s", kinds[steps->what].option, kinds[steps->what].needs);
		return 2;
	}
	return 0;
}

void steps_free(struct steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		free(steps->items[i].command);
	steps->count = 0;
}
