/*
 * The line that says when the sockets below it were listed, in what a loop of date and ss printed.
 */
#ifndef BDP_SS_STAMP_H
#define BDP_SS_STAMP_H

#include <stdbool.h>

struct ss_stamp {
	double seconds; /* since 1970, or since midnight where only the time of day was read */
	bool is_exact;	/* it has a fraction of a second */
};

/* Reads what date prints with +%s, +%s.%N or +%T, in most locales, with --rfc-3339 and -Iseconds, and
 * the head line of watch: a number of seconds since 1970 alone, or the first hh:mm:ss of a short line.
 * False when the line is none of these. */
bool ss_stamp_read(const char *line, struct ss_stamp *stamp);

/* Seconds from one stamp to the next; past midnight where it goes back by more than half a day.  Below
 * 0 where a clock was set back. */
double ss_stamp_difference(double before_s, double after_s);

#endif
