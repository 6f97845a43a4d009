#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void test_decode(void **state)
{
	(void)state;
	static const struct {
		const char *name, *bytes;
		size_t length; /* taken; 0: not UTF-8 */
		uint32_t code;
		size_t skip; /* when it is not */
	} rows[] = {
	    /* examples of RFC 3629, section 7 */
	    {"A", "A\xe2\x89\xa2", 1, 'A', 0},
	    {"not identical to", "\xe2\x89\xa2\xce\x91", 3, 0x2262, 0},
	    {"Alpha", "\xce\x91.", 2, 0x391, 0},
	    {"Hangul", "\xed\x95\x9c", 3, 0xd55c, 0},
	    {"stump of tree", "\xf0\xa3\x8e\xb4", 4, 0x233b4, 0},
	    {"byte order mark", "\xef\xbb\xbf", 3, 0xfeff, 0},
	    /* borders of its section 4 */
	    {"last of one", "\x7f", 1, 0x7f, 0},
	    {"first of two", "\xc2\x80", 2, 0x80, 0},
	    {"last of two", "\xdf\xbf", 2, 0x7ff, 0},
	    {"first of three", "\xe0\xa0\x80", 3, 0x800, 0},
	    {"before surrogates", "\xed\x9f\xbf", 3, 0xd7ff, 0},
	    {"behind surrogates", "\xee\x80\x80", 3, 0xe000, 0},
	    {"last of three", "\xef\xbf\xbf", 3, 0xffff, 0},
	    {"first of four", "\xf0\x90\x80\x80", 4, 0x10000, 0},
	    {"last of four", "\xf4\x8f\xbf\xbf", 4, 0x10ffff, 0},
	    {"continuation alone", "\x80", 0, 0, 1},
	    {"overlong of two", "\xc0\x80", 0, 0, 1},
	    {"overlong of two, last", "\xc1\xbf", 0, 0, 1},
	    {"overlong of three", "\xe0\x9f\xbf", 0, 0, 1},
	    {"overlong of four", "\xf0\x8f\xbf\xbf", 0, 0, 1},
	    {"first surrogate", "\xed\xa0\x80", 0, 0, 1},
	    {"last surrogate", "\xed\xbf\xbf", 0, 0, 1},
	    {"beyond the last", "\xf4\x90\x80\x80", 0, 0, 1},
	    {"f5", "\xf5\x80\x80\x80", 0, 0, 1},
	    {"ff", "\xff", 0, 0, 1},
	    {"two cut to one", "\xc2", 0, 0, 1},
	    {"three cut to two", "\xe2\x82", 0, 0, 2},
	    {"four cut to three", "\xf0\x9f\x98", 0, 0, 3},
	    {"three broken by a letter", "\xe2\x82x", 0, 0, 2},
	    {"three broken by the byte below", "\xe2\x82\x7f", 0, 0, 2},
	    {"three broken by the byte above", "\xe2\x82\xc0", 0, 0, 2},
	    {"four broken by a first byte", "\xf0\x9f\xc3\xa9", 0, 0, 2},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t code = 0;
		size_t skip = 0;
		printf("%s\n", rows[i].name);
		size_t length = utf8_decode(rows[i].bytes, strlen(rows[i].bytes), &code, &skip);
		assert_int_equal(length, rows[i].length);
		if (length == 0)
			assert_int_equal(skip, rows[i].skip);
		else
			assert_int_equal(code, rows[i].code);
	}
}

/* Every character comes back; a byte less of it never does. */
static void test_every_character(void **state)
{
	(void)state;
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[4];
		uint32_t back;
		size_t skip;
		if (code == 0xd800)
			code = 0xe000;
		size_t length = utf8_encode(code, bytes);
		if (utf8_decode(bytes, length, &back, &skip) != length || back != code)
			fail_msg("U+%04X does not come back", (unsigned)code);
		if (length > 1 && utf8_decode(bytes, length - 1, &back, &skip) != 0)
			fail_msg("U+%04X is taken without its last byte", (unsigned)code);
	}
}

static void test_hidden(void **state)
{
	(void)state;
	static const struct {
		uint32_t code;
		bool hidden;
	} rows[] = {{0x00, true}, {0x09, true}, {0x0a, true}, {0x1b, true}, {0x1f, true},
	    {0x20, false}, {0x7e, false}, {0x7f, true}, {0x80, true}, {0x9b, true}, {0x9f, true},
	    {0xa0, false}, {0xe9, false}, {0x61b, false}, {0x61c, true}, {0x61d, false},
	    {0x200a, false}, {0x200b, true}, {0x200e, true}, {0x200f, true}, {0x2010, false},
	    {0x2027, false}, {0x2028, true}, {0x202e, true}, {0x202f, false}, {0x2060, true},
	    {0x2066, true}, {0x2069, true}, {0x2070, false}, {0xfeff, true}, {0xfffd, false},
	    {0x1f600, false}, {0xe0001, true}, {0x10ffff, false}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		printf("U+%04X\n", (unsigned)rows[i].code);
		assert_int_equal(utf8_is_hidden(rows[i].code), rows[i].hidden);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_decode),
	    cmocka_unit_test(test_every_character),
	    cmocka_unit_test(test_hidden),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
