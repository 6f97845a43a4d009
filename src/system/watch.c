#include "system/watch.h"

#include <bsd/string.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/error.h"
#include "base/quote.h"
#include "evidence/sample.h"
#include "evidence/socket_filter.h"
#include "evidence/socket_state.h"
#include "system/sock_diag.h"

/* Connections among which to find the one that moves most. */
#define CANDIDATES_MAX 64
/* How long that takes. */
#define CHOOSE_S 0.2

struct candidate {
	struct sock_diag_id id;
	uint64_t bytes;
};

struct candidates {
	struct candidate items[CANDIDATES_MAX];
	size_t count;
	uint64_t seen, over; /* over: closing or closed */
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void wait_s(double seconds)
{
	struct timespec left = {
	    .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
}

/* Where both ends are on this machine, the sender tells more. */
static uint64_t moved(const struct socket_info *info)
{
	return 2 * info->bytes_acked + info->bytes_received;
}

/* A connection that closes turns into a small one without counters (net/ipv4/tcp_minisocks.c,
 * tcp_time_wait), which tells its state and nothing else. */
static bool is_over(const struct socket_info *info)
{
	return !(info->has & SOCKET_BYTES_ACKED) && socket_state_find(info->state) != STATE_ESTAB;
}

/* Keeps those that have moved most. */
static void candidate_add(
    struct candidates *candidates, const struct sock_diag_id *id, uint64_t bytes)
{
	size_t at = candidates->count;

	candidates->seen++;
	if (at < CANDIDATES_MAX) {
		candidates->count++;
	} else {
		at = 0;
		for (size_t i = 1; i < CANDIDATES_MAX; i++)
			if (candidates->items[i].bytes < candidates->items[at].bytes)
				at = i;
		if (bytes <= candidates->items[at].bytes)
			return;
	}
	candidates->items[at] = (struct candidate){.id = *id, .bytes = bytes};
}

static enum sock_diag_result list_candidates(
    struct sock_diag *reader, const struct address_block *peer, struct candidates *candidates)
{
	struct socket_info info;
	struct sock_diag_id id;
	enum sock_diag_result result;

	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET ||
	       result == SOCK_DIAG_AGAIN) {
		if (result == SOCK_DIAG_AGAIN)
			*candidates = (struct candidates){.count = 0};
		else if (address_block_has(peer, info.peer) && is_over(&info))
			candidates->over++;
		else if (address_block_has(peer, info.peer))
			candidate_add(candidates, &id, moved(&info));
	}
	return result;
}

/* The one that moves most now; among idle ones, that which has moved most. */
static const struct sock_diag_id *choose(struct sock_diag *reader, struct candidates *candidates)
{
	const struct candidate *best = NULL;
	uint64_t most = 0;

	if (candidates->count > 1)
		wait_s(CHOOSE_S);
	for (size_t i = 0; i < candidates->count; i++) {
		struct candidate *candidate = &candidates->items[i];
		struct socket_info info;
		uint64_t by = 0;

		if (candidates->count > 1 &&
		    sock_diag_look_up(reader, &candidate->id, &info) == SOCK_DIAG_SOCKET)
			by = moved(&info) > candidate->bytes ? moved(&info) - candidate->bytes : 0;
		if (!best || by > most || (by == most && candidate->bytes > best->bytes)) {
			best = candidate;
			most = by;
		}
	}
	return &best->id;
}

/* Reads until the time is up or the connection is gone. */
static enum sock_diag_result watch(struct sock_diag *reader, const struct sock_diag_id *id,
    struct sample *sample, double seconds, watch_tick *tick)
{
	double begin = now_s(), step = sample->bin_s / SAMPLE_READINGS_PER_BIN;
	unsigned steps = (unsigned)lround(seconds / step);
	enum sock_diag_result result = SOCK_DIAG_SOCKET;

	for (unsigned i = 0; i <= steps; i++) {
		struct socket_info info;
		double early = begin + i * step - now_s();
		if (tick)
			tick(i * step, seconds);
		if (early > 0)
			wait_s(early);
		result = sock_diag_look_up(reader, id, &info);
		if (result == SOCK_DIAG_SOCKET && is_over(&info))
			result = SOCK_DIAG_END;
		if (result != SOCK_DIAG_SOCKET)
			break;
		sample_add(sample, &info, now_s());
	}
	if (tick)
		tick(seconds, seconds);
	return result;
}

static enum operand_result system_error(const char *endpoint)
{
	report_error("%s: live sockets: %s", quoted(endpoint), sock_diag_why(errno));
	return OPERAND_SYSTEM;
}

static enum operand_result refuse(const char *endpoint, const char *why)
{
	report_error("%s: %s", quoted(endpoint), why);
	return OPERAND_UNUSABLE;
}

/* As iperf3 names a machine: the fields of uname, joined by blanks; what does not fit is left out. */
static void name_machine(char *out, size_t size)
{
	struct utsname u;
	char text[sizeof(u.sysname) * 5 + 8];

	if (uname(&u) != 0)
		return;
	snprintf(text, sizeof(text), "%s %s %s %s %s", u.sysname, u.nodename, u.release, u.version,
	    u.machine);
	strlcpy(out, text, size);
}

/* What is told of it, and whether it ended before its time. */
static void describe(struct evidence *evidence, const char *endpoint, const struct sample *sample,
    const struct candidates *candidates, bool gone)
{
	struct input *input = evidence_add_input(evidence, endpoint, INPUT_SS);
	double seconds = sample->last_s - sample->first_s;

	snprintf(input->detail, sizeof(input->detail), "live connection, %.3g s", seconds);
	if (candidates->seen > 1)
		snprintf(input->detail + strlen(input->detail),
		    sizeof(input->detail) - strlen(input->detail), ", the busiest of %llu",
		    (unsigned long long)candidates->seen);
	for (size_t i = 0; i < evidence->runs.count; i++) {
		struct run *run = &evidence->runs.items[i];
		if (run->test + 1 != evidence->runs.tests)
			continue;
		name_machine(run->system_info, sizeof(run->system_info));
		run->complete = !gone;
	}
	if (!gone)
		return;
	snprintf(
	    input->warning, sizeof(input->warning), "the connection ended after %.3g s", seconds);
	report_error("%s: %s", quoted(endpoint), input->warning);
}

static enum operand_result sample_from(struct evidence *evidence, struct sock_diag *reader,
    const struct endpoint *endpoint, double seconds, watch_tick *tick)
{
	const char *name = endpoint->name;
	static struct candidates candidates;
	struct sample sample = {.bin_s = fmin(1, fmax(fmin(0.25, seconds / 2), seconds / 10))};

	candidates.count = 0;
	candidates.seen = candidates.over = 0;
	if (list_candidates(reader, &endpoint->address, &candidates) == SOCK_DIAG_ERROR)
		return system_error(name);
	if (candidates.count == 0 && candidates.over > 0)
		return refuse(name,
		    "the connection has ended, and a closed one tells nothing: watch it while it "
		    "transfers");
	if (candidates.count == 0)
		return refuse(name, "no connection to it; ss -tn shows which there are");
	enum sock_diag_result result =
	    watch(reader, choose(reader, &candidates), &sample, seconds, tick);
	if (result == SOCK_DIAG_ERROR)
		return system_error(name);
	bool gone = result == SOCK_DIAG_END;
	if (sample.readings > 0 && !(sample.last.has & SOCKET_BYTES_ACKED))
		return refuse(name, "this kernel does not count what a connection moves (Linux "
				    "4.1 and later do)");
	if (!sample_finish(&sample, evidence, name))
		return refuse(name,
		    gone ? "the connection ended before anything could be told"
			 : "next to nothing moved: a connection tells of its path only while it "
			   "transfers");
	describe(evidence, name, &sample, &candidates, gone);
	return OPERAND_OK;
}

enum operand_result watch_read(
    struct evidence *evidence, const struct endpoint *endpoint, double seconds, watch_tick *tick)
{
	/* One in TIME-WAIT is none, but tells that there was one. */
	struct sock_diag *reader =
	    sock_diag_open(STATES_CONNECTED | STATE_BIT(STATE_TIME_WAIT), endpoint->port);
	if (!reader)
		return system_error(endpoint->name);
	enum operand_result result = sample_from(
	    evidence, reader, endpoint, seconds > 0 ? seconds : WATCH_SECONDS_DEFAULT, tick);
	sock_diag_close(reader);
	return result;
}
