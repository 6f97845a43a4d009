/*
 * Queueing disciplines from `tc -s qdisc show`, text or JSON (-j).
 */
#ifndef BDP_TC_H
#define BDP_TC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

#define TC_QDISCS_MAX 64

struct qdisc {
	char kind[16];	 /* "htb", "fq", "mq", ... */
	char handle[16]; /* "1:" */
	char dev[16];	 /* "" when the output names none */
	bool root;
	uint64_t sent_bytes, sent_packets, dropped, overlimits, requeues;
	uint64_t backlog_bytes, backlog_packets;
	bool has_stats, has_limit_bytes, has_rate;
	uint64_t limit_bytes; /* bfifo, tbf */
	double rate_bps;      /* tbf, fq maxrate */
};

struct tc {
	struct qdisc qdiscs[TC_QDISCS_MAX];
	unsigned count;
	unsigned dropped; /* qdiscs beyond TC_QDISCS_MAX */
	/* of the deepest queue: leaf backlog, not added up over parent and child */
	uint64_t backlog_bytes, backlog_packets;
};

/* False when there is no qdisc line; *why completes "NAME: ...".  errno is not 0 when the input could
 * not be read. */
bool tc_read(struct tc *tc, struct source *source, const char **why);

#endif
