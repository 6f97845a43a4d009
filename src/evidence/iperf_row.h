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

#include "evidence/run_fold.h"

enum row_kind {
	ROW_NONE,
	ROW_DATA,
	ROW_CUT,       /* the line ends inside a row: the next one may continue it */
	ROW_HEADER,    /* "[ ID] Interval ..." */
	ROW_CONNECTED, /* "[  5] local A port N connected to B port M" */
	ROW_IPERF2,    /* a row, but iperf2 printed it: one or four decimals in the interval */
};

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

struct iperf_row {
	struct row data;
	enum row_kind kind;
	size_t prefix;	  /* offset of the bracket in the line */
	const char *rest; /* behind the brackets, in the line parsed */
	enum row_role role;
	enum row_columns columns; /* ROW_HEADER only */
	int64_t count;		  /* a bare number: retransmits or datagrams, as the header says */
	/* Apple's iperf3: behind cwnd the bytes in flight and the peer's window, and behind these RTT, time
	 * held by its flow control and by the peer's window; figures of each kind seen so far */
	unsigned sizes, times;
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
