#include "evidence/iperf2.h"

#include <bsd/string.h>
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "evidence/run_fold.h"
#include "evidence/iperf_row.h"
#include "evidence/scan.h"

/* An RTT of more than this is damage: 1000 s in us. */
#define RTT_MAX_US 1e9
/* More KiB than any cwnd has: 1 TiB. */
#define CWND_MAX_KIB (1ULL << 30)

enum direction { DIRECTION_SENT, DIRECTION_RECEIVED, DIRECTION_COUNT };

/* One direction of the present test. */
struct direction_state {
	struct fold *fold; /* NULL before its first row */
	bool enhanced;	   /* has a column that only -e prints */
};

struct reader {
	struct runs *runs;
	const char *input;
	size_t run_count;
	bool plain; /* there were rows without the columns of -e */
	double plain_bps, plain_seconds;

	bool iperf3; /* its output stands here, in the paste of a session */

	/* the present test */
	bool client, udp, ended;
	char local[64], remote[64], congestion[16];
	uint32_t mss;
	double initial_rtt_us;	  /* of the handshake; 0 when unknown */
	bool has_buffer;	  /* a line on the window was there */
	uint64_t requested_bytes; /* -w; 0 when it was not given */
	struct direction_state directions[DIRECTION_COUNT];

	bool has_held;
	struct row held;
	enum direction held_direction;
};

/* ---- the columns of -e ----------------------------------------------------------------------- */

/* "1358K", or "22K(16)" with packets behind it; -1K is what systems without a cwnd print. */
static bool cwnd_take(const char **at, struct row *row)
{
	const char *p = *at;
	uint64_t kib;

	if (scan_prefix(&p, "-1K")) {
		row->has |= ROW_CWND_COLUMN;
		*at = p;
		return true;
	}
	if (!scan_uint(&p, &kib) || *p != 'K' || kib > CWND_MAX_KIB)
		return false;
	p++;
	if (*p == '(')
		p += strcspn(p, ")") + (strchr(p, ')') != NULL);
	row->has |= ROW_CWND_COLUMN;
	if (kib > 0) {
		row->cwnd_bytes = kib * 1024;
		row->has |= ROW_CWND;
	}
	*at = p;
	return true;
}

/*
 * "1358K/40307(196) us" of Cwnd/RTT(var), "1358K/40307 us" before 2.1, and since 2.2 with the bytes in
 * flight before them: the last figure is the RTT, the one before it is cwnd.
 */
static bool window_column(const char *at, struct row *row)
{
	uint64_t rtt_us;

	at = scan_blanks(at);
	if (!cwnd_take(&at, row) || *at != '/')
		return false;
	at++;
	const char *second = at;
	if (scan_uint(&second, &rtt_us) && *second == 'K') {
		row->has &= ~(unsigned)ROW_CWND;
		if (!cwnd_take(&at, row) || *at != '/')
			return false;
		at++;
	}
	if (!scan_uint(&at, &rtt_us) || (*at != '(' && *at != ' ') || (double)rtt_us > RTT_MAX_US)
		return false;
	if (rtt_us > 0) {
		row->rtt_us = (double)rtt_us;
		row->has |= ROW_RTT;
	}
	return true;
}

/*
 * What stands behind the rate.  "126/0  0  1358K/40307(196) us  410" of a sender (Write/Err, Rtry, Cwnd,
 * RTT, NetPwr); "37537=6962:0:..." of a receiver (Reads=Dist).  True when it is one of them.
 */
static bool enhanced_take(const char *tail, struct row *row, enum direction *direction)
{
	uint64_t writes, errors, retries;
	const char *at = scan_blanks(tail);

	if (strstr(at, "us/") || strchr(at, '=') || strstr(at, " ms/")) {
		*direction = DIRECTION_RECEIVED;
		return true;
	}
	if (!scan_uint(&at, &writes))
		return false;
	if (*at != '/' || !(at++, scan_uint(&at, &errors)))
		return false;
	*direction = DIRECTION_SENT;
	at = scan_blanks(at);
	if (scan_uint(&at, &retries) && (*at == ' ' || *at == '\0')) {
		row->retransmits = retries;
		row->has |= ROW_RETRANSMITS;
	}
	window_column(at, row);
	return true;
}

/* ---- a test ---------------------------------------------------------------------------------- */

static void direction_add(struct reader *reader, struct row *row, enum direction at)
{
	struct direction_state *state = &reader->directions[at];

	if (state->fold == NULL)
		state->fold = fold_new();
	if (row->side == SIDE_NONE)
		fold_interval(state->fold, row);
	else
		fold_summary(state->fold, row);
}

/* A row that begins at 0 again, of a stream that had one, is its total; -P prints one for each, and
 * one for their sum. */
static bool is_total(struct fold *fold, const struct row *row)
{
	if (fold == NULL || row->start_s > 0)
		return false;
	if (row->sum)
		return fold->has_sum;
	return fold_knows(fold, row);
}

static void held_flush(struct reader *reader)
{
	struct row *row = &reader->held;
	enum direction at = reader->held_direction;

	if (!reader->has_held)
		return;
	reader->has_held = false;
	if (is_total(reader->directions[at].fold, row)) {
		row->side = at == DIRECTION_SENT ? SIDE_SENDER : SIDE_RECEIVER;
		reader->ended = true;
	} else {
		row->side = SIDE_NONE;
	}
	direction_add(reader, row, at);
}

static void run_describe(const struct reader *reader, enum direction at, struct run *run)
{
	const char *sender = at == DIRECTION_SENT ? reader->local : reader->remote;
	const char *receiver = at == DIRECTION_SENT ? reader->remote : reader->local;

	run->protocol = reader->udp ? PROTOCOL_UDP : PROTOCOL_TCP;
	run->client = reader->client;
	run->has |= RUN_ROLE_KNOWN;
	run->local_sends = at == DIRECTION_SENT;
	run->reverse = run->client != run->local_sends;
	run->bidir = reader->directions[DIRECTION_SENT].fold != NULL &&
		     reader->directions[DIRECTION_RECEIVED].fold != NULL;
	strlcpy(run->sender, sender, sizeof(run->sender));
	strlcpy(run->receiver, receiver, sizeof(run->receiver));
	if (run->local_sends)
		strlcpy(run->sender_cc, reader->congestion, sizeof(run->sender_cc));
	if (reader->mss > 0) {
		run->has |= RUN_MSS;
		run->mss = reader->mss;
	}
	if (reader->has_buffer && reader->client) {
		run->has |= RUN_SOCKET_BUFFER;
		run->socket_buffer_bytes = reader->requested_bytes;
	}
}

/* The handshake's RTT is the idle path's: it is the least there is, unless a later one is below. */
static void run_rtt(const struct reader *reader, const struct fold_rtt *rtt, struct run *run)
{
	double initial_us = reader->initial_rtt_us;

	if (rtt->count == 0 && initial_us <= 0)
		return;
	run->has |= RUN_RTT_EXTREMES;
	run->rtt_min_us = run->rtt_max_us = run->rtt_mean_us = initial_us;
	if (rtt->count == 0)
		return;
	run->rtt_min_us = initial_us > 0 ? fmin(initial_us, rtt->min_us) : rtt->min_us;
	run->rtt_max_us = rtt->max_us;
	run->rtt_mean_us = rtt->sum_us / rtt->count;
}

static void direction_end(struct reader *reader, enum direction at, unsigned test)
{
	struct direction_state *state = &reader->directions[at];

	if (state->fold == NULL)
		return;
	fold_end(state->fold);
	if (state->enhanced || reader->udp) {
		struct run *run = runs_append(reader->runs, reader->input, test);
		run_describe(reader, at, run);
		/* without -i the only row is the total */
		run->complete = state->fold->has_summary || state->fold->counted == 1;
		run->rounding = TEXT_ROUNDING;
		fold_fill(state->fold, run);
		run->has_summary = run->complete;
		run_rtt(reader, &state->fold->rtt, run);
		reader->run_count++;
	} else if (state->fold->own.seconds > 0) {
		struct fold_total total =
		    fold_side(state->fold, at == DIRECTION_SENT ? SIDE_SENDER : SIDE_RECEIVER);
		if (!total.seen)
			total = state->fold->own;
		reader->plain = true;
		reader->plain_seconds = total.seconds;
		reader->plain_bps = (double)total.bytes * 8 / fmax(total.seconds, 1e-3);
	}
	fold_free(state->fold);
	*state = (struct direction_state){0};
}

static void test_end(struct reader *reader)
{
	held_flush(reader);
	bool any = false;
	for (size_t i = 0; i < DIRECTION_COUNT; i++)
		any = any || reader->directions[i].enhanced || reader->udp;
	unsigned test = any ? reader->runs->tests++ : 0;
	for (size_t i = 0; i < DIRECTION_COUNT; i++)
		direction_end(reader, (enum direction)i, test);
	reader->ended = false;
	reader->local[0] = reader->remote[0] = '\0';
	reader->mss = 0;
	reader->initial_rtt_us = 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A bracket's star ("[ *1]" is the direction of -R) and its count ("[SUM-2]") are no part of the id. */
static bool bracket_plain(char *line)
{
	char *open = strchr(line, '['), *star;
	bool reverse = false;

	for (; open != NULL; open = strchr(open + 1, '[')) {
		char *inside = open + 1 + strspn(open + 1, " ");
		star = *inside == '*' ? inside : NULL;
		if (star != NULL) {
			*star = ' ';
			reverse = true;
		}
		if (strncmp(inside, "SUM-", 4) == 0) {
			char *close = inside + 4 + strspn(inside + 4, "0123456789");
			if (*close == ']')
				memmove(inside + 3, close, strlen(close) + 1);
		}
	}
	return reverse;
}

static void row_take(struct reader *reader, struct iperf_row *parsed, bool reverse)
{
	enum direction at = reader->client != reverse ? DIRECTION_SENT : DIRECTION_RECEIVED;
	const char *tail = strstr(parsed->rest, "/sec");
	struct row *row = &parsed->data;

	held_flush(reader);
	row->has &= ROW_RATE | ROW_JITTER;
	row->cwnd_bytes = 0;
	row->omitted = false;
	if (tail != NULL && enhanced_take(tail + strlen("/sec"), row, &at))
		reader->directions[at].enhanced = true;
	reader->held = *row;
	reader->has_held = true;
	reader->held_direction = at;
}

/* A mailer breaks the long rows before the window column. */
static bool row_continue(struct reader *reader, const char *line)
{
	struct row *held = &reader->held;

	if (!reader->has_held || !(held->has & ROW_RETRANSMITS) || (held->has & ROW_CWND_COLUMN))
		return false;
	return window_column(line, held);
}

static bool number_behind(const char *line, const char *word, double *value)
{
	const char *at = strstr(line, word);

	if (at == NULL)
		return false;
	at += strlen(word);
	return scan_decimal(&at, value) && *value > 0;
}

/* "(icwnd/mss/irtt=14/1448/40128)" since 2.1, "(MSS=1448)" before it. */
static void handshake_take(struct reader *reader, const char *line)
{
	const char *at = strstr(line, "icwnd/mss/irtt=");
	uint64_t icwnd, mss, rtt_us;
	double value;

	if (at != NULL) {
		at += strlen("icwnd/mss/irtt=");
		if (scan_uint(&at, &icwnd) && scan_prefix(&at, "/") && scan_uint(&at, &mss) &&
		    mss <= 65535) {
			reader->mss = (uint32_t)mss;
			if (scan_prefix(&at, "/") && scan_uint(&at, &rtt_us) &&
			    (double)rtt_us <= RTT_MAX_US)
				reader->initial_rtt_us = (double)rtt_us;
		}
	} else if (number_behind(line, "(MSS=", &value) && value <= 65535) {
		reader->mss = (uint32_t)value;
	}
}

static void address_take(char *address, size_t size, const char *at)
{
	size_t length = strcspn(at, " %");

	strlcpy(address, at, length < size ? length + 1 : size);
	scan_printable(address);
}

/* "local A%eth0 port P connected with B port Q (...)": on a server it begins the next test. */
static void connected_take(struct reader *reader, const char *rest, const char *line)
{
	const char *with = strstr(rest, "connected with ");

	held_flush(reader);
	/* all connections of a test are named before its first row */
	if (reader->directions[DIRECTION_SENT].fold || reader->directions[DIRECTION_RECEIVED].fold)
		test_end(reader);
	address_take(reader->local, sizeof(reader->local), rest);
	if (with != NULL)
		address_take(
		    reader->remote, sizeof(reader->remote), with + strlen("connected with "));
	handshake_take(reader, line);
}

/* "416 KByte (WARNING: requested 4.00 MByte)"; without "(default)" it was asked for. */
static void window_take(struct reader *reader, const char *at)
{
	static const char *const units[] = {"Byte", "KByte", "MByte", "GByte"};
	const char *asked = strstr(at, "requested ");
	double value, factor = 1;

	reader->has_buffer = true;
	reader->requested_bytes = 0;
	if (strstr(at, "(default)") != NULL)
		return;
	at = scan_blanks(asked != NULL ? asked + strlen("requested ") : at);
	if (!scan_decimal(&at, &value))
		return;
	at = scan_blanks(at);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++, factor *= 1024)
		if (strncmp(at, units[i], strlen(units[i])) == 0 && value * factor < 1e15)
			reader->requested_bytes = (uint64_t)(value * factor);
}

static bool banner_take(struct reader *reader, const char *line)
{
	const char *at;

	if ((at = strstr(line, "Client connecting to ")) != NULL ||
	    (at = strstr(line, "Server listening on ")) != NULL) {
		test_end(reader);
		reader->iperf3 = false;
		reader->client = *at == 'C';
		reader->udp = strstr(at, "UDP port") != NULL;
		reader->has_buffer = false;
		reader->congestion[0] = '\0';
		return true;
	}
	if (strstr(line, "Connecting to host ") != NULL) {
		test_end(reader);
		reader->iperf3 = true;
		return true;
	}
	if ((at = strstr(line, "TCP window size:")) != NULL) {
		window_take(reader, at + strlen("TCP window size:"));
		return true;
	}
	if ((at = strstr(line, "TCP congestion control set to ")) != NULL) {
		at += strlen("TCP congestion control set to ");
		scan_word(&at, reader->congestion, sizeof(reader->congestion));
		scan_printable(reader->congestion);
		return true;
	}
	return false;
}

static void line_take(struct reader *reader, char *line)
{
	struct iperf_row row;

	if (banner_take(reader, line) || reader->iperf3)
		return;
	bool reverse = bracket_plain(line);
	switch (iperf_row_parse(line, &row)) {
	case ROW_DATA:
	case ROW_IPERF2:
		row_take(reader, &row, reverse);
		return;
	case ROW_CONNECTED:
		connected_take(reader, row.rest, line);
		return;
	case ROW_HEADER:
	case ROW_CUT:
	case ROW_NONE:
		break;
	}
	row_continue(reader, line);
}

static enum read_result result_note(const struct reader *reader, struct read_note *note)
{
	note->text[0] = '\0';
	if (reader->run_count > 0)
		return READ_OK;
	if (reader->plain)
		snprintf(note->text, sizeof(note->text),
		    "iperf 2 without -e: %s over %s, and nothing on retransmits and cwnd; run "
		    "iperf -c HOST -e -i 1",
		    rate_text(reader->plain_bps).s, time_text(reader->plain_seconds * 1e6).s);
	else
		snprintf(note->text, sizeof(note->text),
		    "iperf 2 output without a row of a test; run iperf -c HOST -e -i 1");
	return READ_NOTHING;
}

enum read_result iperf2_read(struct runs *runs, struct source *source, struct read_note *note)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	char line[1024];
	bool cut;
	int got;

	if (reader == NULL)
		err(1, NULL);
	reader->runs = runs;
	reader->input = source_name(source);
	reader->client = true;
	while ((got = source_line(source, line, sizeof(line), &cut)) == 1)
		line_take(reader, line);
	test_end(reader);
	enum read_result result = got < 0 ? READ_SYSTEM : result_note(reader, note);
	free(reader);
	return result;
}
