#include "evidence/iperf_json.h"

#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"

/* What ended a document before its time, or left a hole in it. */
struct damage {
	enum { DAMAGE_NONE, DAMAGE_CUT, DAMAGE_SYNTAX, DAMAGE_NO_END, DAMAGE_PARTS } kind;
	unsigned long long line;
	char detail[120];
	unsigned kept; /* intervals */
};

/* Reads one input; the record of the members of its top-level objects. */
struct reader {
	struct row
	    loose; /* the object being read, if it is a row; first, and `has` with the bits below */
	struct source *source;
	struct runs *runs;
	uint64_t lines; /* line feeds before the JSON being read */

	char event[24];
	struct document document; /* being read */
	struct document server;	  /* its server_output_json */
	struct damage damage;	  /* the document's first */
	bool is_stream;		  /* it grows event by event (--json-stream) */
	bool is_parts;		  /* of objects whose document is missing */
	bool has_server;
	bool is_inner;	   /* what is read stands in a string of a document */
	char *server_text; /* its server_output_text; owned */
	char *diags;	   /* perfSONAR's: the command and its own output; owned */

	/* what came of it */
	unsigned usable;	    /* runs */
	bool has_json, is_empty;    /* any JSON; a test in which nothing happened */
	char error[160];	    /* iperf3's, of a test without runs */
	struct damage first_damage; /* of a document of iperf3's */
	struct damage other_damage; /* of something else */
};

/* Beside enum row_has. */
enum object_has {
	OBJECT_DOCUMENT = 1 << 24, /* it is a document of its own */
	OBJECT_EVENT = 1 << 25,
	/* an interval, or the end, of a document that is missing */
	OBJECT_STREAMS = 1 << 26,
	/* a row or a sum of one */
	OBJECT_ROW = ROW_TIMES | ROW_BYTES | ROW_RATE,
};

/* ---- documents ------------------------------------------------------------------------------ */

static void reader_reset(struct reader *reader)
{
	document_reset(&reader->document);
	if (reader->has_server)
		document_reset(&reader->server);
	free(reader->server_text);
	free(reader->diags);
	reader->server_text = reader->diags = NULL;
	reader->is_stream = reader->has_server = reader->is_parts = false;
	reader->damage.kind = DAMAGE_NONE;
}

static enum read_result inner_read(
    struct runs *runs, struct source *source, struct read_note *note);

/* The runs of another output that the document holds as a string; *test as for document_finish. */
static unsigned text_finish(struct reader *reader, const char *text,
    enum read_result (*read)(struct runs *, struct source *, struct read_note *), unsigned *test)
{
	const char *name = source_name(reader->source);
	struct source *source = source_memory(name, text, strlen(text));
	struct runs inner = {0};
	struct read_note unsaid;

	read(&inner, source, &unsaid);
	source_close(source);
	for (size_t i = 0; i < inner.count; i++) {
		free(inner.items[i].input);
		run_append(reader->runs, &inner.items[i], name, test);
	}
	free(inner.items);
	return (unsigned)inner.count;
}

/* The server's view of the test, and where there is no other, what perfSONAR kept of its output. */
static unsigned texts_finish(struct reader *reader, unsigned count, unsigned *test)
{
	if (reader->server_text && !reader->has_server)
		count += text_finish(reader, reader->server_text, iperf_text_read, test);
	if (reader->diags && count == 0)
		count += text_finish(reader, reader->diags, inner_read, test);
	if (reader->diags && count == 0)
		count += text_finish(reader, reader->diags, iperf_text_read, test);
	return count;
}

/* Turns what was read into runs and makes room for the next document. */
static void reader_finish(struct reader *reader)
{
	const char *name = source_name(reader->source);
	struct document *document = &reader->document;
	bool is_whole = reader->damage.kind == DAMAGE_NONE;
	unsigned test = UINT_MAX;

	if (!is_whole && reader->first_damage.kind == DAMAGE_NONE) {
		reader->first_damage = reader->damage;
		reader->first_damage.kept = document->interval_count;
	}
	unsigned count = document_finish(document, is_whole, reader->runs, name, &test);
	/* a server does not know the MSS (it prints 0), but it is the same connection */
	if (reader->has_server && !(reader->server.facts.has & RUN_MSS)) {
		reader->server.facts.mss = document->facts.mss;
		reader->server.facts.has |= document->facts.has & RUN_MSS;
	}
	if (reader->has_server)
		count += document_finish(&reader->server, is_whole, reader->runs, name, &test);
	count = texts_finish(reader, count, &test);
	reader->usable += count;
	if (count == 0 && document->error[0] != '\0' && reader->error[0] == '\0')
		strlcpy(reader->error, document->error, sizeof(reader->error));
	if (count == 0)
		reader->is_empty = true;
	reader_reset(reader);
}

/* A stream of events that stopped: another test begins, or the input ends. */
static void reader_finish_stream(struct reader *reader)
{
	if (!reader->is_stream)
		return;
	if (reader->damage.kind == DAMAGE_NONE)
		reader->damage.kind = reader->is_parts ? DAMAGE_PARTS : DAMAGE_NO_END;
	reader_finish(reader);
}

/* ---- members of a document ------------------------------------------------------------------ */

/* The part is a document's own when it is what iperf3 writes under that key. */
static void part_begin(struct reader *reader)
{
	if (reader->loose.has & OBJECT_DOCUMENT)
		return;
	reader->loose.has |= OBJECT_DOCUMENT;
	reader_finish_stream(reader);
}

/* A number is a time of a row, an object the part of a document. */
static bool time_or_part(
    struct json *json, enum json_token token, struct reader *reader, double *time_s, unsigned has)
{
	if (token == JSON_NUMBER) {
		reader->loose.has |= has;
		*time_s = json_number(json);
		return true;
	}
	if (token == JSON_BEGIN_OBJECT)
		part_begin(reader);
	return has == ROW_START ? start_read(json, token, &reader->document)
				: end_read(json, token, &reader->document);
}

static bool top_start_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	return time_or_part(json, token, reader, &reader->loose.start_s, ROW_START);
}

static bool top_end_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	return time_or_part(json, token, reader, &reader->loose.end_s, ROW_END);
}

static bool top_intervals_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	if (token == JSON_BEGIN_ARRAY)
		part_begin(reader);
	return intervals_read(json, token, &reader->document);
}

/* What perfSONAR makes of the end. */
static bool top_summary_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	return reader->loose.has & OBJECT_DOCUMENT ? summary_read(json, token, &reader->document)
						   : value_skip(json, token);
}

/* ---- objects whose document is missing ------------------------------------------------------- */

static void parts_begin(struct reader *reader)
{
	if (reader->is_stream && !reader->is_parts)
		reader_finish_stream(reader);
	reader->is_stream = reader->is_parts = true;
}

static bool top_streams_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	if (token != JSON_BEGIN_ARRAY || (reader->loose.has & OBJECT_DOCUMENT))
		return value_skip(json, token);
	parts_begin(reader);
	reader->loose.has |= OBJECT_STREAMS;
	return entries_read(json, token, &reader->document);
}

/* A row alone, or a sum: that stands for its interval where its rows are missing. */
static void loose_take(struct reader *reader)
{
	struct document *document = &reader->document;
	struct row *row = &reader->loose;

	parts_begin(reader);
	row_settle(row);
	row->sum = !(row->has & ROW_SOCKET);
	row->side = SIDE_NONE;
	/* of the summary, or of an interval that is there */
	for (int i = 0; i < DIRECTION_COUNT; i++)
		if (document->folds[i] && fold_fit(document->folds[i], row, false) != FIT_INTERVAL)
			return;
	struct fold *fold = document_fold(document, row);
	unsigned intervals = fold->bins;
	if (fold_interval(fold, row))
		document->interval_count += fold->bins > intervals;
}

/* The other end's document of the same test (--get-server-output). */
static bool server_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_BY("start", start_read),
	    FIELD_BY("intervals", intervals_read),
	    FIELD_BY("end", end_read),
	    FIELD_INTO("error", struct document, error, 0),
	};
	static const struct fields fields = FIELDS(rows);
	struct reader *reader = record;

	if (token != JSON_BEGIN_OBJECT)
		return value_skip(json, token);
	if (reader->has_server)
		document_reset(&reader->server);
	reader->has_server = true;
	return fields_read(json, &fields, &reader->server);
}

static bool text_keep(struct json *json, enum json_token token, char **text)
{
	if (token != JSON_STRING)
		return value_skip(json, token);
	free(*text);
	*text = strdup(json_text(json, NULL));
	if (!*text)
		err(1, NULL);
	return true;
}

static bool server_text_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	return text_keep(json, token, &reader->server_text);
}

static bool diags_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	/* an output inside an output inside an output is nobody's */
	return reader->is_inner ? value_skip(json, token) : text_keep(json, token, &reader->diags);
}

/* ---- events --------------------------------------------------------------------------------- */

static bool event_start_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;

	reader_finish_stream(reader);
	reader->is_stream = true;
	return start_read(json, token, &reader->document);
}

static bool event_error_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	if (token == JSON_STRING)
		strlcpy(document->error, json_text(json, NULL), sizeof(document->error));
	return value_skip(json, token);
}

/* iperf3 writes "event" before "data". */
static bool data_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_AT("interval", struct reader, document, interval_read),
	    FIELD_BY("start", event_start_read),
	    FIELD_AT("end", struct reader, document, end_read),
	    FIELD_AT("error", struct reader, document, event_error_read),
	    FIELD_BY("server_output_json", server_read),
	    FIELD_BY("server_output_text", server_text_read),
	};
	struct reader *reader = record;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!(reader->loose.has & OBJECT_EVENT) || strcmp(rows[i].key, reader->event) != 0)
			continue;
		bool ok = rows[i].read(json, token, (char *)record + rows[i].offset);
		reader->is_stream = true;
		return ok;
	}
	return value_skip(json, token);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool result_read(struct json *json, enum json_token token, void *record);

/* The members of a top-level object, or of a result of perfSONAR's. */
static bool members_read(struct json *json, struct reader *reader)
{
	static const struct field rows[] = {
	    FIELD_INTO("event", struct reader, event, OBJECT_EVENT),
	    FIELD_BY("data", data_read),
	    FIELD_BY("start", top_start_read),
	    FIELD_BY("intervals", top_intervals_read),
	    FIELD_BY("end", top_end_read),
	    FIELD_INTO("title", struct reader, document.title, 0),
	    FIELD_BY("server_output_json", server_read),
	    FIELD_BY("server_output_text", server_text_read),
	    FIELD_BY("diags", diags_read),
	    FIELD_BY("result", result_read),
	    FIELD_BY("result-merged", result_read),
	    FIELD_INTO("error", struct reader, document.error, 0),
	    FIELD_BY("summary", top_summary_read),
	    FIELD_BY("streams", top_streams_read),
	    ROW_MEMBERS,
	    FIELD_INTO("bits_per_second", struct row, rate_bps, ROW_RATE),
	    FIELD_INTO("sender", struct row, sender, ROW_SENDER),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read(json, &fields, reader);
}

/* perfSONAR's account of a run of its tasks has the result within, often twice. */
static bool result_read(struct json *json, enum json_token token, void *record)
{
	struct reader *reader = record;
	bool first = token == JSON_BEGIN_OBJECT && !(reader->loose.has & OBJECT_DOCUMENT);

	return first ? members_read(json, reader) : value_skip(json, token);
}

/* A top-level object: a document, an event, or something else's. */
static bool object_read(struct reader *reader, struct json *json)
{
	reader->loose = (struct row){0};
	reader->event[0] = '\0';
	if (!members_read(json, reader))
		return false;
	bool is_document = (reader->loose.has & OBJECT_DOCUMENT) || reader->diags ||
			   ((reader->has_server || reader->server_text) && !reader->is_stream);
	if (is_document && reader->is_parts)
		reader->is_parts = false;
	if (!is_document && (reader->loose.has & OBJECT_STREAMS)) {
		interval_commit(&reader->document);
		summaries_commit(&reader->document);
	} else if (!is_document && (reader->loose.has & OBJECT_ROW) == OBJECT_ROW) {
		loose_take(reader);
	} else if (is_document || (reader->is_stream && strcmp(reader->event, "end") == 0)) {
		reader_finish(reader);
	} else if (!reader->is_stream) {
		reader_reset(reader);
	}
	return true;
}

/* Line of the error, counted from where this JSON began. */
static unsigned long long json_line(const struct reader *reader, const struct json *json)
{
	unsigned long long line = 0;

	sscanf(json_error(json), "line %llu", &line);
	return line - source_line_number(reader->source);
}

/* The object being read broke off; what came before is kept. */
static void object_fail(struct reader *reader, const struct json *json)
{
	const char *detail = strstr(json_error(json), "): ");
	bool is_ours =
	    (reader->loose.has & OBJECT_DOCUMENT) || reader->is_stream || reader->has_server;
	struct damage *damage = is_ours ? &reader->damage : &reader->other_damage;

	if (damage->kind == DAMAGE_NONE) {
		damage->kind = json_is_cut_short(json) ? DAMAGE_CUT : DAMAGE_SYNTAX;
		damage->line = reader->lines + json_line(reader, json);
		snprintf(damage->detail, sizeof(damage->detail), "%s",
		    detail != NULL ? detail + strlen("): ") : "");
	}
	/* one bad event leaves the others */
	if (reader->is_stream && !(reader->loose.has & OBJECT_DOCUMENT))
		return;
	/* behind a hole the rest of the document may follow, in parts */
	if (is_ours)
		reader->is_stream = reader->is_parts = true;
	else
		reader_reset(reader);
}

/* One JSON value after another, to the first byte that is none. */
static void values_read(struct reader *reader, struct json *json)
{
	for (enum json_token token; (token = json_next(json)) > JSON_END;) {
		/* an array of documents is as good as one after another */
		reader->has_json = true;
		if (token == JSON_BEGIN_OBJECT && !object_read(reader, json)) {
			object_fail(reader, json);
			return;
		}
	}
}

/* Whether a brace or bracket may begin an object or an array of them: -1 when that is not to be
 * seen in the bytes up to `end`. */
static int is_begin(const char *p, const char *end)
{
	char first = *p++;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end)
		return -1;
	return first == '{' ? *p == '"' || *p == '}' : *p == '{' || *p == ']';
}

/* First byte in [p, end) that may begin JSON; *is_sure tells whether what follows confirms it. */
static const char *begin_find(struct reader *reader, const char *p, const char *end, bool *is_sure)
{
	for (; p < end; p++) {
		reader->lines += *p == '\n';
		if (*p != '{' && *p != '[')
			continue;
		int verdict = is_begin(p, end);
		*is_sure = verdict > 0;
		if (verdict != 0)
			return p;
	}
	return NULL;
}

/* Skips text: "Control connection MSS 1448", "^C", a shell's prompt.  1 at the beginning of JSON, 0
 * at the end of input, -1 on a read error. */
static int text_skip(struct reader *reader)
{
	size_t known = 0; /* bytes of the next chunk that are text for sure */

	for (;;) {
		const char *bytes;
		bool is_sure;
		ssize_t count = source_chunk(reader->source, &bytes);
		if (count <= 0)
			return (int)count;
		const char *end = bytes + count;
		const char *begin = begin_find(reader, bytes + known, end, &is_sure);
		known = 0;
		if (begin == NULL)
			continue;
		source_unread(reader->source, (size_t)(end - begin));
		if (is_sure)
			return 1;
		size_t length = source_peek(reader->source, &bytes);
		if (is_begin(bytes, bytes + length) > 0)
			return 1;
		known = 1;
	}
}

static int input_read(struct reader *reader)
{
	int found;

	while ((found = text_skip(reader)) > 0) {
		struct json *json = json_open(reader->source, JSON_ALLOW_NAN | JSON_MANY_DOCUMENTS);
		values_read(reader, json);
		if (json_next(json) == JSON_ERROR)
			reader->lines += json_line(reader, json) - 1;
		json_close(json);
	}
	reader_finish_stream(reader);
	return found;
}

/* ---- the outcome ---------------------------------------------------------------------------- */

static void damage_note(const struct damage *damage, struct read_note *note)
{
	char kept[48];

	snprintf(
	    kept, sizeof(kept), "%u interval%s kept", damage->kept, damage->kept == 1 ? "" : "s");
	if (damage->kind == DAMAGE_NO_END)
		snprintf(note->text, sizeof(note->text), "ends without an \"end\" event, %s", kept);
	else if (damage->kind == DAMAGE_PARTS)
		snprintf(note->text, sizeof(note->text), "parts of a document, %s", kept);
	else if (damage->kind == DAMAGE_CUT)
		snprintf(note->text, sizeof(note->text), "cut short at line %llu, %s", damage->line,
		    kept);
	else
		snprintf(note->text, sizeof(note->text), "damaged at line %llu, %s: %s",
		    damage->line, kept, damage->detail);
}

static enum read_result nothing(const struct reader *reader, struct read_note *note)
{
	char error[200];

	if (reader->error[0] != '\0') {
		const char *text = reader->error;
		if (strncmp(text, "error - ", strlen("error - ")) == 0)
			text += strlen("error - ");
		snprintf(note->text, sizeof(note->text), "no test took place: iperf3 says \"%s\"",
		    quote_text(text, error, sizeof(error)));
	} else if (reader->first_damage.kind != DAMAGE_NONE) {
		damage_note(&reader->first_damage, note);
	} else if (reader->other_damage.kind != DAMAGE_NONE) {
		snprintf(note->text, sizeof(note->text), "not valid JSON at line %llu: %s",
		    reader->other_damage.line, reader->other_damage.detail);
	} else if (reader->is_empty) {
		snprintf(note->text, sizeof(note->text),
		    "an iperf3 test in which nothing was transferred");
	} else {
		snprintf(note->text, sizeof(note->text), "%s",
		    reader->has_json ? "valid JSON, but not iperf3's: no \"start\" or \"intervals\""
				     : "taken for JSON, but no object begins in it");
	}
	return READ_NOTHING;
}

static enum read_result documents_read(
    struct runs *runs, struct source *source, struct read_note *note, bool is_inner)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	enum read_result result = READ_OK;

	if (reader == NULL)
		err(1, NULL);
	reader->source = source;
	reader->runs = runs;
	reader->is_inner = is_inner;
	note->text[0] = '\0';
	if (input_read(reader) < 0) {
		result = READ_SYSTEM;
	} else if (reader->usable == 0) {
		result = nothing(reader, note);
	} else if (reader->first_damage.kind != DAMAGE_NONE) {
		damage_note(&reader->first_damage, note);
		result = READ_PARTIAL;
	}
	reader_reset(reader);
	document_reset(&reader->server);
	free(reader);
	return result;
}

static enum read_result inner_read(struct runs *runs, struct source *source, struct read_note *note)
{
	return documents_read(runs, source, note, true);
}

enum read_result iperf_json_read(struct runs *runs, struct source *source, struct read_note *note)
{
	return documents_read(runs, source, note, false);
}
