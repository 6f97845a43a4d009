#include "diagnosis/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "diagnosis/host_findings.h"
#include "diagnosis/view.h"
#include "model/stock.h"
#include "model/window.h"

/* Below this a backlog is what any busy interface has. */
#define BACKLOG_MATTERS_US 5000
/* BBR holds up to a BDP in the queue by design (draft-ietf-ccwg-bbr, cwnd_gain 2), and nothing shortens
 * that; a delay of this much is no trouble to anybody. */
#define BBR_QUEUE_MATTERS_US 10000

const struct finding_row finding_table[FINDING_COUNT] = {
    [FINDING_LOSS] = {.id = "loss",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "Segments were sent again. Linux counts every retransmission, needless ones too, "
	    "so the ratio is an upper bound of what the path lost.",
	.advice = "mtr or ping without load tells loss of the path from loss of a full queue"},
    [FINDING_QUEUEING_DELAY] = {.id = "queueing-delay",
	.severity = SEVERITY_WARNING,
	.meaning = "The RTT under load is far above that of the idle path: data waits in a queue.",
	.advice =
	    "a larger ceiling makes the queue longer; fq_codel or cake at the bottleneck, or a "
	    "paced sender, makes it shorter"},
    [FINDING_SLOW_START_OVERSHOOT] = {.id = "slow-start-overshoot",
	.severity = SEVERITY_INFO,
	.meaning = "All retransmits fell in the first seconds: slow start overran a queue once.",
	.advice = "leave the start out of the measurement with iperf3 -O 2"},
    [FINDING_RATE_SWINGS] = {.id = "rate-swings",
	.severity = SEVERITY_NOTICE,
	.meaning = "The rate differs much from one interval to the next, so that one mean says "
		   "little.",
	.advice = "measure longer (-t 30) and several times, and compare medians"},
    [FINDING_LAGGING_STREAM] = {.id = "lagging-stream",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "One of the parallel streams carried far less than the median one: another path, "
	    "queue or CPU.",
	.advice = "look whether streams hash to different links (ECMP, LACP) or receive queues"},
    [FINDING_RECEIVER_LOWER] = {.id = "receiver-lower",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "The receiver counted much less than the sender handed to its socket: the rest was "
	    "queued at the end of the test. The receiver's figure is the throughput.",
	.advice = "measure longer, so that what is queued at the end weighs less"},
    [FINDING_SMALL_MSS] = {.id = "small-mss",
	.severity = SEVERITY_NOTICE,
	.meaning = "Segments are smaller than Ethernet carries: a tunnel, or a clamped MSS; every "
		   "loss bound falls in proportion.",
	.advice = "check the path MTU (tracepath HOST)"},
    [FINDING_RUNS_DIFFER] = {.id = "runs-differ",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "another run over the same path, or the other direction, carried twice as much or "
	    "half as much",
	.advice = "look for what differs: the route each way, offloads, load at the time"},
    [FINDING_JUMBO_MSS] = {.id = "jumbo-mss",
	.severity = SEVERITY_INFO,
	.meaning =
	    "Segments are larger than an Ethernet frame of 1500 bytes: jumbo frames, or a path "
	    "within one host.",
	.advice = NULL},
    [FINDING_WINDOW_SCALING_OFF] = {.id = "window-scaling-off",
	.severity = SEVERITY_PROBLEM,
	.meaning = "net.ipv4.tcp_window_scaling is 0: windows end at 65,535 bytes (RFC 7323).",
	.advice = "sysctl -w net.ipv4.tcp_window_scaling=1, and connect anew"},
    [FINDING_SACK_OFF] = {.id = "sack-off",
	.severity = SEVERITY_WARNING,
	.meaning = "net.ipv4.tcp_sack is 0: one loss is repaired per round trip, and much is sent "
		   "twice.",
	.advice = "sysctl -w net.ipv4.tcp_sack=1"},
    [FINDING_TIMESTAMPS_OFF] = {.id = "timestamps-off",
	.severity = SEVERITY_NOTICE,
	.meaning = "net.ipv4.tcp_timestamps is 0: no protection against wrapped sequence numbers "
		   "(3.4 s at 10 Gbit/s), and a slower estimate of the RTT for receive autotuning.",
	.advice = "sysctl -w net.ipv4.tcp_timestamps=1"},
    [FINDING_AUTOTUNING_OFF] = {.id = "autotuning-off",
	.severity = SEVERITY_PROBLEM,
	.meaning = "net.ipv4.tcp_moderate_rcvbuf is 0: receive buffers stay at tcp_rmem's default, "
		   "whatever its maximum.",
	.advice = "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1"},
    [FINDING_BUFFER_ORDER] = {.id = "buffer-order",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "The three values are not in the order min <= default <= max. The kernel takes them "
	    "all the same and behaves oddly.",
	.advice = "write three values in order"},
    [FINDING_HUGE_DEFAULT] = {.id = "huge-default",
	.severity = SEVERITY_WARNING,
	.meaning =
	    "The default is what every socket starts with, busy or not; autotuning grows the "
	    "busy ones by itself.",
	.advice = "131072 (tcp_rmem) and 16384 to 262144 (tcp_wmem) do"},
    [FINDING_HUGE_MINIMUM] = {.id = "huge-minimum",
	.severity = SEVERITY_WARNING,
	.meaning = "The minimum is what every socket keeps when memory is short: a large one takes "
		   "away the kernel's way out.",
	.advice = "4096, one page, is the kernel's own"},
    [FINDING_TCP_MEM_IN_BYTES] = {.id = "tcp-mem-in-bytes",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "tcp_mem counts pages. Its high mark exceeds the host's RAM, so it bounds nothing: "
	    "it was probably written in bytes.",
	.advice = "divide by the page size, or leave the kernel's default"},
    [FINDING_TCP_MEM_LOW] = {.id = "tcp-mem-low",
	.severity = SEVERITY_WARNING,
	.meaning = "tcp_mem is far below what this kernel gives itself for that much RAM: TCP runs "
		   "out of memory (\"TCP: out of memory\" in the kernel's log) while the host has "
		   "plenty.",
	.advice = "remove the line that sets it: the kernel sizes it by RAM at boot"},
    [FINDING_CEILING_ABOVE_TCP_MEM] = {.id = "ceiling-above-tcp-mem",
	.severity = SEVERITY_WARNING,
	.meaning = "One connection may hold more than the mark at which all of TCP is put under "
		   "pressure: a single slow reader can starve every other connection.",
	.advice = "a lower ceiling, more RAM, or a larger tcp_mem"},
    [FINDING_LIKELY_PRESSURE] = {.id = "likely-pressure",
	.severity = SEVERITY_WARNING,
	.meaning = "What so many busy connections are likely to hold is beyond tcp_mem's pressure "
		   "mark: then windows shrink for everybody.",
	.advice = "fewer at once, a lower ceiling, or more RAM"},
    [FINDING_CEILING_UNNEEDED] = {.id = "ceiling-unneeded",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "A ceiling of hundreds of MiB is many times what this path needs: it buys nothing, "
	    "and a slow reader may fill it.",
	.advice = "bdp with a target says what is needed; lowering takes --allow-lower"},
    [FINDING_CEILING_BELOW_DEFAULT] = {.id = "ceiling-below-default",
	.severity = SEVERITY_WARNING,
	.meaning = "The ceiling is lower than this kernel's own default for this much RAM: an old "
		   "guide's block, most likely.",
	.advice = "remove the line that sets it"},
    [FINDING_DEAD_KEY] = {.id = "dead-key",
	.severity = SEVERITY_INFO,
	.meaning = "A key is set that does nothing on this kernel.",
	.advice = "remove it"},
    [FINDING_RTT_CONTRADICTION] = {.id = "rtt-contradiction",
	.severity = SEVERITY_WARNING,
	.meaning =
	    "Two sources give RTTs that cannot both be of this path: another host was pinged, or "
	    "something on the way ends the connection.",
	.advice = "ping the address that iperf3 connected to, right before the run"},
    [FINDING_MEMORY_PRESSURE] = {.id = "memory-pressure",
	.severity = SEVERITY_PROBLEM,
	.meaning = "TCP as a whole is, or was, at its pressure mark: windows shrink for everybody.",
	.advice = "bdp sockets shows who holds it"},
    [FINDING_RUNAWAY_BUFFERS] = {.id = "runaway-buffers",
	.severity = SEVERITY_PROBLEM,
	.meaning = "Receive buffers grow past what their paths need: the kernel wanted to close a "
		   "window and could not, and pruned instead.",
	.advice = "bdp sockets; tcp_shrink_window on Linux 6.5 and later, with its risks"},
    [FINDING_WINDOW_SCALE_FIXED] = {.id = "window-scale-fixed",
	.severity = SEVERITY_INFO,
	.meaning =
	    "The window scale is agreed in the SYN by the ceiling of that moment: connections "
	    "that are up keep their old limit.",
	.advice = "connect anew after raising a ceiling"},
    [FINDING_SHORT_TEST] = {.id = "short-test",
	.severity = SEVERITY_NOTICE,
	.meaning = "Fewer than three intervals count: the ramp-up weighs too much.",
	.advice = "measure for at least 10 s, or 30 round trips"},
    [FINDING_INTERRUPTED] = {.id = "interrupted",
	.severity = SEVERITY_NOTICE,
	.meaning = "The test did not end as planned; what was read up to there is used.",
	.advice = NULL},
    [FINDING_CEILING_TOO_BIG] = {.id = "ceiling-too-big",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "A ceiling far above what the path needs buys queueing delay and retransmits, not "
	    "rate.",
	.advice = "bdp sweep picks the ceiling where the gain ends"},
    [FINDING_STANDING_QUEUE] = {.id = "standing-queue",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "Data waited in a queue of the host where tc was run, at that moment: everything that "
	    "goes through it waits as long.",
	.advice = "fq_codel or cake there; or a sender that does not fill it (bdp compare)"},
    [FINDING_STALLED] = {.id = "stalled",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "Seconds pass without a byte while cwnd is down to a segment or two: everything waits for "
	    "retransmission timeouts. Full-sized packets vanish (MTU, offload), or the path is down.",
	.advice =
	    "try smaller segments (iperf3 -M 1200), tracepath HOST, and ethtool -K DEV tso off gso off"},
    [FINDING_PATH_LOSS] = {.id = "path-loss",
	.severity = SEVERITY_WARNING,
	.meaning =
	    "Probes without load were lost: the path loses, whatever the sender does. A router that "
	    "limits its answers loses none of what it passes on, so that only loss which goes on to "
	    "the last hop counts.",
	.advice = "ask who runs the hop where the loss begins; no buffer mends it"},
    [FINDING_PATH_MTU] = {.id = "path-mtu",
	.severity = SEVERITY_WARNING,
	.meaning =
	    "The path carries smaller packets than its ends send: a tunnel on the way. Where the "
	    "routers' answers are filtered, full-sized segments vanish.",
	.advice = "set the MTU of the interface or of the route, or clamp the MSS; "
		  "net.ipv4.tcp_mtu_probing=1 finds it by itself"},
    [FINDING_HOST_DROPS] = {.id = "host-drops",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "The host itself dropped packets between two readings of its counters: what is sent "
	    "again for that was not lost on the path, and no setting of TCP mends it.",
	.advice = "a larger ring (ethtool -G) or backlog, receive queues spread over the CPUs"},
    [FINDING_EARLIER_DROPS] = {.id = "earlier-drops",
	.severity = SEVERITY_NOTICE,
	.meaning = "The host has dropped packets since its interface came up; one reading of the "
		   "counters does not tell when.",
	.advice = "read them before and after a test, and give both"},
    [FINDING_DAMAGED_FRAMES] = {.id = "damaged-frames",
	.severity = SEVERITY_PROBLEM,
	.meaning = "Frames arrived damaged between two readings: a cable, an optic or the duplex "
		   "of the link to this host.",
	.advice =
	    "change the cable or the optic, and compare the duplex of both ends (ethtool DEV)"},
    [FINDING_OUT_OF_MEMORY] = {.id = "tcp-out-of-memory",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "TCP as a whole reached the high mark of tcp_mem: the kernel resets connections that "
	    "ask for more (tcp_check_oom).",
	.advice =
	    "bdp sockets shows who holds it; tcp_mem far below the kernel's own, about 9 % of "
	    "RAM, is a cause by itself"},
    [FINDING_ORPHANS] = {.id = "orphans",
	.severity = SEVERITY_PROBLEM,
	.meaning =
	    "Connections that their program has closed wait for the peer, and there are more of "
	    "them than tcp_max_orphans: the kernel resets them (tcp_check_oom).",
	.advice = "find out why peers do not acknowledge the end (bdp sockets); then a larger "
		  "tcp_max_orphans"},
    [FINDING_SOCKET_LEAK] = {.id = "socket-leak",
	.severity = SEVERITY_WARNING,
	.meaning =
	    "Far more sockets are allocated than in use: a program makes sockets and neither "
	    "connects nor closes them, or they belong to other network namespaces.",
	.advice = "lsof -n | grep \"can't identify protocol\" shows who holds them"},
    [FINDING_UNQUOTED_VECTOR] = {.id = "unquoted-vector",
	.severity = SEVERITY_WARNING,
	.meaning = "sysctl -w KEY=A B C, without quotes, sets the first number alone: the shell "
		   "passes the others on as words of their own.",
	.advice = "quote it: sysctl -w KEY=\"A B C\""},
    [FINDING_NOT_UNDERSTOOD] = {.id = "not-understood",
	.severity = SEVERITY_NOTICE,
	.meaning =
	    "Lines name a setting of TCP and give it no value that the kernel would take, so "
	    "that what it is set to is not known.",
	.advice = "give sysctl -a of that host"},
};

void finding_add(struct findings *findings, enum finding_id id, const char *format, ...)
{
	va_list args;

	if (findings->count == FINDINGS_MAX)
		return;
	struct finding *finding = &findings->items[findings->count++];
	finding->id = id;
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

static void find_loss(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;

	if (!(path->has & PATH_LOSS) || path->loss_ratio <= 0)
		return;
	if (path->retransmits > 0 && path->steady_retransmits == 0 && (path->has & PATH_SERIES) &&
	    path->early_retransmits > 0) {
		finding_add(findings, FINDING_SLOW_START_OVERSHOOT,
		    "all %s retransmits fell in the first %zu interval%s",
		    count_text(path->retransmits).s, path->steady_first,
		    path->steady_first == 1 ? "" : "s");
		return;
	}
	if (path->loss_ratio >= 1e-4 && !(path->has & PATH_RETRANSMITS))
		finding_add(findings, FINDING_LOSS, "%s of the segments are lost, as given",
		    percent_text(path->loss_ratio).s);
	else if (path->loss_ratio >= 1e-4)
		finding_add(findings, FINDING_LOSS, "%s of the segments were sent again (%s)",
		    percent_text(path->loss_ratio).s, count_text(path->retransmits).s);
}

/* How much of what may be in flight stands in the queue, and so buys delay and no rate. */
struct queue_share {
	double ratio;
	char of[64];
};

static struct queue_share share_of_queue(const struct view *view, double queue_us)
{
	const struct path *path = view->path;
	const struct tunable_value *rmem =
	    view->receiver ? &view->receiver->values[TUNABLE_TCP_RMEM] : NULL;
	struct queue_share share = {
	    .ratio = queue_us / path->loaded_rtt_us, .of = "what is in flight"};

	if (rmem && rmem->known && rmem->number[2] > 0) {
		share.ratio = bdp_bytes(path->stream_rate_bps, queue_us) / (double)rmem->number[2];
		snprintf(share.of, sizeof(share.of), "the receiver's ceiling of %s",
		    size_text((double)rmem->number[2]).s);
	}
	return share;
}

static void find_delay(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;

	if (view->queue_ratio < 1.5)
		return;
	double base_us = path->loaded_rtt_us / view->queue_ratio;
	double queue_us = path->loaded_rtt_us - base_us;
	if (view->bbr && queue_us < BBR_QUEUE_MATTERS_US)
		return;
	struct queue_share share = share_of_queue(view, queue_us);
	finding_add(findings, FINDING_QUEUEING_DELAY,
	    "RTT %s under load against %s: %s of queue, %s, which is %.0f %% of %s",
	    time_text(path->loaded_rtt_us).s, time_text(base_us).s, time_text(queue_us).s,
	    size_text(bdp_bytes(path->rate_bps, queue_us)).s, 100 * share.ratio, share.of);
}

/* A few packets wait at any moment; a queue that matters takes longer to drain than anybody would notice. */
static void find_backlog(
    struct findings *findings, const struct view *view, const struct path_context *context)
{
	if (view->backlog_us < BACKLOG_MATTERS_US)
		return;
	finding_add(findings, FINDING_STANDING_QUEUE, "tc shows %s waiting (%s packets): %s at %s",
	    size_text((double)context->tc->backlog_bytes).s,
	    count_text(context->tc->backlog_packets).s, time_text(view->backlog_us).s,
	    rate_text(view->path->rate_bps).s);
}

static void find_rate_shape(struct findings *findings, const struct view *view)
{
	const struct path *path = view->path;

	if (!(path->has & PATH_SERIES))
		return;
	if (path->steady_count < 3)
		finding_add(findings, FINDING_SHORT_TEST,
		    "%zu interval%s counted after the ramp-up", path->steady_count,
		    path->steady_count == 1 ? " is" : "s are");
	else if (path->rate_deviation > 0.3 && view->asked_bps <= 0)
		finding_add(findings, FINDING_RATE_SWINGS,
		    "the rate varies by %.0f %% (standard deviation)", 100 * path->rate_deviation);
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
		finding_add(findings, FINDING_STALLED,
		    "no byte in %zu of %zu intervals, cwnd at %s", still, run->series.count,
		    size_text((double)run->series.bins[run->series.count - 1].cwnd_bytes).s);
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
		finding_add(findings, FINDING_LAGGING_STREAM,
		    "the slowest of %zu streams carried %.0f %% of the mean", run->stream_count,
		    100 * (double)least / mean);
}

static void find_ends(struct findings *findings, const struct run *run)
{
	if ((run->has & RUN_SENT) && (run->has & RUN_RECEIVED) && run->sent_bytes > 0 &&
	    run->sent_seconds > 0 && run->received_seconds > 0) {
		double sent = (double)run->sent_bytes * 8 / run->sent_seconds;
		double received = (double)run->received_bytes * 8 / run->received_seconds;
		if (received < 0.9 * sent)
			finding_add(findings, FINDING_RECEIVER_LOWER, "receiver %s, sender %s",
			    rate_text(received).s, rate_text(sent).s);
	}
	if ((run->has & RUN_MSS) && run->mss < 1400)
		finding_add(findings, FINDING_SMALL_MSS, "MSS %u", run->mss);
	else if ((run->has & RUN_MSS) && run->mss > 1500)
		finding_add(findings, FINDING_JUMBO_MSS, "MSS %u", run->mss);
	if (run->error[0])
		finding_add(findings, FINDING_INTERRUPTED, "iperf3: %.180s", run->error);
	else if (!run->complete)
		finding_add(findings, FINDING_INTERRUPTED, "the output ends before its summary");
}

/* The scale agreed in the SYN bounds the peer's window for as long as the connection lasts. */
static void find_scale(struct findings *findings, const struct view *view)
{
	const struct socket_info *socket = view->socket;

	if (!socket || !(socket->has & SOCKET_WSCALE) || !(view->path->has & PATH_BDP))
		return;
	double most = window_scale_limit(socket->snd_wscale);
	if (most < view->path->stream_bdp_bytes)
		finding_add(findings, FINDING_WINDOW_SCALE_FIXED,
		    "this connection's window can never exceed %s (scale %u); the target needs %s",
		    size_text(most).s, socket->snd_wscale,
		    size_text(view->path->stream_bdp_bytes).s);
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
	/* A queue explains a longer tcp_info RTT when it varies; nothing explains a shorter one. */
	bool longer = ping_us > 0 && path->rtt.us > 3 * ping_us &&
		      path->rtt_median_us < 1.2 * path->rtt_min_us && path->rtt.us - ping_us > 5000;
	bool shorter = ping_us > 3 * path->rtt.us && ping_us - path->rtt.us > 5000;
	if (!longer && !shorter)
		return;
	finding_add(findings, FINDING_RTT_CONTRADICTION,
	    "ping says %s, tcp_info says %s and holds still%s", time_text(ping_us).s,
	    time_text(path->rtt.us).s,
	    is_end_of(view->run, context->ping->target)
		? ", though it is the run's own address that was pinged: something between ends "
		  "the connection, or the path was another by then"
		: "");
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
			finding_add(findings, row->finding, "%s is 0 on the %s",
			    tunables[row->id].key, end);
	}
	for (size_t i = 0; i < sizeof(dead_keys) / sizeof(dead_keys[0]); i++) {
		const struct dead_row *row = &dead_keys[i];
		const struct tunable_value *value = &host->values[row->id];
		if (value->known && value->number[0] != row->harmless &&
		    kernel_at_least(&host->kernel, row->major, row->minor))
			finding_add(findings, FINDING_DEAD_KEY,
			    "%s = %lld on the %s does nothing since Linux %u.%u",
			    tunables[row->id].key, (long long)value->number[0], end, row->major,
			    row->minor);
	}
}

static void find_vector(
    struct findings *findings, const struct host *host, enum tunable_id id, const char *end)
{
	const struct tunable_value *value = &host->values[id];
	const char *key = tunables[id].key;

	if (!value->known)
		return;
	double min = (double)value->number[0], def = (double)value->number[1],
	       max = (double)value->number[2];
	if (min > def || def > max)
		finding_add(findings, FINDING_BUFFER_ORDER, "%s = %.0f %.0f %.0f on the %s", key,
		    min, def, max, end);
	if (def >= 0x1p20)
		finding_add(findings, FINDING_HUGE_DEFAULT, "%s default is %s on the %s", key,
		    size_text(def).s, end);
	if (min > 65536)
		finding_add(findings, FINDING_HUGE_MINIMUM, "%s minimum is %s on the %s", key,
		    size_text(min).s, end);
	/* Without the RAM the default is only known to be no larger; with a nominal one, or with that of
	 * /proc/meminfo, less of it counts than is said. */
	uint64_t ram = (uint64_t)(STOCK_RAM_USABLE * (double)host->mem_total_bytes);
	double kernel_max = id == TUNABLE_TCP_RMEM ? default_rmem_max(&host->kernel, ram)
						   : default_wmem_max(&host->kernel, ram);
	if (ram > 0 && kernel_max > 0 && max < 0.99 * kernel_max)
		finding_add(findings, FINDING_CEILING_BELOW_DEFAULT,
		    "%s maximum %s on the %s; Linux %u.%u's own is %s", key, size_text(max).s, end,
		    host->kernel.major, host->kernel.minor, size_text(kernel_max).s);
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
	    !(path->has & PATH_CWND) || path->rtt.method != RTT_TCP_INFO)
		return;
	double needed = bdp_bytes(path->stream_rate_bps, path->rtt.us);
	if (path->cwnd_peak_bytes > 3 * needed && needed > 0)
		finding_add(findings, FINDING_CEILING_TOO_BIG,
		    "cwnd reached %s where %s carry this rate", size_text(path->cwnd_peak_bytes).s,
		    size_text(needed).s);
}

/* A ceiling as large as this is set on purpose, and worth a look. */
#define CEILING_HUGE_BYTES (128 * 0x1p20)
/* A buffer of twice the BDP carries it; four times that again is for nothing. */
#define CEILING_TIMES_BDP 8

static void find_unneeded_of(struct findings *findings, const struct diagnosis_input *input,
    const struct host *host, enum tunable_id id, const char *end)
{
	double need = input->path->has & PATH_BDP ? input->path->stream_bdp_bytes : 0;
	const struct tunable_value *value = host ? &host->values[id] : NULL;

	if (!value || !value->known || need <= 0)
		return;
	double ceiling = (double)value->number[2];
	if (ceiling >= CEILING_HUGE_BYTES && ceiling > CEILING_TIMES_BDP * need)
		finding_add(findings, FINDING_CEILING_UNNEEDED,
		    "%s maximum is %s on the %s, where %s must be in flight", tunables[id].key,
		    size_text(ceiling).s, end, size_text(need).s);
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
