/*
 * UTF-8 (RFC 3629), one character at a time.
 */
#ifndef BDP_UTF8_H
#define BDP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffd

/* What must follow the first byte of a character. */
struct utf8_rest {
	unsigned count;		 /* bytes; 0 when `first` begins no character of several bytes */
	unsigned char low, high; /* range of the second byte; the others are 0x80..0xbf */
};

struct utf8_rest utf8_rest(unsigned char first);

/* Takes one character from bytes[length], length >= 1.  Returns its length, or 0 when they begin
 * with something else; then *skip is the number of bytes (>= 1) that one U+FFFD stands for. */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code, size_t *skip);

/* Writes the UTF-8 form of a scalar value (not a surrogate, <= 0x10ffff); returns its length. */
size_t utf8_encode(uint32_t code, char out[4]);

/* Characters that a terminal obeys or does not show: controls (C0, DEL, C1), and those that turn
 * the direction of text, join, break or tag it. */
bool utf8_is_hidden(uint32_t code);

#endif
