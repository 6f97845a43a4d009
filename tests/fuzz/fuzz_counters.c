/* nstat, /proc/net/netstat, /proc/net/snmp. */
#include <stdint.h>
#include <stdlib.h>

#include "evidence/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct counters counters, delta;
	struct source *source = source_memory("fuzz", data, size);
	bool any = counters_read(&counters, source), found = false;

	source_close(source);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		found = found || counters.known[i];
	if (any != found)
		abort();
	counters_delta(&counters, &counters, &delta);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		if (delta.value[i] != 0 || delta.known[i] != counters.known[i])
			abort();
	return 0;
}
