#include "base/json.h"

#include <math.h>
#include <time.h>

#include "base/json_out.h"
#include "json_trace.h"

/* A long string is cut at a character; what follows it is not disturbed. */
static void test_long_strings(void **state)
{
	(void)state;
	static const struct {
		const char *name, *unit;
		size_t count, kept;
	} rows[] = {
	    {"fits", "a", JSON_STRING_MAX, JSON_STRING_MAX},
	    {"one too many", "a", JSON_STRING_MAX + 1, JSON_STRING_MAX},
	    {"wide fits", "\xc3\xa9", JSON_STRING_MAX / 2, JSON_STRING_MAX},
	    {"three bytes do not divide it", "\xe2\x82\xac", JSON_STRING_MAX, JSON_STRING_MAX - 1},
	    {"ten million", "a", 10000000, JSON_STRING_MAX},
	    {"ten million, wide", "\xc3\xa9", 5000000, JSON_STRING_MAX},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		printf("%s\n", rows[i].name);
		size_t unit = strlen(rows[i].unit), size = rows[i].count * unit;
		char *input = malloc(size + 16);
		assert_non_null(input);
		memcpy(input, "[\"", 2);
		for (size_t k = 0; k < rows[i].count; k++)
			memcpy(input + 2 + k * unit, rows[i].unit, unit);
		memcpy(input + 2 + size, "\",17]", 5);
		struct source *source = open_chunked(input, size + 7, i % 2 ? WHOLE : 1000);
		struct json *json = json_open(source, 0);
		size_t length;
		json_next(json);
		assert_int_equal(json_next(json), JSON_STRING);
		assert_memory_equal(json_text(json, &length), input + 2, rows[i].kept);
		assert_int_equal(length, rows[i].kept);
		assert_int_equal(json_next(json), JSON_NUMBER);
		assert_true(json_number(json) == 17);
		json_close(json);
		source_close(source);
		free(input);
	}
}

/* One character cut off does not let a shorter one behind it slip in. */
static void test_cut_is_final(void **state)
{
	(void)state;
	char input[JSON_STRING_MAX + 16];
	memset(input, 'a', sizeof(input));
	input[0] = '"';
	memcpy(input + JSON_STRING_MAX,
	    "\xe2\x82\xac"
	    "b\"",
	    6);
	struct source *source = source_memory("test", input, JSON_STRING_MAX + 5);
	struct json *json = json_open(source, 0);
	size_t length;
	assert_int_equal(json_next(json), JSON_STRING);
	json_text(json, &length);
	assert_int_equal(length, JSON_STRING_MAX - 1);
	json_close(json);
	source_close(source);
}

/* The same is taken and refused when nobody looks at it. */
static void check_long_number(
    const char *input, size_t length, size_t chunk, bool accepted, double value)
{
	struct source *source = open_chunked(input, length, chunk);
	struct json *json = json_open(source, 0);
	json_next(json);
	assert_int_equal(json_next(json) == JSON_NUMBER, accepted);
	if (accepted)
		assert_true(json_number(json) == value);
	else
		assert_non_null(strstr(json_error(json), "at most 4096 characters"));
	json_close(json);
	source_close(source);
	source = open_chunked(input, length, chunk);
	json = json_open(source, 0);
	json_next(json);
	assert_int_equal(json_skip(json), accepted);
	json_close(json);
	source_close(source);
}

static void test_long_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *name, *before, *behind;
		char digit;    /* between them */
		size_t length; /* of the whole */
		double value;
	} rows[] = {
	    {"integer", "1", "", '0', JSON_NUMBER_MAX, HUGE_VAL},
	    {"negative integer", "-1", "", '0', JSON_NUMBER_MAX, -HUGE_VAL},
	    {"fraction", "0.", "", '3', JSON_NUMBER_MAX, 1.0 / 3},
	    {"zeros and exponent", "0.", "5e4090", '0', JSON_NUMBER_MAX, 50},
	    {"exponent of zeros", "5e", "1", '0', JSON_NUMBER_MAX, 50},
	    {"integer too long", "1", "", '0', JSON_NUMBER_MAX + 1, 0},
	    {"fraction too long", "0.", "", '3', JSON_NUMBER_MAX + 1, 0},
	    {"exponent too long", "5e", "1", '0', JSON_NUMBER_MAX + 1, 0},
	    {"a million digits", "", "", '7', 1000000, 0},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t length = rows[i].length, behind = strlen(rows[i].behind);
		char *input = malloc(length + 2);
		assert_non_null(input);
		memset(input, rows[i].digit, length + 2);
		memcpy(input + 1, rows[i].before, strlen(rows[i].before));
		memcpy(input + 1 + length - behind, rows[i].behind, behind);
		input[0] = '[';
		input[length + 1] = ']';
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(rows[i].name, k);
			check_long_number(input, length + 2, chunk_sizes[k],
			    length <= JSON_NUMBER_MAX, rows[i].value);
		}
		free(input);
	}
}

static double read_number(const char *text, size_t chunk, unsigned flags)
{
	struct source *source = open_chunked(text, strlen(text), chunk);
	struct json *json = json_open(source, flags);
	assert_true(json_number(json) == 0);
	assert_int_equal(json_next(json), JSON_NUMBER);
	double value = json_number(json);
	assert_string_equal(json_text(json, NULL), text);
	/* asking for the text changes nothing */
	double again = json_number(json);
	assert_memory_equal(&value, &again, sizeof(value));
	assert_int_equal(json_next(json), JSON_END);
	json_close(json);
	source_close(source);
	return value;
}

/* The compiler's own conversions are the judge; rows sit at the borders of the fast path. */
#define SAME(number) \
	{ \
#number, number \
	}
static const struct {
	const char *text;
	double value;
} number_rows[] = {
    {"0", 0.0},
    {"-0", -0.0},
    {"7", 7.0},
    {"-17", -17.0},
    SAME(0.5),
    SAME(-0.25),
    SAME(0.1),
    SAME(1.0000660419464111),
    SAME(391093019.45576733),
    SAME(9.46089e+09),
    SAME(1.390180e+10),
    SAME(0.99999701976776123),
    {"52143", 52143.0},
    SAME(1e22),
    SAME(1e23),
    SAME(1e-22),
    SAME(1e-23),
    SAME(123456789012345e22),
    SAME(8.5e-22),
    {"9007199254740991", 9007199254740991.0},
    {"9007199254740992", 9007199254740992.0},
    {"9007199254740993", 9007199254740993.0},
    {"9007199254740994", 9007199254740994.0},
    {"-9007199254740995", -9007199254740995.0},
    SAME(9007199254740993e1),
    SAME(9007199254740993e-1),
    SAME(900719925474099.3),
    SAME(90071992547409.93e-10),
    {"18446744073709551615", 18446744073709551615.0},
    SAME(1.7976931348623157e308),
    SAME(2.2250738585072014e-308),
    SAME(4.9406564584124654e-324),
    SAME(0.000001),
    SAME(0.00000000000000000000001),
    SAME(1000000000000000000000.0),
    SAME(0e5),
    SAME(1e+05),
    SAME(1E-05),
    SAME(100000000000000000000000000000000000000e-38),
    SAME(2e-1),
    {"1e309", HUGE_VAL},
    {"-1e309", -HUGE_VAL},
    {"1e-400", 0.0},
    {"0e999999999999", 0.0},
    {"1e99999999999999999999", HUGE_VAL},
    {"1e-99999999999999999999", 0.0},
};
#undef SAME

static void test_number_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(number_rows); i++) {
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(number_rows[i].text, k);
			double value = read_number(number_rows[i].text, chunk_sizes[k], 0);
			assert_memory_equal(&value, &number_rows[i].value, sizeof(value));
		}
	}
	assert_true(isnan(read_number("nan", 1, JSON_ALLOW_NAN)));
	assert_true(isnan(read_number("-nan", WHOLE, JSON_ALLOW_NAN)));
	assert_true(read_number("inf", WHOLE, JSON_ALLOW_NAN) == HUGE_VAL);
	assert_true(read_number("-inf", 2, JSON_ALLOW_NAN) == -HUGE_VAL);
}

/* ---- random inputs: TEST_SEED repeats a run -------------------------------------------------- */

static uint64_t random_state;

static void random_begin(const char *test)
{
	const char *seed = getenv("TEST_SEED");
	random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
	printf("%s: TEST_SEED=%llu\n", test, (unsigned long long)random_state);
}

/* splitmix64 */
static uint64_t random_bits(void)
{
	uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned random_below(unsigned limit)
{
	return (unsigned)(random_bits() % limit);
}

/* 17 significant digits name a double; 15 or fewer take the fast path. */
static void test_random_numbers(void **state)
{
	(void)state;
	random_begin("random numbers");
	for (int i = 0; i < 200000; i++) {
		char text[64];
		uint64_t bits = random_bits();
		double value, expected;
		memcpy(&expected, &bits, sizeof(expected));
		if (i % 2)
			expected = (double)(bits >> 11) * pow(10, -(double)random_below(22));
		if (!isfinite(expected))
			continue;
		snprintf(text, sizeof(text), "%.17g", expected);
		value = read_number(text, i % 3 ? WHOLE : 4, 0);
		if (value != expected)
			fail_msg("%s read as %a, not %a", text, value, expected);
		snprintf(text, sizeof(text), "%.*e", (int)random_below(16), expected);
		value = read_number(text, WHOLE, 0);
		if (value != strtod(text, NULL))
			fail_msg("%s read as %a, not %a", text, value, strtod(text, NULL));
	}
}

/* Writes a random value, and what reading it must give. */
static void write_random(struct json_out *out, struct trace *expected, const char *key)
{
	static const char *const texts[] = {"", "a", "plain text of some length", "q\"uote\\",
	    "\x01\x1f\n\t\x7f", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	    "\xe2\x80\xae\xf3\xa0\x80\x81", "0123456\"", "01234567\"", "[{:,}]"};
	FILE *stream = expected->stream;
	unsigned kind = random_below(out->depth < 20 ? 9 : 5);
	const char *text = texts[random_below(COUNT(texts))];
	uint64_t integer = random_bits() >> (11 + random_below(52));
	if (key != NULL)
		fprintf(stream, "k=%s ", key);
	if (kind == 0) {
		json_out_string(out, key, text);
		fprintf(stream, "s=%s ", text);
	} else if (kind == 1) {
		json_out_uint(out, key, integer);
		fprintf(stream, "n=%llu ", (unsigned long long)integer);
	} else if (kind == 2) {
		json_out_number(out, key, (double)integer);
		fprintf(stream, "n=%llu ", (unsigned long long)integer);
	} else if (kind == 3) {
		json_out_bool(out, key, integer % 2);
		fputs(integer % 2 ? "t " : "f ", stream);
	} else if (kind == 4) {
		json_out_null(out, key);
		fputs("0 ", stream);
	} else if (kind % 2) {
		fputs("[ ", stream);
		json_out_array(out, key);
		for (unsigned i = random_below(4); i > 0; i--)
			write_random(out, expected, NULL);
		json_out_end_array(out);
		fputs("] ", stream);
	} else {
		fputs("{ ", stream);
		json_out_object(out, key);
		for (unsigned i = random_below(4); i > 0; i--)
			write_random(out, expected, texts[random_below(COUNT(texts))]);
		json_out_end_object(out);
		fputs("} ", stream);
	}
}

static void test_random_documents(void **state)
{
	(void)state;
	random_begin("random documents");
	for (int i = 0; i < 5000; i++) {
		struct trace document, expected, read;
		struct json_out out;
		trace_open(&document);
		trace_open(&expected);
		json_out_begin(&out, document.stream, random_below(2));
		write_random(&out, &expected, NULL);
		assert_true(json_out_finish(&out));
		const char *text = trace_text(&document);
		size_t chunk = random_below(2) ? WHOLE : 1 + random_below(40);
		struct source *source = open_chunked(text, document.length, chunk);
		struct json *json = json_open(source, 0);
		trace_open(&read);
		enum json_token last = read_all(json, &read);
		if (last != JSON_END)
			fail_msg("%s in %s", json_error(json), text);
		assert_string_equal(trace_text(&read), trace_text(&expected));
		trace_close(&read);
		trace_close(&expected);
		trace_close(&document);
		json_close(json);
		source_close(source);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_long_strings),
	    cmocka_unit_test(test_cut_is_final),
	    cmocka_unit_test(test_long_numbers),
	    cmocka_unit_test(test_number_values),
	    cmocka_unit_test(test_random_numbers),
	    cmocka_unit_test(test_random_documents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
