#include "evidence/tc.h"

#include <bsd/string.h>
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "evidence/json_paste.h"
#include "evidence/scan.h"

/* Where statistics lines go, and what tells leaves from parents. */
struct reader {
	struct tc *tc;
	struct qdisc *current; /* NULL: below a line that is no qdisc */
	struct qdisc spare;    /* for those beyond the table: only their backlog counts */
	char parents[TC_QDISCS_MAX][16];
};

/* Sizes are 1024-based and in bytes: iproute2 lib/utils.c, print_size ("10Mb", "135000b"). */
static bool size_read(const char *word, uint64_t *bytes)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"b", 1}, {"Kb", 1024}, {"Mb", 1048576}, {"Gb", 1073741824}};
	double value;

	if (!scan_decimal(&word, &value))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(word, units[i].unit) == 0 && value * units[i].factor < 9e18) {
			*bytes = (uint64_t)(value * units[i].factor);
			return true;
		}
	return false;
}

/* Rates are 1000-based, with -iec 1024-based: iproute2 lib/utils.c, print_rate ("20Mbit"). */
static bool rate_read(const char *word, double *rate_bps)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"bit", 1}, {"Kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}, {"Tbit", 1e12},
	    {"Kibit", 1024.0}, {"Mibit", 1048576.0}, {"Gibit", 1073741824.0}};
	double value;

	if (!scan_decimal(&word, &value) || value > 1e15)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(word, units[i].unit) == 0) {
			*rate_bps = value * units[i].factor;
			return true;
		}
	return false;
}

static bool is_rate_word(const char *word)
{
	/* tbf and netem, fq, cake */
	return strcmp(word, "rate") == 0 || strcmp(word, "maxrate") == 0 ||
	       strcmp(word, "bandwidth") == 0;
}

/* The options of one qdisc line: "dev eth0 parent 1:10 limit 10Mb". */
static void options_read(struct qdisc *qdisc, char *parent, size_t parent_size, const char *at)
{
	char name[32], value[32];

	scan_word(&at, name, sizeof(name));
	while (name[0] != '\0') {
		scan_word(&at, value, sizeof(value));
		if (strcmp(name, "root") == 0)
			qdisc->root = true;
		else if (strcmp(name, "dev") == 0 && qdisc->dev[0] == '\0')
			strlcpy(qdisc->dev, value, sizeof(qdisc->dev));
		else if (strcmp(name, "parent") == 0 && parent[0] == '\0')
			strlcpy(parent, value, parent_size);
		else if (strcmp(name, "limit") == 0 && !qdisc->has_limit_bytes)
			qdisc->has_limit_bytes = size_read(value, &qdisc->limit_bytes);
		else if (is_rate_word(name) && !qdisc->has_rate)
			qdisc->has_rate = rate_read(value, &qdisc->rate_bps);
		memcpy(name, value, sizeof(name));
	}
	scan_printable(qdisc->dev);
}

/* Keeps a qdisc, which becomes the current one. */
static void qdisc_add(struct reader *reader, const struct qdisc *qdisc, const char *parent)
{
	struct tc *tc = reader->tc;

	if (tc->count == TC_QDISCS_MAX) {
		tc->dropped++;
		reader->spare = *qdisc;
		reader->current = &reader->spare;
		return;
	}
	strlcpy(reader->parents[tc->count], parent, sizeof(reader->parents[0]));
	tc->qdiscs[tc->count] = *qdisc;
	reader->current = &tc->qdiscs[tc->count++];
}

/* "qdisc htb 1: root refcnt 2 ...": begins a qdisc; "class ..." and others end one. */
static void head_line(struct reader *reader, const char *line)
{
	char parent[16] = "";

	reader->current = NULL;
	if (!scan_prefix(&line, "qdisc "))
		return;
	struct qdisc qdisc = {0};
	scan_word(&line, qdisc.kind, sizeof(qdisc.kind));
	size_t length = scan_word(&line, qdisc.handle, sizeof(qdisc.handle));
	/* the handle is what makes it a qdisc line: "ffff:" */
	if (length < 2 || length >= sizeof(qdisc.handle) || qdisc.handle[length - 1] != ':' ||
	    strspn(qdisc.handle, "0123456789abcdef") != length - 1)
		return;
	scan_printable(qdisc.kind);
	options_read(&qdisc, parent, sizeof(parent), line);
	qdisc_add(reader, &qdisc, parent);
}

/* " Sent 74904250 bytes 49948 pkt (dropped 0, overlimits 1117 requeues 0)". */
static void sent_line(struct qdisc *qdisc, const char *at)
{
	static const char *const words[] = {"bytes", "pkt", "dropped", "overlimits", "requeues"};
	uint64_t counts[5] = {0};
	char word[32];

	at = scan_blanks(at);
	if (!scan_uint(&at, &counts[0]) || !scan_prefix(&at, " bytes "))
		return;
	scan_uint(&at, &counts[1]);
	while (scan_word(&at, word, sizeof(word)) > 0)
		for (size_t i = 2; i < sizeof(words) / sizeof(words[0]); i++) {
			const char *name = word + (word[0] == '(');
			if (strcmp(name, words[i]) != 0)
				continue;
			at = scan_blanks(at);
			scan_uint(&at, &counts[i]);
		}
	qdisc->has_stats = true;
	qdisc->sent_bytes = counts[0];
	qdisc->sent_packets = counts[1];
	qdisc->dropped = counts[2];
	qdisc->overlimits = counts[3];
	qdisc->requeues = counts[4];
}

/* " backlog 135000b 2p requeues 0", in some releases behind " rate 0bit 0pps". */
static void backlog_line(struct qdisc *qdisc, const char *line)
{
	const char *at = strstr(line, "backlog ");
	char word[32];
	uint64_t bytes, packets;

	if (at == NULL || (at != line && at[-1] != ' '))
		return;
	at += strlen("backlog ");
	if (scan_word(&at, word, sizeof(word)) == 0 || !size_read(word, &bytes))
		return;
	at = scan_blanks(at);
	if (!scan_uint(&at, &packets) || *at != 'p')
		return;
	qdisc->backlog_bytes = bytes;
	qdisc->backlog_packets = packets;
}

/* Statistics are indented, but for a paste that lost its blanks. */
static bool is_stats_line(const char *line)
{
	const char *at = scan_blanks(line);

	if (scan_prefix(&at, "qdisc ") || scan_prefix(&at, "class "))
		return false;
	return at != line || scan_prefix(&at, "Sent ") || scan_prefix(&at, "backlog ") ||
	       scan_prefix(&at, "rate ");
}

static void stats_line(struct reader *reader, const char *line)
{
	const char *at = scan_blanks(line);

	if (reader->current == NULL)
		return;
	if (scan_prefix(&at, "Sent "))
		sent_line(reader->current, at);
	backlog_line(reader->current, line);
}

static void deepest_note(struct tc *tc, const struct qdisc *qdisc)
{
	if (qdisc->backlog_bytes <= tc->backlog_bytes)
		return;
	tc->backlog_bytes = qdisc->backlog_bytes;
	tc->backlog_packets = qdisc->backlog_packets;
}

/* True when some other qdisc of the device hangs below it: "parent 1:10" below "1:", "parent :1"
 * below the "0:" that the kernel sets up by itself. */
static bool is_parent(const struct reader *reader, const struct qdisc *qdisc)
{
	size_t length = strlen(qdisc->handle);

	for (unsigned i = 0; i < reader->tc->count; i++) {
		const struct qdisc *child = &reader->tc->qdiscs[i];
		const char *parent = reader->parents[i];
		if (child == qdisc || strcmp(child->dev, qdisc->dev) != 0)
			continue;
		if (strncmp(parent, qdisc->handle, length) == 0 ||
		    (parent[0] == ':' && strcmp(qdisc->handle, "0:") == 0 && qdisc->root))
			return true;
	}
	return false;
}

/* A text of tc -j, by its key. */
static void json_text_take(
    struct qdisc *qdisc, char *parent, size_t parent_size, const char *key, const char *text)
{
	if (strcmp(key, "kind") == 0)
		strlcpy(qdisc->kind, text, sizeof(qdisc->kind));
	else if (strcmp(key, "handle") == 0)
		strlcpy(qdisc->handle, text, sizeof(qdisc->handle));
	else if (strcmp(key, "dev") == 0)
		strlcpy(qdisc->dev, text, sizeof(qdisc->dev));
	else if (strcmp(key, "parent") == 0)
		strlcpy(parent, text, parent_size);
}

/* A number of tc -j, by its key (iproute2 lib/utils.c and tc/tc_util.c, print_tcstats2_attr). */
static void json_number_take(struct qdisc *qdisc, const char *key, double number)
{
	const struct {
		const char *key;
		uint64_t *to;
	} rows[] = {{"bytes", &qdisc->sent_bytes}, {"packets", &qdisc->sent_packets},
	    {"drops", &qdisc->dropped}, {"overlimits", &qdisc->overlimits},
	    {"requeues", &qdisc->requeues}, {"backlog", &qdisc->backlog_bytes},
	    {"qlen", &qdisc->backlog_packets}};

	if (number < 0 || number > 0x1p63)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(key, rows[i].key) == 0) {
			*rows[i].to = (uint64_t)number;
			qdisc->has_stats = true;
		}
}

/* tc -s -j qdisc: an array of objects, of which "options" and other containers are passed over. */
static void json_take(struct reader *reader, struct source *source)
{
	struct json *json = json_open(source, JSON_MANY_DOCUMENTS);
	struct qdisc qdisc = {.kind = ""};
	char key[24] = "", parent[16] = "";

	for (enum json_token token; (token = json_next(json)) > JSON_END;) {
		/* an object of the array's, and what is directly in it */
		bool item = json_depth(json) == 1, inside = json_depth(json) == 2;
		if (token == JSON_KEY)
			strlcpy(key, json_text(json, NULL), sizeof(key));
		if (token == JSON_BEGIN_OBJECT && item) {
			qdisc = (struct qdisc){.kind = ""};
			parent[0] = '\0';
		} else if (token == JSON_END_OBJECT && item && qdisc.handle[0] != '\0') {
			scan_printable(qdisc.kind);
			scan_printable(qdisc.handle);
			scan_printable(qdisc.dev);
			qdisc_add(reader, &qdisc, parent);
		} else if (token == JSON_STRING && inside) {
			json_text_take(&qdisc, parent, sizeof(parent), key, json_text(json, NULL));
		} else if (token == JSON_NUMBER && inside) {
			json_number_take(&qdisc, key, json_number(json));
		} else if (token == JSON_TRUE && inside && strcmp(key, "root") == 0) {
			qdisc.root = true;
		}
	}
	json_close(json);
}

bool tc_read(struct tc *tc, struct source *source, const char **why)
{
	struct reader reader = {.tc = tc};
	char line[1024];
	bool cut;
	int got = 0;

	memset(tc, 0, sizeof(*tc));
	errno = 0;
	bool json = json_paste_next(source, "\"handle\"");
	if (json)
		json_take(&reader, source);
	while (!json && (got = source_line(source, line, sizeof(line), &cut)) > 0) {
		if (is_stats_line(line))
			stats_line(&reader, line);
		else
			head_line(&reader, scan_blanks(line));
		/* a queue beyond the table has no children there: it is a leaf or all the same */
		if (reader.current == &reader.spare && !reader.spare.root)
			deepest_note(tc, &reader.spare);
	}
	while (json && json_paste_next(source, "\"handle\""))
		json_take(&reader, source);
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	for (unsigned i = 0; i < tc->count; i++)
		if (!is_parent(&reader, &tc->qdiscs[i]))
			deepest_note(tc, &tc->qdiscs[i]);
	if (tc->count == 0) {
		errno = 0;
		*why = "no qdisc line in it";
		return false;
	}
	return true;
}
