/*
 * What the usual commands say of a host beside its settings: uname -a, free memory, page size, ip link.
 */
#ifndef BDP_HOST_FACTS_H
#define BDP_HOST_FACTS_H

#include "evidence/host.h"

/*
 * Takes from one command's output, whose command line is given: the release of `uname -a`, MemTotal of
 * /proc/meminfo, `getconf PAGESIZE`, and the interfaces of `ip link`: name, MTU, root qdisc, up.  True
 * when there was something.  The text need not end in NUL.
 */
bool host_facts_read(struct host *host, const char *command, const char *text, size_t length);

/* Fills in what `host` does not know, and nothing else. */
void host_facts_join(struct host *host, const struct host *facts);

#endif
