/*
 * The sockets of a test, read once a second from the kernel and kept as ss prints them.
 */
#ifndef BDP_SOCKET_LOG_H
#define BDP_SOCKET_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct socket_log {
	FILE *stream;
	char *text; /* owned; valid after socket_log_end */
	size_t length;
	uint16_t port; /* of the peers */
	int64_t next_ms;
	int error; /* errno when the kernel could not be asked */
};

void socket_log_begin(struct socket_log *log, uint16_t port);
/* Reads when a second has passed; milliseconds until the next time. */
int socket_log_tick(struct socket_log *log);
void socket_log_end(struct socket_log *log);
void socket_log_free(struct socket_log *log);

#endif
