/*
 * A number as a bar, for tables: its length is the value's share of the largest.
 */
#ifndef BDP_BAR_H
#define BDP_BAR_H

#include <stdbool.h>

#define BAR_CELLS_MAX 40

struct bar {
	char s[BAR_CELLS_MAX * 3 + 1]; /* a block takes three bytes of UTF-8 */
	unsigned cells;		       /* columns that it takes */
};

/* `cells` columns stand for `top`.  What is above nothing shows at least as the thinnest bar; UTF-8
 * resolves eighths of a column, ASCII whole ones. */
struct bar bar_draw(double value, double top, unsigned cells, bool utf8);

#endif
