/* What guides advise and this plan does not, with the reason; and the commands beside the settings. */
#include "advice/advice.h"

#include "advice/measure_command.h"
#include "model/stock.h"
#include "model/window.h"

static void refuse_tcp_mem(const struct advice_input *input, struct plan *plan)
{
	const struct host *host = input->receiver ? input->receiver : input->sender;

	const struct tunable_value *mem = host ? &host->values[TUNABLE_TCP_MEM] : NULL;
	struct remark because = {.id = REMARK_MEM};

	if (host && host->in_namespace) {
		because.id = REMARK_MEM_NAMESPACE;
	} else if (mem && mem->known) {
		double high = (double)mem->number[2] * (double)host_page_bytes(host);
		because.id = host->mem_total_bytes > 0 && high > (double)host->mem_total_bytes
				 ? REMARK_MEM_BEYOND_RAM
				 : REMARK_MEM_SIZED;
		because.values[0] = as_size(high);
	}
	plan_refuse(plan, "net.ipv4.tcp_mem", &because);
}

static void refuse_scale(const struct advice_input *input, struct plan *plan)
{
	const struct host *receiver = input->receiver;

	if (receiver && kernel_at_least(&receiver->kernel, 6, 6))
		plan_refuse(plan, "net.ipv4.tcp_adv_win_scale",
		    &(struct remark){.id = REMARK_ADV_WIN_SCALE});
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
		plan_refuse(plan, "net.core.rmem_max", &(struct remark){.id = REMARK_RMEM_MAX});
		plan_refuse(plan, "net.core.wmem_max", &(struct remark){.id = REMARK_WMEM_MAX});
	}
	refuse_tcp_mem(input, plan);
	refuse_scale(input, plan);
}

static bool changes_on(const struct plan *plan, enum role host)
{
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].change && plan->settings[i].host == host)
			return true;
	return false;
}

/* A host that is not this one is set from here: whole, with no file that must be there. */
static void command_remote(struct plan *plan, enum role host)
{
	struct command *command;

	if (host == plan->here || *plan_host_word(plan, host) == '\0' || !changes_on(plan, host) ||
	    !(command = plan_add_command(plan)))
		return;
	command->host = host;
	command->because.id = REMARK_SET_THERE;
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
	double ceiling = ceiling_round(candidates.bytes[candidates.best]);
	command->because = (struct remark){.id = REMARK_LOOK_AT_VECTOR,
	    .end = ROLE_SENDER,
	    .key = TUNABLE_TCP_WMEM,
	    .values = {as_number(ceiling), as_size(ceiling)}};
}

static void command_without_option(const struct advice_input *input, struct plan *plan)
{
	struct command *command;

	if (!input->analysis->run || input->analysis->limit.factor != FACTOR_SOCKET_OPTION ||
	    !(command = plan_add_command(plan)))
		return;
	measure_command(input->analysis->run, "-J", command->command, sizeof(command->command));
	command->because.id = REMARK_WITHOUT_OPTION;
}

void plan_commands(const struct advice_input *input, struct plan *plan)
{
	for (int host = ROLE_RECEIVER; host <= ROLE_PROXY; host++)
		command_remote(plan, (enum role)host);
	command_check_sender(input, plan);
	command_without_option(input, plan);
}
