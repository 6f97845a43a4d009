#include "evidence/iperf_json.h"

#include <bsd/string.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Copies text without its prefix, if it has it, and without what follows `stop`. */
static void text_take(
    char *into, size_t size, const char *text, const char *prefix, const char *stop)
{
	if (has_prefix(text, prefix))
		text += strlen(prefix);
	strlcpy(into, text, size);
	into[strcspn(into, stop)] = '\0';
}

/* Whether the end that printed it sends in this direction. */
static bool direction_is_sent(const struct document *document, enum direction direction)
{
	if (document->has & DOCUMENT_SENDER_FLAGS)
		return direction == DIRECTION_SENDS;
	if (document->has & (DOCUMENT_CLIENT | DOCUMENT_SERVER))
		return !(document->has & DOCUMENT_CLIENT) == document->reverse;
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
	bool counts = document->protocol[0] == '\0' && (document->has & DOCUMENT_PACKETS);
	return counts ? PROTOCOL_UDP : PROTOCOL_TCP;
}

/* What is the same for both directions. */
static void run_describe(const struct document *document, bool is_whole, struct run *run)
{
	text_take(run->version, sizeof(run->version), document->version, "iperf ", " \t\n");
	/* 3.0 ends it with a line feed */
	text_take(run->system_info, sizeof(run->system_info), document->system_info, "", "\r\n");
	text_take(run->error, sizeof(run->error), document->error, "error - ", "");
	strlcpy(run->title, document->title, sizeof(run->title));
	strlcpy(run->cookie, document->cookie, sizeof(run->cookie));
	run->protocol = protocol_of(document);
	run->client = !(document->has & DOCUMENT_SERVER);
	if (document->has & (DOCUMENT_CLIENT | DOCUMENT_SERVER))
		run->has |= RUN_ROLE_KNOWN;
	bool has_summary = false;
	for (int i = 0; i < DIRECTION_COUNT; i++)
		has_summary |= document->folds[i] && document->folds[i]->has_summary;
	run->complete = is_whole && has_summary && document->error[0] == '\0';
	if (document->has & DOCUMENT_MSS && document->mss <= UINT32_MAX) {
		run->has |= RUN_MSS;
		run->mss = (uint32_t)document->mss;
	}
	if (document->has & DOCUMENT_SOCKET_BUFFER) {
		run->has |= RUN_SOCKET_BUFFER;
		run->socket_buffer_bytes = document->socket_buffer_bytes;
	}
	/* a test of so many bytes has no duration: 0 */
	if (document->has & DOCUMENT_DURATION && document->duration_s > 0) {
		run->has |= RUN_DURATION;
		run->duration_s = document->duration_s;
	}
	if (document->has & DOCUMENT_OMIT && document->omit_s >= 0) {
		run->has |= RUN_OMIT;
		run->omit_s = document->omit_s;
	}
}

static void run_set_target_rate(const struct document *document, struct run *run)
{
	double rate_bps = document->has & DOCUMENT_TARGET_RATE ? document->target_rate_bps
							       : document->test_target_rate_bps;

	if (!(document->has & (DOCUMENT_TARGET_RATE | DOCUMENT_TEST_TARGET_RATE)) || rate_bps < 0)
		return;
	run->has |= RUN_TARGET_RATE;
	run->target_rate_bps = rate_bps;
}

static void run_set_ends(const struct document *document, struct run *run)
{
	const char *local = document->local;
	const char *remote = document->remote[0] != '\0' ? document->remote : document->peer;

	text_take(
	    run->sender, sizeof(run->sender), run->local_sends ? local : remote, "::ffff:", "");
	text_take(
	    run->receiver, sizeof(run->receiver), run->local_sends ? remote : local, "::ffff:", "");
	/* of --bidir only the server's sending is told, at both ends (iperf_api.c of 3.7 to 3.21) */
	bool is_swapped = run->bidir && run->client == run->local_sends;
	strlcpy(run->sender_cc, is_swapped ? document->receiver_cc : document->sender_cc,
	    sizeof(run->sender_cc));
	strlcpy(run->receiver_cc, is_swapped ? document->sender_cc : document->receiver_cc,
	    sizeof(run->receiver_cc));
}

/* Use of a core at each end.  A server prints its results before it gets the client's: what it says
 * of the other end is 0, or of the client before (iperf_reset_test() keeps it). */
static void run_set_cpu(const struct document *document, struct run *run)
{
	bool has_host = document->has & DOCUMENT_HOST_CPU && document->host_cpu_percent >= 0 &&
			document->host_cpu_percent <= CPU_PERCENT_MAX;
	bool has_remote = document->has & DOCUMENT_REMOTE_CPU && document->remote_cpu_percent > 0 &&
			  document->remote_cpu_percent <= CPU_PERCENT_MAX &&
			  !(document->has & DOCUMENT_SERVER);
	double *host = run->local_sends ? &run->sender_cpu_percent : &run->receiver_cpu_percent;
	double *remote = run->local_sends ? &run->receiver_cpu_percent : &run->sender_cpu_percent;

	if (has_host) {
		run->has |= run->local_sends ? RUN_SENDER_CPU : RUN_RECEIVER_CPU;
		*host = document->host_cpu_percent;
	}
	if (has_remote) {
		run->has |= run->local_sends ? RUN_RECEIVER_CPU : RUN_SENDER_CPU;
		*remote = document->remote_cpu_percent;
	}
}

/* The sum of the direction, if there is one: the one name is that of what the client sends, and from 3.7 to
 * 3.10.1 also that of what the server does. */
static void sum_take(const struct document *document, struct row sums[2], struct fold *fold,
    const struct run *run, enum row_side side)
{
	struct row *sum = &sums[run->bidir && run->client != run->local_sends];

	if (!(document->has & DOCUMENT_END) || (run->bidir && !sums[1].has) ||
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
	run_describe(document, is_whole, &run);
	run.local_sends = direction_is_sent(document, direction);
	run.reverse = !bidir && run.client != run.local_sends;
	run_set_target_rate(document, &run);
	run_set_ends(document, &run);
	run_set_cpu(document, &run);
	/* a UDP stream's summary has the bytes sent, and the server's none */
	if (run.protocol == PROTOCOL_UDP) {
		sum_take(document, document->sums, fold, &run, SIDE_NONE);
		sum_take(document, document->sums_received, fold, &run, SIDE_RECEIVER);
	}
	fold_fill(fold, &run);
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

static void run_append(struct runs *runs, struct run *run, const char *input, unsigned *test)
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
