/*
 * No advice may harm: properties over the recorded defaults of stock kernels and random questions.
 *
 * What a stock kernel sets is written down here once more, apart from the program: net/ipv4/tcp.c
 * tcp_init and net/core/sock.c of each release.  The seed is printed; BDP_SEED=N repeats one.
 */
#include "near.h"

#include <stdlib.h>
#include <time.h>

#include "advice/advice.h"
#include "report/plan_text.h"
#include "runs.h"

#define MIB 1048576.0
#define CASES 20000

/* Maxima by release: tcp_rmem, tcp_wmem, rmem_max.  RAM bounds the first two. */
static const struct release {
	unsigned major, minor;
	double rmem_mib, wmem_mib;
	int64_t rmem_default, core_max;
} releases[] = {
    {2, 6, 4, 4, 87380, 124928},
    {3, 4, 6, 4, 87380, 212992},
    {3, 10, 6, 4, 87380, 212992},
    {4, 4, 6, 4, 87380, 212992},
    {4, 19, 6, 4, 87380, 212992},
    {4, 20, 6, 4, 131072, 212992},
    {5, 4, 6, 4, 131072, 212992},
    {5, 15, 6, 4, 131072, 212992},
    {6, 1, 6, 4, 131072, 212992},
    {6, 8, 6, 4, 131072, 212992},
    {6, 12, 6, 4, 131072, 212992},
    {6, 15, 6, 4, 131072, 212992},
    {6, 16, 32, 4, 131072, 212992},
    {6, 17, 32, 4, 131072, 212992},
    {6, 18, 32, 4, 131072, 4194304},
};
#define RELEASES (sizeof(releases) / sizeof(releases[0]))

/* The largest that any of them ships with RAM enough: what an unknown host may have. */
#define LARGEST_RMEM (32 * MIB)
#define LARGEST_WMEM (4 * MIB)
#define LARGEST_CORE 4194304.0

static double uniform(double low, double high)
{
	return low + (high - low) * rand() / (double)RAND_MAX;
}

static struct tunable_value vector(int64_t min, int64_t def, double max)
{
	return (struct tunable_value){
	    .known = true, .count = 3, .number = {min, def, (int64_t)max}};
}

/* As that kernel sets itself up with that much RAM. */
static void stock_host(struct host *host, const struct release *release, double ram)
{
	double share = ram / 128;

	*host = (struct host){.origin = HOST_DUMP,
	    .page_size = 4096,
	    .mem_total_bytes = (uint64_t)ram,
	    .kernel = {.known = true, .major = release->major, .minor = release->minor}};
	host->values[TUNABLE_TCP_RMEM] = vector(4096, release->rmem_default,
	    fmax((double)release->rmem_default, fmin(release->rmem_mib * MIB, share)));
	host->values[TUNABLE_TCP_WMEM] =
	    vector(4096, 16384, fmax(65536, fmin(release->wmem_mib * MIB, share)));
	host->values[TUNABLE_RMEM_MAX] =
	    (struct tunable_value){.known = true, .count = 1, .number = {release->core_max}};
	host->values[TUNABLE_WMEM_MAX] = host->values[TUNABLE_RMEM_MAX];
	for (int i = 0; i < 4; i++) {
		static const enum tunable_id on[] = {TUNABLE_TCP_WINDOW_SCALING,
		    TUNABLE_TCP_TIMESTAMPS, TUNABLE_TCP_SACK, TUNABLE_TCP_MODERATE_RCVBUF};
		host->values[on[i]] =
		    (struct tunable_value){.known = true, .count = 1, .number = {1}};
	}
}

/* A question: numbers, or a run with a verdict, about hosts that are known or not. */
struct question {
	struct run run;
	struct analysis analysis;
	struct host receiver, sender;
	struct path_given given;
	struct advice_input input;
	struct plan plan;
	double rtt_us, target_bps;
	bool switched_off;
};

static void random_hosts(struct question *q)
{
	double ram = pow(2, uniform(29, 40));

	stock_host(&q->receiver, &releases[rand() % (int)RELEASES], ram);
	stock_host(&q->sender, &releases[rand() % (int)RELEASES], ram);
	/* somebody has raised it already */
	if (rand() % 4 == 0)
		q->receiver.values[TUNABLE_TCP_RMEM] =
		    vector(4096, 131072, pow(2, uniform(20, 30)));
	if (rand() % 4 == 0)
		q->sender.values[TUNABLE_TCP_WMEM] = vector(4096, 16384, pow(2, uniform(20, 30)));
	if ((q->switched_off = rand() % 8 == 0))
		q->receiver.values[TUNABLE_TCP_SACK].number[0] = 0;
	q->input.receiver = rand() % 2 ? &q->receiver : NULL;
	q->input.sender = rand() % 2 ? &q->sender : NULL;
	if (q->input.role == ROLE_PROXY || rand() % 4 == 0)
		q->input.sender = q->input.receiver;
}

static void random_run(struct question *q)
{
	double rate = pow(10, uniform(0, 4)), rtt_ms = q->rtt_us / 1000;
	double window_mib = rate * 1e6 / 8 * rtt_ms / 1000 / MIB;
	struct second seconds[] = {{rate * 0.8, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0},
	    {rate, window_mib * 2, window_mib, rtt_ms, 0}};
	static const struct path_context no_context;

	run_make(&q->run, seconds, 4);
	strlcpy(q->run.sender_cc, rand() % 3 ? "cubic" : "bbr", sizeof(q->run.sender_cc));
	q->analysis.run = &q->run;
	path_from_run(&q->analysis.path, &q->run, &q->given, &no_context);
	/* any verdict at all, whatever these numbers would have said */
	q->analysis.limit.factor = (enum factor)(rand() % FACTOR_COUNT);
	q->analysis.limit.confidence = (enum confidence)(rand() % (CONFIDENCE_HIGH + 1));
	if (rand() % 2)
		q->analysis.limit.factor = rand() % 2 ? FACTOR_RECEIVE_WINDOW : FACTOR_SEND_BUFFER;
}

static void ask(struct question *q, unsigned seed)
{
	static const enum role roles[] = {ROLE_UNKNOWN, ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY};

	srand(seed);
	*q = (struct question){.input = {.analysis = &q->analysis, .target_is_given = true}};
	q->rtt_us = pow(10, uniform(2, 6));
	q->target_bps = pow(10, uniform(5, 11.7));
	q->input.role = roles[rand() % 4];
	q->input.setsockopt = rand() % 4 == 0;
	q->input.allow_lower = rand() % 8 == 0;
	if ((q->input.fixed_streams = rand() % 4 == 0))
		q->input.streams = 1 + (unsigned)(rand() % 4);
	q->given.target_bps = q->target_bps;
	random_hosts(q);
	if (rand() % 2) {
		random_run(q);
	} else {
		q->given.bandwidth_bps = q->target_bps;
		q->given.rtt_us = q->rtt_us;
		path_from_numbers(&q->analysis.path, &q->given);
	}
	plan_make(&q->input, &q->plan);
	plan_text(&q->plan);
}

/* Which of the two hosts a setting is for. */
static const struct host *host_of(const struct question *q, const struct setting *setting)
{
	bool receives = setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_RMEM_MAX;

	if (setting->host == ROLE_RECEIVER || (setting->host != ROLE_SENDER && receives))
		return q->input.receiver;
	return q->input.sender;
}

static double unknown_floor(enum tunable_id id)
{
	return id == TUNABLE_TCP_RMEM	? LARGEST_RMEM
	       : id == TUNABLE_TCP_WMEM ? LARGEST_WMEM
					: LARGEST_CORE;
}

/* Never below what is there, nor, where that is not known, below what any kernel ships. */
static void check_floor(const struct question *q, const struct setting *setting, unsigned seed)
{
	const struct host *host = host_of(q, setting);
	const struct tunable_value *current = host ? &host->values[setting->id] : NULL;
	int last = setting->value.count - 1;

	for (int i = 0; current && current->known && i <= last; i++)
		if (setting->value.number[i] < current->number[i] && !q->input.allow_lower)
			fail_msg("seed %u: %s lowered from %lld to %lld", seed,
			    tunables[setting->id].key, (long long)current->number[i],
			    (long long)setting->value.number[i]);
	if (!(current && current->known) &&
	    (double)setting->value.number[last] < unknown_floor(setting->id))
		fail_msg("seed %u: %s at %lld on a host that is not known", seed,
		    tunables[setting->id].key, (long long)setting->value.number[last]);
}

/* What one stream must have in flight, by arithmetic of this file: rate x RTT / 8. */
static double in_flight(const struct question *q)
{
	unsigned streams = q->plan.streams.count ? q->plan.streams.count : 1;

	return q->target_bps / streams * q->rtt_us / 8e6;
}

/* The end of the window, 65535 << 14 bytes, is never asked to hold more. */
static void check_streams(const struct question *q, unsigned seed)
{
	double most = 65535 * 16384.0 * 8e6 / q->rtt_us;
	unsigned streams = q->plan.streams.count ? q->plan.streams.count : 1;
	bool fits = q->target_bps <= streams * most * 1.001;

	if (!q->input.fixed_streams && !fits)
		fail_msg("seed %u: %u streams do not carry %.0f", seed, streams, q->target_bps);
	if (q->input.fixed_streams && streams != q->input.streams)
		fail_msg(
		    "seed %u: %u streams, not the %u asked for", seed, streams, q->input.streams);
	if (!fits && q->plan.reason != REASON_WINDOW_END && q->plan.reason != REASON_LOSS)
		fail_msg("seed %u: more than a window holds, and nothing said", seed);
}

/*
 * No ceiling beyond twice the need, rounded up: the need is at most three times what is in flight (the
 * smallest share of a buffer that is planned with is a third), or four times where the plan scales a
 * ceiling that a quarter of was in use; rounding adds a quarter at most.
 */
static void check_not_beyond(const struct question *q, const struct setting *setting, unsigned seed)
{
	double most = 2 * 1.25 * 5 * in_flight(q);

	if (!setting->change || setting->value.count != 3 || setting->value.number[2] <= 131072)
		return;
	if ((double)setting->value.number[2] > most &&
	    setting->value.number[2] > setting->current.number[2])
		fail_msg("seed %u: %s at %lld, where %.0f are in flight", seed,
		    tunables[setting->id].key, (long long)setting->value.number[2], in_flight(q));
}

static bool is_ceiling(const struct setting *setting)
{
	return setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM;
}

/* Above the rate and nothing to set: only with the reason that is true of it. */
static void check_reason(const struct question *q, unsigned seed)
{
	const struct path *path = &q->analysis.path;
	bool met = q->analysis.run && q->target_bps <= 1.02 * path->rate.bps;
	bool buffer = q->analysis.limit.factor == FACTOR_RECEIVE_WINDOW ||
		      q->analysis.limit.factor == FACTOR_SEND_BUFFER;
	bool sure = buffer && q->analysis.limit.confidence >= CONFIDENCE_MEDIUM;
	bool ceilings = false;

	for (size_t i = 0; i < q->plan.setting_count; i++)
		ceilings |= is_ceiling(&q->plan.settings[i]);
	if (met != (q->plan.reason == REASON_TARGET_MET))
		fail_msg("seed %u: met %d, said %s", seed, met, plan_reason_name(q->plan.reason));
	if (ceilings && q->analysis.run && !sure)
		fail_msg("seed %u: a ceiling without a buffer as the cause", seed);
	if (!ceilings && !met && q->plan.reason == REASON_NONE)
		fail_msg("seed %u: nothing to set, and no reason", seed);
	if (q->plan.reason != REASON_NONE && q->plan.reason_text[0] == '\0')
		fail_msg("seed %u: a reason without words", seed);
}

/* Numbers on known hosts: a ceiling is raised exactly where half of it does not hold what must be in
 * flight. */
static void check_raised(const struct question *q, unsigned seed)
{
	const struct host *host = q->input.receiver;
	bool raised = false;

	if (q->analysis.run || !host || q->input.role == ROLE_SENDER || q->input.allow_lower)
		return;
	double ceiling = (double)host->values[TUNABLE_TCP_RMEM].number[2];
	double share = host->kernel.major == 2 ? 0.75 : 0.5;
	for (size_t i = 0; i < q->plan.setting_count; i++)
		raised |= q->plan.settings[i].id == TUNABLE_TCP_RMEM;
	if (raised && share * ceiling > 1.01 * in_flight(q))
		fail_msg(
		    "seed %u: raised, though %.0f bytes hold %.0f", seed, ceiling, in_flight(q));
	if (!raised && share * ceiling < 0.99 * in_flight(q) && ceiling < 2e9)
		fail_msg("seed %u: not raised, though %.0f bytes do not hold it", seed, ceiling);
}

/* A finding that says to set something is in the plan, before any ceiling. */
static void check_switches(const struct question *q, unsigned seed)
{
	bool asked = q->input.role != ROLE_SENDER || q->input.sender == q->input.receiver;

	if (q->switched_off && q->input.receiver && asked && q->input.role != ROLE_SENDER &&
	    (q->plan.setting_count == 0 || q->plan.settings[0].id != TUNABLE_TCP_SACK))
		fail_msg("seed %u: SACK is off, and not first in the plan", seed);
}

/* The values of one machine are never shown for two hosts. */
static void check_ends(const struct question *q, unsigned seed)
{
	if (q->analysis.run || !q->input.receiver || q->input.receiver != q->input.sender)
		return;
	for (size_t i = 1; i < q->plan.setting_count; i++)
		if (q->plan.settings[i].host != q->plan.settings[0].host)
			fail_msg("seed %u: one machine as two hosts", seed);
}

static void test_harmless(void **state)
{
	(void)state;
	const char *given = getenv("BDP_SEED");
	unsigned first = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL) * CASES;
	unsigned count = given ? 1 : CASES, ceilings = 0, floors = 0, reasons[REASON_COUNT] = {0};
	struct question *q = calloc(1, sizeof(*q));

	print_message("seeds from %u\n", first);
	for (unsigned seed = first; seed < first + count; seed++) {
		ask(q, seed);
		for (size_t i = 0; i < q->plan.setting_count; i++) {
			const struct setting *setting = &q->plan.settings[i];
			bool sized = setting->value.count > 0 && !setting->value.word[0];
			if (!sized || setting->id == TUNABLE_TCP_SACK)
				continue;
			ceilings += is_ceiling(setting);
			floors += !setting->current.known;
			check_floor(q, setting, seed);
			check_not_beyond(q, setting, seed);
		}
		check_reason(q, seed);
		check_raised(q, seed);
		check_switches(q, seed);
		check_ends(q, seed);
		check_streams(q, seed);
		reasons[q->plan.reason]++;
		if (q->analysis.run)
			series_free(&q->run.series);
	}
	/* every branch was met often */
	if (!given && (ceilings < 2000 || floors < 500))
		fail_msg("%u ceilings, %u on unknown hosts", ceilings, floors);
	for (int i = 0; i < REASON_COUNT && !given; i++)
		if (i != REASON_LOSS && reasons[i] < 50)
			fail_msg("reason %d was given %u times", i, reasons[i]);
	free(q);
}

/* What the words above mean, one row each, by hand. */
static void test_numbers(void **state)
{
	(void)state;
	static const struct {
		double bps, rtt_ms, loss;
		enum plan_reason reason;
		int64_t rmem, wmem; /* 0: no line */
	} rows[] = {
	    /* 610 KiB x 2 is below 4 MiB, which every kernel has */
	    {1e9, 5, 0, REASON_DEFAULTS, 0, 0},
	    {100e6, 5, 0, REASON_DEFAULTS, 0, 0},
	    /* 7.75 MiB: more than old kernels have of either; 32 MiB would be too much of tcp_rmem */
	    {500e6, 65, 0, REASON_LOOK_FIRST, 0, 8 * 1048576},
	    /* 17.9 MiB x 2 = 35.8 -> 40 MiB, above every default */
	    {1e9, 150, 0, REASON_NONE, 40 * 1048576, 40 * 1048576},
	    /* 11.9 MiB x 2 = 23.8: what 6.16 ships, 32 MiB, is less than twice that */
	    {1e9, 100, 0, REASON_NONE, 32 * 1048576, 24 * 1048576},
	    /* 7 % lost: 257 kbit/s whatever the buffers */
	    {20e6, 209, 0.07, REASON_LOSS, 0, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis analysis = {.run = NULL};
		static struct plan plan;
		const struct path_given given = {.bandwidth_bps = rows[i].bps,
		    .rtt_us = rows[i].rtt_ms * 1000,
		    .loss_ratio = rows[i].loss};
		const struct advice_input input = {.analysis = &analysis,
		    .target_is_given = true,
		    .loss_is_given = rows[i].loss > 0};
		int64_t rmem = 0, wmem = 0;

		path_from_numbers(&analysis.path, &given);
		plan_make(&input, &plan);
		plan_text(&plan);
		for (size_t k = 0; k < plan.setting_count; k++) {
			if (plan.settings[k].id == TUNABLE_TCP_RMEM)
				rmem = plan.settings[k].value.number[2];
			if (plan.settings[k].id == TUNABLE_TCP_WMEM)
				wmem = plan.settings[k].value.number[2];
		}
		print_message("row %zu: %s\n", i, plan.reason_text);
		assert_int_equal(plan.reason, rows[i].reason);
		assert_int_equal(rmem, rows[i].rmem);
		assert_int_equal(wmem, rows[i].wmem);
	}
}

/* Each cause, with each confidence, raises what its row says and nothing else. */
static void test_causes(void **state)
{
	(void)state;
	static const struct second held[] = {{600, 4.36, 2.09, 25, 0}, {703, 4.36, 2.09, 25, 0},
	    {703, 4.36, 2.09, 25, 0}, {703, 4.36, 2.09, 25, 0}};
	static struct plan plan;

	for (int factor = 0; factor < FACTOR_COUNT; factor++) {
		for (int sure = CONFIDENCE_LOW; sure <= CONFIDENCE_HIGH; sure++) {
			static const struct path_context no_context;
			struct run run;
			struct host receiver, sender;
			struct analysis analysis = {.run = &run};
			const struct path_given given = {.target_bps = 3.34e9};
			bool buffer =
			    factor == FACTOR_RECEIVE_WINDOW || factor == FACTOR_SEND_BUFFER;

			run_make(&run, held, 4);
			stock_host(&receiver, &releases[7], 16e9);
			stock_host(&sender, &releases[7], 16e9);
			receiver.values[TUNABLE_TCP_RMEM] = vector(4096, 131072, 4 * MIB);
			path_from_run(&analysis.path, &run, &given, &no_context);
			analysis.limit.factor = (enum factor)factor;
			analysis.limit.confidence = (enum confidence)sure;
			plan_make(&(struct advice_input){.analysis = &analysis,
				      .receiver = &receiver,
				      .sender = &sender,
				      .target_is_given = true},
			    &plan);
			size_t ceilings = 0;
			for (size_t i = 0; i < plan.setting_count; i++)
				ceilings += is_ceiling(&plan.settings[i]);
			if ((ceilings > 0) != (buffer && sure >= CONFIDENCE_MEDIUM))
				fail_msg("%s with confidence %d: %zu ceilings",
				    factor_table[factor].name, sure, ceilings);
			series_free(&run.series);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_causes),
	    cmocka_unit_test(test_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
