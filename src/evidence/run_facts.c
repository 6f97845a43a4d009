#include "evidence/run_facts.h"

#include <bsd/string.h>
#include <string.h>

void run_text_take(char *into, size_t size, const char *text, const char *prefix, const char *stop)
{
	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	strlcpy(into, text, size);
	into[strcspn(into, stop)] = '\0';
}

/* A socket that takes both families shows IPv4 so, up to 3.0. */
static void address_take(char *into, size_t size, const char *address)
{
	run_text_take(into, size, address, "::ffff:", "");
}

static void take_ends(struct run *run, const struct run_facts *facts)
{
	const char *local = facts->local;
	const char *remote = facts->remote[0] != '\0' ? facts->remote : facts->host;
	/* of --bidir only the server's sending is told, at both ends (iperf_api.c of 3.7 to 3.21) */
	bool is_swapped = run->bidir && run->client == run->local_sends;

	address_take(run->sender, sizeof(run->sender), run->local_sends ? local : remote);
	address_take(run->receiver, sizeof(run->receiver), run->local_sends ? remote : local);
	strlcpy(run->sender_cc, is_swapped ? facts->receiver_cc : facts->sender_cc,
	    sizeof(run->sender_cc));
	strlcpy(run->receiver_cc, is_swapped ? facts->sender_cc : facts->receiver_cc,
	    sizeof(run->receiver_cc));
}

/* Use of a core at each end.  A server prints its results before it gets the client's: what it says
 * of the other end is 0, or of the client before (iperf_reset_test() keeps it). */
static void take_cpu(struct run *run, const struct run_facts *facts)
{
	double local = facts->local_cpu_percent, remote = facts->remote_cpu_percent;

	if ((facts->has & RUN_SENDER_CPU) && local >= 0 && local <= CPU_PERCENT_MAX) {
		run->has |= run->local_sends ? RUN_SENDER_CPU : RUN_RECEIVER_CPU;
		*(run->local_sends ? &run->sender_cpu_percent : &run->receiver_cpu_percent) = local;
	}
	if ((facts->has & RUN_RECEIVER_CPU) && remote > 0 && remote <= CPU_PERCENT_MAX &&
	    run->client) {
		run->has |= run->local_sends ? RUN_RECEIVER_CPU : RUN_SENDER_CPU;
		*(run->local_sends ? &run->receiver_cpu_percent : &run->sender_cpu_percent) =
		    remote;
	}
}

void run_facts_take(struct run *run, const struct run_facts *facts)
{
	run_text_take(run->version, sizeof(run->version), facts->version, "iperf ", " \t\n");
	/* 3.0 ends it with a line feed */
	run_text_take(run->system_info, sizeof(run->system_info), facts->system_info, "", "\r\n");
	take_ends(run, facts);
	take_cpu(run, facts);
	if ((facts->has & RUN_MSS) && facts->mss <= UINT32_MAX) {
		run->has |= RUN_MSS;
		run->mss = (uint32_t)facts->mss;
	}
	if (facts->has & RUN_SOCKET_BUFFER) {
		run->has |= RUN_SOCKET_BUFFER;
		run->socket_buffer_bytes = facts->socket_buffer_bytes;
	}
	if ((facts->has & RUN_TARGET_RATE) && facts->target_rate_bps >= 0) {
		run->has |= RUN_TARGET_RATE;
		run->target_rate_bps = facts->target_rate_bps;
	}
	/* a test of so many bytes has no duration: 0 */
	if ((facts->has & RUN_DURATION) && facts->duration_s > 0) {
		run->has |= RUN_DURATION;
		run->duration_s = facts->duration_s;
	}
	if ((facts->has & RUN_OMIT) && facts->omit_s >= 0) {
		run->has |= RUN_OMIT;
		run->omit_s = facts->omit_s;
	}
}
