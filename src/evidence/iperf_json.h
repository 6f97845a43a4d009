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
#include "evidence/run_facts.h"
#include "evidence/run_fold.h"

/* ---- objects by table ---------------------------------------------------------------------- */

enum field_kind {
	FIELD_SKIP,  /* known and not needed */
	FIELD_COUNT, /* uint64_t; what cannot be a count (-1, 2^64-1) is absent */
	FIELD_REAL,  /* double; nan and infinities are absent */
	FIELD_FLAG,  /* bool; 0 and 1 are taken as well */
	FIELD_TEXT,  /* char[size], cut to fit */
	FIELD_VALUE, /* whatever .read makes of it */
	FIELD_PART,  /* the same, given the member at .offset in place of the record */
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
#define FIELD_MEMBER(type, member) \
	.kind = _Generic(((type *)NULL)->member, uint64_t: FIELD_COUNT, double: FIELD_REAL, \
	    bool: FIELD_FLAG, char *: FIELD_TEXT), \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

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
#define FIELD_AT(text, type, member, function) \
	{ \
		FIELD_KEY(text), .kind = FIELD_PART, .offset = offsetof(type, member), \
				 .read = (function) \
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

/* Members of an interval's row, a stream's summary or a sum, but for those that differ.  `end` less `start` is
 * its time, as `seconds` of a receiver is the sender's (3.2 and later). */
#define ROW_MEMBERS \
	FIELD_INTO("socket", struct row, id, ROW_SOCKET), FIELD_IGNORED("seconds"), \
	    FIELD_INTO("bytes", struct row, bytes, ROW_BYTES), \
	    FIELD_INTO("retransmits", struct row, retransmits, ROW_RETRANSMITS), \
	    {FIELD_KEY("snd_cwnd"), FIELD_MEMBER(struct row, cwnd_bytes), .has = ROW_CWND, \
		.zero_is_absent = true, .zero = ROW_CWND_ZERO}, \
	    FIELD_NONZERO("snd_wnd", struct row, peer_window_bytes, ROW_PEER_WINDOW), \
	    FIELD_NONZERO("rtt", struct row, rtt_us, ROW_RTT), FIELD_IGNORED("rttvar"), \
	    FIELD_IGNORED("pmtu"), FIELD_IGNORED("reorder"), \
	    FIELD_INTO("jitter_ms", struct row, jitter_ms, ROW_JITTER), \
	    FIELD_INTO("lost_packets", struct row, lost, 0), \
	    FIELD_INTO("packets", struct row, packets, ROW_PACKETS), \
	    FIELD_IGNORED("lost_percent"), FIELD_INTO("omitted", struct row, omitted, 0), \
	    FIELD_INTO("throughput-bytes", struct row, bytes, ROW_BYTES) /* perfSONAR's */

/* A stream in an interval, or its summaries in the end. */
struct entry {
	struct row row;
	struct row summaries[SIDE_COUNT];
};

/* The directions of a test by what the end that printed it does. Streams of releases before 3.7
 * do not say: they are all of one direction, and kept as DIRECTION_SENDS until that is known. */
enum direction { DIRECTION_SENDS, DIRECTION_RECEIVES, DIRECTION_COUNT };

struct document {
	struct run_facts facts; /* first: its `has` takes enum document_has as well */
	char cookie[40], protocol[8];
	double test_target_rate_bps, began;
	bool reverse, bidir;
	/* top */
	char title[64], error[160];
	/* intervals */
	unsigned interval_count;	     /* read whole and counted */
	struct fold *folds[DIRECTION_COUNT]; /* owned; NULL without a row */
	/* end; the sums are for UDP, [1] being those of what the server sends with --bidir */
	struct row sums[2], sums_received[2];

	/* the array being read */
	size_t entry_count;
	struct entry entries[STREAMS_MAX];
};

/* Beside enum run_has, where it is enough. */
enum document_has {
	DOCUMENT_END = 1 << 20, /* the summary was read to its end */
	DOCUMENT_CLIENT = 1 << 21,
	DOCUMENT_SERVER = 1 << 22,
	DOCUMENT_TEST_TARGET_RATE = 1 << 23,
	DOCUMENT_SENDER_FLAGS = 1 << 24, /* rows say who sends (3.7 and later) */
	DOCUMENT_PACKETS = 1 << 25,	 /* rows count packets */
};

/* Readers of the parts, as a table of fields wants them; `record` is the struct document. */
bool start_read(struct json *json, enum json_token token, void *record);
bool intervals_read(struct json *json, enum json_token token, void *record);
bool interval_read(struct json *json, enum json_token token, void *record);
bool end_read(struct json *json, enum json_token token, void *record);
/* The flat totals that perfSONAR makes of the end. */
bool summary_read(struct json *json, enum json_token token, void *record);
/* The streams of an interval, or of the end: of an object whose document is missing. */
bool entries_read(struct json *json, enum json_token token, void *record);
/* Takes over the rows, or the summaries, that were read. */
void interval_commit(struct document *document);
void summaries_commit(struct document *document);
/* Takes back the bits of what cannot be. */
void row_settle(struct row *row);
/* Where a row belongs by its direction. */
struct fold *document_fold(struct document *document, const struct row *row);

/* Makes runs of what was read and adds them to the list, but for those it has already; returns how
 * many there were in either case.  Runs of one test share *test, UINT_MAX until it has a number. */
unsigned document_finish(
    struct document *document, bool is_whole, struct runs *runs, const char *input, unsigned *test);
/* Adds one run, whose contents change owner but for its input, unless it is a copy of one that is there. */
void run_append(struct runs *runs, struct run *run, const char *input, unsigned *test);
/* Ready for the next document. */
void document_reset(struct document *document);

#endif
