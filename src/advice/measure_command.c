#include "advice/measure_command.h"

#include <stdio.h>

#include "base/quote.h"

static bool client_sends(const struct run *run)
{
	return run->client == run->local_sends;
}

const char *run_server(const struct run *run)
{
	return quote_host(client_sends(run) ? run->receiver : run->sender, "SERVER");
}

const char *measure_command(const struct run *run, const char *options, char *out, size_t size)
{
	char streams[16] = "";

	if (run->streams > 1)
		snprintf(streams, sizeof(streams), " -P %u", run->streams);
	snprintf(out, size, "iperf3 -c %s%s%s %s", run_server(run), client_sends(run) ? "" : " -R",
	    streams, options);
	return out;
}
