#include "advice/runaway_plan.h"

#include <string.h>

#include "advice/advice.h"

#define SHRINK_WINDOW "net.ipv4.tcp_shrink_window"
#define RMEM "net.ipv4.tcp_rmem"

static void set_shrink_window(const struct host *host, struct plan *plan)
{
	struct setting *setting = plan_add_setting(plan, TUNABLE_TCP_SHRINK_WINDOW, ROLE_RECEIVER);

	if (!setting)
		return;
	setting->value = (struct tunable_value){.known = true, .count = 1, .number = {1}};
	setting->current = host->values[TUNABLE_TCP_SHRINK_WINDOW];
	setting->because.id = REMARK_RUNAWAY;
	setting->danger.id = REMARK_SHRINKS;
}

/* The one place where a lower ceiling is advised. */
static void lower_ceiling(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	struct setting *setting = plan_add_setting(plan, TUNABLE_TCP_RMEM, ROLE_RECEIVER);

	if (!setting)
		return;
	setting->current = setting->value = input->host->values[TUNABLE_TCP_RMEM];
	setting->value.number[2] = (int64_t)runaway->ceiling_bytes;
	setting->lowers = true;
	setting->sized_by = SIZING_KERNEL_RULE;
	setting->because = (struct remark){
	    .id = REMARK_RUNAWAY_CEILING, .values = {as_size(input->largest_bdp_bytes)}};
	setting->danger.id = REMARK_HOLDS_BACK;
}

static void refuse_ceiling(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	plan_refuse(plan, RMEM,
	    &(struct remark){.id = REMARK_LEAVE_ASKED,
		.values = {as_size(runaway->ceiling_bytes), as_size(input->largest_bdp_bytes)}});
}

static void refuse_shrinking(struct plan *plan, enum remark_id id)
{
	plan_refuse(plan, SHRINK_WINDOW, &(struct remark){.id = id});
}

static void say_no_knob(const struct runaway_input *input, struct plan *plan)
{
	const struct host *host = input->host;

	if (!host || host->origin == HOST_UNKNOWN || host->origin == HOST_OPTIONS)
		refuse_shrinking(plan, REMARK_SHRINK_NOT_KNOWN);
	else
		plan_refuse(plan, SHRINK_WINDOW,
		    &(struct remark){.id = REMARK_SHRINK_NOT_THERE,
			.values = {as_word(host->kernel.known ? host->kernel.release : ""),
			    host->kernel.known ? (struct value){.kind = VALUE_ABSENT}
					       : as_number(1)}});
}

static void plan_confirmed(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	if (runaway->remedy == REMEDY_SHRINK_WINDOW) {
		set_shrink_window(input->host, plan);
		return;
	}
	if (runaway->already_shrinks)
		refuse_shrinking(plan, REMARK_SHRINK_ON_ALREADY);
	else
		say_no_knob(input, plan);
	if (runaway->remedy == REMEDY_LOWER_CEILING)
		lower_ceiling(input, runaway, plan);
	else if (runaway->ceiling_needs_leave)
		refuse_ceiling(input, runaway, plan);
}

static void plan_unconfirmed(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	bool on = runaway->already_shrinks;

	if (!input->delta)
		refuse_shrinking(plan, REMARK_SHRINK_READ_TWICE);
	else if (!input->delta->known[COUNTER_WANT_ZERO_WINDOW_ADV])
		refuse_shrinking(plan, REMARK_SHRINK_NOT_COUNTED);
	else
		refuse_shrinking(plan, on ? REMARK_SHRINK_ON_UNNEEDED : REMARK_SHRINK_NOT_NEEDED);
	if (runaway->remedy != REMEDY_MEASURE)
		return;
	struct command *command = plan_add_command(plan);
	if (!command)
		return;
	command->host = ROLE_RECEIVER;
	command->because.id = REMARK_READ_COUNTERS;
}

void runaway_plan(
    const struct runaway_input *input, const struct runaway *runaway, bool here, struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->role = ROLE_RECEIVER;
	plan->here = here ? ROLE_RECEIVER : ROLE_UNKNOWN;
	if (runaway->verdict == RUNAWAY_CONFIRMED)
		plan_confirmed(input, runaway, plan);
	else
		plan_unconfirmed(input, runaway, plan);
}
