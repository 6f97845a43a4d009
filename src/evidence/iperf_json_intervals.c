#include "evidence/iperf_json.h"

#include <math.h>
#include <string.h>

/* A last interval shorter than this share of the usual one is what was left when the test ended;
 * an interval that starts later than this share of its end is not the first. */
#define STUB_SHARE 0.2

/* Streams of one direction in one interval, added up. */
struct gathering {
	struct bin bin;
	unsigned rows, with_retransmits, with_cwnd, with_peer_window, with_rtt;
	double rtt_sum_us;
	bool is_omitted;
};

struct stream *document_stream(struct document *document)
{
	if (document->place == STREAMS_MAX)
		return NULL;
	struct stream *stream = &document->streams[document->place++];
	if (document->place > document->stream_count)
		document->stream_count = document->place;
	return stream;
}

void stream_set_sender(struct document *document, struct stream *stream, bool is_sender)
{
	document->has |= DOCUMENT_SENDER_FLAGS;
	stream->direction = is_sender ? DIRECTION_SENDS : DIRECTION_RECEIVES;
}

void document_reset(struct document *document)
{
	for (int i = 0; i < DIRECTION_COUNT; i++)
		series_free(&document->courses[i].series);
	memset(document->streams, 0, document->stream_count * sizeof(document->streams[0]));
	memset(document, 0, offsetof(struct document, streams));
}

/* Whether this end sends; of an object that has lost its document, the summary of the stream instead. */
static bool row_sender_read(struct json *json, enum json_token token, void *record)
{
	struct stream *stream = record; /* a row is its first member */
	struct row *row = &stream->row;

	if (token == JSON_BEGIN_OBJECT)
		return total_read(json, token, &stream->sent);
	if (token == JSON_TRUE || token == JSON_FALSE) {
		row->sender = token == JSON_TRUE;
		row->has |= ROW_SENDER;
	}
	return value_skip(json, token);
}

static bool row_receiver_read(struct json *json, enum json_token token, void *record)
{
	struct stream *stream = record;

	return token == JSON_BEGIN_OBJECT ? total_read(json, token, &stream->received)
					  : value_skip(json, token);
}

_Static_assert(offsetof(struct stream, row) == 0, "the row is the first member of its stream");

static bool row_read(struct json *json, void *record)
{
	static const struct field rows[] = {
	    FIELD_IGNORED("socket"),
	    FIELD_INTO("start", struct row, start_s, ROW_START),
	    FIELD_INTO("end", struct row, end_s, ROW_END),
	    FIELD_IGNORED("seconds"),
	    FIELD_INTO("bytes", struct row, bytes, ROW_BYTES),
	    FIELD_IGNORED("bits_per_second"),
	    FIELD_INTO("retransmits", struct row, retransmits, ROW_RETRANSMITS),
	    {FIELD_KEY("snd_cwnd"), FIELD_MEMBER(struct row, cwnd_bytes), .has = ROW_CWND,
		.zero_is_absent = true, .zero = ROW_ZERO_CWND},
	    FIELD_NONZERO("snd_wnd", struct row, peer_window_bytes, ROW_PEER_WINDOW),
	    FIELD_NONZERO("rtt", struct row, rtt_us, ROW_RTT),
	    FIELD_IGNORED("rttvar"),
	    FIELD_IGNORED("pmtu"),
	    FIELD_IGNORED("reorder"),
	    FIELD_INTO("jitter_ms", struct row, jitter_ms, ROW_JITTER),
	    FIELD_INTO("lost_packets", struct row, lost, ROW_LOST),
	    FIELD_INTO("packets", struct row, packets, ROW_PACKETS),
	    FIELD_IGNORED("lost_percent"),
	    FIELD_INTO("omitted", struct row, omitted, ROW_OMITTED),
	    FIELD_BY("sender", row_sender_read),
	    FIELD_BY("receiver", row_receiver_read),
	    FIELD_BY("udp", row_sender_read),
	    /* perfSONAR's names */
	    FIELD_INTO("throughput-bytes", struct row, bytes, ROW_BYTES),
	    FIELD_NONZERO("tcp-window-size", struct row, cwnd_bytes, ROW_CWND),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;
	struct stream *stream = document_stream(document);

	if (stream == NULL)
		return json_skip(json);
	struct row *row = &stream->row;
	*row = (struct row){0};
	stream->fresh = fields_read(json, &fields, row);
	if (!stream->fresh)
		return false;
	if ((row->has & ROW_RETRANSMITS) && row->retransmits > RETRANSMITS_MAX) {
		row->has &= ~(unsigned)ROW_RETRANSMITS;
		row->retransmits = 0;
		document->has |= DOCUMENT_COUNT_DROPPED;
	}
	document->has |= (row->has & ROW_CWND ? DOCUMENT_WINDOW : 0U) |
			 (row->has & ROW_ZERO_CWND ? DOCUMENT_ZERO_WINDOW : 0U);
	/* user-space stacks that fake TCP_INFO: the RTT is noise when nothing else is there */
	if (!(row->has & (ROW_RETRANSMITS | ROW_CWND)))
		row->has &= ~(unsigned)ROW_RTT;
	return true;
}

/* The clock restarts after the warm-up. Where that comes before the last of its intervals was
 * printed (3.1.7), the next one has its start by the old clock and its end by the new one. */
static void row_restart(const struct stream *stream, struct row *row)
{
	bool is_first = stream->seen && stream->seen_omitted && !row->omitted;

	if (is_first && row->start_s > STUB_SHARE * row->end_s)
		row->start_s = 0;
}

/* A row says something when it has times and bytes, and is not the one before it again: an
 * interrupted test (any release) or a lost server (3.12 on) has its last interval twice. */
static bool row_is_news(struct document *document, const struct stream *stream)
{
	const unsigned needed = ROW_START | ROW_END | ROW_BYTES;
	const struct row *row = &stream->row;

	if ((row->has & needed) != needed || !times_make_sense(row->start_s, row->end_s))
		return false;
	bool again = stream->seen && row->start_s == stream->seen_start_s &&
		     row->end_s == stream->seen_end_s && row->bytes == stream->seen_bytes &&
		     row->omitted == stream->seen_omitted;
	document->duplicate_count += again && row->end_s > row->start_s;
	return !again;
}

/* Adds the row to its stream's own sums. */
static void stream_add(struct stream *stream, const struct row *row)
{
	stream->seen = true;
	stream->seen_start_s = row->start_s;
	stream->seen_end_s = row->end_s;
	stream->seen_bytes = row->bytes;
	stream->seen_omitted = row->omitted;
	if (row->omitted)
		return;
	if (stream->rows++ == 0)
		stream->first_s = row->start_s;
	stream->last_s = row->end_s;
	stream->bytes += row->bytes;
	stream->retransmits += row->retransmits;
	stream->rows_with_retransmits += (row->has & ROW_RETRANSMITS) != 0;
	stream->packets += row->packets;
	stream->lost += row->lost;
	if (row->has & ROW_JITTER)
		stream->jitter_ms = row->jitter_ms;
}

static void gathering_add(struct gathering *gathering, const struct row *row)
{
	struct bin *bin = &gathering->bin;

	if (gathering->rows++ == 0) {
		bin->start_s = row->start_s;
		bin->end_s = row->end_s;
		bin->rtt_min_us = HUGE_VAL;
	}
	gathering->is_omitted |= row->omitted;
	bin->bytes += row->bytes;
	if (row->has & ROW_RETRANSMITS) {
		gathering->with_retransmits++;
		bin->retransmits += row->retransmits;
	}
	if (row->has & ROW_CWND) {
		gathering->with_cwnd++;
		bin->cwnd_bytes += row->cwnd_bytes;
	}
	if (row->has & ROW_PEER_WINDOW) {
		gathering->with_peer_window++;
		bin->peer_window_bytes += row->peer_window_bytes;
	}
	if (row->has & ROW_RTT) {
		gathering->with_rtt++;
		gathering->rtt_sum_us += (double)row->rtt_us;
		bin->rtt_min_us = fmin(bin->rtt_min_us, (double)row->rtt_us);
	}
}

/* The streams' sum as a bin. A sum that misses streams would be wrong, a mean of RTTs is not. */
static struct bin gathering_bin(const struct gathering *gathering)
{
	struct bin bin = gathering->bin;

	if (gathering->with_retransmits == gathering->rows)
		bin.has |= BIN_RETRANSMITS;
	if (gathering->with_cwnd == gathering->rows) {
		bin.has |= BIN_CWND;
		bin.cwnd_min_bytes = bin.cwnd_max_bytes = bin.cwnd_bytes;
	}
	if (gathering->with_peer_window == gathering->rows)
		bin.has |= BIN_PEER_WINDOW;
	if (gathering->with_rtt > 0) {
		bin.has |= BIN_RTT;
		bin.rtt_us = gathering->rtt_sum_us / gathering->with_rtt;
	} else {
		bin.rtt_min_us = 0;
	}
	return bin;
}

static double bin_length(const struct bin *bin)
{
	return bin->end_s - bin->start_s;
}

/* Moves the interval kept back into the series. */
static void course_flush(struct course *course)
{
	if (!course->has_pending)
		return;
	course->has_pending = false;
	series_add(&course->series, &course->pending);
	course->usual_sum_s += bin_length(&course->pending);
	course->usual_count++;
}

static void course_add(struct course *course, const struct gathering *gathering)
{
	/* the streams' flags may differ where the warm-up ends: such an interval is not whole */
	if (gathering->is_omitted) {
		course->omitted++;
		return;
	}
	course_flush(course);
	course->pending = gathering_bin(gathering);
	course->has_pending = true;
}

void course_end(struct course *course)
{
	if (course->has_pending && course->usual_count > 0 &&
	    bin_length(&course->pending) < STUB_SHARE * course->usual_sum_s / course->usual_count)
		course->has_pending = false;
	course_flush(course);
}

void interval_commit(struct document *document)
{
	struct gathering gatherings[DIRECTION_COUNT] = {0};
	bool is_counted = false;

	for (size_t i = 0; i < document->stream_count; i++) {
		struct stream *stream = &document->streams[i];
		if (!stream->fresh)
			continue;
		stream->fresh = false;
		row_restart(stream, &stream->row);
		if (!row_is_news(document, stream))
			continue;
		if (stream->row.has & ROW_SENDER)
			stream_set_sender(document, stream, stream->row.sender);
		gathering_add(&gatherings[stream->direction], &stream->row);
		stream_add(stream, &stream->row);
	}
	for (int i = 0; i < DIRECTION_COUNT; i++) {
		if (gatherings[i].rows == 0)
			continue;
		course_add(&document->courses[i], &gatherings[i]);
		is_counted |= !gatherings[i].is_omitted;
	}
	document->interval_count += is_counted;
}

bool rows_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	document->place = 0;
	for (size_t i = 0; i < document->stream_count; i++)
		document->streams[i].fresh = false;
	return array_read(json, token, row_read, record);
}

static bool interval_item(struct json *json, void *record)
{
	/* the sums are taken from the streams: 3.7 to 3.10.1 write those of --bidir twice under one
	 * name */
	static const struct field rows[] = {
	    FIELD_BY("streams", rows_read),
	    FIELD_IGNORED("sum"),
	    FIELD_IGNORED("sum_bidir_reverse"),
	};
	static const struct fields fields = FIELDS(rows);

	if (!fields_read(json, &fields, record))
		return false;
	interval_commit(record);
	return true;
}

bool interval_read(struct json *json, enum json_token token, void *record)
{
	return token == JSON_BEGIN_OBJECT ? interval_item(json, record) : value_skip(json, token);
}

bool intervals_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	if (token == JSON_BEGIN_ARRAY)
		document->has |= DOCUMENT_INTERVALS;
	return array_read(json, token, interval_item, record);
}
