/*
 * The sockets of one input, followed through all listings in it: what moved between the first and the
 * last is a run with intervals; what was listed once tells of its whole life.
 */
#ifndef BDP_SS_HISTORY_H
#define BDP_SS_HISTORY_H

#include "evidence/evidence.h"

struct ss_history;

/* What was in the input. */
struct ss_history_extent {
	size_t sockets;	   /* distinct ones, up to SOCKETS_MAX; 0: none */
	unsigned readings; /* listings whose time is known */
	double seconds;	   /* from the first of these to the last */
};

/* Follows the SOCKETS_MAX connections that moved most, in bounded memory. */
struct ss_history *ss_history_open(void);
/* Takes the next socket of the input. */
void ss_history_add(struct ss_history *history, const struct socket_info *info);
/* Adds the sockets, each once, to the bundle (of `label`, or of the end that their bytes tell), and the
 * test that moved most to evidence->socket_runs.  Frees the history. */
struct ss_history_extent ss_history_close(
    struct ss_history *history, struct evidence *evidence, const char *input, enum end label);

#endif
