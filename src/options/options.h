/*
 * The command line: verbs and options, each a row of a table from which help is printed and with
 * which the manual and the completions are compared.
 */
#ifndef BDP_OPTIONS_H
#define BDP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "advice/plan.h"
#include "evidence/host.h"
#include "evidence/socket_filter.h"
#include "report/forms.h"

enum verb {
	VERB_ADVISE,
	VERB_SWEEP,
	VERB_COMPARE,
	VERB_SOCKETS,
	VERB_RECORD,
	VERB_HOST,
	VERB_APPLY,
	VERB_CONFIRM,
	VERB_ROLLBACK,
	VERB_EXPLAIN,
	VERB_HELP, /* answered by options_parse itself */
	VERB_COUNT
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* What sweep --run and compare --run try in turn. */
enum steps_of {
	STEPS_NOTHING,	  /* none of these was given */
	STEPS_CEILINGS,	  /* of tcp_rmem or tcp_wmem, set on this host: bytes */
	STEPS_ALGORITHMS, /* tcp_congestion_control, set on this host */
	STEPS_STREAMS,	  /* iperf3 -P */
	STEPS_PACING,	  /* iperf3 --fq-rate, of each stream: bit/s */
	STEPS_COMMANDS	  /* compare: each has its own */
};

#define STEPS_MAX 32

/* One of a list. */
struct step_value {
	char word[64]; /* as given */
	double number; /* in the unit above; of an algorithm there is none */
};

/* Presence of what has no natural "not given" value. */
enum given {
	GIVEN_BANDWIDTH = 1 << 0,
	GIVEN_RTT = 1 << 1,
	GIVEN_WINDOW = 1 << 2,
	GIVEN_LOSS = 1 << 3,
	GIVEN_TARGET = 1 << 4,
	GIVEN_CONNECTIONS = 1 << 5,
	GIVEN_ACTIVE = 1 << 6,
	GIVEN_IDLE_RTT = 1 << 7,
	GIVEN_MEMORY = 1 << 8,
	GIVEN_RUN = 1 << 9,
	GIVEN_CONFIRM = 1 << 10,
	GIVEN_MIN_GAIN = 1 << 11,
	GIVEN_MAX_LOSS = 1 << 12,
	GIVEN_PEER = 1 << 13,
	GIVEN_STATES = 1 << 14,
};

struct options {
	enum verb verb;
	unsigned given; /* enum given */
	double bandwidth_bps, target_bps;
	double rtt_us, idle_rtt_us;
	uint64_t window_bytes, memory_bytes;
	double loss_ratio;
	uint64_t connections;
	uint64_t active;	      /* already computed from a percentage of connections */
	unsigned run;		      /* --run N, from 1 */
	bool each;		      /* --each: every operand is a case of its own */
	bool null_names;	      /* -0: and the names on standard input, which end in NUL */
	const char *baseline;	      /* operand, or NULL */
	const char *sysctl;	      /* --sysctl FILE, or NULL */
	struct kernel_version kernel; /* --kernel; .known when given */
	const char *sysroot;	      /* --sysroot DIR, or NULL */
	bool no_host;
	enum role role; /* ROLE_UNKNOWN: by the evidence */
	enum form form; /* -o */
	enum color_when color;
	bool verbose; /* -v */
	bool check, apply, dry_run, allow_lower, persist;
	const char *persist_file; /* --persist=FILE, or NULL for the default */
	unsigned confirm_seconds;
	unsigned rollback_to; /* rollback --to ID: that apply and every later one; 0: the newest */
	bool rollback_all;    /* rollback --all */
	bool force;	      /* rollback --force: also what somebody changed since */
	bool list;	      /* rollback --list */
	struct endpoint socket;	   /* --socket: a live connection stands for a run; .name is NULL
				 * when it was not given */
	double interval_s;	   /* --interval: between two readings; 0: not given */
	double watch_s;		   /* --watch; 0: once */
	unsigned port;		   /* --port: of either end; 0: any */
	struct address_block peer; /* --peer; GIVEN_PEER */
	unsigned states;	   /* --state: bits of enum socket_state; GIVEN_STATES */
	uint64_t min_held_bytes;   /* --min-held; 0: not given */
	double factor;		   /* --factor; 0: not given */
	bool all;		   /* sockets --all: list every one */
	unsigned streams;	   /* -P: the target spread over so many; 0: not given */
	bool setsockopt;	   /* --setsockopt: also what caps SO_RCVBUF and SO_SNDBUF */
	double min_gain, max_loss; /* sweep's rule, ratios */
	const char *command;	   /* sweep --run COMMAND, or NULL */
	enum steps_of steps;	   /* sweep --ceilings, --cc, --streams or --pacing */
	struct step_value step_values[STEPS_MAX];
	size_t step_count;
	bool run_commands;	     /* compare --run: operands are LABEL=COMMAND */
	unsigned runs;		     /* --runs; 0: not given */
	unsigned timeout_seconds;    /* sweep --timeout, of one run; 0: not given */
	unsigned test_seconds;	     /* record -t; 0: not given */
	unsigned parallel;	     /* record -P; 0: not given */
	const char *algorithm;	     /* record -C, or NULL */
	const char *far;	     /* record --far COMMAND, or NULL */
	bool no_reverse;	     /* record --no-reverse */
	bool record_host;	     /* record --host */
	bool record_script;	     /* record --script */
	const char *plot;	     /* --plot FILE, or NULL */
	const char *const *operands; /* as in argv; may be empty */
	size_t operand_count;
};

/* What the command line asks the program to do. */
enum options_result {
	OPTIONS_RUN,   /* go on with *options */
	OPTIONS_DONE,  /* help or version was printed to stdout */
	OPTIONS_MISUSE /* one line was written to stderr: exit 2 */
};

/* Parses argv (the first word may be a verb).  The options point into argv, whose operands move
 * behind the options.  Long options must be spelt out, so that a runbook still means the same when
 * options are added. */
enum options_result options_parse(struct options *options, int argc, char **argv);

/* The short usage (not the full help), for a bare call on a terminal. */
void options_usage(FILE *stream);

/* What an operand that is no file was likely meant to be, for "did you mean ...?": the name of a
 * verb (also the word itself, since a verb must come first), "--version" for "version"; or NULL. */
const char *options_suggest_verb(const char *word);

#endif
