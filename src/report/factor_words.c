/* What the causes are called in sentences, and what they mean. */
#include "report/limit_text.h"

const struct factor_words factor_words[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = {.text = "not told by this evidence",
	.meaning =
	    "The evidence fits more than one cause; the candidates are named, and the one measurement that would tell them apart."},
    [FACTOR_APPLICATION] = {.text = "the application",
	.meaning =
	    "The sender offered no more than was carried: a rate was asked for, or the program had nothing to send."},
    [FACTOR_SOCKET_OPTION] = {.text = "a socket buffer set by the program",
	.meaning =
	    "A buffer size set with SO_RCVBUF or SO_SNDBUF (iperf3 -w) switches autotuning off; net.core.rmem_max and wmem_max cap it."},
    [FACTOR_CPU] = {.text = "the CPU of an end",
	.meaning = "One end is busy for 90 % of a core or more."},
    [FACTOR_RECEIVE_WINDOW] = {.text = "the receive window",
	.meaning =
	    "As much is in flight as the receiver's window permits; the window is a share of the receiver's tcp_rmem ceiling."},
    [FACTOR_SEND_BUFFER] = {.text = "the send buffer",
	.meaning =
	    "Less is in flight than both the congestion window and the peer's window permit: the sender's tcp_wmem ceiling holds the flow."},
    [FACTOR_WINDOW_SCALING_OFF] = {.text = "a window without scaling",
	.meaning =
	    "Without window scaling (RFC 7323) no more than 65,535 bytes are in flight, whatever the buffers."},
    [FACTOR_RANDOM_LOSS] = {.text = "random loss",
	.meaning =
	    "Packets are lost all along without a queue; congestion control keeps the window far below what the hosts would permit."},
    [FACTOR_POLICER] = {.text = "a policer or a shallow queue",
	.meaning =
	    "Losses come in bursts at one rate while the RTT stays flat: something drops what exceeds a rate instead of queueing it."},
    [FACTOR_QUEUE] = {.text = "a standing queue",
	.meaning =
	    "The rate is flat and the RTT far above the idle one: more window only makes the queue longer."},
    [FACTOR_LINK] = {.text = "the link", .meaning = "The rate is what a link on the path carries."},
    [FACTOR_STALLED] = {.text = "a stall",
	.meaning =
	    "Most of the time nothing moves: full segments do not get through (MTU, TSO or GSO), the peer's program stopped reading, or the path was cut off."},
    [FACTOR_RECEIVER_APPLICATION] = {.text = "the receiving program",
	.meaning =
	    "The program at the receiver reads more slowly than the path delivers: its window shrinks, and no ceiling changes that."},
    [FACTOR_APPLICATION_WINDOW] = {.text = "a window of the program's own",
	.meaning =
	    "A protocol above TCP limits what is in flight (HTTP/2 64 KiB, SFTP 512 KiB, an SSH channel 2 MiB): the kernel's buffers do not matter."},
    [FACTOR_LOSS_RECOVERY] = {.text = "cwnd after a loss",
	.meaning =
	    "Something was lost early, and cwnd was still growing back when the test ended: too short to tell what holds the flow."},
};
