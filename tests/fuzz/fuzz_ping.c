/* ping of any system. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/ping.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ping ping;
	unsigned targets = 0;
	const char *why = NULL;
	struct source *source = source_memory("fuzz", data, size);
	bool ok = ping_read(&ping, source, &targets, &why);

	source_close(source);
	if (ok != (targets > 0) || (!ok && why == NULL))
		abort();
	if (strchr(ping.target, '\033') != NULL)
		abort();
	/* 1e-6: sums of many times */
	if (!isfinite(ping.avg_us) || !isfinite(ping.deviation_us) || ping.min_us < 0 ||
	    ping.min_us > ping.avg_us * (1 + 1e-6) || ping.avg_us > ping.max_us * (1 + 1e-6))
		abort();
	if (ping.rtt_us.count > 0 && !(ping.rtt_us.min > 0 && isfinite(ping.rtt_us.max)))
		abort();
	return 0;
}
