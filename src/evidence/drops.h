/*
 * Packets that a host lost itself, at its interfaces and in its receive queue, apart from those that the
 * path lost: ip -s link, ethtool -S, ifconfig, /proc/net/dev, /proc/net/softnet_stat.
 */
#ifndef BDP_DROPS_H
#define BDP_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

/* By what was full; each has its remedy in drop_family_table. */
enum drop_family {
	DROP_RING,    /* missed, no buffer, fifo, overrun: the receive ring */
	DROP_DISCARD, /* discarded by the card's firmware or its driver */
	DROP_BACKLOG, /* softnet: the queue before the protocols */
	DROP_STACK,   /* "dropped" of a received packet: no room, or nobody wanted it */
	DROP_DAMAGED, /* CRC, frame: cable, optic, duplex */
	DROP_SENT,    /* not sent */
	DROP_FAMILY_COUNT
};

struct drop_family_row {
	const char *what;   /* is told behind the number */
	const char *remedy; /* a command, with DEV for the interface; NULL when there is none */
};

extern const struct drop_family_row drop_family_table[DROP_FAMILY_COUNT];

/* One counter of one interface, its queues added up. */
struct drop_counter {
	char dev[16];  /* "" when it is not told; safe to print */
	char name[40]; /* as the tool prints it, digits of queues left out; safe to print */
	enum drop_family family;
	unsigned readings;
	unsigned block; /* the reading that the last value belongs to */
	uint64_t first, last;
};

#define DROP_COUNTERS_MAX 96 /* of interfaces with drops or without; more are left out */

struct drops {
	struct drop_counter counters[DROP_COUNTERS_MAX];
	unsigned count;
	unsigned blocks; /* readings of any interface so far */
};

/* Adds what the source shows; an interface that comes again is its later reading.  False when there was no
 * counter: *why completes "NAME: ...", errno is not 0 when the input could not be read. */
bool drops_read(struct drops *drops, struct source *source, const char **why);

/* The name under which the drops of a root qdisc are kept. */
#define DROPS_OF_QDISC "tx_qdisc_drops"

/* Adds one value, of reading `block` (drops->blocks); for the forms' readers. */
void drops_add(struct drops *drops, const char *dev, const char *name, uint64_t value);

/* The counter that grew most between its first and its last reading; NULL when none did or there was
 * but one reading.  Several counters may count the same packet, so that they are not added up.
 * Damaged frames are lost on the wire: they are another matter, and count with `damaged` only. */
const struct drop_counter *drops_worst(const struct drops *drops, bool damaged);

/* True when some counter was read twice. */
bool drops_have_two(const struct drops *drops);

/* The largest counter of a single reading, that is, since the interface came up; NULL when all are 0. */
const struct drop_counter *drops_largest(const struct drops *drops);

#endif
