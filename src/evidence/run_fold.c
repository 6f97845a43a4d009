#include "evidence/run_fold.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/iperf_correct.h"

/* Times are printed with two decimals, so that two of them differ by up to this when equal. */
#define TIME_STEP_S 0.011
/* Streams of one interval are read out one after another; on a slow machine with many streams the
 * borders differ by a few hundredths of a second. */
#define BORDER_SLACK_S 0.02
/* The rows after the last full interval hold what trickled in while the test was being closed. */
#define TAIL_SHARE 0.2
/* FreeBSD before iperf3 3.2 multiplied the window by the MSS twice (iperf issues 338, 465, 475):
 * windows above this that would take more than a second to send are that. */
#define CWND_SANE_BYTES (256.0 * 1024 * 1024)
#define CWND_SANE_S 1.0
/* Of the time, when nothing else can have held a flow for long. */
#define RWND_SHARE_MIN 0.6
/* Intervals that come to this share of the bytes are all there. */
#define WHOLE_SHARE 0.98
/* Longer jitter is none: uninitialised memory up to 3.1.1, and clock against duration where iperf3
 * before 3.1 meets 3.2 and later. */
#define JITTER_SANE_MS 1e6

struct fold *fold_new(void)
{
	struct fold *fold = calloc(1, sizeof(*fold));

	if (!fold)
		err(1, NULL);
	return fold;
}

static struct fold_stream *stream_find(struct fold *fold, const struct row *row)
{
	if (row->sum)
		return &fold->sum;
	for (unsigned i = 0; i < fold->stream_count; i++) {
		unsigned at = fold->hint + i;
		if (at >= fold->stream_count)
			at -= fold->stream_count;
		if (fold->streams[at].id == row->id) {
			fold->hint = at + 1 < fold->stream_count ? at + 1 : 0;
			return &fold->streams[at];
		}
	}
	return NULL;
}

/* The row's stream, taken on if it is new; NULL beyond STREAMS_MAX. */
static struct fold_stream *stream_get(struct fold *fold, const struct row *row)
{
	struct fold_stream *stream = stream_find(fold, row);

	if (row->sum)
		fold->has_sum = true;
	if (stream || fold->stream_count == STREAMS_MAX)
		return stream;
	stream = &fold->streams[fold->stream_count++];
	fold->hint = 0;
	stream->id = row->id;
	return stream;
}

bool fold_knows(struct fold *fold, const struct row *row)
{
	return stream_find(fold, row) != NULL;
}

/* Is it the row before again?  An interrupted test (any release) or a lost server (3.12 on) has its
 * last interval twice. */
static bool row_is_again(const struct fold_stream *stream, const struct row *row)
{
	return stream->bin > 0 && row->start_s == stream->last_start_s &&
	       row->end_s == stream->last_end_s && row->omitted == stream->last_omitted &&
	       row->bytes == stream->last_bytes;
}

/* Same borders, give or take what differs between streams? */
static bool interval_takes(const struct fold *fold, const struct row *row)
{
	const struct fold_interval *g = &fold->interval;
	double rows = g->rows;
	double start = rows > 0 ? g->start_s / rows : g->sum.start_s;
	double end = rows > 0 ? g->end_s / rows : g->sum.end_s;

	if (g->rows == 0 && !g->has_sum)
		return false;
	double slack = fmax(BORDER_SLACK_S, (end - start) / 2);
	return fabs(row->start_s - start) <= slack && fabs(row->end_s - end) <= slack;
}

/* Does the row span everything seen so far, as the unlabelled summary row of UDP before 3.2 does? */
static bool row_spans(const struct fold *fold, const struct fold_stream *stream,
    const struct row *row, bool header_again)
{
	if (!stream || !stream->own.seen || row->omitted)
		return false;
	double last_s = stream->last_end_s - stream->last_start_s;
	if (stream->own.seconds < 1.5 * last_s && !(header_again && (row->has & ROW_JITTER)))
		return false;
	return row->start_s <= fold->first_start_s + BORDER_SLACK_S &&
	       fabs(row->end_s - stream->last_end_s) <= BORDER_SLACK_S;
}

/* An untagged row that is no summary: the next interval, or the first of another test? */
static enum row_fit interval_fit(
    const struct fold *fold, const struct fold_stream *stream, const struct row *row)
{
	double start_s = fold->last_start_s, end_s = fold->last_end_s;
	bool omitted = fold->last_omitted;

	if (stream && stream->bin) {
		start_s = stream->last_start_s;
		end_s = stream->last_end_s;
		omitted = stream->last_omitted;
		if (row_is_again(stream, row))
			return FIT_INTERVAL;
	} else if (fold->bins == 0 || interval_takes(fold, row)) {
		return FIT_INTERVAL;
	}
	/* -O: the clock starts anew after the warm-up */
	if (omitted && !row->omitted)
		return FIT_INTERVAL;
	if (row->omitted && !omitted)
		return FIT_NEW_TEST;
	double middle_s = (start_s + end_s) / 2;
	return row->start_s >= middle_s - TIME_STEP_S ? FIT_INTERVAL : FIT_NEW_TEST;
}

enum row_fit fold_fit(struct fold *fold, const struct row *row, bool header_again)
{
	const struct fold_stream *stream = stream_find(fold, row);

	if (row->side != SIDE_NONE)
		return stream && stream->sides[row->side].seen ? FIT_NEW_TEST : FIT_SUMMARY;
	if (row_spans(fold, stream, row, header_again))
		return stream->unlabelled ? FIT_NEW_TEST : FIT_SUMMARY;
	if (fold->has_summary || header_again)
		return FIT_NEW_TEST;
	/* the SUM row's omitted flag can differ from its streams' at the border */
	if (row->sum && fold->interval.rows > 0 && interval_takes(fold, row) &&
	    !fold->interval.has_sum)
		return FIT_INTERVAL;
	return interval_fit(fold, stream, row);
}

/* A tail of 2.00-2.00 s is not of zero length: the rate, printed to three digits, tells the time
 * better than two decimals do. */
static double row_end(const struct row *row)
{
	double printed = row->end_s - row->start_s;

	if (printed >= 0.5 || !(row->has & ROW_RATE) || row->rate_bps <= 0)
		return row->end_s;
	double computed = (double)row->bytes * 8 / row->rate_bps;
	return fabs(computed - printed) <= TIME_STEP_S ? row->start_s + computed : row->end_s;
}

/* The held interval goes into the series and the totals. */
static void held_push(struct fold *fold, bool into_series)
{
	const struct bin *bin = &fold->held;
	double length = bin->end_s - bin->start_s;
	double gap = fold->own.seen ? bin->start_s - fold->own_end_s : 0;

	fold->own.seen = true;
	fold->own.bytes += bin->bytes;
	fold->own.seconds += length;
	/* the time between two intervals counts, but for a hole */
	if (gap > 0 && gap <= BORDER_SLACK_S)
		fold->own.seconds += gap;
	fold->own_end_s = bin->end_s;
	fold->own_retransmits += bin->retransmits;
	fold->counted++;
	if (bin->has & BIN_RETRANSMITS)
		fold->with_retransmits++;
	/* an interval without length has no rate */
	if (into_series && length > 0)
		series_add(&fold->series, bin);
	fold->held_rows = 0;
}

/* One interval from its rows; false when there were none. */
static bool interval_bin(const struct fold_interval *g, struct bin *bin)
{
	*bin = g->bin;
	if (g->rows == 0 && !g->has_sum)
		return false;
	if (g->rows > 0) {
		bin->start_s = g->start_s / g->rows;
		bin->end_s = g->end_s / g->rows;
		if (g->with_retransmits == g->rows)
			bin->has |= BIN_RETRANSMITS;
		if (g->with_cwnd == g->rows)
			bin->has |= BIN_CWND;
		if (g->with_peer_window == g->rows)
			bin->has |= BIN_PEER_WINDOW;
		bin->cwnd_min_bytes = bin->cwnd_max_bytes = bin->cwnd_bytes;
	}
	/* a sum that misses streams would be wrong, a mean of RTTs is not */
	if (g->with_rtt > 0) {
		bin->has |= BIN_RTT;
		bin->rtt_us /= g->with_rtt;
	}
	/* stream rows are missing from the paste when the sum is more than they come to */
	if (g->has_sum && (double)g->sum.bytes > (double)bin->bytes * 1.02) {
		bin->bytes = g->sum.bytes;
		bin->has &= ~(unsigned)(BIN_CWND | BIN_RETRANSMITS | BIN_PEER_WINDOW);
		if (g->sum.has & ROW_RETRANSMITS)
			bin->has |= BIN_RETRANSMITS;
		bin->retransmits = g->sum.retransmits;
	}
	if (g->rows == 0) {
		bin->start_s = g->sum.start_s;
		bin->end_s = row_end(&g->sum);
		bin->bytes = g->sum.bytes;
		bin->retransmits = g->sum.retransmits;
		if (g->sum.has & ROW_RETRANSMITS)
			bin->has |= BIN_RETRANSMITS;
	}
	return true;
}

static void interval_close(struct fold *fold)
{
	struct fold_interval *g = &fold->interval;
	unsigned rows = g->rows ? g->rows : 1;
	struct bin bin;

	if (interval_bin(g, &bin)) {
		if (g->omitted) {
			fold->omitted++;
			fold->omitted_s = bin.end_s;
		} else {
			/* a log that begins inside an interval lacks streams of it */
			if (fold->held_rows > 0 && (fold->own.seen || fold->held_rows >= rows))
				held_push(fold, true);
			fold->held = bin;
			fold->held_rows = rows;
		}
	}
	memset(g, 0, sizeof(*g));
}

static void rtt_add(struct fold_rtt *rtt, double min_us, double mean_us, double max_us)
{
	rtt->min_us = rtt->count == 0 ? min_us : fmin(rtt->min_us, min_us);
	rtt->max_us = fmax(rtt->max_us, max_us);
	rtt->sum_us += mean_us;
	rtt->count++;
}

static void interval_add(struct fold *fold, const struct row *row)
{
	struct fold_interval *g = &fold->interval;
	struct bin *bin = &g->bin;

	g->rows++;
	g->start_s += row->start_s;
	g->end_s += row_end(row);
	bin->bytes += row->bytes;
	if (row->has & ROW_RETRANSMITS) {
		bin->retransmits += row->retransmits;
		g->with_retransmits++;
	}
	if (row->has & ROW_CWND_COLUMN)
		fold->saw_cwnd = true;
	fold->saw_window = fold->saw_window || (row->has & ROW_CWND);
	fold->saw_zero_window = fold->saw_zero_window || (row->has & ROW_CWND_ZERO);
	if (row->has & ROW_CWND) {
		bin->cwnd_bytes += row->cwnd_bytes;
		g->with_cwnd++;
		double seconds = row->end_s - row->start_s;
		if (row->bytes > 0 && (double)row->cwnd_bytes > CWND_SANE_BYTES &&
		    (double)row->cwnd_bytes * seconds > (double)row->bytes * CWND_SANE_S)
			fold->cwnd_broken = true;
	}
	if (row->has & ROW_PEER_WINDOW) {
		bin->peer_window_bytes += row->peer_window_bytes;
		g->with_peer_window++;
	}
	if (row->has & ROW_RTT) {
		if (!g->with_rtt || row->rtt_us < bin->rtt_min_us)
			bin->rtt_min_us = row->rtt_us;
		bin->rtt_us += row->rtt_us;
		g->with_rtt++;
		rtt_add(&fold->rtt, row->rtt_us, row->rtt_us, row->rtt_us);
	}
}

/* Of one stream: the jitter is the latest. */
static void loss_add(struct fold_loss *loss, const struct row *row)
{
	loss->streams = 1;
	loss->lost += row->lost;
	loss->packets += row->packets;
	loss->jitter_ms = row->jitter_ms;
}

/* What a counted interval row adds to the totals. */
static void row_count(struct fold *fold, struct fold_stream *stream, const struct row *row)
{
	if (!stream)
		return;
	if (row->has & ROW_JITTER)
		loss_add(&stream->own_loss, row);
	if (row->has & ROW_RWND_LIMITED) {
		fold->limited_rows++;
		fold->limited_us += row->rwnd_limited_us;
		fold->limited_s += row_end(row) - row->start_s;
	}
	if (!fold->counting)
		fold->first_start_s = row->start_s;
	fold->counting = true;
	stream->own.seen = true;
	stream->own.bytes += row->bytes;
	stream->own.seconds += row_end(row) - row->start_s;
	if (row->has & ROW_RETRANSMITS)
		stream->own_retransmits += row->retransmits;
}

/* Does the row open an interval, the one before being over? */
static bool row_opens(
    const struct fold *fold, const struct fold_stream *stream, const struct row *row)
{
	const struct fold_interval *g = &fold->interval;

	if (!interval_takes(fold, row) || g->has_sum)
		return true; /* a SUM row ends its interval */
	if (row->sum)
		return false;
	return (stream && stream->bin == fold->bins) || g->omitted != row->omitted;
}

/* The clock restarts after the warm-up. Where that comes before the last of its intervals was
 * printed (3.1.7), the next one has its start by the old clock and its end by the new one. */
static void row_restart(const struct fold_stream *stream, struct row *row)
{
	if (stream && stream->bin > 0 && stream->last_omitted && !row->omitted &&
	    row->end_s - row->start_s < TAIL_SHARE * (stream->last_end_s - stream->last_start_s))
		row->start_s = 0;
}

static void interval_begin(struct fold *fold, const struct row *row)
{
	interval_close(fold);
	fold->bins++;
	fold->interval.omitted = row->omitted;
	fold->last_start_s = row->start_s;
	fold->last_end_s = row->end_s;
	fold->last_omitted = row->omitted;
}

bool fold_interval(struct fold *fold, struct row *row)
{
	struct fold_stream *stream = stream_get(fold, row);
	struct fold_interval *g = &fold->interval;

	fold->count_dropped |= (row->has & ROW_COUNT_DROPPED) != 0;
	row_restart(stream, row);
	if (row->start_s > row->end_s)
		return false;
	if (stream && row_is_again(stream, row)) {
		/* an empty tail printed twice means nothing */
		fold->duplicated |=
		    row->bytes > 0 && row->end_s - row->start_s > 2 * BORDER_SLACK_S;
		return false;
	}
	if (row_opens(fold, stream, row))
		interval_begin(fold, row);
	g->has_sum |= row->sum;
	if (row->sum)
		g->sum = *row;
	else
		interval_add(fold, row);
	if (stream) {
		stream->bin = fold->bins;
		stream->last_start_s = row->start_s;
		stream->last_end_s = row->end_s;
		stream->last_bytes = row->bytes;
		stream->last_omitted = g->omitted;
	}
	if (!g->omitted)
		row_count(fold, stream, row);
	return !g->omitted;
}

void fold_summary(struct fold *fold, const struct row *row)
{
	struct fold_stream *stream = stream_get(fold, row);
	enum row_side side = row->side;

	fold->has_summary = true;
	fold->count_dropped |= (row->has & ROW_COUNT_DROPPED) != 0;
	if (!stream)
		return;
	/* the receiver's own, or the only one there was before 3.2 */
	if ((row->has & ROW_JITTER) && side != SIDE_SENDER && row->packets > 0)
		loss_add(&stream->loss, row);
	stream->unlabelled |= side == SIDE_NONE;
	stream->sides[side].seen = true;
	stream->sides[side].bytes = row->bytes;
	stream->sides[side].seconds = row->end_s - row->start_s;
	/* 0.00 on a server */
	if (side == SIDE_NONE && !row->sum)
		stream->sides[SIDE_SENDER] = stream->sides[SIDE_NONE];
	if (side != SIDE_SENDER)
		return;
	if (row->has & ROW_RETRANSMITS) {
		stream->has_retransmits = true;
		stream->retransmits = row->retransmits;
	}
	if ((row->has & ROW_RTT_EXTREMES) == ROW_RTT_EXTREMES)
		rtt_add(&fold->summary_rtt, row->rtt_min_us, row->rtt_us, row->rtt_max_us);
	else if (row->has & ROW_RTT)
		rtt_add(&fold->rtt, row->rtt_us, row->rtt_us, row->rtt_us);
	fold->with_max_cwnd += (row->has & ROW_CWND) != 0;
	fold->max_cwnd_bytes += row->has & ROW_CWND ? row->cwnd_bytes : 0;
}

void fold_end(struct fold *fold)
{
	interval_close(fold);
	if (fold->held_rows == 0)
		return;
	double length = fold->held.end_s - fold->held.start_s;
	double usual = fold->counted ? fold->own.seconds / fold->counted : length;
	/* a paste that ends inside an interval lacks streams of it */
	bool cut = !fold->has_summary && fold->counted > 0 && fold->held_rows < fold->stream_count;
	if (!cut)
		held_push(fold, length >= TAIL_SHARE * usual);
	fold->held_rows = 0;
}

struct fold_total fold_side(const struct fold *fold, enum row_side side)
{
	struct fold_total total = fold->sum.sides[side];

	if (total.seen)
		return total;
	for (unsigned i = 0; i < fold->stream_count; i++) {
		const struct fold_total *one = &fold->streams[i].sides[side];
		if (!one->seen)
			return (struct fold_total){.seen = false};
		total.seen = true;
		total.bytes += one->bytes;
		total.seconds = fmax(total.seconds, one->seconds);
	}
	return total;
}

/* What the printing end knows of each stream: by its summary, else by its intervals. */
static void fill_streams(const struct fold *fold, struct run *run)
{
	enum row_side local = run->local_sends ? SIDE_SENDER : SIDE_RECEIVER;
	enum row_side remote = run->local_sends ? SIDE_RECEIVER : SIDE_SENDER;

	/* of an extract with [SUM] rows alone, how many there were is not told */
	const struct fold_stream *streams = fold->stream_count > 0 ? fold->streams : &fold->sum;
	run->streams = fold->stream_count > 0 ? fold->stream_count : 1;
	run->stream_totals = calloc(run->streams, sizeof(*run->stream_totals));
	if (!run->stream_totals)
		err(1, NULL);
	run->stream_count = run->streams;
	for (unsigned i = 0; i < run->streams; i++) {
		const struct fold_stream *stream = &streams[i];
		const struct fold_total *total = &stream->sides[local];
		if (stream->own.seen && (fold->duplicated || total->bytes == 0))
			total = &stream->own;
		else if (total->bytes == 0)
			total = &stream->sides[remote];
		run->stream_totals[i].bytes = total->bytes;
		run->stream_totals[i].seconds = total->seconds;
		if (run->protocol == PROTOCOL_TCP)
			run->stream_totals[i].retransmits =
			    stream->has_retransmits ? stream->retransmits : stream->own_retransmits;
	}
}

/* Adds up what streams know of the loss, by their summaries or by their intervals. */
static struct fold_loss loss_of_streams(const struct fold *fold, bool by_summary)
{
	struct fold_loss all = {.streams = 0};

	for (unsigned i = 0; i < fold->stream_count; i++) {
		const struct fold_stream *stream = &fold->streams[i];
		const struct fold_loss *one = by_summary ? &stream->loss : &stream->own_loss;
		all.streams += one->streams;
		all.lost += one->lost;
		all.packets += one->packets;
		all.jitter_ms += one->jitter_ms / fold->stream_count;
	}
	return all;
}

/* Whether the results of the other end arrived: only a client waits for them, at the end of a test
 * that nothing interrupted. */
static bool other_told(const struct run *run)
{
	return run->complete && run->client && (run->has & RUN_ROLE_KNOWN);
}

/* Loss and jitter are the receiver's knowledge: from the sum, as with -O a stream's loss is one too
 * many where the other end is older than 3.14; else from the streams, else from the intervals. */
static void fill_loss(const struct fold *fold, struct run *run)
{
	struct fold_loss loss = fold->sum.loss;

	if (loss.streams == 0)
		loss = loss_of_streams(fold, true);
	/* without the other end's results the sender prints that nothing was lost */
	if (run->local_sends && fold->has_summary && !fold_side(fold, SIDE_RECEIVER).bytes &&
	    !other_told(run))
		loss = (struct fold_loss){.streams = 0};
	if (loss.streams == 0)
		loss = loss_of_streams(fold, false);
	if (loss.streams == 0)
		loss = fold->sum.own_loss;
	if (loss.packets == 0 || loss.jitter_ms < 0 || loss.jitter_ms > JITTER_SANE_MS)
		return;
	run->has |= RUN_JITTER;
	run->lost = loss.lost > 0 ? (uint64_t)fmin(loss.lost, (double)loss.packets) : 0;
	run->packets = loss.packets;
	run->jitter_ms = loss.jitter_ms;
}

/* What arrived of UDP, computed from the loss, in the time of the receiver if a sum told it. */
static struct fold_total arrived(
    const struct fold *fold, const struct run *run, const struct fold_total *sent)
{
	const struct fold_total *sum = &fold->sum.sides[SIDE_NONE];
	struct fold_total received = *sent;

	received.bytes -=
	    (uint64_t)((double)sent->bytes * ((double)run->lost / (double)run->packets));
	if (sum->seen)
		received.seconds = sum->seconds;
	return received;
}

static void fill_totals(const struct fold *fold, struct run *run)
{
	struct fold_total sent = fold_side(fold, SIDE_SENDER);
	struct fold_total received = fold_side(fold, SIDE_RECEIVER);
	struct fold_total *local = run->local_sends ? &sent : &received;

	if (!sent.seen && fold->stream_count == 0)
		sent = fold->sum.sides[SIDE_NONE];
	/* 0 is what iperf3 prints for what the other end did not tell: 3.1 servers, interrupted clients */
	if (sent.bytes == 0 && !run->local_sends && !other_told(run))
		sent.seen = false;
	if (received.bytes == 0 && run->local_sends && !other_told(run))
		received.seen = false;
	/* the server of an interrupted client prints the bytes of the whole test over the time of
	 * its full intervals */
	if (fold->own.seen && (fold->duplicated || !local->seen || local->bytes == 0))
		*local = fold->own;
	/* both times of --bidir are those of the first stream, which is another direction's
	 * (iperf_print_results() of 3.7 to 3.21) */
	if (run->protocol == PROTOCOL_TCP && run->bidir && !run->local_sends &&
	    (double)fold->own.bytes >= (double)received.bytes * WHOLE_SHARE)
		received.seconds = fold->own.seconds;
	if (run->local_sends && sent.seen && !received.seen && (run->has & RUN_JITTER))
		received = arrived(fold, run, &sent);
	/* data of the warm-up that was still under way makes the receiver the faster one, the more so
	 * as its time is the sender's before 3.2 */
	if (run->protocol == PROTOCOL_TCP && run->local_sends && sent.seen &&
	    (run->omit_s > 0 || fold->omitted > 0) &&
	    (double)received.bytes * sent.seconds >
		(double)sent.bytes * received.seconds * (1 + 2 * run->rounding))
		received.seen = false;
	if (sent.seen) {
		run->has |= RUN_SENT;
		run->sent_bytes = sent.bytes;
		run->sent_seconds = sent.seconds;
	}
	if (received.seen) {
		run->has |= RUN_RECEIVED;
		run->received_bytes = received.bytes;
		run->received_seconds = received.seconds;
	}
}

/* By the summary of the sum, else of all streams; else by the intervals of the end that sends. */
static void fill_retransmits(const struct fold *fold, struct run *run)
{
	bool seen = fold->sum.has_retransmits || fold->stream_count > 0;
	uint64_t retransmits = fold->sum.retransmits;

	/* a receiver knows none; the 3.0 betas printed 0 there */
	if (!run->local_sends) {
		for (size_t i = 0; i < run->series.count; i++)
			run->series.bins[i].has &= ~(unsigned)BIN_RETRANSMITS;
	}
	for (unsigned i = 0; !fold->sum.has_retransmits && i < fold->stream_count; i++) {
		seen &= fold->streams[i].has_retransmits;
		retransmits += fold->streams[i].retransmits;
	}
	/* of a sender that was not heard of it is a 0 that means nothing */
	seen = seen && (run->has & RUN_SENT) && !fold->duplicated;
	if (!seen && run->local_sends && fold->counted > 0 &&
	    fold->with_retransmits == fold->counted) {
		seen = true;
		retransmits = fold->own_retransmits;
	}
	if (seen && run->protocol == PROTOCOL_TCP) {
		run->has |= RUN_RETRANSMITS;
		run->retransmits = retransmits;
	}
}

/* RTT and congestion window of the whole test; of a direction that comes in they are those of an
 * idle socket (--bidir) or 0 (-R). */
static void fill_extremes(const struct fold *fold, struct run *run)
{
	const struct fold_rtt *rtt = &fold->summary_rtt;

	if (run->protocol != PROTOCOL_TCP || !run->local_sends)
		return;
	if (rtt->count > 0) {
		run->has |= RUN_RTT_EXTREMES;
		run->rtt_min_us = rtt->min_us;
		run->rtt_mean_us = rtt->sum_us / rtt->count;
		run->rtt_max_us = rtt->max_us;
	}
	run->max_cwnd_bytes = fold->max_cwnd_bytes;
	if (fold->with_max_cwnd > 0 && fold->with_max_cwnd == fold->stream_count)
		run->has |= RUN_MAX_CWND;
}

void fold_fill(struct fold *fold, struct run *run)
{
	run->series = fold->series;
	memset(&fold->series, 0, sizeof(fold->series));
	run->omitted_intervals = fold->omitted;
	if (fold->omitted > 0 && !(run->has & RUN_OMIT)) {
		run->has |= RUN_OMIT;
		run->omit_s = fold->omitted_s;
	}
	run->has_summary = fold->has_summary;
	/* what it waited for besides is not told: where the window held it most of the time, little */
	if (fold->limited_rows > 0 && fold->limited_us > RWND_SHARE_MIN * fold->limited_s * 1e6) {
		run->has |= RUN_BUSY;
		run->busy_us = fold->limited_s * 1e6;
		run->rwnd_limited_us = fmin(fold->limited_us, run->busy_us);
	}
	fill_streams(fold, run);
	fill_loss(fold, run);
	fill_totals(fold, run);
	fill_retransmits(fold, run);
	fill_extremes(fold, run);
	const struct iperf_doubts doubts = {
	    .windows_are_zero = fold->saw_zero_window && !fold->saw_window,
	    .windows_are_broken = fold->cwnd_broken,
	    .count_dropped = fold->count_dropped};
	iperf_correct(run, &doubts);
}

void fold_free(struct fold *fold)
{
	if (!fold)
		return;
	series_free(&fold->series);
	free(fold);
}
