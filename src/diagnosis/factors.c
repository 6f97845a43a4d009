#include "diagnosis/diagnosis.h"

const struct factor_row factor_table[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = {.name = "unknown",
	.text = "not told by this evidence",
	.meaning = "The evidence fits more than one cause; the candidates are named, and the one "
		   "measurement that would tell them apart.",
	.where = WHERE_NONE},
    [FACTOR_APPLICATION] = {.name = "application",
	.text = "the application",
	.meaning = "The sender offered no more than was carried: a rate was asked for, or the "
		   "program had nothing to send.",
	.where = WHERE_SENDER},
    [FACTOR_SOCKET_OPTION] = {.name = "socket-option",
	.text = "a socket buffer set by the program",
	.meaning = "A buffer size set with SO_RCVBUF or SO_SNDBUF (iperf3 -w) switches autotuning "
		   "off; net.core.rmem_max and wmem_max cap it.",
	.where = WHERE_EITHER},
    [FACTOR_CPU] = {.name = "cpu",
	.text = "the CPU of an end",
	.meaning = "One end is busy for 90 % of a core or more.",
	.where = WHERE_EITHER},
    [FACTOR_RECEIVE_WINDOW] = {.name = "receive-window",
	.text = "the receive window",
	.meaning = "As much is in flight as the receiver's window permits; the window is a share "
		   "of the receiver's tcp_rmem ceiling.",
	.where = WHERE_RECEIVER},
    [FACTOR_SEND_BUFFER] = {.name = "send-buffer",
	.text = "the send buffer",
	.meaning = "Less is in flight than both the congestion window and the peer's window "
		   "permit: the sender's tcp_wmem ceiling holds the flow.",
	.where = WHERE_SENDER},
    [FACTOR_WINDOW_SCALING_OFF] = {.name = "window-scaling-off",
	.text = "a window without scaling",
	.meaning = "Without window scaling (RFC 7323) no more than 65,535 bytes are in flight, "
		   "whatever the buffers.",
	.where = WHERE_EITHER},
    [FACTOR_RANDOM_LOSS] = {.name = "random-loss",
	.text = "random loss",
	.meaning = "Packets are lost all along without a queue; congestion control keeps the "
		   "window far below what the hosts would permit.",
	.where = WHERE_PATH},
    [FACTOR_POLICER] = {.name = "policer",
	.text = "a policer or a shallow queue",
	.meaning = "Losses come in bursts at one rate while the RTT stays flat: something drops "
		   "what exceeds a rate instead of queueing it.",
	.where = WHERE_PATH},
    [FACTOR_QUEUE] = {.name = "queue",
	.text = "a standing queue",
	.meaning = "The rate is flat and the RTT far above the idle one: more window only makes "
		   "the queue longer.",
	.where = WHERE_PATH},
    [FACTOR_LINK] = {.name = "link",
	.text = "the link",
	.meaning = "The rate is what a link on the path carries.",
	.where = WHERE_PATH},
    [FACTOR_STALLED] = {.name = "stalled",
	.text = "a stall",
	.meaning =
	    "Most of the time nothing moves: full segments do not get through (MTU, TSO or GSO), "
	    "the peer's program stopped reading, or the path was cut off.",
	.where = WHERE_EITHER},
    [FACTOR_RECEIVER_APPLICATION] = {.name = "receiver-application",
	.text = "the receiving program",
	.meaning =
	    "The program at the receiver reads more slowly than the path delivers: its window "
	    "shrinks, and no ceiling changes that.",
	.where = WHERE_RECEIVER},
    [FACTOR_APPLICATION_WINDOW] = {.name = "application-window",
	.text = "a window of the program's own",
	.meaning =
	    "A protocol above TCP limits what is in flight (HTTP/2 64 KiB, SFTP 512 KiB, an SSH "
	    "channel 2 MiB): the kernel's buffers do not matter.",
	.where = WHERE_SENDER},
    [FACTOR_LOSS_RECOVERY] = {.name = "loss-recovery",
	.text = "cwnd after a loss",
	.meaning =
	    "Something was lost early, and cwnd was still growing back when the test ended: too "
	    "short to tell what holds the flow.",
	.where = WHERE_PATH},
};

const char *where_name(enum where where)
{
	static const char *const names[] = {
	    [WHERE_NONE] = NULL,
	    [WHERE_SENDER] = "sender",
	    [WHERE_RECEIVER] = "receiver",
	    [WHERE_EITHER] = "either",
	    [WHERE_PATH] = "path",
	};
	return names[where];
}

const char *confidence_name(enum confidence confidence)
{
	static const char *const names[] = {
	    [CONFIDENCE_LOW] = "low",
	    [CONFIDENCE_MEDIUM] = "medium",
	    [CONFIDENCE_HIGH] = "high",
	};
	return names[confidence];
}

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
	    [SEVERITY_INFO] = "info",
	    [SEVERITY_NOTICE] = "notice",
	    [SEVERITY_WARNING] = "warning",
	    [SEVERITY_PROBLEM] = "problem",
	};
	return names[severity];
}
