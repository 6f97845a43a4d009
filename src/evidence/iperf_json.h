/*
 * What the parts of the iperf3 JSON reader share: objects read by table, and one test's document
 * while it is read.  Private to iperf_json*.c.
 */
#ifndef BDP_IPERF_JSON_H
#define BDP_IPERF_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "evidence/iperf_correct.h"
#include "evidence/run.h"

/* ---- objects by table ---------------------------------------------------------------------- */

enum field_kind {
	FIELD_SKIP,  /* known and not needed */
	FIELD_COUNT, /* uint64_t; what cannot be a count (-1, 2^64-1) is absent */
	FIELD_REAL,  /* double; nan and infinities are absent */
	FIELD_FLAG,  /* bool; 0 and 1 are taken as well */
	FIELD_TEXT,  /* char[size], cut to fit */
	FIELD_VALUE, /* whatever .read makes of it */
};

/* Records begin with `unsigned has`; a field that was read sets its bit there. */
struct field {
	const char *key;
	size_t key_length;
	enum field_kind kind;
	bool zero_is_absent;
	unsigned zero; /* set when that was so */
	size_t offset, size;
	unsigned has;
	/* Takes the value whose first token was `token`, to its end; false when json failed. */
	bool (*read)(struct json *json, enum json_token token, void *record);
};

/* Rows of a table: the kind follows from the member's type. */
#define FIELD_KEY(text) .key = (text), .key_length = sizeof(text) - 1
#define FIELD_SAMPLE(type, member) (((type){.has = 0}).member)
#define FIELD_MEMBER(type, member) \
	.kind = _Generic(FIELD_SAMPLE(type, member), uint64_t: FIELD_COUNT, double: FIELD_REAL, \
	    bool: FIELD_FLAG, char *: FIELD_TEXT), \
	.offset = offsetof(type, member), .size = sizeof(FIELD_SAMPLE(type, member))

#define FIELD_IGNORED(text) \
	{ \
		FIELD_KEY(text), .kind = FIELD_SKIP \
	}
#define FIELD_INTO(text, type, member, bit) \
	{ \
		FIELD_KEY(text), FIELD_MEMBER(type, member), .has = (bit) \
	}
#define FIELD_NONZERO(text, type, member, bit) \
	{ \
		FIELD_KEY(text), FIELD_MEMBER(type, member), .has = (bit), .zero_is_absent = true \
	}
#define FIELD_BY(text, function) \
	{ \
		FIELD_KEY(text), .kind = FIELD_VALUE, .read = (function) \
	}

struct fields {
	const struct field *rows;
	size_t count;
};

#define FIELDS(rows) \
	{ \
		(rows), sizeof(rows) / sizeof((rows)[0]) \
	}

/* Reads the members of the object just begun into the record; false when json failed. */
bool fields_read(struct json *json, const struct fields *fields, void *record);
/* Reads the object that `token` may begin; anything else is skipped. */
bool fields_read_value(
    struct json *json, enum json_token token, const struct fields *fields, void *record);
/* Skips the rest of a value whose first token was taken. */
bool value_skip(struct json *json, enum json_token token);
/* Calls `item` for each object of the array that `token` may begin; anything else is skipped. */
bool array_read(struct json *json, enum json_token token,
    bool (*item)(struct json *json, void *record), void *record);

/* ---- one document -------------------------------------------------------------------------- */

/* What one stream did in one interval. */
struct row {
	unsigned has;
	double start_s, end_s;
	uint64_t bytes, retransmits, cwnd_bytes, peer_window_bytes, rtt_us;
	double jitter_ms, lost;
	uint64_t packets;
	bool omitted, sender;
};

enum row_has {
	ROW_START = 1 << 0,
	ROW_END = 1 << 1,
	ROW_BYTES = 1 << 2,
	ROW_RETRANSMITS = 1 << 3,
	ROW_CWND = 1 << 4,
	ROW_PEER_WINDOW = 1 << 5,
	ROW_RTT = 1 << 6,
	ROW_JITTER = 1 << 7,
	ROW_LOST = 1 << 8,
	ROW_PACKETS = 1 << 9,
	ROW_OMITTED = 1 << 10,
	ROW_SENDER = 1 << 11,
	ROW_ZERO_CWND = 1 << 12, /* printed, and 0: absent */
};

/* What the summary says of one stream, or of all, at one end. */
struct total {
	unsigned has;
	double start_s, end_s;
	uint64_t bytes, retransmits, max_cwnd_bytes, rtt_min_us, rtt_mean_us, rtt_max_us;
	double jitter_ms, lost;
	uint64_t packets;
	bool sender;
};

enum total_has {
	TOTAL_START = 1 << 0,
	TOTAL_END = 1 << 1,
	TOTAL_BYTES = 1 << 2,
	TOTAL_RETRANSMITS = 1 << 3,
	TOTAL_MAX_CWND = 1 << 4,
	TOTAL_RTT_MIN = 1 << 5,
	TOTAL_RTT_MEAN = 1 << 6,
	TOTAL_RTT_MAX = 1 << 7,
	TOTAL_JITTER = 1 << 8,
	TOTAL_LOST = 1 << 9,
	TOTAL_PACKETS = 1 << 10,
	TOTAL_SENDER = 1 << 11,
	TOTAL_TIMES = TOTAL_START | TOTAL_END,
};

/* The directions of a test by what the end that printed it does. Streams of releases before 3.7
 * do not say: they are all of one direction, and kept as DIRECTION_SENDS until that is known. */
enum direction { DIRECTION_SENDS, DIRECTION_RECEIVES, DIRECTION_COUNT };

/* One stream: known by its place, which is the same in every interval and in the summary. */
struct stream {
	struct row row; /* of the interval being read */
	bool fresh;	/* the row belongs to the interval being read */
	bool seen;	/* in an earlier interval; this is what it was: */
	double seen_start_s, seen_end_s;
	uint64_t seen_bytes;
	bool seen_omitted;
	enum direction direction;
	/* sums over the counted rows */
	unsigned rows, rows_with_retransmits;
	uint64_t bytes, retransmits, packets;
	double first_s, last_s, lost, jitter_ms;
	/* the summary; of UDP only `sent` */
	struct total sent, received;
};

/* One direction's intervals. */
struct course {
	struct series series;
	struct bin pending; /* the last interval: kept back until it is known not to be a stub */
	bool has_pending;
	double usual_sum_s; /* lengths of the intervals in the series */
	unsigned usual_count;
	unsigned omitted;
};

/* Times beyond 30 years are garbage, and differences of such need not be finite. */
#define TIME_MAX_S 1e9

static inline bool times_make_sense(double start_s, double end_s)
{
	return start_s >= -TIME_MAX_S && start_s <= end_s && end_s <= TIME_MAX_S;
}

struct document {
	unsigned has;
	/* start */
	char version[32], system_info[160], cookie[40], protocol[8];
	char local[64], remote[64], peer[64];
	uint64_t mss, socket_buffer_bytes;
	double target_rate_bps, test_target_rate_bps, duration_s, omit_s;
	bool reverse, bidir;
	/* top */
	char title[64], error[160];
	/* intervals */
	unsigned interval_count;  /* read whole and counted */
	unsigned duplicate_count; /* rows that were there twice */
	size_t place;		  /* of the next stream in the array being read */
	size_t stream_count;	  /* of those in use */
	struct course courses[DIRECTION_COUNT];
	/* end; the sums are for UDP, [1] being those of what the server sends with --bidir */
	struct total sums[2], sums_received[2];
	double host_cpu_percent, remote_cpu_percent;
	char sender_cc[16], receiver_cc[16];

	struct stream streams[STREAMS_MAX];
};

enum document_has {
	DOCUMENT_START = 1 << 0,
	DOCUMENT_INTERVALS = 1 << 1,
	DOCUMENT_END = 1 << 2, /* the summary was read to its end */
	DOCUMENT_CLIENT = 1 << 3,
	DOCUMENT_SERVER = 1 << 4,
	DOCUMENT_MSS = 1 << 5,
	DOCUMENT_SOCKET_BUFFER = 1 << 6,
	DOCUMENT_TARGET_RATE = 1 << 7,
	DOCUMENT_TEST_TARGET_RATE = 1 << 8,
	DOCUMENT_DURATION = 1 << 9,
	DOCUMENT_OMIT = 1 << 10,
	DOCUMENT_HOST_CPU = 1 << 11,
	DOCUMENT_REMOTE_CPU = 1 << 12,
	DOCUMENT_WINDOW = 1 << 14,	  /* a row had a cwnd */
	DOCUMENT_ZERO_WINDOW = 1 << 15,	  /* a row had one of 0 */
	DOCUMENT_COUNT_DROPPED = 1 << 16, /* a row's retransmits cannot be */
	DOCUMENT_SENDER_FLAGS = 1 << 13,  /* streams say who sends (3.7 and later) */
};

/* Readers of the parts, as a table of fields wants them; `record` is the struct document. */
bool start_read(struct json *json, enum json_token token, void *record);
bool intervals_read(struct json *json, enum json_token token, void *record);
bool interval_read(struct json *json, enum json_token token, void *record);
bool end_read(struct json *json, enum json_token token, void *record);
/* The flat totals that perfSONAR makes of the end. */
bool summary_read(struct json *json, enum json_token token, void *record);
/* The streams of an interval, or of the end: of an object whose document is missing. */
bool rows_read(struct json *json, enum json_token token, void *record);
/* One stream's summary at one end, or a sum. */
bool total_read(struct json *json, enum json_token token, struct total *total);
/* Takes over the rows of an interval that was read to its end. */
void interval_commit(struct document *document);

/* The stream at the next place of the array being read; NULL past STREAMS_MAX. */
struct stream *document_stream(struct document *document);
void stream_set_sender(struct document *document, struct stream *stream, bool is_sender);
/* Ends a direction's series; the last interval is left out when it is a stub. */
void course_end(struct course *course);

/* Whether the stream counts for a run of that direction. */
bool stream_is_of(
    const struct document *document, const struct stream *stream, enum direction direction);
/* Fills in what the run moved and how; the description is there already. */
void totals_fill(const struct document *document, enum direction direction, struct run *run);

/* Makes runs of what was read and adds them to the list, but for those it has already; returns how
 * many there were in either case.  Runs of one test share *test, UINT_MAX until it has a number. */
unsigned document_finish(
    struct document *document, bool is_whole, struct runs *runs, const char *input, unsigned *test);
/* Ready for the next document; in time proportional to what was in it. */
void document_reset(struct document *document);

#endif
