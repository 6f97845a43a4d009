#include "report/sparkline.h"

#include <bsd/string.h>
#include <math.h>
#include <string.h>

#define LEVELS 8
#define VALUES_MIN 3

static const char *const utf8_bars[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_bars[LEVELS] = {"_", ".", ":", "-", "=", "+", "*", "#"};

/* Mean of the known values of [first, end), NAN when there are none. */
static double cell_mean(const double *values, size_t first, size_t end)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = first; i < end; i++) {
		if (isfinite(values[i])) {
			sum += values[i];
			known++;
		}
	}
	return known ? sum / (double)known : (double)NAN;
}

static const char *cell_bar(double mean, double top, bool utf8)
{
	int level;

	if (!isfinite(mean))
		return " ";
	level = top > 0 ? (int)lround(mean / top * (LEVELS - 1)) : 0;
	if (level < 0)
		level = 0;
	return utf8 ? utf8_bars[level] : ascii_bars[level];
}

void sparkline_draw(
    struct sparkline *line, const double *values, size_t count, size_t cells, bool utf8)
{
	double means[SPARKLINE_CELLS_MAX], top = 0;
	size_t known = 0;

	memset(line, 0, sizeof(*line));
	for (size_t i = 0; i < count; i++)
		known += isfinite(values[i]) ? 1 : 0;
	if (known < VALUES_MIN || cells == 0)
		return;
	if (cells > SPARKLINE_CELLS_MAX)
		cells = SPARKLINE_CELLS_MAX;
	if (cells > count)
		cells = count;
	for (size_t i = 0; i < cells; i++) {
		means[i] = cell_mean(values, i * count / cells, (i + 1) * count / cells);
		if (means[i] > top)
			top = means[i];
	}
	for (size_t i = 0; i < cells; i++)
		strlcat(line->s, cell_bar(means[i], top, utf8), sizeof(line->s));
	line->cells = cells;
}
