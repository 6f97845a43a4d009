/*
 * mtr's report: the last hop is a ping of the path, and the hops before it tell where loss begins.
 */
#ifndef BDP_MTR_H
#define BDP_MTR_H

#include "evidence/ping.h"

/*
 * Reads `mtr --report`, `--report-wide` and `-j`.  The last report of several counts.  *ping is filled
 * in from the last hop, with its losses; .loss_hop is where they begin.  False when there is no hop, or the
 * last one answers nothing: *why completes "NAME: ...", errno is not 0 when the input could not be read.
 */
bool mtr_read(struct ping *ping, struct source *source, const char **why);

#endif
