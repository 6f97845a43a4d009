/*
 * What iperf3 is known to print wrongly, taken back from a run: the same for its text and its JSON.
 */
#ifndef BDP_IPERF_CORRECT_H
#define BDP_IPERF_CORRECT_H

#include <stdbool.h>

#include "evidence/run.h"

/* Retransmits are a 32-bit counter of the kernel; stacks that have none print -1 or -2 as
 * 4294967295 and the like. */
#define RETRANSMITS_MAX INT32_MAX

/* What the rows of a run were like, and its bins cannot tell. */
struct iperf_doubts {
	bool windows_are_zero;	 /* cwnd was printed, and was 0 in every row */
	bool windows_are_broken; /* cwnd of a row cannot be */
	bool count_dropped;	 /* a row's retransmits were beyond RETRANSMITS_MAX */
};

/* Clears the presence bits of what is not to be believed; a count of retransmits that cannot be
 * leaves RUN_RETRANSMITS_DROPPED. */
void iperf_correct(struct run *run, const struct iperf_doubts *doubts);

#endif
