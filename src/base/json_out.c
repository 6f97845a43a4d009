#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

static void write_bytes(struct json_out *out, const char *bytes, size_t count)
{
	/* the lock would be taken for every bracket and comma; no other thread exists */
	if (fwrite_unlocked(bytes, 1, count, out->stream) != count)
		out->failed = true;
}

static void write_text(struct json_out *out, const char *text)
{
	write_bytes(out, text, strlen(text));
}

static void write_escape(struct json_out *out, uint32_t code)
{
	static const char plain[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
	char text[16];
	const char *short_form = code < 0x80 && code != 0 ? strchr(plain, (int)code) : NULL;
	if (short_form != NULL)
		snprintf(text, sizeof(text), "\\%c", names[short_form - plain]);
	else if (code < 0x10000)
		snprintf(text, sizeof(text), "\\u%04x", (unsigned)code);
	else /* RFC 8259, section 7: as a surrogate pair */
		snprintf(text, sizeof(text), "\\u%04x\\u%04x",
		    (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
		    (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
	write_text(out, text);
}

/* Bytes at the start that stand for themselves: most text is nothing else. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

static void write_string(struct json_out *out, const char *text)
{
	write_text(out, "\"");
	for (size_t left = strlen(text); left > 0;) {
		size_t plain = plain_length(text);
		if (plain > 0) {
			write_bytes(out, text, plain);
			text += plain;
			left -= plain;
			continue;
		}
		uint32_t code;
		size_t skip, length = utf8_decode(text, left, &code, &skip);
		if (length == 0) {
			write_text(out, "\xef\xbf\xbd");
			length = skip;
		} else if (code == '"' || code == '\\' || utf8_is_hidden(code)) {
			write_escape(out, code);
		} else {
			write_bytes(out, text, length);
		}
		text += length;
		left -= length;
	}
	write_text(out, "\"");
}

static void new_line(struct json_out *out)
{
	if (out->compact)
		return;
	write_text(out, "\n");
	for (unsigned i = 0; i < out->depth; i++)
		write_text(out, "  ");
}

/* What stands before a value: comma, line, key. */
static void begin_item(struct json_out *out, const char *key)
{
	if (out->depth > 0) {
		if (out->has_item)
			write_text(out, ",");
		new_line(out);
	} else if (out->has_item) {
		write_text(out, "\n");
	}
	if (key != NULL) {
		write_string(out, key);
		write_text(out, out->compact ? ":" : ": ");
	}
	out->has_item = true;
}

static void begin_container(struct json_out *out, const char *key, const char *bracket)
{
	begin_item(out, key);
	write_text(out, bracket);
	out->depth++;
	out->has_item = false;
}

static void end_container(struct json_out *out, const char *bracket)
{
	out->depth--;
	if (out->has_item)
		new_line(out);
	write_text(out, bracket);
	out->has_item = true;
}

void json_out_begin(struct json_out *out, FILE *stream, bool compact)
{
	*out = (struct json_out){.stream = stream, .compact = compact};
}

void json_out_object(struct json_out *out, const char *key)
{
	begin_container(out, key, "{");
}

void json_out_end_object(struct json_out *out)
{
	end_container(out, "}");
}

void json_out_array(struct json_out *out, const char *key)
{
	begin_container(out, key, "[");
}

void json_out_end_array(struct json_out *out)
{
	end_container(out, "]");
}

void json_out_string(struct json_out *out, const char *key, const char *text)
{
	begin_item(out, key);
	if (text == NULL)
		write_text(out, "null");
	else
		write_string(out, text);
}

void json_out_number(struct json_out *out, const char *key, double value)
{
	char text[32];
	double size = fabs(value);
	if (!isfinite(value))
		snprintf(text, sizeof(text), "null");
	else if (size <= 0x1p53 && (value == trunc(value) || size >= 1e9))
		/* adding 0 makes -0 plain */
		snprintf(text, sizeof(text), "%.0f", value + 0);
	else
		snprintf(text, sizeof(text), "%.9g", value);
	begin_item(out, key);
	write_text(out, text);
}

void json_out_uint(struct json_out *out, const char *key, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	begin_item(out, key);
	write_text(out, text);
}

void json_out_bool(struct json_out *out, const char *key, bool value)
{
	begin_item(out, key);
	write_text(out, value ? "true" : "false");
}

void json_out_null(struct json_out *out, const char *key)
{
	begin_item(out, key);
	write_text(out, "null");
}

bool json_out_finish(struct json_out *out)
{
	write_text(out, "\n");
	if (fflush(out->stream) != 0 || ferror(out->stream))
		out->failed = true;
	return !out->failed;
}
