/*
 * For tests of the JSON reader: inputs in chunks, and what a reader returned as text.
 */
#ifndef JSON_TRACE_H
#define JSON_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define WHOLE SIZE_MAX

static const size_t chunk_sizes[] = {WHOLE, 1, 2, 3, 5, 7, 8, 9, 13, 64};

/* A row's name, and the chunk sizes as they are tried. */
static inline void print_row(const char *name, size_t chunk)
{
	if (chunk == 0)
		printf("\n%s:", name);
	printf(" %zd", (ssize_t)chunk_sizes[chunk]);
}

/* An open stream that collects what a reader returned, as json_cases.h writes it. */
struct trace {
	char *text;
	size_t length;
	FILE *stream;
};

static inline void trace_open(struct trace *trace)
{
	trace->stream = open_memstream(&trace->text, &trace->length);
	assert_non_null(trace->stream);
}

static inline const char *trace_text(struct trace *trace)
{
	fflush(trace->stream);
	return trace->text;
}

static inline void trace_close(struct trace *trace)
{
	fclose(trace->stream);
	free(trace->text);
}

static inline void trace_token(struct trace *trace, const struct json *json, enum json_token token)
{
	static const char *const marks[] = {
	    [JSON_BEGIN_OBJECT] = "{",
	    [JSON_END_OBJECT] = "}",
	    [JSON_BEGIN_ARRAY] = "[",
	    [JSON_END_ARRAY] = "]",
	    [JSON_KEY] = "k=",
	    [JSON_STRING] = "s=",
	    [JSON_NUMBER] = "n=",
	    [JSON_TRUE] = "t",
	    [JSON_FALSE] = "f",
	    [JSON_NULL] = "0",
	};
	size_t length;
	const char *text = json_text(json, &length);
	assert_true(token > JSON_END && token <= JSON_NULL);
	assert_int_equal(text[length], '\0');
	fputs(marks[token], trace->stream);
	fwrite(text, 1, length, trace->stream);
	fputc(' ', trace->stream);
}

static inline struct source *open_chunked(const char *bytes, size_t length, size_t chunk)
{
	return chunk == WHOLE ? source_memory("test", bytes, length)
			      : source_memory_chunked("test", bytes, length, chunk);
}

/* Reads everything; checks what holds for every input. */
static inline enum json_token read_all(struct json *json, struct trace *trace)
{
	unsigned depth = 0;
	enum json_token token;
	while ((token = json_next(json)) > JSON_END) {
		if (token == JSON_END_OBJECT || token == JSON_END_ARRAY)
			depth--;
		assert_int_equal(json_depth(json), depth);
		if (token == JSON_BEGIN_OBJECT || token == JSON_BEGIN_ARRAY)
			depth++;
		trace_token(trace, json, token);
	}
	if (token == JSON_END)
		assert_int_equal(depth, 0);
	assert_int_equal(json_next(json), token);
	assert_true((token == JSON_ERROR) == (json_error(json)[0] != '\0'));
	return token;
}

#endif
