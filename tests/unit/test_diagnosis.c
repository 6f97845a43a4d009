/* The limiting factor and the findings, each on a flow made to show it and on its near misses. */
#include "near.h"

#include "diagnosis/diagnosis.h"
#include "report/finding_text.h"
#include "report/limit_text.h"
#include "runs.h"

struct situation {
	const char *name;
	struct second seconds[10];
	const char *cc;
	double asked_bps;	/* -b; 0: unlimited; < 0: not known, as in text */
	uint64_t socket_buffer; /* -w */
	double sender_cpu;
	double idle_rtt_ms;
	enum factor factor;
	int most;	       /* highest confidence allowed */
	enum factor candidate; /* for unknown: must be among them */
};

static const struct situation situations[] = {
    {.name = "held by a window of 2.6 MiB at 52 ms, JSON of 3.10 or later",
	.seconds = {{357, 5.34, 2.65, 52.1, 0}, {420, 5.34, 2.65, 52.1, 0},
	    {419, 5.34, 2.65, 52.2, 0}, {421, 5.34, 2.64, 52.1, 0}},
	.cc = "cubic",
	.factor = FACTOR_RECEIVE_WINDOW,
	.most = CONFIDENCE_HIGH},
    {.name = "the same before 3.10: no window shown",
	.seconds = {{357, 5.34, 0, 52.1, 0}, {420, 5.34, 0, 52.1, 0}, {419, 5.34, 0, 52.2, 0}},
	.cc = "cubic",
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_RECEIVE_WINDOW},
    {.name = "before 3.10, 2.88 MiB in flight: half of the default ceiling of 6 MiB",
	.seconds = {{86, 6.14, 0, 277, 0}, {88, 6.14, 0, 277, 0}, {87, 6.14, 0, 278, 0},
	    {87, 6.14, 0, 277, 0}},
	.cc = "cubic",
	.factor = FACTOR_RECEIVE_WINDOW,
	.most = CONFIDENCE_HIGH},
    {.name = "the same at a rate that gives 2.6 MiB: no ceiling's mark",
	.seconds = {{79, 6.14, 0, 277, 0}, {79, 6.14, 0, 277, 0}, {79, 6.14, 0, 278, 0},
	    {79, 6.14, 0, 277, 0}},
	.cc = "cubic",
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_RECEIVE_WINDOW},
    {.name = "the same in flight with BBR, whose cwnd is twice the BDP of a full link, too",
	.seconds = {{86, 6.14, 0, 277, 0}, {88, 6.14, 0, 277, 0}, {87, 6.14, 0, 278, 0},
	    {87, 6.14, 0, 277, 0}},
	.cc = "bbr",
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_RECEIVE_WINDOW},
    {.name = "2.88 MiB in flight by a buffer that was asked for is no default",
	.seconds = {{86, 6.14, 0, 277, 0}, {88, 6.14, 0, 277, 0}, {87, 6.14, 0, 278, 0},
	    {87, 6.14, 0, 277, 0}},
	.cc = "cubic",
	.socket_buffer = 2000000,
	.factor = FACTOR_SOCKET_OPTION,
	.most = CONFIDENCE_HIGH},
    {.name = "text with a ping of the idle path: 101 Mbit/s x 245 ms is that mark, too",
	.seconds = {{101, 6, 0, 0, 0}, {101, 6, 0, 0, 0}, {100, 6, 0, 0, 0}, {101, 6, 0, 0, 0}},
	.asked_bps = -1,
	.idle_rtt_ms = 245,
	.factor = FACTOR_RECEIVE_WINDOW,
	.most = CONFIDENCE_MEDIUM},
    {.name = "the same as text: neither RTT nor window",
	.seconds = {{357, 5.34, 0, 0, 0}, {420, 5.34, 0, 0, 0}, {419, 5.34, 0, 0, 0}},
	.asked_bps = -1,
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_RECEIVE_WINDOW},
    {.name = "text and the idle RTT: losses, and cwnd / rate is 1.7 x 52 ms",
	.seconds = {{460, 4.6, 0, 0, 200}, {487, 5.9, 0, 0, 40}, {480, 5.2, 0, 0, 0},
	    {487, 5.8, 0, 0, 45}, {485, 4.5, 0, 0, 0}, {487, 4.9, 0, 0, 20}},
	.asked_bps = -1,
	.idle_rtt_ms = 52,
	.factor = FACTOR_QUEUE,
	.most = CONFIDENCE_HIGH},
    {.name = "text and the idle RTT: losses at an even rate, and cwnd / rate is no more than that",
	.seconds = {{345, 2.4, 0, 0, 0}, {350, 2.5, 0, 0, 900}, {345, 1.9, 0, 0, 0},
	    {340, 2, 0, 0, 0}, {345, 2.3, 0, 0, 0}, {350, 2.5, 0, 0, 800}, {345, 1.9, 0, 0, 0},
	    {345, 2, 0, 0, 0}},
	.asked_bps = -1,
	.idle_rtt_ms = 52,
	.factor = FACTOR_POLICER,
	.most = CONFIDENCE_MEDIUM},
    {.name = "the same with a handful of losses and a rate that swings",
	.seconds = {{36, 0.51, 0, 0, 1}, {44, 0.58, 0, 0, 0}, {41, 0.44, 0, 0, 1},
	    {34, 0.3, 0, 0, 3}, {19, 0.24, 0, 0, 1}, {19, 0.2, 0, 0, 0}},
	.asked_bps = -1,
	.idle_rtt_ms = 100,
	.factor = FACTOR_RANDOM_LOSS,
	.most = CONFIDENCE_MEDIUM},
    {.name = "a cwnd that thousands of losses do not move is not what is in flight",
	.seconds = {{217, 6.2, 0, 0, 0}, {713, 12.8, 0, 0, 31778}, {482, 11.8, 0, 0, 5359},
	    {482, 11.8, 0, 0, 0}, {472, 12.1, 0, 0, 0}, {482, 11.8, 0, 0, 0}},
	.asked_bps = -1,
	.idle_rtt_ms = 100,
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_SEND_BUFFER},
    {.name = "the window is full, but only because a queue stands",
	.seconds = {{95, 5, 2.6, 229, 0}, {95, 5, 2.6, 229, 0}, {95, 5, 2.6, 230, 0},
	    {95, 5, 2.6, 229, 0}},
	.cc = "cubic",
	.idle_rtt_ms = 1.2,
	.factor = FACTOR_QUEUE,
	.most = CONFIDENCE_HIGH},
    {.name = "held by the send buffer: below cwnd and window, RTT flat",
	.seconds = {{357, 7.5, 12.7, 52.1, 0}, {555, 7.5, 12.7, 52.1, 0}, {566, 7.5, 12.7, 52.1, 0},
	    {556, 7.5, 12.7, 52.1, 0}},
	.cc = "cubic",
	.factor = FACTOR_SEND_BUFFER,
	.most = CONFIDENCE_LOW},
    {.name = "an early loss does not hide the send buffer",
	.seconds = {{170, 12.5, 21, 102, 0}, {461, 10.5, 21, 101, 860}, {503, 7.5, 21, 101, 0},
	    {503, 7.5, 21, 101, 0}, {503, 7.5, 21, 101, 0}, {502, 7.5, 21, 101, 0}},
	.cc = "cubic",
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_SEND_BUFFER},
    {.name = "a rate was asked for and reached",
	.seconds = {{50, 2.4, 2.6, 54, 0}, {50, 2.4, 2.6, 54, 0}, {50, 2.4, 2.6, 55, 0}},
	.cc = "cubic",
	.asked_bps = 50e6,
	.factor = FACTOR_APPLICATION,
	.most = CONFIDENCE_HIGH},
    {.name = "a rate was asked for and not reached",
	.seconds = {{357, 5.34, 2.65, 52.1, 0}, {420, 5.34, 2.65, 52.1, 0},
	    {419, 5.34, 2.65, 52.2, 0}},
	.cc = "cubic",
	.asked_bps = 1e9,
	.factor = FACTOR_RECEIVE_WINDOW,
	.most = CONFIDENCE_HIGH},
    {.name = "-w 256K",
	.seconds = {{44, 0.67, 0.33, 52.2, 0}, {53, 0.67, 0.33, 52.2, 0},
	    {53, 0.67, 0.33, 52.2, 0}},
	.cc = "cubic",
	.socket_buffer = 262144,
	.factor = FACTOR_SOCKET_OPTION,
	.most = CONFIDENCE_HIGH},
    {.name = "a core is busy",
	.seconds = {{26000, 3, 6, 0.1, 0}, {26000, 3, 6, 0.1, 0}, {26000, 3, 6, 0.1, 0}},
	.cc = "cubic",
	.sender_cpu = 99,
	.factor = FACTOR_CPU,
	.most = CONFIDENCE_HIGH},
    {.name = "a window of 64 KiB",
	.seconds = {{10.4, 0.4, 0.0624, 50, 0}, {10.4, 0.4, 0.0624, 50, 0},
	    {10.4, 0.4, 0.0624, 50, 0}},
	.cc = "cubic",
	.factor = FACTOR_WINDOW_SCALING_OFF,
	.most = CONFIDENCE_MEDIUM},
    {.name = "2 % random loss at 80 ms, CUBIC",
	.seconds = {{3.7, 0.025, 1.9, 80, 7}, {1.9, 0.017, 3.1, 80, 3}, {1.2, 0.015, 3.8, 80.2, 2},
	    {2.4, 0.02, 4.5, 80.1, 4}, {1.5, 0.014, 4.6, 80, 3}},
	.cc = "cubic",
	.factor = FACTOR_RANDOM_LOSS,
	.most = CONFIDENCE_HIGH},
    {.name = "overflow of a shallow bucket, cwnd grows back, RTT flat",
	.seconds = {{307, 2.2, 25, 52.2, 1916}, {367, 2.36, 25, 52.1, 0}, {421, 2.53, 25, 52.1, 0},
	    {413, 2.61, 25, 52.2, 0}, {420, 2.66, 25, 52.1, 0}},
	.cc = "cubic",
	.factor = FACTOR_LOSS_RECOVERY,
	.most = CONFIDENCE_MEDIUM},
    {.name = "a queue that grows: RTT with cwnd, the rate flat",
	.seconds = {{102, 2.03, 6, 165, 0}, {105, 2.6, 6, 213, 0}, {103, 3.2, 6, 261, 0},
	    {104, 3.8, 7.7, 308, 0}, {103, 4.3, 9, 355, 0}, {104, 4.9, 10, 403, 0}},
	.cc = "cubic",
	.factor = FACTOR_QUEUE,
	.most = CONFIDENCE_HIGH},
    {.name = "the same as text: cwnd grows without loss at one rate",
	.seconds = {{102, 2.03, 0, 0, 0}, {105, 2.6, 0, 0, 0}, {103, 3.2, 0, 0, 0},
	    {104, 3.8, 0, 0, 0}, {103, 4.3, 0, 0, 0}, {104, 4.9, 0, 0, 0}},
	.asked_bps = -1,
	.factor = FACTOR_QUEUE,
	.most = CONFIDENCE_HIGH},
    {.name = "drop-tail on a long path: RTT follows cwnd, few losses",
	.seconds = {{48, 0.084, 1.3, 24.2, 8}, {48, 0.088, 1.3, 24.8, 1}, {48, 0.091, 1.3, 25.6, 1},
	    {48, 0.097, 1.3, 27.4, 1}},
	.cc = "cubic",
	.factor = FACTOR_LINK,
	.most = CONFIDENCE_HIGH},
    {.name = "BBR at a link: half of cwnd in flight, some loss at the start",
	.seconds = {{445, 6, 39, 104, 4275}, {490, 6.5, 42, 53.6, 0}, {482, 6.5, 42, 58.2, 0},
	    {492, 6.5, 42, 56.6, 0}, {483, 6.7, 42, 60, 0}},
	.cc = "bbr",
	.factor = FACTOR_UNKNOWN,
	.candidate = FACTOR_LINK},
    {.name = "Gigabit Ethernet",
	.seconds = {{941, 0.4, 3, 0.4, 0}, {941, 0.4, 3, 0.4, 0}, {941, 0.4, 3, 0.4, 0},
	    {942, 0.4, 3, 0.4, 0}},
	.cc = "cubic",
	.factor = FACTOR_LINK,
	.most = CONFIDENCE_MEDIUM},
};

static bool has_candidate(const struct limit *limit, enum factor factor)
{
	for (size_t i = 0; i < limit->candidate_count; i++)
		if (limit->candidates[i] == factor)
			return true;
	return false;
}

static void decide(
    const struct situation *s, struct run *run, struct path *path, struct limit *limit)
{
	size_t count = 0;
	while (count < 10 && s->seconds[count].mbps > 0)
		count++;
	run_make(run, s->seconds, count);
	if (s->cc)
		strlcpy(run->sender_cc, s->cc, sizeof(run->sender_cc));
	if (s->asked_bps >= 0) {
		run->has |= RUN_TARGET_RATE | RUN_SOCKET_BUFFER;
		run->target_rate_bps = s->asked_bps;
		run->socket_buffer_bytes = s->socket_buffer;
	}
	if (s->sender_cpu > 0) {
		run->has |= RUN_SENDER_CPU;
		run->sender_cpu_percent = s->sender_cpu;
	}
	struct path_given given = {.idle_rtt_us = s->idle_rtt_ms * 1000};
	struct path_context context = {0};
	path_from_run(path, run, &given, &context);
	limit_decide(
	    &(struct diagnosis_input){.path = path, .run = run, .context = &context}, limit);
}

static void test_factors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++) {
		const struct situation *s = &situations[i];
		struct run run;
		struct path path;
		struct limit limit;

		decide(s, &run, &path, &limit);
		print_message("%s: %s\n", s->name, factor_table[limit.factor].name);
		/* what remains open may be named, but with low confidence only */
		if (s->factor == FACTOR_UNKNOWN && limit.factor != FACTOR_UNKNOWN)
			assert_int_equal(limit.confidence, CONFIDENCE_LOW);
		else
			assert_int_equal(limit.factor, s->factor);
		assert_true((int)limit.confidence <= s->most || s->factor == FACTOR_UNKNOWN);
		assert_true(limit.evidence_count > 0);
		if (s->factor == FACTOR_UNKNOWN)
			assert_true(has_candidate(&limit, s->candidate));
		else
			assert_true(limit.candidate_count == 1 && limit.candidates[0] == s->factor);
		/* What is not certain names the measurement that would settle it. */
		assert_true(
		    (limit.confidence == CONFIDENCE_HIGH) == (limit.decide == MEASURE_NOTHING));
		series_free(&run.series);
	}
}

/* ss's own account outranks what the ratios suggest. */
static void test_socket_times(void **state)
{
	(void)state;
	static const struct second seconds[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	static const struct {
		double rwnd, sndbuf;
		enum factor factor;
	} rows[] = {{0.83, 0, FACTOR_RECEIVE_WINDOW}, {0, 0.76, FACTOR_SEND_BUFFER},
	    {0.1, 0, FACTOR_UNKNOWN}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct socket_info socket = {.has = SOCKET_BUSY,
		    .busy_us = 4e6,
		    .rwnd_limited_us = 4e6 * rows[i].rwnd,
		    .sndbuf_limited_us = 4e6 * rows[i].sndbuf};
		struct path_context context = {.socket = &socket};
		struct path_given given = {0};
		struct run run;
		struct path path;
		struct limit limit;

		run_make(&run, seconds, 3);
		path_from_run(&path, &run, &given, &context);
		limit_decide(
		    &(struct diagnosis_input){.path = &path, .run = &run, .context = &context},
		    &limit);
		assert_int_equal(limit.factor, rows[i].factor);
		if (rows[i].factor != FACTOR_UNKNOWN)
			assert_true(limit.confidence >= CONFIDENCE_MEDIUM);
		/* the sender's account is there: what is missing is the receiver's */
		assert_int_equal(limit.decide, MEASURE_RECEIVER_SOCKET);
		series_free(&run.series);
	}
}

/* What parts other causes is measured whether or not there is an account. */
static void test_account_of_loss(void **state)
{
	static const struct second seconds[] = {{90, 0.5, 0, 52, 4}, {70, 0.4, 0, 52, 9},
	    {95, 0.5, 0, 52, 2}, {60, 0.3, 0, 52, 7}, {85, 0.5, 0, 52, 0}, {75, 0.4, 0, 52, 8}};
	(void)state;

	for (int with_account = 0; with_account < 2; with_account++) {
		struct socket_info socket = {.has = SOCKET_BUSY, .busy_us = 6e6};
		struct path_context context = {.socket = with_account ? &socket : NULL};
		struct path_given given = {0};
		struct run run;
		struct path path;
		struct limit limit;

		run_make(&run, seconds, 6);
		strlcpy(run.sender_cc, "cubic", sizeof(run.sender_cc));
		path_from_run(&path, &run, &given, &context);
		limit_decide(
		    &(struct diagnosis_input){.path = &path, .run = &run, .context = &context},
		    &limit);
		assert_int_equal(limit.decide, MEASURE_LOSS);
		series_free(&run.series);
	}
}

/* Without an RTT the receiver's ceiling narrows what cwnd leaves open. */
static void test_receive_ceiling(void **state)
{
	(void)state;
	/* 4 MiB on Linux 6.1, 200 ms: half is window, cwnd rests at twice that (4.07 MiB), 84 Mbit/s. */
	static const struct second seconds[] = {{5, 0.2, 0, 0, 0}, {92, 4.07, 0, 0, 0},
	    {84, 4.07, 0, 0, 0}, {84, 4.07, 0, 0, 0}, {84, 4.07, 0, 0, 0}};
	static struct host receiver = {.kernel = {.known = true, .major = 6, .minor = 1}};
	struct path_context context = {.receiver = &receiver};
	struct path_given given = {0};
	struct run run;
	struct path path;
	struct limit limit;

	receiver.values[TUNABLE_TCP_RMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 131072, 4194304}};
	run_make(&run, seconds, 5);
	path_from_run(&path, &run, &given, &context);
	limit_decide(
	    &(struct diagnosis_input){
		.path = &path, .run = &run, .context = &context, .receiver = &receiver},
	    &limit);
	assert_int_equal(path.rtt.method, RTT_RMEM_SHARE);
	assert_near(path.rtt.us, 200000, 0.10);
	assert_int_equal(limit.factor, FACTOR_RECEIVE_WINDOW);
	/* A ceiling far above cwnd cannot be what holds it. */
	receiver.values[TUNABLE_TCP_RMEM].number[2] = 67108864;
	path_from_run(&path, &run, &given, &context);
	limit_decide(
	    &(struct diagnosis_input){
		.path = &path, .run = &run, .context = &context, .receiver = &receiver},
	    &limit);
	assert_int_equal(path.rtt.method, RTT_CWND);
	assert_int_not_equal(limit.factor, FACTOR_RECEIVE_WINDOW);
	series_free(&run.series);
}

static bool found(const struct findings *findings, enum finding_id id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].id == id)
			return true;
	return false;
}

struct host_row {
	enum tunable_id id;
	int64_t number[3];
	unsigned major, minor;
	uint64_t ram_bytes;
	enum finding_id finding;
	bool expected;
};

#define GIB (1ULL << 30)

static const struct host_row host_rows[] = {
    {TUNABLE_TCP_WINDOW_SCALING, {0}, 6, 1, 0, FINDING_WINDOW_SCALING_OFF, true},
    {TUNABLE_TCP_WINDOW_SCALING, {1}, 6, 1, 0, FINDING_WINDOW_SCALING_OFF, false},
    {TUNABLE_TCP_SACK, {0}, 6, 1, 0, FINDING_SACK_OFF, true},
    {TUNABLE_TCP_TIMESTAMPS, {0}, 6, 1, 0, FINDING_TIMESTAMPS_OFF, true},
    {TUNABLE_TCP_MODERATE_RCVBUF, {0}, 6, 1, 0, FINDING_AUTOTUNING_OFF, true},
    {TUNABLE_TCP_RMEM, {33554432, 131072, 4096}, 6, 1, 0, FINDING_BUFFER_ORDER, true},
    {TUNABLE_TCP_RMEM, {4096, 131072, 6291456}, 6, 1, 0, FINDING_BUFFER_ORDER, false},
    {TUNABLE_TCP_RMEM, {4096, 31457280, 67108864}, 6, 1, 0, FINDING_HUGE_DEFAULT, true},
    {TUNABLE_TCP_RMEM, {4096, 131072, 67108864}, 6, 1, 0, FINDING_HUGE_DEFAULT, false},
    {TUNABLE_TCP_WMEM, {16777216, 16777216, 16777216}, 6, 1, 0, FINDING_HUGE_MINIMUM, true},
    /* 16 MiB copied from a guide on 6.18, whose own ceiling is 32 MiB from 4 GiB of RAM on. */
    {TUNABLE_TCP_RMEM, {4096, 131072, 16777216}, 6, 18, 16 * GIB, FINDING_CEILING_BELOW_DEFAULT,
	true},
    {TUNABLE_TCP_RMEM, {4096, 131072, 16777216}, 6, 12, 16 * GIB, FINDING_CEILING_BELOW_DEFAULT,
	false},
    {TUNABLE_TCP_RMEM, {4096, 131072, 16777216}, 6, 18, 2 * GIB, FINDING_CEILING_BELOW_DEFAULT,
	false},
    /* tcp_mem = 16777216 three times: 64 GiB. */
    {TUNABLE_TCP_MEM, {16777216, 16777216, 16777216}, 6, 1, 16 * GIB, FINDING_TCP_MEM_IN_BYTES,
	true},
    {TUNABLE_TCP_MEM, {190464, 253952, 380928}, 6, 1, 16 * GIB, FINDING_TCP_MEM_IN_BYTES, false},
    /* 383 MiB at most on a host of 64 GiB, whose kernel would give itself 6 GiB; a quarter of what
     * counts of that is 1.05 GiB. */
    {TUNABLE_TCP_MEM, {24576, 65536, 98048}, 6, 1, 64 * GIB, FINDING_TCP_MEM_LOW, true},
    {TUNABLE_TCP_MEM, {206000, 206000, 275000}, 6, 1, 64 * GIB, FINDING_TCP_MEM_LOW, true},
    {TUNABLE_TCP_MEM, {206000, 206000, 276000}, 6, 1, 64 * GIB, FINDING_TCP_MEM_LOW, false},
    {TUNABLE_TCP_MEM, {786432, 1048576, 1572864}, 6, 1, 64 * GIB, FINDING_TCP_MEM_LOW, false},
    /* stock hosts of 1 to 4 GiB, of which 5 to 25 % do not count (nr_free_buffer_pages) */
    {TUNABLE_TCP_RMEM, {4096, 131072, 6291456}, 6, 18, GIB, FINDING_CEILING_BELOW_DEFAULT, false},
    {TUNABLE_TCP_RMEM, {4096, 131072, 31457280}, 6, 18, 4 * GIB, FINDING_CEILING_BELOW_DEFAULT,
	false},
    {TUNABLE_TCP_RMEM, {4096, 131072, 6291456}, 6, 18, 4 * GIB, FINDING_CEILING_BELOW_DEFAULT,
	true},
    {TUNABLE_TCP_RMEM, {4096, 1048576, 33554432}, 6, 18, 0, FINDING_HUGE_DEFAULT, true},
    {TUNABLE_TCP_RMEM, {4096, 1048575, 33554432}, 6, 18, 0, FINDING_HUGE_DEFAULT, false},
    {TUNABLE_TCP_ADV_WIN_SCALE, {2}, 6, 8, 0, FINDING_DEAD_KEY, true},
    {TUNABLE_TCP_ADV_WIN_SCALE, {2}, 6, 1, 0, FINDING_DEAD_KEY, false},
    {TUNABLE_TCP_LOW_LATENCY, {1}, 5, 15, 0, FINDING_DEAD_KEY, true},
    {TUNABLE_TCP_FACK, {1}, 5, 15, 0, FINDING_DEAD_KEY, true},
};

static void test_host_findings(void **state)
{
	(void)state;
	static const struct second seconds[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};

	for (size_t i = 0; i < sizeof(host_rows) / sizeof(host_rows[0]); i++) {
		const struct host_row *row = &host_rows[i];
		static struct host host;
		struct path_given given = {0};
		struct path_context context = {0};
		struct run run;
		struct path path;
		struct limit limit = {0};
		struct findings findings;

		memset(&host, 0, sizeof(host));
		host.kernel = (struct kernel_version){
		    .known = true, .major = row->major, .minor = row->minor};
		host.mem_total_bytes = row->ram_bytes;
		host.page_size = 4096;
		host.values[row->id] = (struct tunable_value){.known = true,
		    .count = 3,
		    .number = {row->number[0], row->number[1], row->number[2]}};
		run_make(&run, seconds, 3);
		path_from_run(&path, &run, &given, &context);
		findings_collect(
		    &(struct diagnosis_input){
			.path = &path, .run = &run, .context = &context, .receiver = &host},
		    &limit, &findings);
		print_message("%s = %lld ...: %s\n", tunables[row->id].key,
		    (long long)row->number[0], finding_table[row->finding].id);
		assert_int_equal(found(&findings, row->finding), row->expected);
		series_free(&run.series);
	}
}

/* A ceiling against tcp_mem's marks, here 16 MiB and 24 MiB, and against what the path needs. */
static void test_memory_findings(void **state)
{
	(void)state;
	static const struct second seconds[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	static const struct {
		int64_t ceiling, pressure_pages;
		bool above, unneeded;
	} rows[] = {
	    {16 * 1048576, 4096, false, false},
	    {16 * 1048576 + 1, 4096, true, false},
	    {33554432, 1048576, false, false},
	    /* 400 Mbit/s x 52 ms = 2.48 MiB, of which 128 MiB are more than eight times */
	    {128 * 1048576, 1048576, false, true},
	    {128 * 1048576 - 1, 1048576, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct host host;
		const struct path_given given = {.rtt_us = 52000, .target_bps = 400e6};
		struct path_context context = {0};
		struct run run;
		struct path path;
		struct limit limit = {0};
		struct findings findings;

		host = (struct host){.page_size = 4096};
		host.values[TUNABLE_TCP_RMEM] = (struct tunable_value){
		    .known = true, .count = 3, .number = {4096, 131072, rows[i].ceiling}};
		host.values[TUNABLE_TCP_MEM] = (struct tunable_value){.known = true,
		    .count = 3,
		    .number = {rows[i].pressure_pages * 3 / 4, rows[i].pressure_pages,
			rows[i].pressure_pages * 3 / 2}};
		run_make(&run, seconds, 3);
		path_from_run(&path, &run, &given, &context);
		findings_collect(
		    &(struct diagnosis_input){
			.path = &path, .run = &run, .context = &context, .receiver = &host},
		    &limit, &findings);
		print_message("row %zu\n", i);
		assert_int_equal(found(&findings, FINDING_CEILING_ABOVE_TCP_MEM), rows[i].above);
		assert_int_equal(found(&findings, FINDING_CEILING_UNNEEDED), rows[i].unneeded);
		series_free(&run.series);
	}
}

static void collect(const struct second *seconds, size_t count, const struct path_given *given,
    const struct path_context *context, void (*edit)(struct run *), struct findings *findings)
{
	struct run run;
	struct path path;
	struct limit limit;

	run_make(&run, seconds, count);
	if (edit)
		edit(&run);
	path_from_run(&path, &run, given, context);
	const struct diagnosis_input input = {.path = &path, .run = &run, .context = context};
	limit_decide(&input, &limit);
	findings_collect(&input, &limit, findings);
	free(run.stream_totals);
	series_free(&run.series);
}

static void edit_lagging(struct run *run)
{
	run->streams = 4;
	run->stream_count = 4;
	run->stream_totals = calloc(4, sizeof(*run->stream_totals));
	for (size_t i = 0; i < 4; i++)
		run->stream_totals[i] =
		    (struct stream_total){.bytes = i == 2 ? 10000000 : 50000000, .seconds = 4};
}

static void edit_receiver_lower(struct run *run)
{
	run->has |= RUN_RECEIVED;
	run->received_bytes = run->sent_bytes * 8 / 10;
	run->received_seconds = run->sent_seconds;
}

static void edit_receiver_address(struct run *run)
{
	strlcpy(run->receiver, "10.0.0.2", sizeof(run->receiver));
}

static void edit_bbr(struct run *run)
{
	strlcpy(run->sender_cc, "bbr", sizeof(run->sender_cc));
}

static void edit_small_mss(struct run *run)
{
	run->has |= RUN_MSS;
	run->mss = 1293;
}

static void edit_jumbo(struct run *run)
{
	run->has |= RUN_MSS;
	run->mss = 8948;
}

static void edit_error(struct run *run)
{
	strlcpy(run->error, "control socket has closed unexpectedly", sizeof(run->error));
	run->complete = false;
}

static void test_flow_findings(void **state)
{
	(void)state;
	static const struct second steady[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	static const struct second lossy[] = {
	    {400, 5, 0, 52, 90}, {400, 5, 0, 52, 80}, {400, 5, 0, 52, 70}};
	static const struct second early[] = {
	    {100, 5, 0, 52, 900}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	static const struct second swings[] = {
	    {400, 5, 0, 52, 0}, {90, 5, 0, 52, 0}, {410, 5, 0, 52, 0}, {100, 5, 0, 52, 0}};
	static const struct second stalled[] = {
	    {9, 0.08, 0, 0, 3}, {0, 0.0013, 0, 0, 1}, {0, 0.0013, 0, 0, 0}, {0, 0.0013, 0, 0, 1}};
	static const struct second two[] = {{400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	struct path_given none = {0}, idle = {.idle_rtt_us = 20000};
	struct ping near_ping = {.min_us = 1000, .avg_us = 1100, .max_us = 1300};
	struct path_context nothing = {0}, pinged = {.ping = &near_ping};
	const struct {
		const struct second *seconds;
		size_t count;
		const struct path_given *given;
		const struct path_context *context;
		void (*edit)(struct run *);
		enum finding_id finding;
	} rows[] = {
	    {lossy, 3, &none, &nothing, NULL, FINDING_LOSS},
	    {steady, 4, &idle, &nothing, NULL, FINDING_QUEUEING_DELAY},
	    {early, 4, &none, &nothing, NULL, FINDING_SLOW_START_OVERSHOOT},
	    {swings, 4, &none, &nothing, NULL, FINDING_RATE_SWINGS},
	    {steady, 4, &none, &nothing, edit_lagging, FINDING_LAGGING_STREAM},
	    {steady, 4, &none, &nothing, edit_receiver_lower, FINDING_RECEIVER_LOWER},
	    {steady, 4, &none, &nothing, edit_small_mss, FINDING_SMALL_MSS},
	    {steady, 4, &none, &nothing, edit_jumbo, FINDING_JUMBO_MSS},
	    {steady, 4, &none, &nothing, edit_error, FINDING_INTERRUPTED},
	    {stalled, 4, &none, &nothing, NULL, FINDING_STALLED},
	    {two, 2, &none, &nothing, NULL, FINDING_SHORT_TEST},
	    {steady, 4, &none, &pinged, NULL, FINDING_RTT_CONTRADICTION},
	};
	struct findings findings;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		collect(rows[i].seconds, rows[i].count, rows[i].given, rows[i].context,
		    rows[i].edit, &findings);
		print_message("%s\n", finding_table[rows[i].finding].id);
		assert_true(found(&findings, rows[i].finding));
		/* and none of the others where nothing is the matter */
		collect(steady, 4, &none, &nothing, NULL, &findings);
		assert_false(found(&findings, rows[i].finding));
	}
}

static const char *contradiction_text(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].id == FINDING_RTT_CONTRADICTION) {
			static struct phrase text;
			text = finding_text(&findings->items[i]);
			return text.s;
		}
	fail();
	return "";
}

/* A ping to the run's own address went to no other host, whatever else is wrong. */
static void test_contradiction_at_own_address(void **state)
{
	(void)state;
	static const struct second steady[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	struct ping ping = {.target = "10.0.0.2", .min_us = 1000, .avg_us = 1100, .max_us = 1300};
	struct path_context context = {.ping = &ping};
	struct path_given none = {0};
	struct findings findings;

	collect(steady, 4, &none, &context, NULL, &findings);
	assert_null(strstr(contradiction_text(&findings), "own address"));
	collect(steady, 4, &none, &context, edit_receiver_address, &findings);
	assert_non_null(
	    strstr(contradiction_text(&findings), "it is the run's own address that was pinged"));
}

/* 9 ms of a queue that BBR keeps by design are no finding; CUBIC's are, and so are BBR's 12 ms. */
static void test_short_queue_of_bbr(void **state)
{
	(void)state;
	static const struct second nine[] = {
	    {400, 5, 0, 15, 0}, {400, 5, 0, 15, 0}, {400, 5, 0, 15, 0}, {400, 5, 0, 15, 0}};
	static const struct second twelve[] = {
	    {400, 5, 0, 18, 0}, {400, 5, 0, 18, 0}, {400, 5, 0, 18, 0}, {400, 5, 0, 18, 0}};
	struct path_given idle = {.idle_rtt_us = 6000};
	struct path_context nothing = {0};
	struct findings findings;

	collect(nine, 4, &idle, &nothing, edit_bbr, &findings);
	assert_false(found(&findings, FINDING_QUEUEING_DELAY));
	collect(nine, 4, &idle, &nothing, NULL, &findings);
	assert_true(found(&findings, FINDING_QUEUEING_DELAY));
	collect(twelve, 4, &idle, &nothing, edit_bbr, &findings);
	assert_true(found(&findings, FINDING_QUEUEING_DELAY));
}

/* Scale 7 permits 65535 x 128 = 8.0 MiB: too little for 3 Gbit/s over 52 ms (18.6 MiB); 11 does. */
static void test_fixed_scale(void **state)
{
	(void)state;
	static const struct second seconds[] = {
	    {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}, {400, 5, 0, 52, 0}};
	struct socket_info socket = {.has = SOCKET_WSCALE, .snd_wscale = 7};
	struct path_context context = {.socket = &socket};
	struct path_given given = {.target_bps = 3e9};
	struct findings findings;

	collect(seconds, 3, &given, &context, NULL, &findings);
	assert_true(found(&findings, FINDING_WINDOW_SCALE_FIXED));
	socket.snd_wscale = 11;
	collect(seconds, 3, &given, &context, NULL, &findings);
	assert_false(found(&findings, FINDING_WINDOW_SCALE_FIXED));
}

static void test_tables(void **state)
{
	(void)state;
	for (int i = 0; i < FACTOR_COUNT; i++)
		assert_true(
		    factor_table[i].name && factor_words[i].text && factor_words[i].meaning);
	for (int i = 0; i < FINDING_COUNT; i++)
		assert_true(
		    finding_table[i].id && finding_words[i].meaning && finding_words[i].forms[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_factors),
	    cmocka_unit_test(test_socket_times),
	    cmocka_unit_test(test_account_of_loss),
	    cmocka_unit_test(test_receive_ceiling),
	    cmocka_unit_test(test_host_findings),
	    cmocka_unit_test(test_memory_findings),
	    cmocka_unit_test(test_flow_findings),
	    cmocka_unit_test(test_contradiction_at_own_address),
	    cmocka_unit_test(test_short_queue_of_bbr),
	    cmocka_unit_test(test_fixed_scale),
	    cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
