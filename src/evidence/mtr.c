#include "evidence/mtr.h"

#include <bsd/string.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "evidence/json_paste.h"
#include "evidence/scan.h"

/* More probes, or longer times, than any report has: 1000 s in ms. */
#define SENT_MAX 1e12
#define TIME_MAX_MS 1e6
/* A packet's time to live has eight bits. */
#define HOP_MAX 255

/* The columns that are used, by mtr's names. */
enum column {
	COLUMN_LOSS,
	COLUMN_SENT,
	COLUMN_AVERAGE,
	COLUMN_BEST,
	COLUMN_WORST,
	COLUMN_DEVIATION,
	COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
    [COLUMN_LOSS] = "Loss%",
    [COLUMN_SENT] = "Snt",
    [COLUMN_AVERAGE] = "Avg",
    [COLUMN_BEST] = "Best",
    [COLUMN_WORST] = "Wrst",
    [COLUMN_DEVIATION] = "StDev",
};

struct hop {
	char host[64];
	double values[COLUMN_COUNT];
	unsigned has;	 /* 1 << enum column */
	unsigned number; /* of the hop, from 1 */
};

struct reader {
	struct hop last;
	unsigned hops;	   /* number of the last one */
	unsigned loss_hop; /* from here on every hop that answers loses; 0: none */
	unsigned columns;  /* announced, of all names */
	enum column order[16];
};

static enum column column_find(const char *name)
{
	unsigned i = 0;

	while (i < COLUMN_COUNT && strcmp(column_names[i], name) != 0)
		i++;
	return (enum column)i;
}

/* A router that answers few probes loses none of what it passes on: only loss that stays counts. */
static void hop_take(struct reader *reader, const struct hop *hop)
{
	bool answers = (hop->has & 1U << COLUMN_LOSS) && hop->values[COLUMN_LOSS] < 100;

	reader->hops = hop->number;
	reader->last = *hop;
	if (!answers)
		return;
	if (hop->values[COLUMN_LOSS] <= 0)
		reader->loss_hop = 0;
	else if (reader->loss_hop == 0)
		reader->loss_hop = hop->number;
}

/* ---- text ------------------------------------------------------------------------------------- */

/* "HOST: here     Loss%   Snt   Last   Avg  Best  Wrst StDev". */
static bool header_line(struct reader *reader, const char *line)
{
	const char *at = strstr(line, column_names[COLUMN_LOSS]);
	char word[16];

	if (at == NULL)
		return false;
	memset(reader, 0, sizeof(*reader));
	while (reader->columns < sizeof(reader->order) / sizeof(reader->order[0]) &&
	       scan_word(&at, word, sizeof(word)) > 0)
		reader->order[reader->columns++] = column_find(word);
	return true;
}

/* The last `count` words of a line begin here; NULL when it has fewer. */
static const char *last_words(const char *line, unsigned count)
{
	const char *at = line + strlen(line);

	for (; count > 0; count--) {
		while (at > line && strchr(" \t\r", at[-1]) != NULL)
			at--;
		if (at == line)
			return NULL;
		while (at > line && strchr(" \t\r", at[-1]) == NULL)
			at--;
	}
	return at;
}

static bool values_take(const struct reader *reader, struct hop *hop, const char *at)
{
	for (unsigned i = 0; i < reader->columns; i++) {
		double value;
		at = scan_blanks(at);
		if (!scan_decimal(&at, &value))
			return false;
		at += *at == '%';
		if (reader->order[i] == COLUMN_COUNT)
			continue;
		hop->values[reader->order[i]] = value;
		hop->has |= 1U << reader->order[i];
	}
	return true;
}

/* "  9.|-- 192.0.2.9          2.5%   120   30.7  30.7  30.6  31.2   0.0"; "  1. AS???    host (1.2.3.4) ...". */
static void hop_line(struct reader *reader, const char *line)
{
	struct hop hop = {.has = 0};
	const char *at = scan_blanks(line), *values = last_words(line, reader->columns);
	uint64_t number;

	if (reader->columns == 0 || values == NULL || !scan_uint(&at, &number) || number == 0 ||
	    number > HOP_MAX || !scan_prefix(&at, "."))
		return;
	hop.number = (unsigned)number;
	scan_prefix(&at, "|--");
	at = scan_blanks(at);
	if (scan_prefix(&at, "AS"))
		at += strcspn(at, " ");
	at = scan_blanks(at);
	if (at >= values || !values_take(reader, &hop, values))
		return;
	scan_word(&at, hop.host, sizeof(hop.host));
	hop_take(reader, &hop);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* {"report":{"mtr":{...},"hubs":[{"count":1,"host":"...","Loss%":0.0,"Snt":3,...},...]}}. */
static void json_take(struct reader *reader, struct source *source)
{
	struct json *json = json_open(source, JSON_MANY_DOCUMENTS);
	char key[16] = "";
	struct hop hop = {.has = 0};

	for (enum json_token token; (token = json_next(json)) > JSON_END;) {
		enum column column = column_find(key);
		if (token == JSON_KEY) {
			strlcpy(key, json_text(json, NULL), sizeof(key));
			if (strcmp(key, "hubs") == 0)
				memset(reader, 0, sizeof(*reader));
		} else if (token == JSON_BEGIN_OBJECT) {
			hop = (struct hop){.has = 0};
		} else if (token == JSON_STRING && strcmp(key, "host") == 0) {
			strlcpy(hop.host, json_text(json, NULL), sizeof(hop.host));
		} else if (token == JSON_NUMBER && strcmp(key, "count") == 0) {
			double number = json_number(json);
			hop.number = number >= 1 && number <= HOP_MAX ? (unsigned)number : 0;
		} else if (token == JSON_NUMBER && column != COLUMN_COUNT) {
			hop.values[column] = json_number(json);
			hop.has |= 1U << column;
		} else if (token == JSON_END_OBJECT && hop.has != 0 && hop.number > 0) {
			hop_take(reader, &hop);
			hop = (struct hop){.has = 0};
		}
	}
	json_close(json);
}

/* ---- the last hop as a ping ------------------------------------------------------------------- */

static bool in_order(const struct hop *hop)
{
	const double *v = hop->values;

	return v[COLUMN_LOSS] >= 0 && v[COLUMN_SENT] >= 1 && v[COLUMN_SENT] <= SENT_MAX &&
	       v[COLUMN_BEST] >= 0 && v[COLUMN_BEST] <= v[COLUMN_AVERAGE] &&
	       v[COLUMN_AVERAGE] <= v[COLUMN_WORST] && v[COLUMN_WORST] <= TIME_MAX_MS &&
	       v[COLUMN_DEVIATION] >= 0 && v[COLUMN_DEVIATION] <= TIME_MAX_MS;
}

static bool ping_fill(struct ping *ping, const struct reader *reader, const char **why)
{
	const struct hop *hop = &reader->last;
	const double *v = hop->values;

	*why = "no hop of mtr in it; take it with mtr --report -c 100 HOST";
	if (reader->hops == 0)
		return false;
	*why =
	    "mtr's last hop does not answer: it tells nothing of the path's end; mtr --tcp may get through";
	if ((hop->has & 1U << COLUMN_LOSS) && v[COLUMN_LOSS] >= 100)
		return false;
	*why = "mtr without the columns Loss%, Snt, Avg, Best, Wrst, StDev; take it without -o";
	if (hop->has != (1U << COLUMN_COUNT) - 1 || !in_order(hop))
		return false;
	quote_text(hop->host, ping->target, sizeof(ping->target));
	ping->has_summary = ping->has_counts = true;
	ping->min_us = v[COLUMN_BEST] * 1000;
	ping->avg_us = v[COLUMN_AVERAGE] * 1000;
	ping->max_us = v[COLUMN_WORST] * 1000;
	ping->deviation_us = v[COLUMN_DEVIATION] * 1000;
	ping->sent = (uint64_t)v[COLUMN_SENT];
	ping->received = (uint64_t)round((double)ping->sent * (1 - v[COLUMN_LOSS] / 100));
	ping->hops = reader->hops;
	ping->loss_hop = reader->loss_hop;
	return true;
}

bool mtr_read(struct ping *ping, struct source *source, const char **why)
{
	struct reader reader = {.hops = 0};
	char line[512];
	bool cut;
	int got = 0;

	memset(ping, 0, sizeof(*ping));
	errno = 0;
	bool json = json_paste_next(source, "\"hubs\"");
	if (json)
		json_take(&reader, source);
	while (!json && (got = source_line(source, line, sizeof(line), &cut)) > 0)
		if (!header_line(&reader, line))
			hop_line(&reader, line);
	while (json && json_paste_next(source, "\"hubs\""))
		json_take(&reader, source);
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	errno = 0;
	return ping_fill(ping, &reader, why);
}
