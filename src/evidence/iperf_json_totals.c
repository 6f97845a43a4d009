#include "evidence/iperf_json.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/* Longer jitter than this is uninitialised memory (6e8 ms: 3.1.1 and before). */
#define JITTER_MAX_MS 1e6

/* What the streams of a direction moved, by one way to tell. */
struct totals {
	unsigned streams; /* of those that told */
	uint64_t bytes;
	double seconds;
};

static void socket_totals_add(struct totals *totals, uint64_t bytes, double seconds)
{
	totals->streams++;
	totals->bytes += bytes;
	totals->seconds = fmax(totals->seconds, seconds);
}

static void socket_totals_add_total(struct totals *totals, const struct total *total)
{
	const unsigned needed = TOTAL_BYTES | TOTAL_TIMES;

	if ((total->has & needed) == needed)
		socket_totals_add(totals, total->bytes, total->end_s - total->start_s);
}

bool stream_is_of(
    const struct document *document, const struct stream *stream, enum direction direction)
{
	bool has_summary = (document->has & DOCUMENT_END) &&
			   ((stream->sent.has | stream->received.has) & TOTAL_BYTES);

	return stream->direction == direction && (stream->seen || has_summary);
}

/* The three ways: the sender's summary, the receiver's, and the rows of the end that printed. */
static void direction_totals(const struct document *document, enum direction direction,
    struct totals *sent, struct totals *received, struct totals *rows)
{
	for (size_t i = 0; i < document->stream_count; i++) {
		const struct stream *stream = &document->streams[i];
		if (!stream_is_of(document, stream, direction))
			continue;
		if (document->has & DOCUMENT_END) {
			socket_totals_add_total(sent, &stream->sent);
			socket_totals_add_total(received, &stream->received);
		}
		if (stream->rows > 0)
			socket_totals_add(rows, stream->bytes, stream->last_s - stream->first_s);
	}
}

static void run_set_sent(struct run *run, const struct totals *totals)
{
	run->has |= RUN_SENT;
	run->sent_bytes = totals->bytes;
	run->sent_seconds = totals->seconds;
}

static void run_set_received(struct run *run, const struct totals *totals)
{
	run->has |= RUN_RECEIVED;
	run->received_bytes = totals->bytes;
	run->received_seconds = totals->seconds;
}

/* Whether the results of the other end arrived: only a client waits for them, at the end of a test
 * that nothing interrupted.  Without them they are printed as 0. */
static bool other_end_told(const struct run *run)
{
	return run->complete && run->client && (run->has & RUN_ROLE_KNOWN);
}

static bool is_known(const struct run *run, const struct totals *totals, bool is_own)
{
	return totals->streams == run->streams &&
	       (is_own || totals->bytes > 0 || other_end_told(run));
}

static void totals_tcp(const struct document *document, enum direction direction, struct run *run)
{
	struct totals sent = {0}, received = {0}, rows = {0};
	struct totals *own = run->local_sends ? &sent : &received;

	direction_totals(document, direction, &sent, &received, &rows);
	/* where an interval was there twice, the summary has the bytes of one end and the time of
	 * another: the interrupted test of a server */
	if (rows.streams > 0 && (own->streams < run->streams || document->duplicate_count > 0))
		*own = rows;
	/* both times of --bidir are those of the first stream, which is another direction's
	 * (iperf_print_results() of 3.7 to 3.21) */
	if (run->bidir && !run->local_sends && rows.streams > 0)
		received.seconds = rows.seconds;
	if (is_known(run, &sent, run->local_sends))
		run_set_sent(run, &sent);
	if (is_known(run, &received, !run->local_sends))
		run_set_received(run, &received);
	/* data of the warm-up that was still under way makes the receiver the faster one, the more so
	 * as its time is the sender's before 3.2 */
	bool has_warm_up = run->omit_s > 0 || run->omitted_intervals > 0;
	if (run->local_sends && has_warm_up && (run->has & RUN_SENT) && (run->has & RUN_RECEIVED) &&
	    (double)run->received_bytes * run->sent_seconds >
		(double)run->sent_bytes * run->received_seconds)
		run->has &= ~(unsigned)RUN_RECEIVED;
}

/* The sum of the direction, or NULL: the one name is that of what the client sends, and from 3.7 to
 * 3.10.1 also that of what the server does. */
static const struct total *sum_of(
    const struct document *document, const struct total sums[2], const struct run *run)
{
	bool is_second = run->bidir && run->client != run->local_sends;

	if (!(document->has & DOCUMENT_END) || (run->bidir && !sums[1].has))
		return NULL;
	return sums[is_second].has ? &sums[is_second] : NULL;
}

/* Loss and jitter are the receiver's knowledge: from the sum, as with -O a stream's loss is one too
 * many where the other end is older than 3.14; else from the streams, else from the rows. */
static void loss_udp(const struct document *document, enum direction direction, struct run *run)
{
	const struct total *sum = sum_of(document, document->sums, run);
	double lost = sum ? sum->lost : 0;
	double jitter_ms = sum ? sum->jitter_ms : 0;
	uint64_t packets = sum ? sum->packets : 0;

	if (run->local_sends && !other_end_told(run))
		return;
	for (size_t i = 0; i < document->stream_count && !sum; i++) {
		const struct stream *stream = &document->streams[i];
		if (!stream_is_of(document, stream, direction))
			continue;
		lost += run->has_summary ? stream->sent.lost : stream->lost;
		jitter_ms +=
		    (run->has_summary ? stream->sent.jitter_ms : stream->jitter_ms) / run->streams;
		packets += run->has_summary ? stream->sent.packets : stream->packets;
	}
	if (packets == 0 || jitter_ms < 0 || jitter_ms > JITTER_MAX_MS)
		return;
	run->has |= RUN_JITTER;
	run->jitter_ms = jitter_ms;
	run->packets = packets;
	/* reordered or doubled datagrams can make it negative */
	run->lost = lost > 0 ? (uint64_t)fmin(lost, (double)packets) : 0;
}

/* What arrived, computed from the loss. */
static struct totals received_udp(
    const struct document *document, const struct run *run, const struct totals *sent)
{
	const struct total *sum = sum_of(document, document->sums, run);
	struct totals received = *sent;

	received.bytes -=
	    (uint64_t)((double)sent->bytes * ((double)run->lost / (double)run->packets));
	/* the sum of 3.2 and later has the sender's bytes and the receiver's time */
	if (sum && (sum->has & TOTAL_TIMES) == TOTAL_TIMES)
		received.seconds = sum->end_s - sum->start_s;
	return received;
}

/* A UDP stream's summary has the bytes sent, and the server's none: what arrived is in
 * sum_received since 3.11, before that in the receiver's rows or to be had from the loss. */
static void totals_udp(const struct document *document, enum direction direction, struct run *run)
{
	struct totals sent = {0}, unused = {0}, rows = {0}, received = {0};
	const struct total *sum = sum_of(document, document->sums_received, run);

	direction_totals(document, direction, &sent, &unused, &rows);
	if (run->local_sends && rows.streams > 0 &&
	    (sent.streams < run->streams || document->duplicate_count > 0))
		sent = rows;
	if (is_known(run, &sent, run->local_sends))
		run_set_sent(run, &sent);
	loss_udp(document, direction, run);
	if (sum)
		socket_totals_add_total(&received, sum);
	if (received.bytes > 0) {
		run_set_received(run, &received);
	} else if (!run->local_sends && rows.streams == run->streams) {
		run_set_received(run, &rows);
	} else if (run->local_sends && (run->has & RUN_JITTER)) {
		received = received_udp(document, run, &sent);
		run_set_received(run, &received);
	}
}

static void retransmits(const struct document *document, enum direction direction, struct run *run)
{
	uint64_t by_summary = 0, by_rows = 0;
	bool is_in_summary =
	    run->has_summary && (run->has & RUN_SENT) && document->duplicate_count == 0;
	bool is_in_rows = run->local_sends;

	for (size_t i = 0; i < document->stream_count; i++) {
		const struct stream *stream = &document->streams[i];
		if (!stream_is_of(document, stream, direction))
			continue;
		is_in_summary &= (stream->sent.has & TOTAL_RETRANSMITS) != 0;
		is_in_rows &= stream->rows > 0 && stream->rows_with_retransmits == stream->rows;
		by_summary += stream->sent.retransmits;
		by_rows += stream->retransmits;
	}
	if (!is_in_summary && !is_in_rows)
		return;
	run->has |= RUN_RETRANSMITS;
	run->retransmits = is_in_summary ? by_summary : by_rows;
}

/* RTT and congestion window of the whole test; of a direction that comes in they are those of an
 * idle socket (--bidir) or 0 (-R). */
static void extremes(const struct document *document, enum direction direction, struct run *run)
{
	const unsigned rtt = TOTAL_RTT_MIN | TOTAL_RTT_MEAN | TOTAL_RTT_MAX;
	unsigned with_rtt = 0, with_cwnd = 0;
	double min_us = HUGE_VAL, sum_us = 0, max_us = 0;

	for (size_t i = 0; i < document->stream_count; i++) {
		const struct total *sent = &document->streams[i].sent;
		if (!stream_is_of(document, &document->streams[i], direction))
			continue;
		if ((sent->has & rtt) == rtt) {
			with_rtt++;
			min_us = fmin(min_us, (double)sent->rtt_min_us);
			sum_us += (double)sent->rtt_mean_us;
			max_us = fmax(max_us, (double)sent->rtt_max_us);
		}
		if (sent->has & TOTAL_MAX_CWND) {
			with_cwnd++;
			run->max_cwnd_bytes += sent->max_cwnd_bytes;
		}
	}
	if (with_rtt > 0) {
		run->has |= RUN_RTT_EXTREMES;
		run->rtt_min_us = min_us;
		run->rtt_mean_us = sum_us / with_rtt;
		run->rtt_max_us = max_us;
	}
	if (with_cwnd == run->streams)
		run->has |= RUN_MAX_CWND;
}

/* What the printing end knows of each stream. */
static void stream_totals(
    const struct document *document, enum direction direction, struct run *run)
{
	run->stream_totals = calloc(run->streams, sizeof(*run->stream_totals));
	if (run->stream_totals == NULL)
		err(1, NULL);
	for (size_t i = 0; i < document->stream_count; i++) {
		const struct stream *stream = &document->streams[i];
		if (!stream_is_of(document, stream, direction))
			continue;
		struct stream_total *total = &run->stream_totals[run->stream_count++];
		const struct total *own = run->local_sends ? &stream->sent : &stream->received;
		struct totals summary = {0};
		if (run->has_summary && document->duplicate_count == 0)
			socket_totals_add_total(&summary, own);
		bool by_summary = summary.streams > 0;
		total->bytes = by_summary ? summary.bytes : stream->bytes;
		total->seconds =
		    by_summary ? summary.seconds : fmax(stream->last_s - stream->first_s, 0);
		if (run->protocol != PROTOCOL_TCP)
			continue;
		total->retransmits = run->has_summary && (stream->sent.has & TOTAL_RETRANSMITS)
					 ? stream->sent.retransmits
					 : stream->retransmits;
	}
}

void totals_fill(const struct document *document, enum direction direction, struct run *run)
{
	if (run->protocol == PROTOCOL_UDP)
		totals_udp(document, direction, run);
	else
		totals_tcp(document, direction, run);
	stream_totals(document, direction, run);
	if (run->protocol == PROTOCOL_TCP)
		retransmits(document, direction, run);
	if (run->protocol == PROTOCOL_TCP && run->local_sends && run->has_summary)
		extremes(document, direction, run);
}
