/*
 * Numbers as people write them, and numbers as people read them.
 *
 * Parsers take one whole word (or a number and a unit with blanks between, "703 Mbit/s"); anything
 * left over, a sign, nan, inf, hex or overflow is refused.  On refusal they return false and set
 * *why to a static phrase that completes "bandwidth '703X': ..." by saying what was expected and
 * the remedy.  A number is digits with an optional decimal point and exponent ("1e9"), at most 64
 * characters.  A decimal comma is a decimal point unless exactly three digits follow it ("1,024"),
 * which is refused as ambiguous, as is any digit grouping.  No locale changes any of this.
 *
 * Case: prefixes (k M G T P) and words of three letters or more (bit, bytes, sec, mib) are taken in
 * any case; a lone b is a bit and a lone B a byte.
 */
#ifndef BDP_UNITS_H
#define BDP_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* The text of one formatted number; returned by value so that calls nest in printf arguments. */
struct unit_text {
	char s[32];
};

/* Bits per second, 1000-based: 703M, 3.34G, 703Mbps, 703 Mbit/s, 703 Mbits/sec, 703Mb/s.  MB/s and
 * MBps are decimal bytes; MBytes/sec is iperf3's 1024-based byte rate, as is MiB/s; Mibit/s is
 * 1024-based too.  Bytes without "per second" and MBPS (bits or bytes?) are refused.  A bare number
 * is bit/s.  Result > 0, at most 10^15. */
bool rate_parse(const char *text, double *rate_bps, const char **why);

/* Bytes, 1024-based as in iperf3: 4.36M, 4.36 MBytes, 4.36MiB, 4.36Mi; only MB, kB, GB written with
 * a capital B alone are decimal; 4Mb is refused (bits?).  A bare number is bytes; a fraction is
 * rounded to the nearest byte.  Result >= 1, <= INT64_MAX. */
bool size_parse(const char *text, uint64_t *bytes, const char **why);

/* Microseconds; a unit is required (ns, us, ms, s, also msec, sec, and "µs").  Result at least
 * 1 ns, at most 1000 s. */
bool time_parse(const char *text, double *time_us, const char **why);

/* Seconds in [min_s, max_s]: with a unit as in time_parse, or min or h; a bare number is seconds.
 * *why holds until the next call of this function. */
bool duration_parse(
    const char *text, double min_s, double max_s, double *seconds, const char **why);

/* Percent, with or without the sign, to a ratio 0..1: "0.126", "2%" -> 0.02. */
bool percent_parse(const char *text, double *ratio, const char **why);

/* A plain number without a unit in [min, max]; *why holds until the next call of this function. */
bool number_parse(const char *text, double min, double max, double *number, const char **why);

/* A whole number in [min, max], plain digits; *why holds until the next call of this function. */
bool count_parse(const char *text, uint64_t min, uint64_t max, uint64_t *count, const char **why);

/* Three significant digits and a unit: "703 Mbit/s", "4.36 MiB", "52.0 ms", "0.126 %"; never "-0".
 * Sizes that are whole in their unit are printed whole: "20 MiB", "512 B", "1000 KiB".  Zero is
 * "0 bit/s"; nan and infinity are "unknown". */
struct unit_text rate_text(double rate_bps);
struct unit_text size_text(double bytes);
struct unit_text time_text(double time_us);
struct unit_text percent_text(double ratio);
/* Digits grouped by commas: "607,000". */
struct unit_text count_text(uint64_t count);

#endif
