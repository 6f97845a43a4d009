#include "model/run_group.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "model/rfc6349.h"

/* TCP runs over the same path minutes apart differ by this much without a cause that can be named. */
#define NOISE_FLOOR 0.03
/* Two standard errors: 95 % of what chance does. */
#define NOISE_ERRORS 2

static void put(struct run_summary *summary, enum figure figure, bool known, double value)
{
	if (!known || !isfinite(value))
		return;
	summary->has |= 1u << figure;
	summary->value[figure] = value;
}

/* tcp_info's mean; RFC 6349 takes the mean over the test, and so does ping. */
static void put_delays(struct run_summary *summary, const struct run_summary_input *input)
{
	const struct path *path = input->path;
	const struct ping *ping = input->loaded_ping;
	bool pinged = ping && ping->avg_us > 0;
	bool measured = path->loaded.known && path->loaded.method != RTT_CWND;
	double loaded_us = pinged ? ping->avg_us : measured ? path->loaded.rtt_us : 0;
	double idle_us = input->idle_rtt_us > 0 ? input->idle_rtt_us : path_base_rtt_us(path);

	put(summary, FIGURE_RTT, path->rtt.method != RTT_UNKNOWN, path->rtt.us);
	put(summary, FIGURE_LOADED_RTT, path->loaded.method == RTT_TCP_INFO, path->loaded.rtt_us);
	put(summary, FIGURE_PING, pinged, pinged ? ping->avg_us : 0);
	if (loaded_us > 0 && idle_us > 0)
		put(summary, FIGURE_BUFFER_DELAY, true, fmax(0, loaded_us / idle_us - 1));
}

static void put_backlog(struct run_summary *summary, const struct tc *tc)
{
	double rate_bps = summary->value[FIGURE_RATE];

	if (!tc)
		return;
	put(summary, FIGURE_BACKLOG, true, (double)tc->backlog_bytes);
	if (rate_bps > 0)
		put(summary, FIGURE_QUEUE_DELAY, true,
		    (double)tc->backlog_bytes * 8 / rate_bps * 1e6);
}

static void put_cpu(struct run_summary *summary, const struct run *run)
{
	double sender = run->has & RUN_SENDER_CPU ? run->sender_cpu_percent : 0;
	double receiver = run->has & RUN_RECEIVER_CPU ? run->receiver_cpu_percent : 0;

	put(summary, FIGURE_CPU, run->has & (RUN_SENDER_CPU | RUN_RECEIVER_CPU),
	    fmax(sender, receiver));
}

void run_summary_compute(const struct run_summary_input *input, struct run_summary *summary)
{
	const struct path *path = input->path;
	const struct run *run = input->run;

	memset(summary, 0, sizeof(*summary));
	put(summary, FIGURE_RATE, path->rate.known, path->rate.bps);
	put(summary, FIGURE_BYTES, run->has & (RUN_SENT | RUN_RECEIVED),
	    (double)(run->has & RUN_RECEIVED ? run->received_bytes : run->sent_bytes));
	put(summary, FIGURE_RETRANSMITS, path->loss.counted, (double)path->loss.retransmits);
	put(summary, FIGURE_LOSS, path->loss.known, path->loss.ratio);
	put(summary, FIGURE_EFFICIENCY, path->loss.known, 1 - path->loss.ratio);
	put(summary, FIGURE_CWND, path->cwnd.known, path->cwnd.peak_bytes);
	put_delays(summary, input);
	put_backlog(summary, input->tc);
	put_cpu(summary, run);
}

static struct range range_of(const struct run_summary *summary, unsigned count, enum figure figure)
{
	double values[GROUP_RUNS_MAX];
	struct stats stats = {0};

	for (unsigned i = 0; i < count; i++) {
		if (!(summary[i].has & 1u << figure))
			continue;
		values[stats.count] = summary[i].value[figure];
		stats_add(&stats, summary[i].value[figure]);
	}
	if (stats.count == 0)
		return (struct range){.count = 0};
	return (struct range){.count = (unsigned)stats.count,
	    .median = stats_median(values, stats.count),
	    .low = stats.min,
	    .high = stats.max};
}

void run_group_compute(struct run_group *group, const struct run_summary *summary,
    const double *errors, unsigned count)
{
	double sum = 0;

	if (count > GROUP_RUNS_MAX)
		count = GROUP_RUNS_MAX;
	group->runs = count;
	for (int figure = 0; figure < FIGURE_COUNT; figure++)
		group->range[figure] = range_of(summary, count, (enum figure)figure);
	for (unsigned i = 0; i < count; i++)
		sum += errors[i];
	group->rate_error = count > 0 ? sum / count : 0;
}

double rate_error(const struct path *path)
{
	if (!path->steady.known || path->steady.count < 2)
		return 0;
	return path->rate.deviation / sqrt((double)path->steady.count);
}

static double half_range(const struct range *range)
{
	return range->median > 0 ? (range->high - range->low) / 2 / range->median : 0;
}

double rate_noise(const struct run_group *a, const struct run_group *b)
{
	double noise = NOISE_FLOOR;

	if (a->runs > 1 && b->runs > 1)
		noise = half_range(&a->range[FIGURE_RATE]) + half_range(&b->range[FIGURE_RATE]);
	else
		noise = NOISE_ERRORS * hypot(a->rate_error, b->rate_error);
	return fmax(noise, NOISE_FLOOR);
}

bool rates_overlap(const struct run_group *a, const struct run_group *b)
{
	const struct range *x = &a->range[FIGURE_RATE], *y = &b->range[FIGURE_RATE];

	return x->count > 1 && y->count > 1 && x->low <= y->high && y->low <= x->high;
}
