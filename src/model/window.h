/*
 * Buffers and the windows they become, by kernel version; and the kernel's own defaults.
 *
 * Sources: include/net/tcp.h tcp_win_from_space (3.4 to 6.5: sysctl_tcp_adv_win_scale; 6.6 on:
 * the per-socket scaling_ratio of commit dfa2f0483360), net/ipv4/tcp_input.c tcp_sndbuf_expand,
 * net/core/stream.c sk_stream_write_space, net/core/sock.c sock_setsockopt, net/ipv4/tcp.c tcp_init.
 */
#ifndef BDP_WINDOW_H
#define BDP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/host.h"

/* Largest window that RFC 7323, section 2.3, allows: 65535 << 14. */
#define WINDOW_MAX_BYTES 1073725440.0
/* Largest value of a tcp_rmem or tcp_wmem element: they are C ints. */
#define BUFFER_MAX_BYTES 2147483647.0
/* tcp_rmem[2] of a host that nobody tuned, 3.4 to 6.15 with RAM enough (net/ipv4/tcp.c tcp_init). */
#define RMEM_MAX_USUAL (6 * 0x1p20)
/* tcp_wmem[2] of such a host. */
#define WMEM_MAX_USUAL (4 * 0x1p20)
/* One socket's default maximum is at most this part of the RAM (net/ipv4/tcp.c tcp_init). */
#define SOCKET_RAM_SHARE 128
/* TCP payload of an Ethernet frame of 1500 bytes with timestamps; assumed when nothing tells. */
#define MSS_ASSUMED 1448

/* The part of a buffer that becomes window or bytes in flight: what to plan with, and the bounds seen. */
struct share {
	double planning;
	double
	    typical; /* what a NIC with MTU 1500 gives; used to compute back from a buffer to a window */
	double low, high;
};

/* Share of tcp_rmem[2] that becomes window.  Before 6.6: 1 - 2^-s for tcp_adv_win_scale s > 0, else
 * 2^s (when unknown: s = 1, before 3.4 s = 2), with half of that as the low bound, where drivers spend a page on a
 * frame.  From 6.6: planned as half, measured 0.62-0.66 with MTU 1500, bounds 0.33 to 0.86.  Unknown
 * kernel: planned as half. */
struct share window_share(
    const struct kernel_version *kernel, const struct tunable_value *adv_win_scale);

/* Share of tcp_wmem[2] that is in flight in a flow held by it: a blocked writer is woken at 2/3 of the
 * buffer, so 1 / (1.5 x 1.02) must do; planned as half (recovery), a third with BBR, which may hold
 * twice the BDP (sndbuf_expand 3). */
struct share send_share(bool bbr);

/* In flight over the buffer that a flow held by its send buffer settles at, whatever the buffer: the
 * 2/3 at which a blocked writer is woken (measured on 6.18: 0.67-0.70 from 12 MiB on). */
#define SEND_SHARE_SETTLED 0.67
/* The same of a buffer of this size.  The writer is woken when two thirds of it are queued
 * (include/net/sock.h, sk_stream_min_wspace), so what is acknowledged in bursts of a third keeps more in flight than
 * what arrives evenly, and how many segments fit decides which: 4 MiB hold 0.84, 3.5 MiB 0.67.  Measured
 * on 6.18 with MTU 1500 by tests/lab/shares.sh: within 0.02 of these at 20, 52 and 100 ms from 3 MiB on,
 * within 0.05 below, and up to 0.18 more at 10 ms; in between by the logarithm of the size. */
double send_share_at(double buffer_bytes);

/* The buffer for a window of `window_bytes` at `share`, and the window of a buffer, in bytes; both
 * held to the largest values there are. */
double buffer_for_window(double window_bytes, double share);
double window_of_buffer(double buffer_bytes, double share);

/* RFC 7323 window scale that a host with this receive ceiling offers in its SYN:
 * net/ipv4/tcp_output.c tcp_select_initial_window. */
unsigned window_scale_for(double buffer_bytes);
/* Largest window that a scale permits: 65535 << scale. */
double window_scale_limit(unsigned scale);

/* sk_rcvbuf or sk_sndbuf after setsockopt(SO_RCVBUF/SO_SNDBUF, asked) under rmem_max or wmem_max. */
double setsockopt_buffer(double asked_bytes, double limit_bytes);
/* Window that a receiver gives with SO_RCVBUF `asked`: N before 6.6, about N/2 on 6.6-6.9 as released,
 * 2N x share since 6.11. */
double setsockopt_window(
    double asked_bytes, double limit_bytes, const struct kernel_version *kernel);

/* The kernel's default tcp_rmem[2] and tcp_wmem[2] by version and RAM; 0 when the kernel is unknown.
 * RAM 0 is taken as enough. */
double default_rmem_max(const struct kernel_version *kernel, uint64_t ram_bytes);
double default_wmem_max(const struct kernel_version *kernel, uint64_t ram_bytes);
/* The kernel's default net.core.rmem_max and wmem_max; 0 when unknown. */
double default_core_max(const struct kernel_version *kernel);

/* Rounds up to three significant bits: 16, 20, 24, 28, 32, 40, 48, 56, 64 MiB ...; held to
 * BUFFER_MAX_BYTES. */
double ceiling_round(double bytes);

#endif
