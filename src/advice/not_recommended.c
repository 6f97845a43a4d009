/* What guides advise and this plan does not, with the reason; and the commands beside the settings. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "advice/measure_command.h"
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
	double page = (double)host_page_bytes(host);
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

void plan_not_recommended(const struct advice_input *input, struct plan *plan)
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

static const char *name_of(const struct plan *plan, enum role role)
{
	const char *name = role == ROLE_SENDER	   ? plan->sender_name
			   : role == ROLE_RECEIVER ? plan->receiver_name
			   : role == ROLE_PROXY	   ? plan->proxy_name
						   : "";

	return quote_host(name, "");
}

/* `key="4096 131072 6291456"` for each change on that host, behind what is in out[size] already. */
static bool add_values(const struct plan *plan, enum role host, char *out, size_t size)
{
	bool any = false;

	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		char value[256];
		size_t used = strlen(out);

		if (!setting->change || setting->host != host)
			continue;
		tunable_value_text(setting->id, &setting->value, value, sizeof(value));
		int n = snprintf(
		    out + used, size - used, " %s=\"%s\"", tunables[setting->id].key, value);
		if (n < 0 || (size_t)n >= size - used)
			return false;
		any = true;
	}
	return any;
}

/* A host that is not this one is set from here: whole, with no file that must be there. */
static void command_remote(struct plan *plan, enum role host)
{
	const char *name = name_of(plan, host);
	char values[sizeof(plan->commands[0].command)];
	struct command *command;

	snprintf(values, sizeof(values), "ssh %s 'sudo sysctl -w", name);
	if (host == plan->here || *name == '\0' ||
	    !add_values(plan, host, values, sizeof(values) - 1) ||
	    !(command = plan_add_command(plan)))
		return;
	command->host = host;
	snprintf(command->command, sizeof(command->command), "%s'", values);
	strlcpy(command->why, "sets it there, until the next boot", sizeof(command->why));
}

/* The sender's own buffer must not be the next limit, and nothing is known of it. */
static void command_check_sender(const struct advice_input *input, struct plan *plan)
{
	struct size_candidates candidates;
	struct command *command;

	if (input->sender || !has_setting(plan, TUNABLE_TCP_RMEM) ||
	    has_setting(plan, TUNABLE_TCP_WMEM) || plan->reason == REASON_LOOK_FIRST)
		return;
	sizing_send(input, &candidates);
	if (candidates.best == SIZING_NONE ||
	    ceiling_round(candidates.bytes[candidates.best]) <=
		stock_ceiling(TUNABLE_TCP_WMEM, 0).smallest_bytes ||
	    !(command = plan_add_command(plan)))
		return;
	command->host = ROLE_SENDER;
	snprintf(command->command, sizeof(command->command), "sysctl net.ipv4.tcp_wmem");
	snprintf(command->why, sizeof(command->why),
	    "on the sender: its third number must be at least %.0f (%s) for that rate",
	    ceiling_round(candidates.bytes[candidates.best]),
	    size_text(ceiling_round(candidates.bytes[candidates.best])).s);
}

static void command_without_option(const struct advice_input *input, struct plan *plan)
{
	struct command *command;

	if (!input->analysis->run || input->analysis->limit.factor != FACTOR_SOCKET_OPTION ||
	    !(command = plan_add_command(plan)))
		return;
	measure_command(input->analysis->run, "-J", command->command, sizeof(command->command));
	strlcpy(command->why,
	    "without -w lets autotuning work; a program that must set buffers needs net.core.rmem_max or wmem_max of "
	    "what it asks for",
	    sizeof(command->why));
}

void plan_commands(const struct advice_input *input, struct plan *plan)
{
	for (int host = ROLE_RECEIVER; host <= ROLE_PROXY; host++)
		command_remote(plan, (enum role)host);
	command_check_sender(input, plan);
	command_without_option(input, plan);
}
