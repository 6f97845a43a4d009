/*
 * The script that shows what a host is set to and how its TCP fares: for this host, for the far one by
 * --far, and for a person to run there (--script).
 */
#ifndef BDP_COLLECT_H
#define BDP_COLLECT_H

#include <stdbool.h>
#include <stdio.h>

enum collect_part {
	COLLECT_HOST,	  /* settings, memory, links, counters */
	COLLECT_COUNTERS, /* counters alone: afterwards */
	COLLECT_ALL,	  /* both, and the sockets each second in between */
};

struct collect {
	enum collect_part part;
	bool name;	  /* the host's name stands in its prompts */
	bool until_input; /* ends with its standard input */
	unsigned seconds; /* how long COLLECT_ALL looks at sockets, at most */
	unsigned port;	  /* of iperf3's server */
};

/* The script for a POSIX shell, busybox's included, as one string; to be freed.  It changes nothing. */
char *collect_script(const struct collect *collect);

#endif
