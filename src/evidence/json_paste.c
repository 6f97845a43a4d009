#include "evidence/json_paste.h"

#include <string.h>

static void source_skip(struct source *source, size_t count)
{
	const char *bytes;

	while (count > 0) {
		ssize_t got = source_chunk(source, &bytes);
		if (got <= 0)
			return;
		if ((size_t)got > count) {
			source_unread(source, (size_t)got - count);
			return;
		}
		count -= (size_t)got;
	}
}

bool json_paste_next(struct source *source, const char *key)
{
	const char *bytes;
	size_t length = source_peek(source, &bytes), at = 0;
	const char *found = length > 0 ? memmem(bytes, length, key, strlen(key)) : NULL;
	size_t last = 0;
	bool any = false;

	if (found == NULL)
		return false;
	/* the first line before the key that begins a document */
	while (!any && at < (size_t)(found - bytes)) {
		size_t start = at;
		while (at < length && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r'))
			at++;
		if (at < length && (bytes[at] == '[' || bytes[at] == '{')) {
			last = at;
			any = true;
		}
		const char *end = memchr(bytes + start, '\n', length - start);
		at = end != NULL ? (size_t)(end - bytes) + 1 : length;
	}
	if (any)
		source_skip(source, last);
	return any;
}
