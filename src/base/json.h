/*
 * A streaming pull reader for JSON (RFC 8259): strict, with a depth limit and constant memory.
 *
 *     struct json *json = json_open(source, 0);
 *     for (enum json_token t; (t = json_next(json)) > JSON_END;) ...
 *
 * It exists because iperf3 documents of any length must be read in constant memory, and what can
 * be kept of a document cut short must be kept: everything returned before JSON_ERROR is valid.
 *
 * Where RFC 8259 leaves a choice: one byte order mark at the start is skipped; bytes that are not
 * UTF-8 inside strings, and escaped surrogates without their other half, become U+FFFD; keys that
 * occur twice are passed through; more than JSON_DEPTH_MAX containers in one another, and numbers
 * of more than JSON_NUMBER_MAX characters, are errors.  Documents that follow one another need
 * white space between them only where a number or a word meets another.
 */
#ifndef BDP_JSON_H
#define BDP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"

#define JSON_DEPTH_MAX 64
/* Longest key or string (in bytes) that is kept, as some hold the whole output of another program;
 * longer ones are read to their end, and cut at a character. */
#define JSON_STRING_MAX 262144
#define JSON_NUMBER_MAX 4096

enum json_token {
	JSON_ERROR, /* json_error() says what and where; every later call returns it again */
	JSON_END,   /* end of input after complete documents */
	JSON_BEGIN_OBJECT,
	JSON_END_OBJECT,
	JSON_BEGIN_ARRAY,
	JSON_END_ARRAY,
	JSON_KEY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

enum json_flags {
	/* nan, -nan, inf as numbers (iperf3 before 3.1.2 writes them) */
	JSON_ALLOW_NAN = 1 << 0,
	/* one document after another; without it, anything but white space after the first is an error */
	JSON_MANY_DOCUMENTS = 1 << 1,
};

struct json;

/* The source is borrowed. Never NULL (out of memory ends the program). */
struct json *json_open(struct source *source, unsigned flags);
/* NULL-safe.  The source goes on behind the last token, or at the byte that was an error. */
void json_close(struct json *json);

enum json_token json_next(struct json *json);

/* Text of the last key, string or number, unescaped UTF-8, always terminated; U+0000 inside a
 * string shows only in *length. Valid until the next call; "" for other tokens and after
 * json_skip(). */
const char *json_text(const struct json *json, size_t *length);

/* Value of the last JSON_NUMBER; integers beyond 2^53 lose precision, beyond double's range are
 * +-HUGE_VAL, nan with JSON_ALLOW_NAN. */
double json_number(const struct json *json);

/* Skips the value that follows a key, or the rest of the container just begun when the last token
 * was JSON_BEGIN_*; a scalar token needs no skip.  False on error. */
bool json_skip(struct json *json);

/* Number of containers open around the last token; 0 at the top level, and the same for the two
 * ends of one container. */
unsigned json_depth(const struct json *json);

/* True when the input ended in the middle of a document (as opposed to wrong syntax). */
bool json_is_cut_short(const struct json *json);

/* "line 3, column 14 (byte 57): expected ':' after a key, found '}'": all counted from 1, columns
 * in bytes.  One line of printable ASCII, or "" while there is no error; valid until json_close. */
const char *json_error(const struct json *json);

#endif
