/*
 * What limits the flow, and what else is worth knowing: rows of const tables, filled with numbers.
 */
#ifndef BDP_DIAGNOSIS_H
#define BDP_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "evidence/evidence.h"
#include "model/path.h"

enum factor {
	FACTOR_UNKNOWN,
	FACTOR_APPLICATION,
	FACTOR_SOCKET_OPTION,
	FACTOR_CPU,
	FACTOR_RECEIVE_WINDOW,
	FACTOR_SEND_BUFFER,
	FACTOR_WINDOW_SCALING_OFF,
	FACTOR_RANDOM_LOSS,
	FACTOR_POLICER,
	FACTOR_QUEUE,
	FACTOR_LINK,
	FACTOR_STALLED,
	FACTOR_RECEIVER_APPLICATION,
	FACTOR_APPLICATION_WINDOW,
	FACTOR_LOSS_RECOVERY,
	FACTOR_COUNT
};

enum where { WHERE_NONE, WHERE_SENDER, WHERE_RECEIVER, WHERE_EITHER, WHERE_PATH };
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

struct factor_row {
	const char *name; /* json: "receive-window" */
	enum where where;
};

extern const struct factor_row factor_table[FACTOR_COUNT];
const char *where_name(enum where where); /* "sender", "path", NULL for none */
const char *confidence_name(enum confidence confidence);

/* The measurement that would settle an open verdict; report/ makes a command of it. */
enum measurement {
	MEASURE_NOTHING,
	MEASURE_WITH_JSON,	 /* the same run with -J: RTT and the peer's window */
	MEASURE_AT_SENDER,	 /* only the receiver's output is known */
	MEASURE_SENDER_SOCKET,	 /* ss at the sender: the kernel's own account */
	MEASURE_RECEIVER_SOCKET, /* ss at the receiver: does its program read? */
	MEASURE_IDLE_RTT,	 /* ping, idle and during the test */
	MEASURE_LOSS,		 /* mtr: loss without load */
	MEASURE_RATE_STEPS,	 /* UDP at stepped rates: a policer drops above one */
	MEASURE_STREAMS,  /* the same with several streams: the sum stays where a link holds it */
	MEASURE_CPU,	  /* top -H on both ends */
	MEASURE_LONGER,	  /* the same test for longer */
	MEASURE_PATH_MTU, /* do full segments get through? */
	MEASURE_SCALING,  /* sysctl net.ipv4.tcp_window_scaling on both ends */
	MEASURE_WITHOUT_BUFFER, /* the same without -w */
	MEASURE_COUNT
};

#define LIMIT_EVIDENCE_MAX 8

/* One feature that bears on the verdict. */
struct evidence_item {
	int feature; /* enum feature */
	double value, reference;
	double weight; /* for the cause named, against its nearest rivals; negative: against it */
};

struct limit {
	enum factor factor;
	enum where where;
	enum confidence confidence;
	double shares[FACTOR_COUNT]; /* of each cause, sum 1; FACTOR_UNKNOWN: none of them */
	enum factor
	    candidates[FACTOR_COUNT]; /* likeliest first; the named cause alone when decided */
	size_t candidate_count;
	struct evidence_item evidence[LIMIT_EVIDENCE_MAX]; /* weightiest first */
	size_t evidence_count;
	enum measurement decide; /* MEASURE_NOTHING when confidence is high */
};

enum severity { SEVERITY_INFO, SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_PROBLEM };
const char *severity_name(enum severity severity);

enum finding_id {
	FINDING_LOSS,
	FINDING_QUEUEING_DELAY,
	FINDING_SLOW_START_OVERSHOOT,
	FINDING_RATE_SWINGS,
	FINDING_LAGGING_STREAM,
	FINDING_RECEIVER_LOWER,
	FINDING_SMALL_MSS,
	FINDING_JUMBO_MSS,
	FINDING_WINDOW_SCALING_OFF,
	FINDING_SACK_OFF,
	FINDING_TIMESTAMPS_OFF,
	FINDING_AUTOTUNING_OFF,
	FINDING_BUFFER_ORDER,
	FINDING_HUGE_DEFAULT,
	FINDING_HUGE_MINIMUM,
	FINDING_TCP_MEM_IN_BYTES,
	FINDING_TCP_MEM_LOW,
	FINDING_CEILING_ABOVE_TCP_MEM,
	FINDING_LIKELY_PRESSURE,
	FINDING_CEILING_UNNEEDED,
	FINDING_CEILING_BELOW_DEFAULT,
	FINDING_DEAD_KEY,
	FINDING_RTT_CONTRADICTION,
	FINDING_MEMORY_PRESSURE,
	FINDING_RUNAWAY_BUFFERS,
	FINDING_BUFFER_OVERRUN,
	FINDING_WINDOW_SCALE_FIXED,
	FINDING_SHORT_TEST,
	FINDING_INTERRUPTED,
	FINDING_CEILING_TOO_BIG,
	FINDING_STANDING_QUEUE,
	FINDING_STALLED,
	FINDING_RUNS_DIFFER,
	FINDING_RUNS_SPREAD,
	FINDING_PATH_LOSS,
	FINDING_PATH_MTU,
	FINDING_HOST_DROPS,
	FINDING_EARLIER_DROPS,
	FINDING_DAMAGED_FRAMES,
	FINDING_OUT_OF_MEMORY,
	FINDING_ORPHANS,
	FINDING_SOCKET_LEAK,
	FINDING_UNQUOTED_VECTOR,
	FINDING_NOT_UNDERSTOOD,
	FINDING_COUNT
};

struct finding_row {
	const char *id; /* json: "queueing-delay" */
	enum severity severity;
};

extern const struct finding_row finding_table[FINDING_COUNT];

/* What a finding says, where it may say one of several things; 0 elsewhere. */
enum { LOSS_COUNTED, LOSS_GIVEN };
enum { QUEUE_IN_FLIGHT, QUEUE_IN_CEILING };
enum { INTERRUPTED_SAYS_WHY, INTERRUPTED_UNSAID };
enum { CONTRADICTION_OTHER_HOST, CONTRADICTION_OWN_ADDRESS };
enum { CEILING_IS_SET, CEILING_IS_PLANNED };
enum { PRESSURE_HELD, PRESSURE_COUNTED };
enum { ORPHANS_NOW, ORPHANS_LOGGED };
enum { LEAK_OF_BOTH, LEAK_WITHOUT_TCP6 };
enum { UNQUOTED_ONE, UNQUOTED_SEVERAL };
enum { DROPS_EXPLAIN_ALL, DROPS_EXPLAIN_PART };
enum { PROBES_TO_NAMED, PROBES_TO_UNNAMED };
enum { MTU_BELOW_SEGMENT, MTU_BELOW_INTERFACE };
enum { RUNS_SAME_WAY, RUNS_OTHER_WAY };
enum { RUNS_SHARE_WINDOW, RUNS_MOVE, RUNS_ALIKE };

#define FINDING_VALUES_MAX 14

struct finding {
	enum finding_id id;
	unsigned form; /* one of the enumerations above */
	struct value values[FINDING_VALUES_MAX];
};

/* A setting that must be on, and the finding that says that it is off. */
struct switch_row {
	enum tunable_id id;
	enum finding_id finding;
	bool receives; /* of no use to a host that only sends */
};

#define SWITCH_COUNT 4
extern const struct switch_row switch_table[SWITCH_COUNT];

#define FINDINGS_MAX 24

struct findings {
	struct finding items[FINDINGS_MAX];
	size_t count;
};

/* One run and what was made of it. */
struct analysis {
	const struct run *run; /* NULL when the numbers were given by hand */
	struct path path;
	struct limit limit;
};

/* What is known beside the run, for the verdict on it. Every pointer may be NULL. */
struct diagnosis_input {
	const struct path *path;
	const struct run *run; /* NULL when the numbers were given by hand */
	const struct path_context *context;
	const struct host *sender, *receiver;
};

/* Adds a finding with its values, whose words are borrowed and must outlive it; one beyond FINDINGS_MAX is
 * left out.  report/finding_text.c says in which order the values stand. */
#define finding_add(findings, id, form, ...) \
	finding_put(findings, id, form, (const struct value[]){__VA_ARGS__}, \
	    sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
void finding_put(struct findings *findings, enum finding_id id, unsigned form,
    const struct value *values, size_t count);

/* True when one of them is a warning or worse. */
bool findings_warn(const struct findings *findings);

/* What is amiss in a host's TCP memory; `end` is its name in the texts. */
void findings_memory(struct findings *findings, const struct host *host, const char *end);

/* Names what limits the flow, with the numbers that decided, a confidence, and, when that is not
 * high, the measurement that would settle it. Pure. */
void limit_decide(const struct diagnosis_input *input, struct limit *limit);

/* What else is worth knowing, by the rows of finding_table. */
void findings_collect(
    const struct diagnosis_input *input, const struct limit *limit, struct findings *findings);

#endif
