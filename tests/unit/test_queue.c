/* Queues, as ping under load and tc show them, and ceilings from a sweep's knee. */
#include "near.h"

#include "advice/advice.h"
#include "model/context.h"
#include "report/finding_text.h"
#include "runs.h"

#define MIB 1048576

/* A text run: neither RTT nor window. */
static const struct second flat[] = {
    {98.3, 5, 0, 0, 0}, {98.3, 5, 0, 0, 0}, {98.3, 5, 0, 0, 0}, {98.3, 5, 0, 0, 0}};

struct bench {
	struct run run;
	struct path path;
	struct path_context context;
	struct limit limit;
	struct findings findings;
	struct host receiver;
};

static void bench_compute(struct bench *b, const struct path_given *given)
{
	path_from_run(&b->path, &b->run, given, &b->context);
	const struct diagnosis_input input = {.path = &b->path,
	    .run = &b->run,
	    .context = &b->context,
	    .receiver = b->receiver.origin != HOST_UNKNOWN ? &b->receiver : NULL};
	limit_decide(&input, &b->limit);
	findings_collect(&input, &b->limit, &b->findings);
}

static const char *text_of(const struct bench *b, enum finding_id id)
{
	for (size_t i = 0; i < b->findings.count; i++)
		if (b->findings.items[i].id == id) {
			static struct phrase text;
			text = finding_text(&b->findings.items[i]);
			return text.s;
		}
	return NULL;
}

/* What takes 5 ms to drain is a finding, from 20 ms on it is the verdict. */
static void test_backlog(void **state)
{
	(void)state;
	static const struct path_given nothing;
	static const struct {
		uint64_t bytes;
		bool found, is_queue;
	} rows[] = {
	    {9200000, true, true}, /* 749 ms */
	    {250000, true, true},  /* 20.3 ms */
	    {240000, true, false}, /* 19.5 ms */
	    {62000, true, false},  /* 5.05 ms */
	    {61000, false, false}, /* 4.96 ms */
	    {0, false, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench b = {.limit = {0}};
		struct tc tc = {
		    .backlog_bytes = rows[i].bytes, .backlog_packets = rows[i].bytes / 1514};
		print_message("%llu bytes\n", (unsigned long long)rows[i].bytes);
		run_make(&b.run, flat, 4);
		b.context.tc = &tc;
		bench_compute(&b, &nothing);
		assert_int_equal(text_of(&b, FINDING_STANDING_QUEUE) != NULL, rows[i].found);
		assert_int_equal(b.limit.factor == FACTOR_QUEUE, rows[i].is_queue);
		if (rows[i].is_queue)
			assert_true(b.limit.confidence >= CONFIDENCE_MEDIUM);
		series_free(&b.run.series);
	}
}

static struct ping ping_of(const char *target, double min_ms, double avg_ms)
{
	struct ping ping = {.has_summary = true, .min_us = min_ms * 1000, .avg_us = avg_ms * 1000};

	strlcpy(ping.target, target, sizeof(ping.target));
	return ping;
}

/* Two pings of one target: the quicker is of the idle path, the slower was taken under load. */
static void test_loaded_ping(void **state)
{
	(void)state;
	static const struct path_given nothing;
	struct evidence *evidence = calloc(1, sizeof(*evidence));
	struct bench b = {.limit = {0}};

	run_make(&b.run, flat, 4);
	evidence->pings[0] = ping_of("192.0.2.10", 551, 705.2);
	evidence->pings[1] = ping_of("192.0.2.10", 1.02, 1.11);
	evidence->pings[2] =
	    ping_of("203.0.113.1", 900, 950); /* another host's is no evidence of it */
	evidence->ping_count = 3;
	context_for_run(&b.context, evidence, &b.run, NULL);
	assert_ptr_equal(b.context.ping, &evidence->pings[1]);
	assert_ptr_equal(b.context.loaded_ping, &evidence->pings[0]);
	bench_compute(&b, &nothing);
	assert_true(b.path.loaded.known);
	assert_int_equal(b.path.loaded.method, RTT_PING);
	assert_near(b.path.loaded.rtt_us, 705.2e3, 0);
	assert_near(b.path.rtt.us, 1020, 0);
	assert_int_equal(b.limit.factor, FACTOR_QUEUE);
	assert_int_equal(b.limit.confidence, CONFIDENCE_HIGH);
	/* 704 ms at 98.3 Mbit/s are 8.65 MB, 8.25 MiB: nearly all of what is in flight */
	assert_non_null(strstr(text_of(&b, FINDING_QUEUEING_DELAY), "8.25 MiB"));
	assert_non_null(strstr(text_of(&b, FINDING_QUEUEING_DELAY), "100 % of what is in flight"));

	/* with the ceiling known, its share: 8.25 of 16 MiB */
	b.receiver.origin = HOST_DUMP;
	b.receiver.values[TUNABLE_TCP_RMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 131072, 16 * MIB}};
	bench_compute(&b, &nothing);
	assert_non_null(strstr(
	    text_of(&b, FINDING_QUEUEING_DELAY), "52 % of the receiver's ceiling of 16 MiB"));

	/* one ping alone is of the idle path */
	evidence->pings[0] = evidence->pings[1];
	evidence->ping_count = 1;
	context_for_run(&b.context, evidence, &b.run, NULL);
	assert_null(b.context.loaded_ping);
	series_free(&b.run.series);
	free(evidence);
}

/* tcp_info's own RTT is not outranked by a ping. */
static void test_tcp_info_first(void **state)
{
	(void)state;
	static const struct path_given nothing;
	static const struct second measured[] = {
	    {98, 5, 6, 300, 0}, {98, 5, 6, 301, 0}, {98, 5, 6, 300, 0}, {98, 5, 6, 300, 0}};
	struct ping ping = ping_of("192.0.2.10", 100, 200);
	struct bench b = {.limit = {0}};

	run_make(&b.run, measured, 4);
	b.context.loaded_ping = &ping;
	bench_compute(&b, &nothing);
	assert_int_equal(b.path.loaded.method, RTT_TCP_INFO);
	assert_near(b.path.loaded.rtt_us, 300e3, 0.01);
	series_free(&b.run.series);
}

/* The path's RTT is the smallest of all that was measured on it, unless the two measured different ways. */
static void test_smallest(void **state)
{
	(void)state;
	static const struct path_given nothing;
	static const struct {
		double tcp_ms, later_ms, ping_ms, mean_ms, rtt_us, low_us;
		enum rtt_method method;
	} rows[] = {
	    /* a queue: TCP's own grows from 60 ms, ping saw 40; 3 x 1 ms / (3 - 1) below that at most */
	    {60, 90, 40, 41, 40e3, 38.5e3, RTT_PING},
	    {60, 90, 40, 70, 40e3, 20e3, RTT_PING}, /* no further down than half */
	    {30, 30, 40, 41, 30e3, 0, RTT_TCP_INFO},
	    /* at rest at 200 ms no queue explains 40 ms, and nothing explains more than TCP saw */
	    {200, 200, 40, 41, 200e3, 0, RTT_TCP_INFO},
	    {10, 10, 40, 41, 10e3, 0, RTT_TCP_INFO},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct second measured[] = {{98, 5, 6, rows[i].tcp_ms, 0},
		    {98, 5, 6, rows[i].later_ms, 0}, {98, 5, 6, rows[i].later_ms, 0},
		    {98, 5, 6, rows[i].later_ms, 0}};
		struct ping ping = ping_of("192.0.2.10", rows[i].ping_ms, rows[i].mean_ms);
		struct bench b = {.limit = {0}};

		ping.has_counts = true;
		ping.sent = ping.received = 3;
		run_make(&b.run, measured, 4);
		b.context.ping = &ping;
		bench_compute(&b, &nothing);
		assert_int_equal(b.path.rtt.method, rows[i].method);
		assert_near(b.path.rtt.us, rows[i].rtt_us, 1e-6);
		if (rows[i].low_us > 0)
			assert_near(b.path.rtt.low_us, rows[i].low_us, 1e-6);
		series_free(&b.run.series);
	}
}

/* A knee is set as it was measured, at the end that was swept; smaller than what is there, not at all. */
static void test_knee(void **state)
{
	(void)state;
	static const struct {
		double receive, send;
		enum role role;
		int64_t current; /* 0: unknown */
		bool allow_lower;
		double beyond;	    /* the largest that was tried above it */
		enum tunable_id id; /* of the first setting; TUNABLE_COUNT: none */
		int64_t ceiling;
		size_t buffers;
	} rows[] = {
	    {17 * MIB, 0, ROLE_UNKNOWN, 0, false, 32 * MIB, TUNABLE_TCP_RMEM, 17 * MIB, 1},
	    {0, 17 * MIB, ROLE_UNKNOWN, 0, false, 0, TUNABLE_TCP_WMEM, 17 * MIB, 1},
	    {17 * MIB, 0, ROLE_PROXY, 0, false, 64 * MIB, TUNABLE_TCP_RMEM, 17 * MIB, 2},
	    /* some kernels' own default is 32 MiB, which was not tried: it may be larger */
	    {15 * MIB, 0, ROLE_UNKNOWN, 0, false, 16 * MIB, TUNABLE_COUNT, 0, 0},
	    {15 * MIB, 0, ROLE_UNKNOWN, 0, true, 16 * MIB, TUNABLE_COUNT, 0, 0},
	    {17 * MIB, 0, ROLE_UNKNOWN, 16 * MIB, false, 0, TUNABLE_TCP_RMEM, 17 * MIB, 1},
	    {17 * MIB, 0, ROLE_UNKNOWN, 32 * MIB, false, 0, TUNABLE_COUNT, 0, 0},
	    {17 * MIB, 0, ROLE_UNKNOWN, 32 * MIB, true, 0, TUNABLE_TCP_RMEM, 17 * MIB, 1},
	    {0, 0, ROLE_UNKNOWN, 0, false, 0, TUNABLE_COUNT, 0, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const struct path_given nothing;
		struct bench b = {.limit = {0}};
		static struct plan plan;
		size_t buffers = 0;
		print_message("row %zu\n", i);
		run_make(&b.run, flat, 4);
		bench_compute(&b, &nothing);
		b.receiver.values[TUNABLE_TCP_RMEM] = (struct tunable_value){
		    .known = true, .count = 3, .number = {4096, 131072, rows[i].current}};
		const struct analysis analysis = {.run = &b.run, .path = b.path, .limit = b.limit};
		const struct advice_input input = {.analysis = &analysis,
		    .receiver = rows[i].current > 0 ? &b.receiver : NULL,
		    .role = rows[i].role,
		    .allow_lower = rows[i].allow_lower,
		    .sweep_ceiling_bytes = rows[i].receive,
		    .sweep_send_bytes = rows[i].send,
		    .sweep_beyond_bytes = rows[i].beyond};
		plan_make(&input, &plan);
		for (size_t k = 0; k < plan.setting_count; k++)
			buffers += plan.settings[k].id == TUNABLE_TCP_RMEM ||
				   plan.settings[k].id == TUNABLE_TCP_WMEM;
		assert_int_equal(buffers, rows[i].buffers);
		if (rows[i].id != TUNABLE_COUNT) {
			assert_int_equal(plan.settings[0].id, rows[i].id);
			assert_int_equal(plan.settings[0].value.number[2], rows[i].ceiling);
			assert_int_equal(plan.settings[0].sized_by, SIZING_SWEEP);
		}
		series_free(&b.run.series);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_backlog),
	    cmocka_unit_test(test_loaded_ping),
	    cmocka_unit_test(test_tcp_info_first),
	    cmocka_unit_test(test_smallest),
	    cmocka_unit_test(test_knee),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
