/*
 * Writes JSON to a stdio stream: indentation, commas and escapes are its business.  A write error
 * is sticky and shows at json_out_finish.
 */
#ifndef BDP_JSON_OUT_H
#define BDP_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
	FILE *stream;
	unsigned depth;
	bool compact;  /* one line, no blanks */
	bool has_item; /* a comma is due before the next item at this depth */
	bool failed;
};

/* `key` is NULL inside arrays and at the top level. */
void json_out_begin(struct json_out *out, FILE *stream, bool compact);
void json_out_object(struct json_out *out, const char *key);
void json_out_end_object(struct json_out *out);
void json_out_array(struct json_out *out, const char *key);
void json_out_end_array(struct json_out *out);
/* NULL text is written as null.  Control characters are escaped; invalid UTF-8 becomes U+FFFD. */
void json_out_string(struct json_out *out, const char *key, const char *text);
/* A double that is not finite is written as null; otherwise the shortest text that reads back as
 * at least 9 equal significant digits, integers up to 2^53 exactly. */
void json_out_number(struct json_out *out, const char *key, double value);
void json_out_uint(struct json_out *out, const char *key, uint64_t value);
void json_out_bool(struct json_out *out, const char *key, bool value);
void json_out_null(struct json_out *out, const char *key);
/* Ends the document with a newline; false when any write failed. */
bool json_out_finish(struct json_out *out);

#endif
