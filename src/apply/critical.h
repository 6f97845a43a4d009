/*
 * The stretch in which settings and journal do not agree: no signal that can be held back ends the
 * program there.
 */
#ifndef BDP_CRITICAL_H
#define BDP_CRITICAL_H

#include <signal.h>

/* Holds back every signal; *before is what was held back until now. */
void critical_begin(sigset_t *before);
void critical_end(const sigset_t *before);

#endif
