/*
 * The tcp_info words of one socket in ss output: "cubic wscale:7,11 rto:256 rtt:52.138/0.061 ...".
 */
#ifndef BDP_SS_INFO_H
#define BDP_SS_INFO_H

#include <stdbool.h>

#include "evidence/ss.h"

/* What is remembered of the words before; zero-initialise for each socket. */
struct ss_words {
	char candidate[16]; /* the last bare word: the congestion control, when "wscale:" follows */
	bool cc_passed;	    /* the place of the congestion control is behind */
};

/* Reads one line, or the rest of one, into *info.  Returns how many words it knew. */
unsigned ss_info_read(struct socket_info *info, struct ss_words *words, const char *line);

/* After the last line: facts that ss leaves out when they are zero. */
void ss_info_end(struct socket_info *info);

#endif
