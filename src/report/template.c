#include "report/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static void add_value(struct phrase *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_ABSENT:
		return;
	case VALUE_SIZE:
		phrase_add(out, "%s", size_text(value->number).s);
		return;
	case VALUE_RATE:
		phrase_add(out, "%s", rate_text(value->number).s);
		return;
	case VALUE_TIME:
		phrase_add(out, "%s", time_text(value->number).s);
		return;
	case VALUE_SHARE:
		phrase_add(out, "%s", percent_text(value->number).s);
		return;
	case VALUE_PERCENT:
		phrase_add(out, "%.0f %%", 100 * value->number);
		return;
	case VALUE_COUNT:
		phrase_add(out, "%s", count_text((uint64_t)fmax(0, value->number)).s);
		return;
	case VALUE_NUMBER:
		phrase_add(out, "%.0f", value->number);
		return;
	case VALUE_FACTOR:
		phrase_add(out, "%.2f", value->number);
		return;
	case VALUE_WORD:
		phrase_add(out, "%s", value->word);
		return;
	}
}

static const struct value *value_at(const char *brace, const struct value *values, size_t count)
{
	static const struct value absent;
	size_t index = 0;

	for (const char *at = brace + 1; *at >= '0' && *at <= '9'; at++)
		index = 10 * index + (size_t)(*at - '0');
	return index < count ? &values[index] : &absent;
}

/* "{2|time|times}": the part of it for one, or for another number. */
static void add_noun(struct phrase *out, const char *bar, const char *end, bool one)
{
	const char *second = memchr(bar + 1, '|', (size_t)(end - bar - 1));

	if (!second)
		return;
	if (one)
		phrase_add(out, " %.*s", (int)(second - bar - 1), bar + 1);
	else
		phrase_add(out, " %.*s", (int)(end - second - 1), second + 1);
}

/* Fills in text up to `end`. */
static void fill_part(
    struct phrase *out, const char *text, const char *end, const struct value *values, size_t count)
{
	while (text < end) {
		const char *brace = memchr(text, '{', (size_t)(end - text));
		const char *close = brace ? memchr(brace, '}', (size_t)(end - brace)) : NULL;
		if (!close) {
			phrase_add(out, "%.*s", (int)(end - text), text);
			return;
		}
		const struct value *value = value_at(brace, values, count);
		const char *bar = memchr(brace, '|', (size_t)(close - brace));
		const char *given = memchr(brace, '?', (size_t)(close - brace));
		phrase_add(out, "%.*s", (int)(brace - text), text);
		if (!given)
			add_value(out, value);
		else if (value->kind != VALUE_ABSENT)
			phrase_add(out, "%.*s", (int)(close - given - 1), given + 1);
		if (bar)
			add_noun(out, bar, close, value->number == 1);
		text = close + 1;
	}
}

static bool has_all(const char *text, const char *end, const struct value *values, size_t count)
{
	for (; (text = memchr(text, '{', (size_t)(end - text))) != NULL; text++)
		if (value_at(text, values, count)->kind == VALUE_ABSENT)
			return false;
	return true;
}

void template_fill(struct phrase *out, const char *text, const struct value *values, size_t count)
{
	while (*text) {
		const char *open = text + strcspn(text, "[");
		fill_part(out, text, open, values, count);
		if (*open == '\0')
			return;
		const char *close = open + strcspn(open, "]");
		if (has_all(open + 1, close, values, count))
			fill_part(out, open + 1, close, values, count);
		text = close + (*close != '\0');
	}
}
