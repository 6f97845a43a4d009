/*
 * The metrics of RFC 6349, "Framework for TCP Throughput Testing".
 */
#ifndef BDP_RFC6349_H
#define BDP_RFC6349_H

#include <stdbool.h>
#include <stdint.h>

#include "model/path.h"

/* Each is valid with its flag. */
struct rfc6349 {
	bool has_efficiency, has_buffer_delay, has_transfer_time;
	double tcp_efficiency; /* 0..1: (sent - retransmitted) / sent bytes, section 4.2 */
	double buffer_delay;   /* ratio: (mean RTT under load - baseline) / baseline, section 4.3 */
	double
	    transfer_time_ratio; /* actual / ideal transfer time, section 4.1; ideal by the target */
};

/* Fills what the path's numbers allow. Pure. */
void rfc6349_compute(const struct path *path, struct rfc6349 *metrics);

/* Largest TCP payload rate of an Ethernet link: RFC 6349, section 4.1.1: MSS / (MTU + 38) of the line
 * rate (header 14, check sum 4, preamble 8, gap 12 bytes). */
double ethernet_payload_bps(double link_bps, uint32_t mss);

/* The speeds of Ethernet, in bit/s, ascending; ends in 0. */
extern const double ethernet_speeds_bps[];

#endif
