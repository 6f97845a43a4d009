#include "verbs/verbs.h"

#include <err.h>
#include <string.h>

#include "advice/advice.h"
#include "report/plan_text.h"
#include "report/run_groups_report.h"
#include "system/procfs.h"
#include "verbs/measure.h"
#include "report/plot.h"
#include "verbs/output.h"
#include "verbs/picture.h"
#include "verbs/run_groups_read.h"

/* Everything that becomes of the runs of one sweep. */
struct sweep_case {
	const struct options *options;
	struct run_groups set;
	struct sweep_rule rule;
	struct sweep sweep;
	struct evidence dump;	 /* --sysctl */
	struct host system;	 /* --sysroot, or this machine when the runs were made here */
	const struct host *host; /* the one that was swept, or NULL */
	enum role here;		 /* what this machine is on the path */
	struct plan plan;
	const struct analysis *typical[RUN_GROUPS_MAX];
};

static bool sends(const struct sweep_case *c)
{
	return c->set.swept_key == TUNABLE_TCP_WMEM;
}

/* The lossy, larger ceiling that shows what loss-based control runs into. */
static const struct analysis *beyond(const struct sweep_case *c)
{
	const struct range *loss;
	size_t last = c->set.count - 1;

	for (size_t i = c->sweep.knee + 1; i < c->set.count; i++) {
		loss = &c->set.groups[i].range[FIGURE_LOSS];
		if (loss->count > 0 && loss->median > c->rule.max_loss)
			return c->typical[i];
	}
	return c->sweep.knee < last ? c->typical[last] : NULL;
}

/* A sweep without a knee is no reason to set anything. */
static bool has_ceiling(const struct sweep_case *c)
{
	return c->sweep.end == SWEEP_KNEE || c->sweep.end == SWEEP_RISING;
}

static void make_plan(struct sweep_case *c)
{
	double ceiling = has_ceiling(c) ? c->set.groups[c->sweep.knee].ceiling_bytes : 0;
	bool proxy = c->options->role == ROLE_PROXY, only_send = sends(c) && !proxy;
	const struct advice_input input = {.analysis = c->typical[c->sweep.knee],
	    .receiver = only_send ? NULL : c->host,
	    .sender = only_send || proxy ? c->host : NULL,
	    .role = proxy ? ROLE_PROXY : ROLE_UNKNOWN,
	    .here = c->here,
	    .baseline = beyond(c),
	    .baseline_is_swept = true,
	    /* what still rises says nothing of what lies beyond it */
	    .allow_lower = c->options->allow_lower && c->sweep.end == SWEEP_KNEE,
	    .sweep_beyond_bytes =
		c->sweep.end == SWEEP_KNEE ? c->set.groups[c->set.count - 1].ceiling_bytes : 0,
	    .sweep_ceiling_bytes = only_send ? 0 : ceiling,
	    .sweep_send_bytes = only_send ? ceiling : 0};

	plan_make(&input, &c->plan);
	plan_text(&c->plan);
	/* It was measured; there is nothing to expect by a model. */
	c->plan.predicted_bps = 0;
}

/* The script forms have no place for what was left out. */
static void warn_left_out(const struct sweep_case *c)
{
	if (c->options->form == FORM_TEXT || c->options->form == FORM_JSON)
		return;
	for (size_t i = 0; i < c->set.left_out_count; i++)
		warnx("left out: %s", left_out_text(&c->set.left_out[i]).s);
}

static int print(struct sweep_case *c)
{
	static const struct findings no_findings;
	static const struct exposure no_memory;
	static const struct rfc6349 no_metrics;
	const struct style style = output_style(c->options, OUTPUT_WIDTH_PROSE);
	struct phrase headline;
	struct picture picture;
	struct report advice = {.version = BDP_VERSION,
	    .evidence = &c->set.typical[c->sweep.knee]->source->evidence,
	    .analyses = c->typical[c->sweep.knee],
	    .analysis_count = 1,
	    .findings = &no_findings,
	    .plan = &c->plan,
	    .memory = &no_memory,
	    .rfc6349 = &no_metrics,
	    .headline = headline.s,
	    .only = c->options->role};
	const struct sweep_report report = {.groups = groups_bundle(&c->set, c->typical),
	    .key = c->set.swept_key,
	    .rule = &c->rule,
	    .sweep = &c->sweep,
	    .current = c->host && c->host->values[c->set.swept_key].known
			   ? &c->host->values[c->set.swept_key]
			   : NULL,
	    .advice = &advice};

	headline = sweep_answer(&report); /* NOLINT: advice points to it, and comes first */
	warn_left_out(c);
	if (c->options->plot) {
		FILE *stream = picture_begin(&picture);
		bool drawn = plot_sweep(&report, stream);

		if (!picture_write(&picture, drawn, c->options->plot))
			return 1;
	}
	return output_finish(form_table[c->options->form].sweep(&report, &style, stdout));
}

static int compute(struct sweep_case *c)
{
	const struct options *options = c->options;

	c->rule = (struct sweep_rule){
	    .min_gain = options->given & GIVEN_MIN_GAIN ? options->min_gain : SWEEP_MIN_GAIN,
	    .max_loss = options->given & GIVEN_MAX_LOSS ? options->max_loss : SWEEP_MAX_LOSS};
	for (size_t i = 0; i < c->set.count; i++)
		c->typical[i] = &c->set.typical[i]->analysis;
	if (!c->host)
		c->host = c->set.host;
	sweep_compute(c->set.groups, c->set.count, &c->rule, &c->sweep);
	make_plan(c);
	return print(c);
}

/* ---- the host that was swept ---- */

static int read_host(struct sweep_case *c)
{
	static const enum end ends[] = {END_NONE, END_RECEIVER, END_SENDER};

	if (c->options->sysroot) {
		if (!host_read_system(&c->system, c->options->sysroot)) {
			warnx("%s: no kernel settings below it", c->options->sysroot);
			return 3;
		}
		c->host = &c->system;
	}
	if (!c->options->sysctl)
		return 0;
	enum operand_result result = evidence_read(&c->dump, c->options->sysctl);
	if (result != OPERAND_OK)
		return result == OPERAND_SYSTEM ? 1 : 3;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (c->dump.hosts[ends[i]].origin != HOST_UNKNOWN)
			c->host = &c->dump.hosts[ends[i]];
	return 0;
}

/* ---- where the runs come from ---- */

static int by_files(struct sweep_case *c)
{
	int code = read_host(c);

	if (c->options->operand_count < 2) {
		warnx(
		    "sweep needs runs at two ceilings or more, such as 17M=a.json 20M=b.json; or --run");
		return 2;
	}
	for (size_t i = 0; i < c->options->operand_count && code == 0; i++)
		code = run_groups_read(&c->set, c->options->operands[i]);
	if (code == 0)
		code = run_groups_prepare(&c->set);
	return code != 0 ? code : compute(c);
}

static int by_command(struct sweep_case *c)
{
	enum role role = ROLE_UNKNOWN;
	enum steps_of what = c->options->steps;

	if (c->options->operand_count > 0) {
		warnx("--run makes the runs: give no files beside it");
		return 2;
	}
	if (what == STEPS_NOTHING) {
		warnx("--run needs what to try: --ceilings 16M,20M,24M, --cc cubic,bbr, --streams "
		      "1,2,4 or --pacing 1G,2G");
		return 2;
	}
	if (what != STEPS_CEILINGS && !form_table[c->options->form].compare) {
		warnx(
		    "without --ceilings the sweep compares, and sets nothing: -o text or -o json");
		return 2;
	}
	c->set.made = true;
	int code = measure_run(c->options, what, &c->set, &c->system, &role);
	if (code == 0) {
		c->set.swept_key = measure_key(what, role);
		code = run_groups_prepare(&c->set);
	}
	if (code != 0)
		return code;
	if (what != STEPS_CEILINGS)
		return compare_report_groups(&c->set, c->options);
	c->host = &c->system;
	c->here = role;
	return compute(c);
}

int verb_sweep(const struct options *options)
{
	struct sweep_case c = {.options = options};
	const struct run_groups_given given = {
	    .what = options->steps == STEPS_NOTHING || options->steps == STEPS_CEILINGS
			? RUN_GROUPS_OF_SWEEP
			: RUN_GROUPS_OF_COMPARE,
	    .swept_key = options->role == ROLE_SENDER ? TUNABLE_TCP_WMEM
			 : options->role == ROLE_RECEIVER || options->role == ROLE_PROXY
			     ? TUNABLE_TCP_RMEM
			     : TUNABLE_COUNT,
	    .idle_rtt_us = options->idle_rtt_us};

	run_groups_begin(&c.set, &given);
	int code = options->command ? by_command(&c) : by_files(&c);
	run_groups_free(&c.set);
	evidence_free(&c.dump);
	return code;
}
