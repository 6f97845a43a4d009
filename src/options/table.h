/*
 * The tables behind the command line: verbs, options, and which options do not go together.  The
 * help is printed from them; tests/options.sh holds the manual and the completions against it.
 * A new option is one enumerator, one row here and one line in each of those.
 */
#ifndef BDP_OPTIONS_TABLE_H
#define BDP_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/options.h"

/* Rows of the option table, in the order of the help. */
enum option_id {
	OPTION_BANDWIDTH,
	OPTION_RTT,
	OPTION_WINDOW,
	OPTION_LOSS,
	OPTION_COMMAND, /* sweep --run; the other --run is advise's */
	OPTION_CEILINGS,
	OPTION_ALGORITHMS,
	OPTION_STREAM_LIST,
	OPTION_PACING,
	OPTION_RUN_COMMANDS,
	OPTION_RUNS,
	OPTION_TIMEOUT,
	OPTION_MIN_GAIN,
	OPTION_MAX_LOSS,
	OPTION_IDLE_RTT,
	OPTION_TARGET,
	OPTION_TARGET_EACH, /* of verbs that look at many connections */
	OPTION_STREAMS,
	OPTION_BASELINE,
	OPTION_CONNECTIONS,
	OPTION_ACTIVE,
	OPTION_ROLE,
	OPTION_RUN,
	OPTION_EACH,
	OPTION_NULL,
	OPTION_SYSCTL,
	OPTION_SYSROOT,
	OPTION_KERNEL,
	OPTION_MEMORY,
	OPTION_NO_HOST,
	OPTION_ALLOW_LOWER,
	OPTION_SETSOCKOPT,
	OPTION_SOCKET,
	OPTION_INTERVAL,
	OPTION_WATCH,
	OPTION_PORT,
	OPTION_TEST_TIME, /* of record */
	OPTION_PARALLEL,
	OPTION_SERVER_PORT, /* of record */
	OPTION_ALGORITHM,
	OPTION_NO_REVERSE,
	OPTION_FAR,
	OPTION_SCRIPT,
	OPTION_HOST,
	OPTION_PEER,
	OPTION_STATE,
	OPTION_MIN_HELD,
	OPTION_FACTOR,
	OPTION_ALL,
	OPTION_APPLY,
	OPTION_DRY_RUN,
	OPTION_PERSIST,
	OPTION_CONFIRM,
	OPTION_LIST,
	OPTION_TO,
	OPTION_ALL_APPLIES,
	OPTION_FORCE,
	OPTION_OUTPUT,
	OPTION_OUTPUT_SWEEP, /* of verbs that have no table */
	OPTION_OUTPUT_HOST,
	OPTION_TARGET_HOST,
	OPTION_OUTPUT_REPORT, /* of verbs that have no script forms */
	OPTION_VERBOSE,
	OPTION_PLOT,
	OPTION_CHECK,
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_COUNT
};

/* What an argument is, and so how it is read; options.c has a function for each. */
enum option_kind {
	KIND_FLAG,     /* bool */
	KIND_TEXT,     /* const char *, not empty */
	KIND_RATE,     /* double, bit/s */
	KIND_TIME,     /* double, microseconds */
	KIND_SIZE,     /* uint64_t, bytes, at least .min */
	KIND_PERCENT,  /* double, ratio */
	KIND_COUNT,    /* uint64_t in [.min, .max] */
	KIND_UNSIGNED, /* unsigned in [.min, .max] */
	KIND_SECONDS,  /* unsigned, whole seconds in [.min, .max], with a unit or without */
	KIND_WAIT,     /* double, seconds from WAIT_MIN_S to .max, with a unit or without */
	KIND_NUMBER,   /* double in [.min, .max] */
	KIND_FORM,
	KIND_ROLE,
	KIND_COLOR,
	KIND_KERNEL,
	KIND_ENDPOINT,
	KIND_PEER,
	KIND_STATES,
	KIND_CEILINGS, /* the four in the order of enum steps_of */
	KIND_ALGORITHMS,
	KIND_STREAM_LIST, /* each in [.min, .max] */
	KIND_PACING,
	KIND_ACTIVE,
	KIND_PERSIST, /* a flag with a file that may be left out */
	KIND_HELP,
	KIND_VERSION,
	KIND_COUNT_OF_KINDS
};

struct option_row {
	const char *name;
	char letter;	      /* 0: long form only */
	const char *argument; /* its name in the help; NULL: takes none */
	bool optional;	      /* the argument may be left out, and must be joined by '=' */
	const char *example;  /* of the argument, for who forgot it */
	unsigned verbs;	      /* bits of enum verb */
	const char *what;     /* names the value in messages: "bandwidth" */
	const char *help;
	enum option_kind kind;
	size_t target;	/* offset in struct options of what is filled */
	unsigned given; /* enum given */
	bool common;	/* shown by the overview, too */
	uint64_t min, max;
	const char *const *words; /* NULL-terminated */
};

/* A command line as it would be typed, and what it is for. */
struct verb_example {
	const char *command, *what;
};

#define VERB_EXAMPLES 3

struct verb_row {
	enum verb verb;
	const char *name;
	const char *operands;  /* their form in the usage */
	const char *otherwise; /* another form, options included; NULL: none */
	const char *brief;     /* one line of the overview */
	const char *help;
	struct verb_example examples[VERB_EXAMPLES]; /* tests/examples.sh runs them */
};

/* Two options that exclude each other, or of which the first needs the second. */
struct relation {
	enum option_id option, other;
	bool needs;
	unsigned verbs;	 /* where that holds, bits of enum verb; 0: everywhere */
	const char *why; /* the reason and the remedy */
};

#define IN(verb) (1u << (verb))
#define IN_ALL (IN(VERB_COUNT) - 1)

extern const struct option_row option_rows[OPTION_COUNT];
extern const struct verb_row verb_rows[]; /* the first is the default */
extern const size_t verb_row_count;
extern const struct relation relations[];
extern const size_t relation_count;

/* The help to stdout: of one verb, or when NULL an overview of two screens. */
void options_print_help(const struct verb_row *verb);

#endif
