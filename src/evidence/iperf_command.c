#include "evidence/iperf_command.h"

#include <bsd/string.h>
#include <string.h>

#include "evidence/iperf_row.h"

/* Words looked at; iperf3 has fewer options. */
#define WORDS_MAX 64

struct word {
	const char *text;
	size_t length;
};

/* The options that take a value (iperf3's getopt string; long ones only where the value is used:
 * a skipped value looks like an operand, and those do not matter), and the flags that tell. */
static const struct option {
	char letter;
	const char *name, *old_name;
	bool value;
} options[] = {
    {.letter = 'c', .name = "client", .value = true},
    {.letter = 'w', .name = "window", .value = true},
    {.letter = 'b', .name = "bitrate", .old_name = "bandwidth", .value = true},
    {.letter = 'P', .name = "parallel", .value = true},
    {.letter = 't', .name = "time", .value = true},
    {.letter = 'O', .name = "omit", .value = true},
    {.letter = 'C', .name = "congestion", .old_name = "linux-congestion", .value = true},
    {.letter = 'R', .name = "reverse"},
    {.letter = 'u', .name = "udp"},
    {.letter = '2', .name = "bidir"},
    {.letter = '3', .name = "sctp"},
};
static const char skipped_letters[] = "pfiIFABnklMSLTXm";

static bool word_next(const char **cursor, struct word *word)
{
	const char *p = *cursor + strspn(*cursor, " \t");

	word->text = p;
	word->length = strcspn(p, " \t");
	*cursor = p + word->length;
	return word->length > 0;
}

/* A number with K, M, G or T behind it; "" is 1. */
static bool scaled_parse(const struct word *word, double base, double *value)
{
	const char *p = word->text, *end = word->text + word->length;
	double factor = 1;

	if (!iperf_number_take(&p, value) || p > end)
		return false;
	if (p < end) {
		static const char letters[] = "KMGT";
		const char *at = strchr(letters, *p & ~0x20);
		if (!at || !*at)
			return false;
		for (const char *l = letters; l <= at; l++)
			factor *= base;
	}
	*value *= factor;
	return *value < 1e18;
}

static void option_apply(
    struct iperf_command *command, const struct option *option, const struct word *value)
{
	double number = 0;
	bool good =
	    option->value && scaled_parse(value, option->letter == 'b' ? 1000 : 1024, &number);

	switch (option->letter) {
	case 'c':
		command->client = true;
		break;
	case 'w':
		command->facts.socket_buffer_bytes = good ? (uint64_t)number : 0;
		command->facts.has |= good ? RUN_SOCKET_BUFFER : 0;
		break;
	case 'b':
		command->facts.target_rate_bps = number;
		command->facts.has |= good ? RUN_TARGET_RATE : 0;
		break;
	case 'P':
		command->parallel = good && number <= 128 ? (unsigned)number : 0;
		break;
	case 't':
		command->facts.duration_s = number;
		command->facts.has |= good ? RUN_DURATION : 0;
		break;
	case 'O':
		command->facts.omit_s = number;
		command->facts.has |= good ? RUN_OMIT : 0;
		break;
	case 'C':
		if (value->length < sizeof(command->cc))
			strlcpy(command->cc, value->text, value->length + 1);
		break;
	case 'R':
		command->reverse = true;
		break;
	case 'u':
		command->udp = true;
		break;
	case '2':
		command->bidir = true;
		break;
	case '3':
		command->sctp = true;
		break;
	default:
		break;
	}
}

static bool name_is(const struct word *word, const char *name)
{
	return name && strlen(name) == word->length && strncmp(word->text, name, word->length) == 0;
}

/* --name, --name value, --name=value */
static void long_apply(struct iperf_command *command, struct word word, const char **cursor)
{
	const char *equals = memchr(word.text, '=', word.length);
	struct word value = {.text = "", .length = 0};

	if (equals) {
		value.text = equals + 1;
		value.length = (size_t)(word.text + word.length - value.text);
		word.length = (size_t)(equals - word.text);
	}
	word.text += 2;
	word.length -= 2;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct option *option = &options[i];
		if (!name_is(&word, option->name) && !name_is(&word, option->old_name))
			continue;
		if (option->value && !equals && !word_next(cursor, &value))
			return;
		option_apply(command, option, &value);
		return;
	}
}

/* -R, -w4M, -w 4M, -VRw 4M */
static void short_apply(struct iperf_command *command, const struct word *word, const char **cursor)
{
	for (size_t at = 1; at < word->length; at++) {
		char letter = word->text[at];
		struct word rest = {.text = word->text + at + 1, .length = word->length - at - 1};
		const struct option *option = NULL;

		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
			if (options[i].letter == letter && letter != '2' && letter != '3')
				option = &options[i];
		}
		bool value = option ? option->value : strchr(skipped_letters, letter) != NULL;
		if (value && rest.length == 0 && !word_next(cursor, &rest))
			return;
		if (option)
			option_apply(command, option, &rest);
		if (value)
			return;
	}
}

/* The end of the program's name, NULL without one: "iperf3", "./iperf3", "iperf3.exe". */
static const char *program_find(const char *line)
{
	const char *p = strstr(line, "iperf");

	for (; p; p = strstr(p + 1, "iperf")) {
		const char *end = p + 5;
		if (p > line && !strchr(" \t/\\$#>`'\"", p[-1]))
			continue;
		if (*end == '3')
			end++;
		if (strncmp(end, ".exe", 4) == 0)
			end += 4;
		if (*end == ' ' || *end == '\t')
			return end;
	}
	return NULL;
}

bool iperf_command_parse(const char *line, struct iperf_command *command)
{
	struct word word;
	const char *p = program_find(line);

	memset(command, 0, sizeof(*command));
	if (!p)
		return false;
	for (unsigned words = 0; words < WORDS_MAX && word_next(&p, &word); words++) {
		if (strchr("|;&>#`", word.text[0]))
			break;
		if (word.length > 2 && word.text[0] == '-' && word.text[1] == '-')
			long_apply(command, word, &p);
		else if (word.length > 1 && word.text[0] == '-')
			short_apply(command, &word, &p);
	}
	return command->client;
}
