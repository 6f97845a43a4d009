/*
 * The TCP sockets of this network namespace, straight from the kernel (NETLINK_SOCK_DIAG): what ss
 * prints, without ss.  No privilege is needed.
 *
 * Sockets come one at a time out of a buffer of fixed size, however many there are.
 */
#ifndef BDP_SOCK_DIAG_H
#define BDP_SOCK_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evidence/ss.h"

/* Which socket; what the kernel needs to find it again. */
struct sock_diag_id {
	unsigned family;
	unsigned char bytes[48]; /* struct inet_diag_sockid */
	uint64_t cookie;	 /* no two sockets have the same while the host runs */
};

enum sock_diag_result {
	SOCK_DIAG_END,
	SOCK_DIAG_SOCKET,
	/* The kernel dropped a part of its answer and was asked anew: forget what came so far. */
	SOCK_DIAG_AGAIN,
	SOCK_DIAG_ERROR, /* errno; sock_diag_why() says what to do about it */
};

struct sock_diag;

/* Asks for all sockets in the states given as bits (1 << enum socket_state) and, unless it is 0,
 * with that port at the peer.  NULL with errno when the kernel cannot be asked. */
struct sock_diag *sock_diag_open(unsigned states, uint16_t peer_port);
/* Fills in *info, and *id unless it is NULL. */
enum sock_diag_result sock_diag_next(
    struct sock_diag *reader, struct socket_info *info, struct sock_diag_id *id);
/* Reads one socket anew, between dumps only; SOCK_DIAG_END when it is gone. */
enum sock_diag_result sock_diag_look_up(
    struct sock_diag *reader, const struct sock_diag_id *id, struct socket_info *info);
/* NULL-safe. */
void sock_diag_close(struct sock_diag *reader);

/* Completes "live sockets: ..." for an errno of the above. */
const char *sock_diag_why(int error);

/* The work of it, for the body of one message: whatever the bytes are, nothing outside of them is
 * read.  What an older kernel does not tell is absent.  False when there is no socket in it. */
bool sock_diag_take(
    struct socket_info *info, struct sock_diag_id *id, const void *bytes, size_t length);

#endif
