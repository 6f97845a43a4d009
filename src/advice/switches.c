/* What must be on for any of the rest to work: the settings of the findings that say so. */
#include "advice/advice.h"

static void switch_on(
    const struct host *host, struct plan *plan, enum role role, const struct switch_row *row)
{
	const struct tunable_value *value = &host->values[row->id];
	struct setting *setting;

	if (!value->known || value->number[0] != 0 ||
	    !(setting = plan_add_setting(plan, row->id, role)))
		return;
	setting->value = (struct tunable_value){.known = true, .count = 1, .number = {1}};
	setting->current = *value;
	setting->answers = true;
	setting->finding = row->finding;
	if (row->id == TUNABLE_TCP_WINDOW_SCALING)
		setting->danger.id = REMARK_SYN;
}

static void switch_host(const struct host *host, struct plan *plan, enum role role)
{
	for (size_t i = 0; host && i < SWITCH_COUNT; i++)
		if (!switch_table[i].receives || role != ROLE_SENDER)
			switch_on(host, plan, role, &switch_table[i]);
}

void plan_switches(const struct advice_input *input, struct plan *plan)
{
	bool one_host = input->receiver && input->receiver == input->sender;

	if (one_host || input->role == ROLE_PROXY) {
		switch_host(input->receiver ? input->receiver : input->sender, plan, input->role);
		return;
	}
	if (input->role != ROLE_SENDER)
		switch_host(input->receiver, plan, ROLE_RECEIVER);
	if (input->role != ROLE_RECEIVER)
		switch_host(input->sender, plan, ROLE_SENDER);
}
