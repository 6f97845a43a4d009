#include "evidence/run.h"

#include <string.h>

#include "evidence/iperf_correct.h"
#include "near.h"

/* ---- two views of one test ----------------------------------------------------------------- */

static struct run *view(struct runs *runs, bool client, bool sends)
{
	struct run *run = runs_append(runs, "x", 0);

	run->client = client;
	run->local_sends = sends;
	run->complete = true;
	return run;
}

static void test_views(void **state)
{
	struct runs runs = {0};
	(void)state;

	/* -R: the client received and counted, the server knows its retransmits */
	struct run *client = view(&runs, true, false);
	client->has = RUN_RECEIVED | RUN_MSS;
	client->received_bytes = 900;
	client->received_seconds = 3;
	client->mss = 1448;
	struct run *server = view(&runs, false, true);
	client = &runs.items[0];
	server->has = RUN_SENT | RUN_RETRANSMITS;
	server->sent_bytes = 1000;
	server->retransmits = 7;
	/* another direction of the same test */
	struct run *other = view(&runs, false, false);
	other->has = RUN_RECEIVED;
	other->received_bytes = 5;
	client = &runs.items[0];
	server = &runs.items[1];
	runs_pair(&runs);
	assert_int_equal(server->has, RUN_SENT | RUN_RETRANSMITS | RUN_RECEIVED | RUN_MSS);
	assert_int_equal(server->received_bytes, 900);
	assert_near(server->received_seconds, 3, 0);
	assert_int_equal(client->has, RUN_RECEIVED | RUN_MSS | RUN_RETRANSMITS);
	assert_int_equal(client->retransmits, 7);
	assert_int_equal(other->has, RUN_RECEIVED);
	runs_free(&runs);
}

/* A receiver that was interrupted counted less than what arrived. */
static void test_cut_view(void **state)
{
	struct runs runs = {0};
	(void)state;

	view(&runs, true, true)->has = RUN_SENT;
	struct run *cut = view(&runs, false, false);
	cut->has = RUN_RECEIVED;
	cut->complete = false;
	runs_pair(&runs);
	assert_int_equal(runs.items[0].has, RUN_SENT);
	runs_free(&runs);
}

static void add_intervals(struct run *run, double shift_s, uint64_t bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct bin bin = {.start_s = (double)i + shift_s,
		    .end_s = (double)i + 1 + shift_s,
		    .bytes = bytes};
		series_add(&run->series, &bin);
	}
}

/* Intervals of both ends: the sender's get what arrived in them, and the receiver's time counts. */
static void test_intervals(void **state)
{
	static const struct {
		double shift_s;
		size_t count;
		bool joined;
	} rows[] = {
	    {0.02, 5, true},
	    {0.02, 6, true}, /* what arrives at the end may have one of its own */
	    {0.02, 7, false},
	    {0.2, 5, false},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct runs runs = {0};
		struct run *sender = view(&runs, true, true);
		sender->has = RUN_SENT | RUN_RECEIVED;
		sender->received_bytes = 4500;
		sender->sent_seconds = sender->received_seconds = 5;
		add_intervals(sender, 0, 1000, 5);
		struct run *receiver = view(&runs, false, false);
		receiver->has = RUN_RECEIVED;
		receiver->received_bytes = 4500;
		receiver->received_seconds = 5.5;
		add_intervals(receiver, rows[i].shift_s, 800, rows[i].count);
		runs_pair(&runs);
		sender = &runs.items[0];
		assert_near(sender->received_seconds, 5.5, 0);
		for (size_t k = 0; k < 5; k++) {
			const struct bin *bin = &sender->series.bins[k];
			assert_int_equal((bin->has & BIN_ARRIVED) != 0, rows[i].joined);
			assert_int_equal(bin->arrived_bytes, rows[i].joined ? 800 : 0);
			assert_int_equal(bin->bytes, 1000);
		}
		runs_free(&runs);
	}
}

static void test_keep_test(void **state)
{
	struct runs runs = {0};
	(void)state;

	for (unsigned i = 0; i < 6; i++)
		runs_append(&runs, "x", i / 2)->streams = i;
	runs_keep_test(&runs, 1);
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.items[0].streams, 2);
	assert_int_equal(runs.items[1].streams, 3);
	runs_free(&runs);
}

/* ---- what cannot be ------------------------------------------------------------------------ */

/* A sender's run of one interval. */
static struct run drawn(uint64_t bytes, uint64_t retransmits)
{
	struct run run = {.local_sends = true,
	    .has = RUN_SENT | RUN_RETRANSMITS | RUN_MSS,
	    .mss = 1000,
	    .sent_bytes = bytes,
	    .retransmits = retransmits};
	struct bin bin = {.end_s = 1,
	    .bytes = bytes,
	    .retransmits = retransmits,
	    .cwnd_bytes = 5000000,
	    .has = BIN_RETRANSMITS | BIN_CWND};

	series_add(&run.series, &bin);
	return run;
}

static void test_counts(void **state)
{
	static const struct {
		uint64_t bytes, retransmits;
		bool dropped;
	} rows[] = {
	    {10000000, 0, false},
	    {10000000, 5300, false},   /* 53 % of 10,000 segments */
	    {0, 300, false},	       /* stuck */
	    {10000000, 101000, false}, /* ten times each, and a thousand */
	    {10000000, 101001, true},
	    {36750000000, 775435825, true}, /* a driver's */
	    {0, 4294967294, true},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run run = drawn(rows[i].bytes, rows[i].retransmits);
		iperf_correct(&run, &(struct iperf_doubts){0});
		print_message("%llu\n", (unsigned long long)rows[i].retransmits);
		assert_int_equal(!(run.has & RUN_RETRANSMITS), rows[i].dropped);
		assert_int_equal((run.has & RUN_RETRANSMITS_DROPPED) != 0, rows[i].dropped);
		assert_int_equal(run.series.bins[0].has,
		    rows[i].dropped ? BIN_CWND : BIN_RETRANSMITS | BIN_CWND);
		if (rows[i].dropped)
			assert_int_equal(run.dropped_retransmits, rows[i].retransmits);
		series_free(&run.series);
	}
}

/* A stack without tcp_info prints 0 for all of it: that is no count of 0 retransmits. */
static void test_zeros(void **state)
{
	const struct iperf_doubts doubts = {.windows_are_zero = true};
	(void)state;

	struct run run = drawn(10000000, 0);
	iperf_correct(&run, &doubts);
	assert_false(run.has & RUN_RETRANSMITS);
	assert_false(run.series.bins[0].has & BIN_RETRANSMITS);
	series_free(&run.series);
	/* one that counts some tells them */
	run = drawn(10000000, 3);
	iperf_correct(&run, &doubts);
	assert_true(run.has & RUN_RETRANSMITS);
	series_free(&run.series);
}

/* FreeBSD before 3.2: bytes times the MSS. */
static void test_freebsd(void **state)
{
	(void)state;

	struct run run = drawn(10000000, 3);
	strcpy(run.system_info, "FreeBSD host 10.3-RELEASE");
	strcpy(run.version, "3.1.3");
	iperf_correct(&run, &(struct iperf_doubts){0});
	assert_int_equal(run.series.bins[0].cwnd_bytes, 5000);
	series_free(&run.series);
	run = drawn(10000000, 3);
	strcpy(run.system_info, "FreeBSD host 12.0-RELEASE");
	strcpy(run.version, "3.7");
	iperf_correct(&run, &(struct iperf_doubts){0});
	assert_int_equal(run.series.bins[0].cwnd_bytes, 5000000);
	series_free(&run.series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_views),
	    cmocka_unit_test(test_cut_view),
	    cmocka_unit_test(test_intervals),
	    cmocka_unit_test(test_keep_test),
	    cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_zeros),
	    cmocka_unit_test(test_freebsd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
