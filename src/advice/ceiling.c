/* One ceiling: by how much it is raised, on which host, and why; or why it is not. */
#include "advice/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advice/measure_command.h"
#include "base/units.h"
#include "model/stock.h"
#include "model/window.h"

/* One page: what the kernel itself guarantees a socket. */
#define BUFFER_MIN_BYTES 4096
/* The kernel's default since 4.20; larger makes every idle socket dearer. */
#define RMEM_DEFAULT_BYTES 131072
/* What a socket may send before its buffer has grown: a round trip or two sooner at full rate. */
#define WMEM_DEFAULT_BYTES 262144
/* A ceiling that permits this many times the measured rate, with the least share of it in use, is not
 * what held the run. */
#define PERMITS_MANY 2

/* BBR lets its rate sink while it drains and probes for the RTT (tcp_bbr.c): a cell of the laboratory that
 * rounding left no spare reached 0.946 of its target. */
#define BBR_SPARE 1.06
/* Two connections in series, each of which waits for the other's buffer: a cell with a proxy that rounding
 * left 1.4 % to spare reached 0.971 of its target. */
#define PROXY_SPARE 1.03

/* A ceiling that is wanted at one end. */
struct want {
	const struct advice_input *input;
	enum tunable_id id;
	enum role role;			     /* of the host it is for */
	const struct host *at;		     /* its facts, or NULL */
	const struct tunable_value *current; /* what is set there, or NULL */
	enum sizing sizing;
	double need_bytes;  /* before rounding */
	double least_share; /* of the buffer that is in flight at least */
};

/* Keeps what is larger now, unless lowering is allowed and the value is of the kind that harms. */
static int64_t keep_larger(int64_t wanted, int64_t current, int64_t harmful_from, bool allow_lower)
{
	if (current <= wanted || (allow_lower && current >= harmful_from))
		return wanted;
	return current;
}

/* Completes a vector: min and default beside the ceiling, in order. */
static void set_vector(struct setting *setting, const struct tunable_value *current,
    double ceiling_bytes, int64_t page_bytes, bool allow_lower)
{
	struct tunable_value *value = &setting->value;
	int64_t ceiling = (int64_t)ceiling_bytes;
	int64_t default_bytes =
	    setting->id == TUNABLE_TCP_RMEM ? RMEM_DEFAULT_BYTES : WMEM_DEFAULT_BYTES;

	*value = (struct tunable_value){.known = true, .count = 3};
	value->number[0] = page_bytes > BUFFER_MIN_BYTES ? page_bytes : BUFFER_MIN_BYTES;
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

/* "x MiB by the kernel rule": what the other sizing methods would have given. */
static void say_others(struct setting *setting, const struct size_candidates *candidates)
{
	size_t used = 0;

	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++) {
		if (i == (int)candidates->best || candidates->bytes[i] <= 0)
			continue;
		int n = snprintf(setting->sizing_others + used,
		    sizeof(setting->sizing_others) - used, "%s%s by %s", used ? "; " : "",
		    size_text(candidates->bytes[i]).s, sizing_name((enum sizing)i));
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
	text_append(setting->why, sizeof(setting->why), &setting->why_brief,
	    "%s x %s / %s%s = %s, rounded up to %s", size_text(ceiling).s,
	    rate_text(path->target_bps).s, rate_text(path->rate_bps).s, extra, size_text(bytes).s,
	    size_text((double)setting->value.number[2]).s);
	text_append(setting->why, sizeof(setting->why), NULL,
	    ": what was measured under the present ceiling scales");
}

static void say_why(struct setting *setting, const struct advice_input *input,
    const struct size_candidates *candidates, const struct tunable_value *current, const char *what)
{
	const struct path *path = &input->analysis->path;
	double bytes = candidates->bytes[candidates->best], need = stream_need_bytes(input);
	const char *each = stream_count(input) > 1 ? " of each stream" : "";

	switch (candidates->best) {
	case SIZING_SWEEP:
		snprintf(setting->why, sizeof(setting->why), "measured by the sweep: %s carried %s",
		    size_text(bytes).s, rate_text(path->rate_bps).s);
		break;
	case SIZING_SCALING:
		if (setting->id == TUNABLE_TCP_WMEM) {
			say_scaled_send(setting, path, current, bytes);
			break;
		}
		text_append(setting->why, sizeof(setting->why), &setting->why_brief,
		    "%s x %s / %s = %s, rounded up to %s",
		    size_text(current ? (double)current->number[2] : 0).s,
		    rate_text(path->target_bps).s, rate_text(path->rate_bps).s, size_text(bytes).s,
		    size_text((double)setting->value.number[2]).s);
		text_append(setting->why, sizeof(setting->why), NULL,
		    ": what was measured under the present ceiling scales, whatever the RTT and the "
		    "kernel's share");
		break;
	case SIZING_OBSERVED_RATIO:
		text_append(setting->why, sizeof(setting->why), &setting->why_brief,
		    "%s must be in flight (%s%s x %s)", size_text(need).s,
		    rate_text(stream_target_bps(input)).s, each, time_text(path->rtt.us).s);
		text_append(setting->why, sizeof(setting->why), NULL,
		    "; the peer's window is %.0f %% of its ceiling now, so %s, rounded up to %s",
		    100 * path->peer_window_max_bytes / (current ? (double)current->number[2] : 1),
		    size_text(bytes).s, size_text((double)setting->value.number[2]).s);
		break;
	case SIZING_KERNEL_RULE:
	case SIZING_NONE:
	case SIZING_COUNT:
		text_append(setting->why, sizeof(setting->why), &setting->why_brief,
		    "%s must be in flight (%s%s x %s)", size_text(need).s,
		    rate_text(stream_target_bps(input)).s, each, time_text(path->rtt.us).s);
		text_append(setting->why, sizeof(setting->why), NULL,
		    "; %.2f of %s is %s, so %s, rounded up to %s",
		    fmin(need, WINDOW_MAX_BYTES) / bytes,
		    setting->id == TUNABLE_TCP_RMEM ? "the buffer" : "it", what, size_text(bytes).s,
		    size_text((double)setting->value.number[2]).s);
		break;
	}
}

static const struct tunable_value *current_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

#define GROW_TOO "; connections that are up grow into it, too"

static void say_headroom(struct setting *setting)
{
	text_append(setting->risk, sizeof(setting->risk), &setting->risk_brief,
	    "headroom, not a reservation; a slow reader can fill it");
}

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

	say_headroom(setting);
	if (now > most)
		text_append(setting->risk, sizeof(setting->risk), NULL,
		    "; connections that are up stay below a window of %s, by the scale of their SYN",
		    size_text(most).s);
	else
		text_append(setting->risk, sizeof(setting->risk), NULL, GROW_TOO);
}

/* net/ipv4/tcp_input.c tcp_sndbuf_expand: read anew, too, and there is no scale to it. */
static void say_send_risk(struct setting *setting, const struct tunable_value *current)
{
	if (say_unknown(setting, current))
		return;
	say_headroom(setting);
	text_append(setting->risk, sizeof(setting->risk), NULL, GROW_TOO);
}

/* What a sweep measured is set as it was measured; what was computed is rounded up, and is never less
 * than what is in flight now. */
static double ceiling_of(
    const struct advice_input *input, enum tunable_id id, const struct size_candidates *candidates)
{
	const struct path *path = &input->analysis->path;
	double bytes = candidates->bytes[candidates->best];

	if (candidates->best == SIZING_SWEEP)
		return bytes;
	if (id == TUNABLE_TCP_RMEM && (path->has & PATH_PEER_WINDOW))
		bytes = fmax(bytes, path->peer_window_max_bytes);
	if (path->has & PATH_IN_FLIGHT)
		bytes = fmax(bytes, path->in_flight_bytes);
	if (congestion_is_bbr(path->congestion_control))
		bytes *= BBR_SPARE;
	else if (input->analysis->run && input->role == ROLE_PROXY)
		bytes *= PROXY_SPARE;
	return ceiling_round(bytes);
}

static const char *end_name(enum tunable_id id, enum role host)
{
	if (host == ROLE_UNKNOWN)
		return "on that host";
	if (host == ROLE_PROXY)
		return "on the proxy";
	return id == TUNABLE_TCP_RMEM || id == TUNABLE_RMEM_MAX ? "on the receiver"
								: "on the sender";
}

static const char *short_name(enum tunable_id id)
{
	return strrchr(tunables[id].key, '.') + 1;
}

/* What is set there must be seen first: the line is not printed, the way to see it is. */
static void look_first(struct plan *plan, enum tunable_id id, enum role host, double ceiling_bytes,
    const struct stock *stock)
{
	struct command *command;

	plan_explain(plan, REASON_LOOK_FIRST,
	    "%s needs a maximum of %s %s, and what is set there is not known (Linux ships %s to %s)",
	    short_name(id), size_text(ceiling_bytes).s, end_name(id, host),
	    size_text(stock->smallest_bytes).s, size_text(stock->largest_bytes).s);
	if (!(command = plan_add_command(plan)))
		return;
	command->host = host;
	snprintf(command->command, sizeof(command->command), "sysctl %s", tunables[id].key);
	snprintf(command->why, sizeof(command->why),
	    "%s: its %s must be at least %.0f (%s) for that rate", end_name(id, host),
	    tunables[id].kind == TUNABLE_VECTOR3 ? "third number" : "value", ceiling_bytes,
	    size_text(ceiling_bytes).s);
}

/*
 * Without the value that is set there, nothing below the largest default of any kernel is advised: it
 * would lower somebody's ceiling.  Where that is more than twice what is needed, nothing is.
 */
static bool allow_unknown(const struct want *want, struct plan *plan, double *ceiling_bytes)
{
	const uint64_t ram = want->at ? want->at->mem_total_bytes : 0;
	const struct stock stock = stock_ceiling(want->id, ram);

	/* A sweep that went beyond every default and found no more there has measured this one. */
	if (*ceiling_bytes >= stock.largest_bytes ||
	    (want->sizing == SIZING_SWEEP &&
		want->input->sweep_beyond_bytes >= stock.largest_bytes))
		return true;
	if (*ceiling_bytes <= stock.smallest_bytes) {
		plan_explain(plan, REASON_DEFAULTS, "every Linux default covers it");
		return false;
	}
	if (want->sizing == SIZING_SWEEP ||
	    stock.largest_bytes > ceiling_round(2 * want->need_bytes)) {
		look_first(plan, want->id, want->role, *ceiling_bytes, &stock);
		return false;
	}
	*ceiling_bytes = stock.largest_bytes;
	return true;
}

/* What one stream has in flight at most; 0 when that cannot be told.  An RTT that was computed from a
 * window tells nothing of that window: cwnd bounds it then. */
static double in_flight_at_most(const struct path *path)
{
	bool measured = path->rtt.method != RTT_CWND && path->rtt.method != RTT_RMEM_SHARE;

	if (measured && path->rtt.high_us > 0)
		return bdp_bytes(path->stream_rate_bps, path->rtt.high_us);
	return path->has & PATH_CWND ? path->cwnd_bytes : 0;
}

/* How many times the measured rate a ceiling permits when the least share of it is in use; 0 when that
 * cannot be told. */
static double permitted_times(const struct want *want, double ceiling_bytes, double least_share)
{
	double in_flight = in_flight_at_most(&want->input->analysis->path);

	if (!want->input->analysis->run || in_flight <= 0)
		return 0;
	return window_of_buffer(ceiling_bytes, least_share) / in_flight;
}

/* A verdict without a window or an RTT to size by. */
static void ask_for_size(const struct want *want, struct plan *plan)
{
	if (want->input->analysis->run)
		plan_explain(plan, REASON_MEASURE,
		    "neither the RTT nor what is in flight is known, so no size can be told: give a "
		    "ping of the path, or the sender's iperf3 -J");
}

static void measure_again(const struct want *want, struct plan *plan, double times)
{
	double current = (double)want->current->number[2];
	struct command *command = plan_add_command(plan);

	plan_explain(plan, REASON_MEASURE,
	    "the %s ceiling of %s %s permits %.0f times that rate: buffers are not what held this run",
	    short_name(want->id), size_text(current).s, end_name(want->id, want->role),
	    floor(times));
	if (!command)
		return;
	measure_command(
	    want->input->analysis->run, "-J", command->command, sizeof(command->command));
	snprintf(command->why, sizeof(command->why),
	    "measures again: a window of %s does not come from the present ceiling of %s, which may "
	    "have been raised since",
	    size_text(want->input->analysis->path.window_bytes).s, size_text(current).s);
}

static bool allow_known(const struct want *want, struct plan *plan, double ceiling_bytes)
{
	double current = (double)want->current->number[2];
	double times = permitted_times(want, current, want->least_share);

	if ((ceiling_bytes <= current || want->need_bytes <= current) &&
	    !want->input->allow_lower) {
		plan_explain(plan, REASON_SUFFICIENT, "the %s ceiling of %s %s covers it",
		    short_name(want->id), size_text(current).s, end_name(want->id, want->role));
		return false;
	}
	if (want->sizing != SIZING_SWEEP && times >= PERMITS_MANY) {
		measure_again(want, plan, times);
		return false;
	}
	return true;
}

static bool allow(const struct want *want, struct plan *plan, double *ceiling_bytes)
{
	return want->current ? allow_known(want, plan, *ceiling_bytes)
			     : allow_unknown(want, plan, ceiling_bytes);
}

static struct setting *raise_ceiling(
    const struct want *want, struct plan *plan, double ceiling_bytes)
{
	struct setting *setting = plan_add_setting(plan, want->id, want->role);
	int64_t page = want->at ? (int64_t)want->at->page_size : 0;

	if (setting)
		set_vector(setting, want->current, ceiling_bytes, page, want->input->allow_lower);
	return setting;
}

static void expect(struct plan *plan, double rate_bps)
{
	if (rate_bps > 0 && (plan->predicted_bps <= 0 || rate_bps < plan->predicted_bps))
		plan->predicted_bps = rate_bps;
}

double advise_receive(const struct advice_input *input, struct plan *plan, enum role host)
{
	const struct host *at = input->receiver;
	struct want want = {.input = input,
	    .id = TUNABLE_TCP_RMEM,
	    .role = host,
	    .at = at,
	    .current = current_of(at, TUNABLE_TCP_RMEM),
	    .least_share = receive_share(at).low};
	struct size_candidates candidates;

	sizing_receive(input, &candidates);
	if (candidates.best == SIZING_NONE) {
		ask_for_size(&want, plan);
		return 0;
	}
	double ceiling = ceiling_of(input, TUNABLE_TCP_RMEM, &candidates);
	want.sizing = candidates.best;
	want.need_bytes = candidates.bytes[candidates.best];
	if (!allow(&want, plan, &ceiling))
		return ceiling;
	struct setting *setting = raise_ceiling(&want, plan, ceiling);
	if (!setting)
		return 0;
	setting->sized_by = candidates.best;
	say_why(setting, input, &candidates, want.current, "window");
	say_others(setting, &candidates);
	say_receive_risk(setting, want.current, at);
	expect(plan, predict_receive_bps(input, (double)setting->value.number[2]));
	return (double)setting->value.number[2];
}

static bool rtt_was_measured(const struct path *path)
{
	return path->rtt.method == RTT_GIVEN || path->rtt.method == RTT_TCP_INFO ||
	       path->rtt.method == RTT_PING;
}

/* A proxy sends what it receives: as much, while its RTT is only a bound. */
static bool goes_in_step(const struct advice_input *input, const struct size_candidates *candidates,
    double in_step_bytes)
{
	return in_step_bytes > 0 && candidates->best != SIZING_SCALING &&
	       (!rtt_was_measured(&input->analysis->path) || candidates->best == SIZING_NONE ||
		   ceiling_of(input, TUNABLE_TCP_WMEM, candidates) <= in_step_bytes);
}

static void say_in_step(struct setting *setting, enum sizing sized_by)
{
	setting->sized_by = sized_by;
	text_append(setting->why, sizeof(setting->why), &setting->why_brief,
	    "in step with tcp_rmem: what comes in over the long path goes out again");
	text_append(setting->why, sizeof(setting->why), NULL,
	    "; the default of %s lets a new connection send before its buffer has grown",
	    size_text((double)setting->value.number[1]).s);
}

void advise_send(
    const struct advice_input *input, struct plan *plan, enum role host, double in_step_bytes)
{
	struct want want = {.input = input,
	    .id = TUNABLE_TCP_WMEM,
	    .role = host,
	    .at = input->sender,
	    .current = current_of(input->sender, TUNABLE_TCP_WMEM),
	    .least_share = send_share(false).low};
	struct size_candidates candidates, receive;

	sizing_send(input, &candidates);
	sizing_receive(input, &receive);
	bool in_step = goes_in_step(input, &candidates, in_step_bytes);
	if (!in_step && candidates.best == SIZING_NONE) {
		ask_for_size(&want, plan);
		return;
	}
	double ceiling = in_step ? in_step_bytes : ceiling_of(input, TUNABLE_TCP_WMEM, &candidates);
	/* The size that tcp_rmem was given is what the other is sized by. */
	want.sizing = in_step ? receive.best : candidates.best;
	want.need_bytes = in_step ? in_step_bytes : candidates.bytes[candidates.best];
	if (!allow(&want, plan, &ceiling))
		return;
	struct setting *setting = raise_ceiling(&want, plan, ceiling);
	if (!setting)
		return;
	if (in_step) {
		say_in_step(setting, receive.best);
	} else {
		setting->sized_by = candidates.best;
		say_why(setting, input, &candidates, want.current, "in flight");
		say_others(setting, &candidates);
		expect(plan, predict_send_bps(input, (double)setting->value.number[2]));
	}
	say_send_risk(setting, want.current);
}

void advise_setsockopt(
    const struct advice_input *input, struct plan *plan, enum tunable_id id, enum role role)
{
	const struct host *host = id == TUNABLE_RMEM_MAX ? input->receiver : input->sender;
	double need = stream_need_bytes(input);
	struct want want = {
	    .input = input, .id = id, .role = role, .at = host, .current = current_of(host, id)};

	if (need <= 0)
		return;
	/* The kernel doubles what is asked: half of that is window, a quarter on Linux 6.6 to 6.9. */
	bool quarter = id == TUNABLE_RMEM_MAX && host && kernel_at_least(&host->kernel, 6, 6) &&
		       kernel_before(&host->kernel, 6, 10);
	want.need_bytes = fmin(need * (quarter ? 2 : 1), BUFFER_MAX_BYTES / 2);
	double bytes = ceiling_round(want.need_bytes);
	if (want.current ? bytes <= (double)want.current->number[0]
			 : !allow_unknown(&want, plan, &bytes))
		return;
	struct setting *setting = plan_add_setting(plan, id, role);
	if (!setting)
		return;
	setting->value =
	    (struct tunable_value){.known = true, .count = 1, .number = {(int64_t)bytes}};
	if (want.current)
		setting->current = *want.current;
	text_append(setting->why, sizeof(setting->why), &setting->why_brief,
	    "lets a program ask for %s with %s", size_text(bytes).s,
	    id == TUNABLE_RMEM_MAX ? "SO_RCVBUF" : "SO_SNDBUF");
	text_append(setting->why, sizeof(setting->why), NULL,
	    ", of which the kernel makes twice that: enough for %s in flight; such a socket is not "
	    "autotuned any more",
	    size_text(need).s);
}
