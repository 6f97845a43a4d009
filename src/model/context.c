#include "model/context.h"

#include <string.h>

/* The sender's socket that moved most, to the run's receiver where both are named. */
static const struct socket_info *context_socket(
    const struct evidence *evidence, const struct run *run)
{
	const struct socket_info *best = NULL;

	for (size_t i = 0; i < evidence->socket_count; i++) {
		const struct socket_info *socket = &evidence->sockets[i];

		/* ss leaves the state out when it was asked for one. */
		bool up = socket->state[0] == '\0' || strncmp(socket->state, "ESTAB", 5) == 0;
		if (evidence_end_in(evidence->socket_ends[i], run) == END_RECEIVER || !up)
			continue;
		if (socket->bytes_sent <= socket->bytes_received ||
		    socket->bytes_sent < SOCKET_CONTROL_BYTES)
			continue;
		if (run && run->receiver[0] && socket->peer[0] &&
		    strcmp(run->receiver, socket->peer) != 0)
			continue;
		if (!best || socket->bytes_sent > best->bytes_sent)
			best = socket;
	}
	return best;
}

/* The receiver's socket that took most in, from the run's sender where both are named. */
static const struct socket_info *context_peer_socket(
    const struct evidence *evidence, const struct run *run)
{
	const struct socket_info *best = NULL;

	for (size_t i = 0; i < evidence->socket_count; i++) {
		const struct socket_info *socket = &evidence->sockets[i];

		if (evidence->socket_ends[i] == END_SENDER ||
		    socket->bytes_received <= socket->bytes_sent ||
		    socket->bytes_received < SOCKET_CONTROL_BYTES)
			continue;
		if (run && run->sender[0] && socket->peer[0] &&
		    strcmp(run->sender, socket->peer) != 0)
			continue;
		if (!best || socket->bytes_received > best->bytes_received)
			best = socket;
	}
	return best;
}

/* Of several pings the quickest is of the idle path. */
static const struct ping *find_ping(const struct evidence *evidence)
{
	const struct ping *best = NULL;

	for (unsigned i = 0; i < evidence->ping_count; i++)
		if (!best || evidence->pings[i].min_us < best->min_us)
			best = &evidence->pings[i];
	return best;
}

/* Of several pings of one target the slowest was taken under load, when it tells of a queue at all. */
static const struct ping *find_loaded_ping(
    const struct evidence *evidence, const struct ping *idle, const struct run *run)
{
	const struct ping *worst = NULL;

	for (unsigned i = 0; i < evidence->ping_count; i++) {
		const struct ping *ping = &evidence->pings[i];
		bool same = strcmp(ping->target, idle->target) == 0;
		unsigned test = evidence->ping_tests[i];
		/* one that ran beside another test tells of that one */
		if (test != 0 && run && test != run->test + 1)
			continue;
		if (same && ping->avg_us > idle->avg_us && (!worst || ping->avg_us > worst->avg_us))
			worst = ping;
	}
	return worst;
}

/* The slowest of the others that went to the same target. */
static const struct ping *find_other_ping(const struct evidence *evidence, const struct ping *idle)
{
	const struct ping *worst = NULL;

	for (unsigned i = 0; i < evidence->ping_count; i++) {
		const struct ping *ping = &evidence->pings[i];
		if (ping != idle && strcmp(ping->target, idle->target) == 0 &&
		    (!worst || ping->avg_us > worst->avg_us))
			worst = ping;
	}
	return worst;
}

/* Of several targets the run's; of several probes of it the one with the most, taken without load. */
static void find_probe_loss(struct probe_loss *loss, const struct evidence *evidence)
{
	const struct ping *idle = find_ping(evidence);

	for (unsigned i = 0; i < evidence->ping_count; i++) {
		const struct ping *ping = &evidence->pings[i];
		bool loaded = ping->avg_us > 1.5 * idle->avg_us;

		if (!ping->has_counts || ping->sent == 0 || ping->received > ping->sent || loaded)
			continue;
		if (loss->known && ping->sent <= loss->sent)
			continue;
		loss->known = true;
		loss->sent = ping->sent;
		loss->lost = ping->sent - ping->received;
		loss->ratio = (double)loss->lost / (double)loss->sent;
		loss->ping = ping;
	}
}

bool probe_loss_tells(const struct probe_loss *loss)
{
	return loss->known && loss->lost >= PROBES_LOST_MIN && loss->sent >= PROBES_SENT_MIN;
}

void context_for_run(struct path_context *context, const struct evidence *evidence,
    const struct run *run, const struct host *receiver)
{
	*context = (struct path_context){.ping = find_ping(evidence),
	    .socket = context_socket(evidence, run),
	    .peer_socket = context_peer_socket(evidence, run),
	    .receiver = receiver,
	    .tc = evidence->has_tc ? &evidence->tc : NULL};
	context->tracepath = evidence->has_tracepath ? &evidence->tracepath : NULL;
	find_probe_loss(&context->probe_loss, evidence);
	if (context->ping) {
		context->loaded_ping = find_loaded_ping(evidence, context->ping, run);
		context->other_ping = find_other_ping(evidence, context->ping);
	}
}
