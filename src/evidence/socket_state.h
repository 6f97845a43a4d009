/*
 * The states of a TCP socket, by the kernel's numbers (include/net/tcp_states.h) and ss's names.
 */
#ifndef BDP_SOCKET_STATE_H
#define BDP_SOCKET_STATE_H

#include <stdbool.h>

enum socket_state {
	STATE_UNKNOWN, /* ss leaves the column out when it was asked for one state */
	STATE_ESTAB,
	STATE_SYN_SENT,
	STATE_SYN_RECV,
	STATE_FIN_WAIT_1,
	STATE_FIN_WAIT_2,
	STATE_TIME_WAIT,
	STATE_CLOSED,
	STATE_CLOSE_WAIT,
	STATE_LAST_ACK,
	STATE_LISTEN,
	STATE_CLOSING,
	STATE_COUNT
};

#define STATE_BIT(state) (1u << (state))
#define STATES_ALL (STATE_BIT(STATE_COUNT) - 2)
/* Those that have a peer and buffers: ss without -a. */
#define STATES_CONNECTED \
	(STATES_ALL & ~(STATE_BIT(STATE_LISTEN) | STATE_BIT(STATE_CLOSED) | \
			  STATE_BIT(STATE_TIME_WAIT) | STATE_BIT(STATE_SYN_RECV)))

/* As ss prints it: "ESTAB", "FIN-WAIT-1"; "" when unknown. */
const char *socket_state_name(enum socket_state state);
/* STATE_UNKNOWN for what is none. */
enum socket_state socket_state_find(const char *name);

/* "established,close-wait", "ESTAB", "connected", "all": names separated by commas, in any case,
 * to bits.  False, and *why completes "state '...': ...". */
bool socket_states_parse(const char *text, unsigned *states, const char **why);

#endif
