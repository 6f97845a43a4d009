#include "advice/runaway_plan.h"

#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "base/units.h"

#define SHRINK_WINDOW "net.ipv4.tcp_shrink_window"
#define RMEM "net.ipv4.tcp_rmem"

/*
 * What was reported of tcp_shrink_window = 1: a socket that stuck at a zero window on 6.6.74 and not
 * with 0 (netdev, May 2025); slow or hanging MPTCP (multipath-tcp/mptcp_net-next issue 439, 6.5.3);
 * senders that mishandle a retracted window (google/gvisor issue 10312).
 */
static const char shrink_risk[] =
    "a window may be taken back, which RFC 7323, section 2.4, discourages: sockets stuck at a zero "
    "window were reported on 6.6, hanging MPTCP on 6.5, and peers that mishandle it; watch for "
    "connections that stop, and set it back to 0 then";

static void set_shrink_window(const struct host *host, struct plan *plan)
{
	struct setting *setting = plan_add_setting(plan, TUNABLE_TCP_SHRINK_WINDOW, ROLE_RECEIVER);

	if (!setting)
		return;
	setting->value = (struct tunable_value){.known = true, .count = 1, .number = {1}};
	setting->current = host->values[TUNABLE_TCP_SHRINK_WINDOW];
	snprintf(setting->why, sizeof(setting->why),
	    "the counters show windows that had to be closed and were not, and buffers over their limit: "
	    "with 1 the kernel takes the window back, and a slow reader's buffer stays where it is; "
	    "connections that are up follow at once");
	snprintf(setting->risk, sizeof(setting->risk), "%s", shrink_risk);
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
	snprintf(setting->why, sizeof(setting->why),
	    "LOWER than now: it bounds what one slow reader can hold, and still covers the largest BDP "
	    "seen here, %s, since about half of the buffer is window",
	    size_text(input->largest_bdp_bytes).s);
	snprintf(setting->risk, sizeof(setting->risk),
	    "a connection over a longer or faster path than any seen now is held back by it; buffers "
	    "that are larger already do not shrink, so reconnect");
}

static void refuse_ceiling(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	plan_refuse(plan, RMEM,
	    "a ceiling of %s would bound what a slow reader can hold and still cover the largest BDP "
	    "seen, %s; that is lower than now, so it is advised with --allow-lower only",
	    size_text(runaway->ceiling_bytes).s, size_text(input->largest_bdp_bytes).s);
}

static void say_no_knob(const struct runaway_input *input, struct plan *plan)
{
	const struct host *host = input->host;

	if (!host || host->origin == HOST_UNKNOWN || host->origin == HOST_OPTIONS)
		plan_refuse(plan, SHRINK_WINDOW,
		    "whether that host's kernel has it is not known (6.5 and later do, and 6.1.y since "
		    "October 2023): give its sysctl -a with --sysctl FILE");
	else if (host->kernel.known)
		plan_refuse(plan, SHRINK_WINDOW,
		    "Linux %s there does not have it (6.5 and later do, and 6.1.y since October 2023)",
		    host->kernel.release);
	else
		plan_refuse(plan, SHRINK_WINDOW,
		    "the kernel there does not have it (6.5 and later do, and 6.1.y since October "
		    "2023)");
}

static void plan_confirmed(
    const struct runaway_input *input, const struct runaway *runaway, struct plan *plan)
{
	if (runaway->remedy == REMEDY_SHRINK_WINDOW) {
		set_shrink_window(input->host, plan);
		return;
	}
	if (runaway->already_shrinks)
		plan_refuse(plan, SHRINK_WINDOW,
		    "it is 1 already, and buffers run away all the same: look at the readers");
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

	if (input->delta && !input->delta->known[COUNTER_WANT_ZERO_WINDOW_ADV])
		plan_refuse(plan, SHRINK_WINDOW,
		    "leave it as it is: TCPWantZeroWindowAdv is not among the counters, so whether "
		    "windows had to be closed is not known");
	else if (input->delta)
		plan_refuse(plan, SHRINK_WINDOW,
		    on ? "it is 1, and the counters show no need for that (the default is 0)"
		       : "leave it at 0: the counters show no window that had to be closed and could "
			 "not");
	else
		plan_refuse(plan, SHRINK_WINDOW,
		    "leave it at 0 until the counters are read twice and show that windows had to be "
		    "closed and could not");
	if (runaway->remedy != REMEDY_MEASURE)
		return;
	struct command *command = plan_add_command(plan);
	if (!command)
		return;
	command->host = ROLE_RECEIVER;
	snprintf(command->command, sizeof(command->command), "bdp sockets --interval 10");
	snprintf(command->why, sizeof(command->why),
	    "reads the counters twice, on that host (or give it two outputs of nstat -az)");
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
