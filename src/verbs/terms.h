/*
 * The words of reports that are no names of settings, limits, findings or counters; for explain.
 */
#ifndef BDP_TERMS_H
#define BDP_TERMS_H

struct term {
	const char *name, *about;
	const char *manual; /* where bdp(1) says more */
};

#define TERM_COUNT 16u

extern const struct term terms[TERM_COUNT];

#endif
