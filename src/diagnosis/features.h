/*
 * The features of a flow: named numbers and facts, each computed once, that the verdict weighs.
 */
#ifndef BDP_FEATURES_H
#define BDP_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "diagnosis/diagnosis.h"

/* One state of one feature a row; states of one group exclude each other. */
enum feature {
	/* in flight (rate x RTT) over the peer's window */
	FEATURE_WINDOW_FULL,
	FEATURE_WINDOW_FULL_IN_QUEUE,
	FEATURE_WINDOW_NEARLY_FULL,
	FEATURE_WINDOW_OPEN,
	/* the peer's window over time */
	FEATURE_WINDOW_SHRANK,
	FEATURE_WINDOW_VARIES,
	FEATURE_WINDOW_ZERO,
	FEATURE_WINDOW_BELOW_SCALE,
	FEATURE_WINDOW_FAR_BELOW_SCALE,
	/* in flight over cwnd */
	FEATURE_CWND_FULL,
	FEATURE_CWND_UNUSED,
	FEATURE_CWND_FAR_UNUSED,
	FEATURE_BBR_FULL,
	/* cwnd over time */
	FEATURE_CWND_RESTS,
	FEATURE_CWND_RESTS_FAR,
	FEATURE_CWND_CREEPS,
	FEATURE_CWND_GROWS_WITH_RATE,
	FEATURE_CWND_MOVES_WITH_LOSS,
	FEATURE_CWND_MOVES_UNLOST,
	FEATURE_CWND_TINY,
	/* marks of ceilings */
	FEATURE_DEFAULT_WINDOW_MARK,
	FEATURE_WINDOW_ROUND_CEILING,
	FEATURE_RMEM_MARK,
	FEATURE_RMEM_MARK_OF_CWND,
	FEATURE_RMEM_MARK_TWICE,
	FEATURE_RMEM_FAR,
	FEATURE_RMEM_BEYOND_WINDOW,
	FEATURE_WMEM_MARK,
	FEATURE_WMEM_MARK_OF_CWND,
	FEATURE_WMEM_FAR,
	/* what stayed in the sender's buffer at the end */
	FEATURE_BUFFER_FILLED,
	FEATURE_BUFFER_OVERFILLED,
	FEATURE_BUFFER_EMPTY,
	FEATURE_HELD_BELOW_CWND,
	/* the kernel's own account: tcp_info busy time and its parts */
	FEATURE_KERNEL_RWND,
	FEATURE_KERNEL_RWND_IN_QUEUE,
	FEATURE_KERNEL_RWND_PARTLY,
	FEATURE_KERNEL_SNDBUF,
	FEATURE_KERNEL_SNDBUF_PARTLY,
	FEATURE_SNDBUF_AT_CEILING,
	FEATURE_SNDBUF_CEILING_UNKNOWN,
	FEATURE_SNDBUF_BELOW_DEFAULT,
	FEATURE_KERNEL_ACQUITS,
	/* sockets */
	FEATURE_SEND_QUEUE_EMPTY,
	FEATURE_SEND_QUEUE_IS_WINDOW,
	FEATURE_SNDBUF_FIXED,
	FEATURE_RCVBUF_FIXED,
	FEATURE_READER_BEHIND,
	FEATURE_READER_PROMPT,
	FEATURE_RCVBUF_AT_CEILING,
	FEATURE_RECEIVER_WINDOW_FULL,
	FEATURE_RECEIVER_WINDOW_OPEN,
	FEATURE_PACED,
	FEATURE_PACING_SET,
	FEATURE_LOCAL_QUEUE,
	FEATURE_ECN_MARKED,
	FEATURE_RTT_JITTERS,
	/* loss */
	FEATURE_LOSSLESS,
	FEATURE_LOSS_THROUGHOUT,
	FEATURE_LOSS_HEAVY,
	FEATURE_LOSS_OF_MOST,
	FEATURE_TIMEOUTS,
	FEATURE_LOSS_ONCE_THEN_GROWTH,
	FEATURE_LOSS_RARE,
	FEATURE_LOSS_SUM,
	FEATURE_LOSS_BOUND_FITS,
	FEATURE_LOSS_BOUND_EXCEEDED,
	FEATURE_LOSS_BURSTS,
	FEATURE_LOSS_ALLOWED,
	FEATURE_LOSS_WITHOUT_DELAY,
	FEATURE_LOSS_WITH_DELAY,
	FEATURE_BUCKET_STEADY,
	FEATURE_BUCKET_SWINGS,
	FEATURE_FIRST_BURST,
	FEATURE_NO_BUCKET,
	FEATURE_LOSS_AT_ONE_CWND,
	FEATURE_LOSS_AT_ANY_CWND,
	FEATURE_PATH_LOSS_SEEN,
	/* how losses fall, each a number with a grade */
	FEATURE_LOSS_CLUSTERS,
	FEATURE_LOSS_AGAINST_CHANCE,
	FEATURE_LOSS_SWING,
	FEATURE_LOSS_AFTER_PEAKS,
	FEATURE_LOSS_PEAKS_DIFFER,
	FEATURE_LOSS_MUCH,
	FEATURE_LOSS_OFTEN,
	FEATURE_LOSS_FIRST_BURST,
	FEATURE_LOSS_RECURS,
	FEATURE_RATE_COLLAPSES,
	FEATURE_BBR_LOSS,
	/* RTT */
	FEATURE_QUEUE_STANDS,
	FEATURE_QUEUE_ONCE,
	FEATURE_PING_PASSES,
	FEATURE_QUEUE_LONG,
	FEATURE_QUEUE_NONE,
	FEATURE_QUEUE_FOLLOWS_CWND,
	FEATURE_QUEUE_FILLS,
	FEATURE_RTT_STILL_UNDER_CWND,
	FEATURE_RTT_VARIES,
	FEATURE_RTT_FLAT,
	FEATURE_PATH_CHANGED,
	FEATURE_BACKLOG,
	/* rate */
	FEATURE_ETHERNET_RATE,
	FEATURE_LINK_SPEED_REACHED,
	FEATURE_RATE_FLAT_CWND_MOVES,
	FEATURE_RATE_FLAT_RTT_UNSEEN,
	FEATURE_RATE_SWINGS,
	FEATURE_RATE_BY_CWND,
	FEATURE_RATE_EXACT,
	FEATURE_ASKED_REACHED,
	FEATURE_ASKED_MISSED,
	FEATURE_FAST_AND_NEAR,
	FEATURE_VERY_FAST,
	FEATURE_SAME_HOST,
	FEATURE_SHORT_PATH,
	/* hosts */
	FEATURE_CPU_BUSY,
	FEATURE_CPU_IDLE,
	FEATURE_SCALING_OFF,
	FEATURE_WINDOW_UNSCALED,
	FEATURE_UNSCALED_MARK,
	FEATURE_SCALE_ABSENT,
	FEATURE_SCALE_SEEN,
	FEATURE_BUFFER_ASKED_BINDS,
	FEATURE_BUFFER_ASKED_FAR,
	FEATURE_BUFFER_ASKED_CUT,
	FEATURE_BUFFER_ASKED_PERMITTED,
	FEATURE_NO_BUFFER_ASKED,
	FEATURE_NO_RATE_ASKED,
	FEATURE_CWND_CLAMPED,
	/* stalls and starts */
	FEATURE_STALLS_TINY_CWND,
	FEATURE_STALLS_OPEN_CWND,
	FEATURE_STALLS_CWND_UNSEEN,
	FEATURE_PERSIST,
	FEATURE_BACKOFF,
	FEATURE_START_ONLY,
	FEATURE_TOO_SHORT,
	FEATURE_BBR,
	FEATURE_ONE_READING,
	FEATURE_RTT_UNSEEN,
	FEATURE_CWND_UNSEEN,
	FEATURE_LOSS_UNSEEN,
	FEATURE_COUNT
};

struct feature_value {
	bool present;
	double value, reference; /* what their meaning and unit is: report/limit_text.c */
	double grade; /* how much of its weight counts: 1 for a fact, -1.5 .. 1.5 for a number */
};

struct features {
	struct feature_value items[FEATURE_COUNT];
};

/* Computes all of them; one whose numbers the input does not have stays absent.  Pure. */
void features_read(const struct diagnosis_input *input, struct features *features);

/* A feature's row: what it is called, what it weighs for each cause and what it rules out. */
struct feature_row {
	const char *name;		  /* json: "window-full" */
	signed char weight[FACTOR_COUNT]; /* 10 log10 of the likelihood ratio; 0: says nothing */
	unsigned shows;	   /* causes that it shows by itself, as 1 << enum factor: without any such
				    * feature a cause is named with low confidence at most */
	unsigned excludes; /* causes that cannot be beside it, as 1 << enum factor */
	unsigned
	    proves; /* causes that may be named with high confidence beside it: without any such
			    * feature it is medium at most */
	unsigned lowers; /* causes that are named with low confidence at most beside it */
};

extern const struct feature_row feature_table[FEATURE_COUNT];
/* What each cause is worth before anything is known, in the unit of the weights. */
extern const signed char factor_prior[FACTOR_COUNT];

#endif
