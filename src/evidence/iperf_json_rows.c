#include "evidence/iperf_json.h"

/* Times beyond 30 years are garbage, and differences of such need not be finite. */
#define TIME_MAX_S 1e9

void row_settle(struct row *row)
{
	if ((row->has & ROW_RETRANSMITS) && row->retransmits > RETRANSMITS_MAX) {
		row->has &= ~(unsigned)ROW_RETRANSMITS;
		row->has |= ROW_COUNT_DROPPED;
	}
	if (row->start_s < -TIME_MAX_S || row->start_s > TIME_MAX_S || row->end_s > TIME_MAX_S ||
	    row->end_s < -TIME_MAX_S)
		row->has &= ~(unsigned)ROW_TIMES;
}

/* One stream's summary at one end, or a sum. */
static bool summary_row_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_INTO("start", struct row, start_s, ROW_START),
	    FIELD_INTO("end", struct row, end_s, ROW_END),
	    FIELD_IGNORED("bits_per_second"),
	    ROW_MEMBERS,
	    FIELD_NONZERO("max_snd_cwnd", struct row, cwnd_bytes, ROW_CWND),
	    FIELD_NONZERO("max_rtt", struct row, rtt_max_us, ROW_RTT_MAX),
	    FIELD_NONZERO("min_rtt", struct row, rtt_min_us, ROW_RTT_MIN),
	    FIELD_NONZERO("mean_rtt", struct row, rtt_us, ROW_RTT),
	    FIELD_INTO("sender", struct row, sender, ROW_SENDER),
	};
	static const struct fields fields = FIELDS(rows);
	struct row *row = record;

	*row = (struct row){0};
	if (!fields_read_value(json, token, &fields, row))
		return false;
	row_settle(row);
	if (row->start_s > row->end_s)
		row->has &= ~(unsigned)ROW_TIMES;
	return true;
}

/* Whether this end sends; of an object that has lost its document, the summary of the stream instead. */
static bool sender_read(struct json *json, enum json_token token, void *record)
{
	struct entry *entry = record;

	if (token == JSON_BEGIN_OBJECT)
		return summary_row_read(json, token, &entry->summaries[SIDE_SENDER]);
	if (token == JSON_TRUE || token == JSON_FALSE) {
		entry->row.sender = token == JSON_TRUE;
		entry->row.has |= ROW_SENDER;
	}
	return value_skip(json, token);
}

/* Reading a summary clears it: its bits are enough here. */
static void entry_clear(struct entry *entry)
{
	entry->row = (struct row){0};
	for (int side = 0; side < SIDE_COUNT; side++)
		entry->summaries[side].has = 0;
}

/* A stream in an interval, or in the end. */
static bool entry_read(struct json *json, void *record)
{
	static const struct field rows[] = {
	    FIELD_INTO("start", struct row, start_s, ROW_START),
	    FIELD_INTO("end", struct row, end_s, ROW_END), FIELD_IGNORED("bits_per_second"),
	    ROW_MEMBERS, FIELD_BY("sender", sender_read),
	    FIELD_AT("receiver", struct entry, summaries[SIDE_RECEIVER], summary_row_read),
	    FIELD_AT("udp", struct entry, summaries[SIDE_NONE], summary_row_read),
	    FIELD_NONZERO("tcp-window-size", struct row, cwnd_bytes, ROW_CWND), /* perfSONAR's */
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;

	if (document->entry_count == STREAMS_MAX)
		return json_skip(json);
	struct entry *entry = &document->entries[document->entry_count];
	entry_clear(entry);
	if (!fields_read(json, &fields, entry))
		return false;
	row_settle(&entry->row);
	/* user-space stacks that fake TCP_INFO: the RTT is noise when nothing else is there */
	if (!(entry->row.has & (ROW_RETRANSMITS | ROW_CWND)))
		entry->row.has &= ~(unsigned)ROW_RTT;
	document->entry_count++;
	return true;
}

bool entries_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	document->entry_count = 0;
	return array_read(json, token, entry_read, record);
}

struct fold *document_fold(struct document *document, const struct row *row)
{
	struct fold **folds = document->folds;
	enum direction direction = DIRECTION_SENDS;

	document->facts.has |= row->has & ROW_PACKETS ? DOCUMENT_PACKETS : 0U;
	if (row->has & ROW_SENDER) {
		direction = row->sender ? DIRECTION_SENDS : DIRECTION_RECEIVES;
		/* told for the first time: what came so far is of this direction */
		if (!(document->facts.has & DOCUMENT_SENDER_FLAGS) && !row->sender) {
			folds[DIRECTION_RECEIVES] = folds[DIRECTION_SENDS];
			folds[DIRECTION_SENDS] = NULL;
		}
		document->facts.has |= DOCUMENT_SENDER_FLAGS;
	} else if (folds[DIRECTION_RECEIVES] && fold_knows(folds[DIRECTION_RECEIVES], row)) {
		direction = DIRECTION_RECEIVES;
	}
	if (!folds[direction])
		folds[direction] = fold_new();
	return folds[direction];
}

void interval_commit(struct document *document)
{
	const unsigned needed = ROW_TIMES | ROW_BYTES;
	bool is_counted = false;

	for (size_t i = 0; i < document->entry_count; i++) {
		struct row *row = &document->entries[i].row;
		if ((row->has & needed) != needed)
			continue;
		if (!(row->has & ROW_SOCKET))
			row->id = i;
		is_counted |= fold_interval(document_fold(document, row), row);
	}
	document->interval_count += is_counted;
}

/* Takes over a stream's summaries at both ends. */
static void entry_commit(struct document *document, struct entry *entry, size_t place)
{
	const unsigned needed = ROW_TIMES | ROW_BYTES;
	struct fold *fold = NULL;

	for (int side = 0; side < SIDE_COUNT; side++) {
		struct row *row = &entry->summaries[side];
		if ((row->has & needed) != needed)
			continue;
		if (!(row->has & ROW_SOCKET))
			row->id = place;
		if (!fold)
			fold = document_fold(document, row);
		row->side = (enum row_side)side;
		fold_summary(fold, row);
		document->facts.has |= DOCUMENT_END;
	}
}

void summaries_commit(struct document *document)
{
	for (size_t i = 0; i < document->entry_count; i++)
		entry_commit(document, &document->entries[i], i);
}

static bool interval_item(struct json *json, void *record)
{
	/* the sums are taken from the streams: 3.7 to 3.10.1 write those of --bidir twice under one
	 * name */
	static const struct field rows[] = {
	    FIELD_BY("streams", entries_read),
	    FIELD_IGNORED("sum"),
	    FIELD_IGNORED("sum_bidir_reverse"),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;

	document->entry_count = 0;
	if (!fields_read(json, &fields, record))
		return false;
	interval_commit(document);
	return true;
}

bool interval_read(struct json *json, enum json_token token, void *record)
{
	return token == JSON_BEGIN_OBJECT ? interval_item(json, record) : value_skip(json, token);
}

bool intervals_read(struct json *json, enum json_token token, void *record)
{
	return array_read(json, token, interval_item, record);
}

static bool cpu_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_INTO("host_total", struct document, facts.local_cpu_percent, RUN_SENDER_CPU),
	    FIELD_IGNORED("host_user"),
	    FIELD_IGNORED("host_system"),
	    FIELD_INTO("remote_total", struct document, facts.remote_cpu_percent, RUN_RECEIVER_CPU),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read_value(json, token, &fields, record);
}

/* Reads the end by its table; it counts when it was read whole. */
static bool end_read_by(
    struct json *json, enum json_token token, const struct fields *fields, void *record)
{
	struct document *document = record;

	document->entry_count = 0;
	if (!fields_read_value(json, token, fields, record))
		return false;
	if (token == JSON_BEGIN_OBJECT)
		document->facts.has |= DOCUMENT_END;
	summaries_commit(document);
	return true;
}

bool end_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_BY("streams", entries_read),
	    FIELD_AT("sum", struct document, sums[0], summary_row_read),
	    FIELD_IGNORED("sum_sent"),
	    FIELD_AT("sum_received", struct document, sums_received[0], summary_row_read),
	    FIELD_AT("sum_bidir_reverse", struct document, sums[1], summary_row_read),
	    FIELD_IGNORED("sum_sent_bidir_reverse"),
	    FIELD_AT(
		"sum_received_bidir_reverse", struct document, sums_received[1], summary_row_read),
	    FIELD_BY("cpu_utilization_percent", cpu_read),
	    FIELD_INTO("sender_tcp_congestion", struct document, facts.sender_cc, 0),
	    FIELD_INTO("receiver_tcp_congestion", struct document, facts.receiver_cc, 0),
	};
	static const struct fields fields = FIELDS(rows);

	return end_read_by(json, token, &fields, record);
}

static bool flat_stream_read(struct json *json, void *record)
{
	struct document *document = record;

	if (document->entry_count == STREAMS_MAX)
		return json_skip(json);
	struct entry *entry = &document->entries[document->entry_count++];
	entry_clear(entry);
	return summary_row_read(json, JSON_BEGIN_OBJECT, &entry->summaries[SIDE_SENDER]);
}

static bool flat_streams_read(struct json *json, enum json_token token, void *record)
{
	struct document *document = record;

	document->entry_count = 0;
	return array_read(json, token, flat_stream_read, record);
}

bool summary_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_BY("streams", flat_streams_read),
	    FIELD_IGNORED("summary"),
	};
	static const struct fields fields = FIELDS(rows);

	return end_read_by(json, token, &fields, record);
}
