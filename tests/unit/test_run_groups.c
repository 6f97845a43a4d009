/* Which runs sweep and compare set side by side, and under which ceiling. */
#include "near.h"

#include <stdlib.h>

#include "diagnosis/run_groups.h"
#include "report/run_groups_report.h"
#include "runs.h"

#define SOURCES_MAX 6

struct bench {
	struct run_groups set;
	struct run_source sources[SOURCES_MAX], *pointers[SOURCES_MAX];
	char names[SOURCES_MAX][16];
};

static void bench_make(struct bench *b, enum run_groups_of what)
{
	memset(b, 0, sizeof(*b));
	b->set.what = what;
	b->set.swept_key = TUNABLE_COUNT;
	b->set.sources = b->pointers;
}

static struct run_source *source_add(struct bench *b, const char *label)
{
	size_t at = b->set.source_count++;
	struct run_source *source = &b->sources[at];

	snprintf(b->names[at], sizeof(b->names[at]), "%zu.json", at);
	source->label = label ? strdup(label) : strdup("");
	source->name = b->names[at];
	b->pointers[at] = source;
	return source;
}

/* Five even seconds of so many Mbit/s over 50 ms. */
static struct run *run_add(struct run_source *source, double mbps)
{
	struct second seconds[5];
	struct runs *runs = &source->evidence.runs;

	for (int i = 0; i < 5; i++)
		seconds[i] = (struct second){mbps + i, 4, 0, 50, 0};
	runs->items = reallocarray(runs->items, runs->count + 1, sizeof(*runs->items));
	assert_non_null(runs->items);
	struct run *run = &runs->items[runs->count++];
	run_make(run, seconds, 5);
	run->input = source->name;
	return run;
}

static void dump_add(struct run_source *source, int64_t rmem, int64_t wmem)
{
	struct host *host = &source->evidence.hosts[END_NONE];

	host->origin = HOST_DUMP;
	host->values[TUNABLE_TCP_RMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 131072, rmem}};
	host->values[TUNABLE_TCP_WMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 16384, wmem}};
}

static void bench_end(struct bench *b)
{
	for (size_t i = 0; i < b->set.source_count; i++) {
		for (size_t k = 0; k < b->sources[i].evidence.runs.count; k++)
			series_free(&b->sources[i].evidence.runs.items[k].series);
		free(b->sources[i].evidence.runs.items);
		free(b->sources[i].label);
	}
	free(b->set.runs);
}

/* iperf3 -w N stands for a ceiling of twice N: net/core/sock.c doubles what is asked for. */
static void test_socket_buffers(void **state)
{
	static struct bench b;
	(void)state;

	bench_make(&b, RUN_GROUPS_OF_SWEEP);
	for (int i = 0; i < 2; i++) {
		struct run_source *source = source_add(&b, NULL);
		struct run *run = run_add(source, i == 0 ? 90 : 50);
		run->has |= RUN_SOCKET_BUFFER;
		run->socket_buffer_bytes = i == 0 ? 524288 : 262144;
	}
	assert_int_equal(run_groups_gather(&b.set), GROUPS_GOOD);
	assert_int_equal(b.set.count, 2);
	/* in the order of the ceilings, not as given */
	assert_near(b.set.groups[0].ceiling_bytes, 524288, 0);
	assert_near(b.set.groups[1].ceiling_bytes, 1048576, 0);
	assert_int_equal(b.sources[0].from, CEILING_SOCKET);
	assert_true(
	    b.set.groups[0].range[FIGURE_RATE].median < b.set.groups[1].range[FIGURE_RATE].median);
	assert_ptr_equal(b.set.typical[0]->source, &b.sources[1]);
	bench_end(&b);
}

/* Dumps tell which of the two ceilings was swept, to which values, and of which host. */
static void test_dumps(void **state)
{
	static const struct {
		int64_t rmem[2], wmem[2];
		enum tunable_id swept;
		double ceilings[2];
	} rows[] = {
	    {{6291456, 20971520}, {4194304, 4194304}, TUNABLE_TCP_RMEM, {6291456, 20971520}},
	    {{6291456, 6291456}, {8388608, 4194304}, TUNABLE_TCP_WMEM, {4194304, 8388608}},
	};
	static struct bench b;
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bench_make(&b, RUN_GROUPS_OF_SWEEP);
		/* the first beside its run, the second behind it */
		struct run_source *source = source_add(&b, NULL);
		run_add(source, 50);
		dump_add(source, rows[i].rmem[0], rows[i].wmem[0]);
		run_add(source_add(&b, NULL), 90);
		dump_add(source_add(&b, NULL), rows[i].rmem[1], rows[i].wmem[1]);
		assert_int_equal(run_groups_gather(&b.set), GROUPS_GOOD);
		assert_int_equal(b.set.swept_key, rows[i].swept);
		assert_int_equal(b.set.count, 2);
		assert_near(b.set.groups[0].ceiling_bytes, rows[i].ceilings[0], 0);
		assert_near(b.set.groups[1].ceiling_bytes, rows[i].ceilings[1], 0);
		assert_int_equal(b.sources[1].from, CEILING_DUMP);
		/* the smallest ceiling is of the host as it was */
		assert_near(
		    (double)b.set.host->values[rows[i].swept].number[2], rows[i].ceilings[0], 0);
		bench_end(&b);
	}

	/* neither a label, nor a dump, nor -w */
	bench_make(&b, RUN_GROUPS_OF_SWEEP);
	run_add(source_add(&b, NULL), 50);
	assert_int_equal(run_groups_gather(&b.set), GROUPS_CEILING_UNKNOWN);
	assert_ptr_equal(b.set.unknown_ceiling, &b.sources[0]);
	assert_non_null(
	    strstr(groups_problem_text(&b.set, GROUPS_CEILING_UNKNOWN).s, "17M=0.json"));
	bench_end(&b);
}

/* Why a run does not count, and against which other. */
static void test_left_out(void **state)
{
	static struct bench b;
	static const enum left_out_why expected[] = {LEFT_OUT_PROTOCOL, LEFT_OUT_EMPTY,
	    LEFT_OUT_DIRECTION, LEFT_OUT_PATH, LEFT_OUT_REPEATED};
	(void)state;

	bench_make(&b, RUN_GROUPS_OF_COMPARE);
	struct run_source *a = source_add(&b, "a"), *other = source_add(&b, "b");
	run_add(a, 50);
	run_add(other, 90);
	run_add(source_add(&b, "a"), 51)->protocol = PROTOCOL_UDP;
	struct run *empty = run_add(source_add(&b, "b"), 1);
	series_free(&empty->series);
	empty->series = (struct series){0};
	empty->sent_bytes = empty->received_bytes = 0;
	struct run *back = run_add(source_add(&b, "b"), 80);
	back->local_sends = false;
	strlcpy(back->sender, "192.0.2.10", sizeof(back->sender));
	strlcpy(back->receiver, "198.51.100.2", sizeof(back->receiver));
	struct run_source *last = source_add(&b, "a");
	struct run *far = run_add(last, 52);
	for (size_t i = 0; i < far->series.count; i++)
		far->series.bins[i].rtt_us = far->series.bins[i].rtt_min_us = 500000;
	run_add(last, 50);
	assert_int_equal(run_groups_gather(&b.set), GROUPS_GOOD);
	assert_int_equal(b.set.left_out_count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < b.set.left_out_count; i++)
		assert_int_equal(b.set.left_out[i].why, expected[i]);
	assert_string_equal(b.set.left_out[2].run->input, "4.json");
	assert_near(b.set.left_out[3].rtt_us, 500000, 0.3);
	assert_near(b.set.left_out[3].other_rtt_us, 50000, 0.3);
	assert_ptr_equal(b.set.left_out[4].other, &a->evidence.runs.items[0]);
	assert_string_equal(
	    left_out_text(&b.set.left_out[4]).s, "5.json: the same test as 0.json: counted once");
	assert_int_equal(b.set.count, 2);
	assert_int_equal(b.set.groups[0].runs, 1);
	bench_end(&b);

	/* runs made in turn to one host go one path, whatever the RTT */
	bench_make(&b, RUN_GROUPS_OF_COMPARE);
	b.set.made = true;
	run_add(source_add(&b, "a"), 50);
	far = run_add(source_add(&b, "b"), 52);
	for (size_t i = 0; i < far->series.count; i++)
		far->series.bins[i].rtt_us = far->series.bins[i].rtt_min_us = 500000;
	assert_int_equal(run_groups_gather(&b.set), GROUPS_GOOD);
	assert_int_equal(b.set.left_out_count, 0);
	/* nobody measured the path without load: the smallest RTT seen stands for it */
	assert_true(b.set.idle_is_seen);
	assert_near(b.set.idle_rtt_us, b.set.runs[0].analysis.path.rtt.us, 0);
	bench_end(&b);
}

static void test_problems(void **state)
{
	static struct bench b;
	(void)state;

	bench_make(&b, RUN_GROUPS_OF_COMPARE);
	run_add(source_add(&b, "a"), 50);
	run_add(source_add(&b, "b"), 50);
	assert_int_equal(run_groups_gather(&b.set), GROUPS_CONTRADICT);
	assert_int_equal(b.set.left_out[0].why, LEFT_OUT_RELABELLED);
	bench_end(&b);

	bench_make(&b, RUN_GROUPS_OF_COMPARE);
	run_add(source_add(&b, "a"), 50);
	run_add(source_add(&b, "a"), 51);
	assert_int_equal(run_groups_gather(&b.set), GROUPS_ONE_ONLY);
	bench_end(&b);

	bench_make(&b, RUN_GROUPS_OF_COMPARE);
	run_add(source_add(&b, "a"), 50)->protocol = PROTOCOL_SCTP;
	assert_int_equal(run_groups_gather(&b.set), GROUPS_NO_RUN);
	bench_end(&b);
}

/* A ping beside no run is of the idle path; one that was given by hand counts before it. */
static void test_idle_ping(void **state)
{
	static struct bench b;
	(void)state;

	for (int given = 0; given < 2; given++) {
		bench_make(&b, RUN_GROUPS_OF_COMPARE);
		b.set.idle_rtt_us = given ? 30000 : 0;
		run_add(source_add(&b, "a"), 50);
		run_add(source_add(&b, "b"), 90);
		struct run_source *source = source_add(&b, NULL);
		source->evidence.ping_count = 1;
		source->evidence.pings[0] = (struct ping){.min_us = 40000, .avg_us = 41000};
		assert_int_equal(run_groups_gather(&b.set), GROUPS_GOOD);
		assert_near(b.set.idle_rtt_us, given ? 30000 : 40000, 0);
		assert_false(b.set.idle_is_seen);
		/* RFC 6349, section 4.1.2: (loaded - idle) / idle; 50 ms under load */
		assert_near(b.set.groups[0].range[FIGURE_BUFFER_DELAY].median,
		    given ? 20.0 / 30 : 10.0 / 40, 1e-9);
		bench_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_socket_buffers),
	    cmocka_unit_test(test_dumps),
	    cmocka_unit_test(test_left_out),
	    cmocka_unit_test(test_problems),
	    cmocka_unit_test(test_idle_ping),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
