#include "evidence/ss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SOCKETS_READ_MAX 16

struct reading {
	struct socket_info sockets[SOCKETS_READ_MAX];
	unsigned count;
	uint64_t skipped;
};

static void read_source(struct source *source, struct reading *reading)
{
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	int got;

	memset(reading, 0, sizeof(*reading));
	while ((got = ss_next(reader, &info)) > 0) {
		assert_true(reading->count < SOCKETS_READ_MAX);
		reading->sockets[reading->count++] = info;
	}
	assert_int_equal(got, 0);
	assert_int_equal(ss_next(reader, &info), 0);
	reading->skipped = ss_skipped(reader);
	ss_close(reader);
	source_close(source);
}

static void read_file(const char *path, struct reading *reading)
{
	struct source *source = source_open(path);
	assert_non_null(source);
	read_source(source, reading);
	print_message("%s: %u sockets\n", path, reading->count);
}

static void read_text(const char *text, struct reading *reading)
{
	read_source(source_memory("test", text, strlen(text)), reading);
}

static void assert_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.17g is not %.17g", value, expected);
}

static const struct socket_info *only(
    const struct reading *reading, uint16_t local_port, uint16_t peer_port)
{
	const struct socket_info *found = NULL;
	for (unsigned i = 0; i < reading->count; i++)
		if (reading->sockets[i].local_port == local_port &&
		    reading->sockets[i].peer_port == peer_port) {
			assert_null(found);
			found = &reading->sockets[i];
		}
	assert_non_null(found);
	return found;
}

static void sender_held_by_the_receiver(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/rwnd-clamp.sender.txt", &reading);
	assert_int_equal(reading.count, 2);
	assert_int_equal(reading.skipped, 0);
	const struct socket_info *s = only(&reading, 51764, 5201);
	assert_string_equal(s->state, "ESTAB");
	assert_string_equal(s->local, "10.77.0.1");
	assert_string_equal(s->peer, "10.77.0.2");
	assert_string_equal(s->cc, "cubic");
	assert_int_equal(s->recv_queue, 0);
	assert_int_equal(s->send_queue, 12911192);
	assert_int_equal(s->has & (SOCKET_SKMEM | SOCKET_WSCALE), SOCKET_SKMEM | SOCKET_WSCALE);
	assert_int_equal(s->rcvbuf, 131072);
	assert_int_equal(s->sndbuf, 17814528);
	assert_int_equal(s->forward_alloc, 2536);
	assert_int_equal(s->wmem_queued, 13080088);
	assert_int_equal(s->snd_wscale, 7);
	assert_int_equal(s->rcv_wscale, 11);
	assert_close(s->rtt_us, 52138);
	assert_close(s->rttvar_us, 61);
	assert_close(s->min_rtt_us, 52045);
	assert_int_equal(s->mss, 1448);
	assert_int_equal(s->cwnd_segments, 3866);
	assert_false(s->has & SOCKET_SSTHRESH);
	assert_int_equal(s->bytes_sent, 181367501);
	assert_int_equal(s->bytes_acked, 178585038);
	assert_false(s->has & SOCKET_BYTES_RECEIVED);
	assert_int_equal(s->data_segs_out, 125286);
	assert_close(s->pacing_rate_bps, 1717863832);
	assert_close(s->delivery_rate_bps, 426456632);
	assert_true(s->has & SOCKET_BUSY);
	assert_close(s->busy_us, 3792000);
	assert_close(s->rwnd_limited_us, 2700000);
	assert_close(s->sndbuf_limited_us, 0);
	assert_int_equal(s->unacked_segments, 1922);
	assert_int_equal(s->rcv_space, 14480);
	assert_int_equal(s->rcv_ssthresh, 64088);
	assert_int_equal(s->notsent_bytes, 10128728);
	assert_int_equal(s->peer_window_bytes, 2782464);
	assert_true(s->has & SOCKET_RETRANS); /* not printed: none */
	assert_int_equal(s->retransmits, 0);
	assert_close(s->lastrcv_ms, 3792);
	assert_false(s->app_limited);
	assert_false(s->has & SOCKET_BBR);
}

static void receiver_with_mapped_addresses(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/rwnd-clamp.receiver.txt", &reading);
	const struct socket_info *s = only(&reading, 5201, 51764);
	assert_string_equal(s->local, "10.77.0.2");
	assert_string_equal(s->peer, "10.77.0.1");
	assert_int_equal(s->recv_queue, 73848);
	assert_int_equal(s->rmem_alloc, 78656);
	assert_int_equal(s->rcvbuf, 4194304);
	assert_close(s->rcv_rtt_us, 52000);
	assert_int_equal(s->bytes_received, 180681149);
	assert_true(s->app_limited);
	assert_false(s->has & SOCKET_BUSY);
	assert_false(s->has & SOCKET_DELIVERY_RATE);
}

static void bbr_and_send_buffer(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/rwnd-clamp-bbr.sender.txt", &reading);
	const struct socket_info *s = only(&reading, 33380, 5201);
	assert_string_equal(s->cc, "bbr");
	assert_true(s->has & SOCKET_BBR);
	assert_close(s->bbr_bw_bps, 425981488);
	assert_close(s->bbr_min_rtt_us, 52051);
	assert_int_equal(s->ssthresh_segments, 2052);
	read_file("tests/corpus/ss/sndbuf-clamp.sender.txt", &reading);
	s = only(&reading, 45630, 5201);
	assert_close(s->sndbuf_limited_us, 636000);
	assert_close(s->rwnd_limited_us, 0);
	assert_true(s->app_limited);
	read_file("tests/corpus/ss/slow-reader.receiver.txt", &reading);
	s = only(&reading, 2425, 53804);
	assert_int_equal(s->drops, 28);
	assert_int_equal(s->rcvbuf, 142336);
	assert_close(s->lastsnd_ms, 49848);
}

/* ss that has no sock_diag reads /proc/net/tcp: all on one line, no RTT, no MSS. */
static void from_proc_net_tcp(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/kernel-6.1/lossy2pct-bbr.ss-sender.txt", &reading);
	assert_int_equal(reading.count, 5);
	const struct socket_info *s = only(&reading, 39394, 5201);
	assert_int_equal(s->send_queue, 362976);
	assert_true(s->has == (SOCKET_CWND | SOCKET_SSTHRESH));
	assert_int_equal(s->cwnd_segments, 189);
	assert_int_equal(s->ssthresh_segments, 618);
	assert_string_equal(s->cc, "");
	read_file("tests/corpus/kernel-6.1/lossy2pct-bbr.ss-receiver.txt", &reading);
	assert_int_equal(reading.count, 1);
	assert_string_equal(reading.sockets[0].state, "LAST-ACK");
	assert_string_equal(reading.sockets[0].cc, "");
}

static void one_line_with_details(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-6.1.oneline-extended.txt", &reading);
	assert_int_equal(reading.count, 4);
	const struct socket_info *s = only(&reading, 53544, 5201);
	assert_string_equal(s->cc, "bbr");
	assert_true(s->has_timestamps);
	assert_true(s->has_sack);
	assert_int_equal(s->bytes_acked, 37355558);
	assert_close(s->delivery_rate_bps, 174621333328);
	assert_int_equal(s->peer_window_bytes, 1114112);
}

/* ss state established leaves the State column out; without -n rates have three digits. */
static void without_state_column(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-6.1.established-names.txt", &reading);
	assert_int_equal(reading.count, 4);
	assert_int_equal(reading.skipped, 0);
	const struct socket_info *s = only(&reading, 53544, 5201);
	assert_string_equal(s->state, "");
	assert_close(s->delivery_rate_bps, 175e9);
	assert_close(s->pacing_rate_bps, 1.5e12);
	assert_close(s->bbr_bw_bps, 262e9);
	assert_false(s->has_timestamps);
}

/* -a with several kinds: only TCP counts, and the lines of others are nobody's. */
static void all_kinds(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-6.1.all-kinds.txt", &reading);
	assert_int_equal(reading.count, 5);
	assert_int_equal(reading.skipped, 0);
	for (unsigned i = 0; i < reading.count; i++)
		assert_true(reading.sockets[i].rcvbuf != 212992);
	const struct socket_info *s = only(&reading, 5201, 0);
	assert_string_equal(s->state, "LISTEN");
	assert_string_equal(s->local, "*");
	assert_string_equal(s->cc, "bbr");
	assert_int_equal(s->cwnd_segments, 10);
	assert_false(s->has & SOCKET_RTT);
}

static void iproute2_4_9(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-4.9.txt", &reading);
	assert_int_equal(reading.count, 4);
	assert_string_equal(reading.sockets[0].state, "LISTEN");
	assert_int_equal(reading.sockets[0].local_port, 22); /* "ssh" */
	const struct socket_info *s = only(&reading, 42310, 5201);
	assert_close(s->rtt_us, 31500);
	assert_close(s->pacing_rate_bps, 670.8e6);
	assert_int_equal(s->retransmits, 37);
	assert_int_equal(s->sndbuf, 4194304);
	assert_true(s->has & SOCKET_SKMEM); /* without a d field */
	assert_false(s->has & SOCKET_PEER_WINDOW);
	assert_false(s->has & SOCKET_DELIVERY_RATE);
	s = only(&reading, 22, 51022);
	assert_string_equal(s->local, "192.0.2.7");
	assert_string_equal(s->peer, "203.0.113.80");
	s = only(&reading, 443, 40022);
	assert_string_equal(s->local, "2001:db8::7");
	assert_string_equal(s->peer, "2001:db8:1::42");
	assert_close(s->bbr_bw_bps, 312500);
	assert_close(s->pacing_rate_bps, 902100);
}

static void iproute2_3_16(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-3.16.txt", &reading);
	assert_int_equal(reading.count, 2);
	assert_false(reading.sockets[0].has & SOCKET_SKMEM);
	assert_close(reading.sockets[0].rtt_us, 7375);
	assert_false(reading.sockets[0].has & SOCKET_NOTSENT); /* not told by that release */
	assert_string_equal(reading.sockets[1].state, "CLOSE-WAIT");
	assert_int_equal(reading.sockets[1].snd_wscale, 9);
	assert_int_equal(reading.sockets[1].retransmits, 3);
}

static void iproute2_7_1(void **state)
{
	static struct reading reading;
	(void)state;
	read_file("tests/corpus/ss/iproute2-7.1.txt", &reading);
	assert_int_equal(reading.count, 2);
	const struct socket_info *s = only(&reading, 44122, 5201);
	assert_string_equal(s->local, "fe80::5054:ff:fe12:3456");
	assert_string_equal(s->peer, "fe80::1");
	assert_string_equal(s->cc, "dctcp");
	assert_int_equal(s->forward_alloc, 0); /* a negative number, printed unsigned */
	assert_int_equal(s->data_segs_out, 210084);
	assert_int_equal(s->retransmits, 20);
	assert_close(s->busy_us, 9e6);
	assert_close(s->rwnd_limited_us, 12e3);
	assert_close(s->sndbuf_limited_us, 6.3e6);
	assert_int_equal(s->peer_window_bytes, 16000000);
	assert_string_equal(reading.sockets[1].state, "TIME-WAIT");
	assert_int_equal(reading.sockets[1].has, 0);
}

#define ROW "ESTAB 0 0 192.0.2.1:1000 192.0.2.2:5201"

/* Damage: what is wrong is left out, the rest is kept. */
static void damaged_values(void **state)
{
	static const struct {
		const char *info;
		unsigned has; /* of those looked at */
	} rows[] = {
	    {"mss:1448 rtt:52.1/0.2", SOCKET_MSS | SOCKET_RTT},
	    {"mss:1448 rtt:52.1", SOCKET_MSS | SOCKET_RTT},
	    {"mss:1448 rtt:", SOCKET_MSS},
	    {"mss:1448 rtt:-3/1", SOCKET_MSS},
	    {"mss:1448 rtt:nan/nan", SOCKET_MSS},
	    {"mss:1448 rtt:0/0", SOCKET_MSS},
	    {"mss:1448 rtt:52.1/0.2 rtt:0/0", SOCKET_MSS | SOCKET_RTT},
	    {"mss:x rtt:52.1/0.2", SOCKET_RTT},
	    {"mss:1448 delivery_rate", SOCKET_MSS},
	    {"mss:1448 delivery_rate fast", SOCKET_MSS},
	    {"mss:1448 delivery_rate 5Qbps", SOCKET_MSS},
	    {"mss:1448 delivery_rate 5kbps", SOCKET_MSS | SOCKET_DELIVERY_RATE},
	    {"mss:1448 wscale:7", SOCKET_MSS},
	    {"mss:1448 wscale:99,1", SOCKET_MSS},
	    {"mss:1448 skmem:(r0,t5)", SOCKET_MSS},
	    {"mss:1448 skmem:(r0,rb4096,tb5", SOCKET_MSS | SOCKET_SKMEM},
	    {"mss:1448 bbr:(bw:1bps)", SOCKET_MSS},
	    {"mss:1448 bbr:(bw:1Mbps,mrtt:2)", SOCKET_MSS | SOCKET_BBR},
	    {"mss:1448 xrtt:5/2 rttx:4/4", SOCKET_MSS},
	    {"mss:1448 users:((\"rtt:1/1 wscale:1,1\",pid=1,fd=2))", SOCKET_MSS},
	};
	const unsigned looked_at = SOCKET_MSS | SOCKET_RTT | SOCKET_DELIVERY_RATE | SOCKET_WSCALE |
				   SOCKET_SKMEM | SOCKET_BBR;
	static struct reading reading;
	char text[512];
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].info);
		snprintf(text, sizeof(text), ROW "\n\t %s\n", rows[i].info);
		read_text(text, &reading);
		assert_int_equal(reading.count, 1);
		assert_int_equal(reading.sockets[0].has & looked_at, rows[i].has);
		assert_int_equal(reading.sockets[0].rtt_us > 0, (rows[i].has & SOCKET_RTT) != 0);
	}
}

/* The congestion control stands before its facts, whatever other bare words there are. */
static void congestion_controls(void **state)
{
	static const struct {
		const char *info, *cc;
	} rows[] = {
	    {"cubic wscale:7,7 rto:204 rtt:1/1 cwnd:10", "cubic"},
	    {"ts sack cubic wscale:7,7 rto:204", "cubic"},
	    {"ts sack newflag bbr2 rto:204 rtt:1/1", "bbr2"},
	    {"ts sack ecn bbr rto:204", "bbr"},
	    {"westwood cwnd:10", "westwood"},
	    {"<-> skmem:(r0,rb1) tcp_lp rto:3 app_limited", "tcp_lp"},
	    {"rto:204 rtt:1/1 app_limited bidir fallback_mode", ""},
	    {"\033[1m rto:204", ""},
	};
	static struct reading reading;
	char text[512];
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].info);
		snprintf(text, sizeof(text), ROW "\n\t %s\n", rows[i].info);
		read_text(text, &reading);
		assert_string_equal(reading.sockets[0].cc, rows[i].cc);
	}
}

static void pastes(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		uint64_t skipped;
	} rows[] = {
	    {"", 0, 0},
	    {"\n\n", 0, 0},
	    {"State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n", 0, 0},
	    {"$ ss -tmin\n" ROW "\n\t cubic rto:204 mss:1448\n$ \n", 1, 2},
	    {ROW "\ncubic rto:204 mss:1448\n" ROW "\ncubic rto:204 mss:1448", 2,
		0},						 /* unindented */
	    {"  " ROW "\n      cubic rto:204 mss:1448\n", 1, 0}, /* indented */
	    {ROW "\r\n\t cubic mss:1448\r\n", 1, 0},
	    {ROW "\n\t cubic wscale:7,7\n rto:204\n mss:1448\n", 1, 0}, /* wrapped */
	    {"\t cubic rto:204 mss:1448\n", 0, 1},			/* whose? */
	    {"LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nLISTEN 0 128 [::]:22 [::]:*\n", 2, 0},
	    {"ESTAB 0 0 192.0.2.1:70000 192.0.2.2:5201\n", 0, 1},
	    {"ESTAB 0 x 192.0.2.1:1 192.0.2.2:5201\n", 0, 1},
	    {"ESTAB 0 0 192.0.2.1 192.0.2.2\n", 0, 1},
	    /* rows that a terminal wrapped */
	    {"ESTAB 0 3235770\n 192.0.2.1:1000 192.0.2.2:5201\n\t cubic mss:1448\n", 1, 0},
	    {"ESTAB 0 3235770 192.0.2.1:1000\n192.0.2.2:5201\n\t cubic mss:1448\n", 1, 0},
	    {"ESTAB 0 3235770\n192.0.2.1:1000\n192.0.2.2:5201\n", 1, 0},
	    {"0 3235770\n192.0.2.1:1000 192.0.2.2:5201\n", 0, 2},
	    {"ESTAB 0 5\n" ROW "\n\t cubic mss:1448\n", 1, 0},
	    /* when it was listed */
	    {"Tue Dec  1 02:57:12 UTC 2026\n" ROW "\n\t cubic mss:1448\n1796085375.300\n", 1, 0},
	    {"Total: 183 (kernel 0)\nTCP: 7 (estab 2, closed 0)\n", 0, 2},
	};
	static struct reading reading;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].text);
		read_text(rows[i].text, &reading);
		assert_int_equal(reading.count, rows[i].count);
		assert_int_equal(reading.skipped, rows[i].skipped);
	}
}

/* Several listings in one input, each below its header or the time at which it was made. */
static void listings(void **state)
{
	static struct reading reading;
	(void)state;
	read_text(ROW "\n" ROW "\n1796085375.25\n" ROW "\n\t cubic mss:1448\n"
		      "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n" ROW "\n"
		      "1796085376\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\n" ROW
		      "\n",
	    &reading);
	assert_int_equal(reading.count, 5);
	static const unsigned listing[] = {0, 0, 1, 2, 3};
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(reading.sockets[i].listing, listing[i]);
	const unsigned taken = SOCKET_TAKEN | SOCKET_TAKEN_EXACT;
	assert_int_equal(reading.sockets[1].has & taken, 0);
	assert_int_equal(reading.sockets[2].has & taken, taken);
	assert_close(reading.sockets[2].taken_s, 1796085375.25);
	assert_int_equal(reading.sockets[4].has & taken, SOCKET_TAKEN);
	assert_close(reading.sockets[4].taken_s, 1796085376);
}

/* A closed window is probed, and what is resent is counted; before 4.19 there is no bytes_sent. */
static void retries(void **state)
{
	static struct reading reading;
	(void)state;
	read_text("ESTAB 0 9 192.0.2.1:1 192.0.2.2:2 timer:(persist,1min13sec,9) ino:1 sk:1\n"
		  "\t bbr backoff:9 mss:1448 **cwnd:346** bytes_sent:3000 bytes_retrans:1032 "
		  "bytes_acked:1968 snd_wnd:0\n"
		  "ESTAB 0 9 192.0.2.1:3 192.0.2.2:2 timer:(on,440ms,0)\n\t cubic mss:1448 "
		  "bytes_acked:77\n",
	    &reading);
	assert_int_equal(reading.count, 2);
	const struct socket_info *s = &reading.sockets[0];
	assert_true(s->persists);
	assert_int_equal(s->backoff, 9);
	assert_int_equal(s->cwnd_segments, 346);
	assert_int_equal(s->bytes_resent, 1032);
	assert_true((s->has & SOCKET_PEER_WINDOW) && s->peer_window_bytes == 0);
	s = &reading.sockets[1];
	assert_false(s->persists);
	assert_true((s->has & SOCKET_BACKOFF) && s->backoff == 0);
	assert_false(s->has & (SOCKET_BYTES_SENT | SOCKET_BYTES_RESENT));
	assert_int_equal(s->bytes_sent, 77);
}

static void addresses(void **state)
{
	static const struct {
		const char *endpoint, *address;
		uint16_t port;
	} rows[] = {
	    {"192.0.2.1:80", "192.0.2.1", 80},
	    {"192.0.2.1%eth0:68", "192.0.2.1", 68},
	    {"[2001:db8::1]:443", "2001:db8::1", 443},
	    {"2001:db8::1:443", "2001:db8::1", 443},
	    {"[fe80::1]%eth0:546", "fe80::1", 546},
	    {"[::ffff:192.0.2.9]:5201", "192.0.2.9", 5201},
	    {"[::ffff:c000:209]:5201", "::ffff:c000:209", 5201},
	    {"[::1]:https", "::1", 443},
	    {"host.example.com:no-such-service", "host.example.com", 0},
	    {"*:*", "*", 0},
	    {"a\033[2Jb:1", "a?[2Jb", 1},
	};
	static struct reading reading;
	char text[256];
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].endpoint);
		snprintf(text, sizeof(text), "ESTAB 1 2 192.0.2.1:7 %s\n", rows[i].endpoint);
		read_text(text, &reading);
		assert_int_equal(reading.count, 1);
		assert_string_equal(reading.sockets[0].peer, rows[i].address);
		assert_int_equal(reading.sockets[0].peer_port, rows[i].port);
	}
}

/* A process list longer than the line buffer does not hide the sockets after it. */
static void endless_line(void **state)
{
	static char text[200000];
	static struct reading reading;
	(void)state;
	size_t used = (size_t)snprintf(text, sizeof(text), ROW " users:((");
	memset(text + used, 'x', 150000);
	snprintf(text + used + 150000, 200, "\n" ROW "\n\t cubic mss:1448 cwnd:10\n");
	read_text(text, &reading);
	assert_int_equal(reading.count, 2);
	assert_int_equal(reading.sockets[1].cwnd_segments, 10);
}

/* SO_MAX_PACING_RATE behind the pacing rate, and what was delivered, marked or not. */
static void pacing_and_marks(void **state)
{
	(void)state;
	struct reading reading = {.count = 0};

	read_text("ESTAB 0 0 192.0.2.1:4000 192.0.2.2:5201\n"
		  "\t cubic wscale:7,7 rtt:50/1 mss:1448 cwnd:349 bytes_acked:90000000 pacing_rate "
		  "37000000bps/40Mbps delivery_rate 36999368bps delivered:7244 delivered_ce:12 "
		  "minrtt:49\n"
		  "ESTAB 0 0 192.0.2.1:4001 192.0.2.2:5201\n"
		  "\t cubic mss:1448 cwnd:10 pacing_rate 2Mbps\n",
	    &reading);
	const struct socket_info *paced = only(&reading, 4000, 5201),
				 *free = only(&reading, 4001, 5201);
	assert_close(paced->pacing_rate_bps, 37e6);
	assert_close(paced->max_pacing_bps, 40e6);
	assert_int_equal(paced->delivered, 7244);
	assert_int_equal(paced->delivered_ce, 12);
	assert_close(free->pacing_rate_bps, 2e6);
	assert_true(free->max_pacing_bps <= 0 && free->delivered_ce == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pacing_and_marks),
	    cmocka_unit_test(sender_held_by_the_receiver),
	    cmocka_unit_test(receiver_with_mapped_addresses),
	    cmocka_unit_test(bbr_and_send_buffer),
	    cmocka_unit_test(from_proc_net_tcp),
	    cmocka_unit_test(one_line_with_details),
	    cmocka_unit_test(without_state_column),
	    cmocka_unit_test(all_kinds),
	    cmocka_unit_test(iproute2_4_9),
	    cmocka_unit_test(iproute2_3_16),
	    cmocka_unit_test(iproute2_7_1),
	    cmocka_unit_test(damaged_values),
	    cmocka_unit_test(congestion_controls),
	    cmocka_unit_test(pastes),
	    cmocka_unit_test(addresses),
	    cmocka_unit_test(listings),
	    cmocka_unit_test(retries),
	    cmocka_unit_test(endless_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
