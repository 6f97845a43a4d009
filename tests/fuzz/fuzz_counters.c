/* nstat, netstat -s, /proc/net/netstat, /proc/net/snmp. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct counters first, counters, delta;
	struct source *source = source_memory("fuzz", data, size);
	unsigned readings = counters_read_all(&first, &counters, source);
	bool any = readings > 0, found = false;

	source_close(source);
	if (first.any != any || counters.any != any ||
	    (readings == 1 && memcmp(&first, &counters, sizeof(first)) != 0))
		abort();
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
