#include "base/units.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROUNDS 10000

typedef bool parser(const char *text, double *value, const char **why);

static bool size_parse_double(const char *text, double *value, const char **why)
{
	uint64_t bytes;
	if (!size_parse(text, &bytes, why))
		return false;
	*value = (double)bytes;
	return true;
}

struct accepted {
	const char *input;
	double expected;
};

static void check_accepted(
    const char *what, parser *parse, const struct accepted *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *why = "";
		double value = NAN;
		bool ok = parse(rows[i].input, &value, &why);
		print_message("%s '%s': %.17g %s\n", what, rows[i].input, value, why);
		assert_true(ok);
		assert_true(fabs(value - rows[i].expected) <= fabs(rows[i].expected) * 1e-12);
	}
}

struct refused {
	const char *input;
	const char *why; /* a part of the reason */
};

static void check_refused(const char *what, parser *parse, const struct refused *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *why = NULL;
		double value = -7;
		bool ok = parse(rows[i].input, &value, &why);
		print_message("%s '%s': %s\n", what, rows[i].input, ok ? "ACCEPTED" : why);
		assert_false(ok);
		assert_true(value == -7);
		assert_non_null(strstr(why, rows[i].why));
	}
}

static void test_rates(void **state)
{
	(void)state;
	static const struct accepted rows[] = {
	    {"703M", 703e6},
	    {"703m", 703e6},
	    {"3.34G", 3.34e9},
	    {"3,35G", 3.35e9},
	    {"703Mbps", 703e6},
	    {"703 Mbit/s", 703e6},
	    {"703 Mbits/sec", 703e6},
	    {"703\tMbits/s", 703e6},
	    {"703Mb/s", 703e6},
	    {"703Mb", 703e6},
	    {"703mbit", 703e6},
	    {"703bIt/S", 703},
	    {"26Kbit", 26e3},
	    {"26kbps", 26e3},
	    {"10Gbit/s", 10e9},
	    {"10GBIT/S", 10e9},
	    {"10GBITS/SEC", 10e9},
	    {"1.2T", 1.2e12},
	    {"64", 64},
	    {"64bps", 64},
	    {"64 bit/s", 64},
	    {"0.5", 0.5},
	    {".5k", 500},
	    {"1e9", 1e9},
	    {"1E+9", 1e9},
	    {"7030e-1M", 703e6},
	    {"0003G", 3e9},
	    {"1Mibit/s", 1048576},
	    /* every word of the table, with a prefix where it has one: a binary one is 1024 whatever
	     * stands behind it, k is 1000 but for iperf3's bytes (units.c, UNIT_LEN) */
	    {"1Kibit/s", 1024},
	    {"1Kibit", 1024},
	    {"1Kib/s", 1024},
	    {"1Gibit/s", 1073741824},
	    {"1KiB/s", 8192},
	    {"26kbit", 26e3},
	    {"26kbits", 26e3},
	    {"26kb", 26e3},
	    {"26kb/s", 26e3},
	    {"26kb/sec", 26e3},
	    {"26kbit/s", 26e3},
	    {"26kbits/s", 26e3},
	    {"26kbit/sec", 26e3},
	    {"26kbits/sec", 26e3},
	    {"26kB/s", 208e3},
	    {"26kBps", 208e3},
	    {"26kB/sec", 208e3},
	    {"1kbyte/s", 8192},
	    {"1kbytes/s", 8192},
	    {"1kbyte/sec", 8192},
	    {"1kbytes/sec", 8192},
	    {"100MB/s", 800e6},
	    {"100MBps", 800e6},
	    {"100 B/s", 800},
	    {"1 MBytes/sec", 8388608}, /* iperf3 -f M: 8 x 2^20 */
	    {"1MByte/s", 8388608},
	    {"1MiB/s", 8388608},
	    {"12 Bytes/sec", 96},
	    {"1000T", 1e15},
	};
	check_accepted("rate", rate_parse, rows, COUNT(rows));
}

static void test_rates_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
	    {"", "expected a rate"},
	    {" 703M", "expected a rate"},
	    {"M", "expected a rate"},
	    {"nan", "expected a rate"},
	    {"NaN", "expected a rate"},
	    {"inf", "expected a rate"},
	    {"infinity", "expected a rate"},
	    {".", "expected a rate"},
	    {"0", "expected a rate above zero"},
	    {"0.0M", "expected a rate above zero"},
	    {"1e-400", "expected a rate above zero"},
	    {"-1", "a sign is not taken"},
	    {"-0", "a sign is not taken"},
	    {"-inf", "expected a rate"},
	    {"-r", "expected a rate"},
	    {"+5M", "a sign is not taken"},
	    {"0x10", "not a unit of rate"},
	    {"1e", "not a unit of rate"},
	    {"1e+M", "not a unit of rate"},
	    {"703X", "not a unit of rate"},
	    {"703MM", "not a unit of rate"},
	    {"703M ", "not a unit of rate"},
	    {"703M foo", "not a unit of rate"},
	    {"703 M bit/s", "not a unit of rate"},
	    {"703ibit/s", "not a unit of rate"},
	    {"703ms", "not a unit of rate"},
	    {"703 ", "blank"},
	    {"10MB", "that is a size"},
	    {"10MBytes", "that is a size"},
	    {"10MBPS", "bits or bytes?"},
	    {"1,024", "ambiguous"},
	    {"1,024M", "ambiguous"},
	    {"1.234,5", "more than one point or comma"},
	    {"1,234.5", "more than one point or comma"},
	    {"1.2.3", "more than one point or comma"},
	    {"1,000,000", "more than one point or comma"},
	    {"5.", "digits are expected behind"},
	    {"5.M", "digits are expected behind"},
	    {"5,", "digits are expected behind"},
	    {"1e999", "too large"},
	    {"1e99999999999999999999999999", "too large"},
	    {"1e15k", "more than 1 Pbit/s"},
	    {"1e300", "more than 1 Pbit/s"},
	    {"11111111111111111111111111111111111111111111111111111111111111111",
		"too many digits"},
	};
	check_refused("rate", rate_parse, rows, COUNT(rows));
}

static void test_sizes(void **state)
{
	(void)state;
	static const struct accepted rows[] = {
	    {"4.36M", 4571791}, /* 4.36 x 2^20 = 4571791.36 */
	    {"4,36 MBytes", 4571791},
	    {"4.36 MBytes", 4571791},
	    {"4.36MiB", 4571791},
	    {"4.36mib", 4571791},
	    {"4.36Mi", 4571791},
	    {"4.36MB", 4360000},
	    {"64kB", 64000},
	    {"64KB", 64000},
	    {"64K", 65536},
	    {"64k", 65536},
	    {"64 KByte", 65536},
	    {"64 KiB", 65536},
	    {"1GiB", 1073741824},
	    {"1G", 1073741824},
	    {"1GB", 1e9},
	    {"1T", 1099511627776},
	    {"4194304", 4194304},
	    {"4194304B", 4194304},
	    {"512 Bytes", 512},
	    {"1", 1},
	    {"0.5", 1},
	    {"1.4", 1},
	    {"8191P", 9222246136947933184.0},
	};
	check_accepted("size", size_parse_double, rows, COUNT(rows));
}

static void test_sizes_refused(void **state)
{
	(void)state;
	static const struct refused rows[] = {
	    {"", "expected a size"},
	    {"0", "expected a size of at least one byte"},
	    {"0.4", "expected a size of at least one byte"},
	    {"nan", "expected a size"},
	    {"-1", "a sign is not taken"},
	    {"10X", "not a unit of size"},
	    {"4iB", "not a unit of size"},
	    {"4Mb", "b is a bit"},
	    {"4Mbit", "b is a bit"},
	    {"4Mbit/s", "that is a rate"},
	    {"4 MBytes/sec", "that is a rate"},
	    {"1,024", "ambiguous"},
	    {"1.048.576", "more than one point or comma"},
	    {"8192P", "too large"},
	    {"9223372036854775808", "too large"},
	    {"1e999", "too large"},
	};
	check_refused("size", size_parse_double, rows, COUNT(rows));
}

static void test_times(void **state)
{
	(void)state;
	static const struct accepted rows[] = {
	    {"52ms", 52e3},
	    {"52 ms", 52e3},
	    {"52MS", 52e3},
	    {"0.052s", 52e3},
	    {"0,05s", 50e3},
	    {"800us", 800},
	    {"800\u00b5s", 800},
	    {"800\u03bcs", 800},
	    {"800 usec", 800},
	    {"500ns", 0.5},
	    {"1ns", 0.001},
	    {"1 sec", 1e6},
	    {"1000s", 1e9},
	    {"1e3ms", 1e6},
	};
	check_accepted("time", time_parse, rows, COUNT(rows));
	static const struct refused bad[] = {
	    {"52", "a unit is required, such as 52ms"},
	    {"0", "a unit is required, such as 52ms"},
	    {"1e999s", "too large"},
	    {"0s", "at least 1 ns"},
	    {"0.4ns", "at least 1 ns"},
	    {"1001s", "at most 1000 s"},
	    {"52m", "not a unit of time"},
	    {"52M", "not a unit of time"},
	    {"52kms", "not a unit of time"},
	    {"52min", "not a unit of time"},
	    {"52msX", "not a unit of time"},
	    {"ms", "expected a time"},
	    {"", "expected a time"},
	    {"-52ms", "a sign is not taken"},
	    {"0,052s", "ambiguous"},
	};
	check_refused("time", time_parse, bad, COUNT(bad));
}

/* Bounds of the options that wait; what those take. */
static bool wait_parse(const char *text, double *seconds, const char **why)
{
	return duration_parse(text, 0.1, 86400, seconds, why);
}

static void test_durations(void **state)
{
	(void)state;
	static const struct accepted rows[] = {
	    {"60", 60},
	    {"60s", 60},
	    {"60 s", 60},
	    {"500ms", 0.5},
	    {"0.1", 0.1},
	    {"250000us", 0.25},
	    {"1,5s", 1.5},
	    {"2min", 120},
	    {"24h", 86400},
	};
	check_accepted("duration", wait_parse, rows, COUNT(rows));
	static const struct refused bad[] = {
	    {"0", "expected a time from 100 ms to 86400 s"},
	    {"99ms", "expected a time from 100 ms to 86400 s"},
	    {"25h", "expected a time from 100 ms to 86400 s"},
	    {"5m", "minutes or milliseconds?"},
	    {"5d", "not a unit of time; use ms, s, min or h"},
	    {"", "expected a time from"},
	    {"-5s", "a sign is not taken"},
	};
	check_refused("duration", wait_parse, bad, COUNT(bad));
}

static void test_percentages(void **state)
{
	(void)state;
	static const struct accepted rows[] = {
	    {"0.126", 0.00126},
	    {"0.126%", 0.00126},
	    {"2%", 0.02},
	    {"2 %", 0.02},
	    {"2,5", 0.025},
	    {"0", 0},
	    {"100", 1},
	    {"1e-3", 1e-5},
	};
	check_accepted("percent", percent_parse, rows, COUNT(rows));
	static const struct refused bad[] = {
	    {"", "between 0 and 100"},
	    {"%", "between 0 and 100"},
	    {"100.1", "between 0 and 100"},
	    {"nan%", "between 0 and 100"},
	    {"-1%", "a sign is not taken"},
	    {"2%%", "a percentage and nothing else"},
	    {"2k", "a percentage and nothing else"},
	    {"1e999", "too large"},
	};
	check_refused("percent", percent_parse, bad, COUNT(bad));
}

static bool number_parse_1_to_10(const char *text, double *value, const char **why)
{
	return number_parse(text, 1, 10, value, why);
}

static bool count_parse_2_to_1000(const char *text, double *value, const char **why)
{
	uint64_t count;
	if (!count_parse(text, 2, 1000, &count, why))
		return false;
	*value = (double)count;
	return true;
}

static void test_counts_and_numbers(void **state)
{
	(void)state;
	static const struct accepted counts[] = {{"2", 2}, {"1000", 1000}, {"0007", 7}};
	check_accepted("count", count_parse_2_to_1000, counts, COUNT(counts));
	static const struct refused bad_counts[] = {
	    {"", "from 2 to 1000"},
	    {"1", "from 2 to 1000"},
	    {"1001", "from 2 to 1000"},
	    {"18446744073709551616", "from 2 to 1000"},
	    {"18446744073709551618", "from 2 to 1000"}, /* 2^64 + 2 must not wrap */
	    {"+5", "from 2 to 1000"},
	    {"-5", "from 2 to 1000"},
	    {" 5", "from 2 to 1000"},
	    {"5 ", "from 2 to 1000"},
	    {"5k", "from 2 to 1000"},
	    {"5.0", "from 2 to 1000"},
	    {"0x5", "from 2 to 1000"},
	};
	check_refused("count", count_parse_2_to_1000, bad_counts, COUNT(bad_counts));
	static const struct accepted numbers[] = {{"1", 1}, {"2.5", 2.5}, {"10", 10}, {"1e1", 10}};
	check_accepted("number", number_parse_1_to_10, numbers, COUNT(numbers));
	static const struct refused bad_numbers[] = {
	    {"0.9", "from 1 to 10"},
	    {"11", "from 1 to 10"},
	    {"2x", "from 1 to 10"},
	    {"nan", "from 1 to 10"},
	    {"-2", "a sign is not taken"},
	};
	check_refused("number", number_parse_1_to_10, bad_numbers, COUNT(bad_numbers));
	uint64_t count;
	const char *why;
	assert_true(count_parse("18446744073709551615", 0, UINT64_MAX, &count, &why));
	assert_true(count == UINT64_MAX);
}

typedef struct unit_text formatter(double value);

struct formatted {
	double value;
	const char *expected;
};

static void check_formatted(formatter *format, const struct formatted *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct unit_text text = format(rows[i].value);
		print_message(
		    "%.17g -> '%s', expected '%s'\n", rows[i].value, text.s, rows[i].expected);
		assert_string_equal(text.s, rows[i].expected);
	}
}

static void test_rate_texts(void **state)
{
	(void)state;
	static const struct formatted rows[] = {
	    {703e6, "703 Mbit/s"},
	    {3.34e9, "3.34 Gbit/s"},
	    {26e3, "26.0 kbit/s"},
	    {64, "64.0 bit/s"},
	    {0, "0 bit/s"},
	    {-0.0, "0 bit/s"},
	    {-1e-30, "0 bit/s"},
	    {-703e6, "-703 Mbit/s"},
	    {999.4, "999 bit/s"},
	    {999.6, "1.00 kbit/s"},
	    {999500, "1.00 Mbit/s"},
	    {9.994e6, "9.99 Mbit/s"},
	    {9.996e6, "10.0 Mbit/s"},
	    {99.94e6, "99.9 Mbit/s"},
	    {99.96e6, "100 Mbit/s"},
	    {1e15, "1.00 Pbit/s"},
	    {5e18, "5000 Pbit/s"},
	    {0.25, "0.250 bit/s"},
	    {INFINITY, "unknown"},
	    {NAN, "unknown"},
	};
	check_formatted(rate_text, rows, COUNT(rows));
}

static void test_size_texts(void **state)
{
	(void)state;
	static const struct formatted rows[] = {
	    {4571791.36, "4.36 MiB"},
	    {20971520, "20 MiB"},
	    {20971521, "20.0 MiB"},
	    {4194304, "4 MiB"},
	    {131072, "128 KiB"},
	    {512, "512 B"},
	    {1, "1 B"},
	    {0, "0 B"},
	    {-0.3, "0 B"},
	    {1000, "1000 B"},
	    {1023, "1023 B"},
	    {1024, "1 KiB"},
	    {1000 * 1024., "1000 KiB"},
	    {1023.4 * 1024, "1023 KiB"},
	    {1023.9 * 1024, "1.00 MiB"},
	    {1.5 * 1048576, "1.50 MiB"},
	    {21710000, "20.7 MiB"}, /* 3.34 Gbit/s x 52 ms */
	    {1073741824, "1 GiB"},
	    {9223372036854775808.0, "8192 PiB"},
	    {NAN, "unknown"},
	};
	check_formatted(size_text, rows, COUNT(rows));
}

static void test_other_texts(void **state)
{
	(void)state;
	static const struct formatted times[] = {
	    {52024.9, "52.0 ms"},
	    {812, "812 us"},
	    {1.25e6, "1.25 s"},
	    {0.5, "500 ns"},
	    {999.6, "1.00 ms"},
	    {999600, "1.00 s"},
	    {1e9, "1000 s"},
	    {0, "0 ns"},
	};
	check_formatted(time_text, times, COUNT(times));
	static const struct formatted percents[] = {
	    {0.00126, "0.126 %"},
	    {0, "0 %"},
	    {-0.0, "0 %"},
	    {1, "100 %"},
	    {0.02, "2.00 %"},
	    {0.0000012, "0.000120 %"},
	    {0.12345, "12.3 %"},
	    {12.34, "1234 %"},
	    {-0.032, "-3.20 %"},
	    {1e-30, "0 %"},
	};
	check_formatted(percent_text, percents, COUNT(percents));
	assert_string_equal(count_text(0).s, "0");
	assert_string_equal(count_text(999).s, "999");
	assert_string_equal(count_text(1000).s, "1,000");
	assert_string_equal(count_text(607000).s, "607,000");
	assert_string_equal(count_text(UINT64_MAX).s, "18,446,744,073,709,551,615");
}

/* Uniform over the logarithm, so that every unit is met. */
static double any_between(double low, double high)
{
	return low * pow(high / low, drand48());
}

struct property {
	const char *name;
	formatter *format;
	parser *parse;
	double low, high;
	bool whole;
};

static const struct property properties[] = {
    {"rate", rate_text, rate_parse, 1, 0.999e15, false},
    {"size", size_text, size_parse_double, 1, 9.2e18, true},
    {"time", time_text, time_parse, 0.001, 0.999e9, false},
    {"percent", percent_text, percent_parse, 1e-8, 0.999, false},
};

static double parse_back(const struct property *property, struct unit_text text)
{
	const char *why = "";
	double value = NAN;
	if (!property->parse(text.s, &value, &why))
		print_message("%s '%s': %s\n", property->name, text.s, why);
	assert_true(value > 0);
	return value;
}

static void check_property(const struct property *property)
{
	for (int i = 0; i < ROUNDS; i++) {
		double first = any_between(property->low, property->high);
		double second = first * (1 + 0.02 * drand48());
		if (property->whole) {
			first = round(first);
			second = round(second);
		}
		if (second > property->high)
			continue;
		double first_back = parse_back(property, property->format(first));
		double second_back = parse_back(property, property->format(second));
		bool close = fabs(first_back - first) <= 0.00501 * first;
		if (!close || first_back > second_back)
			print_message("%s: %.17g -> %s -> %.17g; then %.17g -> %s\n",
			    property->name, first, property->format(first).s, first_back, second,
			    property->format(second).s);
		assert_true(close);
		assert_true(first_back <= second_back);
	}
}

static void test_round_trip_and_order(void **state)
{
	(void)state;
	const char *given = getenv("SEED");
	long seed = given ? atol(given) : (long)time(NULL);
	print_message("seed %ld (repeat with SEED=%ld)\n", seed, seed);
	srand48(seed);
	for (size_t i = 0; i < COUNT(properties); i++)
		check_property(&properties[i]);
}

/* Only meaningful where such a locale is installed; the digits must not depend on it. */
static void test_locale_changes_nothing(void **state)
{
	(void)state;
	const char *set = setlocale(LC_NUMERIC, "de_DE.UTF-8");
	double value;
	const char *why;
	if (set == NULL)
		skip();
	assert_true(rate_parse("3.34G", &value, &why));
	assert_true(value == 3.34e9);
	setlocale(LC_NUMERIC, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_rates_refused),
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_sizes_refused),
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_durations),
	    cmocka_unit_test(test_percentages),
	    cmocka_unit_test(test_counts_and_numbers),
	    cmocka_unit_test(test_rate_texts),
	    cmocka_unit_test(test_size_texts),
	    cmocka_unit_test(test_other_texts),
	    cmocka_unit_test(test_round_trip_and_order),
	    cmocka_unit_test(test_locale_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
