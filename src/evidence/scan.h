/*
 * Bounded readers at a cursor, for the line-oriented inputs: each moves *at past what it took, and
 * leaves it alone when it took nothing.
 */
#ifndef BDP_SCAN_H
#define BDP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First character that is neither a blank nor a tab (nor a stray CR). */
const char *scan_blanks(const char *at);

/* True, and past it, when the text goes on with `prefix`. */
bool scan_prefix(const char **at, const char *prefix);

/* Decimal digits alone; false when there are none or the value exceeds UINT64_MAX. */
bool scan_uint(const char **at, uint64_t *value);

/* Digits with an optional fraction (point, or comma followed by a digit) and exponent.  No sign,
 * no hexadecimal, no nan: false.  The value is finite. */
bool scan_decimal(const char **at, double *value);

/* Copies the next word (up to a blank) into word[size], always terminated; its full length, 0 at
 * the end of the text.  A word that does not fit is cut. */
size_t scan_word(const char **at, char *word, size_t size);

/* Replaces what is not printable ASCII by '?', so that a name out of an input is safe to show. */
void scan_printable(char *text);

#endif
