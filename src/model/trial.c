#include "model/trial.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "model/rfc6349.h"

/* TCP runs over the same path minutes apart differ by this much without a cause that can be named. */
#define NOISE_FLOOR 0.03
/* Two standard errors: 95 % of what chance does. */
#define NOISE_ERRORS 2

static void put(struct figures *figures, enum figure figure, bool known, double value)
{
	if (!known || !isfinite(value))
		return;
	figures->has |= 1u << figure;
	figures->value[figure] = value;
}

/* tcp_info's mean; RFC 6349 takes the mean over the test, and so does ping. */
static void put_delays(struct figures *figures, const struct figures_input *input)
{
	const struct path *path = input->path;
	const struct ping *ping = input->loaded_ping;
	bool pinged = ping && ping->avg_us > 0;
	bool measured = (path->has & PATH_LOADED_RTT) && path->loaded_method != RTT_CWND;
	double loaded_us = pinged ? ping->avg_us : measured ? path->loaded_rtt_us : 0;
	double idle_us = input->idle_rtt_us > 0		    ? input->idle_rtt_us
			 : path->has & PATH_IDLE_RTT	    ? path->idle_rtt_us
			 : path->rtt.method == RTT_TCP_INFO ? path->rtt.us
							    : 0;

	put(figures, FIGURE_RTT, path->rtt.method != RTT_UNKNOWN, path->rtt.us);
	put(figures, FIGURE_LOADED_RTT, path->loaded_method == RTT_TCP_INFO, path->loaded_rtt_us);
	put(figures, FIGURE_PING, pinged, pinged ? ping->avg_us : 0);
	if (loaded_us > 0 && idle_us > 0)
		put(figures, FIGURE_BUFFER_DELAY, true, fmax(0, loaded_us / idle_us - 1));
}

static void put_backlog(struct figures *figures, const struct tc *tc)
{
	double rate_bps = figures->value[FIGURE_RATE];

	if (!tc)
		return;
	put(figures, FIGURE_BACKLOG, true, (double)tc->backlog_bytes);
	if (rate_bps > 0)
		put(figures, FIGURE_QUEUE_DELAY, true,
		    (double)tc->backlog_bytes * 8 / rate_bps * 1e6);
}

static void put_cpu(struct figures *figures, const struct run *run)
{
	double sender = run->has & RUN_SENDER_CPU ? run->sender_cpu_percent : 0;
	double receiver = run->has & RUN_RECEIVER_CPU ? run->receiver_cpu_percent : 0;

	put(figures, FIGURE_CPU, run->has & (RUN_SENDER_CPU | RUN_RECEIVER_CPU),
	    fmax(sender, receiver));
}

void figures_reckon(const struct figures_input *input, struct figures *figures)
{
	const struct path *path = input->path;
	const struct run *run = input->run;

	memset(figures, 0, sizeof(*figures));
	/* The sender's intervals count what its socket took; over the whole test that is made good. */
	if (path->has & PATH_MEAN_RATE)
		put(figures, FIGURE_RATE, true, path->mean_rate_bps);
	else
		put(figures, FIGURE_RATE, path->has & PATH_RATE, path->rate_bps);
	put(figures, FIGURE_BYTES, run->has & (RUN_SENT | RUN_RECEIVED),
	    (double)(run->has & RUN_RECEIVED ? run->received_bytes : run->sent_bytes));
	put(figures, FIGURE_RETRANSMITS, path->has & PATH_RETRANSMITS, (double)path->retransmits);
	put(figures, FIGURE_LOSS, path->has & PATH_LOSS, path->loss_ratio);
	put(figures, FIGURE_EFFICIENCY, path->has & PATH_LOSS, 1 - path->loss_ratio);
	put(figures, FIGURE_CWND, path->has & PATH_CWND, path->cwnd_peak_bytes);
	put_delays(figures, input);
	put_backlog(figures, input->tc);
	put_cpu(figures, run);
}

static struct range range_of(const struct figures *figures, unsigned count, enum figure figure)
{
	double values[TRIAL_RUNS_MAX];
	struct stats stats = {0};

	for (unsigned i = 0; i < count; i++) {
		if (!(figures[i].has & 1u << figure))
			continue;
		values[stats.count] = figures[i].value[figure];
		stats_add(&stats, figures[i].value[figure]);
	}
	if (stats.count == 0)
		return (struct range){.count = 0};
	return (struct range){.count = (unsigned)stats.count,
	    .median = stats_median(values, stats.count),
	    .low = stats.min,
	    .high = stats.max};
}

void trial_reckon(
    struct trial *trial, const struct figures *figures, const double *errors, unsigned count)
{
	double sum = 0;

	if (count > TRIAL_RUNS_MAX)
		count = TRIAL_RUNS_MAX;
	trial->runs = count;
	for (int figure = 0; figure < FIGURE_COUNT; figure++)
		trial->range[figure] = range_of(figures, count, (enum figure)figure);
	for (unsigned i = 0; i < count; i++)
		sum += errors[i];
	trial->rate_error = count > 0 ? sum / count : 0;
}

double rate_error(const struct path *path)
{
	if (!(path->has & PATH_SERIES) || path->steady_count < 2)
		return 0;
	return path->rate_deviation / sqrt((double)path->steady_count);
}

static double half_range(const struct range *range)
{
	return range->median > 0 ? (range->high - range->low) / 2 / range->median : 0;
}

double rate_noise(const struct trial *a, const struct trial *b)
{
	double noise = NOISE_FLOOR;

	if (a->runs > 1 && b->runs > 1)
		noise = half_range(&a->range[FIGURE_RATE]) + half_range(&b->range[FIGURE_RATE]);
	else
		noise = NOISE_ERRORS * hypot(a->rate_error, b->rate_error);
	return fmax(noise, NOISE_FLOOR);
}

bool rates_overlap(const struct trial *a, const struct trial *b)
{
	const struct range *x = &a->range[FIGURE_RATE], *y = &b->range[FIGURE_RATE];

	return x->count > 1 && y->count > 1 && x->low <= y->high && y->low <= x->high;
}
