/* Figures of several runs, the knee of a sweep, and which of several is better: against the published
 * sweep, and against sequences whose answer the stated rule gives by hand. */
#include "near.h"

#include <string.h>

#include "model/compare.h"
#include "model/sweep.h"
#include "model/run_group.h"

#define MIB 1048576.0

/* One run at a ceiling; loss below 0 is unknown. */
struct point {
	double ceiling_mib, rate_bps, retransmits, loss;
};

static struct range exactly(double value)
{
	return (struct range){.count = 1, .median = value, .low = value, .high = value};
}

static size_t make_groups(struct run_group *groups, const struct point *points, size_t most)
{
	size_t count = 0;

	memset(groups, 0, most * sizeof(*groups));
	for (; count < most && points[count].ceiling_mib > 0; count++) {
		struct run_group *group = &groups[count];
		group->ceiling_bytes = points[count].ceiling_mib * MIB;
		group->runs = 1;
		group->range[FIGURE_RATE] = exactly(points[count].rate_bps);
		if (points[count].loss < 0)
			continue;
		group->range[FIGURE_RETRANSMITS] = exactly(points[count].retransmits);
		group->range[FIGURE_LOSS] = exactly(points[count].loss);
	}
	return count;
}

/* Retransmits of 10 s at a rate, in segments of 1448 bytes. */
static double loss_of(double retransmits, double rate_bps)
{
	return retransmits / (rate_bps * 10 / 8 / 1448);
}

static void test_published(void **state)
{
	(void)state;
	const struct point points[] = {
	    {17, 2.59e9, 926, loss_of(926, 2.59e9)},
	    {20, 2.85e9, 3115, loss_of(3115, 2.85e9)},
	    {32, 3.34e9, 208000, loss_of(208000, 3.34e9)},
	    {64, 3.34e9, 208000, loss_of(208000, 3.34e9)},
	    {0, 0, 0, 0},
	};
	const struct sweep_rule rule = {SWEEP_MIN_GAIN, SWEEP_MAX_LOSS};
	struct run_group groups[RUN_GROUPS_MAX];
	struct sweep sweep;

	sweep_compute(groups, make_groups(groups, points, 5), &rule, &sweep);
	assert_int_equal(sweep.knee, 1);
	assert_int_equal(sweep.end, SWEEP_KNEE);
	assert_int_equal(sweep.stop, STOP_LOSS);
	assert_near(sweep.steps[1].gain, 2.85 / 2.59 - 1, 1e-9);
	assert_near(sweep.steps[1].gain_bps_per_mib, 0.26e9 / 3, 1e-9);
	assert_near(sweep.steps[2].gain_bps_per_mib, 0.49e9 / 12, 1e-9);
	assert_near(sweep.next_gain, 3.34 / 2.85 - 1, 1e-9);
	assert_near(sweep.next_loss, 0.0721, 0.01); /* 208,000 of 2.88 million segments */
	assert_near(sweep.next_retransmits, 208000.0 / 3115, 1e-9);
	assert_false(sweep.loss_is_unknown);
	assert_int_equal(sweep.has, SWEEP_NEXT_LOSS | SWEEP_NEXT_RETRANSMITS);
}

/* No retransmits and no more delay are known; what nobody measured is not. */
static void test_none_is_known(void **state)
{
	(void)state;
	static const struct sweep_rule rule = {SWEEP_MIN_GAIN, SWEEP_MAX_LOSS};
	struct run_group groups[2] = {
	    {.ceiling_bytes = 16 * 1048576.0}, {.ceiling_bytes = 20 * 1048576.0}};
	struct sweep sweep;

	for (size_t i = 0; i < 2; i++) {
		groups[i].range[FIGURE_RATE].count = 1;
		groups[i].range[FIGURE_RATE].median = 1e9;
	}
	sweep_compute(groups, 2, &rule, &sweep);
	assert_int_equal(sweep.has, 0);
	for (size_t i = 0; i < 2; i++) {
		groups[i].range[FIGURE_RETRANSMITS].count = groups[i].range[FIGURE_PING].count = 1;
		groups[i].range[FIGURE_PING].median = 50000;
	}
	groups[0].range[FIGURE_RETRANSMITS].median = 40;
	sweep_compute(groups, 2, &rule, &sweep);
	assert_int_equal(sweep.has, SWEEP_NEXT_RETRANSMITS | SWEEP_NEXT_DELAY);
	assert_near(sweep.next_retransmits, 0, 0);
	assert_near(sweep.next_delay_us, 0, 0);
	/* a multiple of nothing there is not */
	groups[0].range[FIGURE_RETRANSMITS].median = 0;
	sweep_compute(groups, 2, &rule, &sweep);
	assert_int_equal(sweep.has, SWEEP_NEXT_DELAY);
}

static void test_rule(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct point points[8];
		struct sweep_rule rule;
		size_t knee;
		enum sweep_end end;
		enum sweep_stop stop;
	} rows[] = {
	    {"the last step gains 4 %: not enough",
		{{8, 1.00e9, 0, 0}, {12, 1.20e9, 0, 0}, {16, 1.248e9, 0, 0}}, {0.05, 0.002}, 1,
		SWEEP_KNEE, STOP_GAIN},
	    {"exactly 5 % is enough", {{8, 1.00e9, 0, 0}, {12, 1.05e9 * (1 + 1e-12), 0, 0}},
		{0.05, 0.002}, 1, SWEEP_RISING, STOP_NONE},
	    {"small steps add up: each 4 %, two of them 8.2 %",
		{{8, 1.00e9, 0, 0}, {9, 1.04e9, 0, 0}, {10, 1.0816e9, 0, 0}, {11, 1.09e9, 0, 0}},
		{0.05, 0.002}, 2, SWEEP_KNEE, STOP_GAIN},
	    {"all the same: the smallest does", {{8, 1.00e9, 0, 0}, {16, 1.01e9, 0, 0}},
		{0.05, 0.002}, 0, SWEEP_FLAT, STOP_GAIN},
	    {"the smallest is kept for the loss of the others: a knee, not flat",
		{{8, 1.00e9, 0, 0}, {16, 1.50e9, 9000, 0.01}}, {0.05, 0.002}, 0, SWEEP_KNEE,
		STOP_LOSS},
	    {"loss at the bound is allowed", {{8, 1.00e9, 0, 0}, {16, 1.50e9, 900, 0.002}},
		{0.05, 0.002}, 1, SWEEP_RISING, STOP_NONE},
	    {"already the smallest loses too much",
		{{8, 1.00e9, 9000, 0.01}, {16, 1.2e9, 20000, 0.02}}, {0.05, 0.002}, 0, SWEEP_LOSSY,
		STOP_LOSS},
	    {"a lossy one in between does not end it",
		{{8, 1.00e9, 0, 0}, {12, 1.10e9, 9000, 0.01}, {16, 1.30e9, 10, 1e-5},
		    {20, 1.31e9, 10, 1e-5}},
		{0.05, 0.002}, 2, SWEEP_KNEE, STOP_GAIN},
	    {"the rate falls beyond", {{8, 1.00e9, 0, 0}, {12, 1.30e9, 0, 0}, {16, 1.10e9, 0, 0}},
		{0.05, 0.002}, 1, SWEEP_KNEE, STOP_GAIN},
	    {"another rule, another knee",
		{{17, 2.59e9, 926, 0.0004}, {20, 2.85e9, 3115, 0.00127},
		    {32, 3.34e9, 208000, 0.072}},
		{0.05, 0.10}, 2, SWEEP_RISING, STOP_NONE},
	    {"a larger least gain", {{17, 2.59e9, 926, 0.0004}, {20, 2.85e9, 3115, 0.00127}},
		{0.15, 0.002}, 0, SWEEP_FLAT, STOP_GAIN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_group groups[RUN_GROUPS_MAX];
		struct sweep sweep;
		print_message("%s\n", rows[i].name);
		sweep_compute(
		    groups, make_groups(groups, rows[i].points, 8), &rows[i].rule, &sweep);
		assert_int_equal(sweep.knee, rows[i].knee);
		assert_int_equal(sweep.end, rows[i].end);
		assert_int_equal(sweep.stop, rows[i].stop);
	}
}

/* A receiver's runs know no retransmits: the rule goes by gain, and says so. */
static void test_unknown_loss(void **state)
{
	(void)state;
	const struct point points[] = {{8, 1e9, 0, -1}, {16, 1.5e9, 0, -1}, {0, 0, 0, 0}};
	const struct sweep_rule rule = {SWEEP_MIN_GAIN, SWEEP_MAX_LOSS};
	struct run_group groups[RUN_GROUPS_MAX];
	struct sweep sweep;

	sweep_compute(groups, make_groups(groups, points, 3), &rule, &sweep);
	assert_int_equal(sweep.knee, 1);
	assert_true(sweep.loss_is_unknown);
}

static void test_ranges(void **state)
{
	(void)state;
	struct run_summary summary[3] = {{.has = 0}};
	double errors[3] = {0.01, 0.02, 0.03};
	struct run_group group = {.ceiling_bytes = 0};

	for (int i = 0; i < 3; i++) {
		summary[i].has = 1u << FIGURE_RATE | (i < 2 ? 1u << FIGURE_LOADED_RTT : 0);
		summary[i].value[FIGURE_RATE] = (double[]){3e9, 1e9, 2e9}[i];
		summary[i].value[FIGURE_LOADED_RTT] = (double[]){40e3, 60e3, 0}[i];
	}
	run_group_compute(&group, summary, errors, 3);
	assert_int_equal(group.runs, 3);
	assert_int_equal(group.range[FIGURE_RATE].count, 3);
	assert_near(group.range[FIGURE_RATE].median, 2e9, 0);
	assert_near(group.range[FIGURE_RATE].low, 1e9, 0);
	assert_near(group.range[FIGURE_RATE].high, 3e9, 0);
	/* known of two of the three: the mean of the middle two */
	assert_int_equal(group.range[FIGURE_LOADED_RTT].count, 2);
	assert_near(group.range[FIGURE_LOADED_RTT].median, 50e3, 0);
	assert_int_equal(group.range[FIGURE_LOSS].count, 0);
	assert_near(group.rate_error, 0.02, 1e-12);
}

static struct run_group spread_over(double low, double median, double high)
{
	struct run_group group = {.runs = 3};

	group.range[FIGURE_RATE] =
	    (struct range){.count = 3, .median = median, .low = low, .high = high};
	return group;
}

static void test_overlap(void **state)
{
	(void)state;
	const struct run_group low = spread_over(0.9e9, 1.0e9, 1.1e9);
	const struct run_group high = spread_over(1.05e9, 1.2e9, 1.3e9),
			       far = spread_over(1.4e9, 1.5e9, 1.6e9);
	const struct run_group single = {.runs = 1, .range[FIGURE_RATE] = exactly(1.0e9)};
	const struct sweep_rule rule = {SWEEP_MIN_GAIN, SWEEP_MAX_LOSS};
	struct run_group groups[] = {low, high, far};
	struct sweep sweep;

	assert_true(rates_overlap(&low, &high));
	assert_false(rates_overlap(&low, &far));
	assert_false(rates_overlap(&low, &single)); /* one run has no spread */
	/* half of each range: 10 % + 10.4 % */
	assert_near(rate_noise(&low, &high), 0.1 + 0.125 / 1.2, 1e-9);
	assert_near(rate_noise(&single, &single), 0.03, 1e-9);

	groups[0].ceiling_bytes = 1 * MIB;
	groups[1].ceiling_bytes = 2 * MIB;
	groups[2].ceiling_bytes = 3 * MIB;
	sweep_compute(groups, 3, &rule, &sweep);
	assert_int_equal(sweep.knee, 2);
	assert_true(sweep.steps[1].overlaps);
	assert_false(sweep.steps[2].overlaps);
	assert_false(sweep.knee_is_uncertain);
	sweep_compute(groups, 2, &rule, &sweep);
	assert_int_equal(sweep.knee, 1);
	assert_true(sweep.knee_is_uncertain);
}

/* ---- comparisons ---- */

/* Figures of one run; below 0 is unknown. */
struct side {
	double rate_bps, loss, retransmits, ping_us, rtt_us, backlog_us;
};

static struct run_group side_group(const struct side *side)
{
	struct run_group group = {.runs = 1, .range[FIGURE_RATE] = exactly(side->rate_bps)};

	if (side->loss >= 0)
		group.range[FIGURE_LOSS] = exactly(side->loss);
	if (side->retransmits >= 0)
		group.range[FIGURE_RETRANSMITS] = exactly(side->retransmits);
	if (side->ping_us >= 0)
		group.range[FIGURE_PING] = exactly(side->ping_us);
	if (side->rtt_us >= 0)
		group.range[FIGURE_LOADED_RTT] = exactly(side->rtt_us);
	if (side->backlog_us >= 0)
		group.range[FIGURE_QUEUE_DELAY] = exactly(side->backlog_us);
	return group;
}

static void test_compare(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct side a, b;
		size_t best;
		enum compare_by by;
		enum compare_means means;
		double factor;
	} rows[] = {
	    {"published: clean 10 Gbit/s", {9.94e9, 0, 0, -1, -1, -1}, {9.92e9, 0, 0, -1, -1, -1},
		0, COMPARE_NONE, MEANS_LINK, 1},
	    {"published: 2 % loss over 80 ms", {24.7e6, 0.0089, 1086, 80e3, -1, -1},
		{103e6, 0.174, 89154, 80e3, -1, -1}, 1, COMPARE_RATE, MEANS_LOSS, 103 / 24.7},
	    {"published: 10 MB FIFO", {98.3e6, 0.00126, 645, 700e3, -1, 749e3},
		{99.2e6, 8e-6, 4, 40e3, -1, 8.9e3}, 1, COMPARE_DELAY, MEANS_QUEUE, 17.5},
	    {"ping goes before tcp_info", {1e8, 0, 0, 30e3, 10e3, -1}, {1e8, 0, 0, 10e3, 30e3, -1},
		1, COMPARE_DELAY, MEANS_QUEUE, 3},
	    {"tcp_info where only one was pinged", {1e8, 0, 0, 30e3, 10e3, -1},
		{1e8, 0, 0, -1, 30e3, -1}, 0, COMPARE_DELAY, MEANS_QUEUE, 3},
	    {"backlog where nothing else is known", {1e8, 0, 0, -1, -1, 90e3},
		{1e8, 0, 0, -1, -1, 30e3}, 1, COMPARE_DELAY, MEANS_QUEUE, 3},
	    {"half a millisecond is nothing", {2.2e8, 0, 0, 0.5e3, -1, -1},
		{2.2e8, 0, 0, 1.0e3, -1, -1}, 0, COMPARE_NONE, MEANS_NOTHING, 1},
	    {"same rate and delay, less loss", {5e8, 0.02, 900, 50e3, -1, -1},
		{5e8, 0.002, 90, 50e3, -1, -1}, 1, COMPARE_LOSS, MEANS_NOTHING, 10},
	    {"rate goes before delay", {1e8, 0, 0, 10e3, -1, -1}, {2e8, 0, 0, 50e3, -1, -1}, 1,
		COMPARE_RATE, MEANS_NOTHING, 2},
	    {"2 % more is noise", {1.5e8, 0, 0, -1, -1, -1}, {1.53e8, 0, 0, -1, -1, -1}, 0,
		COMPARE_NONE, MEANS_NOTHING, 1},
	    {"loss where a queue stands is the queue's", {5e7, 0.01, 500, 300e3, -1, -1},
		{8e7, 0.01, 500, 30e3, -1, -1}, 1, COMPARE_RATE, MEANS_NOTHING, 1.6},
	    {"a LAN of 1 Gbit/s, jumbo or not", {9.41e8, 0, 0, -1, -1, -1},
		{9.40e8, 0, 0, -1, -1, -1}, 0, COMPARE_NONE, MEANS_LINK, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_group groups[] = {side_group(&rows[i].a), side_group(&rows[i].b)};
		struct compare compare;
		print_message("%s\n", rows[i].name);
		compare_compute(groups, 2, &compare);
		assert_int_equal(compare.best, rows[i].best);
		assert_int_equal(compare.other, 1 - rows[i].best);
		assert_int_equal(compare.by, rows[i].by);
		assert_int_equal(compare.means, rows[i].means);
		assert_near(compare.factor, rows[i].factor, 1e-3);

		/* The order given decides only where nothing else does. */
		struct run_group swapped[] = {groups[1], groups[0]};
		compare_compute(swapped, 2, &compare);
		assert_int_equal(compare.by, rows[i].by);
		assert_int_equal(compare.best, rows[i].by == COMPARE_NONE ? 0 : 1 - rows[i].best);
	}
}

/* What the better one costs. */
static void test_costs(void **state)
{
	(void)state;
	const struct side fast = {103e6, 0.174, 89154, 160e3, -1, -1};
	const struct side slow = {24.7e6, 0.0089, 1086, 80e3, -1, -1};
	struct run_group groups[] = {side_group(&slow), side_group(&fast)};
	struct compare compare;

	groups[0].range[FIGURE_CPU] = exactly(20);
	groups[1].range[FIGURE_CPU] = exactly(60);
	compare_compute(groups, 2, &compare);
	assert_true(compare.loss_is_worse);
	assert_true(compare.delay_is_worse);
	assert_true(compare.cpu_is_worse);
	/* 5 % of a core more is not worth a word */
	groups[1].range[FIGURE_CPU] = exactly(25);
	compare_compute(groups, 2, &compare);
	assert_false(compare.cpu_is_worse);
}

/* Of several, the best is held against the first, or, when it is the first, against the runner-up. */
static void test_several(void **state)
{
	(void)state;
	static const struct side sides[] = {
	    {1e8, 0, 0, -1, -1, -1}, {3e8, 0, 0, -1, -1, -1}, {2e8, 0, 0, -1, -1, -1}};
	struct run_group groups[3], turned[3];
	struct compare compare;

	for (int i = 0; i < 3; i++) {
		groups[i] = side_group(&sides[i]);
		turned[i] = side_group(&sides[(i + 1) % 3]);
	}
	compare_compute(groups, 3, &compare);
	assert_int_equal(compare.best, 1);
	assert_int_equal(compare.other, 0);
	assert_near(compare.factor, 3, 1e-9);
	compare_compute(turned, 3, &compare);
	assert_int_equal(compare.best, 0);
	assert_int_equal(compare.other, 1);
	assert_near(compare.factor, 1.5, 1e-9);
}

/* ---- one run's figures ---- */

static void test_summary(void **state)
{
	(void)state;
	const struct run run = {.has = RUN_SENT | RUN_RECEIVED | RUN_SENDER_CPU | RUN_RECEIVER_CPU,
	    .sent_bytes = 130000000,
	    .received_bytes = 122000000,
	    .sender_cpu_percent = 3,
	    .receiver_cpu_percent = 41};
	/* one rate for a run, whoever reads it: the path's */
	const struct path path = {
	    .rate = {.known = true, .mean_known = true, .bps = 98.3e6, .mean_bps = 92e6},
	    .loss = {.known = true, .counted = true, .retransmits = 645, .ratio = 0.00126}};
	const struct ping ping = {.min_us = 551e3, .avg_us = 705.2e3, .max_us = 839e3};
	const struct tc tc = {.backlog_bytes = 9200000, .backlog_packets = 631};
	struct run_summary_input input = {
	    .run = &run, .path = &path, .loaded_ping = &ping, .tc = &tc, .idle_rtt_us = 1020};
	struct run_summary summary;

	run_summary_compute(&input, &summary);
	assert_near(summary.value[FIGURE_RATE], 98.3e6, 0);
	assert_near(summary.value[FIGURE_BYTES], 122e6, 0);
	assert_near(summary.value[FIGURE_EFFICIENCY], 1 - 0.00126, 1e-12);
	assert_near(summary.value[FIGURE_PING], 705.2e3, 0);
	assert_near(summary.value[FIGURE_CPU], 41, 0);
	/* 9.2 MB at 98.3 Mbit/s; RFC 6349, section 4.3: (705.2 - 1.02) / 1.02 */
	assert_near(summary.value[FIGURE_QUEUE_DELAY], 748.7e3, 1e-3);
	assert_near(summary.value[FIGURE_BUFFER_DELAY], 690.4, 1e-3);
	assert_false(summary.has & 1u << FIGURE_LOADED_RTT);
	assert_false(summary.has & 1u << FIGURE_CWND);

	/* nothing beside the run: what is not known stays unknown */
	input = (struct run_summary_input){.run = &run, .path = &path};
	run_summary_compute(&input, &summary);
	assert_false(summary.has & (1u << FIGURE_PING | 1u << FIGURE_BACKLOG |
				       1u << FIGURE_QUEUE_DELAY | 1u << FIGURE_BUFFER_DELAY));
}

static void test_rate_error(void **state)
{
	(void)state;
	struct path path = {.steady = {.known = true, .count = 9}, .rate = {.deviation = 0.3}};

	assert_near(rate_error(&path), 0.1, 1e-12);
	path.steady.count = 1;
	assert_near(rate_error(&path), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_published),
	    cmocka_unit_test(test_none_is_known),
	    cmocka_unit_test(test_rule),
	    cmocka_unit_test(test_unknown_loss),
	    cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_overlap),
	    cmocka_unit_test(test_compare),
	    cmocka_unit_test(test_costs),
	    cmocka_unit_test(test_several),
	    cmocka_unit_test(test_summary),
	    cmocka_unit_test(test_rate_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
