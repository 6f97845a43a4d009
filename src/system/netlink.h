/*
 * Netlink messages and their attributes, taken apart without trusting a length in them.
 *
 * Both are a length that counts itself, a type, and a body, each beginning at a multiple of four.
 * The macros of linux/netlink.h cast constness away and trust alignment; here headers are copied.
 */
#ifndef BDP_NETLINK_H
#define BDP_NETLINK_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes that are left to take. */
struct netlink_span {
	const char *at;
	size_t left;
};

/* Takes the next message, or attribute; false when there is no complete one. */
bool netlink_message(struct netlink_span *span, struct nlmsghdr *header, struct netlink_span *body);
bool netlink_attribute(struct netlink_span *span, unsigned *type, struct netlink_span *body);

/* Takes a header of `size` bytes off the front; false when there are fewer. */
bool netlink_header(struct netlink_span *span, void *header, size_t size);

/* Copies as much as there is into out[size], zeros behind it; how much there was. */
size_t netlink_copy(struct netlink_span body, void *out, size_t size);

/* The same of a name, always terminated; one that does not fit is left out. */
void netlink_text(struct netlink_span body, char *out, size_t size);

#endif
