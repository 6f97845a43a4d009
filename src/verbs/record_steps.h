/*
 * The steps of bdp record, and what they share.
 */
#ifndef BDP_RECORD_STEPS_H
#define BDP_RECORD_STEPS_H

#include <stdbool.h>

#include "options/options.h"
#include "system/process.h"
#include "verbs/collect.h"
#include "verbs/words.h"

/* iperf3's own default (src/iperf_api.h). */
#define RECORD_PORT 5201
/* Left out at the beginning of each test: slow start. */
#define RECORD_OMIT_S 2
#define RECORD_SECONDS 10

struct record {
	const struct options *options;
	const char *host;
	struct words far_words;
	struct process far;
	bool has_far;
	unsigned step, steps;
	double test_s;	   /* of one iperf3 run, its omitted seconds included */
	unsigned runs;	   /* that carried something */
	char failure[200]; /* iperf3's words when a run did not; "" when all did */
};

/* A signal came, or standard output takes nothing more: what is left is not begun. */
bool record_is_stopped(void);

/* Progress: "3/9  what". */
__attribute__((format(printf, 2, 3))) void record_say(
    struct record *record, const char *format, ...);

/* Until it is over; on a signal, or after limit_s, it is ended.  The far end is read meanwhile. */
void record_wait(struct record *record, struct process *process, double limit_s);

/* ping, or busybox's; into argv, which ends in NULL. */
void record_ping_words(const struct record *record, const char *count, const char **argv);

/* iperf3 with the sockets and a ping beside it. */
void record_test(struct record *record, bool reverse);

/* The far end: begins it and waits until it looks at its sockets; ends it and shows what it said. */
void record_far_begin(struct record *record);
void record_far_end(struct record *record);

/* How long the far end looks at its sockets at most: both tests and what is between them. */
unsigned record_far_seconds(const struct options *options, double test_s);

#endif
