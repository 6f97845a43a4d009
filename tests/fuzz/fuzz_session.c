/*
 * A session cut at its prompts: the parts are the whole of it, each but the first begins with a prompt,
 * and they are the same however the bytes arrive.  Then the same bytes read as evidence of both ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evidence/evidence.h"
#include "evidence/session.h"
#include "evidence/sites.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Order and length of the parts, in one number. */
static uint64_t cut(const uint8_t *data, size_t size, size_t chunk)
{
	struct source *source = source_memory_chunked("fuzz", data, size, chunk);
	struct session *session = session_open(source);
	struct session_part part;
	uint64_t hash = 0;
	size_t at = 0, parts = 0;
	char host[64];

	while (session_next(session, &part) > 0) {
		if (part.cut || part.length > size - at || part.output > part.length ||
		    memcmp(part.text, data + at, part.length) != 0)
			abort();
		const char *stop = memchr(part.text, '\n', part.length);
		size_t line = stop ? (size_t)(stop - part.text) : part.length;
		if (parts > 0 && !session_prompt(part.text, line, host))
			abort();
		at += part.length;
		hash = hash * 31 + part.length;
		parts++;
	}
	if (at != size)
		abort();
	session_close(session);
	source_close(source);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole = cut(data, size, size + 1);

	if (whole != cut(data, size, 1) || whole != cut(data, size, 7))
		abort();
	struct evidence evidence = {0};
	struct source *source = source_memory("fuzz", data, size);
	sites_read(&evidence, source, "fuzz", END_NONE);
	evidence_settle(&evidence);
	for (size_t i = 0; i < evidence.runs.count; i++)
		for (int end = END_SENDER; end <= END_RECEIVER; end++)
			evidence_host(&evidence, (enum end)end, &evidence.runs.items[i]);
	evidence_free(&evidence);
	source_close(source);
	return 0;
}
