/*
 * What to set, on which host, why, and what not to set.
 */
#ifndef BDP_PLAN_H
#define BDP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

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

enum role { ROLE_UNKNOWN, ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY };
const char *role_name(enum role role);

/* One line to set. */
struct setting {
	enum tunable_id id;
	enum role host;		      /* which host it is for */
	struct tunable_value value;   /* complete: three numbers for a vector */
	struct tunable_value current; /* .known false when unknown */
	bool change;		      /* false: it is already so */
	bool lowers; /* some element is lower than the current one (only with --allow-lower) */
	enum sizing sized_by;
	char why[480]; /* the numbers and the reason, one or two sentences */
	char sizing_others
	    [240];	/* what the other rungs of the ladder would have said; "" when none */
	char risk[240]; /* "" when none worth a line */
};

struct not_advised {
	const char *key; /* "net.core.rmem_max" */
	char why[300];
};

struct command {
	char command[240]; /* runnable by /bin/sh, or a template with HOST or DEV in it */
	char why[240];
	enum role host;
	bool for_files; /* also printed, as a comment, in -o sysctl */
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
	enum role role; /* of the host advised; ROLE_UNKNOWN: by the evidence */
	enum role here; /* which role this machine plays, ROLE_UNKNOWN when it is neither */
	double
	    predicted_bps; /* what the advised ceiling carries by the same model; 0 when unknown */
};

#endif
