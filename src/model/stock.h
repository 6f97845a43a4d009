/*
 * What kernels ship: the smallest and the largest default of a setting over all supported releases.
 *
 * A host whose value is not known has at least the smallest and, if nobody touched it, at most the
 * largest: advice for such a host must not go below the latter.
 */
#ifndef BDP_STOCK_H
#define BDP_STOCK_H

#include <stdint.h>

#include "evidence/tunable.h"

struct stock {
	double smallest_bytes, largest_bytes;
};

/*
 * The last number of tcp_rmem and tcp_wmem, rmem_max and wmem_max; 0 and 0 for any other key.  With
 * `ram_bytes` known (not 0) what the kernel derives from it counts; without, RAM is taken as enough (512
 * MiB for the smallest, 4 GiB for the largest).
 *
 * Source: net/ipv4/tcp.c tcp_init of Linux 2.6.32 (4 MiB for both), 3.4 (6 MiB), 6.16 (32 MiB); no socket
 * gets more than 1/128 of the RAM.  net/core/sock.c and include/net/sock.h: 124928 (2.6.32), 212992,
 * 4194304 (6.18).
 */
struct stock stock_ceiling(enum tunable_id id, uint64_t ram_bytes);

/* What of a nominal amount of RAM counts at least: firmware, the kernel itself, a crash kernel and the
 * watermarks of the zones take the rest (nr_free_buffer_pages). */
#define STOCK_RAM_USABLE 0.7

#endif
