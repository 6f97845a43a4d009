#include "model/memory.h"

#include <math.h>

#include "model/window.h"

static void compute_limits(const struct exposure_input *input, struct exposure *exposure)
{
	double page = (double)input->page_size;
	const uint64_t *pages = input->tcp_mem_pages;
	double low = (double)pages[0], pressure = (double)pages[1], high = (double)pages[2];

	exposure->has_limits = input->has_tcp_mem;
	if (!exposure->has_limits && input->has_ram) {
		/* tcp_init_mem: RAM / 16 is pressure, three quarters of it low, twice that high. */
		exposure->has_limits = exposure->limits_are_default = true;
		pressure = floor((double)input->ram_bytes / page / 16);
		low = floor(pressure / 4) * 3;
		high = 2 * low;
	}
	exposure->low_bytes = low * page;
	exposure->pressure_bytes = pressure * page;
	exposure->high_bytes = high * page;
	exposure->looks_like_bytes =
	    input->has_ram && exposure->high_bytes > (double)input->ram_bytes;
}

/* What one busy connection holds: the smaller of its ceiling and the BDP, in each direction that this
 * host has. */
static double busy_bytes(const struct exposure_input *input)
{
	double need = input->bdp_bytes > 0 ? input->bdp_bytes : INFINITY;
	double receive = input->rmem_max_bytes > 0 ? (double)input->rmem_max_bytes : INFINITY;
	double send = input->wmem_max_bytes > 0 ? (double)input->wmem_max_bytes : INFINITY;
	double bytes = 0;

	if (input->receives)
		bytes += fmin(receive, need);
	if (input->sends)
		bytes += fmin(send, need);
	return isfinite(bytes) ? bytes : 0;
}

struct exposure_input exposure_of_host(const struct host *host)
{
	struct exposure_input in = {.page_size = host_page_bytes(host), .rmem_min_bytes = 4096};

	if (!host)
		return in;
	const struct tunable_value *limits = &host->values[TUNABLE_TCP_MEM];
	const struct tunable_value *rmem = &host->values[TUNABLE_TCP_RMEM];
	const struct tunable_value *wmem = &host->values[TUNABLE_TCP_WMEM];
	in.has_tcp_mem = limits->known;
	for (int i = 0; limits->known && i < 3; i++)
		in.tcp_mem_pages[i] = (uint64_t)limits->number[i];
	in.has_ram = host->mem_total_bytes > 0;
	in.ram_bytes = host->mem_total_bytes;
	in.has_in_use = host->sockstat.has & SOCKSTAT_TCP;
	in.in_use_pages = host->sockstat.memory_pages;
	in.rmem_max_bytes = rmem->known ? (uint64_t)rmem->number[2]
					: (uint64_t)default_rmem_max(&host->kernel, in.ram_bytes);
	in.wmem_max_bytes = wmem->known ? (uint64_t)wmem->number[2]
					: (uint64_t)default_wmem_max(&host->kernel, in.ram_bytes);
	return in;
}

void exposure_compute(const struct exposure_input *input, struct exposure *exposure)
{
	*exposure = (struct exposure){
	    .page_size = input->page_size,
	    .has_ram = input->has_ram,
	    .ram_bytes = (double)input->ram_bytes,
	    .connections = input->connections,
	    .active = input->active,
	    .has_in_use = input->has_in_use,
	    .in_use_bytes = (double)input->in_use_pages * (double)input->page_size,
	};
	compute_limits(input, exposure);
	exposure->per_connection_bytes = busy_bytes(input);

	/* A quiet socket holds a few pages at most: the minimum that tcp_rmem and tcp_wmem guarantee. */
	double quiet = 2.0 * (double)input->rmem_min_bytes;
	double n = (double)input->connections, a = (double)input->active;
	exposure->idle_bytes = n * quiet;
	if (exposure->per_connection_bytes > 0)
		exposure->likely_bytes = a * exposure->per_connection_bytes + (n - a) * quiet;
	if (input->rmem_max_bytes > 0 && input->wmem_max_bytes > 0)
		exposure->worst_bytes = n * (double)(input->rmem_max_bytes + input->wmem_max_bytes);
	exposure->has_pressure_at = exposure->has_limits && exposure->per_connection_bytes > 0;
	if (exposure->has_pressure_at)
		exposure->pressure_at_connections =
		    floor(exposure->pressure_bytes / exposure->per_connection_bytes);
	exposure->bounded_before_ram =
	    exposure->has_limits && exposure->has_ram && exposure->high_bytes < exposure->ram_bytes;
}
