/*
 * Which sockets are asked about: by port, peer, state, and how much they hold.
 */
#ifndef BDP_SOCKET_FILTER_H
#define BDP_SOCKET_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "evidence/ss.h"

/* A block of addresses; IPv4 is kept as mapped IPv6 (RFC 4291, section 2.5.5.2). */
struct address_block {
	unsigned char address[16];
	unsigned bits; /* leading ones that count */
};

/* One peer, and of its ports perhaps one. */
struct endpoint {
	const char *name; /* as it was given */
	struct address_block address;
	uint16_t port; /* 0: any */
};

struct socket_filter {
	uint16_t port; /* of either end; 0: any */
	bool has_peer;
	struct address_block peer;
	unsigned states;   /* bits 1 << enum socket_state */
	uint64_t min_held; /* bytes */
};

/* "192.0.2.0/24", "2001:db8::/32", "192.0.2.10": false, and *why completes "peer '...': ...". */
bool address_block_parse(const char *text, struct address_block *block, const char **why);
/* "192.0.2.10:443", "[2001:db8::1]:443", either without the port: false, and *why.  The endpoint
 * points to the text. */
bool endpoint_parse(const char *text, struct endpoint *endpoint, const char **why);
bool address_block_has(const struct address_block *block, const char *address);

/* The kernel memory that a socket is charged for: what is received and not yet read, what is written
 * and not yet acknowledged, and what is set aside for more (net/core/sock.c, sk_mem_*). */
uint64_t socket_held_bytes(const struct socket_info *info);

bool socket_filter_takes(const struct socket_filter *filter, const struct socket_info *info);

#endif
