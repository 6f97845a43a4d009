#include "base/quote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void test_quote_text(void **state)
{
	(void)state;
	static const struct {
		const char *name, *text, *expected;
		size_t size;
	} rows[] = {
	    {"empty", "", "", 64},
	    {"plain", "run 1.json", "run 1.json", 64},
	    {"wide", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 64},
	    {"line feed and tab", "a\nb\tc", "a\\x0ab\\x09c", 64},
	    {"terminal escape", "\x1b[2J", "\\x1b[2J", 64},
	    {"DEL", "a\x7f", "a\\x7f", 64},
	    {"C1 in UTF-8",
		"\xc2\x9b"
		"2J",
		"\\u{009b}2J", 64},
	    {"C1 as a byte",
		"\x9b"
		"2J",
		"\\x9b2J", 64},
	    {"Latin-1", "caf\xe9", "caf\\xe9", 64},
	    {"broken character", "\xe2\x82", "\\xe2\\x82", 64},
	    {"broken character and text", "\xe2\x82z", "\\xe2\\x82z", 64},
	    {"overlong", "\xc0\xaf", "\\xc0\\xaf", 64},
	    {"right-to-left override", "a\xe2\x80\xaez", "a\\u{202e}z", 64},
	    {"isolate", "\xe2\x81\xa7", "\\u{2067}", 64},
	    {"zero width space", "\xe2\x80\x8b", "\\u{200b}", 64},
	    {"Arabic letter mark", "\xd8\x9c", "\\u{061c}", 64},
	    {"byte order mark",
		"\xef\xbb\xbf"
		"a",
		"\\u{feff}a", 64},
	    {"tag", "\xf3\xa0\x80\x81", "\\u{e0001}", 64},
	    {"backslash as it is", "a\\n", "a\\n", 64},
	    {"fits exactly", "1234567", "1234567", 8},
	    {"one too long", "12345678", "1234...", 8},
	    {"much too long", "123456789abcdef", "1234...", 8},
	    {"not cut within an escape", "123\x1b[m", "123...", 8},
	    {"escape fits before the dots", "\x1b[2Jx", "\\x1b...", 8},
	    {"escape at the end fits", "123\x1b", "123\\x1b", 8},
	    {"not cut within a character",
		"123\xe2\x82\xac"
		"678",
		"123...", 8},
	    {"not even an escape fits", "\x1b\x1b", "...", 7},
	    {"room for dots only", "12345", "...", 4},
	    {"room for two", "12345", "..", 3},
	    {"room for none", "12345", "", 1},
	    {"short text in little room", "12", "12", 3},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		char out[80];
		memset(out, '#', sizeof(out));
		printf("%s\n", rows[i].name);
		assert_ptr_equal(quote_text(rows[i].text, out, rows[i].size), out);
		assert_string_equal(out, rows[i].expected);
		assert_int_equal(out[rows[i].size], '#');
	}
	char untouched = '#';
	quote_text("abc", &untouched, 0);
	assert_int_equal(untouched, '#');
}

/* It goes into "ssh HOST": nothing that a shell reads as more than a word, nor ssh as an option. */
static void test_quote_host(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool taken;
	} rows[] = {
	    {"lb.example", true},
	    {"192.0.2.10", true},
	    {"fe80::1%eth0", true},
	    {"lb-1_a", true},
	    {"a", true},
	    {"", false},
	    {"-oProxyCommand=id", false},
	    {"-", false},
	    {"-lb", false},
	    {"lb;id", false},
	    {"lb example", false},
	    {"$(id)", false},
	    {"lb\n", false},
	    {"l\xc3\xb6", false},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		printf("%s\n", rows[i].name);
		assert_string_equal(
		    quote_host(rows[i].name, "HOST"), rows[i].taken ? rows[i].name : "HOST");
	}
}

/* An interface may be called what a shell would run. */
static void test_quote_word(void **state)
{
	static const struct {
		const char *name, *expected; /* NULL: it cannot be shown */
	} rows[] = {
	    {"eth0", "eth0"},
	    {"eth0.7@if3", "eth0.7@if3"},
	    {"a", "a"},
	    {"a;reboot", "'a;reboot'"},
	    {"$(id)", "'$(id)'"},
	    {"a*", "'a*'"},
	    {"a'b", NULL},
	    {"a b", NULL},
	    {"a\tb", NULL},
	    {"l\xc3\xb6", NULL},
	    {"-batch", NULL},
	    {"", NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char out[32];
		printf("%s\n", rows[i].name);
		assert_int_equal(
		    quote_word(rows[i].name, out, sizeof(out)), rows[i].expected != NULL);
		if (rows[i].expected)
			assert_string_equal(out, rows[i].expected);
	}
}

/* Whatever goes in, only whole, visible characters come out, and within the size. */
static void test_always_safe(void **state)
{
	(void)state;
	uint32_t seed = 20260101;
	for (int i = 0; i < 100000; i++) {
		char text[24], out[32];
		size_t skip, length = 0, size = 1 + (size_t)i % sizeof(out);
		for (; length < sizeof(text) - 1; length++) {
			seed = seed * 1664525 + 1013904223;
			/* half of the bytes build, or nearly build, U+202E */
			text[length] = seed >> 31 ? (char)(seed >> 16)
						  : "\xe2\x80\xae\xc2\x9b"[(seed >> 20) % 5];
		}
		text[length] = '\0';
		quote_text(text, out, size);
		length = strlen(out);
		assert_true(length < size);
		for (size_t at = 0; at < length; at += skip) {
			uint32_t code;
			size_t taken = utf8_decode(out + at, length - at, &code, &skip);
			if (taken == 0 || utf8_is_hidden(code))
				fail_msg("round %d: byte %zu of '%s'", i, at, out);
			skip = taken;
		}
	}
}

static void test_quoted_turns(void **state)
{
	(void)state;
	const char *a = quoted("a\n"), *b = quoted("b"), *c = quoted("c"), *d = quoted("d");
	assert_string_equal(a, "a\\x0a");
	assert_string_equal(b, "b");
	assert_string_equal(c, "c");
	assert_string_equal(d, "d");
	/* the longest file name is not cut, even if every byte must be escaped; longer text is */
	char text[4096];
	memset(text, '\x01', sizeof(text));
	text[255] = '\0';
	assert_int_equal(strlen(quoted(text)), 4 * 255);
	text[255] = 'x';
	text[sizeof(text) - 1] = '\0';
	assert_non_null(strstr(quoted(text), "..."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quote_text),
	    cmocka_unit_test(test_quote_host),
	    cmocka_unit_test(test_quote_word),
	    cmocka_unit_test(test_always_safe),
	    cmocka_unit_test(test_quoted_turns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
