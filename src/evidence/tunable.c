#include "evidence/tunable.h"

#include <bsd/string.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "evidence/scan.h"

/* Key and path are one name in two spellings. */
#define KEY(text) .key = (text), .key_length = sizeof(text) - 1
#define CORE(name) KEY("net.core." name), .path = "proc/sys/net/core/" name
#define IPV4(name) KEY("net.ipv4." name), .path = "proc/sys/net/ipv4/" name

/*
 * Bounds are those of the strictest kernel from 4.4 to 7.3, and of what such a kernel accepts only
 * the values that mean something: most switches take any byte (net/ipv4/sysctl_net_ipv4.c,
 * proc_dou8vec_minmax since 5.13), base_mss and limit_output_bytes even negative numbers.
 */
#define BYTES_MIN 4096	     /* tcp_min_rcvbuf, sysctl_net_ipv4.c of 6.1.192, 6.12.117, 7.3.4 */
#define SOCK_MIN_RCVBUF 2304 /* include/net/sock.h: TCP_SKB_MIN_TRUESIZE on 64 bit */
#define SOCK_MIN_SNDBUF 4608 /* twice that */
#define TCP_MIN_SND_MSS 48   /* include/net/tcp.h */

/* clang-format off */
const struct tunable tunables[TUNABLE_COUNT] = {
    [TUNABLE_TCP_RMEM] = {IPV4("tcp_rmem"), .kind = TUNABLE_VECTOR3, .access = TUNABLE_WRITABLE,
	.min = BYTES_MIN, .max = INT_MAX, .per_netns = true, .unit = "bytes",
	.about = "Receive buffer of a TCP socket: least, initial, and the ceiling that autotuning may "
		"reach. The advertised window is a share of it: half before Linux 6.6, a measured "
		"share of about 0.6 with 1500-byte packets since (net/ipv4/tcp_input.c, "
		"tcp_rcv_space_adjust; include/net/tcp.h, tcp_win_from_space).",
	.pitfall = "The ceiling is not a reservation, and not the window: a window of one BDP takes "
		"about twice the BDP here. Only connections opened after a change get the window "
		"scale for it; the initial size needs the application to be restarted."},
    [TUNABLE_TCP_WMEM] = {IPV4("tcp_wmem"), .kind = TUNABLE_VECTOR3, .access = TUNABLE_WRITABLE,
	.min = BYTES_MIN, .max = INT_MAX, .per_netns = true, .unit = "bytes",
	.about = "Send buffer of a TCP socket: least, initial, and the ceiling that autotuning may "
		"reach. It holds what is sent and not yet acknowledged, with overhead; a writer is "
		"woken at two thirds of it, so that about 0.7 of the ceiling stays in flight "
		"(net/ipv4/tcp_input.c, tcp_sndbuf_expand; include/net/sock.h, "
		"__sk_stream_is_writeable).",
	.pitfall = "It counts on the host that sends; raising only the receiver's tcp_rmem leaves the "
		"sender's 4 MiB default in the way on long paths."},
    [TUNABLE_TCP_MEM] = {IPV4("tcp_mem"), .kind = TUNABLE_VECTOR3, .access = TUNABLE_WRITABLE,
	.max = UINT32_MAX, .unit = "pages", /* unsigned long: 32 bits on the strictest */
	.about = "Memory of all TCP sockets together: low, pressure and high. Above pressure buffers "
		"stop growing and windows shrink until use falls below low; above high allocations "
		"fail (net/core/sock.c, __sk_mem_raise_allocated). The default is 4.7, 6.25 and 9.4 "
		"% of RAM (net/ipv4/tcp.c, tcp_init_mem).",
	.pitfall = "It counts pages, not bytes: 16777216 copied from a guide means 64 GiB. It is one "
		"limit for the whole machine and does not exist inside a network namespace."},
    [TUNABLE_RMEM_MAX] = {CORE("rmem_max"), .kind = TUNABLE_NUMBER, .access = TUNABLE_WRITABLE,
	.min = SOCK_MIN_RCVBUF, .max = INT_MAX, .unit = "bytes",
	.about = "The most that a program may ask for with SO_RCVBUF; the kernel doubles what was "
		"asked (net/core/sock.c, sock_setsockopt). 212992 up to Linux 6.17, 4194304 since.",
	.pitfall = "It does not cap TCP autotuning: tcp_rmem does. It matters only to programs that set "
		"SO_RCVBUF (iperf3 -w, UDP), and they switch autotuning off by doing so."},
    [TUNABLE_WMEM_MAX] = {CORE("wmem_max"), .kind = TUNABLE_NUMBER, .access = TUNABLE_WRITABLE,
	.min = SOCK_MIN_SNDBUF, .max = INT_MAX, .unit = "bytes",
	.about = "The most that a program may ask for with SO_SNDBUF; the kernel doubles what was "
		"asked (net/core/sock.c, sock_setsockopt). 212992 up to Linux 6.17, 4194304 since.",
	.pitfall = "It does not cap TCP autotuning: tcp_wmem does. It matters only to programs that set "
		"SO_SNDBUF."},
    [TUNABLE_RMEM_DEFAULT] = {CORE("rmem_default"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.min = SOCK_MIN_RCVBUF, .max = INT_MAX, .unit = "bytes",
	.about = "Initial receive buffer of sockets that are not TCP (net/core/sock.c, "
		"sock_init_data).",
	.pitfall = "TCP takes the middle number of tcp_rmem instead (net/ipv4/tcp.c, tcp_init_sock)."},
    [TUNABLE_WMEM_DEFAULT] = {CORE("wmem_default"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.min = SOCK_MIN_SNDBUF, .max = INT_MAX, .unit = "bytes",
	.about = "Initial send buffer of sockets that are not TCP (net/core/sock.c, sock_init_data).",
	.pitfall = "TCP takes the middle number of tcp_wmem instead (net/ipv4/tcp.c, tcp_init_sock)."},
    [TUNABLE_TCP_CONGESTION_CONTROL] = {IPV4("tcp_congestion_control"), .kind = TUNABLE_WORD,
	.access = TUNABLE_WRITABLE,
	.per_netns = true, .unit = "",
	.about = "Congestion control of new connections (net/ipv4/tcp_cong.c, "
		"tcp_set_default_congestion_control). It acts on the host that sends.",
	.pitfall = "A name that is neither built in nor a loaded or loadable module is refused (No such "
		"file or directory); at boot, sysctl.d does not wait for the module. Open "
		"connections keep what they have."},
    [TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL] = {IPV4("tcp_available_congestion_control"), .kind = TUNABLE_WORDS,
	.access = TUNABLE_READ_ONLY,
	.per_netns = true, .unit = "",
	.about = "Congestion controls that are loaded now (net/ipv4/tcp_cong.c).",
	.pitfall = "One that is missing here may still be there as a module: modprobe tcp_bbr."},
    [TUNABLE_TCP_ALLOWED_CONGESTION_CONTROL] = {IPV4("tcp_allowed_congestion_control"), .kind = TUNABLE_WORDS,
	.access = TUNABLE_READ_ONLY,
	.per_netns = true, .unit = "",
	.about = "Congestion controls that programs without CAP_NET_ADMIN may choose "
		"(net/ipv4/tcp_cong.c). Writing tcp_congestion_control adds that name here.",
	.pitfall = "Outside the first network namespace, a name that is not in this list cannot be made "
		"the default (EPERM since Linux 5.13)."},
    [TUNABLE_DEFAULT_QDISC] = {CORE("default_qdisc"), .kind = TUNABLE_WORD,
	.access = TUNABLE_WRITABLE,
	.unit = "",
	.about = "Queueing discipline that an interface gets when it comes up, or each of its queues "
		"below mq (net/sched/sch_generic.c, attach_default_qdiscs).",
	.pitfall = "Interfaces that are up keep theirs: tc qdisc replace changes one. BBR prefers fq "
		"but does not need it since Linux 4.13, which paces by itself."},
    [TUNABLE_TCP_ADV_WIN_SCALE] = {IPV4("tcp_adv_win_scale"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.min = -31, .max = 31, .per_netns = true, .unit = "",
	.about = "Before Linux 6.6: which share of the receive buffer becomes window. With s > 0 it "
		"is 1 - 2^-s, with s <= 0 it is 2^s; 1 is half (include/net/tcp.h, "
		"tcp_win_from_space).",
	.pitfall = "Nothing reads it since Linux 6.6 (commit dfa2f0483360): writing it is accepted and "
		"changes nothing."},
    [TUNABLE_TCP_MODERATE_RCVBUF] = {IPV4("tcp_moderate_rcvbuf"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: the receive buffer grows with what the application reads, up to the tcp_rmem "
		"ceiling (net/ipv4/tcp_input.c, tcp_rcv_space_adjust).",
	.pitfall = "With 0 the window stays near 64 KiB whatever tcp_rmem allows."},
    [TUNABLE_TCP_WINDOW_SCALING] = {IPV4("tcp_window_scaling"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: offer the window scale option (RFC 7323, section 2). Without it no window "
		"exceeds 65535 bytes.",
	.pitfall = "Either end with 0, or a middlebox that strips the option, caps the rate of both "
		"directions at 64 KiB per round trip."},
    [TUNABLE_TCP_TIMESTAMPS] = {IPV4("tcp_timestamps"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 2, .per_netns = true, .unit = "",
	.about = "1: timestamps (RFC 7323, section 3), which tell the RTT of every packet and old "
		"segments from new ones; 2: without a random offset.",
	.pitfall = "Switching them off gains 12 bytes a packet and loses PAWS, which guards sequence "
		"numbers that wrap every 3.4 s at 10 Gbit/s, and the receiver's measure of the RTT."},
    [TUNABLE_TCP_SACK] = {IPV4("tcp_sack"), .kind = TUNABLE_NUMBER, .access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: selective acknowledgments (RFC 2018).",
	.pitfall = "Without them one loss is repaired per round trip: on a long path with loss the rate "
		"falls by half or more."},
    [TUNABLE_TCP_SHRINK_WINDOW] = {IPV4("tcp_shrink_window"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: the window may be taken back when memory runs short, so that a slow reader's "
		"receive buffer stays within its limit (net/ipv4/tcp_output.c, __tcp_select_window; "
		"Linux 6.5, commit b650d953cd39, also in 6.1.y).",
	.pitfall = "Retracting a window is discouraged by RFC 7323, section 2.4; stalled sockets have "
		"been reported with it on 6.6. Leave it at 0 without evidence of runaway receive "
		"buffers."},
    [TUNABLE_TCP_NO_METRICS_SAVE] = {IPV4("tcp_no_metrics_save"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: do not remember RTT, reordering and thresholds of closed connections per "
		"destination (net/ipv4/tcp_metrics.c).",
	.pitfall = "For benchmarks only; ip tcp_metrics flush does the same once."},
    [TUNABLE_TCP_SLOW_START_AFTER_IDLE] = {IPV4("tcp_slow_start_after_idle"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 1, .per_netns = true, .unit = "",
	.about = "1: a connection idle for longer than its retransmission timeout starts again from "
		"the initial cwnd (net/ipv4/tcp_output.c, tcp_cwnd_restart).",
	.pitfall = "It matters to bursty traffic on long paths, not to one bulk flow, and not to BBR."},
    [TUNABLE_TCP_MTU_PROBING] = {IPV4("tcp_mtu_probing"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = 2, .per_netns = true, .unit = "",
	.about = "1: look for a smaller MTU when large packets vanish; 2: always (RFC 4821; "
		"net/ipv4/tcp_output.c, tcp_mtu_probe).",
	.pitfall = "2 starts every connection at tcp_base_mss: slow on a clean path."},
    [TUNABLE_TCP_BASE_MSS] = {IPV4("tcp_base_mss"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.min = TCP_MIN_SND_MSS, .max = UINT16_MAX, .per_netns = true, .unit = "bytes",
	.about = "MSS at which MTU probing starts (net/ipv4/tcp_output.c, tcp_mtup_init)."},
    [TUNABLE_TCP_NOTSENT_LOWAT] = {IPV4("tcp_notsent_lowat"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.max = UINT32_MAX, .per_netns = true, .unit = "bytes",
	.about = "How much unsent data a socket takes before it stops being writable "
		"(include/net/tcp.h, tcp_stream_memory_free). It trims memory and latency at the "
		"sender.",
	.pitfall = "It does not limit what is in flight; set too low it starves the flow."},
    [TUNABLE_TCP_LIMIT_OUTPUT_BYTES] = {IPV4("tcp_limit_output_bytes"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_WRITABLE,
	.min = 1, .max = INT_MAX, .per_netns = true, .unit = "bytes",
	.about = "How much of one socket may wait in this host's qdisc and network card "
		"(net/ipv4/tcp_output.c, tcp_small_queue_check).",
	.pitfall = "It is no limit of the data in flight over the path."},
    [TUNABLE_TCP_APP_WIN] = {IPV4("tcp_app_win"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = 31, .per_netns = true, .unit = "",
	.about = "Reserves window >> N for the application (net/ipv4/tcp_input.c, "
		"tcp_init_buffer_space); 31 reserves nothing."},
    [TUNABLE_TCP_ECN] = {IPV4("tcp_ecn"), .kind = TUNABLE_NUMBER, .access = TUNABLE_READ_ONLY,
	.max = 2, .per_netns = true, .unit = "", /* more with AccECN, in 7.0 */
	.about = "Explicit congestion notification (RFC 3168): 0 off, 1 ask and answer, 2 answer only "
		"(net/ipv4/tcp_input.c, tcp_ecn_create_request)."},
    [TUNABLE_TCP_RCVBUF_LOW_RTT] = {IPV4("tcp_rcvbuf_low_rtt"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = INT_MAX, .per_netns = true, .unit = "us",
	.about = "Below this RTT the receive buffer grows more slowly (net/ipv4/tcp_input.c, "
		"tcp_rcvbuf_grow, Linux 6.19)."},
    [TUNABLE_TCP_MAX_ORPHANS] = {IPV4("tcp_max_orphans"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = INT_MAX, .unit = "",
	.about = "Most sockets that no program holds any more and that still have data to deliver "
		"(net/ipv4/tcp.c, tcp_check_oom)."},
    [TUNABLE_NETDEV_MAX_BACKLOG] = {CORE("netdev_max_backlog"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = INT_MAX, .unit = "packets",
	.about = "Packets that wait for one CPU before the stack takes them (net/core/dev.c, "
		"enqueue_to_backlog).",
	.pitfall = "Drivers with NAPI, that is all of today's, deliver past it unless RPS is on."},
    [TUNABLE_OPTMEM_MAX] = {CORE("optmem_max"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = INT_MAX, .per_netns = true, .unit = "bytes",
	.about = "Memory of one socket for options and zero-copy bookkeeping (net/core/sock.c, "
		"sock_kmalloc).",
	.pitfall = "It has no part in windows or buffers."},
    [TUNABLE_TCP_LOW_LATENCY] = {IPV4("tcp_low_latency"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = 1, .unit = "",
	.about = "A leftover: nothing reads it since Linux 4.14, which removed the prequeue.",
	.pitfall = "Guides still set it; that changes nothing."},
    [TUNABLE_TCP_FACK] = {IPV4("tcp_fack"), .kind = TUNABLE_NUMBER, .access = TUNABLE_READ_ONLY,
	.max = 1, .per_netns = true, .unit = "",
	.about = "A leftover: nothing reads it since Linux 4.15, where RACK (RFC 8985) took its place.",
	.pitfall = "Guides still set it; that changes nothing."},
    [TUNABLE_TCP_TW_RECYCLE] = {IPV4("tcp_tw_recycle"), .kind = TUNABLE_NUMBER,
	.access = TUNABLE_READ_ONLY,
	.max = 1, .unit = "",
	.about = "Reused connections early by the peer's timestamps; gone since Linux 4.12.",
	.pitfall = "It broke clients behind NAT, and does not exist any more: the write fails."},
};
/* clang-format on */

_Static_assert(sizeof(tunables) / sizeof(tunables[0]) == TUNABLE_COUNT, "a row for every tunable");

/* sysctl(8) takes net/ipv4/tcp_rmem for net.ipv4.tcp_rmem. Both are of one length. */
static bool key_is(const char *key, const char *dotted)
{
	for (; *dotted != '\0'; key++, dotted++)
		if (*key != *dotted && !(*key == '/' && *dotted == '.'))
			return false;
	return *key == '\0';
}

enum tunable_id tunable_find(const char *key)
{
	size_t length = strlen(key);
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		if (tunables[i].key_length == length && key_is(key, tunables[i].key))
			return (enum tunable_id)i;
	return TUNABLE_COUNT;
}

/*
 * A number as the kernel prints it: decimal.  A leading zero or 0x would be read as octal or
 * hexadecimal by the kernel when written (kernel/sysctl.c, proc_get_long), so they are refused.
 */
static bool number_parse(const char **at, int64_t *number)
{
	const char *p = scan_blanks(*at);
	bool negative = scan_prefix(&p, "-");
	uint64_t magnitude;

	if (p[0] == '0' && p[1] >= '0' && p[1] <= '9')
		return false;
	if (!scan_uint(&p, &magnitude) || magnitude > INT64_MAX)
		return false;
	if (*p != '\0' && strchr(" \t\r\n", *p) == NULL)
		return false;
	*number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	*at = p;
	return true;
}

static bool numbers_parse(uint8_t wanted, const char *text, struct tunable_value *value)
{
	for (; value->count < wanted; value->count++)
		if (!number_parse(&text, &value->number[value->count]))
			return false;
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* Names of congestion controls and qdiscs are shorter than this: TCP_CA_NAME_MAX, IFNAMSIZ. */
#define NAME_LENGTH_MAX 15

/* Names separated by single blanks; a list longer than the value holds ends at a whole name. */
static bool words_parse(bool many, const char *text, struct tunable_value *value)
{
	size_t used = 0;

	for (text += strspn(text, " \t\r\n"); *text != '\0'; text += strspn(text, " \t\r\n")) {
		size_t length = strcspn(text, " \t\r\n");
		if (length > NAME_LENGTH_MAX || (used > 0 && !many))
			return false;
		for (size_t i = 0; i < length; i++)
			if (text[i] <= ' ' || text[i] > '~')
				return false;
		if (used + length + 2 <= sizeof(value->word)) {
			if (used > 0)
				value->word[used++] = ' ';
			memcpy(value->word + used, text, length);
			used += length;
			value->word[used] = '\0';
		}
		text += length;
	}
	return many || used > 0;
}

bool tunable_value_parse(enum tunable_id id, const char *text, struct tunable_value *value)
{
	struct tunable_value read = {0};
	bool good = false;

	switch (tunables[id].kind) {
	case TUNABLE_NUMBER:
		good = numbers_parse(1, text, &read);
		break;
	case TUNABLE_VECTOR3:
		good = numbers_parse(3, text, &read);
		break;
	case TUNABLE_WORD:
		good = words_parse(false, text, &read);
		break;
	case TUNABLE_WORDS:
		good = words_parse(true, text, &read);
		break;
	}
	if (!good)
		return false;
	read.known = true;
	*value = read;
	return true;
}

static bool is_numeric(enum tunable_id id)
{
	return tunables[id].kind == TUNABLE_NUMBER || tunables[id].kind == TUNABLE_VECTOR3;
}

const char *tunable_value_text(
    enum tunable_id id, const struct tunable_value *value, char *out, size_t size)
{
	size_t used = 0;

	if (!is_numeric(id)) {
		strlcpy(out, value->word, size);
		return out;
	}
	out[0] = '\0';
	for (uint8_t i = 0; i < value->count && i < 3 && used < size; i++) {
		int n = snprintf(out + used, size - used, "%s%lld", i > 0 ? " " : "",
		    (long long)value->number[i]);
		if (n < 0)
			break;
		used += (size_t)n;
	}
	return out;
}

bool tunable_value_equal(
    enum tunable_id id, const struct tunable_value *a, const struct tunable_value *b)
{
	if (!a->known || !b->known)
		return false;
	if (!is_numeric(id))
		return strcmp(a->word, b->word) == 0;
	if (a->count != b->count)
		return false;
	for (uint8_t i = 0; i < a->count; i++)
		if (a->number[i] != b->number[i])
			return false;
	return true;
}
