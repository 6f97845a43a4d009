/* Whose facts are whose: what was told of the client and of the server, by the run that is meant. */
#include "evidence/evidence.h"

/* What is there already stays. */
static void move_end(struct evidence *evidence, enum end from, enum end to)
{
	if (evidence->hosts[to].origin == HOST_UNKNOWN) {
		evidence->hosts[to] = evidence->hosts[from];
		evidence->host_is_beside[to] = true;
	}
	evidence->hosts[from] = (struct host){.origin = HOST_UNKNOWN};
	if (evidence->counters_readings[to] == 0) {
		evidence->counters_first[to] = evidence->counters_first[from];
		evidence->counters_last[to] = evidence->counters_last[from];
		evidence->counters_readings[to] = evidence->counters_readings[from];
	}
	evidence->counters_readings[from] = 0;
	if (evidence->drops[to].count == 0)
		evidence->drops[to] = evidence->drops[from];
	evidence->drops[from] = (struct drops){.count = 0};
	for (size_t i = 0; i < evidence->socket_count; i++)
		if (evidence->socket_ends[i] == from)
			evidence->socket_ends[i] = to;
	for (size_t i = 0; i < evidence->input_count; i++)
		if (evidence->inputs[i].label == from && from != END_NONE)
			evidence->inputs[i].label = to;
}

/* True when the tests from `first` on all went one way; *client is the end that the client was. */
static bool one_way(const struct runs *runs, unsigned first, enum end *client)
{
	unsigned seen = 0;

	for (size_t i = 0; i < runs->count; i++)
		if (runs->items[i].test >= first)
			seen |= 1U << evidence_end_in(END_CLIENT, &runs->items[i]);
	*client = seen == 1U << END_SENDER ? END_SENDER : END_RECEIVER;
	return seen == 1U << *client;
}

void evidence_resolve(struct evidence *evidence, unsigned first_test)
{
	enum end client;

	if (!one_way(&evidence->runs, first_test, &client))
		return;
	move_end(evidence, END_CLIENT, client);
	move_end(evidence, END_SERVER, client == END_SENDER ? END_RECEIVER : END_SENDER);
}

void evidence_settle(struct evidence *evidence)
{
	static const enum end pairs[][2] = {
	    {END_CLIENT, END_SERVER}, {END_SENDER, END_RECEIVER}, {END_RECEIVER, END_SENDER}};
	size_t count = evidence->none_is_far ? 3 : 1;

	for (size_t i = 0; i < count && evidence->hosts[END_NONE].origin != HOST_UNKNOWN; i++)
		if (evidence->hosts[pairs[i][0]].origin != HOST_UNKNOWN &&
		    evidence->hosts[pairs[i][1]].origin == HOST_UNKNOWN)
			move_end(evidence, END_NONE, pairs[i][1]);
}

enum end evidence_end_in(enum end end, const struct run *run)
{
	if (end != END_CLIENT && end != END_SERVER)
		return end;
	if (!run)
		return END_NONE;
	bool client_sends = run->client == run->local_sends;
	return (end == END_CLIENT) == client_sends ? END_SENDER : END_RECEIVER;
}

const struct host *evidence_host(
    const struct evidence *evidence, enum end end, const struct run *run)
{
	if (evidence->hosts[end].origin != HOST_UNKNOWN)
		return &evidence->hosts[end];
	for (int at = END_CLIENT; at <= END_SERVER; at++)
		if (evidence_end_in((enum end)at, run) == end &&
		    evidence->hosts[at].origin != HOST_UNKNOWN)
			return &evidence->hosts[at];
	return NULL;
}
