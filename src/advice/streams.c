/* How many streams a target takes: no window is larger than RFC 7323 permits. */
#include "advice/streams.h"

#include <math.h>
#include <stdint.h>

#include "model/window.h"

/* Paced a little above its part: headers, and what is sent again. */
#define PACE_ABOVE 1.05

/* The end of maxrate: TCA_FQ_FLOW_MAX_RATE is 32 bits of bytes a second (net/sched/sch_fq.c), and tc refuses
 * more. */
#define FQ_RATE_MAX_BPS (8.0 * UINT32_MAX)

double stream_most_bps(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;
	double share = send_share(congestion_is_bbr(path->congestion_control)).planning;
	double most = fmin(WINDOW_MAX_BYTES, BUFFER_MAX_BYTES * share);

	if (path->rtt.method == RTT_UNKNOWN || path->rtt.us <= 0)
		return INFINITY;
	return most * 8e6 / path->rtt.us;
}

/* At less than this part of a core busy, what a full one carries is a guess. */
#define CORE_TOLD_PERCENT 50

/* What one core carries, by the share of it that the run took at the busier end: iperf3 runs a stream in one
 * thread (all of them in one, before 3.16).  INFINITY when that was not measured. */
static double core_most_bps(const struct advice_input *input)
{
	const struct run *run = input->analysis->run;
	double percent = 0;

	if (run && (run->has & RUN_SENDER_CPU))
		percent = run->sender_cpu_percent;
	if (run && (run->has & RUN_RECEIVER_CPU))
		percent = fmax(percent, run->receiver_cpu_percent);
	return percent >= CORE_TOLD_PERCENT ? 100 / percent * input->analysis->path.rate.bps
					    : INFINITY;
}

unsigned streams_needed(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;
	unsigned count = stream_count(input);
	double most = fmin(stream_most_bps(input), core_most_bps(input));

	if (input->streams || !input->target_is_given || !path->target.known ||
	    !(most < path->target.bps / count))
		return count;
	return (unsigned)fmin(ceil(path->target.bps / most), STREAMS_ADVISED_MAX);
}

static double ceilings_of(const struct plan *plan)
{
	double bytes = 0;

	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].id == TUNABLE_TCP_RMEM ||
		    plan->settings[i].id == TUNABLE_TCP_WMEM)
			bytes = fmax(bytes, (double)plan->settings[i].value.number[2]);
	return bytes;
}

static void add_pacing(struct plan *plan, enum role role)
{
	struct command *command;

	if (plan->streams.pace_bps >= FQ_RATE_MAX_BPS) {
		plan_refuse(plan, NULL,
		    &(struct remark){
			.id = REMARK_MAXRATE_ENDS, .values = {as_rate(FQ_RATE_MAX_BPS)}});
		return;
	}
	if (!(command = plan_add_command(plan)))
		return;
	command->host = role;
	command->because = (struct remark){
	    .id = REMARK_PACE_STREAMS, .values = {as_number(ceil(plan->streams.pace_bps / 1e6))}};
}

void plan_streams(const struct advice_input *input, unsigned asked_before, struct plan *plan)
{
	unsigned count = stream_count(input);

	plan->streams = (struct stream_plan){0};
	if (!input->analysis->path.target.known || (!input->fixed_streams && count == asked_before))
		return;
	plan->streams.count = count;
	plan->streams.is_fixed = input->fixed_streams;
	plan->streams.rate_bps = stream_target_bps_asked(input);
	plan->streams.most_bps = stream_most_bps(input);
	plan->streams.by_core = core_most_bps(input) < plan->streams.most_bps;
	if (plan->streams.by_core)
		plan->streams.most_bps = core_most_bps(input);
	plan->streams.pace_bps = PACE_ABOVE * plan->streams.rate_bps;
	plan->streams.memory_bytes = ceilings_of(plan) * count;
	if (count > 1 && input->role != ROLE_RECEIVER)
		add_pacing(plan, input->role ? input->role : ROLE_SENDER);
	if (!plan->streams.by_core && plan->streams.most_bps < 0.999 * plan->streams.rate_bps)
		plan_explain(plan, REASON_WINDOW_END,
		    &(struct remark){.id = REMARK_WINDOW_END,
			.values = {as_number(count), as_rate(count * plan->streams.most_bps)}});
}
