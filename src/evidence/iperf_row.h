/*
 * The bracketed lines of iperf3's text output: interval and summary rows, column headers and
 * connections.  Grammar only, of one line at a time; what a row stands for is decided by
 * iperf_test.c, which knows the header in force.
 */
#ifndef BDP_IPERF_ROW_H
#define BDP_IPERF_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_kind {
	ROW_NONE,
	ROW_DATA,
	ROW_CUT,       /* the line ends inside a row: the next one may continue it */
	ROW_HEADER,    /* "[ ID] Interval ..." */
	ROW_CONNECTED, /* "[  5] local A port N connected to B port M" */
	ROW_IPERF2,    /* a row, but iperf2 printed it: one or four decimals in the interval */
};

/* "sender" or "receiver" at the end of a summary row. */
enum row_side { SIDE_SENDER, SIDE_RECEIVER, SIDE_NONE };

/* [TX-C] and so on, since --bidir exists (3.7). */
enum row_role { ROLE_NONE, ROLE_TX_CLIENT, ROLE_RX_CLIENT, ROLE_TX_SERVER, ROLE_RX_SERVER };

/* Which columns a header announces behind the rate. */
enum row_columns {
	COLUMNS_UNKNOWN, /* no header seen */
	COLUMNS_PLAIN,
	COLUMNS_RETR,
	COLUMNS_RETR_CWND,
	COLUMNS_DATAGRAMS, /* UDP sender */
	COLUMNS_JITTER,	   /* UDP receiver, and every UDP summary */
};

enum row_has {
	ROW_RATE = 1 << 0,  /* three or more significant digits of it */
	ROW_COUNT = 1 << 1, /* a bare number: retransmits or datagrams, as the header says */
	ROW_CWND = 1 << 2,
	ROW_JITTER = 1 << 3,	    /* jitter_ms, lost, packets */
	ROW_RETRANSMITS = 1 << 4,   /* set by iperf_test.c once it knows what the count is */
	ROW_RTT = 1 << 5,	    /* likewise, from a debug line before the row */
	ROW_CWND_COLUMN = 1 << 6,   /* a window was printed, usable or not */
	ROW_CWND_ZERO = 1 << 8,	    /* and it was 0 */
	ROW_PEER_WINDOW = 1 << 10,  /* Apple's Sndwnd */
	ROW_RWND_LIMITED = 1 << 11, /* Apple's Rwnd-Lmtd */
	ROW_COUNT_DROPPED = 1 << 9, /* set by iperf_test.c: the count is no number of retransmits */
	ROW_TRAILING = 1 << 7,	    /* text behind the row that is no part of it */
};

struct iperf_row {
	enum row_kind kind;
	size_t prefix;	  /* offset of the bracket in the line */
	const char *rest; /* behind the brackets, in the line parsed */
	bool sum;	  /* [SUM] */
	unsigned id;
	enum row_role role;
	enum row_columns columns; /* ROW_HEADER only */

	double start_s, end_s;
	uint64_t bytes;
	double rate_bps;
	int64_t count;
	uint64_t cwnd_bytes;
	/* Apple's iperf3: behind cwnd the bytes in flight and the peer's window, and behind these RTT, time
	 * held by its flow control and by the peer's window; figures of each kind seen so far */
	uint64_t peer_window_bytes;
	double rwnd_limited_us;
	unsigned sizes, times;
	double jitter_ms;
	uint64_t lost, packets;
	uint64_t retransmits;
	double rtt_us;
	bool omitted;
	enum row_side side;
	unsigned has; /* enum row_has */
};

/* Looks for a bracketed line anywhere in `line` (prompts, quotes and log prefixes come before it,
 * notes behind it), fills *row and returns its kind. */
enum row_kind iperf_row_parse(const char *line, struct iperf_row *row);

/* Takes two rows printed on one line each, and says whether `joined` tells more than `first` and
 * has nothing foreign in it: then a mailer wrapped the row. */
bool iperf_row_completes(const struct iperf_row *first, const struct iperf_row *joined);

/* A plain decimal number at *cursor, which moves behind it; false without one. */
bool iperf_number_take(const char **cursor, double *value);

/* The title (-T) or log prefix in front of a line's content, whose first `prefix` bytes are it:
 * what ends in a colon or a bar, without quote marks and time stamps.  "" when there is none. */
void iperf_title_take(const char *line, size_t prefix, char *title, size_t size);

#endif
