#include "report/bar.h"

#include <bsd/string.h>
#include <math.h>
#include <string.h>

#define EIGHTHS 8

static const char *const blocks[EIGHTHS + 1] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

static void add(struct bar *bar, const char *text)
{
	strlcat(bar->s, text, sizeof(bar->s));
	bar->cells++;
}

struct bar bar_draw(double value, double top, unsigned cells, bool utf8)
{
	struct bar bar = {.cells = 0};
	unsigned steps = utf8 ? EIGHTHS : 1;

	if (cells > BAR_CELLS_MAX)
		cells = BAR_CELLS_MAX;
	if (!(value > 0) || !(top > 0) || !isfinite(value) || !isfinite(top))
		return bar;
	unsigned length = (unsigned)lround(fmin(value / top, 1) * cells * steps);
	if (length == 0)
		length = 1;
	for (; length >= steps && bar.cells < cells; length -= steps)
		add(&bar, utf8 ? blocks[EIGHTHS] : "#");
	if (utf8 && length > 0 && bar.cells < cells)
		add(&bar, blocks[length]);
	return bar;
}
