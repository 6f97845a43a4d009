#include "model/compare.h"

#include <math.h>
#include <string.h>

#include "model/rfc6349.h"

/* Delays differ when one is this many times the other, and by as much as anybody notices. */
#define DELAY_FACTOR 1.5
#define DELAY_MATTERS_US 2000
/* Loss below this costs next to nothing; of two above it, one must have several times the other's. */
#define LOSS_MATTERS 1e-3
#define LOSS_FACTOR 3
#define CPU_FACTOR 1.5
#define CPU_MATTERS_PERCENT 10

/* Best source first: ping sees what other traffic gets; tcp_info is the flow's own; a backlog
 * is one queue at one moment. */
static const enum figure delay_summary[] = {FIGURE_PING, FIGURE_LOADED_RTT, FIGURE_QUEUE_DELAY};

const char *compare_by_name(enum compare_by by)
{
	static const char *const names[COMPARE_BY_COUNT] = {
	    [COMPARE_RATE] = "rate",
	    [COMPARE_DELAY] = "delay",
	    [COMPARE_LOSS] = "loss",
	};
	return names[by];
}

static bool knows(const struct run_group *group, enum figure figure)
{
	return group->range[figure].count > 0;
}

static double median(const struct run_group *group, enum figure figure)
{
	return knows(group, figure) ? group->range[figure].median : 0;
}

/* The figure by which the delays of both are known; FIGURE_COUNT when there is none. */
static enum figure delay_figure(const struct run_group *a, const struct run_group *b)
{
	for (size_t i = 0; i < sizeof(delay_summary) / sizeof(delay_summary[0]); i++)
		if (knows(a, delay_summary[i]) && knows(b, delay_summary[i]))
			return delay_summary[i];
	return FIGURE_COUNT;
}

/* Each of these: a is better than b by more than chance. */
static bool is_faster(const struct run_group *a, const struct run_group *b)
{
	double x = median(a, FIGURE_RATE), y = median(b, FIGURE_RATE);

	return x > y * (1 + rate_noise(a, b));
}

static bool is_prompter(const struct run_group *a, const struct run_group *b)
{
	enum figure figure = delay_figure(a, b);

	if (figure == FIGURE_COUNT)
		return false;
	double x = median(a, figure), y = median(b, figure);
	return y > DELAY_FACTOR * x && y - x > DELAY_MATTERS_US;
}

static bool is_cleaner(const struct run_group *a, const struct run_group *b)
{
	if (!knows(a, FIGURE_LOSS) || !knows(b, FIGURE_LOSS))
		return false;
	double x = median(a, FIGURE_LOSS), y = median(b, FIGURE_LOSS);
	return y > LOSS_MATTERS && y > LOSS_FACTOR * x;
}

/* By which of the three a is to be preferred to b; COMPARE_NONE when it is not. */
static enum compare_by preferred_by(const struct run_group *a, const struct run_group *b)
{
	if (is_faster(a, b))
		return COMPARE_RATE;
	if (is_faster(b, a))
		return COMPARE_NONE;
	if (is_prompter(a, b))
		return COMPARE_DELAY;
	if (is_prompter(b, a))
		return COMPARE_NONE;
	return is_cleaner(a, b) ? COMPARE_LOSS : COMPARE_NONE;
}

static size_t best_but(const struct run_group *groups, size_t count, size_t skip)
{
	size_t best = skip == 0 ? 1 : 0;

	for (size_t i = best + 1; i < count; i++)
		if (i != skip && preferred_by(&groups[i], &groups[best]) != COMPARE_NONE)
			best = i;
	return best;
}

/* Preference is not transitive where noise differs: who wins must beat, or equal, every other. */
static size_t best_of(const struct run_group *groups, size_t count)
{
	size_t best = best_but(groups, count, count);

	for (size_t i = 0; i < best; i++)
		if (preferred_by(&groups[i], &groups[best]) != COMPARE_NONE)
			return i;
	return best;
}

static double ratio(double more, double less)
{
	return less > 0 ? more / less : INFINITY;
}

static void set_factor(
    struct compare *compare, const struct run_group *best, const struct run_group *other)
{
	switch (compare->by) {
	case COMPARE_RATE:
		compare->factor = compare->rate_ratio;
		break;
	case COMPARE_DELAY:
		compare->factor = ratio(compare->other_delay_us, compare->best_delay_us);
		break;
	case COMPARE_LOSS:
		compare->factor = ratio(median(other, FIGURE_LOSS), median(best, FIGURE_LOSS));
		break;
	case COMPARE_NONE:
	case COMPARE_BY_COUNT:
		compare->factor = 1;
		break;
	}
}

/* What the payload of Ethernet at the usual speeds comes to, from MSS 1448 to jumbo frames; shapers
 * that leave framing out of account give up to the full number. */
static double link_filled(const struct run_group *a, const struct run_group *b)
{
	double low = fmin(median(a, FIGURE_RATE), median(b, FIGURE_RATE));
	double high = fmax(median(a, FIGURE_RATE), median(b, FIGURE_RATE));

	if (median(a, FIGURE_LOSS) > LOSS_MATTERS || median(b, FIGURE_LOSS) > LOSS_MATTERS)
		return 0;
	for (const double *speed = ethernet_speeds_bps; *speed > 0; speed++)
		if (low > 0.93 * *speed && high < 1.002 * *speed)
			return *speed;
	return 0;
}

/* The worse one's delay is that of a queue: far above the idle path's, or the better one's. */
static bool is_queued(const struct compare *compare, const struct run_group *other)
{
	if (knows(other, FIGURE_BUFFER_DELAY) &&
	    median(other, FIGURE_BUFFER_DELAY) > DELAY_FACTOR - 1)
		return true;
	return compare->has_delay &&
	       compare->other_delay_us > DELAY_FACTOR * compare->best_delay_us;
}

static enum compare_means means_of(const struct compare *compare, const struct run_group *other)
{
	if (compare->by == COMPARE_RATE && median(other, FIGURE_LOSS) >= LOSS_MATTERS &&
	    !is_queued(compare, other))
		return MEANS_LOSS;
	if (compare->by == COMPARE_DELAY)
		return MEANS_QUEUE;
	return compare->by == COMPARE_NONE && compare->link_bps > 0 ? MEANS_LINK : MEANS_NOTHING;
}

static void set_delays(
    struct compare *compare, const struct run_group *best, const struct run_group *other)
{
	compare->delay_figure = delay_figure(best, other);
	compare->has_delay = compare->delay_figure != FIGURE_COUNT;
	if (!compare->has_delay)
		return;
	compare->best_delay_us = median(best, compare->delay_figure);
	compare->other_delay_us = median(other, compare->delay_figure);
}

void compare_compute(const struct run_group *groups, size_t count, struct compare *compare)
{
	memset(compare, 0, sizeof(*compare));
	compare->best = best_of(groups, count);
	compare->other = compare->best == 0 ? best_but(groups, count, 0) : 0;
	const struct run_group *best = &groups[compare->best], *other = &groups[compare->other];

	compare->by = preferred_by(best, other);
	compare->rate_ratio = ratio(median(best, FIGURE_RATE), median(other, FIGURE_RATE));
	compare->noise = rate_noise(best, other);
	set_delays(compare, best, other);
	set_factor(compare, best, other);
	compare->delay_is_worse = is_prompter(other, best);
	compare->loss_is_worse = is_cleaner(other, best);
	compare->cpu_is_worse =
	    knows(other, FIGURE_CPU) &&
	    median(best, FIGURE_CPU) > CPU_FACTOR * median(other, FIGURE_CPU) &&
	    median(best, FIGURE_CPU) - median(other, FIGURE_CPU) > CPU_MATTERS_PERCENT;
	compare->link_bps = link_filled(best, other);
	compare->means = means_of(compare, other);
}
