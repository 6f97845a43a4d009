#include "base/json.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/span.h"
#include "base/utf8.h"

#define END_OF_INPUT (-1)
#define TEXT_OF(x) #x
#define STRING(x) TEXT_OF(x)

/* What may come next. */
enum state {
	STATE_START, /* the first document, perhaps after a byte order mark */
	STATE_AFTER_DOCUMENT,
	STATE_FIRST_KEY,
	STATE_COLON,
	STATE_AFTER_MEMBER,
	STATE_FIRST_ELEMENT,
	STATE_AFTER_ELEMENT,
	STATE_ENDED,
	STATE_FAILED,
};

struct json {
	struct source *source;
	unsigned flags;
	enum json_token token;
	enum state state;

	/* unread part of the chunk, and where its end is in the input */
	const char *p, *end;
	uint64_t end_offset;
	uint64_t line, line_offset;
	bool at_end;
	int read_error; /* errno, when at_end is for that */

	unsigned depth;
	unsigned char after[JSON_DEPTH_MAX + 1]; /* state after a value, by depth */

	/*
	 * The token's text: either as it stands in the chunk, or, when it spans chunks or holds
	 * escapes, gathered in the buffer.
	 */
	const char *raw; /* NULL: gathered */
	size_t raw_length;
	char *buffer; /* JSON_STRING_MAX + 1; json_text() also terminates raw text here */
	size_t length;
	bool full;     /* the rest is dropped */
	bool skipping; /* nobody will ask for text */
	uint32_t high; /* high surrogate waiting for its low one, or 0 */
	bool cut_short;
	char error[256];
};

struct json *json_open(struct source *source, unsigned flags)
{
	struct json *json = calloc(1, sizeof(*json));
	char *buffer = calloc(1, JSON_STRING_MAX + 1);
	if (json == NULL || buffer == NULL)
		err(1, NULL);
	json->source = source;
	json->flags = flags;
	json->buffer = buffer;
	json->token = JSON_END;
	json->after[0] = STATE_AFTER_DOCUMENT;
	json->p = json->end = "";
	json->line = source_line_number(source) + 1;
	json->line_offset = json->end_offset = source_offset(source);
	return json;
}

void json_close(struct json *json)
{
	if (json == NULL)
		return;
	source_unread(json->source, (size_t)(json->end - json->p));
	free(json->buffer);
	free(json);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* The next byte out of the next chunk, or END_OF_INPUT; only when the chunk is used up. */
static int refill(struct json *json)
{
	const char *bytes;
	if (json->at_end)
		return END_OF_INPUT;
	ssize_t count = source_chunk(json->source, &bytes);
	if (count <= 0) {
		json->at_end = true;
		json->read_error = count < 0 ? errno : 0;
		return END_OF_INPUT;
	}
	json->p = bytes;
	json->end = bytes + count;
	json->end_offset += (uint64_t)count;
	return (unsigned char)*bytes;
}

static inline int peek(struct json *json)
{
	return json->p < json->end ? (unsigned char)*json->p : refill(json);
}

static inline uint64_t offset_of(const struct json *json, const char *p)
{
	return json->end_offset - (uint64_t)(json->end - p);
}

static int skip_blanks(struct json *json)
{
	do {
		const char *p = json->p, *end = json->end;
		for (;;) {
			p = span_blank(p, end);
			if (p == end)
				break;
			if (*p != '\n') {
				json->p = p;
				return (unsigned char)*p;
			}
			p++;
			json->line++;
			json->line_offset = offset_of(json, p);
		}
		json->p = p;
	} while (refill(json) != END_OF_INPUT);
	return END_OF_INPUT;
}

/* Returns the byte after white space (RFC 8259, section 2), unread, or END_OF_INPUT. */
static inline int skip_space(struct json *json)
{
	int c = json->p < json->end ? (unsigned char)*json->p : 0;
	return c > ' ' ? c : skip_blanks(json);
}

/* Records that `expected` was not what is at the current byte. */
static enum json_token fail(struct json *json, const char *expected)
{
	char found[32];
	int c = peek(json);
	uint64_t offset = offset_of(json, json->p);
	json->state = STATE_FAILED;
	json->token = JSON_ERROR;
	if (json->read_error != 0)
		snprintf(found, sizeof(found), "read error");
	else if (c == END_OF_INPUT)
		snprintf(found, sizeof(found), "end of input");
	else if (c > ' ' && c < 0x7f)
		snprintf(found, sizeof(found), "'%c'", c);
	else
		snprintf(found, sizeof(found), "byte 0x%02x", (unsigned)c);
	json->cut_short = c == END_OF_INPUT && json->read_error == 0;
	snprintf(json->error, sizeof(json->error),
	    "line %llu, column %llu (byte %llu): expected %s, found %s%s%s",
	    (unsigned long long)json->line, (unsigned long long)(offset - json->line_offset + 1),
	    (unsigned long long)offset + 1, expected, found, json->read_error != 0 ? ": " : "",
	    json->read_error != 0 ? strerror(json->read_error) : "");
	return JSON_ERROR;
}

/* ---- gathered text -------------------------------------------------------------------------- */

static void text_clear(struct json *json)
{
	json->raw = NULL;
	json->length = 0;
	json->full = json->skipping;
}

/* Plain characters: as many as fit. */
static void text_add(struct json *json, const char *bytes, size_t count)
{
	if (json->full)
		return;
	size_t room = JSON_STRING_MAX - json->length;
	if (count > room) {
		count = room;
		json->full = true;
	}
	memcpy(json->buffer + json->length, bytes, count);
	json->length += count;
}

/* One character: all of its bytes or none. */
static void text_add_character(struct json *json, const char *bytes, size_t count)
{
	if (count > JSON_STRING_MAX - json->length)
		json->full = true;
	text_add(json, bytes, count);
}

static void text_add_code(struct json *json, uint32_t code)
{
	char bytes[4];
	text_add_character(json, bytes, utf8_encode(code, bytes));
}

const char *json_text(const struct json *json, size_t *length)
{
	size_t count = json->length;
	if (json->raw != NULL) {
		count = json->raw_length;
		if (count > JSON_STRING_MAX)
			count = JSON_STRING_MAX;
		memcpy(json->buffer, json->raw, count);
	}
	json->buffer[count] = '\0';
	if (length != NULL)
		*length = count;
	return json->buffer;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* A high surrogate without its low one stands for nothing: U+FFFD. */
static void flush_surrogate(struct json *json)
{
	if (json->high != 0)
		text_add_code(json, UTF8_REPLACEMENT);
	json->high = 0;
}

static void add_unit(struct json *json, uint32_t unit)
{
	bool is_high = unit >= 0xd800 && unit < 0xdc00;
	bool is_low = unit >= 0xdc00 && unit < 0xe000;
	if (is_low && json->high != 0) {
		/* RFC 8259, section 7: a pair of escapes for what is beyond the basic plane */
		text_add_code(json, 0x10000 + ((json->high - 0xd800) << 10) + (unit - 0xdc00));
		json->high = 0;
		return;
	}
	flush_surrogate(json);
	if (is_high)
		json->high = unit;
	else
		text_add_code(json, is_low ? UTF8_REPLACEMENT : unit);
}

static bool hex_escape(struct json *json)
{
	uint32_t unit = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(json);
		unsigned digit;
		if (c >= '0' && c <= '9')
			digit = (unsigned)c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = ((unsigned)c | 0x20) - 'a' + 10;
		else
			return fail(json, "four hexadecimal digits after \\u");
		unit = unit << 4 | digit;
		json->p++;
	}
	add_unit(json, unit);
	return true;
}

/* What follows a backslash. */
static bool escape(struct json *json)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	int c = peek(json);
	if (c == 'u') {
		json->p++;
		return hex_escape(json);
	}
	const char *name = c > 0 ? strchr(names, c) : NULL;
	if (name == NULL)
		return fail(json, "one of \"\\/bfnrtu after a backslash");
	flush_surrogate(json);
	text_add(json, &values[name - names], 1);
	json->p++;
	return true;
}

/* One character of several bytes; what is not UTF-8 becomes U+FFFD, once for the longest beginning
 * of a character (Unicode 15, section 3.9), so that text with a stray byte can still be used. */
static void wide_character(struct json *json, int first)
{
	char bytes[4] = {(char)first};
	size_t count = 1;
	struct utf8_rest rest = utf8_rest((unsigned char)first);
	json->p++;
	for (; count <= rest.count; count++) {
		int c = peek(json);
		if (c < rest.low || c > rest.high)
			break;
		rest.low = 0x80;
		rest.high = 0xbf;
		bytes[count] = (char)c;
		json->p++;
	}
	if (rest.count > 0 && count == rest.count + 1)
		text_add_character(json, bytes, count);
	else
		text_add_code(json, UTF8_REPLACEMENT);
}

/* The rest of a string that is not plain, or not whole, in its chunk. */
static bool gather_string(struct json *json)
{
	text_clear(json);
	for (;;) {
		const char *plain = json->p;
		json->p = span_plain(plain, json->end);
		if (json->p > plain) {
			flush_surrogate(json);
			text_add(json, plain, (size_t)(json->p - plain));
		}
		int c = peek(json);
		if (c == '\\') {
			json->p++;
			if (!escape(json))
				return false;
			continue;
		}
		if (c == END_OF_INPUT)
			return fail(json, "'\"' at the end of a string");
		if (c < ' ')
			return fail(json, "a string without control characters");
		if (c >= 0x80 || c == '"')
			flush_surrogate(json);
		if (c >= 0x80)
			wide_character(json, c);
		if (c == '"') {
			json->p++;
			return true;
		}
	}
}

/* A string whose opening quote is the current byte. */
static inline bool string(struct json *json)
{
	const char *begin = ++json->p;
	const char *quote = span_plain(begin, json->end);
	if (quote == json->end || *quote != '"')
		return gather_string(json);
	json->raw = begin;
	json->raw_length = (size_t)(quote - begin);
	json->p = quote + 1;
	return true;
}

/* ---- numbers and words ---------------------------------------------------------------------- */

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* A letter, digit, or sign directly behind a number or a word would make it another. */
static inline bool is_word(int c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '.' || c == '+' ||
	       c == '-' || c == '_';
}

/* End of the number at p if it is whole, with the byte after it, in the chunk; else NULL. */
static const char *span_number(const char *p, const char *end)
{
	const char *digits;
	if (p < end && *p == '-')
		p++;
	p = span_digits(digits = p, end);
	if (p == digits || (*digits == '0' && p > digits + 1))
		return NULL;
	if (p < end && *p == '.') {
		digits = ++p;
		if ((p = span_digits(p, end)) == digits)
			return NULL;
	}
	if (p < end && (*p | 0x20) == 'e') {
		if (++p < end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		if ((p = span_digits(p, end)) == digits)
			return NULL;
	}
	return p < end && !is_word(*p) ? p : NULL;
}

static int take(struct json *json)
{
	text_add(json, json->p++, 1);
	return peek(json);
}

/* At least one digit; returns the byte after them. */
static bool take_digits(struct json *json)
{
	int c = peek(json);
	if (!is_digit(c))
		return false;
	do {
		const char *digits = json->p;
		json->p = span_digits(digits, json->end);
		text_add(json, digits, (size_t)(json->p - digits));
	} while (is_digit(peek(json)));
	return true;
}

/* The letters of a word, given in lower case and all of them required. */
static bool take_word(struct json *json, const char *word)
{
	for (; *word != '\0'; word++) {
		if (peek(json) != *word)
			return fail(json, "true, false or null");
		text_add(json, json->p++, 1);
	}
	if (is_word(peek(json)))
		return fail(json, "the end of a word");
	return true;
}

/* A number that does not lie whole in its chunk, or is not one: byte by byte. */
static bool gather_number(struct json *json)
{
	uint64_t begin = offset_of(json, json->p);
	int c = peek(json);
	text_clear(json);
	if (c == '-')
		c = take(json);
	if ((json->flags & JSON_ALLOW_NAN) != 0 && (c == 'n' || c == 'i'))
		return take_word(json, c == 'n' ? "nan" : "inf");
	if (c == '0')
		take(json);
	else if (!take_digits(json))
		return fail(json, "a digit");
	c = peek(json);
	if (c == '.') {
		take(json);
		if (!take_digits(json))
			return fail(json, "a digit after the decimal point");
		c = peek(json);
	}
	if (c == 'e' || c == 'E') {
		c = take(json);
		if (c == '+' || c == '-')
			take(json);
		if (!take_digits(json))
			return fail(json, "a digit in the exponent");
		c = peek(json);
	}
	/* inside a document that ends here, the number may have had more digits */
	if (is_word(c) || (c == END_OF_INPUT && json->depth > 0))
		return fail(json, "the end of a number");
	if (offset_of(json, json->p) - begin > JSON_NUMBER_MAX)
		return fail(json, "at most " STRING(JSON_NUMBER_MAX) " characters in a number");
	return true;
}

double json_number(const struct json *json)
{
	if (json->token != JSON_NUMBER)
		return 0;
	const char *text = json->raw != NULL ? json->raw : json->buffer;
	size_t length = json->raw != NULL ? json->raw_length : json->length;
	double value;
	if (decimal_value(text, length, &value))
		return value;
	return strtod(json_text(json, NULL), NULL);
}

/* ---- grammar -------------------------------------------------------------------------------- */

static inline enum json_token scalar(struct json *json, bool valid, enum json_token token)
{
	if (!valid)
		return JSON_ERROR;
	json->state = json->after[json->depth];
	return token;
}

static inline enum json_token number(struct json *json)
{
	const char *end = span_number(json->p, json->end);
	if (end == NULL || end - json->p > JSON_NUMBER_MAX)
		return scalar(json, gather_number(json), JSON_NUMBER);
	json->raw = json->p;
	json->raw_length = (size_t)(end - json->p);
	json->p = end;
	return scalar(json, true, JSON_NUMBER);
}

/* A word that begins with the current byte; it has no text. */
static inline enum json_token word(struct json *json, const char *letters, enum json_token token)
{
	size_t length = strlen(letters);
	if (json->end - json->p > (ptrdiff_t)length && memcmp(json->p, letters, length) == 0 &&
	    !is_word(json->p[length])) {
		json->p += length;
		return scalar(json, true, token);
	}
	bool valid = take_word(json, letters);
	json->length = 0;
	return scalar(json, valid, token);
}

static enum json_token null_or_nan(struct json *json)
{
	if ((json->flags & JSON_ALLOW_NAN) == 0)
		return word(json, "null", JSON_NULL);
	text_clear(json);
	if (take(json) == 'a')
		return scalar(json, take_word(json, "an"), JSON_NUMBER);
	json->length = 0;
	return word(json, "ull", JSON_NULL);
}

static enum json_token begin(
    struct json *json, enum json_token token, enum state first, enum state after)
{
	if (json->depth == JSON_DEPTH_MAX)
		return fail(json, "at most " STRING(JSON_DEPTH_MAX) " containers in one another");
	json->p++;
	json->after[++json->depth] = (unsigned char)after;
	json->state = first;
	return token;
}

static enum json_token end(struct json *json, enum json_token token)
{
	json->p++;
	json->state = json->after[--json->depth];
	return token;
}

/* A value that begins with c, the current byte. */
static enum json_token value(struct json *json, int c, const char *expected)
{
	switch (c) {
	case '"':
		return scalar(json, string(json), JSON_STRING);
	case '{':
		return begin(json, JSON_BEGIN_OBJECT, STATE_FIRST_KEY, STATE_AFTER_MEMBER);
	case '[':
		return begin(json, JSON_BEGIN_ARRAY, STATE_FIRST_ELEMENT, STATE_AFTER_ELEMENT);
	case 't':
		return word(json, "true", JSON_TRUE);
	case 'f':
		return word(json, "false", JSON_FALSE);
	case 'n':
		return null_or_nan(json);
	case 'i':
		if ((json->flags & JSON_ALLOW_NAN) == 0)
			return fail(json, expected);
		return number(json);
	default:
		return c == '-' || is_digit(c) ? number(json) : fail(json, expected);
	}
}

static enum json_token key(struct json *json, int c, const char *expected)
{
	if (c != '"')
		return fail(json, expected);
	if (!string(json))
		return JSON_ERROR;
	json->state = STATE_COLON;
	return JSON_KEY;
}

/* RFC 8259, section 8.1: a byte order mark may be ignored. */
static bool skip_mark(struct json *json)
{
	static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
	if (peek(json) != mark[0])
		return true;
	for (size_t i = 0; i < sizeof(mark); i++, json->p++)
		if (peek(json) != mark[i])
			return fail(json, "a byte order mark or a value");
	return true;
}

static enum json_token document(struct json *json)
{
	if (json->state == STATE_START && !skip_mark(json))
		return JSON_ERROR;
	int c = skip_space(json);
	bool many = (json->flags & JSON_MANY_DOCUMENTS) != 0;
	if (c == END_OF_INPUT && json->read_error == 0 &&
	    (many || json->state == STATE_AFTER_DOCUMENT)) {
		json->state = STATE_ENDED;
		return JSON_END;
	}
	if (json->state == STATE_AFTER_DOCUMENT && !many)
		return fail(json, "nothing after the document");
	return value(json, c, "a value");
}

static enum json_token next(struct json *json)
{
	int c;
	switch (json->state) {
	case STATE_FIRST_KEY:
		c = skip_space(json);
		return c == '}' ? end(json, JSON_END_OBJECT)
				: key(json, c, "a key in quotes or '}'");
	case STATE_COLON:
		if (skip_space(json) != ':')
			return fail(json, "':' after a key");
		json->p++;
		return value(json, skip_space(json), "a value after ':'");
	case STATE_AFTER_MEMBER:
		c = skip_space(json);
		if (c == '}')
			return end(json, JSON_END_OBJECT);
		if (c != ',')
			return fail(json, "',' or '}' after a member");
		json->p++;
		return key(json, skip_space(json), "a key in quotes after ','");
	case STATE_FIRST_ELEMENT:
		c = skip_space(json);
		return c == ']' ? end(json, JSON_END_ARRAY) : value(json, c, "a value or ']'");
	case STATE_AFTER_ELEMENT:
		c = skip_space(json);
		if (c == ']')
			return end(json, JSON_END_ARRAY);
		if (c != ',')
			return fail(json, "',' or ']' after an element");
		json->p++;
		return value(json, skip_space(json), "a value after ','");
	case STATE_ENDED:
		return JSON_END;
	case STATE_FAILED:
		return JSON_ERROR;
	default:
		return document(json);
	}
}

enum json_token json_next(struct json *json)
{
	json->raw = NULL;
	json->length = 0;
	return json->token = next(json);
}

bool json_skip(struct json *json)
{
	unsigned outside;
	if (json->token == JSON_KEY)
		outside = json->depth;
	else if (json->token == JSON_BEGIN_OBJECT || json->token == JSON_BEGIN_ARRAY)
		outside = json->depth - 1;
	else
		return json->token != JSON_ERROR;
	json->skipping = true;
	do
		json_next(json);
	while (json->token > JSON_END && json->depth > outside);
	json->skipping = false;
	json->raw = NULL;
	json->length = 0;
	return json->token != JSON_ERROR;
}

unsigned json_depth(const struct json *json)
{
	bool begun = json->token == JSON_BEGIN_OBJECT || json->token == JSON_BEGIN_ARRAY;
	return begun ? json->depth - 1 : json->depth;
}

bool json_is_cut_short(const struct json *json)
{
	return json->cut_short;
}

const char *json_error(const struct json *json)
{
	return json->error;
}
