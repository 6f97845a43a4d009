#include "evidence/ss_history.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "evidence/sample.h"
#include "near.h"

static struct evidence evidence;

static const struct run *only_run(void)
{
	evidence_use_sockets(&evidence);
	assert_int_equal(evidence.runs.count, 1);
	return &evidence.runs.items[0];
}

static const struct run *read_one(const char *path)
{
	memset(&evidence, 0, sizeof(evidence));
	assert_int_equal(evidence_read(&evidence, path), OPERAND_OK);
	return only_run();
}

/* A run reported beside by the same listing's own figures: each interval is one's less the other's. */
static void test_loop(void **state)
{
	const struct run *run = read_one("tests/corpus/sockets/ssloop.txt");
	(void)state;

	assert_true(run->local_sends && run->client && run->complete);
	assert_int_equal(run->streams, 1);
	assert_int_equal(run->series.count, 9);
	/* bytes_acked of the first two listings, and their dates */
	assert_int_equal(run->series.bins[0].bytes, 26010489 - 10131441);
	assert_near(run->series.bins[0].end_s, 5.300379863 - 4.292379844, 1e-6);
	assert_near(run->series.bins[0].rtt_us, 40139, 1e-9);
	assert_near(run->series.bins[0].rtt_min_us, 40139, 1e-9);
	assert_int_equal(run->series.bins[0].cwnd_bytes, 993 * 1448);
	assert_int_equal(run->series.bins[0].peer_window_bytes, 693504);
	assert_true(run->has & RUN_BUSY);
	/* the whole of it: from 856 ms of busy time on, 696 of them limited */
	assert_near(run->rwnd_limited_us / run->busy_us, 1, 1e-3);
	assert_near(run->sndbuf_limited_us, 0, 0);
	assert_true((run->has & RUN_RETRANSMITS) && run->retransmits == 0);
	assert_string_equal(evidence.inputs[0].detail, "1 socket, 10 times in 9.1 s");
	/* the socket is kept once, as it was between the first listing and the last */
	assert_int_equal(evidence.socket_count, 1);
	assert_int_equal(evidence.socket_ends[0], END_SENDER);
	assert_near(evidence.sockets[0].busy_us, run->busy_us, 0);
	evidence_free(&evidence);
}

/* The shares of tests/corpus/ndt7/truth.tsv: those that the measurement's own account came to. */
static void test_shares(void **state)
{
	static const struct {
		const char *path;
		double rwnd, sndbuf;
	} rows[] = {
	    {"tests/corpus/ndt7/receive-window-1.series.txt", 0.84, 0.00},
	    {"tests/corpus/ndt7/send-buffer-1.series.txt", 0.08, 0.34},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct run *run = read_one(rows[i].path);
		uint64_t bytes = 0;
		/* the first second is before the first listing */
		assert_in_range(100 * run->rwnd_limited_us / run->busy_us, 100 * rows[i].rwnd - 2,
		    100 * rows[i].rwnd + 8);
		assert_in_range(100 * run->sndbuf_limited_us / run->busy_us + 4,
		    100 * rows[i].sndbuf, 100 * rows[i].sndbuf + 8);
		for (size_t k = 0; k < run->series.count; k++)
			bytes += run->series.bins[k].bytes;
		assert_int_equal(bytes, run->sent_bytes);
		evidence_free(&evidence);
	}
}

/* Ten sockets of one test beside an ssh: 9.19 Gbit/s of 10 streams. */
static void test_parallel(void **state)
{
	const struct run *run = read_one("tests/corpus/cases2/b10-ec2-10flows-ss.txt");
	(void)state;

	assert_int_equal(run->streams, 10);
	assert_int_equal(run->stream_count, 10);
	assert_near((double)run->sent_bytes * 8 / run->sent_seconds, 9.19e9, 1e-3);
	assert_int_equal(
	    run->retransmits, 244 + 211 + 219 + 182 + 188 + 287 + 349 + 368 + 123 + 338);
	assert_near(run->series.bins[0].rtt_min_us, 131, 1e-9);
	assert_int_equal(run->series.bins[0].cwnd_bytes,
	    (45 + 37 + 124 + 138 + 132 + 38 + 32 + 36 + 144 + 37) * 8949);
	evidence_free(&evidence);
}

/* A receiver alone: the rate by what came in since it connected; it never sent anything. */
static void test_receiver(void **state)
{
	const struct run *run = read_one("tests/corpus/sockets/slow-cubic-receiver.txt");
	(void)state;

	assert_false(run->local_sends);
	assert_string_equal(run->sender, "10.77.0.1");
	assert_string_equal(run->receiver, "10.77.0.2");
	assert_int_equal(run->received_bytes, 26219496);
	assert_near(run->received_seconds, 9.816, 1e-9);
	assert_false(run->has & (RUN_SENT | RUN_RETRANSMITS | RUN_BUSY));
	assert_int_equal(evidence.socket_ends[0], END_RECEIVER);
	assert_int_equal(evidence.sockets[0].recv_queue, 1616632);
	assert_int_equal(evidence.sockets[0].rmem_alloc, 2043968);
	assert_int_equal(evidence.sockets[0].rcvbuf, 2099160);
	assert_int_equal(evidence.sockets[0].rcv_space, 205616);
	evidence_free(&evidence);
}

/* ---- drawn listings ------------------------------------------------------------------------ */

/* A stream of 8 Mbit/s from second `begin` on, as one listing shows it at second `at`. */
static struct socket_info stream(unsigned port, double begin, double at)
{
	double age = at - begin;
	struct socket_info info = {.local = "192.0.2.1",
	    .peer = "198.51.100.7",
	    .local_port = (uint16_t)port,
	    .peer_port = 5201,
	    .cc = "cubic",
	    .has = SOCKET_BYTES_ACKED | SOCKET_BUSY | SOCKET_LAST_SND | SOCKET_RTT | SOCKET_MSS |
		   SOCKET_CWND | SOCKET_RETRANS,
	    .mss = 1000,
	    .cwnd_segments = 100,
	    .rtt_us = 50000,
	    .listing = (unsigned)(at * 4)};

	info.bytes_acked = info.bytes_sent = (uint64_t)(age * 1e6);
	info.busy_us = age * 1e6;
	info.rwnd_limited_us = age * 0.5e6;
	info.lastrcv_ms = age * 1e3;
	return info;
}

static void close_history(struct ss_history *history)
{
	memset(&evidence, 0, sizeof(evidence));
	ss_history_close(history, &evidence, "drawn", END_NONE);
}

/* Without any date the sockets' own ages tell the time; a stream that begins later is one, too. */
static void test_streams_without_dates(void **state)
{
	struct ss_history *history = ss_history_open();
	(void)state;

	for (unsigned at = 1; at <= 6; at++) {
		struct socket_info one = stream(40000, 0, at), two = stream(40002, 2.5, at);
		ss_history_add(history, &one);
		if (at >= 3)
			ss_history_add(history, &two);
	}
	close_history(history);
	const struct run *run = only_run();
	assert_int_equal(run->streams, 2);
	assert_int_equal(run->series.count, 5);
	static const uint64_t bytes[] = {1000000, 1000000, 2000000, 2000000, 2000000};
	for (size_t i = 0; i < 5; i++) {
		assert_near(run->series.bins[i].end_s, (double)i + 1, 1e-9);
		assert_int_equal(run->series.bins[i].bytes, bytes[i]);
		assert_int_equal(run->series.bins[i].cwnd_bytes, bytes[i] / 10);
		assert_near(run->series.bins[i].rtt_us, 50000, 1e-9);
	}
	assert_int_equal(run->sent_bytes, 8000000);
	assert_near(run->sent_seconds, 5, 1e-9);
	assert_near(run->rwnd_limited_us / run->busy_us, 0.5, 1e-9);
	evidence_free(&evidence);
}

/* What tells the time, from the surest on. */
static void test_clocks(void **state)
{
	static const struct {
		unsigned without; /* bits left out */
		double date_s;	  /* of the second listing; 0: none */
		bool exact;
		double seconds; /* between them, as read; 0: no run of intervals */
	} rows[] = {
	    {0, 0, false, 2},
	    {SOCKET_LAST_SND, 0, false, 2}, /* by its busy time */
	    {0, 1796085003.5, true, 3.5},
	    {0, 1796085003, false, 2},
	    {SOCKET_LAST_SND, 1796085003, false, 3},
	    {SOCKET_LAST_SND, 1796084000, true, 2}, /* set back */
	    {SOCKET_LAST_SND | SOCKET_BUSY, 0, false, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_history *history = ss_history_open();
		for (unsigned at = 1; at <= 3; at += 2) {
			struct socket_info info = stream(40000, 0, at);
			info.has &= ~rows[i].without;
			if (rows[i].date_s > 0) {
				info.has |=
				    SOCKET_TAKEN | (rows[i].exact ? SOCKET_TAKEN_EXACT : 0U);
				info.taken_s = at == 1 ? 1796085000 : rows[i].date_s;
			}
			ss_history_add(history, &info);
		}
		close_history(history);
		evidence_use_sockets(&evidence);
		print_message("row %zu\n", i);
		assert_int_equal(evidence.runs.count, rows[i].seconds > 0);
		if (rows[i].seconds > 0)
			assert_near(evidence.runs.items[0].sent_seconds, rows[i].seconds, 1e-9);
		evidence_free(&evidence);
	}
}

/* The same ports again are another connection when the counts begin anew. */
static void test_reconnected(void **state)
{
	struct ss_history *history = ss_history_open();
	(void)state;

	for (unsigned at = 1; at <= 8; at++) {
		struct socket_info info = stream(40000, at < 5 ? 0 : 4.5, at);
		if (at >= 5)
			info.lastrcv_ms = at * 1e3; /* a clock that goes on, for the test */
		ss_history_add(history, &info);
	}
	close_history(history);
	const struct run *run = only_run();
	assert_int_equal(run->sent_bytes, 3000000);
	assert_int_equal(run->series.count, 3);
	evidence_free(&evidence);
}

/* More connections than are kept: those that moved most stay, with their series. */
static void test_many(void **state)
{
	struct ss_history *history = ss_history_open();
	(void)state;

	for (unsigned at = 1; at <= 3; at++)
		for (unsigned i = 0; i < 1000; i++) {
			struct socket_info info = stream(10000 + i, 0, at);
			info.bytes_acked = info.bytes_sent = (i + 1) * 1000ULL * at;
			ss_history_add(history, &info);
		}
	memset(&evidence, 0, sizeof(evidence));
	struct ss_history_extent extent = ss_history_close(history, &evidence, "drawn", END_NONE);
	assert_int_equal(extent.sockets, SOCKETS_MAX);
	assert_int_equal(extent.readings, 3);
	const struct run *run = only_run();
	assert_int_equal(run->streams, SOCKETS_MAX);
	/* the last 256 of 1 to 1000 thousand bytes a second, for two seconds */
	assert_int_equal(run->sent_bytes, 2 * 1000ULL * (1000 + 745) * 128);
	evidence_free(&evidence);
}

/* An iperf3 run outranks what sockets beside it come to. */
static void test_beside_a_run(void **state)
{
	(void)state;

	memset(&evidence, 0, sizeof(evidence));
	assert_int_equal(evidence_read(&evidence, "tests/corpus/sockets/ssloop.txt"), OPERAND_OK);
	assert_int_equal(
	    evidence_read(&evidence, "tests/corpus/ss/rwnd-clamp.iperf3.json"), OPERAND_OK);
	evidence_use_sockets(&evidence);
	assert_int_equal(evidence.runs.count, 1);
	assert_string_equal(evidence.runs.items[0].input, "tests/corpus/ss/rwnd-clamp.iperf3.json");
	evidence_free(&evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_loop),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_parallel),
	    cmocka_unit_test(test_receiver),
	    cmocka_unit_test(test_streams_without_dates),
	    cmocka_unit_test(test_clocks),
	    cmocka_unit_test(test_reconnected),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_beside_a_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
