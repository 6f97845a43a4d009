/* From a diagnosis to settings: tcp_rmem and tcp_wmem of the right host, and what goes with them. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/window.h"

/* One page: what the kernel itself guarantees a socket. */
#define BUFFER_MIN_BYTES 4096
/* The kernel's default since 4.20; larger makes every idle socket dearer. */
#define RMEM_DEFAULT_BYTES 131072
/* What a socket may send before its buffer has grown: a round trip or two sooner at full rate. */
#define WMEM_DEFAULT_BYTES 262144
/* A target above what was measured by less than this asks for nothing. */
#define TARGET_ABOVE 1.05

/* Keeps what is larger now, unless lowering is allowed and the value is of the kind that harms. */
static int64_t keep_larger(int64_t wanted, int64_t current, int64_t harmful_from, bool allow_lower)
{
	if (current <= wanted || (allow_lower && current >= harmful_from))
		return wanted;
	return current;
}

/* Completes a vector: min and default beside the ceiling, in order. */
static void set_vector(struct setting *setting, const struct tunable_value *current,
    double ceiling_bytes, int64_t default_bytes, bool allow_lower)
{
	struct tunable_value *value = &setting->value;
	int64_t ceiling = (int64_t)ceiling_bytes;

	*value = (struct tunable_value){.known = true, .count = 3};
	value->number[0] = BUFFER_MIN_BYTES;
	value->number[1] = default_bytes;
	value->number[2] = ceiling;
	if (current) {
		setting->current = *current;
		value->number[0] =
		    keep_larger(value->number[0], current->number[0], 65537, allow_lower);
		value->number[1] =
		    keep_larger(value->number[1], current->number[1], 2 * 1048576, allow_lower);
		value->number[2] = keep_larger(ceiling, current->number[2], 0, allow_lower);
	}
	if (value->number[1] < value->number[0])
		value->number[1] = value->number[0];
	if (value->number[2] < value->number[1])
		value->number[2] = value->number[1];
	setting->change = !current || !tunable_value_equal(setting->id, value, current);
	for (int i = 0; current && i < 3; i++)
		if (value->number[i] < current->number[i])
			setting->lowers = true;
}

/* "x MiB by the kernel rule": what the rungs below the one used would have said. */
static void say_others(struct setting *setting, const struct rungs *rungs)
{
	size_t used = 0;

	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++) {
		if (i == (int)rungs->best || rungs->bytes[i] <= 0)
			continue;
		int n = snprintf(setting->sizing_others + used,
		    sizeof(setting->sizing_others) - used, "%s%s by %s", used ? "; " : "",
		    size_text(rungs->bytes[i]).s, sizing_name((enum sizing)i));
		if (n < 0 || (size_t)n >= sizeof(setting->sizing_others) - used)
			break;
		used += (size_t)n;
	}
}

/* A send buffer scales too, less what a small one holds beyond its lasting share. */
static void say_scaled_send(struct setting *setting, const struct path *path,
    const struct tunable_value *current, double bytes)
{
	double ceiling = current ? (double)current->number[2] : 0;
	double plain = ceiling * path->target_bps / path->rate_bps;
	char extra[96] = "";

	if (bytes > 1.01 * plain)
		snprintf(extra, sizeof(extra),
		    " x %.2f (a larger one holds less of itself in flight)", bytes / plain);
	snprintf(setting->why, sizeof(setting->why),
	    "%s x %s / %s%s = %s, rounded up to %s: what was measured under the present ceiling scales",
	    size_text(ceiling).s, rate_text(path->target_bps).s, rate_text(path->rate_bps).s, extra,
	    size_text(bytes).s, size_text((double)setting->value.number[2]).s);
}

static void say_why(struct setting *setting, const struct advice_input *input,
    const struct rungs *rungs, const struct tunable_value *current, const char *what)
{
	const struct path *path = &input->analysis->path;
	double bytes = rungs->bytes[rungs->best];

	switch (rungs->best) {
	case SIZING_SWEEP:
		snprintf(setting->why, sizeof(setting->why), "measured by the sweep: %s carried %s",
		    size_text(bytes).s,
		    rate_text(path->has & PATH_MEAN_RATE ? path->mean_rate_bps : path->rate_bps).s);
		break;
	case SIZING_SCALING:
		if (setting->id == TUNABLE_TCP_WMEM) {
			say_scaled_send(setting, path, current, bytes);
			break;
		}
		snprintf(setting->why, sizeof(setting->why),
		    "%s x %s / %s = %s, rounded up to %s: what was measured under the present ceiling "
		    "scales, whatever the RTT and the kernel's share",
		    size_text(current ? (double)current->number[2] : 0).s,
		    rate_text(path->target_bps).s, rate_text(path->rate_bps).s, size_text(bytes).s,
		    size_text((double)setting->value.number[2]).s);
		break;
	case SIZING_OBSERVED_RATIO:
		snprintf(setting->why, sizeof(setting->why),
		    "%s must be in flight (%s x %s%s); the peer's window is %.0f %% of its ceiling now, so "
		    "%s, rounded up to %s",
		    size_text(path->stream_bdp_bytes).s, rate_text(path->target_bps).s,
		    time_text(path->rtt.us).s, path->streams > 1 ? " / streams" : "",
		    100 * path->peer_window_max_bytes / (current ? (double)current->number[2] : 1),
		    size_text(bytes).s, size_text((double)setting->value.number[2]).s);
		break;
	case SIZING_KERNEL_RULE:
	case SIZING_NONE:
	case SIZING_COUNT:
		snprintf(setting->why, sizeof(setting->why),
		    "%s must be in flight (%s x %s%s); %.2f of %s is %s, so %s, rounded up to %s",
		    size_text(path->stream_bdp_bytes).s, rate_text(path->target_bps).s,
		    time_text(path->rtt.us).s, path->streams > 1 ? " / streams" : "",
		    path->stream_bdp_bytes / bytes,
		    setting->id == TUNABLE_TCP_RMEM ? "the buffer" : "it", what, size_text(bytes).s,
		    size_text((double)setting->value.number[2]).s);
		break;
	}
}

static const struct tunable_value *current_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

#define HEADROOM "headroom for busy connections, not a reservation; "

static bool say_unknown(struct setting *setting, const struct tunable_value *current)
{
	if (current)
		return false;
	snprintf(setting->risk, sizeof(setting->risk),
	    "what is set there now is not known: where a value is larger, keep it");
	return true;
}

/* Autotuning reads the ceiling anew each time (net/ipv4/tcp_input.c tcp_rcv_space_adjust), but no window
 * outgrows the scale of its SYN, which was chosen by the ceilings of then. */
static void say_receive_risk(
    struct setting *setting, const struct tunable_value *current, const struct host *host)
{
	const struct tunable_value *core = current_of(host, TUNABLE_RMEM_MAX);

	if (say_unknown(setting, current))
		return;
	double then = fmax((double)current->number[2], core ? (double)core->number[0] : 0);
	double most = window_scale_limit(window_scale_for(then));
	double now = window_of_buffer((double)setting->value.number[2],
	    window_share(&host->kernel, &host->values[TUNABLE_TCP_ADV_WIN_SCALE]).typical);

	if (now > most)
		snprintf(setting->risk, sizeof(setting->risk),
		    HEADROOM
		    "a slow reader can fill it; connections that are up stay below a window of %s, "
		    "by the scale of their SYN",
		    size_text(most).s);
	else
		snprintf(setting->risk, sizeof(setting->risk),
		    HEADROOM
		    "a slow reader can fill it; connections that are up grow into it, too");
}

/* net/ipv4/tcp_input.c tcp_sndbuf_expand: read anew, too, and there is no scale to it. */
static void say_send_risk(struct setting *setting, const struct tunable_value *current)
{
	if (!say_unknown(setting, current))
		snprintf(setting->risk, sizeof(setting->risk),
		    HEADROOM
		    "a slow receiver can fill it; connections that are up grow into it, too");
}

/* What a sweep measured is set as it was measured; what was reckoned is rounded up. */
static double ceiling_of(const struct rungs *rungs)
{
	double bytes = rungs->bytes[rungs->best];

	return rungs->best == SIZING_SWEEP ? bytes : ceiling_round(bytes);
}

static bool may_carry(const struct advice_input *input, double ceiling_bytes)
{
	const struct host *receiver = input->receiver;
	double most = window_of_buffer(ceiling_bytes,
	    window_share(&receiver->kernel, &receiver->values[TUNABLE_TCP_ADV_WIN_SCALE]).high);

	return (input->analysis->path.has & PATH_BDP) &&
	       most >= input->analysis->path.stream_bdp_bytes;
}

static void ask_to_measure(
    const struct advice_input *input, struct plan *plan, double ceiling_bytes)
{
	struct command *command = plan_add_command(plan);

	if (!command)
		return;
	strlcpy(command->command, "iperf3 ... -J", sizeof(command->command));
	snprintf(command->why, sizeof(command->why),
	    "measures again: a window of %s does not come from the receiver's present ceiling of %s, "
	    "which may carry the target already",
	    size_text(input->analysis->path.window_bytes).s, size_text(ceiling_bytes).s);
}

/* tcp_rmem of the host that receives. Returns the ceiling that is to be, 0 when it cannot be told. */
static double advise_receive(const struct advice_input *input, struct plan *plan, enum role host)
{
	const struct tunable_value *current = current_of(input->receiver, TUNABLE_TCP_RMEM);
	struct rungs rungs;

	sizing_receive(input, &rungs);
	if (rungs.best == SIZING_NONE)
		return 0;
	double ceiling = ceiling_of(&rungs);
	if (current && ceiling <= (double)current->number[2] && !input->allow_lower)
		return (double)current->number[2];
	/* Raised since that run, most likely: only what the present ceiling cannot carry at all is a
	 * reason to raise it again before somebody has measured. */
	if (current && rungs.outdated && rungs.best != SIZING_SWEEP &&
	    may_carry(input, (double)current->number[2])) {
		ask_to_measure(input, plan, (double)current->number[2]);
		return (double)current->number[2];
	}
	struct setting *setting = plan_add_setting(plan, TUNABLE_TCP_RMEM, host);
	if (!setting)
		return 0;
	set_vector(setting, current, ceiling, RMEM_DEFAULT_BYTES, input->allow_lower);
	setting->sized_by = rungs.best;
	say_why(setting, input, &rungs, current, "window");
	say_others(setting, &rungs);
	say_receive_risk(setting, current, input->receiver);
	plan->predicted_bps = predict_receive_bps(input, (double)setting->value.number[2]);
	return (double)setting->value.number[2];
}

static bool rtt_was_measured(const struct path *path)
{
	return path->rtt.method == RTT_GIVEN || path->rtt.method == RTT_TCP_INFO ||
	       path->rtt.method == RTT_PING;
}

/* tcp_wmem of the host that sends; `lockstep_bytes` is the ceiling of its tcp_rmem, 0 for none. */
static void advise_send(
    const struct advice_input *input, struct plan *plan, enum role host, double lockstep_bytes)
{
	const struct tunable_value *current = current_of(input->sender, TUNABLE_TCP_WMEM);
	const struct path *path = &input->analysis->path;
	struct rungs rungs;

	sizing_send(input, &rungs);
	bool lockstep = lockstep_bytes > 0 && rungs.best != SIZING_SCALING &&
			(!rtt_was_measured(path) || rungs.best == SIZING_NONE ||
			    ceiling_of(&rungs) <= lockstep_bytes);
	if (!lockstep && rungs.best == SIZING_NONE)
		return;
	double ceiling = lockstep ? lockstep_bytes : ceiling_of(&rungs);
	if (current && ceiling <= (double)current->number[2] && !input->allow_lower)
		return;
	struct setting *setting = plan_add_setting(plan, TUNABLE_TCP_WMEM, host);
	if (!setting)
		return;
	set_vector(setting, current, ceiling, WMEM_DEFAULT_BYTES, input->allow_lower);
	if (lockstep) {
		/* The rung that sized tcp_rmem sizes this, too. */
		setting->sized_by = setting > plan->settings ? setting[-1].sized_by : SIZING_NONE;
		snprintf(setting->why, sizeof(setting->why),
		    "in step with tcp_rmem: what comes in over the long path goes out again; the default of "
		    "%s lets a new connection send before its buffer has grown",
		    size_text((double)setting->value.number[1]).s);
	} else {
		setting->sized_by = rungs.best;
		say_why(setting, input, &rungs, current, "in flight");
		say_others(setting, &rungs);
		if (plan->predicted_bps <= 0)
			plan->predicted_bps =
			    predict_send_bps(input, (double)setting->value.number[2]);
	}
	say_send_risk(setting, current);
}

/* True when a known ceiling on the other side would be the next to hold the flow. */
static bool receive_would_hold(const struct advice_input *input)
{
	const struct tunable_value *rmem = current_of(input->receiver, TUNABLE_TCP_RMEM);
	const struct path *path = &input->analysis->path;

	return rmem && (path->has & PATH_BDP) &&
	       window_of_buffer(
		   (double)rmem->number[2], window_share(&input->receiver->kernel,
						&input->receiver->values[TUNABLE_TCP_ADV_WIN_SCALE])
						.typical) < path->stream_bdp_bytes;
}

static bool send_would_hold(const struct advice_input *input)
{
	const struct tunable_value *wmem = current_of(input->sender, TUNABLE_TCP_WMEM);
	const struct path *path = &input->analysis->path;

	return wmem && (path->has & PATH_BDP) &&
	       window_of_buffer((double)wmem->number[2], send_share(false).low) <
		   path->stream_bdp_bytes;
}

/* What of the two sides to size when no role was given. */
static void advise_by_evidence(const struct advice_input *input, struct plan *plan)
{
	const struct analysis *analysis = input->analysis;

	if (!analysis->run) {
		double ceiling = advise_receive(input, plan, ROLE_RECEIVER);
		advise_send(input, plan, ROLE_SENDER, ceiling);
		return;
	}
	if (input->sweep_ceiling_bytes > 0 || input->sweep_send_bytes > 0) {
		if (input->sweep_ceiling_bytes > 0)
			advise_receive(input, plan, ROLE_RECEIVER);
		if (input->sweep_send_bytes > 0)
			advise_send(input, plan, ROLE_SENDER, 0);
		return;
	}
	bool more = input->target_is_given &&
		    analysis->path.target_bps > TARGET_ABOVE * analysis->path.rate_bps;
	if (receive_side_holds(analysis) || (more && receive_would_hold(input)))
		advise_receive(input, plan, ROLE_RECEIVER);
	if (analysis->limit.factor == FACTOR_SEND_BUFFER || (more && send_would_hold(input)) ||
	    (send_side_holds(analysis) && !input->receiver && input->sender))
		advise_send(input, plan, ROLE_SENDER, 0);
}

/* For programs that set SO_RCVBUF or SO_SNDBUF themselves: what they must ask for, and may. */
static void advise_setsockopt(
    const struct advice_input *input, struct plan *plan, enum tunable_id id, enum role role)
{
	const struct host *host = id == TUNABLE_RMEM_MAX ? input->receiver : input->sender;
	const struct path *path = &input->analysis->path;
	const struct tunable_value *current = current_of(host, id);

	if (!(path->has & PATH_BDP))
		return;
	/* The kernel doubles what is asked: half of that is window, a quarter on Linux 6.6 to 6.9. */
	bool quarter = id == TUNABLE_RMEM_MAX && host && kernel_at_least(&host->kernel, 6, 6) &&
		       kernel_before(&host->kernel, 6, 10);
	double bytes =
	    ceiling_round(fmin(path->stream_bdp_bytes * (quarter ? 2 : 1), BUFFER_MAX_BYTES / 2));
	if (current && bytes <= (double)current->number[0])
		return;
	struct setting *setting = plan_add_setting(plan, id, role);
	if (!setting)
		return;
	setting->value =
	    (struct tunable_value){.known = true, .count = 1, .number = {(int64_t)bytes}};
	if (current)
		setting->current = *current;
	snprintf(setting->why, sizeof(setting->why),
	    "lets a program ask for %s with %s, of which the kernel makes twice that: enough for %s in "
	    "flight; such a socket is not autotuned any more",
	    size_text(bytes).s, id == TUNABLE_RMEM_MAX ? "SO_RCVBUF" : "SO_SNDBUF",
	    size_text(path->stream_bdp_bytes).s);
}

void plan_make(const struct advice_input *input, struct plan *plan)
{
	/* entries are made afresh when they are added: clearing all 34 KiB of room would take longer
	 * than filling what is used of it */
	plan->setting_count = plan->not_advised_count = plan->command_count = 0;
	plan->predicted_bps = 0;
	plan->receiver_name[0] = plan->sender_name[0] = '\0';
	plan->role = input->role;
	plan->here = input->here;
	const struct run *run = input->analysis->run;
	if (run) {
		strlcpy(plan->receiver_name, run->receiver, sizeof(plan->receiver_name));
		strlcpy(plan->sender_name, run->sender, sizeof(plan->sender_name));
	}
	/* Without a larger target the present ceilings carry what was measured. */
	bool wants = (!run && input->target_is_given) || input->sweep_ceiling_bytes > 0 ||
		     input->sweep_send_bytes > 0 ||
		     (run && input->analysis->path.target_bps >
				 TARGET_ABOVE * input->analysis->path.rate_bps);
	if (wants && input->role == ROLE_PROXY) {
		double ceiling = advise_receive(input, plan, ROLE_PROXY);
		advise_send(input, plan, ROLE_PROXY, ceiling);
	} else if (wants && input->role == ROLE_RECEIVER) {
		advise_receive(input, plan, ROLE_RECEIVER);
	} else if (wants && input->role == ROLE_SENDER) {
		advise_send(input, plan, ROLE_SENDER, 0);
	} else if (wants) {
		advise_by_evidence(input, plan);
	}
	if (wants && input->setsockopt && input->role != ROLE_SENDER)
		advise_setsockopt(
		    input, plan, TUNABLE_RMEM_MAX, input->role ? input->role : ROLE_RECEIVER);
	if (wants && input->setsockopt && input->role != ROLE_RECEIVER)
		advise_setsockopt(
		    input, plan, TUNABLE_WMEM_MAX, input->role ? input->role : ROLE_SENDER);
	plan_congestion(input, plan);
	plan_refusals(input, plan);
	plan_commands(input, plan);
}
