#include "evidence/run.h"

#include "near.h"

/* An interval of a second in which everything is known; what grows with i can be added up. */
static struct bin bin_of(unsigned i)
{
	return (struct bin){.start_s = i,
	    .end_s = i + 1,
	    .bytes = 1000,
	    .retransmits = 2,
	    .cwnd_bytes = i,
	    .cwnd_min_bytes = 5000 - i,
	    .cwnd_max_bytes = 6000 + i,
	    .peer_window_bytes = 2 * i,
	    .rtt_us = 50 + i,
	    .rtt_min_us = 49 + i,
	    .has = BIN_RETRANSMITS | BIN_CWND | BIN_PEER_WINDOW | BIN_RTT};
}

/* However long the test: time has no hole, nothing is counted twice, means are of the whole. */
static void test_merging(void **state)
{
	static const struct {
		unsigned intervals;
		size_t bins;
		unsigned merged;
	} rows[] = {
	    {1, 1, 1},
	    {SERIES_MAX, SERIES_MAX, 1},
	    {SERIES_MAX + 1, SERIES_MAX / 2 + 1, 2},
	    {SERIES_MAX + 2, SERIES_MAX / 2 + 1, 2},
	    {SERIES_MAX + 3, SERIES_MAX / 2 + 2, 2},
	    {2 * SERIES_MAX, SERIES_MAX, 2},
	    {2 * SERIES_MAX + 1, SERIES_MAX / 2 + 1, 4},
	    {4 * SERIES_MAX, SERIES_MAX, 4},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct series series = {0};
		uint64_t bytes = 0, retransmits = 0;

		print_message("%u intervals\n", rows[i].intervals);
		for (unsigned n = 0; n < rows[i].intervals; n++) {
			struct bin bin = bin_of(n);
			series_add(&series, &bin);
		}
		assert_int_equal(series.count, rows[i].bins);
		assert_int_equal(series.merged, rows[i].merged);
		for (size_t k = 0; k < series.count; k++) {
			const struct bin *bin = &series.bins[k];
			double first = bin->start_s, last = bin->end_s - 1,
			       mean = (first + last) / 2;

			assert_near(first, k == 0 ? 0 : series.bins[k - 1].end_s, 0);
			bytes += bin->bytes;
			retransmits += bin->retransmits;
			assert_near(bin->rtt_us, 50 + mean, 1e-9);
			assert_near(bin->rtt_min_us, 49 + first, 0);
			assert_near((double)bin->cwnd_min_bytes, 5000 - last, 0);
			assert_near((double)bin->cwnd_max_bytes, 6000 + last, 0);
			/* whole bytes: at most one is lost with each doubling */
			assert_true(fabs((double)bin->cwnd_bytes - mean) < 3);
			assert_true(fabs((double)bin->peer_window_bytes - 2 * mean) < 3);
			assert_int_equal(
			    bin->has, BIN_RETRANSMITS | BIN_CWND | BIN_PEER_WINDOW | BIN_RTT);
		}
		assert_near(series.bins[series.count - 1].end_s, rows[i].intervals, 0);
		assert_int_equal(bytes, 1000ULL * rows[i].intervals);
		assert_int_equal(retransmits, 2ULL * rows[i].intervals);
		series_free(&series);
		assert_null(series.bins);
	}
}

/* Of two intervals of which one shows no RTT the whole shows none: half of it would be taken for all. */
static void test_merged_is_known_of_both(void **state)
{
	static const unsigned bits[] = {BIN_RETRANSMITS, BIN_CWND, BIN_PEER_WINDOW, BIN_RTT};
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(bits) / sizeof(bits[0]); i++) {
		struct series series = {0};
		unsigned lacks = bits[i / 2];

		for (unsigned n = 0; n < SERIES_MAX + 2; n++) {
			struct bin bin = bin_of(n);
			/* the first or the second of a pair, among those halved and those folded in */
			if (n % 2 == i % 2)
				bin.has &= ~lacks;
			series_add(&series, &bin);
		}
		for (size_t k = 0; k < series.count; k++)
			assert_int_equal(series.bins[k].has,
			    (BIN_RETRANSMITS | BIN_CWND | BIN_PEER_WINDOW | BIN_RTT) & ~lacks);
		series_free(&series);
	}
}

/* Past the limit the older half goes, and how many went is counted. */
static void test_runs_are_bounded(void **state)
{
	struct runs runs = {0};
	(void)state;
	for (unsigned i = 0; i < RUNS_MAX; i++)
		assert_int_equal(runs_append(&runs, "a.json", i)->streams, 1);
	assert_int_equal(runs.count, RUNS_MAX);
	assert_int_equal(runs.dropped, 0);
	runs_append(&runs, "b.json", RUNS_MAX);
	assert_int_equal(runs.dropped, RUNS_MAX / 2);
	assert_int_equal(runs.count, RUNS_MAX / 2 + 1);
	for (size_t i = 0; i < runs.count; i++)
		assert_int_equal(runs.items[i].test, RUNS_MAX / 2 + i);
	assert_string_equal(runs.items[runs.count - 1].input, "b.json");
	runs_keep_test(&runs, RUNS_MAX - 1);
	assert_int_equal(runs.count, 1);
	assert_int_equal(runs.items[0].test, RUNS_MAX - 1);
	runs_free(&runs);
	assert_int_equal(runs.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merging),
	    cmocka_unit_test(test_merged_is_known_of_both),
	    cmocka_unit_test(test_runs_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
