#include "evidence/scan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void whole_numbers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
		const char *rest;
	} rows[] = {
	    {"0", true, 0, ""},
	    {"12ms", true, 12, "ms"},
	    {"007", true, 7, ""},
	    {"18446744073709551615,", true, UINT64_MAX, ","},
	    {"18446744073709551616", false, 0, "18446744073709551616"},
	    {"99999999999999999999999", false, 0, "99999999999999999999999"},
	    {"-1", false, 0, "-1"},
	    {"+1", false, 0, "+1"},
	    {" 1", false, 0, " 1"},
	    {"", false, 0, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *at = rows[i].text;
		uint64_t value = 0;
		print_message("'%s'\n", at);
		assert_int_equal(scan_uint(&at, &value), rows[i].good);
		assert_true(value == rows[i].value);
		assert_string_equal(at, rows[i].rest);
	}
}

static void decimals(void **state)
{
	static const struct {
		const char *text;
		bool good;
		double value;
		const char *rest;
	} rows[] = {
	    {"52.138/0.061", true, 52.138, "/0.061"},
	    {"0.061", true, 0.061, ""},
	    {"52,3 ms", true, 52.3, " ms"},
	    {"1.", true, 1, "."},
	    {"1,", true, 1, ","},
	    {"1.5.5", true, 1.5, ".5"},
	    {"1,448.5", true, 1.448, ".5"},
	    {"1.22e+06bps", true, 1.22e6, "bps"},
	    {"5e-05", true, 5e-5, ""},
	    {"5e", true, 5, "e"},
	    {"5e+", false, 0, "5e+"},
	    {"1e+31", false, 0, "1e+31"},
	    {"0x10", true, 0, "x10"},
	    {"426456632bps", true, 426456632, "bps"},
	    {"18446744073709551615", true, 18446744073709551615.0, ""},
	    {"99999999999999999999999999999999999999999999999999", false, 0,
		"99999999999999999999999999999999999999999999999999"},
	    {".5", false, 0, ".5"},
	    {"nan", false, 0, "nan"},
	    {"inf", false, 0, "inf"},
	    {"-1", false, 0, "-1"},
	    {"", false, 0, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *at = rows[i].text;
		double value = 0;
		print_message("'%s'\n", at);
		assert_int_equal(scan_decimal(&at, &value), rows[i].good);
		assert_true(fabs(value - rows[i].value) <= 1e-15 * rows[i].value);
		assert_string_equal(at, rows[i].rest);
	}
}

static void words(void **state)
{
	const char *at = "  dev\teth0  ";
	char word[4];
	(void)state;
	assert_int_equal(scan_word(&at, word, sizeof(word)), 3);
	assert_string_equal(word, "dev");
	assert_int_equal(scan_word(&at, word, sizeof(word)), 4); /* cut, and told */
	assert_string_equal(word, "eth");
	assert_int_equal(scan_word(&at, word, sizeof(word)), 0);
	assert_string_equal(word, "");
}

static void names_made_printable(void **state)
{
	char name[] = "e\033th\x7f\xff"
		      "0 ~";
	(void)state;
	scan_printable(name);
	assert_string_equal(name, "e?th??0 ~");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_numbers),
	    cmocka_unit_test(decimals),
	    cmocka_unit_test(words),
	    cmocka_unit_test(names_made_printable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
