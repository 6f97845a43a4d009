#include "evidence/iperf_test.h"

#include <bsd/string.h>
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* iperf3's port: the end that has it is the server, when nothing else tells. */
#define SERVER_PORT 5201
/* No UDP datagram is longer. */
#define DATAGRAM_MAX 65507

enum row_direction { ROWS_PLAIN, ROWS_TX, ROWS_RX, ROWS_COUNT };

struct iperf_test *iperf_test_new(const char *title)
{
	struct iperf_test *test = calloc(1, sizeof(*test));

	if (!test)
		err(1, NULL);
	strlcpy(test->title, title, sizeof(test->title));
	test->parts[0].client = true;
	test->parts[1].role_known = true;
	return test;
}

struct iperf_part *iperf_test_part(struct iperf_test *test)
{
	return &test->parts[test->server_output];
}

bool iperf_part_has_rows(const struct iperf_part *part)
{
	if (part->columns != COLUMNS_UNKNOWN)
		return true;
	for (size_t i = 0; i < ROWS_COUNT; i++) {
		if (part->folds[i])
			return true;
	}
	return false;
}

bool iperf_test_is_empty(const struct iperf_test *test)
{
	const struct iperf_part *part = &test->parts[0];

	return !part->begun && part->connections == 0 && !iperf_part_has_rows(part);
}

static enum row_direction role_direction(enum row_role role)
{
	switch (role) {
	case ROLE_TX_CLIENT:
	case ROLE_TX_SERVER:
		return ROWS_TX;
	case ROLE_RX_CLIENT:
	case ROLE_RX_SERVER:
		return ROWS_RX;
	case ROLE_NONE:
	default:
		return ROWS_PLAIN;
	}
}

static bool columns_are_udp(enum row_columns columns)
{
	return columns == COLUMNS_DATAGRAMS || columns == COLUMNS_JITTER;
}

/* Is the bare number behind the rate a count of datagrams, and not of retransmits? */
static bool count_is_datagrams(const struct iperf_part *part, const struct iperf_row *row)
{
	if (part->columns != COLUMNS_UNKNOWN)
		return columns_are_udp(part->columns);
	if ((row->data.has & ROW_CWND_COLUMN) || row->data.side != SIDE_NONE)
		return false;
	const struct fold *fold = part->folds[role_direction(row->role)];
	if (fold && fold->saw_cwnd)
		return false;
	if (part->protocol == PROTOCOL_UDP)
		return true;
	/* without a header: TCP rows of a sender have a window too, but for SUM */
	return row->count > 0 && row->count <= RETRANSMITS_MAX &&
	       row->data.bytes / (uint64_t)row->count <= DATAGRAM_MAX;
}

/* Gives the figures of a row the meaning that the header lends them. */
static void row_settle(struct iperf_part *part, struct iperf_row *row)
{
	if (row->data.has & ROW_JITTER)
		part->protocol = PROTOCOL_UDP;
	if (row->data.has & ROW_COUNT) {
		if (count_is_datagrams(part, row)) {
			part->protocol = PROTOCOL_UDP;
		} else if (row->count >= 0 && row->count <= RETRANSMITS_MAX) {
			row->data.retransmits = (uint64_t)row->count;
			row->data.has |= ROW_RETRANSMITS;
		} else {
			row->data.has |= ROW_COUNT_DROPPED;
		}
	}
	/* with several streams the debug lines come before all rows, in an order of their own */
	if (part->debug_lines == 1 && !row->data.sum && row->data.side == SIDE_NONE) {
		row->data.rtt_us = part->debug_rtt_us;
		row->data.has |= ROW_RTT;
	}
	part->debug_lines = 0;
}

static bool header_take(struct iperf_part *part, enum row_columns columns)
{
	bool rows = false;

	for (size_t i = 0; i < ROWS_COUNT; i++) {
		if (!part->folds[i])
			continue;
		rows = true;
		if (part->folds[i]->has_summary)
			return false;
	}
	if (rows && part->header_again)
		return false;
	if (rows)
		part->header_again = true;
	else
		part->interval_columns = columns;
	if (columns_are_udp(columns))
		part->protocol = PROTOCOL_UDP;
	part->columns = columns;
	return true;
}

/* [TX-C] and the like tell the end as well; false when it is the other end than so far. */
static bool role_take(struct iperf_part *part, enum row_role role)
{
	bool client = role == ROLE_TX_CLIENT || role == ROLE_RX_CLIENT;

	if (role == ROLE_NONE)
		return true;
	if (part->role_known && part->client != client)
		return false;
	part->role_known = true;
	part->client = client;
	part->bidir = true;
	return true;
}

bool iperf_test_row(struct iperf_test *test, struct runs *runs, struct iperf_row *row)
{
	struct iperf_part *part = iperf_test_part(test);

	if (row->kind == ROW_HEADER)
		return header_take(part, row->columns);
	if (!role_take(part, row->role))
		return false;
	struct fold **slot = &part->folds[role_direction(row->role)];
	enum row_fit fit = FIT_INTERVAL;
	if (*slot)
		fit = fold_fit(*slot, &row->data, part->header_again);
	else if (row->data.side != SIDE_NONE)
		fit = FIT_SUMMARY;
	if (fit == FIT_NEW_TEST)
		return false;
	row_settle(part, row);
	if (!*slot)
		*slot = fold_new();
	if (!test->numbered)
		test->number = runs->tests++;
	test->numbered = true;
	if (fit == FIT_INTERVAL)
		fold_interval(*slot, &row->data);
	else
		fold_summary(*slot, &row->data);
	return true;
}

/* "A port N" up to the end or " connected to"; the address may have been taken out of a paste. */
static void endpoint_take(const char **cursor, char *address, size_t size, unsigned *port)
{
	const char *p = *cursor, *end = strstr(p, "port ");
	double number;

	address[0] = '\0';
	*port = 0;
	if (!end)
		return;
	*cursor = end + strlen("port ");
	if (iperf_number_take(cursor, &number) && number <= UINT16_MAX)
		*port = (unsigned)number;
	while (end > p && end[-1] == ' ')
		end--;
	size_t length = (size_t)(end - p);
	if (length > 0 && length < size && !memchr(p, ' ', length))
		strlcpy(address, p, length + 1);
}

void iperf_part_connected(struct iperf_part *part, const char *text)
{
	const char *p = text;

	part->connections++;
	part->begun = true;
	if (part->connections > 1)
		return;
	endpoint_take(&p, part->facts.local, sizeof(part->facts.local), &part->local_port);
	p = strstr(p, "connected to ");
	if (!p)
		return;
	p += strlen("connected to ");
	endpoint_take(&p, part->facts.remote, sizeof(part->facts.remote), &part->remote_port);
}

/* Which side's summary row holds what the interval rows add up to?  SIDE_NONE when both do. */
static enum row_side direction_local_side(const struct fold *fold)
{
	struct fold_total sent = fold_side(fold, SIDE_SENDER);
	struct fold_total received = fold_side(fold, SIDE_RECEIVER);

	if (!fold->own.seen || !fold->has_summary)
		return SIDE_NONE;
	if (!received.seen || (received.bytes == 0 && sent.bytes > 0))
		return SIDE_SENDER;
	if (!sent.seen || (sent.bytes == 0 && received.bytes > 0))
		return SIDE_RECEIVER;
	double own = (double)fold->own.bytes;
	double off_sent = fabs(own - (double)sent.bytes);
	double off_received = fabs(own - (double)received.bytes);
	/* what is printed is rounded; nearly equal sides tell nothing */
	if (fabs(off_sent - off_received) <= 0.02 * own)
		return SIDE_NONE;
	return off_sent < off_received ? SIDE_SENDER : SIDE_RECEIVER;
}

/* Is the end that printed this direction the one that sends?  In order of trust. */
static bool direction_is_sent(
    const struct iperf_part *part, const struct fold *fold, enum row_direction index)
{
	enum row_side side = direction_local_side(fold);
	bool udp = part->protocol == PROTOCOL_UDP;

	if (index != ROWS_PLAIN)
		return index == ROWS_TX;
	if (part->local_role_known)
		return part->local_sends;
	if (part->reverse)
		return false;
	if (fold->saw_cwnd)
		return true;
	if (fold->own.seen && part->interval_columns != COLUMNS_UNKNOWN &&
	    part->interval_columns != COLUMNS_PLAIN)
		return part->interval_columns != COLUMNS_JITTER;
	if (part->role_known && part->client)
		return true;
	/* not every system shows retransmits: plain rows may be a sender's */
	if (side != SIDE_NONE && (!udp || !part->role_known))
		return side == SIDE_SENDER;
	if (part->role_known)
		return false;
	return !fold->own.seen;
}

static bool part_is_client(const struct iperf_part *part, bool sends)
{
	if (part->role_known)
		return part->client;
	if (part->local_port == SERVER_PORT || part->remote_port == SERVER_PORT)
		return part->local_port != SERVER_PORT;
	return sends || !part->connections;
}

/* What the output says, and where it says nothing, the command line above it. */
static void run_describe(
    const struct iperf_command *command, const struct iperf_part *part, struct run *run)
{
	if (command->client)
		run_facts_take(run, &command->facts);
	run_facts_take(run, &part->facts);
	if (!command->client)
		return;
	/* -C goes for both ends */
	if (command->cc[0] && !run->sender_cc[0])
		strlcpy(run->sender_cc, command->cc, sizeof(run->sender_cc));
	if (command->sctp && run->protocol == PROTOCOL_TCP)
		run->protocol = PROTOCOL_SCTP;
}

static void run_streams(
    const struct iperf_test *test, const struct iperf_part *part, struct run *run)
{
	unsigned connections = run->bidir ? part->connections / 2 : part->connections;
	unsigned told = part->streams ? part->streams : test->command.parallel;

	if (told > STREAMS_MAX)
		told = STREAMS_MAX;
	if (connections > STREAMS_MAX)
		connections = STREAMS_MAX;
	if (connections > run->streams)
		run->streams = connections;
	if (told > run->streams)
		run->streams = told;
}

/* Ended as planned?  An interrupted client prints 0.00 Bytes for the other end, and the client of
 * an interrupted server its last interval twice; what they say goes to stderr. */
static bool run_is_complete(
    const struct iperf_test *test, const struct iperf_part *part, const struct fold *fold)
{
	if (!fold->has_summary || fold->duplicated || test->error[0])
		return false;
	if (test->done || !part->role_known || !part->client || part->protocol == PROTOCOL_UDP)
		return true;
	struct fold_total sent = fold_side(fold, SIDE_SENDER);
	struct fold_total received = fold_side(fold, SIDE_RECEIVER);
	return sent.seen && received.seen && (sent.bytes == 0) == (received.bytes == 0);
}

static struct run *run_append(struct iperf_test *test, const struct iperf_part *part,
    enum row_direction index, struct runs *runs, const char *input)
{
	struct fold *fold = part->folds[index];
	struct run *run = runs_append(runs, input, test->number);

	fold_end(fold);
	run->protocol = part->protocol;
	run->local_sends = direction_is_sent(part, fold, index);
	run->client = part_is_client(part, run->local_sends);
	run->bidir = part->bidir;
	run->reverse =
	    !run->bidir && (part->role_known ? run->client != run->local_sends : part->reverse);
	run->has |= part->role_known ? RUN_ROLE_KNOWN : 0;
	run->rounding = TEXT_ROUNDING;
	run->began = (double)test->first;
	run->ended = (double)test->last;
	run_describe(&test->command, part, run);
	run->complete = run_is_complete(test, part, fold);
	fold_fill(fold, run);
	run_streams(test, part, run);
	strlcpy(run->title, test->title, sizeof(run->title));
	strlcpy(run->error, test->error, sizeof(run->error));
	return run;
}

struct iperf_outcome iperf_test_close(struct iperf_test *test, struct runs *runs, const char *input)
{
	struct iperf_outcome outcome = {.complete = true, .summary = true};

	if (!test)
		return outcome;
	strlcpy(outcome.error, test->error, sizeof(outcome.error));
	for (size_t p = 0; p < 2; p++) {
		struct iperf_part *part = &test->parts[p];
		if (test->command.client && part->client) {
			part->role_known = true;
			part->reverse = part->reverse || test->command.reverse;
		}
		for (enum row_direction i = ROWS_PLAIN; i < ROWS_COUNT; i++) {
			if (!part->folds[i])
				continue;
			const struct run *run = run_append(test, part, i, runs, input);
			outcome.runs++;
			outcome.complete = outcome.complete && run->complete;
			outcome.summary = outcome.summary && run->has_summary;
			fold_free(part->folds[i]);
		}
	}
	free(test);
	return outcome;
}
