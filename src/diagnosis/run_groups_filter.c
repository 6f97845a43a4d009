/* Which runs can be set side by side: TCP, one direction, one path, each test once. */
#include "diagnosis/run_groups.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "model/context.h"

/* Path RTTs that differ by more than this are of two paths. */
#define PATH_FACTOR 3
/* Below this hosts and interfaces make up much of it. */
#define PATH_LEAST_US 1000

void run_groups_leave_out(struct run_groups *set, const struct left_out *item)
{
	if (set->left_out_count < RUN_GROUPS_LEFT_OUT_MAX)
		set->left_out[set->left_out_count++] = *item;
}

static void leave_out(
    struct run_groups *set, enum left_out_why why, const struct run *run, const struct run *other)
{
	run_groups_leave_out(set, &(struct left_out){.why = why, .run = run, .other = other});
}

/* ---- analysing ---- */

/* With one ping beside a run it was taken during the test; of several the quickest is of the idle path. */
static const struct ping *loaded_ping(const struct evidence *evidence)
{
	const struct ping *slowest = NULL;

	for (unsigned i = 0; i < evidence->ping_count; i++)
		if (!slowest || evidence->pings[i].avg_us > slowest->avg_us)
			slowest = &evidence->pings[i];
	return slowest;
}

static void compute_summary(const struct run_groups *set, struct group_run *group)
{
	const struct evidence *evidence = &group->source->evidence;
	const struct run_summary_input input = {.run = group->analysis.run,
	    .path = &group->analysis.path,
	    .loaded_ping = loaded_ping(evidence),
	    .tc = evidence->has_tc ? &evidence->tc : NULL,
	    .idle_rtt_us = set->idle_rtt_us};

	run_summary_compute(&input, &group->summary);
}

static void analyse(const struct run_groups *set, struct group_run *group, const struct run *run)
{
	const struct evidence *evidence = &group->source->evidence;
	const struct path_given given = {.idle_rtt_us = set->idle_rtt_us};
	struct analysis *analysis = &group->analysis;

	analysis->run = run;
	context_for_run(&group->context, evidence, run, evidence_host(evidence, END_RECEIVER, run));
	if (evidence->ping_count == 1) {
		group->context.ping_is_loaded = true;
		group->context.loaded_ping = &evidence->pings[0];
	}
	path_from_run(&analysis->path, run, &given, &group->context);
	const struct diagnosis_input input = {.path = &analysis->path,
	    .run = run,
	    .context = &group->context,
	    .sender = evidence_host(evidence, END_SENDER, run),
	    .receiver = evidence_host(evidence, END_RECEIVER, run)};
	limit_decide(&input, &analysis->limit);
	compute_summary(set, group);
}

/* False, and noted, when the run cannot count at all. */
static bool is_usable(struct run_groups *set, const struct run *run)
{
	bool empty = run->sent_bytes + run->received_bytes == 0 && run->series.count == 0;

	if (run->protocol == PROTOCOL_TCP && !empty)
		return true;
	leave_out(
	    set, run->protocol != PROTOCOL_TCP ? LEFT_OUT_PROTOCOL : LEFT_OUT_EMPTY, run, NULL);
	return false;
}

static void add_runs(struct run_groups *set, const struct run_source *source)
{
	const struct runs *runs = &source->evidence.runs;

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];
		if (!is_usable(set, run))
			continue;
		set->runs = reallocarray(set->runs, set->run_count + 1, sizeof(*set->runs));
		if (!set->runs)
			err(1, NULL);
		struct group_run *group = &set->runs[set->run_count++];
		*group = (struct group_run){.source = source};
		analyse(set, group, run);
		if (!(group->summary.has & 1u << FIGURE_RATE)) {
			leave_out(set, LEFT_OUT_NO_RATE, run, NULL);
			set->run_count--;
		}
	}
}

/* ---- one direction ---- */

static bool is_to_server(const struct run *run)
{
	return run->client == run->local_sends;
}

/* True when one carries data the other way than the other, as far as they tell. */
static bool is_opposite(const struct run *a, const struct run *b)
{
	bool named = a->sender[0] && a->receiver[0] && b->sender[0] && b->receiver[0];

	/* First, since over the loopback both ends have one address. */
	if (named && strcmp(a->sender, b->sender) == 0 && strcmp(a->receiver, b->receiver) == 0)
		return false;
	if (named && strcmp(a->sender, b->receiver) == 0 && strcmp(a->receiver, b->sender) == 0)
		return true;
	return is_to_server(a) != is_to_server(b);
}

/* Whether two runs can be compared; the filter keeps what agrees with the most. */
typedef bool (*agreement)(const struct group_run *a, const struct group_run *b);

static bool same_direction(const struct group_run *a, const struct group_run *b)
{
	return !is_opposite(a->analysis.run, b->analysis.run);
}

/* How many operands have a run that agrees with this one. */
static size_t supporters(const struct run_groups *set, const struct group_run *run, agreement agree)
{
	const struct run_source *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < set->run_count; i++) {
		if (set->runs[i].source != last && agree(run, &set->runs[i])) {
			count++;
			last = set->runs[i].source;
		}
	}
	return count;
}

static size_t reference(const struct run_groups *set, agreement agree)
{
	size_t best = 0, most = 0;

	for (size_t i = 0; i < set->run_count; i++) {
		size_t count = supporters(set, &set->runs[i], agree);
		if (count > most) {
			most = count;
			best = i;
		}
	}
	return best;
}

static bool has_other_run(const struct run_groups *set, const struct group_run *run,
    const struct group_run *kept, agreement agree)
{
	for (size_t i = 0; i < set->run_count; i++)
		if (set->runs[i].source == run->source && agree(kept, &set->runs[i]))
			return true;
	return false;
}

/* The two runs of --bidir go apart without a word: the other direction is there on purpose. */
static void filter_direction(struct run_groups *set)
{
	if (set->run_count == 0)
		return;
	struct group_run kept = set->runs[reference(set, same_direction)];
	size_t at = 0;

	for (size_t i = 0; i < set->run_count; i++) {
		if (same_direction(&kept, &set->runs[i]))
			continue;
		if (!has_other_run(set, &set->runs[i], &kept, same_direction))
			leave_out(
			    set, LEFT_OUT_DIRECTION, set->runs[i].analysis.run, kept.analysis.run);
	}
	for (size_t i = 0; i < set->run_count; i++)
		if (same_direction(&kept, &set->runs[i]))
			set->runs[at++] = set->runs[i];
	set->run_count = at;
}

/* ---- one path ---- */

/* Least and most that the path's RTT may be; a queue that the flow itself fills hides what is below. */
static bool rtt_bounds(const struct group_run *run, double *low_us, double *high_us)
{
	const struct path *path = &run->analysis.path;
	bool queued = run->analysis.limit.factor == FACTOR_QUEUE || path->bin_rtt.trend > 1.2 ||
		      path->elasticity.queue > 0.5;

	if (path->rtt.method == RTT_UNKNOWN)
		return false;
	*low_us = queued ? 0 : path->rtt.low_us;
	*high_us = path->rtt.high_us;
	return true;
}

static bool same_path(const struct group_run *a, const struct group_run *b)
{
	double a_low, a_high, b_low, b_high;

	if (!rtt_bounds(a, &a_low, &a_high) || !rtt_bounds(b, &b_low, &b_high))
		return true;
	return !(a_low > PATH_FACTOR * b_high && a_low > PATH_LEAST_US) &&
	       !(b_low > PATH_FACTOR * a_high && b_low > PATH_LEAST_US);
}

static void filter_path(struct run_groups *set)
{
	/* Runs made in turn to one host go one path: then its RTT differs by what is compared. */
	if (set->run_count == 0 || set->made)
		return;
	struct group_run kept = set->runs[reference(set, same_path)];
	size_t at = 0;

	for (size_t i = 0; i < set->run_count; i++) {
		struct group_run *run = &set->runs[i];
		if (same_path(&kept, run)) {
			set->runs[at++] = *run;
			continue;
		}
		const struct left_out item = {.why = LEFT_OUT_PATH,
		    .run = run->analysis.run,
		    .other = kept.analysis.run,
		    .rtt_us = run->analysis.path.rtt.us,
		    .other_rtt_us = kept.analysis.path.rtt.us};
		run_groups_leave_out(set, &item);
	}
	set->run_count = at;
}

/* ---- each test once ---- */

static bool same_bins(const struct series *a, const struct series *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->bins[i].bytes != b->bins[i].bytes ||
		    a->bins[i].retransmits != b->bins[i].retransmits ||
		    a->bins[i].cwnd_bytes != b->bins[i].cwnd_bytes)
			return false;
	return true;
}

/* True when both are views of one test. */
static bool is_same_test(const struct run *a, const struct run *b)
{
	if (a->cookie[0] && b->cookie[0])
		return strcmp(a->cookie, b->cookie) == 0;
	return a->sent_bytes == b->sent_bytes && a->received_bytes == b->received_bytes &&
	       a->retransmits == b->retransmits && same_bins(&a->series, &b->series);
}

/* The end that sends knows cwnd, RTT and retransmits. */
static bool knows_more(const struct run *a, const struct run *b)
{
	return a->local_sends && !b->local_sends;
}

static bool same_label(const struct run_source *a, const struct run_source *b)
{
	if (a->ceiling_bytes > 0 || b->ceiling_bytes > 0)
		return a->ceiling_bytes <= b->ceiling_bytes && a->ceiling_bytes >= b->ceiling_bytes;
	return strcmp(a->label, b->label) == 0;
}

/* True when the run is another view of one that is kept; keeps the one that knows more. */
static bool is_repeated(struct run_groups *set, const struct group_run *run, size_t kept_count)
{
	for (size_t i = 0; i < kept_count; i++) {
		struct group_run *kept = &set->runs[i];
		const struct run *a = kept->analysis.run, *b = run->analysis.run;
		bool same = same_label(kept->source, run->source);
		if (!is_same_test(a, b))
			continue;
		leave_out(set, same ? LEFT_OUT_REPEATED : LEFT_OUT_RELABELLED, b, a);
		set->contradicts |= !same;
		if (same && knows_more(b, a))
			*kept = *run;
		return true;
	}
	return false;
}

static void filter_repeats(struct run_groups *set)
{
	size_t at = 0;

	for (size_t i = 0; i < set->run_count; i++) {
		struct group_run run = set->runs[i];
		if (!is_repeated(set, &run, at))
			set->runs[at++] = run;
	}
	set->run_count = at;
}

/* Runs over one path have one idle RTT: where nobody measured it, the smallest that any of them saw is
 * nearest to it.  A queue that stands all the time hides it from the run that fills it. */
static void take_smallest_rtt(struct run_groups *set)
{
	double least = 0;

	if (set->idle_rtt_us > 0)
		return;
	for (size_t i = 0; i < set->run_count; i++) {
		const struct rtt *rtt = &set->runs[i].analysis.path.rtt;
		bool measured = rtt->method == RTT_TCP_INFO || rtt->method == RTT_PING;
		if (measured && rtt->us > 0 && (least <= 0 || rtt->us < least))
			least = rtt->us;
	}
	set->idle_rtt_us = least;
	set->idle_is_seen = least > 0;
	for (size_t i = 0; i < set->run_count; i++)
		compute_summary(set, &set->runs[i]);
}

void run_groups_filter(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++)
		add_runs(set, set->sources[i]);
	filter_direction(set);
	filter_path(set);
	filter_repeats(set);
	take_smallest_rtt(set);
}
