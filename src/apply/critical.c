#include "apply/critical.h"

void critical_begin(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, before);
}

void critical_end(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}
