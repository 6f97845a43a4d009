/*
 * What to set, on which host, why, and what not to set.
 */
#ifndef BDP_PLAN_H
#define BDP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/remark.h"
#include "diagnosis/diagnosis.h"
#include "evidence/tunable.h"

/* How a ceiling was sized, best evidence first. */
enum sizing {
	SIZING_NONE, /* not a ceiling, or kept as it is */
	SIZING_SWEEP,
	SIZING_SCALING,
	SIZING_OBSERVED_RATIO,
	SIZING_KERNEL_RULE,
	SIZING_COUNT
};

const char *sizing_name(enum sizing sizing); /* json: "scaling", "kernel-rule", NULL for none */

const char *role_name(enum role role);

/* Why a plan raises no ceiling, or what has to be looked at first; in order of what is told first. */
enum plan_reason {
	REASON_NONE,	   /* a ceiling is raised, or nothing was asked that one could lift */
	REASON_TARGET_MET, /* the target was reached */
	REASON_DEFAULTS,   /* every kernel's default covers the need */
	REASON_SUFFICIENT, /* the ceilings that are known carry it */
	REASON_OTHER_END,  /* what must grow is at the end that --role leaves out */
	REASON_LOOK_FIRST, /* what is set there is not known, and some defaults are enough, some not */
	REASON_MEASURE,	   /* it was measured under another ceiling than the present one */
	REASON_CAUSE,	   /* what holds the flow is not lifted by a ceiling */
	REASON_UNDECIDED,  /* what holds the flow is not known well enough */
	REASON_WINDOW_END, /* so many streams cannot carry it, whatever the buffers */
	REASON_LOSS,	   /* the loss bounds the rate below the target, whatever the buffers */
	REASON_COUNT
};

const char *plan_reason_name(enum plan_reason reason); /* json: "target-met", NULL for none */

/* By what this machine is taken for an end of the path. */
enum here_by {
	HERE_BY_NOTHING,    /* it is not */
	HERE_BY_SYSTEM,	    /* the run names the machine that made it */
	HERE_BY_ADDRESS,    /* the run's address is one of its own */
	HERE_BY_ROLE,	    /* --role says so, and nothing speaks against it */
	HERE_BY_ASSUMPTION, /* a run that names no machine and no address of its own */
};

const char *here_by_name(enum here_by by); /* json: "address", NULL for nothing */

/* One line to set. */
struct setting {
	enum tunable_id id;
	enum role host;		      /* which host it is for */
	struct tunable_value value;   /* complete: three numbers for a vector */
	struct tunable_value current; /* .known false when unknown */
	bool change;		      /* false: it is already so */
	bool lowers; /* some element is lower than the current one (only with --allow-lower) */
	enum sizing sized_by;
	bool answers; /* it mends what `finding` tells; report/plan_text.c says so */
	enum finding_id finding;
	struct remark because, danger;	  /* the numbers and the reason; REMARK_NONE: no danger */
	double other_bytes[SIZING_COUNT]; /* what the other sizing methods would have given */
	/* what report/plan_text.c makes of that; "" when there is nothing to say */
	char why[480], risk[240], sizing_others[240];
	size_t why_brief, risk_brief; /* so many bytes of them say it in short; 0: all do */
};

struct not_advised {
	struct remark because;
	const char *key; /* "net.core.rmem_max" */
	char why[300];	 /* as in struct setting */
};

struct command {
	struct remark because; /* what it is and why; REMARK_NONE: the texts are there already */
	/* runnable by /bin/sh, or with HOST or DEV in it; and why */
	char command[400], why[240];
	enum role host;
	bool for_files; /* also printed, as a comment, in -o sysctl */
};

/* The target spread over several streams. */
struct stream_plan {
	unsigned count; /* 0: one connection, or as many as were measured, will do */
	bool is_fixed;	/* as asked for with -P */
	double rate_bps,
	    most_bps;	     /* each stream's part, and the most that one carries over this RTT */
	bool by_core;	     /* that is what a core carries; else the largest window bounds it */
	double pace_bps;     /* for fq maxrate */
	double memory_bytes; /* of all of them, at the larger ceiling */
};

#define PLAN_SETTINGS_MAX 16
#define PLAN_NOT_ADVISED_MAX 12
#define PLAN_COMMANDS_MAX 16

struct plan {
	struct setting settings[PLAN_SETTINGS_MAX];
	size_t setting_count;
	struct not_advised not_advised[PLAN_NOT_ADVISED_MAX];
	size_t not_advised_count;
	struct command commands[PLAN_COMMANDS_MAX];
	size_t command_count;
	char receiver_name[72], sender_name[72]; /* addresses or host names; "" when unknown */
	char proxy_name[72];  /* that of the two which is the proxy, when there is one */
	char made_on[72];     /* node name of the machine that `here` speaks of; "" when unknown */
	enum role role;	      /* of the host advised; ROLE_UNKNOWN: by the evidence */
	enum here_by here_by; /* why it is that */
	enum role here;	      /* which role this machine plays, ROLE_UNKNOWN when it is neither */
	/* what the advised ceilings carry by the model that sized them, and the loss permits; 0 when
	 * unknown */
	double predicted_bps;
	double predicted_low_bps,
	    predicted_high_bps; /* of a send buffer; 0 where it is one number */
	double loss_bound_bps;	/* of all streams, by the loss that is known; 0 when none is */
	double bears_loss; /* loss ratio at which CUBIC still carries the target; 0 without one */
	struct stream_plan streams;
	enum plan_reason reason;
	struct remark because;
	char reason_text[300]; /* a sentence without its period; "" for REASON_NONE */
};

/* The host's name as it may stand in a command; "" when it has none. */
const char *plan_host_word(const struct plan *plan, enum role role);

/* For --check: a value ought to change, or a finding is a warning or worse. */
bool plan_wants_change(const struct plan *plan, const struct findings *findings);

#endif
