/*
 * From a diagnosis to a plan: what to set on which host.
 */
#ifndef BDP_ADVICE_H
#define BDP_ADVICE_H

#include "advice/plan.h"
#include "diagnosis/diagnosis.h"
#include "model/window.h"

struct advice_input {
	const struct analysis *analysis;
	const struct host *receiver, *sender; /* NULL when unknown; the same one for a proxy */
	enum role role;			 /* of the host advised; ROLE_UNKNOWN: by the evidence */
	enum role here;			 /* what this machine is on the path */
	const struct analysis *baseline; /* a run that shows what the path carries, or NULL */
	bool baseline_is_swept; /* that is a run of the same sweep, under a larger ceiling */
	bool target_is_given;	/* -t or --baseline: more than what was measured is wanted */
	bool allow_lower;
	unsigned streams;   /* how many the target is spread over; 0: as measured */
	bool fixed_streams; /* -P: no more, whatever they can carry */
	bool loss_is_given; /* -l: it bounds what is sized for */
	bool setsockopt;    /* size net.core.rmem_max and wmem_max for programs that set buffers */
	double sweep_ceiling_bytes; /* knee of a sweep of the receiver's tcp_rmem; 0: none */
	double sweep_send_bytes;    /* the same of the sender's tcp_wmem */
	double sweep_beyond_bytes;  /* the largest that the sweep tried beyond it; 0: none */
};

/* Pure. */
void plan_make(const struct advice_input *input, struct plan *plan);

/* A target this much above the measured rate is more than what a run repeats to.  The only place that
 * decides it. */
#define TARGET_ABOVE 1.02
bool target_is_above(const struct path *path);

/* What lifts a cause. */
struct lift {
	bool by_setting;       /* some kernel setting may */
	enum tunable_id id;    /* which, */
	enum role end;	       /* and where; ROLE_UNKNOWN: at either end */
	enum confidence least; /* below this confidence nothing is set for it */
};

extern const struct lift lift_table[FACTOR_COUNT];

/* True when the verdict names this cause with as much confidence as its setting takes. */
bool cause_is_sure(const struct analysis *analysis, enum factor factor);
/* True when a buffer holds the flow, with enough confidence to raise its ceiling. */
bool buffer_holds(const struct analysis *analysis);

/* What each sizing method gives: a ceiling in bytes before rounding, 0 when it cannot be had. */
struct size_candidates {
	double bytes[SIZING_COUNT];
	enum sizing best; /* SIZING_NONE when there is none */
};

/* The sizing methods for the receiver's tcp_rmem ceiling, and for the sender's tcp_wmem ceiling. */
void sizing_receive(const struct advice_input *input, struct size_candidates *candidates);
void sizing_send(const struct advice_input *input, struct size_candidates *candidates);

unsigned stream_count(const struct advice_input *input);
/* The loss ratio that bounds the rate, 0 when none is known. */
double loss_known(const struct advice_input *input);
/* Each stream's part of the target, bit/s, whatever the loss; 0 without a target. */
double stream_target_bps_asked(const struct advice_input *input);
/* The share of a receiver's tcp_rmem that becomes window; `receiver` may be NULL. */
struct share receive_share(const struct host *receiver);
/* The rate that each stream must carry, bit/s, and what must be in flight for it, bytes: of the target,
 * or of what the loss permits where that is given and less.  0 when unknown. */
double stream_target_bps(const struct advice_input *input);
double stream_need_bytes(const struct advice_input *input);
/* What loss-based control reaches under the loss that is known, of all streams, bit/s; INFINITY when
 * no loss is known or BBR sends. */
double loss_bound_bps(const struct advice_input *input);

/* Rate that a ceiling allows by the model that sized it, of all streams, bit/s; 0 when unknown.  `share` of
 * a send buffer is in flight. */
double predict_receive_bps(const struct advice_input *input, double ceiling_bytes);
double predict_send_bps(const struct advice_input *input, double ceiling_bytes, double share);

/* tcp_rmem of the host that receives, tcp_wmem of the host that sends (`in_step_bytes`: the ceiling of a
 * proxy's tcp_rmem, else 0), rmem_max or wmem_max for programs that set their buffers. */
double advise_receive(const struct advice_input *input, struct plan *plan, enum role host);
void advise_send(
    const struct advice_input *input, struct plan *plan, enum role host, double in_step_bytes);
void advise_setsockopt(
    const struct advice_input *input, struct plan *plan, enum tunable_id id, enum role role);
/* Switches that are off and must be on, of every host that is known. */
void plan_switches(const struct advice_input *input, struct plan *plan);

/* Not-advised entries and commands; plan.c calls these. */
void plan_not_recommended(const struct advice_input *input, struct plan *plan);
void plan_commands(const struct advice_input *input, struct plan *plan);
/* Congestion control and qdisc, from the evidence. */
void plan_congestion(const struct advice_input *input, struct plan *plan);

struct setting *plan_add_setting(struct plan *plan, enum tunable_id id, enum role host);
struct command *plan_add_command(struct plan *plan);
/* The reason that outranks those before it is kept: both ends of a path may give one. */
void plan_explain(struct plan *plan, enum plan_reason reason, const struct remark *because);
void plan_refuse(struct plan *plan, const char *key, const struct remark *because);

#endif
