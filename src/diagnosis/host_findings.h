/*
 * What a host says of itself beside its settings, and what probes say of the path: findings, each with its
 * numbers.
 */
#ifndef BDP_HOST_FINDINGS_H
#define BDP_HOST_FINDINGS_H

#include "diagnosis/diagnosis.h"

/* TCP memory at its end, orphans, descriptors that leak.  `end` is "host", "sender" or "receiver". */
void find_sockstat(struct findings *findings, const struct host *host, const char *end);

/* What of a sysctl dump did not become a setting. */
void find_dump_notes(struct findings *findings, const struct host *host);

/* True when what the host dropped between two readings is at least half of the run's retransmits: then the
 * host loses, and not the path. */
bool drops_explain(const struct drops *drops, uint64_t retransmits);

/* What the host dropped itself, between two readings.  `retransmits` of the run it belongs to, 0 when
 * there is none or they are unknown. */
void find_drops(
    struct findings *findings, const struct drops *drops, const char *end, uint64_t retransmits);

/* Loss and the path MTU, by mtr, ping and tracepath.  `context` may be NULL. */
void find_probes(
    struct findings *findings, const struct path *path, const struct path_context *context);

#endif
