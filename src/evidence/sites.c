#include "evidence/sites.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "evidence/host_facts.h"
#include "evidence/iperf_command.h"
#include "evidence/session.h"

/* The two ends of the path by the names in their prompts. */
struct sites {
	char host[2][64];
	enum end end[2];
	unsigned count;
	struct host facts[END_COUNT];
	bool has_facts[END_COUNT];
};

static void line_of(const char *text, size_t length, char *line, size_t size)
{
	const char *stop = memchr(text, '\n', length);
	size_t whole = stop ? (size_t)(stop - text) : length;

	if (whole >= size)
		whole = size - 1;
	memcpy(line, text, whole);
	line[whole] = '\0';
}

/* What the command of one prompt tells of its host. */
static enum end end_of_command(const char *line)
{
	struct iperf_command command;
	const char *server = strstr(line, "iperf3 -s");

	if (iperf_command_parse(line, &command) && command.client)
		return END_CLIENT;
	return server && strncmp(server, "iperf3 -server", 14) != 0 ? END_SERVER : END_NONE;
}

/* The index of a host; a third one has none: -1. */
static int site_find(const struct sites *sites, const char *host)
{
	for (unsigned i = 0; i < sites->count; i++)
		if (strcmp(sites->host[i], host) == 0)
			return (int)i;
	return -1;
}

static void site_note(struct sites *sites, const char *host, enum end end)
{
	int at = site_find(sites, host);

	if (at < 0 && sites->count < 2) {
		at = (int)sites->count++;
		strlcpy(sites->host[at], host, sizeof(sites->host[at]));
		sites->end[at] = END_NONE;
	}
	if (at >= 0 && sites->end[at] == END_NONE)
		sites->end[at] = end;
}

/* Two ends, of which one is told, tell the other. */
static void sites_pair(struct sites *sites)
{
	for (unsigned i = 0; i < 2; i++)
		if (sites->count == 2 && sites->end[i] == END_NONE && sites->end[1 - i] != END_NONE)
			sites->end[i] = sites->end[1 - i] == END_CLIENT ? END_SERVER : END_CLIENT;
}

static void sites_look(struct sites *sites, struct source *source)
{
	const char *bytes;
	size_t length = source_peek(source, &bytes);
	char host[64], line[1024];

	for (const char *at = bytes, *end = bytes + length; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);

		if (session_prompt(at, size, host)) {
			line_of(at, size, line, sizeof(line));
			site_note(sites, host, end_of_command(line));
		}
		at += size + (stop != NULL);
	}
	sites_pair(sites);
}

static enum end site_end(const struct sites *sites, const char *host)
{
	int at = site_find(sites, host);

	return at < 0 ? END_NONE : sites->end[at];
}

/* Pings beside a test stand behind it. */
static void pings_note(struct evidence *evidence, unsigned pings, unsigned tests)
{
	for (unsigned i = pings; i < evidence->ping_count; i++)
		evidence->ping_tests[i] = evidence->runs.tests > tests ? evidence->runs.tests : 0;
}

static bool part_read(struct evidence *evidence, struct sites *sites, const char *name,
    enum end end, const struct session_part *part)
{
	char command[1024];
	const char *output = part->text + part->output;
	size_t length = part->length - part->output;
	/* JSON needs no command above it, and is known by its first byte */
	bool json = length > 0 && (*output == '{' || *output == '[');
	bool any = evidence_read_part(
	    evidence, name, end, json ? output : part->text, json ? length : part->length);

	line_of(part->text, part->length, command, sizeof(command));
	if (!json && length < 1U << 20 &&
	    host_facts_read(&sites->facts[end], command, output, length))
		sites->has_facts[end] = any = true;
	if (part->cut)
		report_error("%s: more than 16 MiB of one command: the rest of it is left out",
		    quoted(name));
	return any;
}

static void facts_join(struct evidence *evidence, struct sites *sites)
{
	for (int end = END_NONE; end < END_COUNT; end++)
		if (sites->has_facts[end])
			host_facts_join(&evidence->hosts[end], &sites->facts[end]);
}

enum operand_result sites_read(
    struct evidence *evidence, struct source *source, const char *name, enum end label)
{
	struct sites sites = {.count = 0};
	struct session_part part;
	unsigned tests = evidence->runs.tests;
	bool any = false;
	int got;

	sites_look(&sites, source);
	struct session *session = session_open(source);
	while ((got = session_next(session, &part)) > 0) {
		unsigned pings = evidence->ping_count;
		enum end end = label != END_NONE ? label : site_end(&sites, part.host);
		any = part_read(evidence, &sites, name, end, &part) || any;
		pings_note(evidence, pings, tests);
	}
	session_close(session);
	facts_join(evidence, &sites);
	if (label == END_NONE && sites.end[0] == END_NONE && sites.host[0][0])
		evidence->none_is_far = true;
	evidence_resolve(evidence, tests);
	if (got < 0)
		return OPERAND_SYSTEM;
	return any ? OPERAND_OK : OPERAND_UNUSABLE;
}
