/* From a diagnosis to a plan: which ends to raise, and what is said when none is. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <math.h>
#include <string.h>

#include "advice/streams.h"
#include "model/loss.h"
#include "model/window.h"

static const struct tunable_value *current_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

/* True when the known ceiling of the other end would be the next to hold the flow. */
static bool receive_would_hold(const struct advice_input *input)
{
	const struct tunable_value *rmem = current_of(input->receiver, TUNABLE_TCP_RMEM);

	return rmem && window_of_buffer((double)rmem->number[2],
			   receive_share(input->receiver).typical) < stream_need_bytes(input);
}

static bool send_would_hold(const struct advice_input *input)
{
	const struct tunable_value *wmem = current_of(input->sender, TUNABLE_TCP_WMEM);

	return wmem && window_of_buffer((double)wmem->number[2], send_share(false).low) <
			   stream_need_bytes(input);
}

/* Facts of one host that may be either end: it is simply the host. */
static bool is_one_host(const struct advice_input *input)
{
	return input->role == ROLE_UNKNOWN && input->receiver && input->receiver == input->sender;
}

/* Numbers name no host: what each end needs for them. */
static void advise_numbers(const struct advice_input *input, struct plan *plan)
{
	bool one = is_one_host(input);

	if (input->role != ROLE_SENDER)
		advise_receive(input, plan, one ? ROLE_UNKNOWN : ROLE_RECEIVER);
	if (input->role != ROLE_RECEIVER)
		advise_send(input, plan, one ? ROLE_UNKNOWN : ROLE_SENDER, 0);
}

static void explain_other_end(struct plan *plan, enum tunable_id id, enum role end)
{
	plan_explain(plan, REASON_OTHER_END,
	    &(struct remark){.id = REMARK_OTHER_END, .end = end, .key = id});
}

/* The end that holds the flow, and the other if it is known to hold it next. */
static void advise_run(const struct advice_input *input, struct plan *plan)
{
	bool receiver =
	    cause_is_sure(input->analysis, FACTOR_RECEIVE_WINDOW) || receive_would_hold(input);
	bool sender = cause_is_sure(input->analysis, FACTOR_SEND_BUFFER) || send_would_hold(input);

	if (receiver && input->role == ROLE_SENDER)
		explain_other_end(plan, TUNABLE_TCP_RMEM, ROLE_RECEIVER);
	else if (receiver)
		advise_receive(input, plan, ROLE_RECEIVER);
	if (sender && input->role == ROLE_RECEIVER)
		explain_other_end(plan, TUNABLE_TCP_WMEM, ROLE_SENDER);
	else if (sender)
		advise_send(input, plan, ROLE_SENDER, 0);
}

static void advise_sweep(const struct advice_input *input, struct plan *plan)
{
	if (input->sweep_ceiling_bytes > 0)
		advise_receive(input, plan, ROLE_RECEIVER);
	if (input->sweep_send_bytes > 0)
		advise_send(input, plan, ROLE_SENDER, 0);
}

/* Why no ceiling is raised for a run whose cause is no buffer, or not surely one. */
static void explain_cause(const struct advice_input *input, struct plan *plan)
{
	const struct limit *limit = &input->analysis->limit;
	const struct lift *lift = &lift_table[limit->factor];

	if (limit->factor == FACTOR_UNKNOWN || limit->confidence < lift->least)
		plan_explain(plan, REASON_UNDECIDED, &(struct remark){.id = REMARK_UNDECIDED});
	else
		plan_explain(plan, REASON_CAUSE,
		    &(struct remark){.id = REMARK_NO_BUFFER, .values = {as_number(limit->factor)}});
}

static void advise_ceilings(const struct advice_input *input, struct plan *plan)
{
	const struct analysis *analysis = input->analysis;
	bool swept = input->sweep_ceiling_bytes > 0 || input->sweep_send_bytes > 0;

	if (!swept && !analysis->run && !input->target_is_given)
		return;
	if (!swept && analysis->run && !target_is_above(&analysis->path)) {
		if (input->target_is_given)
			plan_explain(plan, REASON_TARGET_MET,
			    &(struct remark){.id = REMARK_TARGET_MET,
				.values = {as_rate(analysis->path.target.bps)}});
		return;
	}
	if (!swept && analysis->run && !buffer_holds(analysis))
		explain_cause(input, plan);
	else if (input->role == ROLE_PROXY)
		advise_send(input, plan, ROLE_PROXY, advise_receive(input, plan, ROLE_PROXY));
	else if (swept)
		advise_sweep(input, plan);
	else if (analysis->run)
		advise_run(input, plan);
	else
		advise_numbers(input, plan);
}

static void advise_programs(const struct advice_input *input, struct plan *plan)
{
	const struct analysis *analysis = input->analysis;
	bool one = is_one_host(input);
	bool held = buffer_holds(analysis) || cause_is_sure(analysis, FACTOR_SOCKET_OPTION);

	if (!input->setsockopt || !input->target_is_given ||
	    (analysis->run && (!held || !target_is_above(&analysis->path))))
		return;
	if (input->role != ROLE_SENDER)
		advise_setsockopt(input, plan, TUNABLE_RMEM_MAX,
		    input->role || one ? input->role : ROLE_RECEIVER);
	if (input->role != ROLE_RECEIVER)
		advise_setsockopt(
		    input, plan, TUNABLE_WMEM_MAX, input->role || one ? input->role : ROLE_SENDER);
}

/* Chance loss falls on each stream alike, so that many bear it together; of a run, the loss may be a queue's
 * or a policer's, which more streams make worse. */
static struct value streams_that_bear(const struct advice_input *input, double bound_bps)
{
	double count = ceil(input->analysis->path.target.bps / bound_bps * stream_count(input));
	bool told = !input->analysis->run && !input->fixed_streams && count <= STREAMS_ADVISED_MAX;

	return told ? as_number(count) : (struct value){.kind = VALUE_ABSENT};
}

/* What the loss that is known permits, and what loss the target bears. */
static void plan_loss(const struct advice_input *input, struct plan *plan)
{
	const struct path *path = &input->analysis->path;
	double bound = loss_bound_bps(input), target = stream_target_bps_asked(input);

	plan->loss_bound_bps = isfinite(bound) ? bound : 0;
	/* What holds it next is not known. */
	if (plan->reason == REASON_LOOK_FIRST)
		plan->predicted_bps = 0;
	plan->predicted_bps = fmin(plan->predicted_bps, bound);
	plan->predicted_low_bps = fmin(plan->predicted_low_bps, bound);
	plan->predicted_high_bps = fmin(plan->predicted_high_bps, bound);
	if (path->target.known && path->rtt.method != RTT_UNKNOWN && path->rtt.us > 0 &&
	    path->mss > 0 && target > 0 && !congestion_is_bbr(path->congestion_control))
		plan->bears_loss = cubic_loss_for_rate(path->mss, path->rtt.us, target);
	if (!(bound < path->target.bps && path->target.known))
		return;
	struct remark because = {.id = REMARK_LOSS_BOUND,
	    .values = {as_share(loss_known(input)),
		as_rate(bound), [3] = streams_that_bear(input, bound)}};
	if (stream_count(input) > 1)
		because.values[2] = as_number(stream_count(input));
	plan_explain(plan, REASON_LOSS, &because);
}

void plan_make(const struct advice_input *asked, struct plan *plan)
{
	struct advice_input spread = *asked;
	const struct advice_input *input = &spread;

	/* entries are made afresh when they are added: clearing all the room for them would take longer
	 * than filling what is used of it */
	plan->setting_count = plan->not_advised_count = plan->command_count = 0;
	plan->predicted_bps = plan->predicted_low_bps = plan->predicted_high_bps = 0;
	plan->loss_bound_bps = plan->bears_loss = 0;
	plan->reason = REASON_NONE;
	plan->because.id = REMARK_NONE;
	plan->reason_text[0] = plan->receiver_name[0] = plan->sender_name[0] = '\0';
	plan->proxy_name[0] = plan->made_on[0] = '\0';
	plan->role = input->role;
	plan->here = input->here;
	plan->here_by = HERE_BY_NOTHING;
	const struct run *run = input->analysis->run;
	if (run) {
		strlcpy(plan->receiver_name, run->receiver, sizeof(plan->receiver_name));
		strlcpy(plan->sender_name, run->sender, sizeof(plan->sender_name));
	}
	if (run && input->role == ROLE_PROXY)
		strlcpy(plan->proxy_name,
		    input->analysis->limit.where == WHERE_SENDER ? run->sender : run->receiver,
		    sizeof(plan->proxy_name));
	spread.streams = streams_needed(asked);
	plan_switches(input, plan);
	advise_ceilings(input, plan);
	advise_programs(input, plan);
	plan_streams(input, stream_count(asked), plan);
	plan_loss(input, plan);
	plan_congestion(input, plan);
	plan_not_recommended(input, plan);
	plan_commands(input, plan);
}

bool plan_wants_change(const struct plan *plan, const struct findings *findings)
{
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].change)
			return true;
	return findings_warn(findings);
}
