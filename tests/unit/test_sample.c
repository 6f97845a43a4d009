#include "evidence/sample.h"

#include <string.h>

#include "near.h"

#define ALL \
	(SOCKET_RTT | SOCKET_MIN_RTT | SOCKET_CWND | SOCKET_MSS | SOCKET_PEER_WINDOW | \
	    SOCKET_BYTES_ACKED | SOCKET_BYTES_RECEIVED | SOCKET_RETRANS | SOCKET_BUSY)

static struct socket_info reading(double now_s, double send_bps, double receive_bps)
{
	struct socket_info info = {.state = "ESTAB",
	    .local = "192.0.2.1",
	    .peer = "198.51.100.7",
	    .local_port = 40000,
	    .peer_port = 443,
	    .cc = "cubic",
	    .has = ALL,
	    .mss = 1448,
	    .cwnd_segments = 1000,
	    .rtt_us = 50000,
	    .min_rtt_us = 47000,
	    .peer_window_bytes = 3000000};

	/* an old connection: what counts is what changes */
	info.bytes_acked = 7000000000 + (uint64_t)(now_s * send_bps / 8);
	info.bytes_sent = info.bytes_acked + 1000;
	info.bytes_received = 500000 + (uint64_t)(now_s * receive_bps / 8);
	info.retransmits = 900;
	info.busy_us = 1e9 + now_s * 1e6;
	info.rwnd_limited_us = 1e6 + now_s * 0.75e6;
	return info;
}

/* 5 s of readings each 0.1 s, at steady rates. */
static void fill(struct sample *sample, double send_bps, double receive_bps)
{
	*sample = (struct sample){.bin_s = 0.5};
	for (unsigned i = 0; i <= 50; i++) {
		double now_s = i * 0.1;
		struct socket_info info = reading(now_s, send_bps, receive_bps);

		if (i > 30)
			info.retransmits += 4;
		info.cwnd_segments = 1000 + i % 5 * 10; /* 0, 10, ... 40: mean 20 */
		info.rtt_us = i == 12 ? 48000 : 50000;
		sample_add(sample, &info, 1000 + now_s);
	}
}

static void test_sender(void **state)
{
	struct sample sample;
	static struct evidence evidence;
	(void)state;

	fill(&sample, 400e6, 8000);
	assert_true(sample_finish(&sample, &evidence, "198.51.100.7:443"));
	assert_int_equal(evidence.runs.count, 1);
	const struct run *run = &evidence.runs.items[0];
	assert_true(run->local_sends && run->client && run->complete);
	assert_false(run->bidir);
	assert_string_equal(run->input, "198.51.100.7:443");
	assert_string_equal(run->sender, "192.0.2.1");
	assert_string_equal(run->receiver, "198.51.100.7");
	assert_string_equal(run->sender_cc, "cubic");
	assert_int_equal(run->mss, 1448);
	assert_int_equal(run->sent_bytes, 250000000);
	assert_near(run->sent_seconds, 5, 1e-9);
	assert_int_equal(run->retransmits, 4);
	assert_int_equal(run->series.count, 10);
	for (size_t i = 0; i < run->series.count; i++) {
		const struct bin *bin = &run->series.bins[i];
		assert_near(bin->start_s, (double)i * 0.5, 1e-9);
		assert_near(bin->end_s, (double)(i + 1) * 0.5, 1e-9);
		assert_int_equal(bin->bytes, 25000000);
		assert_int_equal(bin->has, BIN_RETRANSMITS | BIN_CWND | BIN_PEER_WINDOW | BIN_RTT);
		/* 1020 segments in the mean, 1000 to 1040 */
		assert_int_equal(bin->cwnd_bytes, 1020 * 1448);
		assert_int_equal(bin->cwnd_min_bytes, 1000 * 1448);
		assert_int_equal(bin->cwnd_max_bytes, 1040 * 1448);
		assert_int_equal(bin->peer_window_bytes, 3000000);
		assert_int_equal(bin->retransmits, i == 6 ? 4 : 0);
		assert_near(bin->rtt_us, i == 2 ? 49600 : 50000, 1e-9);
		assert_near(bin->rtt_min_us, i == 2 ? 48000 : 50000, 1e-9);
	}
	/* the socket tells of these five seconds, not of its life */
	assert_int_equal(evidence.socket_count, 1);
	assert_int_equal(evidence.socket_ends[0], END_SENDER);
	assert_int_equal(evidence.sockets[0].bytes_sent, 250000000);
	assert_int_equal(evidence.sockets[0].retransmits, 4);
	assert_near(evidence.sockets[0].busy_us, 5e6, 1e-9);
	assert_near(evidence.sockets[0].rwnd_limited_us, 3.75e6, 1e-9);
	evidence_free(&evidence);
}

static void test_receiver(void **state)
{
	struct sample sample;
	static struct evidence evidence;
	(void)state;

	fill(&sample, 80000, 400e6);
	assert_true(sample_finish(&sample, &evidence, "x"));
	assert_int_equal(evidence.runs.count, 1);
	const struct run *run = &evidence.runs.items[0];
	assert_false(run->local_sends);
	assert_string_equal(run->sender, "198.51.100.7");
	assert_string_equal(run->receiver, "192.0.2.1");
	assert_true(run->has & RUN_RECEIVED);
	assert_false(run->has & (RUN_SENT | RUN_RETRANSMITS));
	assert_int_equal(run->received_bytes, 250000000);
	/* a receiver knows neither the sender's cwnd nor its losses, and of the RTT the smallest */
	assert_int_equal(run->series.count, 10);
	assert_int_equal(run->series.bins[3].has, BIN_RTT);
	assert_near(run->series.bins[3].rtt_us, 47000, 0);
	assert_int_equal(run->series.bins[3].bytes, 25000000);
	assert_int_equal(evidence.socket_ends[0], END_RECEIVER);
	evidence_free(&evidence);
}

static void test_both(void **state)
{
	struct sample sample;
	static struct evidence evidence;
	(void)state;

	fill(&sample, 400e6, 100e6);
	assert_true(sample_finish(&sample, &evidence, "x"));
	assert_int_equal(evidence.runs.count, 2);
	assert_true(evidence.runs.items[0].local_sends && evidence.runs.items[0].bidir);
	assert_true(!evidence.runs.items[1].local_sends && evidence.runs.items[1].bidir);
	assert_int_equal(evidence.runs.items[0].test, evidence.runs.items[1].test);
	evidence_free(&evidence);
}

static void test_idle(void **state)
{
	struct sample sample;
	static struct evidence evidence;
	(void)state;

	fill(&sample, 8000, 8000); /* 5000 bytes */
	assert_false(sample_finish(&sample, &evidence, "x"));
	assert_int_equal(evidence.runs.count, 0);
	assert_int_equal(evidence.socket_count, 0);
	sample = (struct sample){.bin_s = 0.5};
	assert_false(sample_finish(&sample, &evidence, "x"));
	evidence_free(&evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sender),
	    cmocka_unit_test(test_receiver),
	    cmocka_unit_test(test_both),
	    cmocka_unit_test(test_idle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
