#include "diagnosis/diagnosis.h"

#include <string.h>

#include "diagnosis/host_findings.h"
#include "diagnosis/view.h"
#include "model/rtt.h"
#include "model/stock.h"
#include "model/window.h"

/* Below this a backlog is what any busy interface has. */
#define BACKLOG_MATTERS_US 5000
/* BBR holds up to a BDP in the queue by design (draft-ietf-ccwg-bbr, cwnd_gain 2), and nothing shortens
 * that; a delay of this much is no trouble to anybody. */
#define BBR_QUEUE_MATTERS_US 10000

const struct finding_row finding_table[FINDING_COUNT] = {
    [FINDING_LOSS] = {.id = "loss", .severity = SEVERITY_NOTICE},
    [FINDING_QUEUEING_DELAY] = {.id = "queueing-delay", .severity = SEVERITY_WARNING},
    [FINDING_SLOW_START_OVERSHOOT] = {.id = "slow-start-overshoot", .severity = SEVERITY_INFO},
    [FINDING_RATE_SWINGS] = {.id = "rate-swings", .severity = SEVERITY_NOTICE},
    [FINDING_LAGGING_STREAM] = {.id = "lagging-stream", .severity = SEVERITY_NOTICE},
    [FINDING_RECEIVER_LOWER] = {.id = "receiver-lower", .severity = SEVERITY_NOTICE},
    [FINDING_SMALL_MSS] = {.id = "small-mss", .severity = SEVERITY_NOTICE},
    [FINDING_RUNS_SPREAD] = {.id = "runs-spread", .severity = SEVERITY_NOTICE},
    [FINDING_RUNS_DIFFER] = {.id = "runs-differ", .severity = SEVERITY_NOTICE},
    [FINDING_JUMBO_MSS] = {.id = "jumbo-mss", .severity = SEVERITY_INFO},
    [FINDING_WINDOW_SCALING_OFF] = {.id = "window-scaling-off", .severity = SEVERITY_PROBLEM},
    [FINDING_SACK_OFF] = {.id = "sack-off", .severity = SEVERITY_WARNING},
    [FINDING_TIMESTAMPS_OFF] = {.id = "timestamps-off", .severity = SEVERITY_NOTICE},
    [FINDING_AUTOTUNING_OFF] = {.id = "autotuning-off", .severity = SEVERITY_PROBLEM},
    [FINDING_BUFFER_ORDER] = {.id = "buffer-order", .severity = SEVERITY_PROBLEM},
    [FINDING_HUGE_DEFAULT] = {.id = "huge-default", .severity = SEVERITY_WARNING},
    [FINDING_HUGE_MINIMUM] = {.id = "huge-minimum", .severity = SEVERITY_WARNING},
    [FINDING_TCP_MEM_IN_BYTES] = {.id = "tcp-mem-in-bytes", .severity = SEVERITY_PROBLEM},
    [FINDING_TCP_MEM_LOW] = {.id = "tcp-mem-low", .severity = SEVERITY_WARNING},
    [FINDING_CEILING_ABOVE_TCP_MEM] = {.id = "ceiling-above-tcp-mem", .severity = SEVERITY_WARNING},
    [FINDING_LIKELY_PRESSURE] = {.id = "likely-pressure", .severity = SEVERITY_WARNING},
    [FINDING_CEILING_UNNEEDED] = {.id = "ceiling-unneeded", .severity = SEVERITY_NOTICE},
    [FINDING_CEILING_BELOW_DEFAULT] = {.id = "ceiling-below-default", .severity = SEVERITY_WARNING},
    [FINDING_DEAD_KEY] = {.id = "dead-key", .severity = SEVERITY_INFO},
    [FINDING_RTT_CONTRADICTION] = {.id = "rtt-contradiction", .severity = SEVERITY_WARNING},
    [FINDING_MEMORY_PRESSURE] = {.id = "memory-pressure", .severity = SEVERITY_PROBLEM},
    [FINDING_RUNAWAY_BUFFERS] = {.id = "runaway-buffers", .severity = SEVERITY_PROBLEM},
    [FINDING_BUFFER_OVERRUN] = {.id = "buffer-overrun", .severity = SEVERITY_WARNING},
    [FINDING_WINDOW_SCALE_FIXED] = {.id = "window-scale-fixed", .severity = SEVERITY_INFO},
    [FINDING_SHORT_TEST] = {.id = "short-test", .severity = SEVERITY_NOTICE},
    [FINDING_INTERRUPTED] = {.id = "interrupted", .severity = SEVERITY_NOTICE},
    [FINDING_CEILING_TOO_BIG] = {.id = "ceiling-too-big", .severity = SEVERITY_NOTICE},
    [FINDING_STANDING_QUEUE] = {.id = "standing-queue", .severity = SEVERITY_NOTICE},
    [FINDING_STALLED] = {.id = "stalled", .severity = SEVERITY_PROBLEM},
    [FINDING_PATH_LOSS] = {.id = "path-loss", .severity = SEVERITY_WARNING},
    [FINDING_PATH_MTU] = {.id = "path-mtu", .severity = SEVERITY_WARNING},
    [FINDING_HOST_DROPS] = {.id = "host-drops", .severity = SEVERITY_PROBLEM},
    [FINDING_EARLIER_DROPS] = {.id = "earlier-drops", .severity = SEVERITY_NOTICE},
    [FINDING_DAMAGED_FRAMES] = {.id = "damaged-frames", .severity = SEVERITY_PROBLEM},
    [FINDING_OUT_OF_MEMORY] = {.id = "tcp-out-of-memory", .severity = SEVERITY_PROBLEM},
    [FINDING_ORPHANS] = {.id = "orphans", .severity = SEVERITY_PROBLEM},
    [FINDING_SOCKET_LEAK] = {.id = "socket-leak", .severity = SEVERITY_WARNING},
    [FINDING_UNQUOTED_VECTOR] = {.id = "unquoted-vector", .severity = SEVERITY_WARNING},
    [FINDING_NOT_UNDERSTOOD] = {.id = "not-understood", .severity = SEVERITY_NOTICE},
};

void finding_put(struct findings *findings, enum finding_id id, unsigned form,
    const struct value *values, size_t count)
{
	if (findings->count == FINDINGS_MAX)
		return;
	struct finding *finding = &findings->items[findings->count++];
	*finding = (struct finding){.id = id, .form = form};
	memcpy(finding->values, values,
	    (count < FINDING_VALUES_MAX ? count : FINDING_VALUES_MAX) * sizeof(*values));
}

bool findings_warn(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (finding_table[findings->items[i].id].severity >= SEVERITY_WARNING)
			return true;
	return false;
}

static void find_loss(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;

	if (!path->loss.known || path->loss.ratio <= 0 || path->loss.is_probed)
		return;
	if (path->loss.retransmits > 0 && path->loss.steady_retransmits == 0 &&
	    path->steady.known && path->loss.early_retransmits > 0) {
		finding_add(findings, FINDING_SLOW_START_OVERSHOOT, 0,
		    as_count(path->loss.retransmits), as_count(path->steady.first));
		return;
	}
	if (path->loss.ratio >= 1e-4 && !path->loss.counted)
		finding_add(findings, FINDING_LOSS, LOSS_GIVEN, as_share(path->loss.ratio));
	else if (path->loss.ratio >= 1e-4)
		finding_add(findings, FINDING_LOSS, LOSS_COUNTED, as_share(path->loss.ratio),
		    as_count(path->loss.retransmits));
}

/* The part of what may be in flight that stands in the queue buys delay and no rate. */
static void find_delay(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;
	const struct tunable_value *rmem =
	    view->receiver ? &view->receiver->values[TUNABLE_TCP_RMEM] : NULL;

	if (view->queue_ratio < 1.5)
		return;
	double base_us = path->loaded.rtt_us / view->queue_ratio;
	double queue_us = path->loaded.rtt_us - base_us;
	if (view->bbr && queue_us < BBR_QUEUE_MATTERS_US)
		return;
	bool of_ceiling = rmem && rmem->known && rmem->number[2] > 0;
	double ceiling = of_ceiling ? (double)rmem->number[2] : 0;
	double ratio = of_ceiling ? bdp_bytes(path->rate.stream_bps, queue_us) / ceiling
				  : queue_us / path->loaded.rtt_us;
	finding_add(findings, FINDING_QUEUEING_DELAY,
	    of_ceiling ? QUEUE_IN_CEILING : QUEUE_IN_FLIGHT, as_time(path->loaded.rtt_us),
	    as_time(base_us), as_time(queue_us), as_size(bdp_bytes(path->rate.bps, queue_us)),
	    as_percent(ratio), as_size(ceiling));
}

/* A few packets wait at any moment; a queue that matters takes longer to drain than anybody would notice. */
static void find_backlog(
    struct findings *findings, const struct view *view, const struct path_context *context)
{
	if (view->backlog_us < BACKLOG_MATTERS_US)
		return;
	finding_add(findings, FINDING_STANDING_QUEUE, 0,
	    as_size((double)context->tc->backlog_bytes), as_count(context->tc->backlog_packets),
	    as_time(view->backlog_us), as_rate(view->path->rate.bps));
}

static void find_rate_shape(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;

	if (!path->steady.known)
		return;
	if (path->steady.count < 3)
		finding_add(findings, FINDING_SHORT_TEST, 0, as_count(path->steady.count));
	else if (path->rate.deviation > 0.3 && view->asked_bps <= 0)
		finding_add(findings, FINDING_RATE_SWINGS, 0, as_percent(path->rate.deviation));
}

static void find_stall(struct findings *findings, const struct run *run, const struct path *path)
{
	size_t still = 0;

	for (size_t i = 0; i < run->series.count; i++) {
		const struct bin *bin = &run->series.bins[i];
		still += bin->bytes == 0 && (bin->has & BIN_CWND) &&
			 bin->cwnd_bytes <= 2ULL * path->mss * path->streams;
	}
	if (still >= 2)
		finding_add(findings, FINDING_STALLED, 0, as_count(still),
		    as_count(run->series.count),
		    as_size((double)run->series.bins[run->series.count - 1].cwnd_bytes));
}

static void find_streams(struct findings *findings, const struct run *run)
{
	if (run->stream_count < 2)
		return;
	uint64_t least = UINT64_MAX, sum = 0;
	for (size_t i = 0; i < run->stream_count; i++) {
		sum += run->stream_totals[i].bytes;
		if (run->stream_totals[i].bytes < least)
			least = run->stream_totals[i].bytes;
	}
	double mean = (double)sum / (double)run->stream_count;
	if (mean > 0 && (double)least < 0.5 * mean)
		finding_add(findings, FINDING_LAGGING_STREAM, 0, as_count(run->stream_count),
		    as_percent((double)least / mean));
}

static void find_ends(struct findings *findings, const struct run *run)
{
	if ((run->has & RUN_SENT) && (run->has & RUN_RECEIVED) && run->sent_bytes > 0 &&
	    run->sent_seconds > 0 && run->received_seconds > 0) {
		double sent = (double)run->sent_bytes * 8 / run->sent_seconds;
		double received = (double)run->received_bytes * 8 / run->received_seconds;
		if (received < 0.9 * sent)
			finding_add(
			    findings, FINDING_RECEIVER_LOWER, 0, as_rate(received), as_rate(sent));
	}
	if ((run->has & RUN_MSS) && run->mss < 1400)
		finding_add(findings, FINDING_SMALL_MSS, 0, as_number(run->mss));
	else if ((run->has & RUN_MSS) && run->mss > 1500)
		finding_add(findings, FINDING_JUMBO_MSS, 0, as_number(run->mss));
	if (run->error[0])
		finding_add(
		    findings, FINDING_INTERRUPTED, INTERRUPTED_SAYS_WHY, as_word(run->error));
	else if (!run->complete)
		finding_add(findings, FINDING_INTERRUPTED, INTERRUPTED_UNSAID, as_word(""));
}

/* The scale agreed in the SYN bounds the peer's window for as long as the connection lasts. */
static void find_scale(struct findings *findings, const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_WSCALE) || !view->path->bdp.known)
		return;
	double most = window_scale_limit(socket->snd_wscale);
	if (most < view->path->bdp.stream_bytes)
		finding_add(findings, FINDING_WINDOW_SCALE_FIXED, 0, as_size(most),
		    as_number(socket->snd_wscale), as_size(view->path->bdp.stream_bytes));
}

static bool is_end_of(const struct run *run, const char *address)
{
	return run && *address &&
	       (strcmp(address, run->sender) == 0 || strcmp(address, run->receiver) == 0);
}

static void find_contradiction(
    struct findings *findings, const struct view *view, const struct path_context *context)
{
	const struct path *path = view->path;

	if (!context || !context->ping || path->rtt.method != RTT_TCP_INFO)
		return;
	double ping_us = context->ping->min_us;
	if (!rtt_contradicts(path, path->rtt.us, ping_us))
		return;
	finding_add(findings, FINDING_RTT_CONTRADICTION,
	    is_end_of(view->run, context->ping->target) ? CONTRADICTION_OWN_ADDRESS
							: CONTRADICTION_OTHER_HOST,
	    as_time(ping_us), as_time(path->rtt.us));
}

const struct switch_row switch_table[SWITCH_COUNT] = {
    {TUNABLE_TCP_WINDOW_SCALING, FINDING_WINDOW_SCALING_OFF, false},
    {TUNABLE_TCP_MODERATE_RCVBUF, FINDING_AUTOTUNING_OFF, true},
    {TUNABLE_TCP_SACK, FINDING_SACK_OFF, false},
    {TUNABLE_TCP_TIMESTAMPS, FINDING_TIMESTAMPS_OFF, false},
};

/* Keys that do nothing from a version on: net/ipv4/tcp_ipv4.c and sysctl_net_ipv4.c of it. */
struct dead_row {
	enum tunable_id id;
	unsigned major, minor;
	int64_t harmless; /* a value that nobody set on purpose */
};

static const struct dead_row dead_keys[] = {
    {TUNABLE_TCP_ADV_WIN_SCALE, 6, 6, 1},
    {TUNABLE_TCP_LOW_LATENCY, 4, 14, 0},
    {TUNABLE_TCP_FACK, 4, 15, 0},
};

static void find_switches(struct findings *findings, const struct host *host, const char *end)
{
	for (size_t i = 0; i < SWITCH_COUNT; i++) {
		const struct switch_row *row = &switch_table[i];
		const struct tunable_value *value = &host->values[row->id];
		if (value->known && value->number[0] == 0)
			finding_add(findings, row->finding, 0, as_word(tunables[row->id].key),
			    as_word(end));
	}
	for (size_t i = 0; i < sizeof(dead_keys) / sizeof(dead_keys[0]); i++) {
		const struct dead_row *row = &dead_keys[i];
		const struct tunable_value *value = &host->values[row->id];
		if (value->known && value->number[0] != row->harmless &&
		    kernel_at_least(&host->kernel, row->major, row->minor))
			finding_add(findings, FINDING_DEAD_KEY, 0, as_word(tunables[row->id].key),
			    as_number((double)value->number[0]), as_word(end),
			    as_number(row->major), as_number(row->minor));
	}
}

static void find_vector(
    struct findings *findings, const struct host *host, enum tunable_id id, const char *end)
{
	const struct tunable_value *value = &host->values[id];
	struct value key = as_word(tunables[id].key);

	if (!value->known)
		return;
	double min = (double)value->number[0], def = (double)value->number[1],
	       max = (double)value->number[2];
	if (min > def || def > max)
		finding_add(findings, FINDING_BUFFER_ORDER, 0, key, as_number(min), as_number(def),
		    as_number(max), as_word(end));
	if (def >= 0x1p20)
		finding_add(findings, FINDING_HUGE_DEFAULT, 0, key, as_size(def), as_word(end));
	if (min > 65536)
		finding_add(findings, FINDING_HUGE_MINIMUM, 0, key, as_size(min), as_word(end));
	/* Without the RAM the default is only known to be no larger; with a nominal one, or with that of
	 * /proc/meminfo, less of it counts than is said. */
	uint64_t ram = (uint64_t)(STOCK_RAM_USABLE * (double)host->mem_total_bytes);
	double kernel_max = id == TUNABLE_TCP_RMEM ? default_rmem_max(&host->kernel, ram)
						   : default_wmem_max(&host->kernel, ram);
	if (ram > 0 && kernel_max > 0 && max < 0.99 * kernel_max)
		finding_add(findings, FINDING_CEILING_BELOW_DEFAULT, 0, key, as_size(max),
		    as_word(end), as_number(host->kernel.major), as_number(host->kernel.minor),
		    as_size(kernel_max));
}

static void find_host(struct findings *findings, const struct host *host, const char *end)
{
	if (!host)
		return;
	find_switches(findings, host, end);
	find_vector(findings, host, TUNABLE_TCP_RMEM, end);
	find_vector(findings, host, TUNABLE_TCP_WMEM, end);
	findings_memory(findings, host, end);
	find_sockstat(findings, host, end);
	find_dump_notes(findings, host);
}

static void find_too_big(
    struct findings *findings, const struct view *view, const struct limit *limit)
{
	const struct path *path = view->path;

	if ((limit->factor != FACTOR_QUEUE && limit->factor != FACTOR_POLICER) ||
	    !path->cwnd.known || path->rtt.method != RTT_TCP_INFO)
		return;
	double needed = bdp_bytes(path->rate.stream_bps, path->rtt.us);
	if (path->cwnd.peak_bytes > 3 * needed && needed > 0)
		finding_add(findings, FINDING_CEILING_TOO_BIG, 0, as_size(path->cwnd.peak_bytes),
		    as_size(needed));
}

/* A ceiling as large as this is set on purpose, and worth a look. */
#define CEILING_HUGE_BYTES (128 * 0x1p20)
/* A buffer of twice the BDP carries it; four times that again is for nothing. */
#define CEILING_TIMES_BDP 8

static void find_unneeded_of(struct findings *findings, const struct diagnosis_input *input,
    const struct host *host, enum tunable_id id, const char *end)
{
	double need = input->path->bdp.known ? input->path->bdp.stream_bytes : 0;
	const struct tunable_value *value = host ? &host->values[id] : NULL;

	if (!value || !value->known || need <= 0)
		return;
	double ceiling = (double)value->number[2];
	if (ceiling >= CEILING_HUGE_BYTES && ceiling > CEILING_TIMES_BDP * need)
		finding_add(findings, FINDING_CEILING_UNNEEDED, 0, as_word(tunables[id].key),
		    as_size(ceiling), as_word(end), as_size(need));
}

static void find_unneeded(struct findings *findings, const struct diagnosis_input *input)
{
	bool one = input->receiver == input->sender;

	find_unneeded_of(
	    findings, input, input->receiver, TUNABLE_TCP_RMEM, one ? "host" : "receiver");
	find_unneeded_of(findings, input, input->sender, TUNABLE_TCP_WMEM, one ? "host" : "sender");
}

void findings_collect(
    const struct diagnosis_input *input, const struct limit *limit, struct findings *findings)
{
	struct features features = {0};
	struct view view;

	findings->count = 0;
	view_read(input, &features, &view);
	find_delay(findings, &view);
	find_backlog(findings, &view, input->context);
	find_loss(findings, &view);
	find_rate_shape(findings, &view);
	if (input->run) {
		find_stall(findings, input->run, input->path);
		find_streams(findings, input->run);
		find_ends(findings, input->run);
	}
	find_scale(findings, &view);
	find_contradiction(findings, &view, input->context);
	find_unneeded(findings, input);
	find_too_big(findings, &view, limit);
	find_probes(findings, input->path, input->context);
	/* One host for both ends, or facts without a path: it is simply the host. */
	bool both = input->sender == input->receiver;
	find_host(findings, input->receiver, both ? "host" : "receiver");
	if (!both)
		find_host(findings, input->sender, "sender");
}
