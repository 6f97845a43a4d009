#include "advice/plan_memory.h"

static void take_plan(const struct plan *plan, struct exposure_input *in)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		if (setting->id == TUNABLE_TCP_RMEM)
			in->rmem_max_bytes = (uint64_t)setting->value.number[2];
		else if (setting->id == TUNABLE_TCP_WMEM)
			in->wmem_max_bytes = (uint64_t)setting->value.number[2];
	}
}

/* A ceiling that the plan itself raises beyond a mark; one that is there already has been told. */
static void find_planned(
    const struct plan *plan, const struct exposure *memory, struct findings *findings)
{
	for (size_t i = 0; i < plan->setting_count && memory->has_limits; i++) {
		const struct setting *setting = &plan->settings[i];
		bool buffer = setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM;
		double ceiling = (double)setting->value.number[2];

		if (!buffer || !setting->change || ceiling <= memory->pressure_bytes ||
		    (setting->current.known &&
			(double)setting->current.number[2] > memory->pressure_bytes))
			continue;
		bool above_high = ceiling > memory->high_bytes;
		finding_add(findings, FINDING_CEILING_ABOVE_TCP_MEM, CEILING_IS_PLANNED,
		    as_word(tunables[setting->id].key), as_size(ceiling),
		    as_word(above_high ? "high" : "pressure"),
		    as_size(above_high ? memory->high_bytes : memory->pressure_bytes));
	}
}

static void find_likely(const struct exposure *memory, struct findings *findings)
{
	if (!memory->has_limits || memory->connections == 0 ||
	    memory->likely_bytes <= memory->pressure_bytes)
		return;
	finding_add(findings, FINDING_LIKELY_PRESSURE, 0, as_count(memory->active),
	    as_size(memory->per_connection_bytes), as_size(memory->likely_bytes),
	    as_size(memory->pressure_bytes));
}

void plan_memory(const struct plan *plan, struct exposure_input *in, struct exposure *memory,
    struct findings *findings)
{
	take_plan(plan, in);
	exposure_compute(in, memory);
	find_planned(plan, memory, findings);
	find_likely(memory, findings);
}
