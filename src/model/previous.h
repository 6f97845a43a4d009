/*
 * What sockets had counted at the last reading, in a table of fixed size: of a host with more
 * sockets than it has room for, some have no rate.
 */
#ifndef BDP_PREVIOUS_H
#define BDP_PREVIOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/ss.h"
#include "model/holding.h"

/* Never NULL (out of memory ends the program). */
struct previous *previous_new(void);
/* NULL-safe. */
void previous_free(struct previous *previous);

/* Begins a reading at this time, of any clock that only goes forward. */
void previous_begin(struct previous *previous, double now_s);

/* Remembers the socket, whose key is not 0; true when it was there at the reading before, and fills
 * in what changed since. */
bool previous_swap(
    struct previous *previous, uint64_t key, const struct socket_info *info, struct growth *growth);

#endif
