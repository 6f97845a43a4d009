/*
 * For targets that take several operands in one input: the parts of it as files in memory, and what
 * holds of whatever is printed.
 */
#ifndef BDP_FUZZ_PARTS_H
#define BDP_FUZZ_PARTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"

#define PARTS_MAX 4
#define PART_NAME_MAX 40

static int parts[PARTS_MAX];

static void parts_open(void)
{
	for (unsigned i = 0; i < PARTS_MAX; i++) {
		parts[i] = memfd_create("fuzz", 0);
		if (parts[i] < 0)
			abort();
	}
}

/* The operand that names a part, behind `label`. */
static void part_name(unsigned part, const char *label, char name[PART_NAME_MAX])
{
	snprintf(name, PART_NAME_MAX, "%s/proc/self/fd/%d", label, parts[part]);
}

/* Fills the files with what record separators (0x1e) part; how many there are. */
static size_t parts_write(const uint8_t *data, size_t size)
{
	size_t count = 0;

	for (;;) {
		const uint8_t *end = size > 0 ? memchr(data, 0x1e, size) : NULL;
		size_t length = end && count + 1 < PARTS_MAX ? (size_t)(end - data) : size;

		if (ftruncate(parts[count], 0) < 0 ||
		    pwrite(parts[count], data, length, 0) != (ssize_t)length)
			abort();
		count++;
		if (length == size)
			return count;
		data += length + 1;
		size -= length + 1;
	}
}

/* Line feeds and what can be seen: nothing of the input reaches a terminal as it was. */
static void check_harmless(const char *text, size_t length)
{
	while (length > 0) {
		uint32_t code;
		size_t skip, taken = utf8_decode(text, length, &code, &skip);

		if (taken == 0 || (utf8_is_hidden(code) && code != '\n'))
			abort();
		text += taken;
		length -= taken;
	}
}

static void check_json(const char *text, size_t length)
{
	struct source *source = source_memory("report", text, length);
	struct json *json = json_open(source, 0);
	enum json_token token;

	while ((token = json_next(json)) > JSON_END)
		;
	if (token != JSON_END)
		abort();
	json_close(json);
	source_close(source);
}

#endif
