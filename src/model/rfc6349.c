#include "model/rfc6349.h"

void rfc6349_compute(const struct path *path, struct rfc6349 *metrics)
{
	*metrics = (struct rfc6349){0};
	if (path->loss.known) {
		metrics->has_efficiency = true;
		metrics->tcp_efficiency = 1 - path->loss.ratio;
	}
	double idle_us = path_base_rtt_us(path);
	if (path->loaded.known && idle_us > 0) {
		metrics->has_buffer_delay = true;
		double delay = (path->loaded.rtt_us - idle_us) / idle_us;
		metrics->buffer_delay = delay > 0 ? delay : 0;
	}
	/* The same amount of data: times are as the rates, upside down. */
	if (path->target.known && path->rate.mean_known && path->rate.mean_bps > 0) {
		metrics->transfer_time_ratio = path->target.bps / path->rate.mean_bps;
		/* a mean above what is aimed at is no ideal that was reached */
		metrics->has_transfer_time = metrics->transfer_time_ratio >= 1;
	}
}

double ethernet_payload_bps(double link_bps, uint32_t mss)
{
	/* 52: IPv4 and TCP headers with timestamps; 38: what Ethernet adds to an IP packet. */
	return link_bps * mss / (mss + 52 + 38);
}

const double ethernet_speeds_bps[] = {
    10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9, 0};
