/* tc -s qdisc show. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/tc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tc tc;
	const char *why = NULL;
	struct source *source = source_memory("fuzz", data, size);
	bool ok = tc_read(&tc, source, &why);

	source_close(source);
	if (ok != (tc.count > 0) || tc.count > TC_QDISCS_MAX || (!ok && why == NULL))
		abort();
	for (unsigned i = 0; i < tc.count; i++) {
		const struct qdisc *qdisc = &tc.qdiscs[i];
		if (strchr(qdisc->kind, '\033') != NULL || strchr(qdisc->dev, '\033') != NULL ||
		    !isfinite(qdisc->rate_bps) || qdisc->rate_bps < 0)
			abort();
	}
	return 0;
}
