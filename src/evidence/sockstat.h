/*
 * What TCP holds on a host: /proc/net/sockstat and sockstat6, and what the kernel's log says when it is
 * too much.
 */
#ifndef BDP_SOCKSTAT_H
#define BDP_SOCKSTAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

enum sockstat_has {
	SOCKSTAT_TCP = 1 << 0,	     /* inuse and memory_pages */
	SOCKSTAT_ORPHANS = 1 << 1,   /* orphans */
	SOCKSTAT_ALLOCATED = 1 << 2, /* allocated */
	SOCKSTAT_TCP6 = 1 << 3,	     /* inuse6 */
};

/* net/ipv4/proc.c, sockstat_seq_show; net/ipv6/proc.c. */
struct sockstat {
	unsigned has;		   /* enum sockstat_has */
	uint64_t inuse, inuse6;	   /* sockets that are bound or connected, of this namespace */
	uint64_t orphans;	   /* closed by their program and not yet by the peer, host-wide */
	uint64_t allocated;	   /* all that exist, of IPv4 and IPv6, host-wide */
	uint64_t memory_pages;	   /* that they hold, host-wide */
	uint64_t out_of_memory;	   /* times the log says "TCP: out of memory" (tcp_check_oom) */
	uint64_t too_many_orphans; /* times it says "too many orphaned sockets" */
};

/* Takes a line of sockstat, of sockstat6 or of the log; false when it is none. Pure. */
bool sockstat_line(struct sockstat *sockstat, const char *line);

/* Reads such lines, wherever they stand.  False when there is none: *why completes "NAME: ...", and errno is
 * not 0 when the input could not be read. */
bool sockstat_read(struct sockstat *sockstat, struct source *source, const char **why);

/* Fills in what `into` does not know; what it counted of the log is added. */
void sockstat_join(struct sockstat *into, const struct sockstat *more);

#endif
