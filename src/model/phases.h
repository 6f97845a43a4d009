/*
 * A flow is a sequence: the intervals of a run, cut into phases.
 */
#ifndef BDP_PHASES_H
#define BDP_PHASES_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence/run.h"

/* iperf3 writes blocks of 128 KiB by default, and on slow paths ten of them at a time
 * (iperf_tcp.c iperf_tcp_send, iperf_client_api.c): a row may hold that much more or less. */
#define WRITE_BLOCK_BYTES 131072.0
#define WRITE_BURST_BYTES (10 * WRITE_BLOCK_BYTES)

/* The start is over at this share of the later median (of 9,816 public runs: slow start ends
 * within a row of it). */
#define START_SHARE 0.9

enum phase_kind {
	PHASE_START,	  /* the rate still rises from the beginning */
	PHASE_HELD,	  /* cwnd is constant, or not used up */
	PHASE_RECOVERING, /* from a loss until cwnd no longer governs */
	PHASE_FILLING,	  /* RTT, or cwnd / rate, grows while the rate does not */
	PHASE_STALLED,	  /* no bytes though there is something to send */
	PHASE_IDLE,	  /* no bytes, cwnd open: the program had nothing to send */
	PHASE_COUNT
};

const char *phase_name(enum phase_kind kind); /* json: "start", "held", ... */

struct phase {
	enum phase_kind kind;
	size_t first, count; /* bins */
	double start_s, end_s;
	double rate_bps; /* of all streams */
};

#define PHASES_MAX 24

struct phases {
	struct phase
	    items[PHASES_MAX]; /* in order; short ones are joined to their neighbour when full */
	size_t count;
	double share[PHASE_COUNT]; /* of the time of all usable bins, 0..1 */
	size_t usable;		   /* bins that tell: without a partial last one */
	size_t start_count;	   /* bins of the start */
	size_t first, stretch;	   /* the governing stretch: bins first .. first + stretch - 1 */
	enum phase_kind governing;
	bool cwnd_rests; /* the stretch is one of constant cwnd without loss */
	/* Two regimes one after the other, whose rates differ by a factor of three and more: the governing
	 * one is cut, the other's rate is here; 0 when there is one regime only. */
	double other_rate_bps, regime_changed_s;
	size_t regime_first, regime_end; /* bins of the governing regime */
	/* The RTT steps from one level to another in mid-run, and the rate the other way: another path. */
	double rtt_before_us, rtt_after_us; /* 0 when it does not */
	size_t block; /* neighbouring bins that together are free of the writes' jumps */
};

/* Cuts the bins of the run.  With no bins everything is 0.  Pure. */
void phases_cut(struct phases *phases, const struct run *run);

/* Mean rate of bins, bit/s of all streams; 0 for none. */
double bins_rate_bps(const struct bin *bins, size_t count);

#endif
