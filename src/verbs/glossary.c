#include "verbs/glossary.h"

const struct term glossary[] = {
    {.name = "bdp",
	.about = "Bandwidth-delay product: rate x RTT, the bytes that must be in flight at once to "
		 "carry that rate. A window below it is what holds a flow back.",
	.manual = "bdp(1), How it computes"},
    {.name = "rtt",
	.about = "Round-trip time, from sending to the acknowledgement. The smallest one is the "
		 "path's own; what it is more under load was spent in a queue.",
	.manual = "bdp(1), How it computes, RTT",
	.also = "round-trip window/rate rmem-share/rate peer-window/rate cwnd/rate"},
    {.name = "window",
	.about =
	    "What may be in flight unacknowledged. The receiver advertises its own, a share of "
	    "its buffer: no flow exceeds window / RTT.",
	.manual = "bdp(1), How it computes, Window and buffer"},
    {.name = "cwnd",
	.about =
	    "Congestion window: what the sender's congestion control permits in flight, which is "
	    "not what is in flight. Where another limit holds the flow, cwnd rests unused.",
	.manual = "bdp(1), How it computes, RTT, and CAVEATS"},
    {.name = "in-flight",
	.also = "flight in_flight",
	.about = "Sent and not yet acknowledged: rate x RTT under load.",
	.manual = "bdp(1), How it computes"},
    {.name = "ceiling",
	.also = "ceilings maximum max",
	.about =
	    "The third number of tcp_rmem or tcp_wmem: as large as autotuning may make a buffer. "
	    "It is headroom for connections that need it, not a reservation.",
	.manual = "bdp(1), How it computes, Sizing a ceiling"},
    {.name = "autotuning",
	.about =
	    "The kernel grows the buffers of a socket with its need, from the second to the third "
	    "number of tcp_rmem and tcp_wmem. SO_RCVBUF, SO_SNDBUF and iperf3 -w turn it off.",
	.manual = "bdp(1), How it computes, Window and buffer; tcp(7)"},
    {.name = "window-scale",
	.also = "wscale scale window-scaling",
	.about =
	    "A shift agreed in the SYN, by the ceiling of that moment, without which no window "
	    "exceeds 64 KiB: connections that are up keep the one they have (RFC 7323).",
	.manual = "bdp(1), DIAGNOSTICS, window-scale-fixed"},
    {.name = "steady-state",
	.also = "steady",
	.about = "The intervals behind the ramp-up, of which rate, windows and RTT are taken.",
	.manual = "bdp(1), How it computes, Steady state"},
    {.name = "phases",
	.also = "start recovering filling stalled idle phase regime",
	.about =
	    "What a run consists of: start (the rate still rises), held (cwnd is constant or not "
	    "used up), recovering (from a loss until cwnd no longer governs), filling (a queue "
	    "grows), stalled (nothing gets through), idle (the program sends nothing). The longest "
	    "after the start governs.",
	.manual = "bdp(1), How it computes, Steady state"},
    {.name = "confidence",
	.also = "high medium low",
	.about =
	    "How sure the report is of a cause.  high: the numbers single out one cause; medium: it fits best, and one measurement "
	    "would confirm it; low: several fit. NEXT has the measurement.",
	.manual = "bdp(1), DIAGNOSTICS, Limits"},
    {.name = "kernel-rule",
	.also = "kernel",
	.about =
	    "A ceiling sized by the share of the buffer that this kernel makes window: the last "
	    "choice, behind sweep, scaling and observed-ratio, which rest on measurements.",
	.manual = "bdp(1), How it computes, Sizing a ceiling"},
    {.name = "knee",
	.about =
	    "The largest ceiling of a sweep that still gains enough in rate for what it loses.",
	.manual = "bdp(1), Verbs, sweep"},
    {.name = "efficiency",
	.about = "RFC 6349: the share of segments that were not sent again.",
	.manual = "bdp(1), How it computes, RFC 6349",
	.also = "rfc-6349 rfc rfc6349"},
    {.name = "buffer-delay",
	.also = "queue-delay",
	.about = "RFC 6349: what load adds to the RTT, in percent of the idle one.",
	.manual = "bdp(1), How it computes, RFC 6349"},
    {.name = "transfer-time",
	.about = "RFC 6349: how much longer the test took than it would at the target rate.",
	.manual = "bdp(1), How it computes, RFC 6349"},
    {.name = "pressure",
	.about =
	    "The second number of tcp_mem: beyond it buffers stop growing and windows shrink, for "
	    "every connection of the machine.",
	.manual = "bdp(1), How it computes, Memory"},
    {.name = "algorithm",
	.about =
	    "Congestion control: what the sender's kernel grows and shrinks cwnd by, such as cubic or bbr. It is the sender's tcp_congestion_control that counts.",
	.manual = "bdp explain tcp_congestion_control",
	.also = "cc congestion-control congestion"},
    {.name = "cubic",
	.about =
	    "Linux's usual congestion control: grows cwnd until something is lost, then falls to 0.7 of it (RFC 9438). It fills the queue of the bottleneck, and random loss on a long path keeps it slow.",
	.manual = "bdp(1), How it computes, Loss"},
    {.name = "ecn",
	.about =
	    "Explicit congestion notification (RFC 3168): a queue marks segments instead of dropping them, and the sender slows down as for a loss. Marks without a loss tell of a queue.",
	.manual = "tcp(7), tcp_ecn",
	.also = "mark marks ce"},
    {.name = "reno",
	.about =
	    "The oldest congestion control: half of cwnd for a loss, one segment more a round trip (RFC 5681). Its bound, MSS / RTT x 1.22 / sqrt(loss), is what reports compare a lossy rate with.",
	.manual = "bdp(1), How it computes, Loss",
	.also = "newreno"},
    {.name = "bbr",
	.about =
	    "Congestion control that sends at the rate it measures instead of waiting for loss: it keeps queues short and bears random loss, may take more or less than its share beside CUBIC, and retransmits more where a policer drops.",
	.manual = "bdp(1), CAVEATS; bdp-runbook(7)",
	.also = "bbr1 bbr2 bbr3"},
    {.name = "fq",
	.about =
	    "A queueing discipline that paces each flow at the rate TCP asks for. BBR works best with it; since Linux 4.13 TCP paces by itself where fq is not there.",
	.manual = "tc-fq(8)"},
    {.name = "fq_codel",
	.about =
	    "A queueing discipline that gives each flow a queue and drops early, so that none of them grows long: what to have where a link is the bottleneck.",
	.manual = "tc-fq_codel(8)",
	.also = "fq-codel codel cake"},
    {.name = "pfifo_fast",
	.about = "Linux's plain queue of an interface: first in, first out, as long as txqueuelen.",
	.manual = "tc-pfifo_fast(8)",
	.also = "pfifo-fast pfifo"},
    {.name = "qdisc",
	.about =
	    "Queueing discipline: how the packets of an interface wait and leave, such as pfifo_fast, fq_codel or fq. default_qdisc is for interfaces that come up later; tc changes those that are up.",
	.manual = "tc(8)",
	.also = "tc"},
    {.name = "pacing",
	.about =
	    "Sending at an even rate instead of in bursts. BBR, fq and iperf3 --fq-rate do it; a paced sender fits through a shallow queue or a policer.",
	.manual = "tc-fq(8)",
	.also = "paced"},
    {.name = "rwnd",
	.about =
	    "Receive window: how much more the receiver is ready to take, as it advertises it in every segment. The sender may have no more in flight; it is a share of the receiver's buffer.",
	.manual = "bdp(1), How it computes, Window and buffer",
	.also = "peer-window snd_wnd snd-wnd advertised-window"},
    {.name = "share",
	.about =
	    "How much of tcp_rmem's ceiling becomes window: half before Linux 6.6, about 0.6 with packets of 1500 bytes since. The rest is overhead of the packets in memory.",
	.manual = "bdp(1), How it computes, Window and buffer",
	.also = "overhead"},
    {.name = "skmem",
	.about = "What a socket holds in memory, overhead and all, as ss -m shows it.",
	.manual = "ss(8)",
	.also = "held"},
    {.name = "rate",
	.about =
	    "Bits per second that arrived, in the intervals of the steady state; of several streams their sum.",
	.manual = "bdp(1), How it computes, Steady state",
	.also = "throughput bandwidth"},
    {.name = "target",
	.about =
	    "The rate to size for: -t, else what the baseline carried, else -b, else the measured rate, with which nothing needs to grow.",
	.manual = "bdp(1), Options",
	.also = "-t"},
    {.name = "baseline",
	.about =
	    "A run over the same path that shows what it can carry, such as one that goes round a proxy. Its rate becomes the target.",
	.manual = "bdp(1), Options",
	.also = "direct"},
    {.name = "role",
	.about =
	    "What the host advised is on the path: receiver, sender or proxy. It decides which buffers it gets; --role says it where the evidence does not.",
	.manual = "bdp(1), Options"},
    {.name = "receiver",
	.about = "The end where the data arrives. Its tcp_rmem bounds the window.",
	.manual = "bdp(1), Options",
	.also = "receives"},
    {.name = "sender",
	.about =
	    "The end where the data comes from. Its tcp_wmem bounds what is in flight, and its algorithm counts.",
	.manual = "bdp(1), Options",
	.also = "sends"},
    {.name = "proxy",
	.about =
	    "A host that ends one connection and opens another, such as a load balancer: it receives and sends over the path, and gets both buffers.",
	.manual = "bdp-runbook(7)",
	.also = "load-balancer lb"},
    {.name = "stream",
	.about =
	    "One connection of a test: iperf3 -P opens several. Buffers must hold what one of them carries; the path carries their sum.",
	.manual = "bdp(1), How it computes, Steady state",
	.also = "streams connection"},
    {.name = "run",
	.about = "One direction of one test. A file may hold several; --run picks one.",
	.manual = "bdp(1), Evidence",
	.also = "runs test"},
    {.name = "mss",
	.about =
	    "Maximum segment size: the most data of one packet, 1448 bytes on Ethernet with timestamps.",
	.manual = "tcp(7)",
	.also = "segment segments mtu"},
    {.name = "retransmits",
	.about =
	    "Segments sent again. Linux counts needless ones, too, so that they are an upper bound of what was lost.",
	.manual = "bdp(1), How it computes, Loss",
	.also = "retransmissions retransmission retr retrans"},
    {.name = "loss-bound",
	.about =
	    "The rate that congestion control reaches at a given loss, RTT and MSS, whatever the buffers: RFC 5681 and RFC 9438.",
	.manual = "bdp(1), How it computes, Loss",
	.also = "bound"},
    {.name = "bufferbloat",
	.about =
	    "A queue so long that the delay harms whatever shares it: the RTT under load far above the idle one.",
	.manual = "bdp(1), DIAGNOSTICS, queueing-delay",
	.also = "bloat latency delay"},
    {.name = "backlog",
	.about = "What waits at an interface, as tc -s qdisc shows it.",
	.manual = "tc(8)"},
    {.name = "shaper",
	.about =
	    "What sends no faster than a rate and lets the rest wait: the RTT rises. A policer drops the rest instead.",
	.manual = "bdp(1), DIAGNOSTICS, Limits",
	.also = "shaping shaped"},
    {.name = "idle-rtt",
	.about =
	    "The round-trip time of the path without load, from a ping before the run or --idle-rtt. What the RTT under load exceeds it by was spent in a queue.",
	.manual = "bdp(1), Options",
	.also = "idle"},
    {.name = "slow-start",
	.about =
	    "How a connection begins: cwnd doubles every round trip until something is lost or delayed. On a long path it takes seconds.",
	.manual = "bdp(1), How it computes, Steady state",
	.also = "ramp-up"},
    {.name = "timestamps",
	.about =
	    "A TCP option with the time of each segment (RFC 7323): for the RTT, and against old segments that come late at high rates.",
	.manual = "bdp explain tcp_timestamps"},
    {.name = "sack",
	.about =
	    "Selective acknowledgement (RFC 2018): the receiver names what arrived, so that several losses are repaired in one round trip.",
	.manual = "bdp explain tcp_sack"},
    {.name = "sockbuf",
	.about =
	    "A buffer size that a program set with SO_RCVBUF or SO_SNDBUF (iperf3 -w): it switches autotuning off for that socket.",
	.manual = "socket(7)",
	.also = "so_rcvbuf so_sndbuf"},
    {.name = "rwnd-limited",
	.about =
	    "How long a socket waited for the peer's window, as the kernel counts it (ss: rwnd_limited). Above a tenth of the busy time the receiver's window holds the flow.",
	.manual = "ss(8)",
	.also = "rwnd_limited"},
    {.name = "sndbuf-limited",
	.about = "How long a socket waited for room in its own send buffer (ss: sndbuf_limited).",
	.manual = "ss(8)",
	.also = "sndbuf_limited"},
    {.name = "app-limited",
	.about = "The program offered no more than was sent (ss: app_limited).",
	.manual = "ss(8)",
	.also = "app_limited"},
    {.name = "zero-window",
	.about =
	    "The receiver advertises no room at all: its program does not read, or memory is short.",
	.manual = "bdp explain TCPToZeroWindowAdv",
	.also = "zerowindow"},
    {.name = "sweep",
	.about =
	    "Runs at several values of one setting, side by side; also the size that they lead to, which outranks the others.",
	.manual = "bdp(1), Verbs, sweep"},
    {.name = "scaling",
	.about =
	    "A ceiling sized by what was measured: the present maximum x target rate / measured rate. Needs neither the RTT nor the kernel's share.",
	.manual = "bdp(1), How it computes, Sizing a ceiling"},
    {.name = "observed-ratio",
	.about = "A ceiling sized by the share of the buffer that was seen to become window.",
	.manual = "bdp(1), How it computes, Sizing a ceiling",
	.also = "observed"},
    {.name = "risk",
	.about = "What a setting may cost, or what must be looked at after it.",
	.manual = "bdp(1), Report forms"},
    {.name = "plan",
	.about =
	    "The settings that a report advises, as JSON or sysctl lines: what bdp apply takes.",
	.manual = "bdp(1), Setting and taking back"},
    {.name = "journal",
	.about =
	    "What bdp apply keeps of the values it found, below /run/bdp: bdp rollback puts them back.",
	.manual = "bdp(1), Setting and taking back",
	.also = "apply rollback confirm"},
    {.name = "tcp_info",
	.about =
	    "What the kernel knows of a connection: RTT, cwnd, the peer's window, retransmits. iperf3 -J and ss print it.",
	.manual = "tcp(7)",
	.also = "tcp-info"},
    {.name = "severity",
	.about =
	    "Of a finding: problem, something is wrong; warning, something costs rate or memory; notice, good to know.",
	.manual = "bdp(1), DIAGNOSTICS, Findings",
	.also = "warning problem notice info"},
    {.name = "worst",
	.about =
	    "What all connections would hold with every buffer at its maximum; tcp_mem stops it before RAM does, where it is sound.",
	.manual = "bdp(1), How it computes, Memory",
	.also = "likely exposure"},
    {.name = "expect",
	.about =
	    "The rate that the advised setting should give, by the same model; a run afterwards proves it.",
	.manual = "bdp(1), Report forms"},
    {.name = "path",
	.about =
	    "All that lies between sender and receiver: links, routers, queues. What it limits no setting "
	    "of a host lifts.",
	.manual = "bdp(1), DIAGNOSTICS, Limits",
	.also = "link-layer way"},
    {.name = "ping",
	.about = "An echo request and its answer: without load it gives the RTT of the idle path.",
	.manual = "ping(8); bdp(1), Evidence"},
    {.name = "given",
	.about = "A number that was given with -b, -r, -w or -l, and outranks what was measured.",
	.manual = "bdp(1), Options"},
    {.name = "either",
	.about = "One of the two ends; the evidence does not say which.",
	.manual = "bdp(1), DIAGNOSTICS, Limits"},
    {.name = "in-use",
	.about = "What TCP holds in memory on the host now, all sockets together.",
	.manual = "bdp(1), How it computes, Memory"},
    {.name = "host",
	.about =
	    "A machine at an end of the path, or in the middle when it ends connections. Every "
	    "setting names the one that it is for.",
	.manual = "bdp(1), Evidence",
	.also = "machine end"},
    {.name = "dctcp",
	.about =
	    "Congestion control for data centres, where switches mark instead of dropping (RFC "
	    "8257): not for a path through the Internet.",
	.manual = "bdp explain tcp_congestion_control"},
};
const unsigned glossary_count = sizeof(glossary) / sizeof(glossary[0]);
