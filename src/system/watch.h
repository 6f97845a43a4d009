/*
 * A live connection of this machine, watched for some seconds, as a run: what holds it is then told by
 * the rules that an iperf3 run goes through.
 */
#ifndef BDP_WATCH_H
#define BDP_WATCH_H

#include "evidence/evidence.h"
#include "evidence/socket_filter.h"

#define WATCH_SECONDS_DEFAULT 5

/* Told while it goes on: how many of how many seconds are over; both alike at its end. */
typedef void watch_tick(double done_s, double total_s);

/* Watches the busiest connection to that peer and adds its runs (one for each direction that
 * carries data) and its socket to the bundle.  On failure one error line was printed.  Takes
 * `seconds`, 0 for the default; `tick` may be NULL. */
enum operand_result watch_read(
    struct evidence *evidence, const struct endpoint *endpoint, double seconds, watch_tick *tick);

#endif
