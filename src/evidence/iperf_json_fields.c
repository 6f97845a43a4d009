#include "evidence/iperf_json.h"

#include <bsd/string.h>
#include <math.h>
#include <string.h>

/* Doubles count exactly up to here (2^53); what iperf3 cannot tell it prints as -1, which 3.12 and
 * 3.13 turn into 2^64-1. */
#define COUNT_MAX 9007199254740992.0

/* iperf3 writes the members of an object in one order, so the search begins behind the last hit. */
static const struct field *field_find(
    const struct fields *fields, const char *key, size_t length, size_t *next)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->rows[*next];
		*next = *next + 1 < fields->count ? *next + 1 : 0;
		if (field->key_length == length && memcmp(field->key, key, length) == 0)
			return field;
	}
	return NULL;
}

/* A number into its place; false for what counts as absent. */
static bool number_store(const struct field *field, double number, void *into)
{
	if (field->zero_is_absent && number < 1)
		return false;
	switch (field->kind) {
	case FIELD_COUNT:
		if (!(number >= 0 && number <= COUNT_MAX))
			return false;
		*(uint64_t *)into = (uint64_t)number;
		return true;
	case FIELD_REAL:
		if (!isfinite(number))
			return false;
		*(double *)into = number;
		return true;
	case FIELD_FLAG:
		*(bool *)into = number != 0;
		return true;
	default:
		return false;
	}
}

/* A scalar into its place; false when it is of another kind than the field. */
static bool scalar_store(
    const struct json *json, enum json_token token, const struct field *field, void *into)
{
	size_t length;

	switch (token) {
	case JSON_NUMBER:
		return number_store(field, json_number(json), into);
	case JSON_TRUE:
	case JSON_FALSE:
		if (field->kind != FIELD_FLAG)
			return false;
		*(bool *)into = token == JSON_TRUE;
		return true;
	case JSON_STRING:
		if (field->kind != FIELD_TEXT)
			return false;
		strlcpy(into, json_text(json, &length), field->size);
		return true;
	default:
		return false;
	}
}

/* The value of one member. */
static bool field_read(struct json *json, const struct field *field, void *record)
{
	if (field == NULL || field->kind == FIELD_SKIP)
		return json_skip(json);
	enum json_token token = json_next(json);
	if (token == JSON_ERROR || token == JSON_END)
		return false;
	if (field->kind == FIELD_VALUE || field->kind == FIELD_PART) {
		/* a value's own offset is 0 */
		if (!field->read(json, token, (char *)record + field->offset))
			return false;
	} else if (!scalar_store(json, token, field, (char *)record + field->offset)) {
		if (token == JSON_NUMBER && json_number(json) >= 0)
			*(unsigned *)record |= field->zero;
		return value_skip(json, token);
	}
	*(unsigned *)record |= field->has;
	return true;
}

bool fields_read(struct json *json, const struct fields *fields, void *record)
{
	size_t next = 0;

	for (;;) {
		enum json_token token = json_next(json);
		if (token == JSON_END_OBJECT)
			return true;
		if (token != JSON_KEY)
			return false;
		size_t length;
		const char *key = json_text(json, &length);
		if (!field_read(json, field_find(fields, key, length, &next), record))
			return false;
	}
}

bool fields_read_value(
    struct json *json, enum json_token token, const struct fields *fields, void *record)
{
	if (token != JSON_BEGIN_OBJECT)
		return value_skip(json, token);
	return fields_read(json, fields, record);
}

bool value_skip(struct json *json, enum json_token token)
{
	if (token == JSON_BEGIN_OBJECT || token == JSON_BEGIN_ARRAY)
		return json_skip(json);
	return token != JSON_ERROR && token != JSON_END;
}

bool array_read(struct json *json, enum json_token token,
    bool (*item)(struct json *json, void *record), void *record)
{
	if (token != JSON_BEGIN_ARRAY)
		return value_skip(json, token);
	while ((token = json_next(json)) != JSON_END_ARRAY) {
		bool ok = token == JSON_BEGIN_OBJECT ? item(json, record) : value_skip(json, token);
		if (!ok)
			return false;
	}
	return true;
}
