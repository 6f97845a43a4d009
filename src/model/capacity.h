/*
 * What one connection of a host can have in flight, by its settings and its kernel's shares: an upper
 * bound, whatever the path.
 */
#ifndef BDP_CAPACITY_H
#define BDP_CAPACITY_H

#include <stdbool.h>

#include "evidence/host.h"

struct capacity {
	bool has_receive, has_send;
	double receive_bytes; /* window that it advertises at most */
	double send_bytes;    /* what it keeps in flight, held by its send buffer */
};

/* By tcp_rmem, tcp_wmem, window scaling and autotuning (net/ipv4/tcp_output.c
 * tcp_select_initial_window, net/ipv4/tcp_input.c tcp_rcv_space_adjust); pure. */
void capacity_of_host(const struct host *host, struct capacity *capacity);

/* Bytes in flight carry so much at that RTT, bit/s. */
double capacity_bps(double bytes, double rtt_us);

/* The maximum that tcp_rmem (or tcp_wmem) needs for a rate and an RTT: by the share to plan with,
 * rounded up; 0 when no value does. */
double capacity_receive_ceiling(const struct host *host, double rate_bps, double rtt_us);
double capacity_send_ceiling(const struct host *host, double rate_bps, double rtt_us);

#endif
