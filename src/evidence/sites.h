/*
 * Whose each part of a session is: the host whose prompt stands before it is the end that ran iperf3's
 * client, or the other one.
 */
#ifndef BDP_SITES_H
#define BDP_SITES_H

#include "evidence/evidence.h"

/* Reads a session command by command.  A label holds for all of it.  OPERAND_UNUSABLE, without a
 * error, when no part held anything. */
enum operand_result sites_read(
    struct evidence *evidence, struct source *source, const char *name, enum end label);

#endif
