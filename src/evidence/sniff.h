/*
 * Tells what an input is from its first bytes, never from its name.
 */
#ifndef BDP_SNIFF_H
#define BDP_SNIFF_H

#include "evidence/evidence.h"

/* What kind the first bytes of an input are; `length` as much as source_peek gave. Pure. */
enum input_kind sniff_bytes(const char *bytes, size_t length);

#endif
