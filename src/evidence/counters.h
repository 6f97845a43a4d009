/*
 * SNMP and TcpExt counters that say how TCP fares on a host.
 */
#ifndef BDP_COUNTERS_H
#define BDP_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

enum counter_id {
	COUNTER_TCP_IN_SEGS,
	COUNTER_TCP_OUT_SEGS,
	COUNTER_TCP_RETRANS_SEGS,
	COUNTER_TCP_CURR_ESTAB,
	COUNTER_WANT_ZERO_WINDOW_ADV,
	COUNTER_TO_ZERO_WINDOW_ADV,
	COUNTER_FROM_ZERO_WINDOW_ADV,
	COUNTER_ZERO_WINDOW_DROP,
	COUNTER_RCV_Q_DROP,
	COUNTER_PRUNE_CALLED,
	COUNTER_RCV_PRUNED,
	COUNTER_OFO_PRUNED,
	COUNTER_RCV_COLLAPSED,
	COUNTER_OFO_DROP,
	COUNTER_BACKLOG_DROP,
	COUNTER_MEMORY_PRESSURES,
	COUNTER_MEMORY_PRESSURES_CHRONO,
	COUNTER_ABORT_ON_MEMORY,
	COUNTER_TIMEOUTS,
	COUNTER_LOST_RETRANSMIT,
	COUNTER_SPURIOUS_RTOS,
	COUNTER_LOSS_PROBES,
	COUNTER_FAST_RETRANS,
	COUNTER_SLOW_START_RETRANS,
	COUNTER_SYN_RETRANS,
	COUNTER_DSACK_RECV,
	COUNTER_BEYOND_WINDOW,
	COUNTER_WQUEUE_TOO_BIG,
	COUNTER_COUNT
};

struct counter {
	const char *name;  /* as nstat prints it: "TcpExtPruneCalled", "TcpRetransSegs" */
	const char *about; /* what its rise means */
};

extern const struct counter counter_table[COUNTER_COUNT];

struct counters {
	bool known[COUNTER_COUNT];
	uint64_t value[COUNTER_COUNT];
	bool any;
};

/* Row of a name as nstat prints it; of a name below a prefix, as /proc/net/netstat has it: "TcpExt" and
 * "PruneCalled". COUNTER_COUNT when it is none of ours. */
enum counter_id counter_find_full(const char *name);
enum counter_id counter_find_prefixed(const char *prefix, const char *name);

/* Sets a counter; nothing for COUNTER_COUNT. */
void counter_set(struct counters *counters, enum counter_id id, uint64_t value);

/*
 * Reads what nstat -az, nstat -j, netstat -s, /proc/net/netstat and /proc/net/snmp print, also several of
 * them one behind the other.  A counter that comes again begins another reading: *first and *last are
 * the first and the last of them, the same when there is one.  The number of readings, 0 when no
 * known counter was found.  What a reading does not show is unknown in it, never 0.  Constant memory.
 */
unsigned counters_read_all(struct counters *first, struct counters *last, struct source *source);

/* The last reading of counters_read_all; false when there is none. */
bool counters_read(struct counters *counters, struct source *source);

/* True when a counter that only ever rises is lower in the later reading: the host restarted in between, or
 * the two are in the wrong order. */
bool counters_went_back(const struct counters *before, const struct counters *after);

/* after - before, clamped at zero where a counter went backwards; known only where both are. */
void counters_delta(
    const struct counters *before, const struct counters *after, struct counters *delta);

#endif
