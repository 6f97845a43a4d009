/* The setting that lifts a cause: a row for each that one does. */
#include "advice/advice.h"

/* Ceilings are raised for a cause that is named with medium confidence or more: what is undecided sets
 * nothing. */
const struct lift lift_table[FACTOR_COUNT] = {
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
	.least = CONFIDENCE_LOW},
    [FACTOR_RANDOM_LOSS] = {.by_setting = true,
	.id = TUNABLE_TCP_CONGESTION_CONTROL,
	.end = ROLE_SENDER,
	.least = CONFIDENCE_MEDIUM},
    [FACTOR_QUEUE] = {.by_setting = true,
	.id = TUNABLE_TCP_CONGESTION_CONTROL,
	.end = ROLE_SENDER,
	.least = CONFIDENCE_HIGH},
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
