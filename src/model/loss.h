/*
 * Rates that a loss ratio allows.
 */
#ifndef BDP_LOSS_H
#define BDP_LOSS_H

#include <stdint.h>

/* Reno in steady state: MSS/RTT x sqrt(3/2)/sqrt(p), bit/s. Mathis, Semke, Mahdavi, Ott, "The
 * macroscopic behavior of the TCP congestion avoidance algorithm", CCR 27(3), 1997.  Holds while losses
 * are repaired without timeouts (p below about 2 %).  p > 0, rtt_us > 0. */
double reno_rate_bps(uint32_t mss, double rtt_us, double loss_ratio);

/* CUBIC: the larger of its own steady state and the Reno-friendly region, bit/s.  RFC 9438,
 * section 5: average window [C(3+b)/(4(1-b))]^(1/4) x RTT^(3/4) / p^(3/4) segments, C = 0.4, b = 0.7. */
double cubic_rate_bps(uint32_t mss, double rtt_us, double loss_ratio);

/* The loss ratio at which CUBIC (or Reno, where that is the larger) still carries rate_bps. */
double cubic_loss_for_rate(uint32_t mss, double rtt_us, double rate_bps);
double reno_loss_for_rate(uint32_t mss, double rtt_us, double rate_bps);

#endif
