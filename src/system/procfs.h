/*
 * The facts of a host from /proc and /sys, of this machine or of a recorded tree.
 */
#ifndef BDP_PROCFS_H
#define BDP_PROCFS_H

#include <stdbool.h>

#include "evidence/host.h"

/* Fills from /proc and /sys below `sysroot` ("" or "/" for this machine: then uname and the
 * page size are this machine's too).  What cannot be read stays unknown.  False only when nothing at
 * all could be read, errno saying why.  The loopback is left out; interfaces that are
 * up come first. */
bool host_read_system(struct host *host, const char *sysroot);

#endif
