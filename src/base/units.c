#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_CHARS_MAX 64
#define RATE_MIN_BPS 1e-3
#define RATE_MAX_BPS 1e15
#define TIME_MIN_US 1e-3
#define TIME_MAX_US 1e9

/* What follows the number and its prefix, as a whole word. */
struct unit_word {
	const char *word;
	bool any_case;
	bool only_binary; /* only behind Ki, Mi, ... */
	double factor;	  /* of one unit, in what the parser returns */
	double base;	  /* of the prefix: 1000 or 1024 */
	const char *refusal;
};

#define RATE_EXPECTED "expected a rate above zero, such as 703M or 3.34Gbit/s"
#define RATE_NO_UNIT "not a unit of rate; use bit/s with k, M, G or T, such as 703M or 703Mbit/s"
#define RATE_IS_SIZE "that is a size; for bytes per second write MB/s or MBytes/sec"
#define RATE_UNCLEAR "bits or bytes? write Mbps for bits, MB/s for bytes"

#define SIZE_EXPECTED "expected a size of at least one byte, such as 4.36M or 20MiB"
#define SIZE_NO_UNIT "not a unit of size; use bytes with K, M or G, such as 4.36M or 4.36MiB"
#define SIZE_IS_BITS "a size is in bytes, b is a bit; write MiB (1024-based) or MB (decimal)"
#define SIZE_IS_RATE "that is a rate; a size has no \"per second\", such as 4.36M"

#define TIME_EXPECTED "expected a time above zero with its unit, such as 52ms"
#define TIME_BARE "a unit is required, such as 52ms"
#define TIME_NO_UNIT "not a unit of time; use s, ms, us or ns, such as 52ms"

static const struct unit_word rate_words[] = {
    {.word = "", .factor = 1, .base = 1000},
    {.word = "b", .factor = 1, .base = 1000},
    {.word = "bps", .factor = 1, .base = 1000},
    {.word = "b/s", .factor = 1, .base = 1000},
    {.word = "b/sec", .factor = 1, .base = 1000},
    {.word = "bit", .any_case = true, .factor = 1, .base = 1000},
    {.word = "bits", .any_case = true, .factor = 1, .base = 1000},
    {.word = "bit/s", .any_case = true, .factor = 1, .base = 1000},
    {.word = "bits/s", .any_case = true, .factor = 1, .base = 1000},
    {.word = "bit/sec", .any_case = true, .factor = 1, .base = 1000},
    {.word = "bits/sec", .any_case = true, .factor = 1, .base = 1000},
    {.word = "B/s", .factor = 8, .base = 1000},
    {.word = "Bps", .factor = 8, .base = 1000},
    {.word = "B/sec", .factor = 8, .base = 1000},
    /* iperf3 -f M prints 1024-based bytes (its units.c) */
    {.word = "byte/s", .any_case = true, .factor = 8, .base = 1024},
    {.word = "bytes/s", .any_case = true, .factor = 8, .base = 1024},
    {.word = "byte/sec", .any_case = true, .factor = 8, .base = 1024},
    {.word = "bytes/sec", .any_case = true, .factor = 8, .base = 1024},
    {.word = "BPS", .refusal = RATE_UNCLEAR},
    {.word = "B", .refusal = RATE_IS_SIZE},
    {.word = "byte", .any_case = true, .refusal = RATE_IS_SIZE},
    {.word = "bytes", .any_case = true, .refusal = RATE_IS_SIZE},
    {.word = NULL, .refusal = RATE_NO_UNIT},
};

static const struct unit_word size_words[] = {
    {.word = "", .factor = 1, .base = 1024},
    {.word = "B", .factor = 1, .base = 1000},
    {.word = "b", .only_binary = true, .factor = 1, .base = 1024},
    {.word = "byte", .any_case = true, .factor = 1, .base = 1024},
    {.word = "bytes", .any_case = true, .factor = 1, .base = 1024},
    {.word = "b", .refusal = SIZE_IS_BITS},
    {.word = "bit", .any_case = true, .refusal = SIZE_IS_BITS},
    {.word = "bits", .any_case = true, .refusal = SIZE_IS_BITS},
    {.word = "bps", .any_case = true, .refusal = SIZE_IS_RATE},
    {.word = "b/s", .any_case = true, .refusal = SIZE_IS_RATE},
    {.word = "bit/s", .any_case = true, .refusal = SIZE_IS_RATE},
    {.word = "bits/sec", .any_case = true, .refusal = SIZE_IS_RATE},
    {.word = "bytes/sec", .any_case = true, .refusal = SIZE_IS_RATE},
    {.word = NULL, .refusal = SIZE_NO_UNIT},
};

static const struct unit_word time_words[] = {
    {.word = "", .refusal = TIME_BARE},
    {.word = "s", .any_case = true, .factor = 1e6},
    {.word = "sec", .any_case = true, .factor = 1e6},
    {.word = "ms", .any_case = true, .factor = 1e3},
    {.word = "msec", .any_case = true, .factor = 1e3},
    {.word = "us", .any_case = true, .factor = 1},
    {.word = "usec", .any_case = true, .factor = 1},
    {.word = "\u00b5s", .factor = 1}, /* micro sign */
    {.word = "\u03bcs", .factor = 1}, /* Greek mu */
    {.word = "ns", .any_case = true, .factor = 1e-3},
    {.word = "nsec", .any_case = true, .factor = 1e-3},
    {.word = NULL, .refusal = TIME_NO_UNIT},
};

#define DURATION_NO_UNIT "not a unit of time; use ms, s, min or h, such as 500ms or 60s"
#define DURATION_UNCLEAR "minutes or milliseconds? write min or ms"

/* How long to wait, in seconds: what a person types, beside the units of time_words. */
static const struct unit_word duration_words[] = {
    {.word = "", .factor = 1},
    {.word = "s", .any_case = true, .factor = 1},
    {.word = "sec", .any_case = true, .factor = 1},
    {.word = "min", .any_case = true, .factor = 60},
    {.word = "h", .any_case = true, .factor = 3600},
    {.word = "ms", .any_case = true, .factor = 1e-3},
    {.word = "msec", .any_case = true, .factor = 1e-3},
    {.word = "us", .any_case = true, .factor = 1e-6},
    {.word = "usec", .any_case = true, .factor = 1e-6},
    {.word = "m", .any_case = true, .refusal = DURATION_UNCLEAR},
    {.word = NULL, .refusal = DURATION_NO_UNIT},
};

static const struct unit_word percent_words[] = {
    {.word = "", .factor = 0.01},
    {.word = "%", .factor = 0.01},
    {.word = NULL, .refusal = "expected a percentage and nothing else, such as 0.126%"},
};

/* The digits of a number without its point, and the exponent that puts the point back. */
struct digits {
	char text[NUMBER_CHARS_MAX + 1];
	size_t count;
	long exponent;
};

static bool refuse(const char **why, const char *phrase)
{
	*why = phrase;
	return false;
}

static bool digits_take(struct digits *digits, const char **text, size_t *taken)
{
	*taken = 0;
	for (; isdigit((unsigned char)**text); (*text)++, (*taken)++) {
		if (digits->count == NUMBER_CHARS_MAX)
			return false;
		digits->text[digits->count++] = **text;
	}
	return true;
}

/* The exponent, if there is one: "e" without digits belongs to the unit. */
static void exponent_take(struct digits *digits, const char **text)
{
	const char *p = *text;
	if (*p != 'e' && *p != 'E')
		return;
	bool negative = p[1] == '-';
	p += p[1] == '-' || p[1] == '+' ? 2 : 1;
	if (!isdigit((unsigned char)*p))
		return;
	long exponent = 0;
	for (; isdigit((unsigned char)*p); p++) {
		if (exponent < 100000)
			exponent = exponent * 10 + (*p - '0');
	}
	digits->exponent += negative ? -exponent : exponent;
	*text = p;
}

static bool fraction_take(struct digits *digits, const char **text, const char **why)
{
	char point = *(*text)++;
	size_t taken;
	if (!digits_take(digits, text, &taken))
		return refuse(why, "too many digits; round the number");
	if (**text == '.' || **text == ',')
		return refuse(
		    why, "more than one point or comma; write the digits without grouping");
	if (taken == 0)
		return refuse(why, "digits are expected behind the decimal point");
	if (point == ',' && taken == 3)
		return refuse(why, "a comma before three digits is ambiguous; use a decimal point, "
				   "or no grouping");
	digits->exponent = -(long)taken;
	return true;
}

/*
 * Reads the number at the start of *text and leaves *text behind it.  strtod gets the digits
 * without their point, and so rounds correctly whatever the locale's decimal point is.
 */
static bool number_take(const char **text, const char *expected, double *number, const char **why)
{
	struct digits digits = {.count = 0};
	size_t whole;
	bool is_signed = **text == '-' || **text == '+';
	if (is_signed && isdigit((unsigned char)(*text)[1]))
		return refuse(why, "a sign is not taken; write a plain number");
	if (!digits_take(&digits, text, &whole))
		return refuse(why, "too many digits; round the number");
	bool bare_point = **text == '.' && isdigit((unsigned char)(*text)[1]);
	if (whole == 0 && !bare_point)
		return refuse(why, expected);
	if ((**text == '.' || **text == ',') && !fraction_take(&digits, text, why))
		return false;
	exponent_take(&digits, text);
	char plain[NUMBER_CHARS_MAX + 32];
	snprintf(plain, sizeof plain, "%se%ld", digits.text, digits.exponent);
	*number = strtod(plain, NULL);
	if (!isfinite(*number))
		return refuse(why, "the number is too large");
	return true;
}

/* ASCII only: a locale, say the Turkish one with its two kinds of i, must not change what is read. */
static char letter_lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* The power that a prefix letter stands for, 0 when it is none. */
static int prefix_power(char letter)
{
	static const char letters[] = "kmgtp";
	const char *at = letter ? strchr(letters, letter_lower(letter)) : NULL;
	return at ? (int)(at - letters) + 1 : 0;
}

static bool word_is(const struct unit_word *word, const char *text)
{
	if (!word->any_case)
		return strcmp(word->word, text) == 0;
	size_t i = 0;
	while (text[i] && letter_lower(text[i]) == word->word[i])
		i++;
	return text[i] == '\0' && word->word[i] == '\0';
}

static const struct unit_word *word_find(
    const struct unit_word *words, const char *text, bool binary)
{
	for (; words->word; words++) {
		if (words->only_binary && !binary)
			continue;
		if (word_is(words, text))
			break;
	}
	return words;
}

/* Takes a number and one unit of `words`, with a prefix when `prefixed`. */
static bool quantity_parse(const char *text, const struct unit_word *words, bool prefixed,
    const char *expected, double *value, const char **why)
{
	double number;
	if (!number_take(&text, expected, &number, why))
		return false;
	size_t blanks = strspn(text, " \t");
	text += blanks;
	if (blanks > 0 && *text == '\0')
		return refuse(why, "a blank is left over behind the number; remove it");
	int power = prefixed ? prefix_power(*text) : 0;
	text += power > 0;
	bool binary = power > 0 && (*text == 'i' || *text == 'I');
	text += binary;
	const struct unit_word *word = word_find(words, text, binary);
	if (word->refusal)
		return refuse(why, word->refusal);
	*value = number * word->factor * (power ? pow(binary ? 1024 : word->base, power) : 1);
	return true;
}

bool rate_parse(const char *text, double *rate_bps, const char **why)
{
	double rate;
	if (!quantity_parse(text, rate_words, true, RATE_EXPECTED, &rate, why))
		return false;
	if (rate < RATE_MIN_BPS)
		return refuse(why, RATE_EXPECTED);
	if (rate > RATE_MAX_BPS)
		return refuse(why, "more than 1 Pbit/s; give the rate in bit/s, such as 703M");
	*rate_bps = rate;
	return true;
}

bool size_parse(const char *text, uint64_t *bytes, const char **why)
{
	double size;
	if (!quantity_parse(text, size_words, true, SIZE_EXPECTED, &size, why))
		return false;
	size = round(size);
	if (size < 1)
		return refuse(why, SIZE_EXPECTED);
	if (size >= 0x1p63)
		return refuse(why, "the size is too large; it must stay below 8192P");
	*bytes = (uint64_t)size;
	return true;
}

bool time_parse(const char *text, double *time_us, const char **why)
{
	double time;
	if (!quantity_parse(text, time_words, false, TIME_EXPECTED, &time, why))
		return false;
	if (time < TIME_MIN_US)
		return refuse(why, "expected a time of at least 1 ns, such as 52ms");
	if (time > TIME_MAX_US)
		return refuse(why, "expected a time of at most 1000 s, such as 52ms");
	*time_us = time;
	return true;
}

bool duration_parse(const char *text, double min_s, double max_s, double *seconds, const char **why)
{
	static char expected[160];
	snprintf(expected, sizeof expected, "expected a time from %s to %s, such as 60s or 500ms",
	    time_text(min_s * 1e6).s, time_text(max_s * 1e6).s);
	double value;
	if (!quantity_parse(text, duration_words, false, expected, &value, why))
		return false;
	if (value < min_s || value > max_s)
		return refuse(why, expected);
	*seconds = value;
	return true;
}

bool percent_parse(const char *text, double *ratio, const char **why)
{
	static const char expected[] = "expected a percentage between 0 and 100, such as 0.126%";
	double value;
	if (!quantity_parse(text, percent_words, false, expected, &value, why))
		return false;
	if (value > 1)
		return refuse(why, expected);
	*ratio = value;
	return true;
}

bool number_parse(const char *text, double min, double max, double *number, const char **why)
{
	static char expected[96];
	snprintf(expected, sizeof expected, "expected a plain number from %g to %g", min, max);
	double value;
	if (!number_take(&text, expected, &value, why))
		return false;
	if (*text != '\0' || value < min || value > max)
		return refuse(why, expected);
	*number = value;
	return true;
}

bool count_parse(const char *text, uint64_t min, uint64_t max, uint64_t *count, const char **why)
{
	static char expected[128];
	snprintf(expected, sizeof expected,
	    "expected a whole number from %" PRIu64 " to %" PRIu64 " in plain digits", min, max);
	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return refuse(why, expected);
	errno = 0;
	unsigned long long value = strtoull(text, NULL, 10);
	if (errno != 0 || value < min || value > max)
		return refuse(why, expected);
	*count = value;
	return true;
}

struct scale {
	double factor;
	const char *unit;
};

static const struct scale rate_scales[] = {
    {.factor = 1, .unit = "bit/s"},
    {.factor = 1e3, .unit = "kbit/s"},
    {.factor = 1e6, .unit = "Mbit/s"},
    {.factor = 1e9, .unit = "Gbit/s"},
    {.factor = 1e12, .unit = "Tbit/s"},
    {.factor = 1e15, .unit = "Pbit/s"},
    {.unit = NULL},
};

static const struct scale size_scales[] = {
    {.factor = 1, .unit = "B"},
    {.factor = 0x1p10, .unit = "KiB"},
    {.factor = 0x1p20, .unit = "MiB"},
    {.factor = 0x1p30, .unit = "GiB"},
    {.factor = 0x1p40, .unit = "TiB"},
    {.factor = 0x1p50, .unit = "PiB"},
    {.unit = NULL},
};

static const struct scale time_scales[] = {
    {.factor = 1e-3, .unit = "ns"},
    {.factor = 1, .unit = "us"},
    {.factor = 1e3, .unit = "ms"},
    {.factor = 1e6, .unit = "s"},
    {.unit = NULL},
};

static const struct scale percent_scales[] = {
    {.factor = 0.01, .unit = "%"},
    {.unit = NULL},
};

/*
 * How many digits behind the point leave three significant ones.  Each limit is where fewer would
 * be printed after rounding, so 9.996 becomes 10.0, not 10.00.
 */
static int decimals_of(double value)
{
	static const double limits[] = {
	    99.95, 9.995, 0.9995, 0.09995, 0.009995, 0.0009995, 0.00009995, 0.000009995};
	int decimals = 0;
	while (decimals < (int)(sizeof limits / sizeof limits[0]) && value < limits[decimals])
		decimals++;
	return decimals;
}

static struct unit_text number_text(double value, int decimals, const char *unit)
{
	struct unit_text text;
	char digits[24];
	if (fabs(value) >= 1e9)
		snprintf(digits, sizeof digits, "%.3g", value);
	else
		snprintf(digits, sizeof digits, "%.*f", decimals, value);
	if (strpbrk(digits, "123456789") == NULL)
		snprintf(digits, sizeof digits, "0");
	snprintf(text.s, sizeof text.s, "%s %s", digits, unit);
	return text;
}

/* The largest unit of which there is one; `carry` is where a number rounds up into the next. */
static const struct scale *scale_of(const struct scale *scales, double magnitude, double carry)
{
	while (scales[1].unit && magnitude / scales->factor >= carry)
		scales++;
	return scales;
}

static struct unit_text scaled_text(double value, const struct scale *scales)
{
	if (!isfinite(value))
		return (struct unit_text){"unknown"};
	const struct scale *scale = scale_of(scales, fabs(value), 999.5);
	value /= scale->factor;
	return number_text(value, decimals_of(fabs(value)), scale->unit);
}

struct unit_text rate_text(double rate_bps)
{
	return scaled_text(rate_bps, rate_scales);
}

struct unit_text size_text(double bytes)
{
	if (!isfinite(bytes))
		return (struct unit_text){"unknown"};
	/* up to 1023 of a unit stay in it, so that 1000 KiB does not become 0.98 MiB */
	const struct scale *scale = scale_of(size_scales, fabs(bytes), 1023.5);
	double value = bytes / scale->factor;
	bool whole = scale->factor == 1 || value == floor(value);
	return number_text(value, whole ? 0 : decimals_of(fabs(value)), scale->unit);
}

struct unit_text time_text(double time_us)
{
	return scaled_text(time_us, time_scales);
}

struct unit_text percent_text(double ratio)
{
	return scaled_text(ratio, percent_scales);
}

struct unit_text count_text(uint64_t count)
{
	struct unit_text text;
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
	size_t out = 0;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text.s[out++] = ',';
		text.s[out++] = digits[i];
	}
	text.s[out] = '\0';
	return text;
}
