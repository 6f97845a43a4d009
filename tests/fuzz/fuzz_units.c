/*
 * Every number parser with any text: what is accepted lies in its range, and its formatted text is
 * accepted again with nearly the same value.
 */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "%s: '%s'\n", what, text);
	abort();
}

typedef bool parser(const char *text, double *value, const char **why);
typedef struct unit_text formatter(double value);

static bool size_parse_double(const char *text, double *value, const char **why)
{
	uint64_t bytes;
	bool ok = size_parse(text, &bytes, why);
	*value = ok ? (double)bytes : NAN;
	return ok;
}

static void check(
    const char *what, const char *text, parser *parse, formatter *format, double low, double high)
{
	double value = NAN, back = NAN;
	const char *why = NULL;
	if (!parse(text, &value, &why)) {
		require(why != NULL && strlen(why) < 128, what, text);
		return;
	}
	require(value >= low && value <= high, what, text);
	struct unit_text shown = format(value);
	/* tiny ratios are shown as zero, and the last bytes of the range round out of it */
	if (value < 1e-8 || value > 0.99 * high)
		return;
	require(parse(shown.s, &back, &why), what, shown.s);
	require(fabs(back - value) <= 0.00501 * value, what, shown.s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	check("rate", text, rate_parse, rate_text, 1e-3, 1e15);
	check("size", text, size_parse_double, size_text, 1, 0x1p63);
	check("time", text, time_parse, time_text, 1e-3, 1e9);
	check("percent", text, percent_parse, percent_text, 0, 1);
	uint64_t count;
	double number;
	const char *why;
	if (count_parse(text, 3, 1000000, &count, &why))
		require(count >= 3 && count <= 1000000, "count", text);
	if (number_parse(text, 1.5, 100, &number, &why))
		require(number >= 1.5 && number <= 100, "number", text);
	free(text);
	return 0;
}
