/*
 * The answer in one sentence: what the path runs at, what holds it and where, what to set to what.
 */
#ifndef BDP_ANSWER_H
#define BDP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"
#include "report/phrase.h"

struct phrase answer_compute(const struct report *report);

/* True when the limit is undecided or nearly so, and not from a record of both ends: that takes
 * everything at once. */
bool record_would_tell(const struct report *report);

/* True when there is nothing to set or to do, no warning, and the limit is as it should be. */
bool answer_is_clean(const struct report *report);

/* True when numbers were given for the sake of an RTT or a rate alone: that is then all to say. */
bool answer_is_number(const struct report *report);

/* Numbers by hand: which of the three was computed from the other two. */
enum solved { SOLVED_RTT, SOLVED_RATE, SOLVED_BDP, SOLVED_NOTHING };

enum solved answer_solved(const struct path *path);

#endif
