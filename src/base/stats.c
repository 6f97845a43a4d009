#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

void stats_add(struct stats *stats, double value)
{
	stats->count++;
	if (stats->count == 1) {
		stats->min = stats->max = value;
	} else {
		stats->min = fmin(stats->min, value);
		stats->max = fmax(stats->max, value);
	}
	double delta = value - stats->mean;
	stats->mean += delta / (double)stats->count;
	stats->m2 += delta * (value - stats->mean);
}

double stats_deviation(const struct stats *stats)
{
	return stats->count < 2 ? 0 : sqrt(stats->m2 / (double)(stats->count - 1));
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double stats_median(double *values, size_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
