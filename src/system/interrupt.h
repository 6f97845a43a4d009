/*
 * Signals that end the program, held back while something must be put in order first.
 */
#ifndef BDP_INTERRUPT_H
#define BDP_INTERRUPT_H

#include <poll.h>

/* From here on SIGHUP, SIGINT, SIGQUIT and SIGTERM are let in only while interrupt_poll waits, and are
 * noted there.  Those that are ignored (nohup) stay so.  SIGCHLD gets its default handling, however it
 * was inherited, so that children can be waited for. */
void interrupt_begin(void);

/* poll(2) that such a signal ends, with EINTR. */
int interrupt_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

/* The first one noted, 0 for none; one that waits is let in. */
int interrupt_signal(void);

/* In a child, before it becomes another program: everything as it was at the beginning, but SIGCHLD,
 * which has its default handling. */
void interrupt_reset_child(void);

/* Ends the holding back; a signal that was noted then ends the program as it would have. */
void interrupt_end(void);

#endif
