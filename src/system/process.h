/*
 * Commands that run beside each other, each started from a list of words, without a shell; what they
 * print is kept.
 */
#ifndef BDP_PROCESS_H
#define BDP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is kept of one command's output; the rest is dropped, and `cut` says so. */
#define PROCESS_OUTPUT_MAX ((size_t)16 << 20)

struct process {
	pid_t pid;   /* 0: not started, or waited for */
	bool group;  /* it leads a process group of its own */
	int in, out; /* -1 when closed */
	char *text;  /* owned: standard output and standard error, as a terminal would mix them */
	size_t length, capacity;
	bool cut;
	int status;	 /* of waitpid, once it has ended */
	int error;	 /* errno when it could not be started, else 0 */
	int64_t kill_ms; /* when SIGKILL is due; 0: it is not being ended */
};

/* Milliseconds of a clock that is never set. */
int64_t process_now_ms(void);

/*
 * Starts argv (NULL-terminated, looked up in PATH) with `input` on standard input, which stays open behind
 * it when `hold`.  `group`: in a process group of its own, so that the terminal's ^C does not reach it; a
 * program that asks for a password must stay in ours.  It ends when this program dies.  False, and ->error
 * set, when it cannot be started.  interrupt_begin() must have been called.
 */
bool process_start(
    struct process *process, const char *const *argv, const char *input, bool hold, bool group);

/* Waits up to timeout_ms, or for a signal to this program; takes what they wrote; notes who ended. */
void process_wait(struct process *const *processes, size_t count, int timeout_ms);

/* It has ended, or never began. */
bool process_is_over(const struct process *process);

/* Closes its standard input: the one who reads it sees the end. */
void process_close_input(struct process *process);

/* SIGINT, on which iperf3 and ping print what they have, and SIGKILL from process_wait two seconds
 * later. */
void process_end(struct process *process);

/* Ends it at once, waits for it and frees what is kept.  NULL-safe. */
void process_free(struct process *process);

#endif
