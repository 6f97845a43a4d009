/*
 * The reader of iperf3's human-readable output: finds bracketed rows and banner lines whatever is
 * printed or pasted around them, sorts them by title into open tests, and closes each test when
 * the next one begins.
 */
#include "evidence/run.h"

#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/source.h"
#include "evidence/iperf_command.h"
#include "evidence/iperf_facts.h"
#include "evidence/iperf_row.h"
#include "evidence/iperf_test.h"

#define LINE_MAX_BYTES 4096
/* Tests that may be open at once, told apart by their title. */
#define TITLES_MAX 16
/* A wrapped row is shorter than this, and so is what was wrapped. */
#define WRAPPED_MAX 256

/* Lines with the same title, one test after another. */
struct titled {
	char title[64];
	struct iperf_test *test; /* NULL: none open */
	unsigned long used;
};

struct reader {
	struct runs *runs;
	const char *input;
	struct titled titles[TITLES_MAX];
	size_t title_count;
	struct titled *recent;
	unsigned long clock;

	char held[2 * WRAPPED_MAX + 2]; /* the last row, in case the next line continues it */
	struct iperf_row held_row;	/* kind is ROW_NONE when there is none */

	struct iperf_command command; /* seen, and not yet followed by its test */
	char error[160];	      /* iperf3's last one outside a test */
	bool error_open;	      /* no test has ended since */
	bool server_json;	      /* inside "Server JSON output:" */
	size_t system_column;	      /* where system_info is in the next line; 0: not there */
	bool iperf2;		      /* rows of iperf2 were seen */

	unsigned run_count;	   /* runs appended */
	struct iperf_outcome last; /* of the last test with runs */
};

static void titled_close(struct reader *reader, struct titled *titled)
{
	if (!titled->test)
		return;
	struct iperf_outcome outcome = iperf_test_close(titled->test, reader->runs, reader->input);
	titled->test = NULL;
	if (outcome.runs == 0)
		return;
	reader->run_count += outcome.runs;
	/* stderr is not buffered: written to one file, the error comes before the test it ended */
	if (reader->error_open && !outcome.complete && !outcome.error[0]) {
		for (size_t i = 0; i < outcome.runs && i < reader->runs->count; i++) {
			struct run *run = &reader->runs->items[reader->runs->count - 1 - i];
			strlcpy(run->error, reader->error, sizeof(run->error));
			run->complete = false;
		}
		strlcpy(outcome.error, reader->error, sizeof(outcome.error));
	}
	reader->error_open = false;
	reader->last = outcome;
}

static struct titled *titled_find(struct reader *reader, const char *title)
{
	if (reader->recent && strcmp(reader->recent->title, title) == 0)
		return reader->recent;
	for (size_t i = 0; i < reader->title_count; i++) {
		if (strcmp(reader->titles[i].title, title) == 0)
			return &reader->titles[i];
	}
	return NULL;
}

/* The log of a title not seen so far, in the place of the one longest unused if need be. */
static struct titled *titled_add(struct reader *reader, const char *title)
{
	struct titled *titled = &reader->titles[0];

	if (reader->title_count < TITLES_MAX) {
		titled = &reader->titles[reader->title_count++];
	} else {
		for (size_t i = 1; i < TITLES_MAX; i++) {
			if (reader->titles[i].used < titled->used)
				titled = &reader->titles[i];
		}
		titled_close(reader, titled);
	}
	strlcpy(titled->title, title, sizeof(titled->title));
	return titled;
}

/* The log of a line by what comes before its content.  Lines that iperf3 prints without the title
 * (server output, some of -V) go to the log that was used last. */
static struct titled *titled_of(struct reader *reader, const char *line, size_t prefix, bool opens)
{
	char title[sizeof(reader->titles[0].title)];

	iperf_title_take(line, prefix, title, sizeof(title));
	struct titled *titled = titled_find(reader, title);
	struct titled *recent = reader->recent;
	if (!title[0] && recent && recent->test && !(titled && titled->test) &&
	    (!opens || recent->test->server_output))
		titled = recent;
	if (!titled)
		titled = titled_add(reader, title);
	titled->used = ++reader->clock;
	reader->recent = titled;
	return titled;
}

static struct iperf_test *titled_test(struct reader *reader, struct titled *titled)
{
	if (titled->test)
		return titled->test;
	titled->test = iperf_test_new(titled->title);
	titled->test->first = reader->clock;
	titled->test->command = reader->command;
	memset(&reader->command, 0, sizeof(reader->command));
	return titled->test;
}

/* The open test if nothing of it has been printed yet, else a new one. */
static struct iperf_test *titled_fresh_test(struct reader *reader, struct titled *titled)
{
	if (titled->test && !iperf_test_is_empty(titled->test))
		titled_close(reader, titled);
	return titled_test(reader, titled);
}

/* Banner lines.  `rest` is what follows the phrase. */
struct banner_line {
	struct reader *reader;
	struct titled *titled;
	const char *rest;
	size_t column;	  /* of the phrase */
	const char *text; /* the whole line */
};

static void connecting_take(struct banner_line *line)
{
	struct iperf_test *test = titled_fresh_test(line->reader, line->titled);
	struct iperf_part *part = &test->parts[0];

	part->client = part->role_known = part->begun = true;
	iperf_text_take(line->rest, ",", part->facts.host, sizeof(part->facts.host));
}

static void accepted_take(struct banner_line *line)
{
	struct iperf_test *test = titled_test(line->reader, line->titled);
	struct iperf_part *part = iperf_test_part(test);

	/* "Server listening" comes right before, and belongs to the same test */
	if (part->connections > 0 || (part->role_known && part->client) ||
	    iperf_part_has_rows(part)) {
		titled_close(line->reader, line->titled);
		part = iperf_test_part(titled_test(line->reader, line->titled));
	}
	part->client = false;
	part->role_known = part->begun = true;
	iperf_text_take(line->rest, ",", part->facts.host, sizeof(part->facts.host));
}

static void listening_take(struct banner_line *line)
{
	struct titled *titled = line->titled;

	if (titled->test && titled->test->server_output)
		return;
	struct iperf_part *part = &titled_fresh_test(line->reader, titled)->parts[0];
	part->client = false;
	part->role_known = part->begun = true;
}

static void reverse_take(struct banner_line *line)
{
	struct iperf_part *part = &titled_test(line->reader, line->titled)->parts[0];

	if (iperf_part_has_rows(part))
		part = &titled_fresh_test(line->reader, line->titled)->parts[0];
	part->client = part->role_known = part->begun = part->reverse = true;
	if (!part->facts.host[0])
		iperf_text_take(line->rest, " ", part->facts.host, sizeof(part->facts.host));
}

/* "iperf 3.12" or "iperf 3.12 (cJSON 1.7.15)"; the system is named in the next line, at the same
 * column. */
static void version_take(struct banner_line *line)
{
	struct iperf_test *test = line->titled->test;
	const char *end = line->rest + strcspn(line->rest, " \t");

	end += strspn(end, " \t");
	if (*end && *end != '(')
		return; /* a sentence */
	if (!test || !test->server_output)
		test = titled_fresh_test(line->reader, line->titled);
	struct iperf_part *part = iperf_test_part(test);
	iperf_text_take(line->rest, " \t", part->facts.version, sizeof(part->facts.version));
	line->reader->system_column = line->column + 1;
}

static void server_output_take(struct banner_line *line)
{
	struct iperf_test *test = titled_test(line->reader, line->titled);

	test->parts[0].client = test->parts[0].role_known = true;
	test->server_output = true;
}

static void server_json_take(struct banner_line *line)
{
	line->reader->server_json = true;
}

static void done_take(struct banner_line *line)
{
	struct iperf_test *test = line->titled->test;

	if (!test)
		return;
	test->done = true;
	test->parts[0].client = test->parts[0].role_known = true;
	titled_close(line->reader, line->titled);
}

/* The MSS of the control connection stands for that of the test unless -M was given; it comes
 * before all else of a client's test. */
static void control_take(struct banner_line *line)
{
	struct iperf_part *part = &titled_fresh_test(line->reader, line->titled)->parts[0];

	part->client = part->role_known = true;
	iperf_mss_take(part, line->rest);
}

/* What is behind "iperf3: ".  Other messages ("getsockopt - ...", "OUT OF ORDER - ...") do not end
 * a test. */
static void error_take(struct banner_line *line)
{
	static const char *const fatal[] = {
	    "error - ",
	    "parameter error - ",
	    "SERVER ERROR - ",
	    "interrupt - ",
	    "the client has ",
	    "the server has ",
	    "unrecognized option",
	    "option requires an argument",
	};
	struct reader *reader = line->reader;
	char error[sizeof(reader->error)];
	bool is_fatal = false;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		if (strncmp(line->rest, fatal[i], strlen(fatal[i])) == 0)
			is_fatal = true;
	}
	if (!is_fatal)
		return;
	if (strncmp(line->rest, fatal[0], strlen(fatal[0])) == 0)
		line->rest += strlen(fatal[0]);
	iperf_text_take(line->rest, "", error, sizeof(error));
	/* 3.0 and 3.1 give no reason for an unknown host, but the colon */
	size_t length = strlen(error);
	if (length > 0 && error[length - 1] == ':')
		error[length - 1] = '\0';
	struct iperf_test *test = line->titled->test;
	if (test && test->numbered) {
		struct iperf_part *part = &test->parts[0];
		if (!part->role_known && strstr(error, "the client has ")) {
			part->role_known = true;
			part->client = strncmp(error, "interrupt", 9) == 0;
		}
		/* the first one is the cause */
		if (!test->error[0])
			strlcpy(test->error, error, sizeof(test->error));
		return;
	}
	strlcpy(reader->error, error, sizeof(reader->error));
	reader->error_open = true;
}

static void command_take(struct banner_line *line)
{
	struct reader *reader = line->reader;
	struct titled *titled = line->titled;
	struct iperf_command command;

	if (!iperf_command_parse(line->text, &command))
		return;
	if (titled->test && titled->test->server_output)
		return;
	if (titled->test && !iperf_test_is_empty(titled->test))
		titled_close(reader, titled);
	if (titled->test)
		titled->test->command = command;
	else
		reader->command = command;
}

/* What iperf3 prints besides rows (iperf_locale.c, iperf_client_api.c, iperf_api.c of 3.0 to 3.21).
 * `keep`: the last bytes of the phrase belong to what follows it. */
static const struct banner {
	const char *phrase;
	size_t keep;
	bool opens; /* may begin a test */
	void (*take)(struct banner_line *line);
} banners[] = {
    {.phrase = "Connecting to host ", .opens = true, .take = connecting_take},
    {.phrase = "Accepted connection from ", .opens = true, .take = accepted_take},
    {.phrase = "Server listening on ", .opens = true, .take = listening_take},
    {.phrase = "Reverse mode, remote host ", .opens = true, .take = reverse_take},
    {.phrase = "Server output:", .take = server_output_take},
    {.phrase = "Server JSON output:", .take = server_json_take},
    {.phrase = "iperf Done.", .take = done_take},
    {.phrase = "iperf3: ", .take = error_take},
    {.phrase = "iperf3 ", .opens = true, .take = command_take},
    {.phrase = "iperf3.exe ", .opens = true, .take = command_take},
    {.phrase = "iperf 3.", .keep = 2, .opens = true, .take = version_take},
    {.phrase = "iperf -", .opens = true, .take = command_take},
    {.phrase = "Control connection MSS ", .take = control_take},
};

/* The first and second letters of the phrases here and in iperf_facts.c: most words are no phrase,
 * and long inputs are mostly words. */
static const bool first_letters[256] = {
    ['"'] = true,
    ['A'] = true,
    ['C'] = true,
    ['R'] = true,
    ['S'] = true,
    ['T'] = true,
    ['g'] = true,
    ['i'] = true,
    ['r'] = true,
    ['s'] = true,
    ['t'] = true,
};
static const bool second_letters[256] = {
    ['C'] = true,
    ['P'] = true,
    ['a'] = true,
    ['c'] = true,
    ['e'] = true,
    ['n'] = true,
    ['o'] = true,
    ['p'] = true,
    ['t'] = true,
};

static const struct banner *banner_at(const char *p)
{
	for (size_t i = 0; i < sizeof(banners) / sizeof(banners[0]); i++) {
		const char *phrase = banners[i].phrase;
		if (phrase[0] == *p && strncmp(phrase, p, strlen(phrase)) == 0)
			return &banners[i];
	}
	return NULL;
}

/* Takes the phrase that stands in the line at p, if one does. */
static bool phrase_take(struct reader *reader, const char *line, const char *p)
{
	size_t column = (size_t)(p - line);
	const struct banner *banner = banner_at(p);

	if (banner) {
		struct banner_line taken = {
		    .reader = reader,
		    .titled = titled_of(reader, line, column, banner->opens),
		    .rest = p + strlen(banner->phrase) - banner->keep,
		    .column = column,
		    .text = line,
		};
		banner->take(&taken);
		return true;
	}
	const struct iperf_fact *fact = iperf_fact_at(p);
	if (fact) {
		struct iperf_test *test =
		    titled_test(reader, titled_of(reader, line, column, false));
		fact->take(iperf_test_part(test), p + strlen(fact->phrase));
	}
	return fact != NULL;
}

/* Looks for a phrase at the start of any word: titles, time stamps and prompts come before it. */
static bool banner_take(struct reader *reader, const char *line)
{
	bool boundary = true;

	for (const char *p = line; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (boundary && first_letters[c] && second_letters[(unsigned char)p[1]] &&
		    phrase_take(reader, line, p))
			return true;
		/* a quotation mark is no boundary: JSON has some of the phrases as values */
		boundary = !isalnum(c) && c != '"' && c != '_' && c != '-';
	}
	return false;
}

static void connected_take(struct reader *reader, const char *line, const struct iperf_row *row)
{
	struct titled *titled = titled_of(reader, line, row->prefix, true);
	struct iperf_test *test = titled_test(reader, titled);

	/* all connections of a test are named before its first row */
	if (iperf_part_has_rows(iperf_test_part(test)) && !test->server_output) {
		titled_close(reader, titled);
		test = titled_test(reader, titled);
	}
	iperf_part_connected(iperf_test_part(test), row->rest);
}

/* A header or a data row that no later line continues. */
static void row_take(struct reader *reader, const char *line, struct iperf_row *row)
{
	if (row->kind != ROW_DATA && row->kind != ROW_HEADER)
		return;
	struct titled *titled = titled_of(reader, line, row->prefix, true);
	if (!iperf_test_row(titled_test(reader, titled), reader->runs, row)) {
		titled_close(reader, titled);
		iperf_test_row(titled_test(reader, titled), reader->runs, row);
	}
	titled->test->last = reader->clock;
}

static void held_flush(struct reader *reader)
{
	if (reader->held_row.kind != ROW_NONE)
		row_take(reader, reader->held, &reader->held_row);
	reader->held_row.kind = ROW_NONE;
}

/* Keeps a row back until the next line is known. */
static void row_hold(struct reader *reader, const char *line, struct iperf_row *row)
{
	size_t length = strlen(line);

	held_flush(reader);
	if (length > WRAPPED_MAX) {
		row_take(reader, line, row);
		return;
	}
	memcpy(reader->held, line, length + 1);
	reader->held_row = *row;
}

/* Is the line what a mailer wrapped off the row held? */
static bool row_continue(struct reader *reader, const char *line)
{
	struct iperf_row joined;
	size_t held = strlen(reader->held);

	if (reader->held_row.kind == ROW_NONE)
		return false;
	line += strspn(line, " \t>");
	size_t length = strlen(line);
	if (length == 0 || held + length > 2 * WRAPPED_MAX)
		return false;
	reader->held[held] = ' ';
	memcpy(reader->held + held + 1, line, length + 1);
	iperf_row_parse(reader->held, &joined);
	if (iperf_row_completes(&reader->held_row, &joined)) {
		reader->held_row = joined;
		return true;
	}
	reader->held[held] = '\0';
	return false;
}

/* Takes out terminal escapes; typographic blanks and dashes, which web pages put in, become plain. */
static void line_clean(char *line)
{
	char *out = line;

	for (const char *p = line; *p;) {
		if (p[0] == '\033' && p[1] == '[') {
			p += 2;
			p += strspn(p, "0123456789;?");
			p += *p != '\0';
		} else if (p[0] == '\302' && p[1] == '\240') { /* no-break space */
			*out++ = ' ';
			p += 2;
		} else if (p[0] == '\342' && p[1] == '\200' && (p[2] == '\223' || p[2] == '\224')) {
			*out++ = '-'; /* en and em dash */
			p += 3;
		} else {
			*out++ = *p == '\r' || *p == '\033' ? ' ' : *p;
			p++;
		}
	}
	*out = '\0';
}

/* The line below "iperf 3.12" names the system. */
static void system_take(struct reader *reader, const char *line, size_t column)
{
	struct titled *titled = reader->recent;

	if (!titled || !titled->test || strlen(line) <= column ||
	    !isalpha((unsigned char)line[column]))
		return;
	struct iperf_part *part = iperf_test_part(titled->test);
	iperf_text_take(
	    line + column, "", part->facts.system_info, sizeof(part->facts.system_info));
}

/* The server's JSON inside a text log ends with a brace of its own. */
static bool json_skip(struct reader *reader, const char *line)
{
	if (!reader->server_json)
		return false;
	if (line[0] == '}') {
		reader->server_json = false;
		return true;
	}
	if (strstr(line, "iperf Done.") || strncmp(line, "Connecting to host ", 19) == 0)
		reader->server_json = false;
	return reader->server_json;
}

static void line_take(struct reader *reader, char *line)
{
	struct iperf_row row;
	size_t column = reader->system_column;

	if (strpbrk(line, "\033\r\302\342"))
		line_clean(line);
	if (json_skip(reader, line))
		return;
	reader->system_column = 0;
	switch (iperf_row_parse(line, &row)) {
	case ROW_DATA:
	case ROW_CUT:
		row_hold(reader, line, &row);
		return;
	case ROW_HEADER:
		held_flush(reader);
		row_take(reader, line, &row);
		return;
	case ROW_CONNECTED:
		held_flush(reader);
		connected_take(reader, line, &row);
		return;
	case ROW_IPERF2:
		reader->iperf2 = true;
		break;
	case ROW_NONE:
		break;
	}
	if (row_continue(reader, line))
		return;
	held_flush(reader);
	if (!banner_take(reader, line) && column > 0)
		system_take(reader, line, column - 1);
}

static enum read_result result_note(const struct reader *reader, struct read_note *note)
{
	const struct iperf_outcome *last = &reader->last;

	note->text[0] = '\0';
	if (reader->run_count == 0) {
		if (reader->error[0])
			snprintf(note->text, sizeof(note->text), "no test rows; iperf3's error: %s",
			    quoted(reader->error));
		else if (reader->iperf2)
			snprintf(note->text, sizeof(note->text),
			    "no test rows of iperf3: these are iperf2's");
		else
			snprintf(note->text, sizeof(note->text),
			    "no test rows: iperf3 prints \"[  5]   0.00-1.00   sec ...\"");
		return READ_NOTHING;
	}
	if (last->error[0])
		snprintf(note->text, sizeof(note->text),
		    "the last test ended early; iperf3's error: %s", quoted(last->error));
	else if (!last->summary)
		snprintf(note->text, sizeof(note->text),
		    "no summary at its end: totals are computed from the intervals");
	else if (!last->complete)
		snprintf(note->text, sizeof(note->text),
		    "the last test was interrupted, or its summary is cut short");
	else if (reader->runs->dropped > 0)
		snprintf(
		    note->text, sizeof(note->text), "only the last %d runs are kept", RUNS_MAX);
	return note->text[0] ? READ_PARTIAL : READ_OK;
}

enum read_result iperf_text_read(struct runs *runs, struct source *source, struct read_note *note)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	char line[LINE_MAX_BYTES];
	bool cut;
	int got;

	if (!reader)
		err(1, NULL);
	reader->runs = runs;
	reader->input = source_name(source);
	while ((got = source_line(source, line, sizeof(line), &cut)) == 1)
		line_take(reader, line);
	held_flush(reader);
	for (size_t i = 0; i < reader->title_count; i++)
		titled_close(reader, &reader->titles[i]);
	enum read_result result = got < 0 ? READ_SYSTEM : result_note(reader, note);
	free(reader);
	return result;
}
