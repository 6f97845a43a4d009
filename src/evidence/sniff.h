/*
 * Tells what an input is from its first bytes, never from its name.
 */
#ifndef BDP_SNIFF_H
#define BDP_SNIFF_H

#include "evidence/evidence.h"

/* What kind the first bytes of an input are; `length` as much as source_peek gave. Pure. */
enum input_kind sniff_bytes(const char *bytes, size_t length);

/*
 * The kinds whose marks stand in the same bytes beside those of `first`, which sniff_bytes told: what
 * a paste of several commands, one behind the other, holds.  A set of 1u << kind; only kinds that may
 * stand beside each other are in it, and each but probably, until its reader took something. Pure.
 */
unsigned sniff_beside(const char *bytes, size_t length, enum input_kind first);

#endif
