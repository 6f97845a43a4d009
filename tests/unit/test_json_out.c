#include "base/json_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct socket_memory {
	char *text;
	size_t length;
};

static void begin(struct json_out *out, struct socket_memory *memory, bool compact)
{
	FILE *stream = open_memstream(&memory->text, &memory->length);
	assert_non_null(stream);
	json_out_begin(out, stream, compact);
}

static void check_text(struct json_out *out, struct socket_memory *memory, const char *expected)
{
	assert_true(json_out_finish(out));
	fclose(out->stream);
	assert_string_equal(memory->text, expected);
	free(memory->text);
}

static void write_sample(struct json_out *out)
{
	json_out_object(out, NULL);
	json_out_string(out, "schema", "x/1");
	json_out_array(out, "items");
	json_out_number(out, NULL, 1.5);
	json_out_array(out, NULL);
	json_out_end_array(out);
	json_out_object(out, NULL);
	json_out_bool(out, "yes", true);
	json_out_bool(out, "no", false);
	json_out_end_object(out);
	json_out_end_array(out);
	json_out_object(out, "empty");
	json_out_end_object(out);
	json_out_null(out, "nothing");
	json_out_uint(out, "big", UINT64_MAX);
	json_out_end_object(out);
}

static void test_layout(void **state)
{
	(void)state;
	struct json_out out;
	struct socket_memory memory;
	begin(&out, &memory, true);
	write_sample(&out);
	check_text(&out, &memory,
	    "{\"schema\":\"x/1\",\"items\":[1.5,[],{\"yes\":true,\"no\":false}],"
	    "\"empty\":{},\"nothing\":null,\"big\":18446744073709551615}\n");
	begin(&out, &memory, false);
	write_sample(&out);
	check_text(&out, &memory,
	    "{\n"
	    "  \"schema\": \"x/1\",\n"
	    "  \"items\": [\n"
	    "    1.5,\n"
	    "    [],\n"
	    "    {\n"
	    "      \"yes\": true,\n"
	    "      \"no\": false\n"
	    "    }\n"
	    "  ],\n"
	    "  \"empty\": {},\n"
	    "  \"nothing\": null,\n"
	    "  \"big\": 18446744073709551615\n"
	    "}\n");
}

static void test_top_level(void **state)
{
	(void)state;
	for (int compact = 0; compact < 2; compact++) {
		struct json_out out;
		struct socket_memory memory;
		begin(&out, &memory, compact);
		json_out_number(&out, NULL, 7);
		check_text(&out, &memory, "7\n");
		/* one document after another: each on a line of its own */
		begin(&out, &memory, compact);
		json_out_object(&out, NULL);
		json_out_end_object(&out);
		json_out_array(&out, NULL);
		json_out_end_array(&out);
		check_text(&out, &memory, "{}\n[]\n");
	}
}

static void test_strings(void **state)
{
	(void)state;
	static const struct {
		const char *name, *text, *expected;
	} rows[] = {
	    {"none", NULL, "null"},
	    {"empty", "", "\"\""},
	    {"plain", "a b/c", "\"a b/c\""},
	    {"quote and backslash", "\"\\", "\"\\\"\\\\\""},
	    {"controls with a name", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
	    {"controls without", "\x01\x1b\x1f", "\"\\u0001\\u001b\\u001f\""},
	    {"DEL and C1", "\x7f\xc2\x9b", "\"\\u007f\\u009b\""},
	    {"wide", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
	    {"right-to-left override", "\xe2\x80\xae", "\"\\u202e\""},
	    {"line separator", "\xe2\x80\xa8", "\"\\u2028\""},
	    {"tag, beyond the basic plane", "\xf3\xa0\x80\x81", "\"\\udb40\\udc01\""},
	    {"Latin-1", "caf\xe9!", "\"caf\xef\xbf\xbd!\""},
	    {"cut character", "\xe2\x82", "\"\xef\xbf\xbd\""},
	    {"cut character and text", "\xf0\x9f\x98z", "\"\xef\xbf\xbdz\""},
	    {"surrogate", "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json_out out;
		struct socket_memory memory;
		char expected[80];
		printf("%s\n", rows[i].name);
		begin(&out, &memory, true);
		json_out_string(&out, NULL, rows[i].text);
		snprintf(expected, sizeof(expected), "%s\n", rows[i].expected);
		check_text(&out, &memory, expected);
		if (rows[i].text == NULL)
			continue;
		/* keys are strings as well */
		begin(&out, &memory, true);
		json_out_object(&out, NULL);
		json_out_null(&out, rows[i].text);
		json_out_end_object(&out);
		snprintf(expected, sizeof(expected), "{%s:null}\n", rows[i].expected);
		check_text(&out, &memory, expected);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *expected;
	} rows[] = {
	    {0, "0"},
	    {-0.0, "0"},
	    {1, "1"},
	    {-17, "-17"},
	    {0.1, "0.1"},
	    {0.1 + 0.2, "0.3"},
	    {0.5, "0.5"},
	    {-2.25, "-2.25"},
	    {1.0 / 3, "0.333333333"},
	    {2e6 / 3, "666666.667"},
	    {391093019.45576733, "391093019"},
	    {1e9, "1000000000"},
	    {3340000000, "3340000000"},
	    {1234567890.75, "1234567891"},
	    {1e15, "1000000000000000"},
	    {9007199254740991.0, "9007199254740991"},
	    {9007199254740992.0, "9007199254740992"},
	    {-9007199254740992.0, "-9007199254740992"},
	    {1e16, "1e+16"},
	    {1e300, "1e+300"},
	    {0.0001, "0.0001"},
	    {1e-7, "1e-07"},
	    {INFINITY, "null"},
	    {-INFINITY, "null"},
	    {NAN, "null"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json_out out;
		struct socket_memory memory;
		char expected[80];
		printf("%s\n", rows[i].expected);
		begin(&out, &memory, true);
		json_out_number(&out, NULL, rows[i].value);
		snprintf(expected, sizeof(expected), "%s\n", rows[i].expected);
		check_text(&out, &memory, expected);
	}
}

/* Nine digits survive, over the whole range of doubles. */
static void test_nine_digits(void **state)
{
	(void)state;
	uint64_t bits = 1;
	for (int i = 0; i < 20000; i++) {
		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		double value;
		memcpy(&value, &bits, sizeof(value));
		if (!isnormal(value))
			continue;
		struct json_out out;
		struct socket_memory memory;
		begin(&out, &memory, true);
		json_out_number(&out, NULL, value);
		assert_true(json_out_finish(&out));
		fclose(out.stream);
		if (fabs(strtod(memory.text, NULL) / value - 1) > 5e-9)
			fail_msg("%.17g was written as %s", value, memory.text);
		free(memory.text);
	}
}

/* A full disk shows at the end, however long ago it was, and though stdio buffers. */
static void test_write_errors(void **state)
{
	(void)state;
	static const size_t lengths[] = {1, 1000, 100000};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		printf("%zu numbers\n", lengths[i]);
		FILE *full = fopen("/dev/full", "w");
		assert_non_null(full);
		struct json_out out;
		json_out_begin(&out, full, false);
		json_out_array(&out, NULL);
		for (size_t k = 0; k < lengths[i]; k++)
			json_out_uint(&out, NULL, k);
		json_out_end_array(&out);
		assert_false(json_out_finish(&out));
		fclose(full);
	}
	struct json_out out;
	struct socket_memory memory;
	begin(&out, &memory, true);
	out.failed = true;
	json_out_null(&out, NULL);
	assert_false(json_out_finish(&out));
	fclose(out.stream);
	free(memory.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_layout),
	    cmocka_unit_test(test_top_level),
	    cmocka_unit_test(test_strings),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_nine_digits),
	    cmocka_unit_test(test_write_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
