/*
 * Runs one command to its end, or to its limit, and keeps what it wrote.
 */
#ifndef BDP_COMMAND_H
#define BDP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* iperf3 -J of an hour with 128 streams stays below it. */
#define COMMAND_OUTPUT_MAX ((size_t)256 << 20)

enum command_end {
	COMMAND_EXITED,	     /* status is valid */
	COMMAND_KILLED,	     /* by a signal: status is its number */
	COMMAND_NOT_STARTED, /* status is an errno */
	COMMAND_TIMED_OUT,
	COMMAND_INTERRUPTED, /* this program got a signal to end: see interrupt.h */
	COMMAND_LOST,	     /* it ended, but its exit code cannot be had */
	COMMAND_TOO_LONG     /* wrote more than COMMAND_OUTPUT_MAX */
};

struct command_result {
	enum command_end end;
	int status;
	char *output; /* owned: what it wrote to standard output */
	size_t length;
	char words[512]; /* the end of what it wrote to standard error, not yet safe to print */
	double seconds;
};

/* Told several times a second, while it runs, for how long it has. */
typedef void command_tick(double seconds, void *context);

/* `line` is split at blanks; where it holds a character that a shell would look at, /bin/sh runs it.
 * The command gets a process group of its own, an empty standard input, and at most limit_s seconds;
 * then, or on a signal to this program, its group is ended: SIGTERM, and SIGKILL two seconds later.
 * interrupt_begin() must have been called.  `tick` may be NULL. */
void command_run(const char *line, unsigned limit_s, command_tick *tick, void *context,
    struct command_result *result);
void command_result_free(struct command_result *result);

/* True when it takes a shell. */
bool command_needs_shell(const char *line);

#endif
