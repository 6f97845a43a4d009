#include "evidence/iperf_json.h"

#include <bsd/string.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the end that printed it sends in this direction. */
static bool direction_is_sent(const struct document *document, enum direction direction)
{
	if (document->facts.has & DOCUMENT_SENDER_FLAGS)
		return direction == DIRECTION_SENDS;
	if (document->facts.has & (DOCUMENT_CLIENT | DOCUMENT_SERVER))
		return !(document->facts.has & DOCUMENT_CLIENT) == document->reverse;
	/* only a sender's rows count retransmits */
	return document->folds[direction]->with_retransmits > 0 || !document->reverse;
}

static enum protocol protocol_of(const struct document *document)
{
	if (strcasecmp(document->protocol, "udp") == 0)
		return PROTOCOL_UDP;
	if (strcasecmp(document->protocol, "sctp") == 0)
		return PROTOCOL_SCTP;
	/* without test_start: only UDP counts packets */
	bool counts = document->protocol[0] == '\0' && (document->facts.has & DOCUMENT_PACKETS);
	return counts ? PROTOCOL_UDP : PROTOCOL_TCP;
}

/* What is the same for both directions. */
static void run_describe(const struct document *document, struct run *run)
{
	run_text_take(run->error, sizeof(run->error), document->error, "error - ", "");
	strlcpy(run->title, document->title, sizeof(run->title));
	strlcpy(run->cookie, document->cookie, sizeof(run->cookie));
	run->protocol = protocol_of(document);
	run->client = !(document->facts.has & DOCUMENT_SERVER);
	if (document->facts.has & (DOCUMENT_CLIENT | DOCUMENT_SERVER))
		run->has |= RUN_ROLE_KNOWN;
}

/* The sum of the direction, if there is one: the one name is that of what the client sends, and from 3.7 to
 * 3.10.1 also that of what the server does. */
static void sum_take(const struct document *document, struct row sums[2], struct fold *fold,
    const struct run *run, enum row_side side)
{
	struct row *sum = &sums[run->bidir && run->client != run->local_sends];

	if (!(document->facts.has & DOCUMENT_END) || (run->bidir && !sums[1].has) ||
	    (sum->has & ROW_TIMES) != ROW_TIMES)
		return;
	sum->sum = true;
	sum->side = side;
	/* it says of the loss what the other one says */
	sum->has &= side == SIDE_RECEIVER ? ~(unsigned)ROW_JITTER : ~0U;
	fold_summary(fold, sum);
}

/* One direction; its series moves from the document to the run. */
static struct run run_of(
    struct document *document, bool is_whole, enum direction direction, bool bidir)
{
	struct run run = {.streams = 1, .bidir = bidir};
	struct fold *fold = document->folds[direction];

	fold_end(fold);
	run_describe(document, &run);
	run.complete = is_whole && fold->has_summary && document->error[0] == '\0';
	run.local_sends = direction_is_sent(document, direction);
	run.reverse = !bidir && run.client != run.local_sends;
	if ((document->facts.has & (RUN_TARGET_RATE | DOCUMENT_TEST_TARGET_RATE)) ==
	    DOCUMENT_TEST_TARGET_RATE) {
		document->facts.has |= RUN_TARGET_RATE;
		document->facts.target_rate_bps = document->test_target_rate_bps;
	}
	run_facts_take(&run, &document->facts);
	/* a UDP stream's summary has the bytes sent, and the server's none */
	if (run.protocol == PROTOCOL_UDP) {
		sum_take(document, document->sums, fold, &run, SIDE_NONE);
		sum_take(document, document->sums_received, fold, &run, SIDE_RECEIVER);
	}
	fold_fill(fold, &run);
	run.began = document->began;
	if (run.series.count > 0)
		run.ended = run.began + run.series.bins[run.series.count - 1].end_s;
	return run;
}

static bool run_is_usable(const struct run *run)
{
	return run->series.count > 0 || run->sent_bytes > 0 || run->received_bytes > 0;
}

static uint64_t series_bytes(const struct series *series)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < series->count; i++)
		bytes += series->bins[i].bytes;
	return bytes;
}

/* Whether both are one end's account of one direction of one test: that end printed it twice (3.17,
 * --json-stream-full-output). */
static bool run_is_copy(const struct run *a, const struct run *b, const char *input)
{
	return strcmp(a->input, input) == 0 && a->client == b->client &&
	       a->local_sends == b->local_sends && a->sent_bytes == b->sent_bytes &&
	       a->received_bytes == b->received_bytes && a->series.count == b->series.count &&
	       series_bytes(&a->series) == series_bytes(&b->series);
}

/* Looks for runs with the same cookie: true when one is a copy; the other end's gives its test. */
static bool run_is_known(
    const struct runs *runs, const struct run *run, const char *input, unsigned *test)
{
	if (run->cookie[0] == '\0')
		return false;
	for (size_t i = runs->count; i-- > 0;) {
		const struct run *other = &runs->items[i];
		if (strcmp(other->cookie, run->cookie) != 0)
			continue;
		if (run_is_copy(other, run, input))
			return true;
		if (other->client != run->client && *test == UINT_MAX)
			*test = other->test;
	}
	return false;
}

void run_append(struct runs *runs, struct run *run, const char *input, unsigned *test)
{
	if (run_is_known(runs, run, input, test)) {
		series_free(&run->series);
		free(run->stream_totals);
		return;
	}
	if (*test == UINT_MAX)
		*test = runs->tests++;
	struct run *slot = runs_append(runs, input, *test);
	run->input = slot->input;
	run->test = slot->test;
	*slot = *run;
}

unsigned document_finish(
    struct document *document, bool is_whole, struct runs *runs, const char *input, unsigned *test)
{
	bool bidir = document->bidir ||
		     (document->folds[DIRECTION_SENDS] && document->folds[DIRECTION_RECEIVES]);
	unsigned count = 0;

	for (enum direction d = 0; d < DIRECTION_COUNT; d++) {
		if (!document->folds[d])
			continue;
		struct run run = run_of(document, is_whole, d, bidir);
		if (run_is_usable(&run)) {
			count++;
			run_append(runs, &run, input, test);
		} else {
			series_free(&run.series);
			free(run.stream_totals);
		}
	}
	return count;
}

void document_reset(struct document *document)
{
	for (int i = 0; i < DIRECTION_COUNT; i++)
		fold_free(document->folds[i]);
	memset(document, 0, offsetof(struct document, entries));
}
