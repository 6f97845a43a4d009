/* From evidence to a plan: every run analysed, one chosen, its advice and what that costs. */
#include "verbs/question.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "advice/plan_memory.h"
#include "advice/qdisc_lines.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/units.h"
#include "diagnosis/choose_run.h"
#include "diagnosis/runaway.h"
#include "model/context.h"
#include "report/plan_text.h"
#include "system/qdisc_netlink.h"

static void analyse_run(const struct question *c, size_t at, const struct run *run)
{
	const struct ends *ends = &c->ends[at];
	struct analysis *analysis = &c->analyses[at];

	analysis->run = run;
	context_for_run(&c->contexts[at], &c->evidence, run, ends->receiver);
	path_from_run(&analysis->path, run, &c->given, &c->contexts[at]);
	const struct diagnosis_input input = {.path = &analysis->path,
	    .run = run,
	    .context = &c->contexts[at],
	    .sender = ends->sender,
	    .receiver = ends->receiver};
	limit_decide(&input, &analysis->limit);
}

/* No run: the busiest socket, or the numbers, make the one analysis there is. */
static void analyse_without_run(struct question *c)
{
	struct analysis *analysis = &c->analyses[0];
	struct path_context *context = &c->contexts[0];

	analysis->run = NULL;
	*context = (struct path_context){0};
	if (c->evidence.ping_count > 0) {
		context->ping = &c->evidence.pings[0];
		if (c->given.rtt_us <= 0)
			c->given.rtt_us = context->ping->min_us;
	}
	struct path_context beside;
	context_for_run(&beside, &c->evidence, NULL, NULL);
	if (c->given.loss_ratio <= 0 && probe_loss_tells(&beside.probe_loss)) {
		c->given.loss_ratio = beside.probe_loss.ratio;
		c->given.loss_is_probed = true;
	}
	path_from_numbers(&analysis->path, &c->given);
	const struct diagnosis_input input = {.path = &analysis->path,
	    .context = context,
	    .sender = c->ends[0].sender,
	    .receiver = c->ends[0].receiver};
	limit_decide(&input, &analysis->limit);
}

static void analyse_all(struct question *c, const struct options *options)
{
	size_t at = 0;

	for (size_t i = 0; i < c->evidence.runs.count; i++)
		if (c->evidence.runs.items[i].protocol == PROTOCOL_TCP) {
			question_ends(c, options, &c->evidence.runs.items[i], &c->ends[at]);
			analyse_run(c, at++, &c->evidence.runs.items[i]);
		}
	if (at > 0)
		return;
	question_ends(c, options, NULL, &c->ends[0]);
	analyse_without_run(c);
}

static void count_analyses(struct question *c)
{
	for (size_t i = 0; i < c->evidence.runs.count; i++)
		c->analysis_count += c->evidence.runs.items[i].protocol == PROTOCOL_TCP;
	if (c->analysis_count == 0)
		c->analysis_count = 1;
	c->analyses = reallocarray(NULL, c->analysis_count, sizeof(*c->analyses));
	c->contexts = reallocarray(NULL, c->analysis_count, sizeof(*c->contexts));
	c->ends = reallocarray(NULL, c->analysis_count, sizeof(*c->ends));
	if (!c->analyses || !c->contexts || !c->ends)
		err(1, NULL);
	memset(c->analyses, 0, c->analysis_count * sizeof(*c->analyses));
	memset(c->contexts, 0, c->analysis_count * sizeof(*c->contexts));
}

/* A baseline counts by what it carries: steady state and loss. */
static void analyse_baseline(struct question *c)
{
	static const struct path_given nothing;
	struct path_context context = {0};

	for (size_t i = 0; i < c->baseline_evidence.runs.count; i++) {
		const struct run *run = &c->baseline_evidence.runs.items[i];

		if (run->protocol != PROTOCOL_TCP)
			continue;
		c->baseline.run = run;
		path_from_run(&c->baseline.path, run, &nothing, &context);
		c->has_baseline = c->baseline.path.rate.bps > 0;
	}
}

static bool has_one_reading(const struct question *c)
{
	for (int end = END_NONE; end < END_COUNT; end++)
		if (c->evidence.counters_readings[end] > 0)
			return true;
	return false;
}

/* The input holds something, but nothing that advice can start from: says what it is. */
static int refuse_case(const struct question *c)
{
	const struct runs *runs = &c->evidence.runs;
	const char *name = runs->count ? runs->items[0].input : "the input";

	if (runs->count && runs->items[0].protocol == PROTOCOL_UDP) {
		const struct run *run = &runs->items[0];
		bool received = run->has & RUN_RECEIVED && run->received_seconds > 0;
		double rate = received ? (double)run->received_bytes * 8 / run->received_seconds
			      : run->sent_seconds > 0
				  ? (double)run->sent_bytes * 8 / run->sent_seconds
				  : 0;
		char loss[64] = "";

		if (run->has & RUN_JITTER && run->packets > 0)
			snprintf(loss, sizeof(loss), ", jitter %.3f ms, %s lost", run->jitter_ms,
			    percent_text((double)run->lost / (double)run->packets).s);
		report_error(
		    "%s: a UDP run (%s %s%s): it has no window to work from; run iperf3 without -u",
		    quoted(strcmp(name, "-") ? name : "standard input"), rate_text(rate).s,
		    received ? "received" : "sent", loss);
	} else if (runs->count) {
		report_error(
		    "%s: an SCTP run: this is about TCP; run iperf3 without --sctp", quoted(name));
	} else if (has_one_reading(c)) {
		report_error(
		    "one reading of the TCP counters counts from when the host started: give another, "
		    "taken later, or a run beside it");
	} else {
		report_error(
		    "nothing to work from: give an iperf3 run, ss of a connection, or two of -b, -r and -w");
	}
	return 3;
}

static bool has_anything(const struct question *c)
{
	const struct path *path = &c->analyses[0].path;

	return c->analyses[0].run || path->rate.known || path->bdp.known ||
	       (c->evidence.runs.count == 0 &&
		   (c->advised.origin == HOST_DUMP || question_has_state(c)));
}

static int pick_run(struct question *c, const struct options *options)
{
	if (!(options->given & GIVEN_RUN)) {
		c->chosen = choose_run(c->analyses, c->analysis_count);
		return 0;
	}
	if (options->run > c->analysis_count || !c->analyses[0].run) {
		report_error("--run %u: there are %zu", options->run,
		    c->analyses[0].run ? c->analysis_count : (size_t)0);
		return 2;
	}
	c->chosen = options->run - 1;
	return 0;
}

/* A plan that is carried elsewhere must not take that host for this one. */
static void name_maker(struct question *c)
{
	struct utsname u;

	c->plan.here_by = c->here_by;
	c->plan.made_on[0] = '\0';
	if (uname(&u) == 0)
		strlcpy(c->plan.made_on, u.nodename, sizeof(c->plan.made_on));
}

/* Findings on the chosen run and the plan that answers them. */
static void advise(struct question *c, const struct options *options)
{
	const struct analysis *chosen = &c->analyses[c->chosen];
	const struct diagnosis_input diagnosis = {.path = &chosen->path,
	    .run = chosen->run,
	    .context = &c->contexts[c->chosen],
	    .sender = c->sender,
	    .receiver = c->receiver};
	findings_collect(&diagnosis, &chosen->limit, &c->findings);
	find_other_runs(c->analyses, c->analysis_count, c->chosen, &c->findings);
	find_spread(c->analyses, c->analysis_count, c->chosen, &c->findings);
	const struct advice_input advice = {.analysis = chosen,
	    .receiver = c->receiver,
	    .sender = c->sender,
	    .role = options->role,
	    .here = c->here_role,
	    .baseline = c->has_baseline ? &c->baseline : NULL,
	    .target_is_given = c->target_is_given,
	    .allow_lower = options->allow_lower,
	    .loss_is_given = c->given.loss_ratio > 0,
	    .streams = options->streams,
	    .fixed_streams = options->streams > 0,
	    .setsockopt = options->setsockopt};
	plan_make(&advice, &c->plan);
	plan_text(&c->plan);
	name_maker(c);
}

/* Two readings of a host's counters tell whether its receive buffers run away. */
static void add_runaway(struct question *c)
{
	for (int end = END_NONE; end < END_COUNT; end++) {
		struct counters delta;
		struct runaway runaway;

		if (c->evidence.counters_readings[end] < 2)
			continue;
		counters_delta(
		    &c->evidence.counters_first[end], &c->evidence.counters_last[end], &delta);
		const struct runaway_input input = {
		    .delta = &delta, .host = c->receiver ? c->receiver : c->sender};
		runaway_decide(&input, &runaway);
		runaway_findings(&input, &runaway, &c->findings);
	}
}

/* default_qdisc does not reach interfaces that are up: for this machine their lines are exact. */
static void add_queue_lines(struct question *c)
{
	struct plan *plan = &c->plan;
	char left_alone[240];

	if (c->sender != &c->here || !host_read_qdiscs(&c->here))
		return;
	for (size_t i = 0; i < plan->setting_count; i++) {
		struct command *lines = plan->commands + plan->command_count;
		if (plan->settings[i].id != TUNABLE_DEFAULT_QDISC)
			continue;
		size_t count = qdisc_lines(&c->here, plan->settings[i].value.word,
		    plan->settings[i].host, lines, PLAN_COMMANDS_MAX - plan->command_count,
		    left_alone, sizeof(left_alone));
		commands_text(lines, count);
		plan->command_count += count;
	}
}

/* What the plan costs in memory, and the findings on that. */
static void compute_memory(struct question *c, const struct options *options)
{
	const struct path *path = &c->analyses[c->chosen].path;
	bool counted = (options->given & GIVEN_CONNECTIONS) != 0;
	/* the host that facts are given for, the receiver first */
	struct exposure_input in = exposure_of_host(c->receiver ? c->receiver : c->sender);

	in.connections = counted ? options->connections : 0;
	in.active = options->given & GIVEN_ACTIVE ? options->active : in.connections;
	if (path->bdp.known)
		in.bdp_bytes = c->plan.streams.count > 0 ? path->bdp.bytes / c->plan.streams.count
							 : path->bdp.stream_bytes;
	in.receives = options->role != ROLE_SENDER;
	in.sends = options->role == ROLE_SENDER || options->role == ROLE_PROXY ||
		   (options->role == ROLE_UNKNOWN && !c->analyses[c->chosen].run);
	plan_memory(&c->plan, &in, &c->memory, &c->findings);
}

int question_compute(struct question *c, const struct options *options)
{
	count_analyses(c);
	analyse_baseline(c);
	if (c->has_baseline && c->given.target_bps <= 0)
		c->given.target_bps = c->baseline.path.rate.bps;
	/* A rate and an RTT by hand are a path to size for. */
	c->target_is_given =
	    c->given.target_bps > 0 || (c->given.bandwidth_bps > 0 && c->given.rtt_us > 0);

	analyse_all(c, options);
	if (!has_anything(c))
		return refuse_case(c);
	int code = pick_run(c, options);
	if (code != 0)
		return code;
	code = question_take_ends(c, options, &c->ends[c->chosen]);
	if (code != 0)
		return code;

	question_place_loss(c);
	advise(c, options);
	add_runaway(c);
	question_state(c);
	add_queue_lines(c);
	compute_memory(c, options);
	rfc6349_compute(&c->analyses[c->chosen].path, &c->rfc6349);
	return 0;
}

void question_bundle(const struct question *c, const struct options *options, struct report *report)
{
	*report = (struct report){.version = BDP_VERSION,
	    .evidence = &c->evidence,
	    .analyses = c->analyses,
	    .analysis_count = c->analysis_count,
	    .chosen = c->chosen,
	    .findings = &c->findings,
	    .plan = &c->plan,
	    .memory = &c->memory,
	    .rfc6349 = &c->rfc6349,
	    .only = options->role,
	    .here = c->receiver == &c->here || c->sender == &c->here ? &c->here : NULL,
	    .here_by = c->here_by};
}
