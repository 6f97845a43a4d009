#include "evidence/counters.h"

#include <string.h>

#include "evidence/scan.h"

/* Where each is counted: net/ipv4/tcp_input.c, tcp_output.c, tcp_timer.c; names: net/ipv4/proc.c. */
const struct counter counter_table[COUNTER_COUNT] = {
    [COUNTER_TCP_IN_SEGS] = {.name = "TcpInSegs", .about = "segments received"},
    [COUNTER_TCP_OUT_SEGS] = {.name = "TcpOutSegs",
	.about =
	    "segments sent, without those that only retransmit (tcp_output.c, __tcp_transmit_skb)"},
    [COUNTER_TCP_RETRANS_SEGS] = {.name = "TcpRetransSegs", .about = "segments retransmitted"},
    [COUNTER_TCP_CURR_ESTAB] = {.name = "TcpCurrEstab",
	.about = "connections established now; not a total"},
    [COUNTER_WANT_ZERO_WINDOW_ADV] = {.name = "TcpExtTCPWantZeroWindowAdv",
	.about =
	    "the receiver wanted to close its window and could not without taking back what it had "
	    "promised (tcp_select_window): the sign of receive buffers that outgrow their limit"},
    [COUNTER_TO_ZERO_WINDOW_ADV] = {.name = "TcpExtTCPToZeroWindowAdv",
	.about =
	    "a window was closed: the local application reads too slowly, or the buffer is too small"},
    [COUNTER_FROM_ZERO_WINDOW_ADV] = {.name = "TcpExtTCPFromZeroWindowAdv",
	.about = "a closed window was reopened"},
    [COUNTER_ZERO_WINDOW_DROP] = {.name = "TcpExtTCPZeroWindowDrop",
	.about =
	    "data arrived in order while the window was closed, and was dropped (Linux 5.4 and later)"},
    [COUNTER_RCV_Q_DROP] = {.name = "TcpExtTCPRcvQDrop",
	.about =
	    "data arrived in order and was dropped for want of memory: the socket's buffer, tcp_mem or "
	    "the cgroup (Linux 5.4 and later)"},
    [COUNTER_PRUNE_CALLED] = {.name = "TcpExtPruneCalled",
	.about =
	    "a receive buffer was over its limit or memory was refused, and room had to be made "
	    "(tcp_prune_queue)"},
    [COUNTER_RCV_PRUNED] = {.name = "TcpExtRcvPruned",
	.about = "making room did not help, and a segment was dropped (tcp_prune_queue)"},
    [COUNTER_OFO_PRUNED] = {.name = "TcpExtOfoPruned",
	.about =
	    "data that arrived out of order was thrown away to make room (tcp_prune_ofo_queue)"},
    [COUNTER_RCV_COLLAPSED] = {.name = "TcpExtTCPRcvCollapsed",
	.about =
	    "packets were copied together to save memory, at the cost of CPU time (tcp_collapse)"},
    [COUNTER_OFO_DROP] = {.name = "TcpExtTCPOFODrop",
	.about = "a segment out of order was dropped for want of memory"},
    [COUNTER_BACKLOG_DROP] = {.name = "TcpExtTCPBacklogDrop",
	.about =
	    "segments were dropped because the socket was locked for longer than its backlog holds"},
    [COUNTER_MEMORY_PRESSURES] = {.name = "TcpExtTCPMemoryPressures",
	.about =
	    "times that TCP memory exceeded the pressure mark of tcp_mem (tcp_enter_memory_pressure)"},
    [COUNTER_MEMORY_PRESSURES_CHRONO] = {.name = "TcpExtTCPMemoryPressuresChrono",
	.about =
	    "milliseconds spent under memory pressure; added when it ends (Linux 4.15 and later)"},
    [COUNTER_ABORT_ON_MEMORY] = {.name = "TcpExtTCPAbortOnMemory",
	.about =
	    "connections reset because TCP memory exceeded the high mark of tcp_mem or there were too "
	    "many orphans (tcp_check_oom)"},
    [COUNTER_TIMEOUTS] = {.name = "TcpExtTCPTimeouts",
	.about = "retransmission timeouts: each restarts the flow from a cwnd of one"},
    [COUNTER_LOST_RETRANSMIT] = {.name = "TcpExtTCPLostRetransmit",
	.about = "a retransmission was lost in its turn: a policer, or heavy loss"},
    [COUNTER_SPURIOUS_RTOS] = {.name = "TcpExtTCPSpuriousRTOs",
	.about = "timeouts that F-RTO found to be needless (RFC 5682): the RTT jumped"},
    [COUNTER_LOSS_PROBES] = {.name = "TcpExtTCPLossProbes",
	.about = "probes for a loss at the end of a burst (RFC 8985, section 7)"},
    [COUNTER_FAST_RETRANS] = {.name = "TcpExtTCPFastRetrans",
	.about = "retransmissions without waiting for a timeout"},
    [COUNTER_SLOW_START_RETRANS] = {.name = "TcpExtTCPSlowStartRetrans",
	.about = "retransmissions while recovering from a timeout"},
    [COUNTER_SYN_RETRANS] = {.name = "TcpExtTCPSynRetrans", .about = "SYN or SYN-ACK sent again"},
    [COUNTER_DSACK_RECV] = {.name = "TcpExtTCPDSACKRecv",
	.about = "the peer told that it got something twice (RFC 2883): a needless retransmission"},
    [COUNTER_BEYOND_WINDOW] = {.name = "TcpExtBeyondWindow",
	.about = "segments beyond the advertised window were dropped (Linux 6.17 and later)"},
    [COUNTER_WQUEUE_TOO_BIG] = {.name = "TcpExtTCPWqueueTooBig",
	.about =
	    "a packet was not split because the write queue held twice the send buffer (Linux 5.4 and "
	    "later)"},
};

_Static_assert(
    sizeof(counter_table) / sizeof(counter_table[0]) == COUNTER_COUNT, "a row for every counter");

enum counter_id counter_find_full(const char *name)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		if (strcmp(name, counter_table[i].name) == 0)
			return (enum counter_id)i;
	return COUNTER_COUNT;
}

enum counter_id counter_find_prefixed(const char *prefix, const char *name)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		const char *rest = counter_table[i].name;
		if (scan_prefix(&rest, prefix) && strcmp(rest, name) == 0)
			return (enum counter_id)i;
	}
	return COUNTER_COUNT;
}

void counter_set(struct counters *counters, enum counter_id id, uint64_t value)
{
	if (id == COUNTER_COUNT)
		return;
	counters->known[id] = true;
	counters->value[id] = value;
	counters->any = true;
}

void counters_delta(
    const struct counters *before, const struct counters *after, struct counters *delta)
{
	struct counters d = {0};

	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		if (!before->known[i] || !after->known[i])
			continue;
		uint64_t grown =
		    after->value[i] > before->value[i] ? after->value[i] - before->value[i] : 0;
		counter_set(&d, (enum counter_id)i, grown);
	}
	*delta = d;
}

bool counters_went_back(const struct counters *before, const struct counters *after)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		/* the connections that there are now may well be fewer */
		if (i != COUNTER_TCP_CURR_ESTAB && before->known[i] && after->known[i] &&
		    after->value[i] < before->value[i])
			return true;
	return false;
}
