/* What the plan's connections may take of a host's TCP memory. */
#include "verbs/question.h"

#include <math.h>

#include "base/units.h"

/* The host whose memory is asked about: the one that is given facts for, the receiver first. */
static const struct host *host_of(const struct question *c)
{
	return c->receiver ? c->receiver : c->sender;
}

static void take_host(const struct host *host, struct exposure_input *in)
{
	in->page_size = host->page_size ? host->page_size : 4096;
	in->has_tcp_mem = host->values[TUNABLE_TCP_MEM].known;
	in->has_ram = host->mem_total_bytes > 0;
	in->ram_bytes = host->mem_total_bytes;
	in->has_in_use = host->sockstat.has & SOCKSTAT_TCP;
	in->in_use_pages = host->sockstat.memory_pages;
	for (int i = 0; host->values[TUNABLE_TCP_MEM].known && i < 3; i++)
		in->tcp_mem_pages[i] = (uint64_t)host->values[TUNABLE_TCP_MEM].number[i];
	if (host->values[TUNABLE_TCP_RMEM].known)
		in->rmem_max_bytes = (uint64_t)host->values[TUNABLE_TCP_RMEM].number[2];
	if (host->values[TUNABLE_TCP_WMEM].known)
		in->wmem_max_bytes = (uint64_t)host->values[TUNABLE_TCP_WMEM].number[2];
}

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
	struct exposure_input in = {.page_size = 4096,
	    .rmem_min_bytes = 4096,
	    .connections = counted ? options->connections : 0,
	    .active = !counted			      ? 0
		      : options->given & GIVEN_ACTIVE ? options->active
						      : options->connections,
	    .bdp_bytes = !(path->has & PATH_BDP)     ? 0
			 : c->plan.streams.count > 0 ? path->bdp_bytes / c->plan.streams.count
						     : path->stream_bdp_bytes,
	    .receives = options->role != ROLE_SENDER,
	    .sends = options->role == ROLE_SENDER || options->role == ROLE_PROXY ||
		     !c->analyses[c->chosen].run};

	if (host_of(c))
		take_host(host_of(c), &in);
	take_plan(&c->plan, &in);
	exposure_compute(&in, &c->memory);
	find_planned(c, &c->memory);
	find_likely(c, &c->memory);
}
