#include "system/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define SIGNAL_COUNT (sizeof(signals) / sizeof(signals[0]))

static volatile sig_atomic_t noted;
static struct sigaction before[SIGNAL_COUNT], child_before;
static sigset_t mask_before;

static void note(int number)
{
	if (noted == 0)
		noted = number;
}

/* Whoever starts this may ignore SIGCHLD (trap '' CHLD, Python's SIG_IGN), and that is inherited: the
 * kernel then reaps every child by itself, and its exit code is lost (wait(2), NOTES). */
static void own_children(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, &child_before);
}

void interrupt_begin(void)
{
	sigset_t held;

	noted = 0;
	own_children();
	sigemptyset(&held);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, &mask_before);
	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		struct sigaction action = {.sa_handler = note};
		sigfillset(&action.sa_mask);
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

int interrupt_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec time = {
	    .tv_sec = timeout_ms / 1000, .tv_nsec = (long)(timeout_ms % 1000) * 1000000};

	return ppoll(fds, count, timeout_ms < 0 ? NULL : &time, &mask_before);
}

int interrupt_signal(void)
{
	interrupt_poll(NULL, 0, 0);
	return noted;
}

void interrupt_reset_child(void)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &before[i], NULL);
	/* SIGCHLD stays as interrupt_begin set it: a script that waits for its children needs that. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void interrupt_end(void)
{
	int number = interrupt_signal();

	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &before[i], NULL);
	sigaction(SIGCHLD, &child_before, NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	if (number != 0)
		raise(number);
}
