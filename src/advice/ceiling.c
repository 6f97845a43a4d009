/* One ceiling: by how much it is raised, on which host, and why; or why it is not. */
#include "advice/advice.h"

#include <math.h>
#include <string.h>

#include "advice/measure_command.h"
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

static void note_others(struct setting *setting, const struct size_candidates *candidates)
{
	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++)
		if (i != (int)candidates->best)
			setting->other_bytes[i] = candidates->bytes[i];
}

/* What was measured under the present ceiling scales; a send buffer, less what a small one holds beyond its
 * lasting share. */
static struct remark scaled(const struct setting *setting, const struct path *path, double bytes)
{
	double ceiling = setting->current.known ? (double)setting->current.number[2] : 0;
	double plain = ceiling * path->target.bps / path->rate.bps;
	struct remark because = {.id = REMARK_SCALED,
	    .values = {as_size(ceiling), as_rate(path->target.bps), as_rate(path->rate.bps),
		as_size(bytes), as_size((double)setting->value.number[2])}};

	if (setting->id == TUNABLE_TCP_WMEM)
		because.id = REMARK_SCALED_SEND;
	if (setting->id == TUNABLE_TCP_WMEM && bytes > 1.01 * plain)
		because.values[5] = as_factor(bytes / plain);
	return because;
}

static struct remark reason_of(const struct setting *setting, const struct advice_input *input,
    const struct size_candidates *candidates)
{
	const struct path *path = &input->analysis->path;
	double bytes = candidates->bytes[candidates->best], need = stream_need_bytes(input);
	double current = setting->current.known ? (double)setting->current.number[2] : 1;
	struct remark because = {.values = {as_size(need), as_rate(stream_target_bps(input)),
				     [3] = as_time(path->rtt.us), [5] = as_size(bytes),
				     as_size((double)setting->value.number[2])}};

	if (stream_count(input) > 1)
		because.values[2] = as_number(stream_count(input));
	switch (candidates->best) {
	case SIZING_SWEEP:
		return (struct remark){
		    .id = REMARK_SWEPT, .values = {as_size(bytes), as_rate(path->rate.bps)}};
	case SIZING_SCALING:
		return scaled(setting, path, bytes);
	case SIZING_OBSERVED_RATIO:
		because.id = REMARK_OBSERVED;
		because.values[4] = as_percent(path->peer_window.max_bytes / current);
		return because;
	case SIZING_KERNEL_RULE:
	case SIZING_NONE:
	case SIZING_COUNT:
		break;
	}
	because.id = setting->id == TUNABLE_TCP_RMEM ? REMARK_RULE_RECEIVE : REMARK_RULE_SEND;
	because.values[4] = as_factor(fmin(need, WINDOW_MAX_BYTES) / bytes);
	return because;
}

static const struct tunable_value *current_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

/* Autotuning reads the ceiling anew each time (net/ipv4/tcp_input.c tcp_rcv_space_adjust), but no window
 * outgrows the scale of its SYN, which was chosen by the ceilings of then. */
static struct remark receive_danger(const struct setting *setting, const struct host *host)
{
	const struct tunable_value *core = current_of(host, TUNABLE_RMEM_MAX);

	if (!setting->current.known)
		return (struct remark){.id = REMARK_VALUE_UNKNOWN};
	double then = fmax((double)setting->current.number[2], core ? (double)core->number[0] : 0);
	double most = window_scale_limit(window_scale_for(then));
	double now = window_of_buffer((double)setting->value.number[2],
	    window_share(&host->kernel, &host->values[TUNABLE_TCP_ADV_WIN_SCALE]).typical);

	return now > most ? (struct remark){.id = REMARK_SCALE_STAYS, .values = {as_size(most)}}
			  : (struct remark){.id = REMARK_GROWS};
}

/* net/ipv4/tcp_input.c tcp_sndbuf_expand: read anew, too, and there is no scale to it. */
static struct remark send_danger(const struct setting *setting)
{
	return (struct remark){.id = setting->current.known ? REMARK_GROWS : REMARK_VALUE_UNKNOWN};
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
	if (id == TUNABLE_TCP_RMEM && path->peer_window.known)
		bytes = fmax(bytes, path->peer_window.max_bytes);
	if (path->in_flight.known)
		bytes = fmax(bytes, path->in_flight.bytes);
	if (congestion_is_bbr(path->congestion_control))
		bytes *= BBR_SPARE;
	else if (input->analysis->run && input->role == ROLE_PROXY)
		bytes *= PROXY_SPARE;
	return ceiling_round(bytes);
}

/* Of the ceiling that is wanted, at its host. */
static struct remark remark_of(const struct want *want, enum remark_id id)
{
	return (struct remark){.id = id, .end = want->role, .key = want->id};
}

/* What is set there must be seen first: the line is not printed, the way to see it is. */
static void look_first(
    struct plan *plan, const struct want *want, double ceiling_bytes, const struct stock *stock)
{
	bool vector = tunables[want->id].kind == TUNABLE_VECTOR3;
	struct remark because = remark_of(want, REMARK_LOOK_FIRST);
	struct command *command;

	because.values[0] = as_size(ceiling_bytes);
	because.values[1] = as_size(stock->smallest_bytes);
	because.values[2] = as_size(stock->largest_bytes);
	plan_explain(plan, REASON_LOOK_FIRST, &because);
	if (!(command = plan_add_command(plan)))
		return;
	command->host = want->role;
	command->because = remark_of(want, vector ? REMARK_LOOK_AT_VECTOR : REMARK_LOOK_AT_NUMBER);
	command->because.values[0] = as_number(ceiling_bytes);
	command->because.values[1] = as_size(ceiling_bytes);
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
		plan_explain(plan, REASON_DEFAULTS, &(struct remark){.id = REMARK_DEFAULTS});
		return false;
	}
	if (want->sizing == SIZING_SWEEP ||
	    stock.largest_bytes > ceiling_round(2 * want->need_bytes)) {
		look_first(plan, want, *ceiling_bytes, &stock);
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
		return bdp_bytes(path->rate.stream_bps, path->rtt.high_us);
	return path->cwnd.known ? path->cwnd.bytes : 0;
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
		plan_explain(plan, REASON_MEASURE, &(struct remark){.id = REMARK_NO_SIZE});
}

static void measure_again(const struct want *want, struct plan *plan, double times)
{
	double current = (double)want->current->number[2];
	struct command *command = plan_add_command(plan);
	struct remark because = remark_of(want, REMARK_PERMITS_MANY);

	because.values[0] = as_size(current);
	because.values[1] = as_number(floor(times));
	plan_explain(plan, REASON_MEASURE, &because);
	if (!command)
		return;
	measure_command(
	    want->input->analysis->run, "-J", command->command, sizeof(command->command));
	command->because = (struct remark){.id = REMARK_MEASURE_AGAIN,
	    .values = {as_size(want->input->analysis->path.window.bytes), as_size(current)}};
}

static bool allow_known(const struct want *want, struct plan *plan, double ceiling_bytes)
{
	double current = (double)want->current->number[2];
	double times = permitted_times(want, current, want->least_share);

	if ((ceiling_bytes <= current || want->need_bytes <= current) &&
	    !want->input->allow_lower) {
		struct remark because = remark_of(want, REMARK_COVERED);
		because.values[0] = as_size(current);
		plan_explain(plan, REASON_SUFFICIENT, &because);
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

/* The end that carries less decides, and how surely that is known. */
static void expect(struct plan *plan, double rate_bps, double low_bps, double high_bps)
{
	if (rate_bps <= 0 || (plan->predicted_bps > 0 && rate_bps >= plan->predicted_bps))
		return;
	plan->predicted_bps = rate_bps;
	plan->predicted_low_bps = low_bps;
	plan->predicted_high_bps = high_bps;
}

static void expect_send(const struct advice_input *input, struct plan *plan, double ceiling_bytes)
{
	const struct share share = send_share(false);

	expect(plan, predict_send_bps(input, ceiling_bytes, send_share_at(ceiling_bytes)),
	    predict_send_bps(input, ceiling_bytes, share.low),
	    predict_send_bps(input, ceiling_bytes, share.high));
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
	setting->because = reason_of(setting, input, &candidates);
	setting->danger = receive_danger(setting, at);
	note_others(setting, &candidates);
	expect(plan, predict_receive_bps(input, (double)setting->value.number[2]), 0, 0);
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
	setting->sized_by = want.sizing;
	setting->danger = send_danger(setting);
	if (in_step) {
		setting->because = (struct remark){
		    .id = REMARK_IN_STEP, .values = {as_size((double)setting->value.number[1])}};
		return;
	}
	setting->because = reason_of(setting, input, &candidates);
	note_others(setting, &candidates);
	expect_send(input, plan, (double)setting->value.number[2]);
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
	setting->because = (struct remark){.id = REMARK_PROGRAMS,
	    .values = {as_size(bytes), as_word(id == TUNABLE_RMEM_MAX ? "SO_RCVBUF" : "SO_SNDBUF"),
		as_size(need)}};
}
