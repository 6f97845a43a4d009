/*
 * The words of reports that are no names of settings, limits, findings or counters; for explain.
 */
#ifndef BDP_GLOSSARY_H
#define BDP_GLOSSARY_H

#include <stddef.h>

struct term {
	const char *name, *about;
	const char *manual; /* where bdp(1) says more */
	const char *also;   /* other spellings, separated by blanks; NULL: none */
};

extern const struct term glossary[];
extern const unsigned glossary_count;

#endif
