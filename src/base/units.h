/*
 * Numbers as people write them, and numbers as people read them.
 *
 * Parsers take one whole word (or words joined by blanks, "703 Mbit/s"); anything left over,
 * a sign, nan, inf or overflow is refused.  On refusal they return false and set *why to a static
 * phrase that completes "bandwidth '703X': ..." by saying what was expected and the remedy.
 * A decimal comma is a decimal point unless exactly three digits follow it ("1,024"), which is
 * refused as ambiguous.
 */
#ifndef BDP_UNITS_H
#define BDP_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* The text of one formatted number; returned by value so that calls nest in printf arguments. */
struct unit_text {
	char s[32];
};

/* Bits per second, 1000-based: 703M, 3.34G, 703Mbps, 703 Mbit/s, 703 Mbits/sec; MBytes/sec is
 * iperf3's 1024-based byte rate.  A bare number is bit/s.  Result > 0. */
bool rate_parse(const char *text, double *rate_bps, const char **why);

/* Bytes, 1024-based as in iperf3: 4.36M, 4.36 MBytes, 4.36MiB; only MB, kB, GB written with a
 * capital B alone are decimal.  A bare number is bytes.  Result >= 1, <= INT64_MAX. */
bool size_parse(const char *text, uint64_t *bytes, const char **why);

/* Microseconds; a unit is required (ns, us, ms, s, and "µs"). Result > 0, at most 1000 s. */
bool time_parse(const char *text, double *time_us, const char **why);

/* Percent, with or without the sign, to a ratio 0..1: "0.126", "2%" -> 0.02. */
bool percent_parse(const char *text, double *ratio, const char **why);

/* A whole number in [min, max], plain digits. */
bool count_parse(const char *text, uint64_t min, uint64_t max, uint64_t *count, const char **why);

/* Three significant digits and a unit: "703 Mbit/s", "4.36 MiB", "52.0 ms", "0.126 %". */
struct unit_text rate_text(double rate_bps);
struct unit_text size_text(double bytes);
struct unit_text time_text(double time_us);
struct unit_text percent_text(double ratio);
/* Digits grouped by commas: "607,000". */
struct unit_text count_text(uint64_t count);

#endif
