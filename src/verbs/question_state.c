/* What hosts and path say of themselves beside a run: drops, memory, losses of probes. */
#include "verbs/question.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "diagnosis/host_findings.h"
#include "model/context.h"

static const struct {
	const char *name;
	enum where where;
	enum role role;
} ends[] = {
    [END_NONE] = {"host", WHERE_EITHER, ROLE_UNKNOWN},
    [END_SENDER] = {"sender", WHERE_SENDER, ROLE_SENDER},
    [END_RECEIVER] = {"receiver", WHERE_RECEIVER, ROLE_RECEIVER},
};

/* The remedy of its family, with the interface's name in it. */
static void add_remedy(struct plan *plan, const struct drop_counter *counter, enum role role)
{
	const struct drop_family_row *row = &drop_family_table[counter->family];
	struct command *command = row->remedy ? plan_add_command(plan) : NULL;

	if (!command)
		return;
	char dev[sizeof(counter->dev) + 2];
	if (!quote_word(counter->dev, dev, sizeof(dev)))
		snprintf(dev, sizeof(dev), "DEV");
	size_t used = 0;
	for (const char *at = row->remedy; *at && used + sizeof(dev) < sizeof(command->command);) {
		bool hole = strncmp(at, "DEV", 3) == 0;
		used += (size_t)snprintf(command->command + used, sizeof(command->command) - used,
		    "%.*s", hole ? (int)sizeof(dev) : 1, hole ? dev : at);
		at += hole ? 3 : 1;
	}
	command->host = role;
	snprintf(command->why, sizeof(command->why), "%s%s%s rose: %s", counter->dev,
	    counter->dev[0] ? " " : "", counter->name, row->what);
}

/* Of the chosen run; 0 when they are not known. */
static uint64_t retransmits(const struct question *c)
{
	const struct analysis *chosen = &c->analyses[c->chosen];

	return chosen->run && chosen->path.loss.counted ? chosen->path.loss.retransmits : 0;
}

void question_place_loss(struct question *c)
{
	const struct analysis *chosen = &c->analyses[c->chosen];
	struct limit *limit = &c->analyses[c->chosen].limit;

	if (limit->factor != FACTOR_RANDOM_LOSS && limit->factor != FACTOR_POLICER)
		return;
	for (int end = END_NONE; end < END_COUNT; end++)
		if (drops_explain(&c->evidence.drops[end], retransmits(c)))
			limit->where = ends[evidence_end_in((enum end)end, chosen->run)].where;
}

static void add_drops(struct question *c, enum end end)
{
	const struct drops *drops = &c->evidence.drops[end];
	const struct drop_counter *worst[] = {drops_worst(drops, false), drops_worst(drops, true)};

	end = evidence_end_in(end, c->analyses[c->chosen].run);
	find_drops(&c->findings, drops, ends[end].name, retransmits(c));
	for (size_t i = 0; i < sizeof(worst) / sizeof(worst[0]); i++)
		if (worst[i])
			add_remedy(&c->plan, worst[i], ends[end].role);
}

void question_state(struct question *c)
{
	const struct host *host = &c->evidence.hosts[END_NONE];
	const struct analysis *chosen = &c->analyses[c->chosen];

	if (!chosen->run) {
		struct path_context context;
		context_for_run(&context, &c->evidence, NULL, NULL);
		find_probes(&c->findings, &chosen->path, &context);
	}
	/* the host advised has been looked at already */
	if (host->origin != HOST_UNKNOWN && !host_has_settings(host) && c->evidence.runs.count > 0)
		find_sockstat(&c->findings, host, ends[END_NONE].name);
	for (int end = END_NONE; end < END_COUNT; end++)
		add_drops(c, (enum end)end);
}

bool question_has_state(const struct question *c)
{
	for (int end = END_NONE; end < END_COUNT; end++)
		if (c->evidence.drops[end].count > 0 || c->evidence.counters_readings[end] > 1)
			return true;
	return c->evidence.ping_count > 0 || c->evidence.has_tracepath;
}
