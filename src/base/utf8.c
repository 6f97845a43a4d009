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

bool utf8_is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {.first = 0x0000, .last = 0x001f},	 /* C0 */
	    {.first = 0x007f, .last = 0x009f},	 /* DEL, C1 */
	    {.first = 0x061c, .last = 0x061c},	 /* Arabic letter mark */
	    {.first = 0x180e, .last = 0x180e},	 /* Mongolian vowel separator */
	    {.first = 0x200b, .last = 0x200f},	 /* zero width, direction marks */
	    {.first = 0x2028, .last = 0x202e},	 /* separators, embeddings, overrides */
	    {.first = 0x2060, .last = 0x206f},	 /* joiners, isolates */
	    {.first = 0xfeff, .last = 0xfeff},	 /* byte order mark */
	    {.first = 0xfff9, .last = 0xfffb},	 /* interlinear annotation */
	    {.first = 0xe0000, .last = 0xe007f}, /* tags */
	};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}
