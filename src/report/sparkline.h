/*
 * A series of numbers as one short line of bars.
 */
#ifndef BDP_SPARKLINE_H
#define BDP_SPARKLINE_H

#include <stdbool.h>
#include <stddef.h>

#define SPARKLINE_CELLS_MAX 32

struct sparkline {
	char s[SPARKLINE_CELLS_MAX * 3 + 1]; /* a block takes three bytes of UTF-8 */
	size_t cells;
};

/* Draws `count` values in at most `cells` bars, each the mean of its share of them, on a scale
 * from zero to the tallest bar (so that what is steady looks level).  NAN values are gaps.  No
 * cells when fewer than three values are known. */
void sparkline_draw(
    struct sparkline *line, const double *values, size_t count, size_t cells, bool utf8);

#endif
