#include "advice/plan.h"

#include "advice/advice.h"

#include "base/quote.h"

const char *sizing_name(enum sizing sizing)
{
	static const char *const names[SIZING_COUNT] = {
	    [SIZING_SWEEP] = "sweep",
	    [SIZING_SCALING] = "scaling",
	    [SIZING_OBSERVED_RATIO] = "observed-ratio",
	    [SIZING_KERNEL_RULE] = "kernel-rule",
	};
	return names[sizing];
}

const char *here_by_name(enum here_by by)
{
	static const char *const names[] = {
	    [HERE_BY_NOTHING] = NULL,
	    [HERE_BY_SYSTEM] = "system-info",
	    [HERE_BY_ADDRESS] = "address",
	    [HERE_BY_ROLE] = "role",
	    [HERE_BY_ASSUMPTION] = "assumption",
	};
	return names[by];
}

const char *role_name(enum role role)
{
	static const char *const names[] = {
	    [ROLE_UNKNOWN] = NULL,
	    [ROLE_RECEIVER] = "receiver",
	    [ROLE_SENDER] = "sender",
	    [ROLE_PROXY] = "proxy",
	};
	return names[role];
}

const char *plan_reason_name(enum plan_reason reason)
{
	static const char *const names[REASON_COUNT] = {
	    [REASON_TARGET_MET] = "target-met",
	    [REASON_DEFAULTS] = "defaults-suffice",
	    [REASON_SUFFICIENT] = "ceilings-suffice",
	    [REASON_OTHER_END] = "other-end",
	    [REASON_LOOK_FIRST] = "value-unknown",
	    [REASON_MEASURE] = "measure-again",
	    [REASON_CAUSE] = "no-buffer-holds",
	    [REASON_UNDECIDED] = "undecided",
	    [REASON_WINDOW_END] = "window-end",
	    [REASON_LOSS] = "loss-bound",
	};
	return names[reason];
}

const char *plan_host_word(const struct plan *plan, enum role role)
{
	const char *name = role == ROLE_SENDER	   ? plan->sender_name
			   : role == ROLE_RECEIVER ? plan->receiver_name
			   : role == ROLE_PROXY	   ? plan->proxy_name
						   : "";

	return quote_host(name, "");
}

bool target_is_above(const struct path *path)
{
	return path->target.known &&
	       (!path->rate.known || path->target.bps > TARGET_ABOVE * path->rate.bps);
}

void plan_explain(struct plan *plan, enum plan_reason reason, const struct remark *because)
{
	if (reason <= plan->reason)
		return;
	plan->reason = reason;
	plan->because = *because;
}

struct setting *plan_add_setting(struct plan *plan, enum tunable_id id, enum role host)
{
	if (plan->setting_count == PLAN_SETTINGS_MAX)
		return NULL;
	struct setting *setting = &plan->settings[plan->setting_count++];
	*setting = (struct setting){.id = id, .host = host, .change = true};
	return setting;
}

struct command *plan_add_command(struct plan *plan)
{
	if (plan->command_count == PLAN_COMMANDS_MAX)
		return NULL;
	struct command *command = &plan->commands[plan->command_count++];
	*command = (struct command){.host = ROLE_UNKNOWN};
	return command;
}

void plan_refuse(struct plan *plan, const char *key, const struct remark *because)
{
	if (plan->not_advised_count < PLAN_NOT_ADVISED_MAX)
		plan->not_advised[plan->not_advised_count++] =
		    (struct not_advised){.key = key, .because = *because};
}
