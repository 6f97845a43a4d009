/*
 * The signs that the rules of the limiting factor look at: a few ratios, each with what it takes to
 * be known.
 */
#ifndef BDP_SIGNS_H
#define BDP_SIGNS_H

#include "diagnosis/diagnosis.h"

struct signs {
	const struct path *path;
	const struct run *run;
	const struct socket_info *socket;
	const struct host *sender, *receiver;

	bool has_rtt;  /* the RTT under load was measured, not reckoned from cwnd */
	bool has_load; /* it is known either way */
	bool has_window_fill;
	double window_fill; /* in flight / the peer's window */
	bool has_cwnd_fill;
	double cwnd_fill; /* in flight / cwnd */
	double rtt_rise;  /* median / smallest RTT of the steady state; 1 when unknown */
	bool has_rtt_over_base;
	double rtt_over_base;  /* RTT under load / RTT of the idle path (else the smallest seen) */
	bool base_is_measured; /* the base is an idle path's, not the smallest of the run */
	bool lossless;	       /* next to no retransmit in the steady state */
	bool knows_loss;
	bool bbr; /* told, or cwnd moves as only BBR's does */
	bool cwnd_constant;
	bool rate_is_flat;
	double loss_bound; /* stream rate / CUBIC's rate under that loss; 0 when unknown */
	double asked_bps;  /* -b over all streams; 0 when none */
	double
	    backlog_us; /* what the deepest queue of tc takes to drain at the rate; 0 when unknown */
};

void signs_read(const struct diagnosis_input *input, struct signs *signs);

#endif
