/*
 * What there is to say of a plan's entries: an id and values, of which report/plan_text.c makes sentences.
 */
#ifndef BDP_REMARK_H
#define BDP_REMARK_H

#include "base/value.h"
#include "evidence/tunable.h"

enum role { ROLE_UNKNOWN, ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY };

enum remark_id {
	REMARK_NONE,
	/* why a plan raises no ceiling, or what has to be looked at first */
	REMARK_TARGET_MET, /* target */
	REMARK_DEFAULTS,
	REMARK_COVERED, /* ceiling */
	REMARK_OTHER_END,
	REMARK_LOOK_FIRST, /* ceiling, smallest and largest default */
	REMARK_NO_SIZE,
	REMARK_PERMITS_MANY, /* ceiling, times */
	REMARK_NO_BUFFER,    /* factor */
	REMARK_UNDECIDED,
	REMARK_WINDOW_END, /* streams, rate of all */
	REMARK_LOSS_BOUND, /* loss, rate; of several streams; streams that bear it */
	/* why a setting has its value */
	REMARK_SWEPT,	     /* ceiling, rate */
	REMARK_SCALED,	     /* ceiling now, target, rate, bytes, ceiling */
	REMARK_SCALED_SEND,  /* the same; a factor beyond the plain scale */
	REMARK_OBSERVED,     /* need, rate, of several streams, RTT, share, bytes, ceiling */
	REMARK_RULE_RECEIVE, /* the same, by the kernel's rule */
	REMARK_RULE_SEND,
	REMARK_IN_STEP,	     /* default */
	REMARK_PROGRAMS,     /* ceiling, option, need */
	REMARK_BBR_LOSS,     /* loss, rate; what BBR cost, from value 4 on */
	REMARK_BBR_QUEUE,    /* RTT; the same */
	REMARK_BBR_BASELINE, /* loss, retransmits, rate; the same */
	REMARK_BBR_SWEPT,
	REMARK_FQ,
	REMARK_RUNAWAY,
	REMARK_RUNAWAY_CEILING, /* largest BDP */
	/* at what risk */
	REMARK_GROWS,
	REMARK_SCALE_STAYS, /* window */
	REMARK_VALUE_UNKNOWN,
	REMARK_SYN,
	REMARK_SHRINKS,
	REMARK_HOLDS_BACK,
	/* what is not advised */
	REMARK_MEM_NAMESPACE,
	REMARK_MEM_SIZED,      /* high mark */
	REMARK_MEM_BEYOND_RAM, /* the same */
	REMARK_MEM,
	REMARK_ADV_WIN_SCALE,
	REMARK_RMEM_MAX,
	REMARK_WMEM_MAX,
	REMARK_POLICER,
	REMARK_PROGRAM_CHOSE, /* its algorithm, the sender's */
	REMARK_CC_KEPT,	      /* algorithm */
	REMARK_MAXRATE_ENDS,  /* rate */
	REMARK_LEAVE_ASKED,   /* ceiling, largest BDP */
	REMARK_SHRINK_NOT_KNOWN,
	REMARK_SHRINK_NOT_THERE, /* release; where that is not known, the second */
	REMARK_SHRINK_ON_ALREADY,
	REMARK_SHRINK_NOT_COUNTED,
	REMARK_SHRINK_NOT_NEEDED,
	REMARK_SHRINK_ON_UNNEEDED,
	REMARK_SHRINK_READ_TWICE,
	/* commands */
	REMARK_LOOK_AT_VECTOR, /* ceiling, as a number and as a size */
	REMARK_LOOK_AT_NUMBER,
	REMARK_MEASURE_AGAIN, /* window, ceiling */
	REMARK_WITHOUT_OPTION,
	REMARK_SET_THERE,
	REMARK_MODULE_MISSING,
	REMARK_MODULE_PERHAPS,
	REMARK_QUEUE,
	REMARK_QUEUE_OF_ONE,  /* interface, qdisc, its qdisc now */
	REMARK_QUEUE_OF_MANY, /* the same, queues */
	REMARK_PACE_POLICED,  /* kbit/s */
	REMARK_PACE_STREAMS,  /* Mbit/s */
	REMARK_READ_COUNTERS,
	REMARK_COUNT
};

#define REMARK_VALUES 9

/* Words in the values are borrowed from the evidence or are constant. */
struct remark {
	enum remark_id id;
	enum role end;	     /* the host that it is about */
	enum tunable_id key; /* the setting */
	struct value values[REMARK_VALUES];
};

#endif
