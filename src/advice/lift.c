/* What lifts each cause: a row a cause. */
#include "advice/advice.h"

/* Ceilings are raised for a cause that is named with medium confidence or more: what is undecided sets
 * nothing. */
const struct lift lift_table[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = {.otherwise = NULL},
    [FACTOR_APPLICATION] = {.otherwise = "it sends no more than it is asked to"},
    [FACTOR_SOCKET_OPTION] = {.otherwise = "the program must ask for a larger buffer, or for none"},
    [FACTOR_CPU] = {.otherwise = "more streams, each with a core of its own, or larger segments"},
    [FACTOR_RECEIVE_WINDOW] = {.by_setting = true,
	.id = TUNABLE_TCP_RMEM,
	.end = ROLE_RECEIVER,
	.least = CONFIDENCE_MEDIUM},
    [FACTOR_SEND_BUFFER] = {.by_setting = true,
	.id = TUNABLE_TCP_WMEM,
	.end = ROLE_SENDER,
	.least = CONFIDENCE_MEDIUM},
    [FACTOR_WINDOW_SCALING_OFF] = {.by_setting = true,
	.id = TUNABLE_TCP_WINDOW_SCALING,
	.end = ROLE_UNKNOWN,
	.least = CONFIDENCE_LOW,
	.otherwise =
	    "window scaling is on here: the other end or something on the way takes it out"},
    [FACTOR_RANDOM_LOSS] = {.by_setting = true,
	.id = TUNABLE_TCP_CONGESTION_CONTROL,
	.end = ROLE_SENDER,
	.least = CONFIDENCE_MEDIUM,
	.otherwise = "the path must lose less, or more streams share it"},
    [FACTOR_POLICER] = {.otherwise = "pace below the policer's rate, or have it let through more"},
    [FACTOR_QUEUE] = {.by_setting = true,
	.id = TUNABLE_TCP_CONGESTION_CONTROL,
	.end = ROLE_SENDER,
	.least = CONFIDENCE_HIGH,
	.otherwise = "the path carries no more: a larger buffer makes its queue longer"},
    [FACTOR_LINK] = {.otherwise = "the link carries no more"},
};

bool cause_is_sure(const struct analysis *analysis, enum factor factor)
{
	return analysis->run && analysis->limit.factor == factor &&
	       analysis->limit.confidence >= lift_table[factor].least;
}

bool buffer_holds(const struct analysis *analysis)
{
	return cause_is_sure(analysis, FACTOR_RECEIVE_WINDOW) ||
	       cause_is_sure(analysis, FACTOR_SEND_BUFFER);
}
