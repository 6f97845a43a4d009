/* A run cut into phases, and a policer fitted as a token bucket. */
#include "near.h"

#include "evidence/evidence.h"
#include "model/bucket.h"
#include "model/phases.h"
#include "runs.h"

/* Runs of ten seconds and less: what governs, and how much of the time. */
struct phase_row {
	const char *name;
	struct second seconds[10];
	enum phase_kind governing;
	bool rests;
	size_t first, stretch;
};

static const struct phase_row rows[] = {
    {.name = "a start of one row, then a constant cwnd",
	.seconds = {{200, 2.1, 0, 50, 0}, {420, 5.3, 0, 50, 0}, {421, 5.3, 0, 50, 0},
	    {420, 5.3, 0, 50, 0}, {420, 5.3, 0, 50, 0}},
	.governing = PHASE_HELD,
	.rests = true,
	.first = 1,
	.stretch = 4},
    {.name = "a loss, and cwnd grows back to the end",
	.seconds = {{300, 4, 0, 50, 0}, {300, 2, 0, 50, 90}, {240, 2.1, 0, 50, 0},
	    {260, 2.2, 0, 50, 0}, {270, 2.3, 0, 50, 0}, {280, 2.4, 0, 50, 0}},
	.governing = PHASE_RECOVERING,
	.first = 2,
	.stretch = 4},
    {.name = "the RTT grows with cwnd, the rate does not",
	.seconds = {{95, 1, 0, 80, 0}, {95, 1.4, 0, 110, 0}, {95, 1.8, 0, 150, 0},
	    {95, 2.2, 0, 190, 0}, {95, 2.6, 0, 230, 0}, {95, 3, 0, 270, 0}},
	.governing = PHASE_FILLING,
	.first = 0,
	.stretch = 6},
    {.name = "one segment of cwnd, and no acknowledgement",
	.seconds = {{9, 0.08, 0, 30, 3}, {0.0001, 0.0013, 0, 30, 1}, {0, 0.0013, 0, 30, 1},
	    {0, 0.0013, 0, 30, 0}, {0, 0.0013, 0, 30, 1}, {0, 0.0013, 0, 30, 0}},
	.governing = PHASE_STALLED,
	.first = 0,
	.stretch = 6},
    {.name = "rows without a byte that resend far more than timeouts do are alive",
	.seconds = {{9, 0.008, 0, 30, 30}, {0.0001, 0.005, 0, 30, 60}, {0, 0.005, 0, 30, 50},
	    {0, 0.005, 0, 30, 60}, {0, 0.005, 0, 30, 50}, {0, 0.005, 0, 30, 60}},
	.governing = PHASE_RECOVERING,
	.first = 1,
	.stretch = 5},
};

static size_t count_of(const struct phase_row *row)
{
	size_t count = 0;

	while (count < 10 && row->seconds[count].cwnd_mib > 0)
		count++;
	return count;
}

static void test_phases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct phase_row *row = &rows[i];
		struct run run;
		struct phases phases;
		double sum = 0;

		run_make(&run, row->seconds, count_of(row));
		run.mss = 1448;
		run.has |= RUN_MSS;
		phases_cut(&phases, &run);
		print_message("%s: %s\n", row->name, phase_name(phases.governing));
		assert_int_equal(phases.governing, row->governing);
		assert_int_equal(phases.cwnd_rests, row->rests);
		if (row->governing != PHASE_STALLED) {
			assert_int_equal(phases.first, row->first);
			assert_int_equal(phases.stretch, row->stretch);
		}
		for (int kind = 0; kind < PHASE_COUNT; kind++)
			sum += phases.share[kind];
		assert_near(sum, 1, 1e-9);
		series_free(&run.series);
	}
}

/* One row without a byte between full ones counts as time in which the program had nothing to send. */
static void test_one_empty_row(void **state)
{
	(void)state;
	static const struct second seconds[] = {{95, 1, 0, 80, 0}, {95, 1.2, 0, 81, 0},
	    {95, 1.4, 0, 82, 0}, {0, 1.4, 0, 82, 0}, {95, 1.6, 0, 83, 0}};
	struct run run;
	struct phases phases;

	run_make(&run, seconds, 5);
	phases_cut(&phases, &run);
	assert_near(phases.share[PHASE_IDLE], 0.2, 1e-9);
	series_free(&run.series);
}

/* 40 to 120 ms in mid-run, and a third of the rate: another path, no queue. */
static void test_path_changes(void **state)
{
	(void)state;
	static const struct second changed[] = {{540, 5.3, 0, 40, 0}, {540, 5.3, 0, 40, 0},
	    {540, 5.3, 0, 40, 0}, {300, 5.3, 0, 120, 0}, {180, 5.3, 0, 120, 0},
	    {180, 5.3, 0, 120, 0}, {180, 5.3, 0, 120, 0}, {180, 5.3, 0, 120, 0}};
	static const struct second queued[] = {{540, 5.3, 0, 40, 0}, {540, 5.3, 0, 40, 0},
	    {540, 5.3, 0, 40, 0}, {540, 5.3, 0, 120, 0}, {540, 5.3, 0, 120, 0},
	    {540, 5.3, 0, 120, 0}, {540, 5.3, 0, 120, 0}, {540, 5.3, 0, 120, 0}};
	struct run run;
	struct phases phases;

	run_make(&run, changed, 8);
	phases_cut(&phases, &run);
	assert_near(phases.rtt_before_us, 40000, 1e-9);
	assert_near(phases.rtt_after_us, 120000, 1e-9);
	assert_int_equal(phases.first, 4);
	series_free(&run.series);
	run_make(&run, queued, 8);
	phases_cut(&phases, &run);
	assert_true(phases.rtt_after_us <= 0);
	series_free(&run.series);
}

/* The rate falls to a fifth and stays there: the longer side governs, of equal ones the later. */
static void test_regimes(void **state)
{
	static const struct {
		const char *name;
		size_t fast, slow; /* rows of 300, then of 60 Mbit/s */
		size_t first, end; /* 0: where the start is over */
		double other_bps;  /* 0: one regime */
	} regimes[] = {
	    {"longer slow", 4, 6, 4, 10, 300e6},
	    {"longer fast", 6, 4, 0, 6, 60e6},
	    {"alike", 5, 5, 5, 10, 300e6},
	    {"too short to be one", 8, 2, 0, 10, 0},
	    {"no change", 10, 0, 0, 10, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(regimes) / sizeof(regimes[0]); i++) {
		struct second seconds[10];
		struct run run;
		struct phases phases;

		for (size_t k = 0; k < 10; k++)
			seconds[k] = k < regimes[i].fast
					 ? (struct second){300, k % 2 ? 4.4 : 4, 0, 50, 9}
					 : (struct second){60, k % 2 ? 0.9 : 0.8, 0, 50, 9};
		run_make(&run, seconds, regimes[i].fast + regimes[i].slow);
		phases_cut(&phases, &run);
		print_message("%s\n", regimes[i].name);
		assert_int_equal(
		    phases.regime_first, regimes[i].first ? regimes[i].first : phases.start_count);
		assert_int_equal(phases.regime_end, regimes[i].end);
		assert_near(phases.other_rate_bps, regimes[i].other_bps, 1e-6);
		if (regimes[i].other_bps > 0)
			assert_near(phases.regime_changed_s, (double)regimes[i].fast, 0);
		series_free(&run.series);
	}
}

/* Recorded runs through a token bucket of known rate and depth (IP bytes). */
static void test_bucket(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		double rate_bps, depth_bytes;
	} files[] = {
	    {"pol-0.5-100000", 0.5e6, 100000},
	    {"pol-1.5-1000000", 1.5e6, 1000000},
	    {"pol-1.5-8000", 1.5e6, 8000},
	    {"pol-10-100000", 10e6, 100000},
	    {"pol-3-1000000", 3e6, 1000000},
	    {"polb-20-2-50000", 2e6, 50000},
	    {"polb-20-20-2000000", 20e6, 2000000},
	    {"polb-26-100-650000", 100e6, 650000},
	    {"polb-50-50-100000", 50e6, 100000},
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct evidence *evidence = calloc(1, sizeof(*evidence));
		struct path_given given = {0};
		struct path_context context = {0};
		struct path path;
		char name[128];

		snprintf(name, sizeof(name), "tests/corpus/policed/%s.json", files[i].file);
		print_message("%s\n", name);
		assert_int_equal(evidence_read(evidence, name), OPERAND_OK);
		path_from_run(&path, &evidence->runs.items[0], &given, &context);
		assert_true(path.bucket.known);
		assert_near(path.bucket.rate_bps, files[i].rate_bps, 0.05);
		assert_true(path.bucket.depth_bytes > files[i].depth_bytes / 2 &&
			    path.bucket.depth_bytes < files[i].depth_bytes * 2);
		evidence_free(evidence);
		free(evidence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_phases),
	    cmocka_unit_test(test_one_empty_row),
	    cmocka_unit_test(test_path_changes),
	    cmocka_unit_test(test_regimes),
	    cmocka_unit_test(test_bucket),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
