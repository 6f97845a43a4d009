/* mtr's reports, and tracepath. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/mtr.h"
#include "evidence/tracepath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good)
{
	if (!good)
		abort();
}

static void check_mtr(const uint8_t *data, size_t size)
{
	struct ping ping;
	const char *why = NULL;
	struct source *source = source_memory("fuzz", data, size);
	bool ok = mtr_read(&ping, source, &why);

	source_close(source);
	check(ok || why != NULL);
	if (!ok)
		return;
	check(strchr(ping.target, '\033') == NULL);
	check(ping.sent >= 1 && ping.received <= ping.sent);
	check(ping.hops >= 1 && ping.loss_hop <= ping.hops + 255);
	check(ping.min_us >= 0 && ping.min_us <= ping.avg_us && ping.avg_us <= ping.max_us);
	check(isfinite(ping.max_us) && isfinite(ping.deviation_us));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracepath path;
	const char *why = NULL;
	struct source *source = source_memory("fuzz", data, size);
	bool ok = tracepath_read(&path, source, &why);

	source_close(source);
	check(ok == (path.path_mtu > 0) && (ok || why != NULL));
	check(path.path_mtu <= 65535 && path.local_mtu <= 65535 && path.hops <= 255);
	check_mtr(data, size);
	return 0;
}
