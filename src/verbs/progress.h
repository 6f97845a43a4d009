/*
 * What long work is at, on the terminal that standard error is: one line in place of the one before, and
 * nothing left of it at the end.  Where standard error is no terminal, nothing is said.
 */
#ifndef BDP_PROGRESS_H
#define BDP_PROGRESS_H

/* "what: 3 s of 10 s", or "what: 3 s" when total_s is 0, which stands for not known.  May be called
 * often. */
void progress_show(const char *what, double done_s, double total_s);
/* Takes the line away; to be called before anything else is written there. */
void progress_clear(void);
/* Waits that long, and shows it. */
void progress_wait(const char *what, double seconds);

#endif
