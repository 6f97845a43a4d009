/*
 * What sockets had counted at the last reading, in a table of fixed size: of a host with more
 * sockets than it has room for, some have no rate.
 */
#ifndef BDP_EARLIER_SAMPLES_H
#define BDP_EARLIER_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/ss.h"
#include "model/socket_memory.h"

/* Never NULL (out of memory ends the program). */
struct earlier_samples *earlier_samples_new(void);
/* NULL-safe. */
void earlier_samples_free(struct earlier_samples *earlier);

/* Begins a reading at this time, of any clock that only goes forward. */
void earlier_samples_begin(struct earlier_samples *earlier, double now_s);

/* Remembers the socket, whose key is not 0; true when it was there at the reading before, and fills
 * in what changed since. */
bool earlier_samples_swap(struct earlier_samples *earlier, uint64_t key,
    const struct socket_info *info, struct counter_delta *delta);

#endif
