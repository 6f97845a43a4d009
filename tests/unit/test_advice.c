/* Sizes and plans: the published figures, and properties over random inputs. */
#include "near.h"

#include <math.h>
#include <stdlib.h>

#include "advice/advice.h"
#include "advice/plan_memory.h"
#include "model/window.h"
#include "report/plan_text.h"
#include "runs.h"

#define MIB 1048576.0

static struct tunable_value vector(int64_t min, int64_t def, int64_t max)
{
	return (struct tunable_value){.known = true, .count = 3, .number = {min, def, max}};
}

static const struct setting *setting_of(const struct plan *plan, enum tunable_id id)
{
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].id == id)
			return &plan->settings[i];
	return NULL;
}

static const struct not_advised *refusal_of(const struct plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->not_advised_count; i++)
		if (strcmp(plan->not_advised[i].key, key) == 0)
			return &plan->not_advised[i];
	return NULL;
}

/* A case: a run (or numbers), a receiver, a sender, and the plan for it. */
struct work {
	struct run run;
	struct analysis analysis, baseline;
	struct host receiver, sender;
	struct path_given given;
	struct path_context context;
	struct advice_input input;
	struct plan plan;
};

static void work_run(struct work *w, const struct second *seconds, size_t count, const char *cc)
{
	memset(w, 0, sizeof(*w));
	run_make(&w->run, seconds, count);
	strlcpy(w->run.sender_cc, cc, sizeof(w->run.sender_cc));
	w->analysis.run = &w->run;
	w->input.analysis = &w->analysis;
}

static void work_plan(struct work *w)
{
	if (w->analysis.run)
		path_from_run(&w->analysis.path, w->analysis.run, &w->given, &w->context);
	else
		path_from_numbers(&w->analysis.path, &w->given);
	limit_decide(&(struct diagnosis_input){.path = &w->analysis.path,
			 .run = w->analysis.run,
			 .context = &w->context,
			 .receiver = w->input.receiver,
			 .sender = w->input.sender},
	    &w->analysis.limit);
	w->input.target_is_given = w->given.target_bps > 0;
	plan_make(&w->input, &w->plan);
	plan_text(&w->plan);
}

/* 703 Mbit/s held by a ceiling of 4 MiB at 25 ms: 2 MiB of window on 5.15. */
static const struct second held[] = {{600, 4.36, 2.09, 25, 0}, {703, 4.36, 2.09, 25, 0},
    {703, 4.36, 2.09, 25, 0}, {703, 4.36, 2.09, 25, 0}};

static void test_scaling(void **state)
{
	(void)state;
	struct work *w = calloc(1, sizeof(*w));

	work_run(w, held, 4, "cubic");
	w->receiver.values[TUNABLE_TCP_RMEM] = vector(4096, 131072, 4194304);
	w->input.receiver = &w->receiver;
	w->given.target_bps = 3.34e9;
	work_plan(w);
	const struct setting *rmem = setting_of(&w->plan, TUNABLE_TCP_RMEM);
	assert_non_null(rmem);
	/* 4 MiB x 3.34 / 0.703 = 19.0 MiB -> 20 MiB */
	assert_int_equal(rmem->value.number[2], 20971520);
	assert_int_equal(rmem->sized_by, SIZING_SCALING);
	/* and by the same: 703 Mbit/s x 20 / 4 */
	assert_near(w->plan.predicted_bps, 3.515e9, 1e-3);
	assert_int_equal(rmem->host, ROLE_RECEIVER);
	assert_int_equal(rmem->value.number[0], 4096);
	assert_int_equal(rmem->value.number[1], 131072);
	assert_true(rmem->change && !rmem->lowers);
	assert_non_null(refusal_of(&w->plan, "net.core.rmem_max"));
	assert_non_null(refusal_of(&w->plan, "net.ipv4.tcp_mem"));
	series_free(&w->run.series);
	free(w);
}

/* A proxy sends what it receives: in step while the RTT is a bound, its own need once measured. */
static void test_proxy(void **state)
{
	(void)state;
	static const struct second text[] = {
	    {703, 4.36, 0, 0, 0}, {703, 4.36, 0, 0, 0}, {703, 4.36, 0, 0, 0}};
	struct work *w = calloc(1, sizeof(*w));

	for (int measured = 0; measured < 2; measured++) {
		work_run(w, measured ? held : text, measured ? 4 : 3, "cubic");
		w->receiver.kernel =
		    (struct kernel_version){.known = true, .major = 5, .minor = 15};
		w->receiver.values[TUNABLE_TCP_RMEM] = vector(4096, 131072, 4194304);
		w->receiver.values[TUNABLE_TCP_WMEM] = vector(4096, 16384, 4194304);
		w->input.receiver = w->input.sender = w->context.receiver = &w->receiver;
		w->input.role = ROLE_PROXY;
		w->given.target_bps = measured ? 5e9 : 3.34e9;
		work_plan(w);
		const struct setting *rmem = setting_of(&w->plan, TUNABLE_TCP_RMEM);
		const struct setting *wmem = setting_of(&w->plan, TUNABLE_TCP_WMEM);
		assert_true(rmem && wmem);
		assert_int_equal(wmem->value.number[1], 262144);
		assert_int_equal(wmem->host, ROLE_PROXY);
		if (measured) /* 5 Gbit/s x 25 ms = 14.9 MiB, twice that 29.8 -> 32 MiB; rmem 28.4 -> 32 */
			assert_int_equal(wmem->value.number[2], 32 * 1048576);
		else
			assert_int_equal(wmem->value.number[2], rmem->value.number[2]);
		series_free(&w->run.series);
	}
	free(w);
}

static void test_kept_values(void **state)
{
	(void)state;
	static const struct {
		int64_t current[3];
		bool allow_lower;
		int64_t want[3]; /* 0: no setting */
	} rows[] = {
	    {{4096, 131072, 4194304}, false, {4096, 131072, 20971520}},
	    /* an old guide's default goes up to the kernel's */
	    {{4096, 87380, 4194304}, false, {4096, 131072, 20971520}},
	    /* larger values are kept, huge ones too, unless lowering is allowed */
	    {{8192, 262144, 4194304}, false, {8192, 262144, 20971520}},
	    {{1048576, 3145728, 4194304}, false, {1048576, 3145728, 20971520}},
	    {{1048576, 3145728, 4194304}, true, {4096, 131072, 20971520}},
	    /* a ceiling below the default that is kept would be out of order */
	    {{4096, 33554432, 4194304}, false, {4096, 33554432, 33554432}},
	};
	struct work *w = calloc(1, sizeof(*w));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		work_run(w, held, 4, "cubic");
		w->receiver.values[TUNABLE_TCP_RMEM] =
		    vector(rows[i].current[0], rows[i].current[1], rows[i].current[2]);
		w->input.receiver = &w->receiver;
		w->input.allow_lower = rows[i].allow_lower;
		w->given.target_bps = 3.34e9;
		work_plan(w);
		const struct setting *rmem = setting_of(&w->plan, TUNABLE_TCP_RMEM);
		assert_non_null(rmem);
		for (int k = 0; k < 3; k++)
			assert_int_equal(rmem->value.number[k], rows[i].want[k]);
		series_free(&w->run.series);
	}
	free(w);
}

/* What was measured is carried already: without a larger target there is nothing to set. */
static void test_nothing_to_set(void **state)
{
	(void)state;
	struct work *w = calloc(1, sizeof(*w));

	work_run(w, held, 4, "cubic");
	w->receiver.values[TUNABLE_TCP_RMEM] = vector(4096, 131072, 4194304);
	w->input.receiver = &w->receiver;
	work_plan(w);
	assert_int_equal(w->plan.setting_count, 0);
	series_free(&w->run.series);
	free(w);
}

static void test_congestion(void **state)
{
	(void)state;
	static const struct second lossy[] = {{3.7, 0.025, 1.9, 80, 7}, {1.9, 0.017, 3.1, 80, 3},
	    {1.2, 0.015, 3.8, 80.2, 2}, {4.4, 0.04, 4.5, 80.1, 0}, {1.5, 0.014, 4.6, 80, 8},
	    {0.6, 0.006, 4.6, 80, 4}, {0.5, 0.008, 4.6, 80.1, 0}, {2.9, 0.044, 4.6, 80, 0},
	    {5.2, 0.062, 4.6, 80, 9}, {0.8, 0.007, 4.6, 80.2, 3}, {0.4, 0.01, 4.6, 80, 0},
	    {2.0, 0.022, 4.6, 80, 5}, {0.7, 0.012, 4.6, 80, 0}, {1.1, 0.02, 4.6, 80, 2},
	    {3.1, 0.045, 4.6, 80, 0}, {4.9, 0.06, 4.6, 80, 6}};
	static const struct second clean[] = {
	    {941, 0.4, 3, 0.4, 0}, {941, 0.4, 3, 0.4, 0}, {941, 0.4, 3, 0.4, 0}};
	/* 10 Mbit/s and 100 kB over 100 ms: dropped at one cwnd each time, without a delay before it */
	static const struct second policed[] = {{14.6, 0.108, 0.9, 100, 200},
	    {9.1, 0.105, 0.9, 100.1, 0}, {9.4, 0.110, 0.9, 100, 0}, {9.6, 0.112, 0.9, 100, 0},
	    {9.3, 0.093, 0.9, 100.1, 6}, {9.1, 0.105, 0.9, 100, 0}, {9.5, 0.111, 0.9, 100, 0},
	    {9.6, 0.112, 0.9, 100, 0}, {9.3, 0.093, 0.9, 100, 8}, {9.1, 0.104, 0.9, 100, 0},
	    {9.5, 0.110, 0.9, 100, 0}, {9.6, 0.112, 0.9, 100.1, 0}, {9.3, 0.094, 0.9, 100, 9},
	    {9.1, 0.106, 0.9, 100, 0}, {9.5, 0.112, 0.9, 100, 0}, {9.4, 0.095, 0.9, 100, 8}};
	struct work *w = calloc(1, sizeof(*w));

	/* Random loss on a long path: BBR with fq, at the sender; its module, and the live interface. */
	work_run(w, lossy, 16, "cubic");
	work_plan(w);
	const struct setting *cc = setting_of(&w->plan, TUNABLE_TCP_CONGESTION_CONTROL);
	assert_non_null(cc);
	assert_string_equal(cc->value.word, "bbr");
	assert_int_equal(cc->host, ROLE_SENDER);
	assert_non_null(strstr(cc->why, "retransmits"));
	assert_string_equal(setting_of(&w->plan, TUNABLE_DEFAULT_QDISC)->value.word, "fq");
	assert_non_null(strstr(setting_of(&w->plan, TUNABLE_DEFAULT_QDISC)->why, "not required"));
	bool tc = false, modprobe = false;
	for (size_t i = 0; i < w->plan.command_count; i++) {
		tc |= strstr(w->plan.commands[i].command, "tc qdisc replace") != NULL;
		modprobe |= strstr(w->plan.commands[i].command, "modprobe tcp_bbr") != NULL;
	}
	assert_true(tc && modprobe);
	series_free(&w->run.series);

	/* In a container there is no default_qdisc to set. */
	work_run(w, lossy, 16, "cubic");
	w->sender.in_namespace = true;
	w->input.sender = &w->sender;
	work_plan(w);
	assert_non_null(setting_of(&w->plan, TUNABLE_TCP_CONGESTION_CONTROL));
	assert_null(setting_of(&w->plan, TUNABLE_DEFAULT_QDISC));
	series_free(&w->run.series);

	/* A clean LAN keeps what it has. */
	work_run(w, clean, 3, "cubic");
	work_plan(w);
	assert_null(setting_of(&w->plan, TUNABLE_TCP_CONGESTION_CONTROL));
	assert_non_null(refusal_of(&w->plan, "net.ipv4.tcp_congestion_control"));
	series_free(&w->run.series);

	/* A policer is paced below, not fought with BBR. */
	work_run(w, policed, 16, "cubic");
	work_plan(w);
	assert_null(setting_of(&w->plan, TUNABLE_TCP_CONGESTION_CONTROL));
	assert_non_null(
	    strstr(refusal_of(&w->plan, "net.ipv4.tcp_congestion_control")->why, "pace"));
	bool pacing = false;
	for (size_t i = 0; i < w->plan.command_count; i++)
		pacing |= strstr(w->plan.commands[i].command, "maxrate") != NULL;
	assert_true(pacing);
	series_free(&w->run.series);
	free(w);
}

/* tc reads maxrate into 32 bits of bytes a second, 34.36 Gbit/s: a faster stream gets no line of it. */
static void test_pace_end(void **state)
{
	static const struct {
		double target_bps;
		unsigned streams;
		bool paced;
	} rows[] = {
	    {400e9, 12, false}, /* 33.3 x 1.05 = 35.0 */
	    {400e9, 13, true},	/* 30.8 x 1.05 = 32.3 */
	};
	static struct plan plan;
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis analysis = {.run = NULL};
		const struct path_given given = {
		    .bandwidth_bps = rows[i].target_bps, .rtt_us = 50000};
		bool paced = false;

		path_from_numbers(&analysis.path, &given);
		plan_make(&(struct advice_input){.analysis = &analysis,
			      .target_is_given = true,
			      .streams = rows[i].streams,
			      .fixed_streams = true},
		    &plan);
		plan_text(&plan);
		for (size_t k = 0; k < plan.command_count; k++)
			paced |= strstr(plan.commands[k].command, "maxrate") != NULL;
		assert_int_equal(paced, rows[i].paced);
		assert_int_equal(refusal_of(&plan, "fq maxrate") != NULL, !rows[i].paced);
	}
}

/* What is off and must be on: at the end that it is of use to, as the number 1. */
static void test_switches(void **state)
{
	static const struct {
		enum tunable_id id;
		enum role role;
		bool at_sender;
		enum role expected; /* of whose part; ROLE_UNKNOWN: no setting */
	} rows[] = {
	    {TUNABLE_TCP_SACK, ROLE_UNKNOWN, false, ROLE_RECEIVER},
	    {TUNABLE_TCP_SACK, ROLE_UNKNOWN, true, ROLE_SENDER},
	    {TUNABLE_TCP_SACK, ROLE_RECEIVER, true, ROLE_UNKNOWN},
	    {TUNABLE_TCP_SACK, ROLE_SENDER, false, ROLE_UNKNOWN},
	    {TUNABLE_TCP_MODERATE_RCVBUF, ROLE_UNKNOWN, true, ROLE_UNKNOWN},
	    {TUNABLE_TCP_MODERATE_RCVBUF, ROLE_UNKNOWN, false, ROLE_RECEIVER},
	};
	struct work *w = calloc(1, sizeof(*w));
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		work_run(w, held, 4, "cubic");
		struct host *host = rows[i].at_sender ? &w->sender : &w->receiver;
		host->values[rows[i].id] = (struct tunable_value){.known = true, .count = 1};
		w->input.receiver = rows[i].at_sender ? NULL : &w->receiver;
		w->input.sender = rows[i].at_sender ? &w->sender : NULL;
		w->input.role = rows[i].role;
		work_plan(w);
		print_message("%zu\n", i);
		const struct setting *setting = setting_of(&w->plan, rows[i].id);
		series_free(&w->run.series);
		if (rows[i].expected == ROLE_UNKNOWN) {
			assert_null(setting);
			continue;
		}
		assert_non_null(setting);
		assert_int_equal(setting->host, rows[i].expected);
		assert_true(setting->change && setting->value.known);
		assert_int_equal(setting->value.count, 1);
		assert_int_equal(setting->value.number[0], 1);
		assert_int_equal(setting->current.number[0], 0);
	}
	free(w);
}

/* The loss at which CUBIC still carries 3.34 Gbit/s over 25 ms: RFC 9438, section 5.1, turned round,
 * (1.0538 x 8 x MSS / (rate x RTT^0.25))^(4/3); less of it bears Reno's share, so the larger counts. */
static void test_loss_borne(void **state)
{
	struct work *w = calloc(1, sizeof(*w));
	(void)state;

	work_run(w, held, 4, "cubic");
	w->given.target_bps = 3.34e9;
	work_plan(w);
	double mss = w->analysis.path.mss, rtt_s = w->analysis.path.rtt.us / 1e6;
	assert_true(mss > 0);
	double cubic = pow(1.0538289 * 8 * mss / (3.34e9 * pow(rtt_s, 0.25)), 4.0 / 3);
	double reno = pow(1.2247449 * 8 * mss / (3.34e9 * rtt_s), 2);
	assert_near(w->plan.bears_loss, fmax(cubic, reno), 1e-5);
	series_free(&w->run.series);

	/* BBR does not go by loss */
	work_run(w, held, 4, "bbr");
	w->given.target_bps = 3.34e9;
	work_plan(w);
	assert_near(w->plan.bears_loss, 0, 0);
	series_free(&w->run.series);
	free(w);
}

/* 40 Gbit/s over 300 ms are 1.5 GB: two windows of 1 GiB, and the memory of the larger ceiling twice. */
/* A core that was busy for 80 % at 703 Mbit/s carries 879 Mbit/s: 3.34 Gbit/s take four of them.  Below half
 * a core it is not told, and one stream is to do it. */
static void test_streams_by_core(void **state)
{
	(void)state;
	static const struct {
		double percent;
		unsigned streams; /* 0: one will do */
	} rows[] = {{80, 4}, {40, 0}, {100, 5}};
	struct work *w = calloc(1, sizeof(*w));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		work_run(w, held, 4, "cubic");
		w->run.has |= RUN_SENDER_CPU;
		w->run.sender_cpu_percent = rows[i].percent;
		w->given.target_bps = 3.34e9;
		work_plan(w);
		assert_int_equal(w->plan.streams.count, rows[i].streams);
		assert_true(w->plan.streams.by_core == (rows[i].streams > 0));
		series_free(&w->run.series);
	}
	free(w);
}

static void test_streams(void **state)
{
	struct work *w = calloc(1, sizeof(*w));
	(void)state;

	w->input.analysis = &w->analysis;
	w->given = (struct path_given){.rtt_us = 300000, .target_bps = 40e9};
	work_plan(w);
	const struct setting *rmem = setting_of(&w->plan, TUNABLE_TCP_RMEM);
	const struct setting *wmem = setting_of(&w->plan, TUNABLE_TCP_WMEM);
	assert_true(rmem && wmem);
	assert_int_equal(w->plan.streams.count, 2);
	assert_near(w->plan.streams.rate_bps, 20e9, 1e-9);
	assert_near(w->plan.streams.pace_bps, 21e9, 1e-9);
	assert_near(w->plan.streams.most_bps, 1073741824.0 * 8 / 0.3, 1e-2);
	int64_t larger = rmem->value.number[2] > wmem->value.number[2] ? rmem->value.number[2]
								       : wmem->value.number[2];
	assert_near(w->plan.streams.memory_bytes, 2.0 * (double)larger, 0);

	/* of one end alone it is that end's */
	for (enum role role = ROLE_RECEIVER; role <= ROLE_SENDER; role++) {
		enum tunable_id id = role == ROLE_RECEIVER ? TUNABLE_TCP_RMEM : TUNABLE_TCP_WMEM;
		w->input.role = role;
		w->input.streams = 3;
		w->input.fixed_streams = true;
		work_plan(w);
		assert_int_equal(w->plan.setting_count, 1);
		assert_near(w->plan.streams.memory_bytes,
		    3.0 * (double)setting_of(&w->plan, id)->value.number[2], 0);
		assert_true(w->plan.streams.is_fixed);
	}
	free(w);
}

/* For --check: a value that ought to change, or a finding that is a warning or worse. */
static void test_wants_change(void **state)
{
	struct work *w = calloc(1, sizeof(*w));
	struct findings findings = {
	    .count = 2, .items = {{.id = FINDING_SHORT_TEST}, {.id = FINDING_RECEIVER_LOWER}}};
	(void)state;

	w->plan.setting_count = 2;
	assert_false(plan_wants_change(&w->plan, &findings));
	w->plan.settings[1].change = true;
	assert_true(plan_wants_change(&w->plan, &findings));
	w->plan.settings[1].change = false;
	findings.items[1].id = FINDING_SACK_OFF;
	assert_int_equal(finding_table[FINDING_SACK_OFF].severity, SEVERITY_WARNING);
	assert_true(plan_wants_change(&w->plan, &findings));
	findings.count = 1;
	assert_false(plan_wants_change(&w->plan, &findings));
	free(w);
}

/* 10,000 connections of which 500 move data: what they are likely to hold, against tcp_mem; and a ceiling
 * that the plan itself raises beyond it. */
static void test_memory_of_plan(void **state)
{
	static const struct {
		const char *title;
		int64_t pressure_pages, high_pages, current;
		bool change;
		unsigned likely, planned;
		const char *mark;
	} rows[] = {
	    /* 16 MiB each: 500 x 16 MiB + 9,500 x 8 KiB = 8.46e9 bytes, 2,066,000 pages */
	    {"room", 2100000, 4200000, 6291456, true, 0, 0, NULL},
	    {"beyond pressure", 2000000, 4000000, 6291456, true, 1, 0, NULL},
	    /* 16 MiB are 4096 pages */
	    {"the ceiling alone", 4000, 5000, 6291456, true, 1, 1, "pressure"},
	    {"and beyond all", 3000, 4000, 6291456, true, 1, 1, "high"},
	    {"which it was before", 3000, 4000, 33554432, true, 1, 0, NULL},
	    {"and stays", 3000, 4000, 16777216, false, 1, 0, NULL},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct plan plan;
		struct findings findings = {.count = 0};
		struct exposure memory;
		struct exposure_input in = {.page_size = 4096,
		    .has_tcp_mem = true,
		    .tcp_mem_pages = {1, (uint64_t)rows[i].pressure_pages,
			(uint64_t)rows[i].high_pages},
		    .rmem_min_bytes = 4096,
		    .rmem_max_bytes = 1,
		    .connections = 10000,
		    .active = 500,
		    .receives = true};

		plan.setting_count = 1;
		plan.settings[0] = (struct setting){.id = TUNABLE_TCP_RMEM,
		    .value = vector(4096, 131072, 16777216),
		    .current = vector(4096, 131072, rows[i].current),
		    .change = rows[i].change};
		plan_memory(&plan, &in, &memory, &findings);
		print_message("%s\n", rows[i].title);
		assert_near(memory.likely_bytes, 500 * 16777216.0 + 9500 * 8192.0, 0);
		assert_int_equal(findings.count, rows[i].likely + rows[i].planned);
		if (rows[i].planned) {
			assert_int_equal(findings.items[0].id, FINDING_CEILING_ABOVE_TCP_MEM);
			assert_string_equal(findings.items[0].values[2].word, rows[i].mark);
		}
		if (rows[i].likely)
			assert_int_equal(
			    findings.items[findings.count - 1].id, FINDING_LIKELY_PRESSURE);
	}
}

static double uniform(double low, double high)
{
	return low + (high - low) * rand() / (double)RAND_MAX;
}

/* Random receivers, senders and paths: kernels, ceilings, RTTs, rates. */
static void random_case(struct work *w, double target_bps, unsigned seed)
{
	static const unsigned kernels[][2] = {{4, 4}, {5, 15}, {6, 1}, {6, 8}, {6, 12}, {6, 18}};
	static const enum role roles[] = {ROLE_UNKNOWN, ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY};

	srand(seed);
	double rtt_ms = pow(10, uniform(-0.5, 2.7)), ceiling = pow(2, uniform(18, 30));
	double rate = ceiling * 0.5 * 8 / (rtt_ms / 1000) / 1e6;
	double window_mib = ceiling * 0.5 / MIB;
	const unsigned *kernel = kernels[rand() % 6];
	struct second seconds[] = {{rate * 0.8, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0}};

	work_run(w, seconds, 4, rand() % 3 ? "cubic" : "bbr");
	w->receiver.kernel = w->sender.kernel = (struct kernel_version){
	    .known = rand() % 4 != 0, .major = kernel[0], .minor = kernel[1]};
	w->receiver.values[TUNABLE_TCP_RMEM] = vector(4096, 131072, (int64_t)ceiling);
	w->receiver.values[TUNABLE_TCP_WMEM] =
	    vector(4096, 16384, (int64_t)pow(2, uniform(18, 30)));
	w->sender.values[TUNABLE_TCP_WMEM] = w->receiver.values[TUNABLE_TCP_WMEM];
	w->input.role = roles[rand() % 4];
	w->input.receiver = rand() % 4 ? &w->receiver : NULL;
	w->input.sender = w->input.role == ROLE_PROXY ? w->input.receiver
			  : rand() % 2		      ? &w->sender
						      : NULL;
	w->given.target_bps = target_bps;
	if (rand() % 3 == 0) {
		w->analysis.run = NULL;
		w->given.bandwidth_bps = rate * 1e6;
		w->given.rtt_us = rtt_ms * 1000;
	}
	work_plan(w);
}

static void check_bounds(const struct work *w, const struct setting *setting)
{
	const int64_t *v = setting->value.number;

	/* Never lowers, never beyond an int, in order, and no window beyond 1 GiB asked for. */
	assert_false(setting->lowers);
	assert_true(v[0] >= 4096 && v[0] <= v[1] && v[1] <= v[2] && v[2] <= INT32_MAX);
	for (int i = 0; setting->current.known && i < 3; i++)
		assert_true(v[i] >= setting->current.number[i]);
	if (setting->sized_by == SIZING_KERNEL_RULE || setting->sized_by == SIZING_OBSERVED_RATIO)
		assert_true(w->analysis.path.bdp.stream_bytes > 0);
}

static void test_properties(void **state)
{
	(void)state;
	unsigned first = 20261130, seen = 0;

	print_message("seeds from %u\n", first);
	struct work *less = calloc(1, sizeof(*less)), *more = calloc(1, sizeof(*more));

	for (unsigned seed = first; seed < first + 5000; seed++) {
		srand(seed ^ 0x5a5a);
		double target = pow(10, uniform(6, 11.5));
		double larger = target * uniform(1, 4);
		random_case(less, target, seed);
		random_case(more, larger, seed);
		for (size_t i = 0; i < less->plan.setting_count; i++) {
			const struct setting *a = &less->plan.settings[i];
			if (a->id != TUNABLE_TCP_RMEM && a->id != TUNABLE_TCP_WMEM)
				continue;
			const struct setting *b = setting_of(&more->plan, a->id);
			if (more->plan.streams.count != less->plan.streams.count)
				continue; /* each of more streams needs less */
			if (!b || b->value.number[2] < a->value.number[2])
				fail_msg("seed %u: a larger target made a smaller ceiling", seed);
			seen++;
			check_bounds(less, a);
			check_bounds(more, b);
		}
		/* The ceiling advised carries the target by the model that sized it, unless the largest
		 * window there is cannot. */
		const struct setting *rmem = setting_of(&less->plan, TUNABLE_TCP_RMEM);
		if (rmem && rmem->value.number[2] < 2000000000 && less->plan.predicted_bps > 0 &&
		    less->analysis.path.bdp.stream_bytes < 1e9 &&
		    less->plan.predicted_bps < target * 0.999)
			fail_msg("seed %u: predicted %.4g for a target of %.4g", seed,
			    less->plan.predicted_bps, target);
		series_free(&less->run.series);
		series_free(&more->run.series);
	}
	/* many random cases must have had something to check */
	if (seen < 1000)
		fail_msg("only %u settings were checked", seen);
	free(less);
	free(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scaling),
	    cmocka_unit_test(test_proxy),
	    cmocka_unit_test(test_kept_values),
	    cmocka_unit_test(test_nothing_to_set),
	    cmocka_unit_test(test_congestion),
	    cmocka_unit_test(test_pace_end),
	    cmocka_unit_test(test_switches),
	    cmocka_unit_test(test_loss_borne),
	    cmocka_unit_test(test_streams_by_core),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_wants_change),
	    cmocka_unit_test(test_memory_of_plan),
	    cmocka_unit_test(test_properties),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
