#include "diagnosis/runaway.h"

#include <math.h>
#include <string.h>

#include "model/window.h"

/* With this many wishes to close a window for each time it was closed, closing did not work. */
#define WISHES_PER_CLOSE 10

const enum counter_id runaway_counters[] = {COUNTER_WANT_ZERO_WINDOW_ADV,
    COUNTER_TO_ZERO_WINDOW_ADV, COUNTER_FROM_ZERO_WINDOW_ADV, COUNTER_PRUNE_CALLED,
    COUNTER_RCV_PRUNED, COUNTER_OFO_PRUNED, COUNTER_RCV_COLLAPSED, COUNTER_RCV_Q_DROP,
    COUNTER_ZERO_WINDOW_DROP, COUNTER_OFO_DROP, COUNTER_BEYOND_WINDOW, COUNTER_BACKLOG_DROP,
    COUNTER_MEMORY_PRESSURES, COUNTER_MEMORY_PRESSURES_CHRONO, COUNTER_ABORT_ON_MEMORY,
    COUNTER_COUNT};

/* Those that rise when a receive buffer holds more than it may: room was made, or data dropped. */
static const enum counter_id over_limit[] = {COUNTER_PRUNE_CALLED, COUNTER_RCV_PRUNED,
    COUNTER_OFO_PRUNED, COUNTER_RCV_COLLAPSED, COUNTER_RCV_Q_DROP, COUNTER_BACKLOG_DROP};

#define OVER_LIMIT_COUNT (sizeof(over_limit) / sizeof(over_limit[0]))

const char *runaway_verdict_name(enum runaway_verdict verdict)
{
	static const char *const names[] = {
	    [RUNAWAY_UNKNOWN] = "unknown",
	    [RUNAWAY_ABSENT] = "absent",
	    [RUNAWAY_SUSPECTED] = "suspected",
	    [RUNAWAY_CONFIRMED] = "confirmed",
	};
	return names[verdict];
}

const char *runaway_remedy_name(enum runaway_remedy remedy)
{
	static const char *const names[] = {
	    [REMEDY_NONE] = "none",
	    [REMEDY_MEASURE] = "measure",
	    [REMEDY_SHRINK_WINDOW] = "shrink-window",
	    [REMEDY_LOWER_CEILING] = "lower-ceiling",
	    [REMEDY_READERS] = "fix-readers",
	};
	return names[remedy];
}

/* The values of one more fact, all absent; NULL when there is no room. */
static struct value *fact_add(struct runaway *runaway, enum runaway_fact fact)
{
	if (runaway->evidence_count == RUNAWAY_EVIDENCE_MAX)
		return NULL;
	struct runaway_evidence *item = &runaway->evidence[runaway->evidence_count++];
	*item = (struct runaway_evidence){.fact = fact};
	return item->values;
}

static uint64_t risen(const struct counters *delta, enum counter_id id)
{
	return delta && delta->known[id] ? delta->value[id] : 0;
}

/* As operators know it: without "TcpExt". */
static const char *short_name(enum counter_id id)
{
	const char *name = counter_table[id].name;

	return strncmp(name, "TcpExt", 6) == 0 ? name + 6 : name;
}

/* Pairs of name and increase of the counters over their limit that rose, at values[count]. */
static void list_over_limit(const struct counters *delta, struct value *values)
{
	for (size_t i = 0; i < OVER_LIMIT_COUNT; i++) {
		uint64_t by = risen(delta, over_limit[i]);
		if (by == 0)
			continue;
		*values++ = as_word(short_name(over_limit[i]));
		*values++ = as_count(by);
	}
}

static bool rose_over_limit(const struct counters *delta)
{
	for (size_t i = 0; i < OVER_LIMIT_COUNT; i++)
		if (risen(delta, over_limit[i]) > 0)
			return true;
	return false;
}

static struct value interval_of(const struct runaway_input *input)
{
	return input->seconds > 0 ? as_number(input->seconds) : (struct value){0};
}

/* The counters' part: a window that had to close and could not, and buffers that overflowed. */
static bool counters_confirm(const struct runaway_input *input, struct runaway *runaway)
{
	const struct counters *delta = input->delta;
	uint64_t want = risen(delta, COUNTER_WANT_ZERO_WINDOW_ADV);
	uint64_t closed = risen(delta, COUNTER_TO_ZERO_WINDOW_ADV);
	bool over = rose_over_limit(delta);
	struct value *values;

	if (want > 0 &&
	    (values = fact_add(runaway, closed == 0	? FACT_WINDOWS_NEVER_CLOSED
					: want > closed ? FACT_WINDOWS_CLOSED_LATE
							: FACT_WINDOWS_CLOSED)) != NULL) {
		values[0] = as_count(want);
		values[1] = interval_of(input);
		values[2] = as_count(closed);
	}
	if (over && (values = fact_add(runaway, FACT_OVER_LIMIT)) != NULL) {
		values[0] = interval_of(input);
		list_over_limit(delta, values + 1);
	}
	if (over && !delta->known[COUNTER_WANT_ZERO_WINDOW_ADV])
		fact_add(runaway, FACT_WISHES_NOT_SHOWN);
	if (want == 0 || !over || want <= closed)
		return false;
	runaway->confidence = want >= WISHES_PER_CLOSE * (closed > 0 ? closed : 1)
				  ? CONFIDENCE_HIGH
				  : CONFIDENCE_MEDIUM;
	return true;
}

static void add_sockets(const struct runaway_input *input, struct runaway *runaway)
{
	struct value *values;

	if (input->beyond_sockets > 0 &&
	    (values = fact_add(runaway, FACT_BUFFERS_BEYOND)) != NULL) {
		values[0] = as_count(input->beyond_sockets);
		values[1] = as_size(input->beyond_held_bytes);
		values[2] = as_size(input->largest_buffer_bytes);
	}
	if (input->behind > 0 && (values = fact_add(runaway, FACT_SLOW_READERS)) != NULL) {
		values[0] = as_count(input->behind);
		values[1] = input->stalled > 0 ? as_count(input->stalled) : (struct value){0};
	}
}

static const struct tunable_value *value_of(const struct host *host, enum tunable_id id)
{
	return host && host->values[id].known ? &host->values[id] : NULL;
}

/* The ceiling whose window still covers the largest BDP seen, when it is below the present one. */
static double lower_ceiling(const struct runaway_input *input)
{
	const struct tunable_value *rmem = value_of(input->host, TUNABLE_TCP_RMEM);

	if (!rmem || input->largest_bdp_bytes <= 0)
		return 0;
	double share =
	    window_share(&input->host->kernel, &input->host->values[TUNABLE_TCP_ADV_WIN_SCALE])
		.planning;
	double bytes = fmax(ceiling_round(buffer_for_window(input->largest_bdp_bytes, share)),
	    (double)rmem->number[1]);
	return bytes < (double)rmem->number[2] ? bytes : 0;
}

/* The knob where the kernel has it, else a ceiling that leaves less room, else the readers. */
static void choose_remedy(const struct runaway_input *input, struct runaway *runaway)
{
	const struct tunable_value *shrink = value_of(input->host, TUNABLE_TCP_SHRINK_WINDOW);

	runaway->ceiling_bytes = lower_ceiling(input);
	if (shrink && !runaway->already_shrinks) {
		runaway->remedy = REMEDY_SHRINK_WINDOW;
		return;
	}
	runaway->ceiling_needs_leave = runaway->ceiling_bytes > 0 && !input->allow_lower;
	runaway->remedy = runaway->ceiling_bytes > 0 && input->allow_lower ? REMEDY_LOWER_CEILING
									   : REMEDY_READERS;
}

static void add_since_boot(const struct runaway_input *input, struct runaway *runaway)
{
	uint64_t want = risen(input->since_boot, COUNTER_WANT_ZERO_WINDOW_ADV);
	struct value *values;

	if ((want == 0 && !rose_over_limit(input->since_boot)) ||
	    (values = fact_add(runaway, FACT_SINCE_BOOT)) == NULL)
		return;
	values[0] = as_count(want);
	list_over_limit(input->since_boot, values + 1);
}

void runaway_decide(const struct runaway_input *input, struct runaway *runaway)
{
	const struct tunable_value *shrink = value_of(input->host, TUNABLE_TCP_SHRINK_WINDOW);

	*runaway = (struct runaway){
	    .verdict = RUNAWAY_UNKNOWN, .already_shrinks = shrink && shrink->number[0] != 0};
	bool confirmed = input->delta && counters_confirm(input, runaway);
	bool suspicious = input->has_sockets && (input->beyond_sockets > 0 || input->behind > 0);

	add_sockets(input, runaway);
	if (confirmed) {
		runaway->verdict = RUNAWAY_CONFIRMED;
		choose_remedy(input, runaway);
		return;
	}
	if (!input->delta)
		add_since_boot(input, runaway);
	/* one counter of the two: the windows may have had to be closed, or not */
	bool half = input->delta && !input->delta->known[COUNTER_WANT_ZERO_WINDOW_ADV];
	if (suspicious || (half && rose_over_limit(input->delta)))
		runaway->verdict = RUNAWAY_SUSPECTED;
	else if (input->delta && !half)
		runaway->verdict = RUNAWAY_ABSENT;
	if (suspicious && input->behind > 0 && input->delta)
		runaway->remedy = REMEDY_READERS;
	else if (!input->delta || half)
		runaway->remedy = REMEDY_MEASURE;
}

static void find_pressure(const struct runaway_input *input, struct findings *findings)
{
	const struct host *host = input->host;
	const struct tunable_value *limits = value_of(host, TUNABLE_TCP_MEM);
	uint64_t times = risen(input->delta, COUNTER_MEMORY_PRESSURES);
	uint64_t resets = risen(input->delta, COUNTER_ABORT_ON_MEMORY);
	double page = (double)host_page_bytes(host);

	if (limits && (host->sockstat.has & SOCKSTAT_TCP) &&
	    (int64_t)host->sockstat.memory_pages > limits->number[1])
		finding_add(findings, FINDING_MEMORY_PRESSURE, PRESSURE_HELD,
		    as_size((double)host->sockstat.memory_pages * page),
		    as_size((double)limits->number[1] * page));
	else if (times > 0 || resets > 0)
		finding_add(findings, FINDING_MEMORY_PRESSURE, PRESSURE_COUNTED, as_count(times),
		    as_count(resets));
}

void runaway_findings(
    const struct runaway_input *input, const struct runaway *runaway, struct findings *findings)
{
	if (runaway->verdict == RUNAWAY_CONFIRMED) {
		struct value values[FINDING_VALUES_MAX] = {
		    as_count(risen(input->delta, COUNTER_WANT_ZERO_WINDOW_ADV)),
		    as_count(risen(input->delta, COUNTER_TO_ZERO_WINDOW_ADV))};
		list_over_limit(input->delta, values + 2);
		finding_put(findings, FINDING_RUNAWAY_BUFFERS, 0, values, FINDING_VALUES_MAX);
	} else if (rose_over_limit(input->delta)) {
		struct value values[FINDING_VALUES_MAX] = {{0}};
		list_over_limit(input->delta, values);
		finding_put(findings, FINDING_BUFFER_OVERRUN, 0, values, FINDING_VALUES_MAX);
	}
	find_pressure(input, findings);
}
