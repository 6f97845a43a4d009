/*
 * From a diagnosis to a plan: what to set on which host.
 */
#ifndef BDP_ADVICE_H
#define BDP_ADVICE_H

#include "advice/plan.h"
#include "diagnosis/diagnosis.h"

struct advice_input {
	const struct analysis *analysis;
	const struct host *receiver, *sender; /* NULL when unknown; the same one for a proxy */
	enum role role;			 /* of the host advised; ROLE_UNKNOWN: by the evidence */
	enum role here;			 /* what this machine is on the path */
	const struct analysis *baseline; /* a run that shows what the path carries, or NULL */
	bool baseline_is_swept; /* that is a run of the same sweep, under a larger ceiling */
	bool target_is_given;	/* -t or --baseline: more than what was measured is wanted */
	bool allow_lower;
	bool setsockopt; /* size net.core.rmem_max and wmem_max for programs that set buffers */
	double sweep_ceiling_bytes; /* knee of a sweep of the receiver's tcp_rmem; 0: none */
	double sweep_send_bytes;    /* the same of the sender's tcp_wmem */
};

/* Pure. */
void plan_make(const struct advice_input *input, struct plan *plan);

/* One rung of the ladder: a ceiling in bytes before rounding, 0 when it cannot be had. */
struct rungs {
	double bytes[SIZING_COUNT];
	enum sizing best; /* SIZING_NONE when there is none */
	/* The window seen cannot come from the present ceiling: it was measured under another. */
	bool outdated;
};

/* The ladder for the receiver's tcp_rmem ceiling, and for the sender's tcp_wmem ceiling. */
void sizing_receive(const struct advice_input *input, struct rungs *rungs);
void sizing_send(const struct advice_input *input, struct rungs *rungs);

/* Rate that a ceiling allows by the model that sized it, of all streams, bit/s; 0 when unknown. */
double predict_receive_bps(const struct advice_input *input, double ceiling_bytes);
double predict_send_bps(const struct advice_input *input, double ceiling_bytes);

/* Not-advised entries and commands; plan.c calls these. */
void plan_refusals(const struct advice_input *input, struct plan *plan);
void plan_commands(const struct advice_input *input, struct plan *plan);
/* Congestion control and qdisc, from the evidence. */
void plan_congestion(const struct advice_input *input, struct plan *plan);

/* True when the verdict is that this buffer holds the flow, or may be (the likeliest candidates). */
bool receive_side_holds(const struct analysis *analysis);
bool send_side_holds(const struct analysis *analysis);

struct setting *plan_add_setting(struct plan *plan, enum tunable_id id, enum role host);
struct command *plan_add_command(struct plan *plan);
void plan_refuse(struct plan *plan, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
