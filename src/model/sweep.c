#include "model/sweep.h"

#include <math.h>
#include <string.h>

#define MIB 0x1p20

static double median(const struct trial *trial, enum figure figure)
{
	return trial->range[figure].count > 0 ? trial->range[figure].median : 0;
}

static double gain_over(const struct trial *trial, const struct trial *base)
{
	double before = median(base, FIGURE_RATE);

	return before > 0 ? median(trial, FIGURE_RATE) / before - 1 : 0;
}

static bool loses_too_much(const struct trial *trial, const struct sweep_rule *rule)
{
	return trial->range[FIGURE_LOSS].count > 0 &&
	       trial->range[FIGURE_LOSS].median > rule->max_loss;
}

static void reckon_steps(const struct trial *trials, size_t count, struct sweep *sweep)
{
	for (size_t i = 1; i < count; i++) {
		struct sweep_step *step = &sweep->steps[i];
		double more_mib = (trials[i].ceiling_bytes - trials[i - 1].ceiling_bytes) / MIB;

		step->gain = gain_over(&trials[i], &trials[i - 1]);
		if (more_mib > 0)
			step->gain_bps_per_mib = (median(&trials[i], FIGURE_RATE) -
						     median(&trials[i - 1], FIGURE_RATE)) /
						 more_mib;
		step->overlaps = rates_overlap(&trials[i], &trials[i - 1]);
	}
}

/* RTT under load by the first of the sources that knows it of both. */
static void reckon_delay(const struct trial *next, const struct trial *knee, struct sweep *sweep)
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

static void reckon_next(
    const struct trial *trials, size_t count, const struct sweep_rule *rule, struct sweep *sweep)
{
	const struct trial *knee = &trials[sweep->knee], *next = knee + 1;

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
	reckon_delay(next, knee, sweep);
	sweep->next_is_uncertain = rates_overlap(next, knee);
	sweep->stop = loses_too_much(next, rule) ? STOP_LOSS : STOP_GAIN;
}

static enum sweep_end end_of(
    const struct trial *trials, size_t count, const struct sweep_rule *rule, size_t knee)
{
	if (loses_too_much(&trials[0], rule) && knee == 0)
		return SWEEP_LOSSY;
	if (knee + 1 == count)
		return SWEEP_RISING;
	if (knee > 0)
		return SWEEP_KNEE;
	/* Loss, not a lack of gain, may be what keeps the smallest. */
	for (size_t i = 1; i < count; i++)
		if (gain_over(&trials[i], &trials[0]) >= rule->min_gain)
			return SWEEP_KNEE;
	return SWEEP_FLAT;
}

void sweep_reckon(
    const struct trial *trials, size_t count, const struct sweep_rule *rule, struct sweep *sweep)
{
	size_t knee = 0, before = 0;

	memset(sweep, 0, sizeof(*sweep));
	reckon_steps(trials, count, sweep);
	for (size_t i = 1; i < count; i++) {
		if (gain_over(&trials[i], &trials[knee]) >= rule->min_gain &&
		    !loses_too_much(&trials[i], rule)) {
			before = knee;
			knee = i;
		}
	}
	sweep->knee = knee;
	sweep->knee_is_uncertain = knee > 0 && rates_overlap(&trials[knee], &trials[before]);
	sweep->end = end_of(trials, count, rule, knee);
	for (size_t i = 0; i < count; i++)
		sweep->loss_is_unknown |= trials[i].range[FIGURE_LOSS].count == 0;
	reckon_next(trials, count, rule, sweep);
}
