/* What the plan's connections may take of a host's TCP memory. */
#include "verbs/question.h"

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
static void find_planned(struct question *c, const struct exposure *memory)
{
	for (size_t i = 0; i < c->plan.setting_count && memory->has_limits; i++) {
		const struct setting *setting = &c->plan.settings[i];
		bool buffer = setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM;
		double ceiling = (double)setting->value.number[2];

		if (!buffer || !setting->change || ceiling <= memory->pressure_bytes ||
		    (setting->current.known &&
			(double)setting->current.number[2] > memory->pressure_bytes))
			continue;
		bool above_high = ceiling > memory->high_bytes;
		finding_add(&c->findings, FINDING_CEILING_ABOVE_TCP_MEM, CEILING_IS_PLANNED,
		    as_word(tunables[setting->id].key), as_size(ceiling),
		    as_word(above_high ? "high" : "pressure"),
		    as_size(above_high ? memory->high_bytes : memory->pressure_bytes));
	}
}

static void find_likely(struct question *c, const struct exposure *memory)
{
	if (!memory->has_limits || memory->connections == 0 ||
	    memory->likely_bytes <= memory->pressure_bytes)
		return;
	finding_add(&c->findings, FINDING_LIKELY_PRESSURE, 0, as_count(memory->active),
	    as_size(memory->per_connection_bytes), as_size(memory->likely_bytes),
	    as_size(memory->pressure_bytes));
}

void question_memory(struct question *c, const struct options *options)
{
	const struct path *path = &c->analyses[c->chosen].path;
	bool counted = (options->given & GIVEN_CONNECTIONS) != 0;
	/* the host that facts are given for, the receiver first */
	struct exposure_input in = exposure_of_host(c->receiver ? c->receiver : c->sender);

	in.connections = counted ? options->connections : 0;
	in.active = options->given & GIVEN_ACTIVE ? options->active : in.connections;
	if (path->has & PATH_BDP)
		in.bdp_bytes = c->plan.streams.count > 0 ? path->bdp_bytes / c->plan.streams.count
							 : path->stream_bdp_bytes;
	in.receives = options->role != ROLE_SENDER;
	in.sends = options->role == ROLE_SENDER || options->role == ROLE_PROXY ||
		   !c->analyses[c->chosen].run;
	take_plan(&c->plan, &in);
	exposure_compute(&in, &c->memory);
	find_planned(c, &c->memory);
	find_likely(c, &c->memory);
}
