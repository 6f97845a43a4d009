/* What is amiss in a host's TCP memory: tcp_mem against RAM, and ceilings against tcp_mem. */
#include "diagnosis/diagnosis.h"

#include <math.h>

#include "model/stock.h"

/* Without the RAM: 9.4 % of it is the default, and hosts have less than 64 TiB. */
#define HIGH_OF_ANY_HOST (6 * 0x1p40)
/* net/ipv4/tcp.c tcp_init_mem: pressure at 1/16 of the RAM, high at three halves of that. */
#define HIGH_OF_RAM (1.5 / 16)
/* A high mark below this part of the kernel's own was set by somebody, and not by a little. */
#define FAR_BELOW 0.25

/* The three marks in bytes. */
struct marks {
	double pressure, high, ram;
};

static void judge_high(struct findings *findings, const struct marks *marks, const char *end)
{
	double high = marks->high, ram = marks->ram;
	double own = HIGH_OF_RAM * ram;

	if (ram > 0 ? high > ram : high > HIGH_OF_ANY_HOST)
		finding_add(findings, FINDING_TCP_MEM_IN_BYTES, 0, as_size(high), as_word(end),
		    ram > 0 ? as_size(ram) : (struct value){0});
	else if (ram > 0 && high < FAR_BELOW * STOCK_RAM_USABLE * own)
		finding_add(findings, FINDING_TCP_MEM_LOW, 0, as_size(high), as_word(end),
		    as_size(ram), as_size(own));
}

static void judge_ceiling(struct findings *findings, const struct host *host, enum tunable_id id,
    const struct marks *marks, const char *end)
{
	const struct tunable_value *value = &host->values[id];
	double ceiling = value->known ? (double)value->number[2] : 0;

	if (ceiling > marks->pressure)
		finding_add(findings, FINDING_CEILING_ABOVE_TCP_MEM, CEILING_IS_SET,
		    as_word(tunables[id].key), as_size(ceiling),
		    as_word(ceiling > marks->high ? "high" : "pressure"),
		    as_size(ceiling > marks->high ? marks->high : marks->pressure), as_word(end));
}

void findings_memory(struct findings *findings, const struct host *host, const char *end)
{
	const struct tunable_value *value = &host->values[TUNABLE_TCP_MEM];
	double page = (double)host_page_bytes(host);

	if (!value->known)
		return;
	const struct marks marks = {.pressure = (double)value->number[1] * page,
	    .high = (double)value->number[2] * page,
	    .ram = (double)host->mem_total_bytes};
	judge_high(findings, &marks, end);
	judge_ceiling(findings, host, TUNABLE_TCP_RMEM, &marks, end);
	judge_ceiling(findings, host, TUNABLE_TCP_WMEM, &marks, end);
	if ((host->sockstat.has & SOCKSTAT_TCP) &&
	    (double)host->sockstat.memory_pages > (double)value->number[1])
		finding_add(findings, FINDING_MEMORY_PRESSURE, PRESSURE_HELD,
		    as_size((double)host->sockstat.memory_pages * page), as_size(marks.pressure),
		    as_word(end));
}
