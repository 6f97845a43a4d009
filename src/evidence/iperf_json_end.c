#include "evidence/iperf_json.h"

/* `end` less `start` is its time, as `seconds` of a
 * receiver is the sender's (3.2 and later). */
bool total_read(struct json *json, enum json_token token, struct total *total)
{
	static const struct field rows[] = {
	    FIELD_IGNORED("socket"), FIELD_INTO("start", struct total, start_s, TOTAL_START),
	    FIELD_INTO("end", struct total, end_s, TOTAL_END), FIELD_IGNORED("seconds"),
	    FIELD_INTO("bytes", struct total, bytes, TOTAL_BYTES), FIELD_IGNORED("bits_per_second"),
	    FIELD_INTO("retransmits", struct total, retransmits, TOTAL_RETRANSMITS),
	    FIELD_NONZERO("max_snd_cwnd", struct total, max_cwnd_bytes, TOTAL_MAX_CWND),
	    FIELD_NONZERO("max_rtt", struct total, rtt_max_us, TOTAL_RTT_MAX),
	    FIELD_NONZERO("min_rtt", struct total, rtt_min_us, TOTAL_RTT_MIN),
	    FIELD_NONZERO("mean_rtt", struct total, rtt_mean_us, TOTAL_RTT_MEAN),
	    FIELD_INTO("jitter_ms", struct total, jitter_ms, TOTAL_JITTER),
	    FIELD_INTO("lost_packets", struct total, lost, TOTAL_LOST),
	    FIELD_INTO("packets", struct total, packets, TOTAL_PACKETS),
	    FIELD_INTO("sender", struct total, sender, TOTAL_SENDER),
	    FIELD_INTO("throughput-bytes", struct total, bytes, TOTAL_BYTES), /* perfSONAR */
	};
	static const struct fields fields = FIELDS(rows);

	*total = (struct total){0};
	if (!fields_read_value(json, token, &fields, total))
		return false;
	if (total->retransmits > RETRANSMITS_MAX)
		total->has &= ~(unsigned)TOTAL_RETRANSMITS;
	if (!times_make_sense(total->start_s, total->end_s))
		total->has &= ~(unsigned)TOTAL_TIMES;
	return true;
}

static bool sent_read(struct json *json, enum json_token token, void *record)
{
	struct stream *stream = record;

	return total_read(json, token, &stream->sent);
}

static bool received_read(struct json *json, enum json_token token, void *record)
{
	struct stream *stream = record;

	return total_read(json, token, &stream->received);
}

static bool stream_read(struct json *json, void *record)
{
	/* `has` of a stream's record is not used: its totals have their own */
	static const struct field rows[] = {
	    FIELD_BY("sender", sent_read),
	    FIELD_BY("receiver", received_read),
	    FIELD_BY("udp", sent_read),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;
	struct stream *stream = document_stream(document);

	if (stream == NULL)
		return json_skip(json);
	if (!fields_read(json, &fields, stream))
		return false;
	if (stream->sent.has & TOTAL_SENDER)
		stream_set_sender(document, stream, stream->sent.sender);
	return true;
}

static bool streams_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	document->place = 0;
	return array_read(json, token, stream_read, record);
}

static bool sum_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	return total_read(json, token, &document->sums[0]);
}

static bool sum_reverse_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	return total_read(json, token, &document->sums[1]);
}

static bool sum_received_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	return total_read(json, token, &document->sums_received[0]);
}

static bool sum_received_reverse_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	return total_read(json, token, &document->sums_received[1]);
}

static bool cpu_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_INTO("host_total", struct document, host_cpu_percent, DOCUMENT_HOST_CPU),
	    FIELD_IGNORED("host_user"),
	    FIELD_IGNORED("host_system"),
	    FIELD_INTO("remote_total", struct document, remote_cpu_percent, DOCUMENT_REMOTE_CPU),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read_value(json, token, &fields, record);
}

bool end_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_BY("streams", streams_read),
	    FIELD_BY("sum", sum_read),
	    FIELD_IGNORED("sum_sent"),
	    FIELD_BY("sum_received", sum_received_read),
	    FIELD_BY("sum_bidir_reverse", sum_reverse_read),
	    FIELD_IGNORED("sum_sent_bidir_reverse"),
	    FIELD_BY("sum_received_bidir_reverse", sum_received_reverse_read),
	    FIELD_BY("cpu_utilization_percent", cpu_read),
	    FIELD_INTO("sender_tcp_congestion", struct document, sender_cc, 0),
	    FIELD_INTO("receiver_tcp_congestion", struct document, receiver_cc, 0),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;

	if (!fields_read_value(json, token, &fields, record))
		return false;
	if (token == JSON_BEGIN_OBJECT)
		document->has |= DOCUMENT_END;
	return true;
}

static bool flat_stream_read(struct json *json, void *record)
{
	struct stream *stream = document_stream(record);

	return stream == NULL ? json_skip(json)
			      : total_read(json, JSON_BEGIN_OBJECT, &stream->sent);
}

static bool flat_streams_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	document->place = 0;
	return array_read(json, token, flat_stream_read, record);
}

bool summary_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_BY("streams", flat_streams_read),
	    FIELD_IGNORED("summary"),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;

	if (!fields_read_value(json, token, &fields, record))
		return false;
	if (token == JSON_BEGIN_OBJECT)
		document->has |= DOCUMENT_END;
	return true;
}
