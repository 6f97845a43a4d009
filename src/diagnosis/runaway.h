/*
 * Do receive buffers run away, and what stops them: decided from counters and from what sockets
 * hold.
 *
 * Before the window may shrink (net.ipv4.tcp_shrink_window) a receiver cannot take back what it has
 * promised: when small segments fill its buffer it keeps the right edge, counts
 * TCPWantZeroWindowAdv, and the buffer is raised to what it holds, up to tcp_rmem's maximum
 * (net/ipv4/tcp_output.c, tcp_select_window; tcp_input.c, tcp_clamp_window; commit b650d953cd39).
 */
#ifndef BDP_RUNAWAY_H
#define BDP_RUNAWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnosis/diagnosis.h"

struct runaway_input {
	/* What the counters grew by; NULL when there were no two readings. */
	const struct counters *delta;
	double seconds; /* that it took; 0 when not known */
	/* Since the host started; used to say that measuring is worth it. NULL when not known. */
	const struct counters *since_boot;
	const struct host *host; /* NULL when nothing is known of it */
	bool has_sockets;	 /* the rest is known */
	uint64_t beyond_sockets; /* whose receive buffer is beyond what their path needs */
	double beyond_held_bytes;
	double largest_bdp_bytes;    /* of a receive side, the largest seen; 0 when unknown */
	double largest_buffer_bytes; /* receive buffer */
	uint64_t behind, stalled;    /* slow readers */
	bool allow_lower;
};

enum runaway_verdict {
	RUNAWAY_UNKNOWN,   /* neither counters over an interval nor large buffers */
	RUNAWAY_ABSENT,	   /* the counters stood still */
	RUNAWAY_SUSPECTED, /* buffers are beyond their need; the counters do not confirm it, yet */
	RUNAWAY_CONFIRMED,
};

enum runaway_remedy {
	REMEDY_NONE,
	REMEDY_MEASURE,	      /* read the counters twice */
	REMEDY_SHRINK_WINDOW, /* net.ipv4.tcp_shrink_window = 1 */
	REMEDY_LOWER_CEILING, /* ceiling_bytes for tcp_rmem's maximum */
	REMEDY_READERS,	      /* fix the slow readers */
};

const char *runaway_verdict_name(enum runaway_verdict verdict); /* json: "confirmed" */
const char *runaway_remedy_name(enum runaway_remedy remedy);	/* json: "shrink-window" */

/* What speaks for runaway buffers, in the order of its values (report/finding_text.c). */
enum runaway_fact {
	FACT_WINDOWS_NEVER_CLOSED, /* wishes to close a window, seconds, times that one was closed */
	FACT_WINDOWS_CLOSED_LATE,  /* the same */
	FACT_WINDOWS_CLOSED,	   /* the same */
	FACT_OVER_LIMIT,	   /* seconds, then pairs of a counter's name and what it rose by */
	FACT_WISHES_NOT_SHOWN,
	FACT_BUFFERS_BEYOND, /* receive buffers beyond their path's need, bytes held, the largest */
	FACT_SLOW_READERS, /* sockets half full of unread data, those of them that were not read at all */
	FACT_SINCE_BOOT, /* wishes, then pairs of a counter's name and its value */
	FACT_COUNT
};

struct runaway_evidence {
	enum runaway_fact fact;
	struct value values[FINDING_VALUES_MAX];
};

#define RUNAWAY_EVIDENCE_MAX 6

struct runaway {
	enum runaway_verdict verdict;
	enum confidence confidence;
	enum runaway_remedy remedy;
	bool already_shrinks; /* the setting is on as it is */
	/* A lower ceiling that still covers what was seen; 0 when there is none. It is the remedy only
	 * when lowering is allowed. */
	double ceiling_bytes;
	bool ceiling_needs_leave; /* --allow-lower would make it the remedy */
	struct runaway_evidence evidence[RUNAWAY_EVIDENCE_MAX];
	size_t evidence_count;
};

/* The counters that tell, in the order in which to show them; ends with COUNTER_COUNT. */
extern const enum counter_id runaway_counters[];

/* Pure. */
void runaway_decide(const struct runaway_input *input, struct runaway *runaway);

/* What of it belongs among the findings: runaway buffers, and memory pressure. */
void runaway_findings(
    const struct runaway_input *input, const struct runaway *runaway, struct findings *findings);

#endif
