/*
 * The queueing disciplines of this machine's interfaces, by rtnetlink: /sys does not tell them.
 */
#ifndef BDP_QDISC_NETLINK_H
#define BDP_QDISC_NETLINK_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence/host.h"

/* Adds the root qdisc, and the kind below mq, of every interface that the host has; without any,
 * its interfaces that are up (but the loopback) are added too.  No privilege is needed.  False when
 * the kernel does not answer; then what was known stays. */
bool host_read_qdiscs(struct host *host);

/* The work of it, for one answer's bytes; index[i] is the kernel's number of host->interfaces[i],
 * 0 when not known.  Whatever the bytes are, nothing outside of them is read.  True when more
 * messages of the same answer follow. */
bool qdisc_netlink_take(struct host *host, int index[HOST_INTERFACES_MAX], bool may_add,
    const void *bytes, size_t length);

#endif
