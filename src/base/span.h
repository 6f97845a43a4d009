/*
 * Runs of bytes of one kind in JSON: most of the time of reading it is spent here.
 *
 * Each function returns the end of the run that begins at p.
 */
#ifndef BDP_SPAN_H
#define BDP_SPAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define SPAN_EACH(c) ((c)*UINT64_C(0x0101010101010101))

/* Marks (bit 7) the lowest of eight bytes that equals c: 0 - 1 borrows.  Bytes above it may be
 * marked without cause. */
static inline uint64_t span_equal(uint64_t eight, char c)
{
	uint64_t zero = eight ^ SPAN_EACH((unsigned char)c);
	return (zero - SPAN_EACH(1)) & ~zero & SPAN_EACH(0x80);
}

/* ASCII in a string that stands for itself: no control, quote or backslash.  Eight bytes at a time
 * pay here, because the length of keys defeats branch prediction; for digits and blanks they do not. */
static inline const char *span_plain(const char *p, const char *end)
{
	uint64_t eight;
	for (; end - p >= (ptrdiff_t)sizeof(eight); p += sizeof(eight)) {
		memcpy(&eight, p, sizeof(eight));
		eight = le64toh(eight);
		uint64_t other = span_equal(eight, '"') | span_equal(eight, '\\') |
				 (((eight - SPAN_EACH(0x20)) | eight) & SPAN_EACH(0x80));
		if (other != 0)
			return p + __builtin_ctzll(other) / 8;
	}
	while (p < end && (unsigned char)*p >= ' ' && (unsigned char)*p < 0x80 && *p != '"' &&
	       *p != '\\')
		p++;
	return p;
}

static inline const char *span_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* White space within a line. */
static inline const char *span_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

#endif
