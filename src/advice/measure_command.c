#include "advice/measure_command.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"

static bool client_sends(const struct run *run)
{
	return run->client == run->local_sends;
}

const char *run_server(const struct run *run)
{
	return quote_host(client_sends(run) ? run->receiver : run->sender, "SERVER");
}

/* iperf3 shows cwnd and RTT on Linux and FreeBSD alone (iperf3 tcp_info.c, HAVE_TCP_INFO); macOS since 3.17,
 * and then its intervals have cwnd. */
static bool client_is_blind(const struct run *run)
{
	const char *system = run->system_info;

	if (!run->client || !run->local_sends || *system == '\0' ||
	    strncmp(system, "Linux", 5) == 0 || strncmp(system, "FreeBSD", 7) == 0)
		return false;
	for (size_t i = 0; i < run->series.count; i++)
		if (run->series.bins[i].has & BIN_CWND)
			return false;
	return true;
}

const char *measure_command(const struct run *run, const char *options, char *out, size_t size)
{
	char streams[16] = "";
	bool other_sends = client_is_blind(run) && strstr(options, "-J");

	if (run->streams > 1 && !strstr(options, "-P "))
		snprintf(streams, sizeof(streams), " -P %u", run->streams);
	snprintf(out, size, "iperf3 -c %s%s%s %s%s", run_server(run),
	    other_sends || !client_sends(run) ? " -R" : "", streams, options,
	    other_sends && !strstr(options, "--get-server-output") ? " --get-server-output" : "");
	return out;
}
