#include "system/netlink.h"
#include "system/sock_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "near.h"

/* One message's body, as the kernel lays it out. */
struct body {
	_Alignas(8) char bytes[1024];
	size_t length;
};

static void begin(struct body *body, int family, unsigned state)
{
	struct inet_diag_msg message = {.idiag_family = (uint8_t)family,
	    .idiag_state = (uint8_t)state,
	    .idiag_rqueue = 5,
	    .idiag_wqueue = 6,
	    .id = {.idiag_sport = htons(5201), .idiag_dport = htons(40000)}};

	message.id.idiag_cookie[0] = 7;
	message.id.idiag_cookie[1] = 1;
	if (family == AF_INET) {
		inet_pton(AF_INET, "192.0.2.1", message.id.idiag_src);
		inet_pton(AF_INET, "198.51.100.7", message.id.idiag_dst);
	} else {
		inet_pton(AF_INET6, "2001:db8::1", message.id.idiag_src);
		inet_pton(AF_INET6, "::ffff:198.51.100.7", message.id.idiag_dst);
	}
	memset(body, 0, sizeof(*body));
	memcpy(body->bytes, &message, sizeof(message));
	body->length = sizeof(message);
}

static void attach(struct body *body, unsigned type, const void *value, size_t length)
{
	const struct nlattr header = {
	    .nla_len = (uint16_t)(sizeof(header) + length), .nla_type = (uint16_t)type};

	memcpy(body->bytes + body->length, &header, sizeof(header));
	memcpy(body->bytes + body->length + sizeof(header), value, length);
	body->length += (sizeof(header) + length + 3) & ~(size_t)3;
	assert_true(body->length <= sizeof(body->bytes));
}

static struct tcp_info busy_sender(void)
{
	return (struct tcp_info){.tcpi_state = 1,
	    .tcpi_options = 7,
	    .tcpi_snd_wscale = 7,
	    .tcpi_rcv_wscale = 11,
	    .tcpi_snd_mss = 1448,
	    .tcpi_unacked = 1922,
	    .tcpi_rtt = 52138,
	    .tcpi_rttvar = 61,
	    .tcpi_snd_ssthresh = 0x7fffffff,
	    .tcpi_snd_cwnd = 3866,
	    .tcpi_rcv_space = 14480,
	    .tcpi_total_retrans = 9,
	    .tcpi_pacing_rate = 214732979,
	    .tcpi_bytes_acked = 178585038,
	    .tcpi_notsent_bytes = 10128728,
	    .tcpi_min_rtt = 52045,
	    .tcpi_data_segs_out = 125286,
	    .tcpi_delivery_rate = 53307079,
	    .tcpi_busy_time = 3792000,
	    .tcpi_rwnd_limited = 2700000,
	    .tcpi_bytes_sent = 181367501,
	    .tcpi_snd_wnd = 2782464};
}

static void test_whole(void **state)
{
	static const uint32_t memory[SK_MEMINFO_VARS] = {
	    [SK_MEMINFO_RMEM_ALLOC] = 1,
	    [SK_MEMINFO_RCVBUF] = 131072,
	    [SK_MEMINFO_WMEM_ALLOC] = 2,
	    [SK_MEMINFO_SNDBUF] = 17814528,
	    [SK_MEMINFO_FWD_ALLOC] = 2536,
	    [SK_MEMINFO_WMEM_QUEUED] = 13080088,
	    [SK_MEMINFO_BACKLOG] = 3,
	    [SK_MEMINFO_DROPS] = 4,
	};
	/* 425,981,488 bit/s and 52.051 ms */
	static const struct tcp_bbr_info bbr = {.bbr_bw_lo = 53247686, .bbr_min_rtt = 52051};
	const struct tcp_info tcp = busy_sender();
	struct body body;
	struct socket_info info;
	struct sock_diag_id id;
	(void)state;

	begin(&body, AF_INET, 1);
	attach(&body, INET_DIAG_SKMEMINFO, memory, sizeof(memory));
	attach(&body, INET_DIAG_INFO, &tcp, sizeof(tcp));
	attach(&body, INET_DIAG_BBRINFO, &bbr, sizeof(bbr));
	attach(&body, INET_DIAG_CONG, "bbr", 4);
	attach(&body, 99, "unheard of", 11);
	assert_true(sock_diag_take(&info, &id, body.bytes, body.length));
	assert_string_equal(info.state, "ESTAB");
	assert_string_equal(info.local, "192.0.2.1");
	assert_string_equal(info.peer, "198.51.100.7");
	assert_int_equal(info.local_port, 5201);
	assert_int_equal(info.peer_port, 40000);
	assert_int_equal(info.recv_queue, 5);
	assert_int_equal(info.send_queue, 6);
	assert_int_equal(id.cookie, UINT64_C(0x100000007));
	assert_string_equal(info.cc, "bbr");
	assert_int_equal(info.rcvbuf, 131072);
	assert_int_equal(info.sndbuf, 17814528);
	assert_int_equal(info.wmem_queued, 13080088);
	assert_int_equal(info.forward_alloc, 2536);
	assert_int_equal(info.drops, 4);
	assert_near(info.rtt_us, 52138, 0);
	assert_near(info.min_rtt_us, 52045, 0);
	assert_near(info.delivery_rate_bps, 426456632, 0);
	assert_near(info.busy_us, 3792000, 0);
	assert_near(info.rwnd_limited_us, 2700000, 0);
	assert_near(info.bbr_bw_bps, 425981488, 0);
	assert_near(info.bbr_min_rtt_us, 52051, 0);
	assert_int_equal(info.peer_window_bytes, 2782464);
	assert_int_equal(info.retransmits, 9);
	assert_int_equal(info.snd_wscale, 7);
	assert_int_equal(info.rcv_wscale, 11);
	assert_true(info.has_timestamps && info.has_sack);
	assert_false(info.has & SOCKET_SSTHRESH); /* infinite */
	assert_false(info.has & SOCKET_RCV_RTT);  /* none measured */
	unsigned expected =
	    SOCKET_SKMEM | SOCKET_RTT | SOCKET_MIN_RTT | SOCKET_CWND | SOCKET_MSS |
	    SOCKET_DELIVERY_RATE | SOCKET_PEER_WINDOW | SOCKET_WSCALE | SOCKET_BUSY |
	    SOCKET_BYTES_SENT | SOCKET_BYTES_ACKED | SOCKET_BYTES_RECEIVED | SOCKET_RETRANS |
	    SOCKET_DATA_SEGS_OUT | SOCKET_UNACKED | SOCKET_NOTSENT | SOCKET_RCV_SPACE | SOCKET_BBR |
	    SOCKET_LAST_SND | SOCKET_RCV_SSTHRESH | SOCKET_PACING_RATE | SOCKET_BYTES_RESENT;
	assert_int_equal(info.has, expected);
}

/* What tcp_info of older kernels ends with: include/uapi/linux/tcp.h of each. */
static void test_older_kernels(void **state)
{
	static const struct row {
		const char *kernel;
		size_t length;
		unsigned has, lacks;
	} rows[] = {
	    {"3.10", 104, SOCKET_RTT | SOCKET_CWND, SOCKET_BYTES_ACKED | SOCKET_MIN_RTT},
	    {"4.1", 136, SOCKET_BYTES_ACKED | SOCKET_BYTES_RECEIVED | SOCKET_PACING_RATE,
		SOCKET_MIN_RTT | SOCKET_DELIVERY_RATE},
	    {"4.4", 144, SOCKET_BYTES_ACKED, SOCKET_MIN_RTT | SOCKET_NOTSENT},
	    {"4.9", 168, SOCKET_MIN_RTT | SOCKET_NOTSENT | SOCKET_DELIVERY_RATE, SOCKET_BUSY},
	    {"4.14", 192, SOCKET_BUSY, SOCKET_BYTES_SENT | SOCKET_PEER_WINDOW},
	    {"4.19", 224, SOCKET_BYTES_SENT, SOCKET_PEER_WINDOW},
	    {"5.4", 232, SOCKET_PEER_WINDOW, 0},
	    {"a field cut in two", 140, SOCKET_BYTES_ACKED, SOCKET_MIN_RTT},
	    {"no more than its beginning", 8, 0, SOCKET_RTT | SOCKET_CWND | SOCKET_WSCALE},
	    {"nothing", 0, 0, SOCKET_RTT | SOCKET_CWND},
	};
	const struct tcp_info tcp = busy_sender();
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct body body;
		struct socket_info info;

		print_message("%s\n", rows[i].kernel);
		begin(&body, AF_INET, 1);
		attach(&body, INET_DIAG_INFO, &tcp, rows[i].length);
		assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
		assert_int_equal(info.has & rows[i].has, rows[i].has);
		assert_int_equal(info.has & rows[i].lacks, 0);
	}
	/* a later kernel's is longer */
	struct body body;
	struct socket_info info;
	char longer[sizeof(tcp) + 64];
	memset(longer, 0xff, sizeof(longer));
	memcpy(longer, &tcp, sizeof(tcp));
	begin(&body, AF_INET, 1);
	attach(&body, INET_DIAG_INFO, longer, sizeof(longer));
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_int_equal(info.peer_window_bytes, 2782464);
}

static void test_addresses(void **state)
{
	static const unsigned char yes = 1, no = 0;
	struct body body;
	struct socket_info info;
	(void)state;

	begin(&body, AF_INET6, 1);
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_string_equal(info.local, "2001:db8::1");
	assert_string_equal(info.peer, "198.51.100.7");

	/* any address: of both families, or of IPv6 alone */
	begin(&body, AF_INET6, 10);
	memset(body.bytes + offsetof(struct inet_diag_msg, id.idiag_src), 0, 32);
	attach(&body, INET_DIAG_SKV6ONLY, &no, 1);
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_string_equal(info.state, "LISTEN");
	assert_string_equal(info.local, "*");
	begin(&body, AF_INET6, 10);
	memset(body.bytes + offsetof(struct inet_diag_msg, id.idiag_src), 0, 32);
	attach(&body, INET_DIAG_SKV6ONLY, &yes, 1);
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_string_equal(info.local, "::");

	begin(&body, AF_UNIX, 1);
	assert_false(sock_diag_take(&info, NULL, body.bytes, body.length));
	begin(&body, AF_INET, 200);
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_string_equal(info.state, "");
}

/* Of a listener the fields mean other things. */
static void test_listener(void **state)
{
	struct tcp_info tcp = busy_sender();
	struct body body;
	struct socket_info info;
	(void)state;

	tcp.tcpi_state = 10;
	begin(&body, AF_INET, 10);
	attach(&body, INET_DIAG_INFO, &tcp, sizeof(tcp));
	assert_true(sock_diag_take(&info, NULL, body.bytes, body.length));
	assert_int_equal(info.has, SOCKET_CWND);
}

/* Cut anywhere, and with every length that an attribute may claim, nothing outside is read: each
 * time in memory of its own, for the sanitizers. */
static void test_hostile(void **state)
{
	const struct tcp_info tcp = busy_sender();
	struct body body;
	struct socket_info info;
	(void)state;

	begin(&body, AF_INET, 1);
	size_t attribute = body.length;
	attach(&body, INET_DIAG_INFO, &tcp, sizeof(tcp));
	attach(&body, INET_DIAG_CONG, "a-name-without-an-end-that-is-far-too-long", 42);
	for (size_t length = 0; length <= body.length; length++) {
		char *copy = malloc(length + !length);
		assert_non_null(copy);
		memcpy(copy, body.bytes, length);
		bool good = sock_diag_take(&info, NULL, copy, length);
		assert_int_equal(good, length >= sizeof(struct inet_diag_msg));
		free(copy);
	}
	assert_string_equal(info.cc, "");
	for (unsigned claimed = 0; claimed < 400; claimed++) {
		uint16_t length = (uint16_t)claimed;
		char *copy = malloc(body.length);
		assert_non_null(copy);
		memcpy(copy, body.bytes, body.length);
		memcpy(copy + attribute, &length, sizeof(length));
		assert_true(sock_diag_take(&info, NULL, copy, body.length));
		free(copy);
	}
}

/* The kernel itself: this process's own listener is among its sockets.  Skipped where the kernel
 * cannot be asked. */
static void test_live(void **state)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(any);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sock_diag *reader;
	struct socket_info info, again;
	struct sock_diag_id id;
	enum sock_diag_result result;
	bool found = false;
	(void)state;

	assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof(any)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &size), 0);
	reader = sock_diag_open(1u << 10, 0);
	if (!reader)
		skip();
	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET)
		if (info.local_port == ntohs(any.sin_port) &&
		    strcmp(info.local, "127.0.0.1") == 0) {
			found = true;
			break;
		}
	if (result == SOCK_DIAG_ERROR)
		skip();
	assert_true(found);
	assert_string_equal(info.state, "LISTEN");
	assert_true(info.has & SOCKET_SKMEM);
	while ((result = sock_diag_next(reader, &again, NULL)) == SOCK_DIAG_SOCKET)
		continue;
	assert_int_equal(result, SOCK_DIAG_END);
	assert_int_equal(sock_diag_next(reader, &again, NULL), SOCK_DIAG_END);
	assert_int_equal(sock_diag_look_up(reader, &id, &again), SOCK_DIAG_SOCKET);
	assert_int_equal(again.local_port, info.local_port);
	close(fd);
	assert_int_equal(sock_diag_look_up(reader, &id, &again), SOCK_DIAG_END);
	sock_diag_close(reader);
	sock_diag_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_older_kernels),
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_listener),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_live),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
