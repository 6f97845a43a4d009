#include "verbs/run_groups.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/units.h"

/* SO_RCVBUF and SO_SNDBUF are doubled by the kernel (net/core/sock.c, __sock_set_rcvbuf): the buffer
 * that `iperf3 -w N` gets is that of a tcp_rmem maximum of twice N. */
#define SOCKET_BUFFER_FACTOR 2

void run_groups_begin(struct run_groups *set, const struct run_groups_given *given)
{
	*set = (struct run_groups){
	    .what = given->what, .swept_key = given->swept_key, .idle_rtt_us = given->idle_rtt_us};
}

static char *copy(const char *text, size_t length)
{
	char *made = strndup(text, length);

	if (!made)
		err(1, NULL);
	return made;
}

static struct run_source *append(struct run_groups *set, const char *name)
{
	struct run_source *source = calloc(1, sizeof(*source));

	set->sources = reallocarray(set->sources, set->source_count + 1, sizeof(*set->sources));
	if (!source || !set->sources)
		err(1, NULL);
	source->name = copy(name, strlen(name));
	set->sources[set->source_count++] = source;
	return source;
}

/* ---- reading ---- */

/* "LABEL=FILE": the equals sign of a path that exists, or behind a slash, is part of a name; those of
 * sender=FILE and receiver=FILE say whose file it is. */
static const char *split_label(const char *operand, size_t *length)
{
	const char *equals = strchr(operand, '=');

	*length = 0;
	if (!equals || equals == operand || memchr(operand, '/', (size_t)(equals - operand)) ||
	    strncmp(operand, "sender=", 7) == 0 || strncmp(operand, "receiver=", 9) == 0 ||
	    access(operand, F_OK) == 0)
		return operand;
	*length = (size_t)(equals - operand);
	return equals + 1;
}

static int exit_of(enum operand_result result)
{
	return result == OPERAND_OK ? 0 : result == OPERAND_SYSTEM ? 1 : 3;
}

/* "run.json,ping.txt"; a file whose name has the comma is one. */
static int read_files(struct evidence *evidence, const char *files)
{
	if (access(files, F_OK) == 0)
		return exit_of(evidence_read(evidence, files));
	for (const char *at = files;;) {
		size_t length = strcspn(at, ",");
		char *file = copy(at, length);
		int code = 2;
		if (length == 0)
			warnx("'%s': a file name is missing beside the comma", quoted(files));
		else
			code = exit_of(evidence_read(evidence, file));
		free(file);
		if (code != 0 || at[length] == '\0')
			return code;
		at += length + 1;
	}
}

static int read_ceiling(struct run_source *source)
{
	uint64_t bytes;
	const char *why;

	if (source->label[0] == '\0')
		return 0;
	if (!size_parse(source->label, &bytes, &why)) {
		warnx("'%s=': a ceiling such as 17M= is expected there: %s", quoted(source->label),
		    why);
		return 2;
	}
	source->ceiling_bytes = (double)bytes;
	source->from = CEILING_LABEL;
	return 0;
}

int run_groups_read(struct run_groups *set, const char *operand)
{
	size_t length;
	const char *files = split_label(operand, &length);
	struct run_source *source = append(set, files);

	source->label = copy(operand, length);
	int code = set->what == RUN_GROUPS_OF_SWEEP ? read_ceiling(source) : 0;
	return code != 0 ? code : read_files(&source->evidence, files);
}

void run_groups_add(
    struct run_groups *set, const char *label, double ceiling_bytes, struct evidence *evidence)
{
	struct run_source *source = append(set, label);

	source->label = copy(label, strlen(label));
	source->ceiling_bytes = ceiling_bytes;
	source->from = ceiling_bytes > 0 ? CEILING_LABEL : CEILING_UNKNOWN;
	source->evidence = *evidence;
	*evidence = (struct evidence){0};
}

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

static int find_ceilings(struct run_groups *set)
{
	if (set->swept_key == TUNABLE_COUNT)
		set->swept_key = find_swept_key(set);
	for (size_t i = 0; i < set->source_count; i++) {
		const struct run_source *source = set->sources[i];
		if (!has_run(source) || find_ceiling(set, i))
			continue;
		warnx("%s: which ceiling was set is not known: say it, as in 17M=%s",
		    quoted(source->name), quoted(source->name));
		return 3;
	}
	return 0;
}

static void find_labels(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++) {
		struct run_source *source = set->sources[i];
		if (source->label[0] != '\0')
			continue;
		free(source->label);
		source->label = copy(source->name, strlen(source->name));
	}
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

static int look_beside(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++)
		if (!has_run(set->sources[i]))
			take_idle_ping(set, set->sources[i]);
	if (set->what == RUN_GROUPS_OF_COMPARE) {
		find_labels(set);
		return 0;
	}
	int code = find_ceilings(set);
	find_host(set);
	return code;
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
		run_groups_leave_out(set, "%s: more than %d to set side by side",
		    quoted(run->analysis.run->input), RUN_GROUPS_MAX);
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
	static struct run_summary summary[GROUP_RUNS_MAX];
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

static int refuse(const struct run_groups *set, const char *why)
{
	for (size_t i = 0; i < set->left_out_count; i++)
		warnx("%s", set->left_out[i]);
	warnx("%s", why);
	return 3;
}

static int check_count(const struct run_groups *set)
{
	bool sweep = set->what == RUN_GROUPS_OF_SWEEP;

	if (set->contradicts)
		return refuse(
		    set, "one test under two labels tells nothing: give each its own run");
	if (set->count == 0)
		return refuse(set, "there is no TCP run to set beside another");
	if (set->count == 1)
		return refuse(set, sweep
				       ? "a sweep needs runs at two ceilings or more: there is one"
				       : "a comparison needs runs under two labels or more: there "
					 "is one, as in cubic=a.json bbr=b.json");
	return 0;
}

int run_groups_gather(struct run_groups *set)
{
	int code = look_beside(set);

	if (code != 0)
		return code;
	run_groups_screen(set);
	for (size_t i = 0; i < set->run_count; i++)
		place(set, &set->runs[i]);
	code = check_count(set);
	for (size_t i = 0; i < set->count && code == 0; i++)
		fill(set, i);
	return code;
}

void run_groups_free(struct run_groups *set)
{
	for (size_t i = 0; i < set->source_count; i++) {
		evidence_free(&set->sources[i]->evidence);
		free(set->sources[i]->label);
		free(set->sources[i]->name);
		free(set->sources[i]);
	}
	free(set->sources);
	free(set->runs);
}
