/*
 * One direction of one test while its rows arrive, whatever form they were printed in: folds them
 * into a series of intervals and into totals, in constant memory, and fills in the run in the end.
 */
#ifndef BDP_RUN_FOLD_H
#define BDP_RUN_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/run.h"

/* "sender" or "receiver" at the end of a summary row; SIDE_NONE: of UDP, the bytes of the sender with
 * the loss of the receiver. */
enum row_side { SIDE_SENDER, SIDE_RECEIVER, SIDE_NONE, SIDE_COUNT };

enum row_has {
	ROW_RATE = 1 << 0,  /* three or more significant digits of it */
	ROW_COUNT = 1 << 1, /* a bare number: retransmits or datagrams, as the header says */
	ROW_CWND = 1 << 2,
	ROW_JITTER = 1 << 3, /* jitter_ms, lost, packets */
	ROW_RETRANSMITS = 1 << 4,
	ROW_RTT = 1 << 5,
	ROW_CWND_COLUMN = 1 << 6,   /* a window was printed, usable or not */
	ROW_TRAILING = 1 << 7,	    /* text behind the row that is no part of it */
	ROW_CWND_ZERO = 1 << 8,	    /* a window of 0 was printed */
	ROW_COUNT_DROPPED = 1 << 9, /* the count is no number of retransmits */
	ROW_PEER_WINDOW = 1 << 10,
	ROW_RWND_LIMITED = 1 << 11,
	/* of JSON, where any member may be missing */
	ROW_START = 1 << 12,
	ROW_END = 1 << 13,
	ROW_BYTES = 1 << 14,
	ROW_SENDER = 1 << 15,
	ROW_PACKETS = 1 << 16,
	ROW_SOCKET = 1 << 17,
	ROW_RTT_MIN = 1 << 18,
	ROW_RTT_MAX = 1 << 19,
	ROW_TIMES = ROW_START | ROW_END,
	ROW_RTT_EXTREMES = ROW_RTT | ROW_RTT_MIN | ROW_RTT_MAX,
};

/* What one stream, or all of them, did in one interval or in the whole test. */
struct row {
	unsigned has; /* enum row_has */
	bool sum;     /* of all streams */
	bool omitted;
	bool sender;	    /* ROW_SENDER: the end that printed it sends */
	enum row_side side; /* of a summary row: whose it is */
	uint64_t id;	    /* of the stream */
	double start_s, end_s;
	uint64_t bytes;
	double rate_bps;
	uint64_t retransmits, peer_window_bytes;
	uint64_t cwnd_bytes; /* of a summary the largest */
	double rtt_us;	     /* of a summary the mean */
	double rtt_min_us, rtt_max_us;
	double rwnd_limited_us;
	double jitter_ms, lost; /* reordered or doubled datagrams can make lost negative */
	uint64_t packets;
};

/* Bytes over time from one source. */
struct fold_total {
	uint64_t bytes;
	double seconds;
	bool seen;
};

struct fold_loss {
	double jitter_ms, lost;
	uint64_t packets;
	unsigned streams; /* of those that told */
};

struct fold_rtt {
	double min_us, sum_us, max_us;
	unsigned count;
};

struct fold_stream {
	uint64_t id;
	unsigned bin; /* the interval it was last seen in, from 1 */
	double last_start_s, last_end_s;
	uint64_t last_bytes;
	bool last_omitted;
	struct fold_total own; /* of the counted interval rows */
	uint64_t own_retransmits;
	struct fold_loss own_loss;
	struct fold_total sides[SIDE_COUNT]; /* of the summary rows */
	uint64_t retransmits;		     /* of the summary's sender row */
	bool has_retransmits;
	bool unlabelled; /* had a summary row without a tag */
	struct fold_loss loss;
};

/* The interval whose rows are arriving. */
struct fold_interval {
	unsigned rows, with_retransmits, with_cwnd, with_rtt, with_peer_window;
	bool omitted;
	double start_s, end_s; /* summed over rows */
	struct bin bin;
	bool has_sum;
	struct row sum; /* the row of all streams */
};

struct fold {
	struct fold_stream streams[STREAMS_MAX];
	unsigned stream_count;
	unsigned hint;		/* index of the stream expected next */
	struct fold_stream sum; /* what the rows of all streams said */
	bool has_sum;

	struct fold_interval interval;
	unsigned bins;			 /* intervals begun */
	double last_start_s, last_end_s; /* of the one begun last */
	bool last_omitted;
	struct bin held;    /* the last counted interval: short ones are left out at the end */
	unsigned held_rows; /* 0: none held */
	struct series series;
	struct fold_total own; /* of the counted intervals */
	double own_end_s;      /* where they end so far */
	uint64_t own_retransmits;
	unsigned counted, with_retransmits;
	unsigned omitted;
	double omitted_s;
	bool counting;	      /* a counted interval has begun */
	double first_start_s; /* of the first counted one */

	bool saw_cwnd;			  /* an interval row had one: this end sends */
	bool cwnd_broken;		  /* they are not to be believed */
	bool saw_window, saw_zero_window; /* of a row, more than 0, or 0 */
	bool count_dropped;		  /* of retransmits that cannot be */
	unsigned limited_rows; /* counted rows that told the time held by the peer's window */
	double limited_us, limited_s; /* that time, and the rows' own */
	bool duplicated; /* the last interval came twice: the other end was interrupted */
	bool has_summary;
	struct fold_rtt rtt, summary_rtt; /* of the interval rows; of the sender's summary */
	unsigned with_max_cwnd;		  /* streams whose summary has the largest cwnd */
	uint64_t max_cwnd_bytes;
};

enum row_fit {
	FIT_INTERVAL,
	FIT_SUMMARY,
	FIT_NEW_TEST, /* belongs to a later test */
};

struct fold *fold_new(void);

/* What a row without a place of its own is to this direction; `header_again`: the column header was
 * printed a second time, as it is before the summary.  Takes nothing in. */
enum row_fit fold_fit(struct fold *fold, const struct row *row, bool header_again);

/* Whether the row's stream is there already. */
bool fold_knows(struct fold *fold, const struct row *row);

/* Takes a row of an interval in, unless it is the one before again; true when it counts. */
bool fold_interval(struct fold *fold, struct row *row);
/* Takes a row of row->side that is of the whole test. */
void fold_summary(struct fold *fold, const struct row *row);

/* No more rows come. */
void fold_end(struct fold *fold);

/* What a side's summary rows come to: that of all streams if there was one, else the streams added up;
 * unseen when a stream is missing. */
struct fold_total fold_side(const struct fold *fold, enum row_side side);

/* Fills in series and totals, and corrects what is known to be printed wrong, of a run that is described,
 * `local_sends` and `complete` included; the series changes owner.  After fold_end. */
void fold_fill(struct fold *fold, struct run *run);

/* NULL-safe. */
void fold_free(struct fold *fold);

#endif
