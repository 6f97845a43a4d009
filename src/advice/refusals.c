/* What guides advise and this plan does not, with the reason; and the commands beside the settings. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <stdio.h>

#include "base/quote.h"
#include "base/units.h"
#include "model/stock.h"
#include "model/window.h"

static void refuse_tcp_mem(const struct advice_input *input, struct plan *plan)
{
	const struct host *host = input->receiver ? input->receiver : input->sender;

	if (host && host->in_namespace) {
		plan_refuse(plan, "net.ipv4.tcp_mem",
		    "not in this network namespace: it is one setting for the whole host, in pages");
		return;
	}
	const struct tunable_value *mem = host ? &host->values[TUNABLE_TCP_MEM] : NULL;
	double page = host && host->page_size ? (double)host->page_size : 4096;
	if (mem && mem->known)
		plan_refuse(plan, "net.ipv4.tcp_mem",
		    "in pages, not bytes: its %s bounds all sockets together%s",
		    size_text((double)mem->number[2] * page).s,
		    host->mem_total_bytes > 0 &&
			    (double)mem->number[2] * page > (double)host->mem_total_bytes
			? " at more than the RAM: see the finding"
			: "; the kernel sized it by RAM");
	else
		plan_refuse(plan, "net.ipv4.tcp_mem",
		    "in pages, not bytes: it bounds all sockets together, and the kernel sizes it by RAM");
}

static void refuse_scale(const struct advice_input *input, struct plan *plan)
{
	const struct host *receiver = input->receiver;

	if (receiver && kernel_at_least(&receiver->kernel, 6, 6))
		plan_refuse(plan, "net.ipv4.tcp_adv_win_scale",
		    "does nothing since Linux 6.6: the share of a buffer that is window is measured per socket");
}

static bool has_setting(const struct plan *plan, enum tunable_id id)
{
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].id == id)
			return true;
	return false;
}

void plan_refusals(const struct advice_input *input, struct plan *plan)
{
	if (!has_setting(plan, TUNABLE_TCP_RMEM) && !has_setting(plan, TUNABLE_TCP_WMEM))
		return;
	if (!input->setsockopt) {
		plan_refuse(plan, "net.core.rmem_max",
		    "caps what a program asks for with SO_RCVBUF; autotuning goes by tcp_rmem alone");
		plan_refuse(plan, "net.core.wmem_max",
		    "caps what a program asks for with SO_SNDBUF; autotuning goes by tcp_wmem alone");
	}
	refuse_tcp_mem(input, plan);
	refuse_scale(input, plan);
}

/* True when some setting is for a host that this machine is not. */
static const struct setting *remote_setting(const struct plan *plan)
{
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].change && plan->settings[i].host != plan->here)
			return &plan->settings[i];
	return NULL;
}

static const char *name_of(const struct plan *plan, enum role role)
{
	if (role == ROLE_SENDER)
		return quote_host(plan->sender_name, "SENDER");
	if (role == ROLE_RECEIVER)
		return quote_host(plan->receiver_name, "RECEIVER");
	return quote_host(plan->receiver_name, "PROXY");
}

static void command_remote(const struct advice_input *input, struct plan *plan)
{
	const struct setting *setting = remote_setting(plan);
	struct command *command;

	if (!setting || !input->analysis->run || !(command = plan_add_command(plan)))
		return;
	command->host = setting->host;
	snprintf(command->command, sizeof(command->command),
	    "bdp ... --role %s -o sysctl | ssh %s sudo sysctl -p -", role_name(setting->host),
	    name_of(plan, setting->host));
	snprintf(command->why, sizeof(command->why),
	    "the same again with these options sets it there, until the next boot");
}

/* The sender's own buffer must not be the next limit, and nothing is known of it. */
static void command_check_sender(const struct advice_input *input, struct plan *plan)
{
	struct rungs rungs;
	struct command *command;

	if (input->sender || !has_setting(plan, TUNABLE_TCP_RMEM) ||
	    has_setting(plan, TUNABLE_TCP_WMEM) || plan->reason == REASON_LOOK_FIRST)
		return;
	sizing_send(input, &rungs);
	if (rungs.best == SIZING_NONE ||
	    ceiling_round(rungs.bytes[rungs.best]) <=
		stock_ceiling(TUNABLE_TCP_WMEM, 0).smallest_bytes ||
	    !(command = plan_add_command(plan)))
		return;
	command->host = ROLE_SENDER;
	snprintf(command->command, sizeof(command->command), "sysctl net.ipv4.tcp_wmem");
	snprintf(command->why, sizeof(command->why),
	    "on the sender: its third number must be at least %.0f (%s) for that rate",
	    ceiling_round(rungs.bytes[rungs.best]),
	    size_text(ceiling_round(rungs.bytes[rungs.best])).s);
}

static void command_without_option(const struct advice_input *input, struct plan *plan)
{
	struct command *command;

	if (input->analysis->limit.factor != FACTOR_SOCKET_OPTION ||
	    !(command = plan_add_command(plan)))
		return;
	strlcpy(command->command, "iperf3 ... (without -w)", sizeof(command->command));
	strlcpy(command->why,
	    "lets autotuning work; a program that must set buffers needs net.core.rmem_max or wmem_max of "
	    "what it asks for",
	    sizeof(command->why));
}

void plan_commands(const struct advice_input *input, struct plan *plan)
{
	command_remote(input, plan);
	command_check_sender(input, plan);
	command_without_option(input, plan);
}
