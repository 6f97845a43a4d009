/*
 * Decimal numbers to binary, for the ones that can be had quickly.
 */
#ifndef BDP_DECIMAL_H
#define BDP_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* The value of text[length], which is a number by JSON's grammar, rounded to nearest.  False when
 * that takes strtod(): too many digits, or too large an exponent. */
bool decimal_value(const char *text, size_t length, double *value);

#endif
