/*
 * What of the evidence belongs to one run: the ping of its path, its own socket, its two hosts.
 */
#ifndef BDP_CONTEXT_H
#define BDP_CONTEXT_H

#include "model/path.h"

/* Hosts are given by the caller, which knows whose facts are whose; NULL when unknown. */
void context_for_run(struct path_context *context, const struct evidence *evidence,
    const struct run *run, const struct host *receiver);

#endif
