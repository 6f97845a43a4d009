/*
 * A number that knows its unit, or a word: what the stages hand to report/, which makes sentences of them.
 */
#ifndef BDP_VALUE_H
#define BDP_VALUE_H

#include <stddef.h>
#include <stdint.h>

enum value_kind {
	VALUE_ABSENT,
	VALUE_SIZE,    /* bytes */
	VALUE_RATE,    /* bit/s */
	VALUE_TIME,    /* us */
	VALUE_SHARE,   /* a ratio, printed as per cent with three digits */
	VALUE_PERCENT, /* a ratio, printed as whole per cent */
	VALUE_COUNT,   /* whole, digits grouped */
	VALUE_NUMBER,  /* whole, as settings are written */
	VALUE_FACTOR,  /* two decimals */
	VALUE_WORD,    /* a name: borrowed, safe to print */
};

struct value {
	enum value_kind kind;
	double number;
	const char *word;
};

static inline struct value as_size(double bytes)
{
	return (struct value){VALUE_SIZE, bytes, NULL};
}

static inline struct value as_rate(double rate_bps)
{
	return (struct value){VALUE_RATE, rate_bps, NULL};
}

static inline struct value as_time(double time_us)
{
	return (struct value){VALUE_TIME, time_us, NULL};
}

static inline struct value as_share(double ratio)
{
	return (struct value){VALUE_SHARE, ratio, NULL};
}

static inline struct value as_percent(double ratio)
{
	return (struct value){VALUE_PERCENT, ratio, NULL};
}

/* At most 2^53 is exact, which no counter here passes. */
static inline struct value as_count(uint64_t count)
{
	return (struct value){VALUE_COUNT, (double)count, NULL};
}

static inline struct value as_number(double number)
{
	return (struct value){VALUE_NUMBER, number, NULL};
}

static inline struct value as_factor(double number)
{
	return (struct value){VALUE_FACTOR, number, NULL};
}

/* An empty or missing word is absent. */
static inline struct value as_word(const char *word)
{
	return (struct value){word && *word ? VALUE_WORD : VALUE_ABSENT, 0, word};
}

#endif
