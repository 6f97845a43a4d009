/*
 * Fuzzes the JSON reader.  The first two bytes choose flags, chunk size and where to skip; the rest is
 * the document.
 *
 * Beside not crashing: nesting is balanced; chunk borders change nothing; a skipped value
 * leaves the rest of the document as it was; a failure has a message, and stays.
 */
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

#define NEVER UINT64_MAX

struct reading {
	uint64_t tokens;       /* how many */
	uint64_t skipped_from; /* of them, before the skip was done; 0: it was not */
	uint64_t sum;	       /* of what was read behind it, or from `sum_from` on */
	bool cut_short;
	char error[256];
};

/* FNV-1a */
static void mix(uint64_t *sum, const void *bytes, size_t count)
{
	for (const unsigned char *p = bytes; count > 0; count--)
		*sum = (*sum ^ *p++) * UINT64_C(0x100000001b3);
}

static void mix_token(uint64_t *sum, const struct json *json, enum json_token token)
{
	size_t length;
	const char *text = json_text(json, &length);
	double number = json_number(json);
	REQUIRE(length <= JSON_STRING_MAX && text[length] == '\0');
	REQUIRE(token == JSON_KEY || token == JSON_STRING || token == JSON_NUMBER || length == 0);
	if (number != number)
		number = 0.25; /* the sign and payload of a nan do not matter */
	mix(sum, &token, sizeof(token));
	mix(sum, text, length);
	mix(sum, &number, sizeof(number));
}

/* Skips behind the token numbered `skip_at`; sums up what follows that, or the tokens numbered
 * `sum_from` and higher. */
static void read_document(struct source *source, unsigned flags, uint64_t skip_at,
    uint64_t sum_from, struct reading *reading)
{
	struct json *json = json_open(source, flags);
	bool is_object[JSON_DEPTH_MAX];
	unsigned depth = 0;
	enum json_token token;
	*reading = (struct reading){0};
	while ((token = json_next(json)) > JSON_END) {
		if (token == JSON_END_OBJECT || token == JSON_END_ARRAY) {
			REQUIRE(depth > 0);
			REQUIRE(is_object[--depth] == (token == JSON_END_OBJECT));
		}
		REQUIRE(json_depth(json) == depth);
		REQUIRE(token != JSON_KEY || (depth > 0 && is_object[depth - 1]));
		if (reading->tokens >= sum_from || reading->skipped_from != 0)
			mix_token(&reading->sum, json, token);
		if (reading->tokens++ == skip_at) {
			if (!json_skip(json))
				break;
			reading->skipped_from = reading->tokens;
			REQUIRE(json_depth(json) == depth);
		} else if (token == JSON_BEGIN_OBJECT || token == JSON_BEGIN_ARRAY) {
			REQUIRE(depth < JSON_DEPTH_MAX);
			is_object[depth++] = token == JSON_BEGIN_OBJECT;
		}
	}
	token = json_next(json);
	REQUIRE(token <= JSON_END && json_next(json) == token);
	REQUIRE(token == JSON_ERROR || depth == 0);
	REQUIRE((token == JSON_ERROR) == (json_error(json)[0] != '\0'));
	REQUIRE(json_skip(json) == (token == JSON_END));
	for (const char *p = json_error(json); *p != '\0'; p++)
		REQUIRE(*p >= ' ' && *p <= '~');
	reading->cut_short = json_is_cut_short(json);
	snprintf(reading->error, sizeof(reading->error), "%s", json_error(json));
	json_close(json);
}

static void read_bytes(const char *text, size_t size, unsigned flags, size_t chunk,
    uint64_t skip_at, uint64_t sum_from, struct reading *reading)
{
	struct source *source = chunk == 0 ? source_memory("fuzz", text, size)
					   : source_memory_chunked("fuzz", text, size, chunk);
	read_document(source, flags, skip_at, sum_from, reading);
	source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return 0;
	unsigned flags = bytes[0] & (JSON_ALLOW_NAN | JSON_MANY_DOCUMENTS);
	size_t chunk = (bytes[0] >> 2) + 1u;
	const char *text = (const char *)bytes + 2;
	size -= 2;

	struct reading whole, chunked, skipped, tail;
	read_bytes(text, size, flags, 0, NEVER, 0, &whole);
	read_bytes(text, size, flags, chunk, NEVER, 0, &chunked);
	REQUIRE(whole.tokens == chunked.tokens && whole.sum == chunked.sum);
	REQUIRE(strcmp(whole.error, chunked.error) == 0);
	REQUIRE(whole.cut_short == chunked.cut_short);
	if (whole.tokens == 0)
		return 0;

	/* what is behind the skip must be the end of what is read without it */
	uint64_t skip_at = bytes[1] % whole.tokens;
	read_bytes(text, size, flags, chunk, skip_at, NEVER, &skipped);
	REQUIRE(strcmp(whole.error, skipped.error) == 0);
	if (skipped.skipped_from == 0) {
		REQUIRE(whole.error[0] != '\0');
		return 0;
	}
	uint64_t behind = skipped.tokens - skipped.skipped_from;
	REQUIRE(behind <= whole.tokens - skip_at - 1);
	read_bytes(text, size, flags, 0, NEVER, whole.tokens - behind, &tail);
	REQUIRE(tail.sum == skipped.sum);
	return 0;
}
