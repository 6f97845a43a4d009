#include "base/json.h"

#include "json_cases.h"
#include "json_trace.h"

/* No blanks in strings: traces are taken apart at blanks. */
static const char sample[] =
    "\t{ \"start\" : {\"version\":\"iperf-3.12\", \"cookie\":\"\\u0061b\\ud83d\\ude00\xc3\xa9\"},\r\n"
    "  \"intervals\": [{\"streams\":[{\"bytes\":48889856,\"bits_per_second\":391093019.45576733,"
    "\"omitted\":false, \"rtt\":-1.5e-3}],\n\"sum\":{}}, [], [null,true , 0]],\n"
    "\"end\":{\"text\":\"\\\"q\\\\\\n\",\"empty\":\"\"}}";

static void check_case(const struct json_case *row, size_t chunk)
{
	struct source *source = open_chunked(row->input, row->length, chunk);
	struct json *json = json_open(source, row->flags);
	struct trace trace;
	trace_open(&trace);
	enum json_token last = read_all(json, &trace);
	if (row->tokens != NULL) {
		assert_string_equal(json_error(json), "");
		assert_string_equal(trace_text(&trace), row->tokens);
		assert_false(json_is_cut_short(json));
	} else {
		char place[32];
		snprintf(place, sizeof(place), "(byte %zu): ", row->error_byte);
		assert_int_equal(last, JSON_ERROR);
		if (strstr(json_error(json), place) == NULL)
			fail_msg("no \"%s\" in \"%s\"", place, json_error(json));
		assert_int_equal(json_is_cut_short(json), row->error_byte > row->length);
	}
	trace_close(&trace);
	json_close(json);
	source_close(source);
}

static void test_grammar(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(json_cases); i++) {
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(json_cases[i].name, k);
			check_case(&json_cases[i], chunk_sizes[k]);
		}
	}
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *input, *error;
	} rows[] = {
	    {"{\n\"a\": 1,\n  \"b\" 2}",
		"line 3, column 7 (byte 17): expected ':' after a key, found '2'"},
	    {"", "line 1, column 1 (byte 1): expected a value, found end of input"},
	    {"\n\n", "line 3, column 1 (byte 3): expected a value, found end of input"},
	    {"[1,\r\n\t2 \x1b]",
		"line 2, column 4 (byte 9): expected ',' or ']' after an element, found byte 0x1b"},
	    {"{\"a\":tru}", "line 1, column 9 (byte 9): expected true, false or null, found '}'"},
	    {"[1]\n[2]",
		"line 2, column 1 (byte 5): expected nothing after the document, found '['"},
	    {"[\"\xc3\xa9\", \xff]",
		"line 1, column 8 (byte 8): expected a value after ',', found byte 0xff"},
	    {"{\"a\": 01}", "line 1, column 8 (byte 8): expected the end of a number, found '1'"},
	    {"[\"a\tb\"]", "line 1, column 4 (byte 4): expected a string without control "
			   "characters, found byte 0x09"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(rows[i].error, k);
			struct source *source =
			    open_chunked(rows[i].input, strlen(rows[i].input), chunk_sizes[k]);
			struct json *json = json_open(source, 0);
			while (json_next(json) > JSON_END)
				;
			assert_string_equal(json_error(json), rows[i].error);
			json_close(json);
			source_close(source);
		}
	}
}

/* Lines are the input's, also when something else took the first ones, and takes the rest. */
static void test_shared_source(void **state)
{
	(void)state;
	static const char input[] = "Control connection MSS 1448\n{\"a\":\n1} rest\nnext\n";
	for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
		char line[80];
		bool cut;
		struct source *source = open_chunked(input, sizeof(input) - 1, chunk_sizes[k]);
		assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
		struct json *json = json_open(source, JSON_MANY_DOCUMENTS);
		assert_int_equal(json_next(json), JSON_BEGIN_OBJECT);
		assert_true(json_skip(json));
		assert_int_equal(json_next(json), JSON_ERROR);
		assert_string_equal(
		    json_error(json), "line 3, column 4 (byte 38): expected a value, found 'r'");
		json_close(json);
		assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
		assert_string_equal(line, "rest");
		assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
		assert_string_equal(line, "next");
		source_close(source);
	}
	json_close(NULL);
}

static void test_read_error(void **state)
{
	(void)state;
	/* page 0 of a process is never mapped: the first read is an EIO */
	static const unsigned flags[] = {0, JSON_MANY_DOCUMENTS};
	for (size_t i = 0; i < COUNT(flags); i++) {
		struct source *source = source_open("/proc/self/mem");
		assert_non_null(source);
		struct json *json = json_open(source, flags[i]);
		assert_int_equal(json_next(json), JSON_ERROR);
		assert_non_null(strstr(json_error(json), "read error: Input/output error"));
		assert_false(json_is_cut_short(json));
		json_close(json);
		source_close(source);
	}
}

/* What a prefix of a document gives is a prefix of what the document gives. */
static void test_truncation(void **state)
{
	(void)state;
	struct trace whole, part;
	trace_open(&whole);
	struct source *source = source_memory("test", sample, sizeof(sample) - 1);
	struct json *json = json_open(source, 0);
	assert_int_equal(read_all(json, &whole), JSON_END);
	json_close(json);
	source_close(source);
	const char *all = trace_text(&whole);
	for (size_t length = 0; length < sizeof(sample) - 1; length++) {
		char name[64];
		snprintf(name, sizeof(name), "first %zu bytes", length);
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(name, k);
			trace_open(&part);
			source = open_chunked(sample, length, chunk_sizes[k]);
			json = json_open(source, 0);
			assert_int_equal(read_all(json, &part), JSON_ERROR);
			assert_true(json_is_cut_short(json));
			const char *got = trace_text(&part);
			assert_memory_equal(got, all, part.length);
			trace_close(&part);
			json_close(json);
			source_close(source);
		}
	}
	trace_close(&whole);
}

static void test_deep_nesting(void **state)
{
	(void)state;
	const size_t depth = 100000;
	char *input = malloc(depth);
	assert_non_null(input);
	memset(input, '[', depth);
	for (int skip = 0; skip < 2; skip++) {
		struct source *source = source_memory("test", input, depth);
		struct json *json = json_open(source, 0);
		unsigned begun = 0;
		while (json_next(json) == JSON_BEGIN_ARRAY && !skip)
			begun++;
		if (skip)
			assert_false(json_skip(json));
		else
			assert_int_equal(begun, JSON_DEPTH_MAX);
		assert_int_equal(json_next(json), JSON_ERROR);
		assert_false(json_is_cut_short(json));
		assert_string_equal(json_error(json),
		    "line 1, column 65 (byte 65): expected at "
		    "most 64 containers in one another, found '['");
		json_close(json);
		source_close(source);
	}
	free(input);
}

/* Reads the sample, skipping at the token numbered `at`; everything else must be as without. */
static size_t skip_at(size_t at, size_t chunk, struct trace *left)
{
	struct source *source = open_chunked(sample, sizeof(sample) - 1, chunk);
	struct json *json = json_open(source, 0);
	size_t count = 0;
	enum json_token token;
	while ((token = json_next(json)) > JSON_END) {
		unsigned depth = json_depth(json);
		trace_token(left, json, token);
		if (count++ != at)
			continue;
		assert_true(json_skip(json));
		assert_int_equal(json_depth(json), depth);
		if (token <= JSON_KEY)
			assert_string_equal(json_text(json, NULL), "");
		/* what was skipped leaves one mark */
		fputs("~ ", left->stream);
	}
	assert_int_equal(token, JSON_END);
	json_close(json);
	source_close(source);
	return count;
}

/* Cuts out of a trace the value behind token number `at`, found by counting brackets. */
static void skip_in_trace(const char *trace, size_t at, struct trace *left)
{
	int depth = 0;
	size_t number = 0;
	bool skipping = false, key = false;
	while (*trace != '\0') {
		size_t length = strcspn(trace, " ") + 1;
		bool opens = *trace == '{' || *trace == '[',
		     closes = *trace == '}' || *trace == ']';
		depth += skipping ? opens - closes : 0;
		if (!skipping)
			fwrite(trace, 1, length, left->stream);
		else if (depth == 0)
			skipping = false;
		if (number++ == at) {
			key = *trace == 'k';
			skipping = key || opens;
			depth = opens;
			fputs("~ ", left->stream);
		}
		trace += length;
	}
}

static void test_skip(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
		struct trace whole, expected, left;
		trace_open(&whole);
		size_t count = skip_at(SIZE_MAX, chunk_sizes[k], &whole);
		for (size_t at = 0; at < count; at++) {
			char name[64];
			snprintf(name, sizeof(name), "skip at token %zu", at);
			print_row(name, 0);
			trace_open(&expected);
			skip_in_trace(trace_text(&whole), at, &expected);
			trace_open(&left);
			skip_at(at, chunk_sizes[k], &left);
			assert_string_equal(trace_text(&left), trace_text(&expected));
			trace_close(&left);
			trace_close(&expected);
		}
		trace_close(&whole);
	}
}

/* Skipping does not let through what reading refuses, and says the same about it. */
static void test_skip_validates(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(json_cases); i++) {
		const struct json_case *row = &json_cases[i];
		for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
			print_row(row->name, k);
			struct source *source =
			    open_chunked(row->input, row->length, chunk_sizes[k]);
			struct json *json = json_open(source, row->flags);
			while (json_next(json) > JSON_END)
				json_skip(json);
			char place[32] = "";
			if (row->tokens == NULL)
				snprintf(place, sizeof(place), "(byte %zu): ", row->error_byte);
			if (strstr(json_error(json), place) == NULL)
				fail_msg("no \"%s\" in \"%s\"", place, json_error(json));
			assert_true((row->tokens == NULL) == !json_skip(json));
			json_close(json);
			source_close(source);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grammar),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_shared_source),
	    cmocka_unit_test(test_read_error),
	    cmocka_unit_test(test_truncation),
	    cmocka_unit_test(test_deep_nesting),
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_skip_validates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
