/*
 * The words in which several report forms say the same thing: hosts, sizes, directions.
 */
#ifndef BDP_PHRASE_H
#define BDP_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "report/report.h"

#define ROLE_COUNT (ROLE_PROXY + 1)

/* A sentence or a name; returned by value so that calls nest in printf arguments. */
struct phrase {
	char s[640];
};

/* Appends, and cuts what does not fit. */
void phrase_add(struct phrase *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The analysis advised on, NULL when there is none. */
const struct analysis *report_chosen(const struct report *report);

/* "the receiver 192.0.2.10", "the proxy"; made safe to show. */
struct phrase phrase_host(const struct report *report, enum role role);
/* The host that a limit is at: "192.0.2.10", or "the receiver" when it has no name. */
struct phrase phrase_end(const struct report *report, enum where where);
/* The role that answers to where a limit is; ROLE_PROXY's lines answer to either end. */
bool phrase_is_at(enum role role, enum where where);

/* "198.51.100.2 -> 192.0.2.10", or "client -> server" when a run names no addresses. */
struct phrase phrase_direction(const struct run *run);

/* Bytes in units of 1000: "21.7 MB". */
struct unit_text phrase_decimal_size(double bytes);

/* "34.8 %", or "690 x": of thousands of percent only the size is worth reading. */
struct unit_text phrase_ratio(double ratio);

/* "the receive window or the send buffer". */
struct phrase phrase_candidates(const struct limit *limit);

/* "10.0 Gbit/s over 100 ms with CUBIC takes less than 3e-08 of the segments lost, or 147 streams at
 * 1e-06". */
struct phrase phrase_bearing(const struct plan *plan, const struct path *path);

/* "3e-08": one significant digit, as no formula of loss is good for more. */
struct unit_text phrase_digit(double ratio);

/* How an RTT was come by, after its value. */
const char *phrase_rtt_method(enum rtt_method method, bool brief);

/* Settings that would change something, of all hosts. */
size_t plan_changes(const struct plan *plan);

/* The hosts that settings or commands for files are for, in the plan's order. */
size_t plan_hosts(const struct plan *plan, enum role hosts[ROLE_COUNT]);
/* How many settings of one host would change, and how many commands for files it has. */
size_t plan_host_changes(const struct plan *plan, enum role host);
/* True when an earlier setting of the same host carries the same risk: said once is enough.  In a short
 * report the short forms are compared, and of any host. */
bool plan_repeats_risk(const struct plan *plan, const struct setting *setting, bool brief);

#endif
