#include "base/utf8.h"

/*
 * RFC 3629, section 4: the narrower ranges keep out overlong forms (e0, f0), surrogates (ed) and
 * what is beyond U+10FFFF (f4).
 */
struct utf8_rest utf8_rest(unsigned char first)
{
	struct utf8_rest rest = {.low = 0x80, .high = 0xbf};
	if (first < 0xc2 || first > 0xf4)
		return rest;
	rest.count = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	if (first == 0xe0)
		rest.low = 0xa0;
	else if (first == 0xed)
		rest.high = 0x9f;
	else if (first == 0xf0)
		rest.low = 0x90;
	else if (first == 0xf4)
		rest.high = 0x8f;
	return rest;
}

size_t utf8_decode(const char *bytes, size_t length, uint32_t *code, size_t *skip)
{
	unsigned char first = (unsigned char)bytes[0];
	*skip = 1;
	if (first < 0x80) {
		*code = first;
		return 1;
	}
	struct utf8_rest rest = utf8_rest(first);
	if (rest.count == 0)
		return 0;
	uint32_t value = first & (0x3fu >> rest.count);
	for (size_t i = 1; i <= rest.count; i++) {
		*skip = i;
		if (i == length)
			return 0;
		unsigned char next = (unsigned char)bytes[i];
		if (next < rest.low || next > rest.high)
			return 0;
		value = value << 6 | (next & 0x3fu);
		rest.low = 0x80;
		rest.high = 0xbf;
	}
	*code = value;
	return rest.count + 1;
}

size_t utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	uint32_t mark = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
	out[0] = (char)(mark | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
	return more + 1;
}
