/* What findings say: their meaning, what to do, and their sentences, for which diagnosis/ gives the values. */
#include "report/finding_text.h"

#include "report/template.h"

const struct finding_words finding_words[FINDING_COUNT] = {
    [FINDING_LOSS] =
	{.meaning =
		"Segments were sent again. Linux counts every retransmission, needless ones too, so the ratio is an upper bound of what the path lost.",
	    .advice = "mtr or ping without load tells loss of the path from loss of a full queue",
	    .forms = {[LOSS_COUNTED] = "{0} of the segments were sent again ({1})",
		[LOSS_GIVEN] = "{0} of the segments are lost, as given"}},
    [FINDING_QUEUEING_DELAY] = {.meaning =
				    "The RTT under load is far above that of the idle path: data waits in a queue.",
	.advice =
	    "a larger ceiling makes the queue longer; fq_codel or cake at the bottleneck, or a paced sender, makes it shorter",
	.forms = {[QUEUE_IN_FLIGHT] =
		      "RTT {0} under load against {1}: {2} of queue, {3}, which is {4} of what is in flight",
	    [QUEUE_IN_CEILING] =
		"RTT {0} under load against {1}: {2} of queue, {3}, which is {4} of the receiver's ceiling of {5}"}},
    [FINDING_SLOW_START_OVERSHOOT] =
	{.meaning = "All retransmits fell in the first seconds: slow start overran a queue once.",
	    .advice = "leave the start out of the measurement with iperf3 -O 2",
	    .forms = {"all {0} retransmits fell in the first {1|interval|intervals}"}},
    [FINDING_RATE_SWINGS] =
	{.meaning =
		"The rate differs much from one interval to the next, so that one mean says little.",
	    .advice = "measure longer (-t 30) and several times, and compare medians",
	    .forms = {"the rate varies by {0} (standard deviation)"}},
    [FINDING_LAGGING_STREAM] =
	{.meaning =
		"One of the parallel streams carried far less than the median one: another path, queue or CPU.",
	    .advice = "look whether streams hash to different links (ECMP, LACP) or receive queues",
	    .forms = {"the slowest of {0} streams carried {1} of the mean"}},
    [FINDING_RECEIVER_LOWER] =
	{.meaning =
		"The receiver counted much less than the sender handed to its socket: the rest was queued at the end of the test. The receiver's figure is the throughput.",
	    .advice = "measure longer, so that what is queued at the end weighs less",
	    .forms = {"receiver {0}, sender {1}"}},
    [FINDING_SMALL_MSS] =
	{.meaning =
		"Segments are smaller than Ethernet carries: a tunnel, or a clamped MSS; every loss bound falls in proportion.",
	    .advice = "check the path MTU (tracepath HOST)",
	    .forms = {"MSS {0}"}},
    [FINDING_RUNS_SPREAD] =
	{.meaning = "What several runs over one path have in common: what stays with a window "
		    "while the rate moves is a host's, what moves from run to run is the path's.",
	    .advice = "measure at other times of the day, and compare medians",
	    .forms = {[RUNS_SHARE_WINDOW] =
			  "{0} runs carried {1} to {2}, each with {3} to {4} in flight: what "
			  "stays with a window is a host's",
		[RUNS_MOVE] =
		    "{0} runs carried {1} to {2}, with {3} to {4} in flight: what moves from run to "
		    "run is the path's",
		[RUNS_ALIKE] = "{0} runs carried {1} to {2}, {5} apart"}},
    [FINDING_RUNS_DIFFER] =
	{.meaning =
		"another run over the same path, or the other direction, carried twice as much or half as much",
	    .advice = "look for what differs: the route each way, offloads, load at the time",
	    .forms = {[RUNS_SAME_WAY] = "{0} in this run, {1} in run {2}, over the same path",
		[RUNS_OTHER_WAY] = "{0} in this run, {1} in run {2}, the other way"}},
    [FINDING_JUMBO_MSS] =
	{.meaning =
		"Segments are larger than an Ethernet frame of 1500 bytes: jumbo frames, or a path within one host.",
	    .advice = NULL,
	    .forms = {"MSS {0}"}},
    [FINDING_WINDOW_SCALING_OFF] =
	{.meaning = "net.ipv4.tcp_window_scaling is 0: windows end at 65,535 bytes (RFC 7323).",
	    .advice = "sysctl -w net.ipv4.tcp_window_scaling=1, and connect anew",
	    .forms = {"{0} is 0 on the {1}"}},
    [FINDING_SACK_OFF] =
	{.meaning =
		"net.ipv4.tcp_sack is 0: one loss is repaired per round trip, and much is sent twice.",
	    .advice = "sysctl -w net.ipv4.tcp_sack=1",
	    .forms = {"{0} is 0 on the {1}"}},
    [FINDING_TIMESTAMPS_OFF] =
	{.meaning =
		"net.ipv4.tcp_timestamps is 0: no protection against wrapped sequence numbers (3.4 s at 10 Gbit/s), and a slower estimate of the RTT for receive autotuning.",
	    .advice = "sysctl -w net.ipv4.tcp_timestamps=1",
	    .forms = {"{0} is 0 on the {1}"}},
    [FINDING_AUTOTUNING_OFF] =
	{.meaning =
		"net.ipv4.tcp_moderate_rcvbuf is 0: receive buffers stay at tcp_rmem's default, whatever its maximum.",
	    .advice = "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1",
	    .forms = {"{0} is 0 on the {1}"}},
    [FINDING_BUFFER_ORDER] =
	{.meaning =
		"The three values are not in the order min <= default <= max. The kernel takes them all the same and behaves oddly.",
	    .advice = "write three values in order",
	    .forms = {"{0} = {1} {2} {3} on the {4}"}},
    [FINDING_HUGE_DEFAULT] =
	{.meaning =
		"The default is what every socket starts with, busy or not; autotuning grows the busy ones by itself.",
	    .advice = "131072 (tcp_rmem) and 16384 to 262144 (tcp_wmem) do",
	    .forms = {"{0} default is {1} on the {2}"}},
    [FINDING_HUGE_MINIMUM] =
	{.meaning =
		"The minimum is what every socket keeps when memory is short: a large one takes away the kernel's way out.",
	    .advice = "4096, one page, is the kernel's own",
	    .forms = {"{0} minimum is {1} on the {2}"}},
    [FINDING_TCP_MEM_IN_BYTES] =
	{.meaning =
		"tcp_mem counts pages. Its high mark exceeds the host's RAM, so it bounds nothing: it was probably written in bytes.",
	    .advice = "divide by the page size, or leave the kernel's default",
	    .forms = {"tcp_mem high is {0} on the {1}[, RAM {2}]"}},
    [FINDING_TCP_MEM_LOW] =
	{.meaning =
		"tcp_mem is far below what this kernel gives itself for that much RAM: TCP runs out of memory (\"TCP: out of memory\" in the kernel's log) while the host has plenty.",
	    .advice = "remove the line that sets it: the kernel sizes it by RAM at boot",
	    .forms =
		{"tcp_mem high is {0} on the {1}; the kernel's own for {2} of RAM is about {3}"}},
    [FINDING_CEILING_ABOVE_TCP_MEM] =
	{.meaning =
		"One connection may hold more than the mark at which all of TCP is put under pressure: a single slow reader can starve every other connection.",
	    .advice = "a lower ceiling, more RAM, or a larger tcp_mem",
	    .forms = {[CEILING_IS_SET] = "{0} maximum is {1} on the {4}; tcp_mem's {2} mark is {3}",
		[CEILING_IS_PLANNED] =
		    "the {0} maximum of {1} that this needs is beyond tcp_mem's {2} mark of {3}"}},
    [FINDING_LIKELY_PRESSURE] =
	{.meaning =
		"What so many busy connections are likely to hold is beyond tcp_mem's pressure mark: then windows shrink for everybody.",
	    .advice = "fewer at once, a lower ceiling, or more RAM",
	    .forms = {"{0} busy connections of {1} hold {2}, pressure begins at {3}"}},
    [FINDING_CEILING_UNNEEDED] =
	{.meaning =
		"A ceiling of hundreds of MiB is many times what this path needs: it buys nothing, and a slow reader may fill it.",
	    .advice = "bdp with a target says what is needed; lowering takes --allow-lower",
	    .forms = {"{0} maximum is {1} on the {2}, where {3} must be in flight"}},
    [FINDING_CEILING_BELOW_DEFAULT] =
	{.meaning =
		"The ceiling is lower than this kernel's own default for this much RAM: an old guide's block, most likely.",
	    .advice = "remove the line that sets it",
	    .forms = {"{0} maximum {1} on the {2}; Linux {3}.{4}'s own is {5}"}},
    [FINDING_DEAD_KEY] = {.meaning = "A key is set that does nothing on this kernel.",
	.advice = "remove it",
	.forms = {"{0} = {1} on the {2} does nothing since Linux {3}.{4}"}},
    [FINDING_RTT_CONTRADICTION] =
	{.meaning =
		"Two sources give RTTs that cannot both be of this path: another host was pinged, or something on the way ends the connection.",
	    .advice = "ping the address that iperf3 connected to, right before the run",
	    .forms =
		{[CONTRADICTION_OTHER_HOST] = "ping says {0}, tcp_info says {1} and holds still",
		    [CONTRADICTION_OWN_ADDRESS] =
			"ping says {0}, tcp_info says {1} and holds still, though it is the run's own address that was pinged: something between ends the connection, or the path was another by then"}},
    [FINDING_MEMORY_PRESSURE] =
	{.meaning =
		"TCP as a whole is, or was, at its pressure mark: windows shrink for everybody.",
	    .advice = "bdp sockets shows who holds it",
	    .forms = {[PRESSURE_HELD] = "TCP holds {0}[ on the {2}], pressure begins at {1}",
		[PRESSURE_COUNTED] = "TCPMemoryPressures +{0}, TCPAbortOnMemory +{1}"}},
    [FINDING_RUNAWAY_BUFFERS] =
	{.meaning =
		"Receive buffers grow past what their paths need: the kernel wanted to close a window and could not, and pruned instead.",
	    .advice = "bdp sockets; tcp_shrink_window on Linux 6.5 and later, with its risks",
	    .forms =
		{"TCPWantZeroWindowAdv +{0}, TCPToZeroWindowAdv +{1}[, {2} +{3}][, {4} +{5}][, {6} +{7}][, {8} +{9}][, {10} +{11}][, {12} +{13}]"}},
    [FINDING_BUFFER_OVERRUN] =
	{.meaning =
		"Receive buffers were over their limit: what had arrived was copied together, or thrown away.",
	    .advice =
		"find the program that reads slowly, or sets a small SO_RCVBUF: bdp sockets on that host",
	    .forms =
		{"{0} +{1}[, {2} +{3}][, {4} +{5}][, {6} +{7}][, {8} +{9}][, {10} +{11}]: receive buffers over their limit"}},
    [FINDING_WINDOW_SCALE_FIXED] =
	{.meaning =
		"The window scale is agreed in the SYN by the ceiling of that moment: connections that are up keep their old limit.",
	    .advice = "connect anew after raising a ceiling",
	    .forms =
		{"this connection's window can never exceed {0} (scale {1}); the target needs {2}"}},
    [FINDING_SHORT_TEST] =
	{.meaning = "Fewer than three intervals count: the ramp-up weighs too much.",
	    .advice = "measure for at least 10 s, or 30 round trips",
	    .forms = {"{0|interval is|intervals are} counted after the ramp-up"}},
    [FINDING_INTERRUPTED] =
	{.meaning = "The test did not end as planned; what was read up to there is used.",
	    .advice = NULL,
	    .forms = {[INTERRUPTED_SAYS_WHY] = "iperf3: {0}",
		[INTERRUPTED_UNSAID] = "the output ends before its summary"}},
    [FINDING_CEILING_TOO_BIG] =
	{.meaning =
		"A ceiling far above what the path needs buys queueing delay and retransmits, not rate.",
	    .advice = "bdp sweep picks the ceiling where the gain ends",
	    .forms = {"cwnd reached {0} where {1} carry this rate"}},
    [FINDING_STANDING_QUEUE] =
	{.meaning =
		"Data waited in a queue of the host where tc was run, at that moment: everything that goes through it waits as long.",
	    .advice = "fq_codel or cake there; or a sender that does not fill it (bdp compare)",
	    .forms = {"tc shows {0} waiting ({1} packets): {2} at {3}"}},
    [FINDING_STALLED] =
	{.meaning =
		"Seconds pass without a byte while cwnd is down to a segment or two: everything waits for retransmission timeouts. Full-sized packets vanish (MTU, offload), or the path is down.",
	    .advice =
		"try smaller segments (iperf3 -M 1200), tracepath HOST, and ethtool -K DEV tso off gso off",
	    .forms = {"no byte in {0} of {1} intervals, cwnd at {2}"}},
    [FINDING_PATH_LOSS] =
	{.meaning =
		"Probes without load were lost: the path loses, whatever the sender does. A router that limits its answers loses none of what it passes on, so that only loss which goes on to the last hop counts.",
	    .advice = "ask who runs the hop where the loss begins; no buffer mends it",
	    .forms =
		{[PROBES_TO_NAMED] =
			"{0} lost {1} of {2} probes to {6} ({3})[, from hop {4} of {5} on]",
		    [PROBES_TO_UNNAMED] =
			"{0} lost {1} of {2} probes to the host ({3})[, from hop {4} of {5} on]"}},
    [FINDING_PATH_MTU] =
	{.meaning =
		"The path carries smaller packets than its ends send: a tunnel on the way. Where the routers' answers are filtered, full-sized segments vanish.",
	    .advice =
		"set the MTU of the interface or of the route, or clamp the MSS; net.ipv4.tcp_mtu_probing=1 finds it by itself",
	    .forms =
		{[MTU_BELOW_SEGMENT] =
			"packets of {0} bytes get through, the run's segments need {1} (MSS {2})",
		    [MTU_BELOW_INTERFACE] =
			"packets of {0} bytes get through from hop {1} on, the interface has {2}"}},
    [FINDING_HOST_DROPS] =
	{.meaning =
		"The host itself dropped packets between two readings of its counters: what is sent again for that was not lost on the path, and no setting of TCP mends it.",
	    .advice = "a larger ring (ethtool -G) or backlog, receive queues spread over the CPUs",
	    .forms =
		{[DROPS_EXPLAIN_ALL] =
			"[{0} ]{1} +{2} on the {3}: {4}[; {5} segments were sent again, which this explains]",
		    [DROPS_EXPLAIN_PART] =
			"[{0} ]{1} +{2} on the {3}: {4}[; {5} segments were sent again, more than this explains]"}},
    [FINDING_EARLIER_DROPS] =
	{.meaning =
		"The host has dropped packets since its interface came up; one reading of the counters does not tell when.",
	    .advice = "read them before and after a test, and give both",
	    .forms = {"[{0} ]{1} is {2} on the {3}: {4}"}},
    [FINDING_DAMAGED_FRAMES] =
	{.meaning =
		"Frames arrived damaged between two readings: a cable, an optic or the duplex of the link to this host.",
	    .advice =
		"change the cable or the optic, and compare the duplex of both ends (ethtool DEV)",
	    .forms = {"[{0} ]{1} +{2} on the {3}"}},
    [FINDING_OUT_OF_MEMORY] =
	{.meaning =
		"TCP as a whole reached the high mark of tcp_mem: the kernel resets connections that ask for more (tcp_check_oom).",
	    .advice =
		"bdp sockets shows who holds it; tcp_mem far below the kernel's own, about 9 % of RAM, is a cause by itself",
	    .forms =
		{"\"TCP: out of memory\" {0|time|times} in the kernel's log of the {1}[, it holds {2} now][, the high mark is {3}]"}},
    [FINDING_ORPHANS] =
	{.meaning =
		"Connections that their program has closed wait for the peer, and there are more of them than tcp_max_orphans: the kernel resets them (tcp_check_oom).",
	    .advice =
		"find out why peers do not acknowledge the end (bdp sockets); then a larger tcp_max_orphans",
	    .forms =
		{[ORPHANS_NOW] = "{0} orphaned sockets on the {1}, tcp_max_orphans is {2}",
		    [ORPHANS_LOGGED] =
			"\"too many orphaned sockets\" {0|time|times} in the kernel's log of the {1}"}},
    [FINDING_SOCKET_LEAK] =
	{.meaning =
		"Far more sockets are allocated than in use: a program makes sockets and neither connects nor closes them, or they belong to other network namespaces.",
	    .advice = "lsof -n | grep \"can't identify protocol\" shows who holds them",
	    .forms =
		{[LEAK_OF_BOTH] = "{0} TCP sockets are allocated on the {1}, {2} of them in use",
		    [LEAK_WITHOUT_TCP6] =
			"{0} TCP sockets are allocated on the {1}, {2} of them in use by IPv4 (sockstat6 is not there)"}},
    [FINDING_UNQUOTED_VECTOR] =
	{.meaning =
		"sysctl -w KEY=A B C, without quotes, sets the first number alone: the shell passes the others on as words of their own.",
	    .advice = "quote it: sysctl -w KEY=\"A B C\"",
	    .forms =
		{[UNQUOTED_ONE] = "{0} without quotes in {1}: it sets the first number of three",
		    [UNQUOTED_SEVERAL] =
			"{0} without quotes in {1}: it sets the first number of three, as do others"}},
    [FINDING_NOT_UNDERSTOOD] =
	{.meaning =
		"Lines name a setting of TCP and give it no value that the kernel would take, so that what it is set to is not known.",
	    .advice = "give sysctl -a of that host",
	    .forms = {"{0|line|lines} in {1}, the first line {2}: no usable value for {3}"}},
};

static const char *const fact_forms[FACT_COUNT] = {
    [FACT_WINDOWS_NEVER_CLOSED] =
	"TCPWantZeroWindowAdv +{0}[ in {1} s], TCPToZeroWindowAdv +{2}: windows had to be closed and never were",
    [FACT_WINDOWS_CLOSED_LATE] =
	"TCPWantZeroWindowAdv +{0}[ in {1} s], TCPToZeroWindowAdv +{2}: windows had to be closed and mostly were not at once",
    [FACT_WINDOWS_CLOSED] =
	"TCPWantZeroWindowAdv +{0}[ in {1} s], TCPToZeroWindowAdv +{2}: windows had to be closed and were",
    [FACT_OVER_LIMIT] =
	"{1} +{2}[, {3} +{4}][, {5} +{6}][, {7} +{8}][, {9} +{10}][, {11} +{12}][ in {0} s]: receive buffers were over their limit",
    [FACT_WISHES_NOT_SHOWN] =
	"TCPWantZeroWindowAdv is not shown: a program that reads slowly or sets a small SO_RCVBUF overfills its buffer too",
    [FACT_BUFFERS_BEYOND] =
	"{0|receive buffer is|receive buffers are} beyond what the path needs, holding {1}; the largest is {2}",
    [FACT_SLOW_READERS] =
	"{0|socket is|sockets are} at least half full of what nobody has read[, {1} of them read nothing at all]",
    [FACT_SINCE_BOOT] =
	"since the host started: TCPWantZeroWindowAdv {0}[, {1} {2}][, {3} {4}][, {5} {6}][, {7} {8}][, {9} {10}][, {11} {12}]",
};

struct phrase finding_text(const struct finding *finding)
{
	struct phrase text = {""};

	template_fill(&text, finding_words[finding->id].forms[finding->form], finding->values,
	    FINDING_VALUES_MAX);
	return text;
}

struct phrase runaway_text(const struct runaway_evidence *evidence)
{
	struct phrase text = {""};

	template_fill(&text, fact_forms[evidence->fact], evidence->values, FINDING_VALUES_MAX);
	return text;
}
