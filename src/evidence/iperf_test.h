/*
 * One test of an iperf3 text log while it is read: what the banner lines said, and up to two
 * directions at each end that printed something.
 */
#ifndef BDP_IPERF_TEST_H
#define BDP_IPERF_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/iperf_command.h"
#include "evidence/iperf_correct.h"
#include "evidence/run_fold.h"
#include "evidence/iperf_row.h"
#include "evidence/run.h"
#include "evidence/run_facts.h"

/* What one end printed.  --get-server-output puts the server's part behind the client's. */
struct iperf_part {
	bool client, role_known;
	bool reverse;			    /* "Reverse mode, remote host ... is sending" */
	bool local_role_known, local_sends; /* the CPU line says "local/sender" */
	bool bidir;
	bool begun; /* a banner that opens a test was seen */
	enum protocol protocol;
	enum row_columns columns;	   /* of the header in force */
	enum row_columns interval_columns; /* of the header before the first row */
	bool header_again;
	unsigned connections; /* lines "local ... connected to ..." */
	unsigned streams;     /* as the "Starting Test" line says; 0 unknown */
	unsigned local_port, remote_port;
	struct run_facts facts;
	unsigned debug_lines; /* of -d since the last row */
	double debug_rtt_us;
	unsigned
	    debug_results; /* whose results -d shows: RUN_SENDER_CPU this end's, RUN_RECEIVER_CPU the other's */
	struct fold *folds[3]; /* owned; no role told, transmitting, receiving */
};

struct iperf_test {
	unsigned number; /* valid with numbered */
	bool numbered;
	char title[64];
	char error[160];
	unsigned long first, last;    /* lines of the log: its first one and its last row */
	bool done;		      /* "iperf Done." */
	bool server_output;	      /* parts[1] is being filled */
	struct iperf_command command; /* .client is false when none was seen */
	struct iperf_part parts[2];
};

struct iperf_test *iperf_test_new(const char *title);

/* The part that lines belong to now. */
struct iperf_part *iperf_test_part(struct iperf_test *test);

/* Rows, or the header above them? */
bool iperf_part_has_rows(const struct iperf_part *part);

/* Nothing but facts from before a test so far? */
bool iperf_test_is_empty(const struct iperf_test *test);

/* Takes a header or a data row.  False when it belongs to the next test: close this one, and give
 * the row to a new one. */
bool iperf_test_row(struct iperf_test *test, struct runs *runs, struct iperf_row *row);

/* The text behind "[  5] local ". */
void iperf_part_connected(struct iperf_part *part, const char *text);

/* How a test ended. */
struct iperf_outcome {
	unsigned runs; /* appended */
	bool complete; /* all of them */
	bool summary;  /* all of them have one */
	char error[160];
};

/* Appends the runs of the test, if it had rows, and frees it.  NULL-safe. */
struct iperf_outcome iperf_test_close(
    struct iperf_test *test, struct runs *runs, const char *input);

#endif
