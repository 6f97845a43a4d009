#include "advice/plan.h"

#include "advice/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	    [REASON_LOOK_FIRST] = "value-unknown",
	    [REASON_MEASURE] = "measure-again",
	    [REASON_CAUSE] = "no-buffer-holds",
	    [REASON_UNDECIDED] = "undecided",
	    [REASON_WINDOW_END] = "window-end",
	    [REASON_LOSS] = "loss-bound",
	};
	return names[reason];
}

bool target_is_above(const struct path *path)
{
	return (path->has & PATH_TARGET) &&
	       (!(path->has & PATH_RATE) || path->target_bps > TARGET_ABOVE * path->rate_bps);
}

/* The reason that outranks those before it is kept: both ends of a path may give one. */
void text_append(char *out, size_t size, size_t *brief, const char *format, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, format);
	vsnprintf(out + used, size - used, format, args);
	va_end(args);
	if (brief)
		*brief = strlen(out);
}

void plan_explain(struct plan *plan, enum plan_reason reason, const char *format, ...)
{
	va_list args;

	if (reason <= plan->reason)
		return;
	plan->reason = reason;
	va_start(args, format);
	vsnprintf(plan->reason_text, sizeof(plan->reason_text), format, args);
	va_end(args);
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

void plan_refuse(struct plan *plan, const char *key, const char *format, ...)
{
	va_list args;

	if (plan->not_advised_count == PLAN_NOT_ADVISED_MAX)
		return;
	struct not_advised *entry = &plan->not_advised[plan->not_advised_count++];
	entry->key = key;
	va_start(args, format);
	vsnprintf(entry->why, sizeof(entry->why), format, args);
	va_end(args);
}
