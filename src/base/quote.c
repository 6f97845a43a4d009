#include "base/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define QUOTED_BUFFERS 4
/* a file name (at most 255 bytes) is not cut, even if every byte must be escaped */
#define QUOTED_SIZE (4 * 255 + 1)

/* How the character at text is shown, in piece[]; returns how many bytes of text it takes. */
static size_t show(const char *text, size_t left, char piece[16])
{
	uint32_t code;
	size_t skip, length = utf8_decode(text, left, &code, &skip);
	if (length == 0) {
		snprintf(piece, 16, "\\x%02x", (unsigned)(unsigned char)*text);
		return 1;
	}
	if (!utf8_is_hidden(code)) {
		memcpy(piece, text, length);
		piece[length] = '\0';
	} else {
		snprintf(piece, 16, code < 0x80 ? "\\x%02x" : "\\u{%04x}", (unsigned)code);
	}
	return length;
}

const char *quote_text(const char *text, char *out, size_t size)
{
	static const char dots[] = "...";
	size_t left = strlen(text), length = 0, length_with_dots = 0;
	if (size == 0)
		return out;
	while (left > 0) {
		char piece[16];
		size_t taken = show(text, left, piece), added = strlen(piece);
		if (length + added >= size) {
			size_t room = size - length_with_dots;
			snprintf(out + length_with_dots, room, "%s", dots);
			return out;
		}
		memcpy(out + length, piece, added);
		length += added;
		if (length + sizeof(dots) <= size)
			length_with_dots = length;
		text += taken;
		left -= taken;
	}
	out[length] = '\0';
	return out;
}

const char *quoted(const char *text)
{
	static char buffers[QUOTED_BUFFERS][QUOTED_SIZE];
	static unsigned turn;
	return quote_text(text, buffers[turn++ % QUOTED_BUFFERS], QUOTED_SIZE);
}

const char *quote_host(const char *name, const char *fallback)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_%-";

	if (name[0] == '\0' || name[0] == '-' || name[strspn(name, plain)] != '\0')
		return fallback;
	return name;
}

bool quote_word(const char *name, char *out, size_t size)
{
	bool plain = name[0] != '\0';

	for (const char *at = name; *at != '\0'; at++) {
		if (*at <= ' ' || *at > '~' || *at == '\'')
			return false;
		if (!isalnum((unsigned char)*at) && strchr("._-@", *at) == NULL)
			plain = false;
	}
	snprintf(out, size, plain ? "%s" : "'%s'", name);
	return name[0] != '\0' && name[0] != '-';
}
