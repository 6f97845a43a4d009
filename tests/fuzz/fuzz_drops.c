/* ip -s link, ethtool -S, ifconfig, /proc/net/dev, softnet_stat; and /proc/net/sockstat. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/drops.h"
#include "evidence/sockstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good)
{
	if (!good)
		abort();
}

static void check_counter(const struct drops *drops, const struct drop_counter *counter)
{
	check(counter->family < DROP_FAMILY_COUNT);
	check(counter->readings >= 1 && counter->readings <= drops->blocks);
	check(counter->block <= drops->blocks);
	check(strpbrk(counter->dev, "\033\n") == NULL && strpbrk(counter->name, "\033\n") == NULL);
	check(counter->name[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct drops drops;
	struct sockstat sockstat;
	const char *why = NULL;

	memset(&drops, 0, sizeof(drops));
	for (int i = 0; i < 2; i++) {
		struct source *source = source_memory("fuzz", data, size);
		bool ok = drops_read(&drops, source, &why);
		source_close(source);
		check(ok ? drops.count > 0 : why != NULL);
	}
	check(drops.count <= DROP_COUNTERS_MAX);
	for (unsigned i = 0; i < drops.count; i++)
		check_counter(&drops, &drops.counters[i]);
	const struct drop_counter *worst = drops_worst(&drops, false);
	check(worst == NULL || worst->last > worst->first);
	struct source *source = source_memory("fuzz", data, size);
	bool ok = sockstat_read(&sockstat, source, &why);
	source_close(source);
	check(ok || (sockstat.has == 0 && sockstat.out_of_memory == 0));
	return 0;
}
