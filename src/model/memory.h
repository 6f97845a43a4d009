/*
 * TCP memory of many connections under tcp_mem.
 */
#ifndef BDP_MEMORY_H
#define BDP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/host.h"

struct exposure_input {
	bool has_tcp_mem, has_ram, has_in_use;
	uint64_t page_size;
	uint64_t tcp_mem_pages[3]; /* low, pressure, high */
	uint64_t ram_bytes;
	uint64_t in_use_pages;
	uint64_t connections, active;
	uint64_t rmem_min_bytes;
	uint64_t rmem_max_bytes, wmem_max_bytes; /* 0: not known */
	double bdp_bytes;			 /* of one busy connection */
	bool receives, sends;			 /* what this host does on the path */
};

struct exposure {
	bool has_limits;	 /* tcp_mem known */
	bool limits_are_default; /* computed from RAM by the kernel's rule, not read */
	bool looks_like_bytes;	 /* high exceeds RAM: written in bytes? */
	uint64_t page_size;
	double low_bytes, pressure_bytes, high_bytes;
	bool has_ram;
	double ram_bytes;
	bool has_in_use;
	double in_use_bytes;
	uint64_t connections, active; /* none: not asked about */
	double idle_bytes;	      /* N quiet sockets */
	/* what a busy one holds, and all of them; 0: that is not known */
	double per_connection_bytes, likely_bytes, worst_bytes;
	bool has_pressure_at;
	double pressure_at_connections; /* busy connections at which pressure begins, whole */
	bool bounded_before_ram;	/* tcp_mem high stops the worst case below RAM */
};

/* The limits, the ceilings (where they are not known, the kernel's own), the RAM and what is in use of a host,
 * with the smallest buffer of any kernel; NULL: nothing of it is known.  What its connections do stays 0. */
struct exposure_input exposure_of_host(const struct host *host);

/* Pure. Kernel: net/ipv4/tcp.c tcp_init_mem (defaults from RAM), net/core/sock.c
 * __sk_mem_raise_allocated (what low, pressure and high do). */
void exposure_compute(const struct exposure_input *input, struct exposure *exposure);

#endif
