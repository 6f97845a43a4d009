/*
 * One direction of one test while its rows arrive: folds them into a series of intervals and into
 * totals, in constant memory, and fills in the run in the end.
 */
#ifndef BDP_IPERF_FLOW_H
#define BDP_IPERF_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/iperf_row.h"
#include "evidence/run.h"

/* Bytes over time from one source. */
struct flow_total {
	uint64_t bytes;
	double seconds;
	bool seen;
};

struct flow_stream {
	unsigned id;
	unsigned bin; /* the interval it was last seen in, from 1 */
	double last_start_s, last_end_s;
	uint64_t last_bytes;
	bool last_omitted;
	struct flow_total own; /* of the counted interval rows */
	uint64_t own_retransmits;
	struct flow_total sides[2]; /* of the summary rows, by enum row_side */
	uint64_t retransmits;	    /* of the summary's sender row */
	bool has_retransmits;
	bool unlabelled; /* had a summary row without a tag */
};

/* The interval whose rows are arriving. */
struct flow_gather {
	unsigned rows, with_retransmits, with_cwnd, with_rtt, with_peer_window;
	bool omitted;
	double start_s, end_s; /* summed over rows */
	struct bin bin;
	struct iperf_row sum; /* the [SUM] row; kind is ROW_NONE when there was none */
};

struct flow {
	struct flow_stream streams[STREAMS_MAX];
	unsigned stream_count;
	unsigned hint;		/* index of the stream expected next */
	struct flow_stream sum; /* what the [SUM] rows said */
	bool has_sum;

	struct flow_gather gather;
	unsigned bins;			 /* intervals begun */
	double last_start_s, last_end_s; /* of the one begun last */
	bool last_omitted;
	struct bin held;    /* the last counted interval: short ones are left out at the end */
	unsigned held_rows; /* 0: none held */
	struct series series;
	struct flow_total own; /* of the counted intervals */
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
	bool zero_side; /* one summary row is 0.00 Bytes beside one that is not */

	/* UDP */
	double jitter_ms;
	uint64_t lost, packets;
	bool loss_seen, loss_from_sum;
	struct iperf_row loss_rows; /* lost and packets over interval rows, last jitter */
};

enum flow_fit {
	FIT_INTERVAL,
	FIT_SUMMARY,
	FIT_DUPLICATE, /* printed twice */
	FIT_NEW_TEST,  /* belongs to a later test */
};

/* What the row is to this direction; `header_again`: the column header was printed a second time,
 * as it is before the summary.  Takes nothing in. */
enum flow_fit flow_fit(struct flow *flow, const struct iperf_row *row, bool header_again);

void flow_interval(struct flow *flow, const struct iperf_row *row);
void flow_summary(struct flow *flow, const struct iperf_row *row);
void flow_duplicate(struct flow *flow, const struct iperf_row *row);

/* No more rows come. */
void flow_end(struct flow *flow);

/* What a side's summary rows come to: [SUM] if there was one, else the streams added up. */
struct flow_total flow_side(const struct flow *flow, enum row_side side);

/* Fills in series and totals of a run whose `local_sends` is set; the series changes owner.  After
 * flow_end. */
void flow_fill(struct flow *flow, struct run *run);

/* NULL-safe. */
void flow_free(struct flow *flow);

#endif
