#include "evidence/ss_stamp.h"

#include <string.h>

#include "evidence/scan.h"

/* The longest is the head line of watch with a command of some options. */
#define LINE_MAX_LENGTH 120
/* 2001 to 2096: no other number that stands alone in a line is like it. */
#define EPOCH_MIN_S 1e9
#define EPOCH_MAX_S 4e9
#define DAY_S 86400.0

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "02:57:12" or "02:57:12.345"; *at moves behind it. */
static bool clock_read(const char **at, struct ss_stamp *stamp)
{
	const char *p = *at;
	uint64_t hour, minute;
	double second;

	if (!scan_uint(&p, &hour) || hour > 23 || *p++ != ':' || !scan_uint(&p, &minute) ||
	    minute > 59 || *p++ != ':')
		return false;
	const char *digits = p;
	if (!scan_decimal(&p, &second) || second >= 61)
		return false;
	stamp->is_exact =
	    memchr(digits, '.', (size_t)(p - digits)) || memchr(digits, ',', (size_t)(p - digits));
	/* of a clock of twelve hours */
	const char *half = scan_blanks(p);
	if (strncmp(half, "PM", 2) == 0 && hour < 12)
		hour += 12;
	else if (strncmp(half, "AM", 2) == 0 && hour == 12)
		hour = 0;
	stamp->seconds = (double)(hour * 3600 + minute * 60) + second;
	*at = p;
	return true;
}

static bool epoch_read(const char *line, struct ss_stamp *stamp)
{
	const char *at = scan_blanks(line), *start = at;

	if (!scan_decimal(&at, &stamp->seconds) || *scan_blanks(at) != '\0')
		return false;
	stamp->is_exact = memchr(start, '.', (size_t)(at - start)) != NULL;
	return stamp->seconds >= EPOCH_MIN_S && stamp->seconds <= EPOCH_MAX_S;
}

bool ss_stamp_read(const char *line, struct ss_stamp *stamp)
{
	if (epoch_read(line, stamp))
		return true;
	if (strlen(line) > LINE_MAX_LENGTH)
		return false;
	for (const char *at = line; *at != '\0'; at++) {
		if (!is_digit(*at) || (at > line && (is_digit(at[-1]) || at[-1] == ':')))
			continue;
		const char *clock = at;
		if (clock_read(&clock, stamp))
			return true;
	}
	return false;
}

double ss_stamp_difference(double before_s, double after_s)
{
	double difference_s = after_s - before_s;
	bool times_of_day = before_s < EPOCH_MIN_S && after_s < EPOCH_MIN_S;

	return times_of_day && difference_s < -DAY_S / 2 ? difference_s + DAY_S : difference_s;
}
