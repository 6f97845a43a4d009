#include "verbs/terms.h"

const struct term terms[TERM_COUNT] = {
    {.name = "bdp",
	.about = "Bandwidth-delay product: rate x RTT, the bytes that must be in flight at once to "
		 "carry that rate. A window below it is what holds a flow back.",
	.manual = "bdp(1), How it reckons"},
    {.name = "rtt",
	.about = "Round-trip time, from sending to the acknowledgement. The smallest one is the "
		 "path's own; what it is more under load was spent in a queue.",
	.manual = "bdp(1), How it reckons, RTT"},
    {.name = "window",
	.about =
	    "What may be in flight unacknowledged. The receiver advertises its own, a share of "
	    "its buffer: no flow exceeds window / RTT.",
	.manual = "bdp(1), How it reckons, Window and buffer"},
    {.name = "cwnd",
	.about =
	    "Congestion window: what the sender's congestion control permits in flight, which is "
	    "not what is in flight. Where another limit holds the flow, cwnd rests unused.",
	.manual = "bdp(1), How it reckons, RTT, and CAVEATS"},
    {.name = "in-flight",
	.about = "Sent and not yet acknowledged: rate x RTT under load.",
	.manual = "bdp(1), How it reckons"},
    {.name = "ceiling",
	.about =
	    "The third number of tcp_rmem or tcp_wmem: as large as autotuning may make a buffer. "
	    "It is headroom for connections that need it, not a reservation.",
	.manual = "bdp(1), How it reckons, Sizing a ceiling"},
    {.name = "autotuning",
	.about =
	    "The kernel grows the buffers of a socket with its need, from the second to the third "
	    "number of tcp_rmem and tcp_wmem. SO_RCVBUF, SO_SNDBUF and iperf3 -w turn it off.",
	.manual = "bdp(1), How it reckons, Window and buffer; tcp(7)"},
    {.name = "window-scale",
	.about =
	    "A shift agreed in the SYN, by the ceiling of that moment, without which no window "
	    "exceeds 64 KiB: connections that are up keep the one they have (RFC 7323).",
	.manual = "bdp(1), DIAGNOSTICS, window-scale-fixed"},
    {.name = "steady-state",
	.about = "The intervals behind the ramp-up, of which rate, windows and RTT are taken.",
	.manual = "bdp(1), How it reckons, Steady state"},
    {.name = "confidence",
	.about =
	    "high: the numbers single out one cause; medium: it fits best, and one measurement "
	    "would confirm it; low: several fit. NEXT has the measurement.",
	.manual = "bdp(1), DIAGNOSTICS, Limits"},
    {.name = "kernel-rule",
	.about =
	    "A ceiling sized by the share of the buffer that this kernel makes window: the last "
	    "choice, behind sweep, scaling and observed-ratio, which rest on measurements.",
	.manual = "bdp(1), How it reckons, Sizing a ceiling"},
    {.name = "knee",
	.about =
	    "The largest ceiling of a sweep that still gains enough in rate for what it loses.",
	.manual = "bdp(1), Verbs, sweep"},
    {.name = "efficiency",
	.about = "RFC 6349: the share of segments that were not sent again.",
	.manual = "bdp(1), How it reckons, RFC 6349"},
    {.name = "buffer-delay",
	.about = "RFC 6349: what load adds to the RTT, in percent of the idle one.",
	.manual = "bdp(1), How it reckons, RFC 6349"},
    {.name = "transfer-time",
	.about = "RFC 6349: how much longer the test took than it would at the target rate.",
	.manual = "bdp(1), How it reckons, RFC 6349"},
    {.name = "pressure",
	.about =
	    "The second number of tcp_mem: beyond it buffers stop growing and windows shrink, for "
	    "every connection of the machine.",
	.manual = "bdp(1), How it reckons, Memory"},
};
