#include "model/sweep.h"

#include <math.h>
#include <string.h>

#define MIB 0x1p20

static double median(const struct run_group *group, enum figure figure)
{
	return group->range[figure].count > 0 ? group->range[figure].median : 0;
}

static double gain_over(const struct run_group *group, const struct run_group *base)
{
	double before = median(base, FIGURE_RATE);

	return before > 0 ? median(group, FIGURE_RATE) / before - 1 : 0;
}

static bool loses_too_much(const struct run_group *group, const struct sweep_rule *rule)
{
	return group->range[FIGURE_LOSS].count > 0 &&
	       group->range[FIGURE_LOSS].median > rule->max_loss;
}

static void compute_steps(const struct run_group *groups, size_t count, struct sweep *sweep)
{
	for (size_t i = 1; i < count; i++) {
		struct sweep_step *step = &sweep->steps[i];
		double more_mib = (groups[i].ceiling_bytes - groups[i - 1].ceiling_bytes) / MIB;

		step->gain = gain_over(&groups[i], &groups[i - 1]);
		if (more_mib > 0)
			step->gain_bps_per_mib = (median(&groups[i], FIGURE_RATE) -
						     median(&groups[i - 1], FIGURE_RATE)) /
						 more_mib;
		step->overlaps = rates_overlap(&groups[i], &groups[i - 1]);
	}
}

/* RTT under load by the first of the sources that knows it of both. */
static void compute_delay(
    const struct run_group *next, const struct run_group *knee, struct sweep *sweep)
{
	static const enum figure sources[] = {FIGURE_PING, FIGURE_LOADED_RTT};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (next->range[sources[i]].count > 0 && knee->range[sources[i]].count > 0) {
			sweep->has |= SWEEP_NEXT_DELAY;
			sweep->next_delay_us =
			    fmax(0, median(next, sources[i]) - median(knee, sources[i]));
			return;
		}
}

static void compute_next(const struct run_group *groups, size_t count,
    const struct sweep_rule *rule, struct sweep *sweep)
{
	const struct run_group *knee = &groups[sweep->knee], *next = knee + 1;

	if (sweep->knee + 1 == count)
		return;
	sweep->next_gain = gain_over(next, knee);
	if (next->range[FIGURE_LOSS].count > 0)
		sweep->has |= SWEEP_NEXT_LOSS;
	sweep->next_loss = median(next, FIGURE_LOSS);
	if (median(knee, FIGURE_RETRANSMITS) > 0 && next->range[FIGURE_RETRANSMITS].count > 0) {
		sweep->has |= SWEEP_NEXT_RETRANSMITS;
		sweep->next_retransmits =
		    median(next, FIGURE_RETRANSMITS) / median(knee, FIGURE_RETRANSMITS);
	}
	compute_delay(next, knee, sweep);
	sweep->next_is_uncertain = rates_overlap(next, knee);
	sweep->stop = loses_too_much(next, rule) ? STOP_LOSS : STOP_GAIN;
}

static enum sweep_end end_of(
    const struct run_group *groups, size_t count, const struct sweep_rule *rule, size_t knee)
{
	if (loses_too_much(&groups[0], rule) && knee == 0)
		return SWEEP_LOSSY;
	if (knee + 1 == count)
		return SWEEP_RISING;
	if (knee > 0)
		return SWEEP_KNEE;
	/* Loss, not a lack of gain, may be what keeps the smallest. */
	for (size_t i = 1; i < count; i++)
		if (gain_over(&groups[i], &groups[0]) >= rule->min_gain)
			return SWEEP_KNEE;
	return SWEEP_FLAT;
}

void sweep_compute(const struct run_group *groups, size_t count, const struct sweep_rule *rule,
    struct sweep *sweep)
{
	size_t knee = 0, before = 0;

	memset(sweep, 0, sizeof(*sweep));
	compute_steps(groups, count, sweep);
	for (size_t i = 1; i < count; i++) {
		if (gain_over(&groups[i], &groups[knee]) >= rule->min_gain &&
		    !loses_too_much(&groups[i], rule)) {
			before = knee;
			knee = i;
		}
	}
	sweep->knee = knee;
	sweep->knee_is_uncertain = knee > 0 && rates_overlap(&groups[knee], &groups[before]);
	sweep->end = end_of(groups, count, rule, knee);
	for (size_t i = 0; i < count; i++)
		sweep->loss_is_unknown |= groups[i].range[FIGURE_LOSS].count == 0;
	compute_next(groups, count, rule, sweep);
}
