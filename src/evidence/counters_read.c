/* The forms in which counters are shown: nstat, its JSON, netstat -s, and the kernel's own tables. */
#include "evidence/counters.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/scan.h"

/* nstat -j prints everything on one line of 10 KiB and more; a line of the kernel's tables has 3 KiB. */
#define LINE_MAX_BYTES 65536
#define NAME_MAX_BYTES 64
/* A sentence before and behind its number, as far as they are looked at. */
#define BEFORE_MAX 64
#define BEHIND_MAX 100
#define SENTENCE_MAX_BYTES (BEFORE_MAX + 1 + BEHIND_MAX + 1)

/* The readings, a line, and the line of names before it. */
struct reader {
	struct counters *first, *last, now;
	unsigned readings; /* that are over */
	char names[LINE_MAX_BYTES];
	char line[LINE_MAX_BYTES];
};

/*
 * What netstat -s says instead of a name, its number as '#'; every other counter is "NAME: #".
 * net-tools statistics.c, today's words and, where they differ, those of releases before 2.10.
 */
static const struct {
	const char *sentence;
	enum counter_id id;
} sentences[] = {
    {"# segments received", COUNTER_TCP_IN_SEGS},
    {"# segments sent out", COUNTER_TCP_OUT_SEGS},
    {"# segments send out", COUNTER_TCP_OUT_SEGS},
    {"# segments retransmitted", COUNTER_TCP_RETRANS_SEGS},
    {"# segments retransmited", COUNTER_TCP_RETRANS_SEGS},
    {"# connections established", COUNTER_TCP_CURR_ESTAB},
    {"# packets pruned from receive queue because of socket buffer overrun", COUNTER_PRUNE_CALLED},
    {"# packets pruned from receive queue", COUNTER_RCV_PRUNED},
    {"# packets dropped from out-of-order queue because of socket buffer overrun",
	COUNTER_OFO_PRUNED},
    {"# packets collapsed in receive queue due to low socket buffer", COUNTER_RCV_COLLAPSED},
    {"# connections aborted due to memory pressure", COUNTER_ABORT_ON_MEMORY},
    {"TCP ran low on memory # times", COUNTER_MEMORY_PRESSURES},
    {"# other TCP timeouts", COUNTER_TIMEOUTS},
    {"# retransmits lost", COUNTER_LOST_RETRANSMIT},
    {"# fast retransmits", COUNTER_FAST_RETRANS},
    {"# retransmits in slow start", COUNTER_SLOW_START_RETRANS},
    {"# DSACKs received", COUNTER_DSACK_RECV},
};

static void reading_end(struct reader *reader)
{
	if (!reader->now.any)
		return;
	if (reader->readings++ == 0)
		*reader->first = reader->now;
	*reader->last = reader->now;
	memset(&reader->now, 0, sizeof(reader->now));
}

static void reading_set(struct reader *reader, enum counter_id id, uint64_t value)
{
	if (id == COUNTER_COUNT)
		return;
	if (reader->now.known[id])
		reading_end(reader);
	counter_set(&reader->now, id, value);
}

/* "TcpRetransSegs   5   0.0": the name, the count, and with nstat's daemon a rate. */
static bool nstat_line(struct reader *reader, const char *line)
{
	char name[NAME_MAX_BYTES];
	uint64_t value;

	if (scan_word(&line, name, sizeof(name)) >= sizeof(name))
		return false;
	line = scan_blanks(line);
	if (!scan_uint(&line, &value) || (*line != '\0' && scan_blanks(line) == line))
		return false;
	enum counter_id id = counter_find_full(name);
	reading_set(reader, id, value);
	return id != COUNTER_COUNT;
}

/* "    63 segments retransmitted", "    TCPLossProbes: 3". */
static void netstat_line(struct reader *reader, const char *line)
{
	char sentence[SENTENCE_MAX_BYTES];
	const char *start = scan_blanks(line), *digits = start + strcspn(start, "0123456789");
	const char *rest = digits;
	uint64_t value;

	if (!scan_uint(&rest, &value))
		return;
	size_t length = strlen(rest);
	while (length > 0 && strchr(" \t\r.", rest[length - 1]) != NULL)
		length--;
	size_t before = (size_t)(digits - start);
	/* no sentence of netstat's is longer */
	if (before > BEFORE_MAX || length > BEHIND_MAX)
		return;
	int n = snprintf(
	    sentence, sizeof(sentence), "%.*s#%.*s", (int)before, start, (int)length, rest);
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (strcmp(sentence, sentences[i].sentence) == 0) {
			reading_set(reader, sentences[i].id, value);
			return;
		}
	/* a name of the kernel's, which net-tools has no words for */
	if (n < 4 || strcmp(sentence + n - 3, ": #") != 0)
		return;
	sentence[n - 3] = '\0';
	reading_set(reader, counter_find_prefixed("TcpExt", sentence), value);
}

/* nstat -j: {"kernel":{"TcpInSegs":5,...}}.  Only names and whole numbers are looked at. */
static bool json_line(struct reader *reader, const char *line)
{
	char name[NAME_MAX_BYTES];
	bool any = false;

	for (const char *at = line; (at = strchr(at, '"')) != NULL;) {
		const char *start = ++at;
		at += strcspn(at, "\"");
		size_t length = (size_t)(at - start);
		if (*at == '\0')
			break;
		const char *number = scan_blanks(at + 1);
		uint64_t value;
		if (*number++ != ':') /* no name: its closing quote may open the next word */
			continue;
		at++;
		number = scan_blanks(number);
		if (length >= sizeof(name) || !scan_uint(&number, &value) ||
		    (*number != ',' && *number != '}' && *number != ' '))
			continue;
		memcpy(name, start, length);
		name[length] = '\0';
		enum counter_id id = counter_find_full(name);
		reading_set(reader, id, value);
		any = any || id != COUNTER_COUNT;
	}
	return any;
}

/* Walks a line of names and the line of values below it, word by word. */
static void table_pair(
    struct reader *reader, const char *prefix, const char *names, const char *values)
{
	char name[NAME_MAX_BYTES];

	for (;;) {
		uint64_t value;
		size_t length = scan_word(&names, name, sizeof(name));
		values = scan_blanks(values);
		if (length == 0 || *values == '\0')
			return;
		/* MaxConn is -1; a name too long for the buffer is none of ours */
		if (scan_uint(&values, &value) && strchr(" \t\r", *values) != NULL &&
		    length < sizeof(name))
			reading_set(reader, counter_find_prefixed(prefix, name), value);
		values += strcspn(values, " \t\r");
	}
}

/* "Tcp: ..." or "TcpExt: ...": names are kept for the values that follow them. */
static bool table_line(struct reader *reader)
{
	static const char *const prefixes[] = {"Tcp", "TcpExt"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *at = reader->line, *names = reader->names;
		if (!scan_prefix(&at, prefixes[i]) || !scan_prefix(&at, ": "))
			continue;
		if ((*at < '0' || *at > '9') && *at != '-') {
			memcpy(reader->names, reader->line, strlen(reader->line) + 1);
			return true;
		}
		if (scan_prefix(&names, prefixes[i]) && scan_prefix(&names, ": "))
			table_pair(reader, prefixes[i], names, at);
		reader->names[0] = '\0';
		return true;
	}
	return false;
}

static void line_take(struct reader *reader, bool cut)
{
	/* half a name or half a number is worse than none */
	char *last = cut ? strpbrk(reader->line, " ,") : NULL;

	if (last != NULL) {
		last = reader->line + strlen(reader->line);
		while (*--last != ' ' && *last != ',')
			;
		*last = '\0';
	}
	if (table_line(reader) || nstat_line(reader, reader->line))
		return;
	if (strchr(reader->line, '{') == NULL || !json_line(reader, reader->line))
		netstat_line(reader, reader->line);
}

unsigned counters_read_all(struct counters *first, struct counters *last, struct source *source)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	bool cut;

	if (reader == NULL)
		err(1, NULL);
	memset(first, 0, sizeof(*first));
	memset(last, 0, sizeof(*last));
	reader->first = first;
	reader->last = last;
	while (source_line(source, reader->line, sizeof(reader->line), &cut) > 0)
		line_take(reader, cut);
	reading_end(reader);
	unsigned readings = reader->readings;
	free(reader);
	return readings;
}

bool counters_read(struct counters *counters, struct source *source)
{
	struct counters first;

	return counters_read_all(&first, counters, source) > 0;
}
