#include "advice/runaway_plan.h"
#include "diagnosis/runaway.h"
#include "report/finding_text.h"
#include "report/plan_text.h"

#include <string.h>

#include "base/source.h"
#include "near.h"

#define ROWS(array) (sizeof(array) / sizeof((array)[0]))

struct rise {
	enum counter_id id;
	uint64_t by;
};

static void set_all(struct counters *counters, const struct rise *rises, size_t count)
{
	memset(counters, 0, sizeof(*counters));
	counters->any = true;
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		counters->known[i] = true;
	for (size_t i = 0; i < count; i++)
		counters->value[rises[i].id] = rises[i].by;
}

/* A host with 256 MiB for tcp_rmem; shrink is its tcp_shrink_window, -1 where there is none. */
static struct host host_with(unsigned major, unsigned minor, int shrink)
{
	struct host host = {
	    .origin = HOST_DUMP, .kernel = {.known = true, .major = major, .minor = minor}};

	snprintf(host.kernel.release, sizeof(host.kernel.release), "%u.%u.0", major, minor);
	host.values[TUNABLE_TCP_RMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 131072, 268435456}};
	if (shrink >= 0)
		host.values[TUNABLE_TCP_SHRINK_WINDOW] =
		    (struct tunable_value){.known = true, .count = 1, .number = {shrink}};
	return host;
}

static void test_verdicts(void **state)
{
	static const struct row {
		const char *name;
		bool two;
		struct rise rises[4];
		uint64_t beyond, behind;
		enum runaway_verdict verdict;
		enum confidence confidence;
	} rows[] = {
	    {"nothing at all", false, {{0}}, 0, 0, RUNAWAY_UNKNOWN, CONFIDENCE_LOW},
	    {"counters that stand still", true, {{0}}, 0, 0, RUNAWAY_ABSENT, CONFIDENCE_LOW},
	    {"large buffers alone", false, {{0}}, 3, 0, RUNAWAY_SUSPECTED, CONFIDENCE_LOW},
	    {"large buffers, quiet counters", true, {{0}}, 3, 0, RUNAWAY_SUSPECTED, CONFIDENCE_LOW},
	    {"story C", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 5000}, {COUNTER_RCV_PRUNED, 900},
		    {COUNTER_RCV_COLLAPSED, 70000}},
		558, 558, RUNAWAY_CONFIRMED, CONFIDENCE_HIGH},
	    {"some windows closed, most not", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 19}, {COUNTER_TO_ZERO_WINDOW_ADV, 7},
		    {COUNTER_PRUNE_CALLED, 4}},
		0, 1, RUNAWAY_CONFIRMED, CONFIDENCE_MEDIUM},
	    {"ten wishes for each that closed", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 70}, {COUNTER_TO_ZERO_WINDOW_ADV, 7},
		    {COUNTER_PRUNE_CALLED, 4}},
		0, 0, RUNAWAY_CONFIRMED, CONFIDENCE_HIGH},
	    {"not quite ten", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 69}, {COUNTER_TO_ZERO_WINDOW_ADV, 7},
		    {COUNTER_PRUNE_CALLED, 4}},
		0, 0, RUNAWAY_CONFIRMED, CONFIDENCE_MEDIUM},
	    {"ten, and none closed", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 10}, {COUNTER_PRUNE_CALLED, 4}}, 0, 0,
		RUNAWAY_CONFIRMED, CONFIDENCE_HIGH},
	    {"nine, and none closed", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 9}, {COUNTER_PRUNE_CALLED, 4}}, 0, 0,
		RUNAWAY_CONFIRMED, CONFIDENCE_MEDIUM},
	    {"every window that had to close did", true,
		{{COUNTER_WANT_ZERO_WINDOW_ADV, 7}, {COUNTER_TO_ZERO_WINDOW_ADV, 7},
		    {COUNTER_PRUNE_CALLED, 4}},
		0, 0, RUNAWAY_ABSENT, CONFIDENCE_LOW},
	    {"wishes without a buffer over its limit", true, {{COUNTER_WANT_ZERO_WINDOW_ADV, 50}},
		0, 0, RUNAWAY_ABSENT, CONFIDENCE_LOW},
	    {"pruning without a wish to close", true, {{COUNTER_PRUNE_CALLED, 50}}, 0, 0,
		RUNAWAY_ABSENT, CONFIDENCE_LOW},
	    {"a slow reader alone", true, {{0}}, 0, 1, RUNAWAY_SUSPECTED, CONFIDENCE_LOW},
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct row *row = &rows[i];
		const struct host host = host_with(6, 18, 0);
		struct counters delta;
		struct runaway runaway;

		print_message("%s\n", row->name);
		set_all(&delta, row->rises, ROWS(row->rises));
		delta.value[COUNTER_TCP_IN_SEGS] = 100000; /* where {0} points: says nothing */
		const struct runaway_input input = {.delta = row->two ? &delta : NULL,
		    .host = &host,
		    .has_sockets = true,
		    .beyond_sockets = row->beyond,
		    .behind = row->behind};
		runaway_decide(&input, &runaway);
		assert_int_equal(runaway.verdict, row->verdict);
		if (row->verdict == RUNAWAY_CONFIRMED) {
			assert_int_equal(runaway.confidence, row->confidence);
			assert_int_equal(runaway.remedy, REMEDY_SHRINK_WINDOW);
		} else {
			assert_int_not_equal(runaway.remedy, REMEDY_SHRINK_WINDOW);
			assert_int_not_equal(runaway.remedy, REMEDY_LOWER_CEILING);
		}
	}
}

static const struct rise story_c[] = {{COUNTER_WANT_ZERO_WINDOW_ADV, 5000},
    {COUNTER_RCV_PRUNED, 900}, {COUNTER_RCV_COLLAPSED, 70000}};

/* The knob where it is there, else a lower ceiling if that is allowed, else the readers. */
static void test_remedies(void **state)
{
	static const struct row {
		const char *name;
		unsigned major, minor;
		int shrink; /* -1: not there */
		double bdp_bytes;
		bool allow_lower;
		enum runaway_remedy remedy;
		double ceiling_bytes; /* of the setting, when that is the remedy */
	} rows[] = {
	    {"6.18 at 0", 6, 18, 0, 2.5e6, false, REMEDY_SHRINK_WINDOW, 0},
	    {"6.1.y that has it", 6, 1, 0, 2.5e6, false, REMEDY_SHRINK_WINDOW, 0},
	    {"6.18 at 1", 6, 18, 1, 2.5e6, false, REMEDY_READERS, 0},
	    /* half of the buffer is window: 5,000,000, up to 5 MiB */
	    {"5.15, lowering allowed", 5, 15, -1, 2.5e6, true, REMEDY_LOWER_CEILING, 5242880},
	    {"5.15, lowering not allowed", 5, 15, -1, 2.5e6, false, REMEDY_READERS, 0},
	    {"5.15, a BDP that needs it all", 5, 15, -1, 2e8, true, REMEDY_READERS, 0},
	    {"5.15, no BDP seen", 5, 15, -1, 0, true, REMEDY_READERS, 0},
	    {"never below the default", 5, 15, -1, 1000, true, REMEDY_LOWER_CEILING, 131072},
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct row *row = &rows[i];
		const struct host host = host_with(row->major, row->minor, row->shrink);
		struct counters delta;
		struct runaway runaway;
		static struct plan plan;

		print_message("%s\n", row->name);
		set_all(&delta, story_c, ROWS(story_c));
		const struct runaway_input input = {.delta = &delta,
		    .host = &host,
		    .has_sockets = true,
		    .beyond_sockets = 558,
		    .beyond_held_bytes = 1e11,
		    .largest_bdp_bytes = row->bdp_bytes,
		    .largest_buffer_bytes = 268435456,
		    .allow_lower = row->allow_lower};
		runaway_decide(&input, &runaway);
		assert_int_equal(runaway.verdict, RUNAWAY_CONFIRMED);
		assert_int_equal(runaway.remedy, row->remedy);
		runaway_plan(&input, &runaway, true, &plan);
		plan_text(&plan);
		if (row->remedy == REMEDY_READERS) {
			assert_int_equal(plan.setting_count, 0);
			assert_true(plan.not_advised_count > 0);
			continue;
		}
		assert_int_equal(plan.setting_count, 1);
		const struct setting *setting = &plan.settings[0];
		assert_true(setting->change && setting->why[0] && setting->risk[0]);
		if (row->remedy == REMEDY_SHRINK_WINDOW) {
			assert_int_equal(setting->id, TUNABLE_TCP_SHRINK_WINDOW);
			assert_int_equal(setting->value.number[0], 1);
			assert_false(setting->lowers);
		} else {
			assert_int_equal(setting->id, TUNABLE_TCP_RMEM);
			assert_int_equal(setting->value.number[0], 4096);
			assert_int_equal(setting->value.number[1], 131072);
			assert_near((double)setting->value.number[2], row->ceiling_bytes, 0);
			assert_true(setting->lowers);
			assert_non_null(strstr(setting->why, "LOWER"));
		}
	}
}

static bool refused(const struct plan *plan, const char *key, const char *words)
{
	for (size_t i = 0; i < plan->not_advised_count; i++)
		if (strcmp(plan->not_advised[i].key, key) == 0 &&
		    strstr(plan->not_advised[i].why, words))
			return true;
	return false;
}

/* Without evidence the knob stays at 0, and the reason says so. */
static void test_left_alone(void **state)
{
	const struct host host = host_with(6, 18, 0);
	struct counters quiet;
	struct runaway runaway;
	static struct plan plan;
	struct runaway_input input = {.host = &host, .has_sockets = true};
	(void)state;

	runaway_decide(&input, &runaway);
	runaway_plan(&input, &runaway, true, &plan);
	plan_text(&plan);
	assert_int_equal(plan.setting_count, 0);
	assert_true(refused(&plan, "net.ipv4.tcp_shrink_window", "leave it at 0 until"));
	assert_int_equal(plan.command_count, 1);
	assert_string_equal(plan.commands[0].command, "bdp sockets --interval 10");

	set_all(&quiet, NULL, 0);
	input.delta = &quiet;
	runaway_decide(&input, &runaway);
	runaway_plan(&input, &runaway, true, &plan);
	plan_text(&plan);
	assert_int_equal(plan.setting_count, 0);
	assert_int_equal(plan.command_count, 0);
	assert_true(refused(&plan, "net.ipv4.tcp_shrink_window", "leave it at 0: the counters"));

	/* nothing known of the host: the tunable is to be looked for */
	set_all(&quiet, story_c, ROWS(story_c));
	input.host = NULL;
	runaway_decide(&input, &runaway);
	assert_int_equal(runaway.verdict, RUNAWAY_CONFIRMED);
	runaway_plan(&input, &runaway, false, &plan);
	plan_text(&plan);
	assert_int_equal(plan.setting_count, 0);
	assert_true(refused(&plan, "net.ipv4.tcp_shrink_window", "--sysctl FILE"));
}

static void read_counters(const char *path, struct counters *counters)
{
	struct source *source = source_open(path);

	assert_non_null(source);
	assert_true(counters_read(counters, source));
	source_close(source);
}

static bool says(const struct runaway *runaway, const char *words)
{
	for (size_t i = 0; i < runaway->evidence_count; i++)
		if (strstr(runaway_text(&runaway->evidence[i]).s, words))
			return true;
	return false;
}

/* Recorded with a reader of a few bytes a second: the counters are named with what they grew by. */
static void test_corpus(void **state)
{
	struct counters before, after, delta;
	const struct host host = host_with(6, 18, 0);
	struct runaway runaway;
	struct findings findings = {.count = 0};
	(void)state;

	read_counters("tests/corpus/counters/slow-reader-before.txt", &before);
	read_counters("tests/corpus/counters/slow-reader-after.txt", &after);
	counters_delta(&before, &after, &delta);
	const struct runaway_input input = {.delta = &delta, .host = &host, .seconds = 50};
	runaway_decide(&input, &runaway);
	assert_int_equal(runaway.verdict, RUNAWAY_CONFIRMED);
	assert_int_equal(runaway.confidence, CONFIDENCE_MEDIUM);
	assert_true(says(&runaway, "TCPWantZeroWindowAdv +19 in 50 s, TCPToZeroWindowAdv +7"));
	assert_true(says(&runaway, "PruneCalled +4"));
	runaway_findings(&input, &runaway, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].id, FINDING_RUNAWAY_BUFFERS);
	assert_non_null(strstr(finding_text(&findings.items[0]).s, "TCPWantZeroWindowAdv +19"));
	assert_non_null(strstr(finding_text(&findings.items[0]).s, "PruneCalled +4"));
}

static void test_pressure(void **state)
{
	struct host host = host_with(6, 18, 0);
	static const struct rise rises[] = {
	    {COUNTER_MEMORY_PRESSURES, 3}, {COUNTER_ABORT_ON_MEMORY, 1}};
	struct counters delta;
	struct runaway runaway;
	struct findings findings = {.count = 0};
	struct runaway_input input = {.host = &host};
	(void)state;

	host.page_size = 4096;
	host.values[TUNABLE_TCP_MEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {1000, 2000, 3000}};
	host.sockstat.has = SOCKSTAT_TCP;
	host.sockstat.memory_pages = 2000;
	runaway_decide(&input, &runaway);
	runaway_findings(&input, &runaway, &findings);
	assert_int_equal(findings.count, 0);
	host.sockstat.memory_pages = 2560; /* 10 MiB; pressure is 7.8 */
	runaway_findings(&input, &runaway, &findings);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].id, FINDING_MEMORY_PRESSURE);
	assert_non_null(strstr(finding_text(&findings.items[0]).s, "10 MiB"));

	findings.count = 0;
	host.sockstat.memory_pages = 0;
	set_all(&delta, rises, ROWS(rises));
	input.delta = &delta;
	runaway_findings(&input, &runaway, &findings);
	assert_int_equal(findings.count, 1);
	assert_non_null(strstr(finding_text(&findings.items[0]).s, "TCPMemoryPressures +3"));
}

/* Of a paste that shows some counters, what is missing neither confirms nor clears. */
static void half_of_the_counters(void **state)
{
	struct counters delta = {.any = true};
	struct runaway_input input = {.delta = &delta};
	struct runaway runaway;
	(void)state;

	delta.known[COUNTER_RCV_COLLAPSED] = true;
	delta.value[COUNTER_RCV_COLLAPSED] = 7499;
	runaway_decide(&input, &runaway);
	assert_int_equal(runaway.verdict, RUNAWAY_SUSPECTED);
	assert_int_equal(runaway.remedy, REMEDY_MEASURE);
	delta.value[COUNTER_RCV_COLLAPSED] = 0;
	runaway_decide(&input, &runaway);
	assert_int_equal(runaway.verdict, RUNAWAY_UNKNOWN);
	delta.known[COUNTER_WANT_ZERO_WINDOW_ADV] = true;
	runaway_decide(&input, &runaway);
	assert_int_equal(runaway.verdict, RUNAWAY_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(half_of_the_counters),
	    cmocka_unit_test(test_verdicts),
	    cmocka_unit_test(test_remedies),
	    cmocka_unit_test(test_left_alone),
	    cmocka_unit_test(test_corpus),
	    cmocka_unit_test(test_pressure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
