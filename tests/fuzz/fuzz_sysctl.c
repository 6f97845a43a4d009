/* sysctl listings and files: host_read_dump, and every value that it read. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (!isprint((unsigned char)*text))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct host host;
	const char *why = NULL;
	struct source *source = source_memory("fuzz", data, size);
	bool ok = host_read_dump(&host, source, &why);

	source_close(source);
	if (!ok) {
		if (why == NULL)
			abort();
		return 0;
	}
	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		struct tunable_value again;
		char text[256];
		if (!host.values[i].known)
			continue;
		tunable_value_text((enum tunable_id)i, &host.values[i], text, sizeof(text));
		check_printable(text);
		/* what is printed reads back as the same */
		if (!tunable_value_parse((enum tunable_id)i, text, &again) ||
		    !tunable_value_equal((enum tunable_id)i, &host.values[i], &again))
			abort();
	}
	if (host.kernel.known && strchr(host.kernel.release, '\033') != NULL)
		abort();
	return 0;
}
