/*
 * A socket as `ss -tmin` prints it: the writing side of ss.h.
 */
#ifndef BDP_SS_PRINT_H
#define BDP_SS_PRINT_H

#include <stdio.h>

#include "evidence/ss.h"

/* The line above the sockets. */
void ss_print_header(FILE *stream);

/* Two lines, words and order as iproute2's misc/ss.c has them (tcp_stats_print, print_skmeminfo; 6.1).
 * What is absent or zero is left out, as ss does. */
void ss_print(FILE *stream, const struct socket_info *info);

#endif
