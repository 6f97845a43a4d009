#include "diagnosis/run_groups.h"

#include <math.h>
#include <string.h>

/* SO_RCVBUF and SO_SNDBUF are doubled by the kernel (net/core/sock.c, __sock_set_rcvbuf): the buffer
 * that `iperf3 -w N` gets is that of a tcp_rmem maximum of twice N. */
#define SOCKET_BUFFER_FACTOR 2

/* ---- what stands beside the runs ---- */

static const struct host *dump_of(const struct run_source *source)
{
	static const enum end ends[] = {END_NONE, END_RECEIVER, END_SENDER};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (source->evidence.hosts[ends[i]].origin != HOST_UNKNOWN)
			return &source->evidence.hosts[ends[i]];
	return NULL;
}

/* A ping without a run is of the idle path, whatever its label. */
static void take_idle_ping(struct run_groups *set, const struct run_source *source)
{
	for (unsigned i = 0; i < source->evidence.ping_count && set->idle_rtt_us <= 0; i++)
		if (source->evidence.pings[i].min_us > 0)
			set->idle_rtt_us = source->evidence.pings[i].min_us;
}

static bool has_run(const struct run_source *source)
{
	return source->evidence.runs.count > 0;
}

/* A dump without a run belongs to the run before it when nothing else tells that one's ceiling. */
static const struct host *dump_beside(const struct run_groups *set, size_t index)
{
	const struct host *dump = dump_of(set->sources[index]);

	if (dump || index + 1 >= set->source_count || has_run(set->sources[index + 1]))
		return dump;
	return dump_of(set->sources[index + 1]);
}

/* Which of the two ceilings differs from dump to dump. */
static enum tunable_id find_swept_key(const struct run_groups *set)
{
	static const enum tunable_id keys[] = {TUNABLE_TCP_RMEM, TUNABLE_TCP_WMEM};

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		const struct tunable_value *first = NULL;
		for (size_t i = 0; i < set->source_count; i++) {
			const struct host *dump = dump_of(set->sources[i]);
			if (!dump || !dump->values[keys[k]].known)
				continue;
			if (first && first->number[2] != dump->values[keys[k]].number[2])
				return keys[k];
			first = first ? first : &dump->values[keys[k]];
		}
	}
	return TUNABLE_TCP_RMEM;
}

static double socket_buffer(const struct run_source *source)
{
	for (size_t i = 0; i < source->evidence.runs.count; i++) {
		const struct run *run = &source->evidence.runs.items[i];
		if ((run->has & RUN_SOCKET_BUFFER) && run->socket_buffer_bytes > 0)
			return (double)run->socket_buffer_bytes * SOCKET_BUFFER_FACTOR;
	}
	return 0;
}

static bool find_ceiling(struct run_groups *set, size_t index)
{
	struct run_source *source = set->sources[index];
	const struct host *dump = dump_beside(set, index);

	if (source->from == CEILING_LABEL)
		return true;
	if (dump && dump->values[set->swept_key].known) {
		source->ceiling_bytes = (double)dump->values[set->swept_key].number[2];
		source->from = CEILING_DUMP;
		return true;
	}
	source->ceiling_bytes = socket_buffer(source);
	source->from = source->ceiling_bytes > 0 ? CEILING_SOCKET : CEILING_UNKNOWN;
	return source->from != CEILING_UNKNOWN;
}

static bool find_ceilings(struct run_groups *set)
{
	if (set->swept_key == TUNABLE_COUNT)
		set->swept_key = find_swept_key(set);
	for (size_t i = 0; i < set->source_count && !set->unknown_ceiling; i++)
		if (has_run(set->sources[i]) && !find_ceiling(set, i))
			set->unknown_ceiling = set->sources[i];
	return !set->unknown_ceiling;
}

/* The dump that shows the smallest ceiling is of the host as it was before the others. */
static void find_host(struct run_groups *set)
{
	const struct tunable_value *least = NULL;

	for (size_t i = 0; i < set->source_count; i++) {
		const struct host *dump = dump_of(set->sources[i]);
		const struct tunable_value *value = dump ? &dump->values[set->swept_key] : NULL;
		if (!value || !value->known || (least && least->number[2] <= value->number[2]))
			continue;
		least = value;
		set->host = dump;
	}
}

static bool look_beside(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++)
		if (!has_run(set->sources[i]))
			take_idle_ping(set, set->sources[i]);
	if (set->what == RUN_GROUPS_OF_COMPARE)
		return true;
	bool known = find_ceilings(set);
	find_host(set);
	return known;
}

/* ---- gathering ---- */

static bool is_of(const struct run_groups *set, const struct group_run *run, size_t index)
{
	const struct run_source *source = run->source;

	return set->what == RUN_GROUPS_OF_SWEEP
		   ? fabs(source->ceiling_bytes - set->groups[index].ceiling_bytes) < 0.5
		   : strcmp(source->label, set->labels[index]) == 0;
}

static void place(struct run_groups *set, const struct group_run *run)
{
	size_t at = set->count;
	double ceiling = run->source->ceiling_bytes;

	for (size_t i = 0; i < set->count; i++)
		if (is_of(set, run, i))
			return;
	if (set->count == RUN_GROUPS_MAX) {
		run_groups_leave_out(
		    set, &(struct left_out){.why = LEFT_OUT_TOO_MANY, .run = run->analysis.run});
		return;
	}
	while (set->what == RUN_GROUPS_OF_SWEEP && at > 0 &&
	       set->groups[at - 1].ceiling_bytes > ceiling) {
		set->groups[at] = set->groups[at - 1];
		set->labels[at] = set->labels[at - 1];
		at--;
	}
	set->groups[at] = (struct run_group){.ceiling_bytes = ceiling};
	set->labels[at] = run->source->label;
	set->count++;
}

static void fill(struct run_groups *set, size_t index)
{
	struct run_summary summary[GROUP_RUNS_MAX];
	double errors[GROUP_RUNS_MAX], least = INFINITY;
	struct run_group *group = &set->groups[index];
	unsigned count = 0;

	for (size_t i = 0; i < set->run_count && count < GROUP_RUNS_MAX; i++) {
		if (!is_of(set, &set->runs[i], index))
			continue;
		summary[count] = set->runs[i].summary;
		errors[count++] = rate_error(&set->runs[i].analysis.path);
	}
	run_group_compute(group, summary, errors, count);
	for (size_t i = 0; i < set->run_count; i++) {
		double away = fabs(
		    set->runs[i].summary.value[FIGURE_RATE] - group->range[FIGURE_RATE].median);
		if (is_of(set, &set->runs[i], index) && away < least) {
			least = away;
			set->typical[index] = &set->runs[i];
		}
	}
}

static enum groups_problem check_count(const struct run_groups *set)
{
	if (set->contradicts)
		return GROUPS_CONTRADICT;
	return set->count == 0 ? GROUPS_NO_RUN : set->count == 1 ? GROUPS_ONE_ONLY : GROUPS_GOOD;
}

enum groups_problem run_groups_gather(struct run_groups *set)
{
	if (!look_beside(set))
		return GROUPS_CEILING_UNKNOWN;
	run_groups_filter(set);
	for (size_t i = 0; i < set->run_count; i++)
		place(set, &set->runs[i]);
	enum groups_problem problem = check_count(set);
	for (size_t i = 0; i < set->count && problem == GROUPS_GOOD; i++)
		fill(set, i);
	return problem;
}
