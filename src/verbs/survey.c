#include "verbs/survey.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/complaint.h"
#include "base/quote.h"
#include "base/source.h"
#include "evidence/evidence.h"
#include "evidence/sniff.h"
#include "evidence/sock_diag.h"
#include "evidence/socket_state.h"

/* Larger than what any connection is given at first (131072 to receive, up to 87 KiB to send), and
 * than what a few round trips make of it: net/ipv4/tcp.c, tcp_init; tcp_input.c. */
#define FLOOR_BYTES 262144.0

/* ---- files --------------------------------------------------------------------------------- */

static const char *shown_name(const struct source *source)
{
	return quoted(source_name(source));
}

static int refuse(const struct source *source, const char *why)
{
	complain("%s: %s", shown_name(source), why);
	return 3;
}

/* Without the current number of connections counters only ever rise, unless the host restarted. */
static bool went_backwards(const struct counters *before, const struct counters *after)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		if (i != COUNTER_TCP_CURR_ESTAB && before->known[i] && after->known[i] &&
		    after->value[i] < before->value[i])
			return true;
	return false;
}

static int take_counters(struct survey *survey, struct source *source)
{
	struct counters first, last;
	unsigned got = counters_read_all(&first, &last, source);

	if (got == 0)
		return refuse(source, "no TCP counter in it; take it with nstat -az or netstat -s");
	if (survey->counter_readings + (got > 1 ? 2 : 1) > 2)
		return refuse(
		    source, "a third reading of the counters; two give what they grew by");
	const struct counters *before = got > 1 ? &first : &survey->counters[0];
	if (survey->counter_readings + got > 1 && went_backwards(before, &last))
		return refuse(source,
		    "its counters are lower than those of the reading before it: give the earlier one "
		    "first");
	if (got > 1)
		survey->counters[survey->counter_readings++] = first;
	survey->counters[survey->counter_readings++] = last;
	return 0;
}

static int take_dump(struct survey *survey, struct source *source)
{
	struct sockstat sockstat = survey->host.sockstat;
	const char *why;

	if (host_has_settings(&survey->host))
		return refuse(source, "a second description of the host");
	if (!host_read_dump(&survey->host, source, &why))
		return refuse(source, why);
	survey->host.sockstat = sockstat;
	survey->host.origin = HOST_DUMP;
	if (survey->host.name[0] == '\0')
		quote_text(source_name(source), survey->host.name, sizeof(survey->host.name));
	return 0;
}

static int take_sockstat(struct survey *survey, struct source *source)
{
	struct sockstat sockstat;
	const char *why;

	if (!sockstat_read(&sockstat, source, &why))
		return refuse(source, why);
	sockstat_join(&survey->host.sockstat, &sockstat);
	if (survey->host.origin == HOST_UNKNOWN)
		survey->host.origin = HOST_DUMP;
	return 0;
}

static void name_source(struct survey *survey, const struct source *source)
{
	if (survey->source[0] != '\0')
		strlcat(survey->source, ", ", sizeof(survey->source));
	strlcat(survey->source, source_name(source), sizeof(survey->source));
}

/* One socket, of any source: judged, and added to the sums. */
static void take_socket(
    struct survey *survey, const struct socket_info *info, const struct growth *growth)
{
	struct listed item;

	item.info = *info;
	holding_reckon(&item.holding, info, growth, &survey->rule);
	tally_add(&survey->tally, &item);
	if (survey->each)
		survey->each(&item, survey->each_context);
}

static int take_sockets(struct survey *survey, struct source *source)
{
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	uint64_t count = 0;
	int got;

	while ((got = ss_next(reader, &info)) > 0) {
		count++;
		if (socket_filter_takes(&survey->filter, &info))
			take_socket(survey, &info, NULL);
	}
	survey->lines_passed_over += ss_skipped(reader);
	ss_close(reader);
	if (got < 0) {
		complain("%s: %s", shown_name(source), strerror(errno));
		return 1;
	}
	if (count == 0)
		return refuse(source, "no sockets in it; take it with ss -tmin");
	survey->has_sockets = true;
	name_source(survey, source);
	return 0;
}

/* Sockets wait until everything that is told of their host is known. */
static int keep_for_later(struct survey *survey, struct source *source)
{
	if (survey->file_count == SURVEY_FILES_MAX)
		return refuse(source, "more than 16 files of sockets; join them with cat");
	survey->files[survey->file_count++] = source;
	return 0;
}

static int refuse_kind(struct source *source, enum input_kind kind)
{
	const char *bytes;

	/* A directory or a device that fails shows itself at the first read only. */
	if (source_chunk(source, &bytes) < 0) {
		complain("%s: %s", shown_name(source), strerror(errno));
		return 1;
	}
	if (kind == INPUT_EMPTY)
		return refuse(
		    source, "empty; for the live sockets of this machine, bdp sockets </dev/null");
	complain("%s: taken for %s; sockets takes the output of ss -tmin, nstat -az, sysctl -a "
		 "and /proc/net/sockstat",
	    shown_name(source), input_kind_text(kind));
	return 3;
}

/* What of it sockets takes; -1 for a kind that it does not. */
static int take_kind(struct survey *survey, struct source *source, enum input_kind kind)
{
	switch (kind) {
	case INPUT_COUNTERS:
		return take_counters(survey, source);
	case INPUT_SYSCTL:
		return take_dump(survey, source);
	case INPUT_SOCKSTAT:
		return take_sockstat(survey, source);
	default:
		return -1;
	}
}

/* The other commands' output in a paste: what its reader finds nothing in was none, and is not spoken of. */
static bool take_beside(
    struct survey *survey, const char *name, unsigned kinds, const char *bytes, size_t length)
{
	char unsaid[512];
	bool any = false;

	if (kinds == 0)
		return false;
	for (enum input_kind kind = 0; kind < INPUT_KIND_COUNT; kind++) {
		if (!(kinds & 1u << kind))
			continue;
		if (kind == INPUT_SS && survey->file_count < SURVEY_FILES_MAX) {
			char *copy = malloc(length);
			if (!copy)
				err(1, NULL);
			memcpy(copy, bytes, length);
			survey->pastes[survey->paste_count++] = copy;
			survey->files[survey->file_count++] = source_memory(name, copy, length);
			any = true;
			continue;
		}
		struct source *source = source_memory(name, bytes, length);
		complaints_keep(unsaid, sizeof(unsaid));
		any = take_kind(survey, source, kind) == 0 || any;
		complaints_keep(NULL, 0);
		source_close(source);
	}
	return any;
}

static int read_operand(struct survey *survey, const char *name)
{
	struct source *source = source_open(name);
	const char *bytes;

	if (!source) {
		complain("%s: %s", quoted(name), strerror(errno));
		return 1;
	}
	errno = 0;
	enum input_kind kind = sniff(source);
	size_t length = source_peek(source, &bytes);
	/* half a line would be half a value */
	size_t whole = length;
	while (length == SOURCE_PEEK_MAX && whole > 0 && bytes[whole - 1] != '\n')
		whole--;
	bool any = take_beside(survey, name, sniff_beside(bytes, whole, kind), bytes, whole);
	if (kind == INPUT_SS) {
		int code = keep_for_later(survey, source);
		if (code == 0)
			return 0;
		source_close(source);
		return code;
	}
	int code = take_kind(survey, source, kind);
	if (code < 0)
		code = any ? 0 : refuse_kind(source, kind);
	source_close(source);
	return code;
}

int survey_read_files(struct survey *survey)
{
	int code = 0;

	for (size_t i = 0; i < survey->file_count && code == 0; i++)
		code = take_sockets(survey, survey->files[i]);
	return code;
}

/* ---- what is asked ------------------------------------------------------------------------- */

static void set_filter(struct survey *survey, const struct options *options)
{
	struct socket_filter *filter = &survey->filter;

	filter->port = (uint16_t)options->port;
	filter->min_held = options->min_held_bytes;
	filter->states = options->given & GIVEN_STATES ? options->states : STATES_CONNECTED;
	filter->has_peer = (options->given & GIVEN_PEER) != 0;
	filter->peer = options->peer;
}

static void set_rule(struct survey *survey, const struct options *options)
{
	const struct tunable_value *rmem = &survey->host.values[TUNABLE_TCP_RMEM];

	survey->rule = (struct holding_rule){.factor = options->factor > 0 ? options->factor : 2,
	    .target_bps = options->given & GIVEN_TARGET ? options->target_bps : 0,
	    .floor_bytes = FLOOR_BYTES};
	if (rmem->known)
		survey->rule.floor_bytes = fmax(FLOOR_BYTES, (double)rmem->number[1]);
}

/* Something is piped in, or standard input is a file; a terminal, /dev/null and what a daemon has
 * are not meant. */
static bool input_is_piped(void)
{
	struct stat status;

	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

static int read_host(struct survey *survey, const struct options *options)
{
	struct host *host = &survey->host;

	if (options->sysroot && !host_read_system(host, options->sysroot)) {
		complain("%s: no kernel settings below it", quoted(options->sysroot));
		return 3;
	}
	if (survey->live && !options->no_host && host->origin == HOST_UNKNOWN)
		host_read_system(host, "");
	if (options->kernel.known)
		host->kernel = options->kernel;
	if (options->given & GIVEN_MEMORY)
		host->mem_total_bytes = options->memory_bytes;
	if (host->origin == HOST_UNKNOWN &&
	    (options->kernel.known || (options->given & GIVEN_MEMORY)))
		host->origin = HOST_OPTIONS;
	return 0;
}

static int read_all_operands(struct survey *survey, const struct options *options)
{
	int code = 0;

	for (size_t i = 0; i < options->operand_count; i++) {
		int got = read_operand(survey, options->operands[i]);
		/* A system error outweighs an unusable file. */
		if (got != 0 && (code == 0 || got == 1))
			code = got;
	}
	if (options->sysctl && code == 0)
		code = read_operand(survey, options->sysctl);
	return code;
}

int survey_begin(struct survey *survey, const struct options *options)
{
	bool repeats = options->watch_s > 0 || options->interval_s > 0;
	int code;

	memset(survey, 0, sizeof(*survey));
	survey->options = options;
	if (options->operand_count > 0 && repeats) {
		complain("--%s reads live sockets, and files were given; leave one out",
		    options->watch_s > 0 ? "watch" : "interval");
		return 2;
	}
	code = read_all_operands(survey, options);
	survey->live = options->operand_count == 0 && (repeats || !input_is_piped());
	if (code == 0 && options->operand_count == 0 && !survey->live)
		code = read_operand(survey, "-");
	if (code == 0)
		code = read_host(survey, options);
	set_filter(survey, options);
	set_rule(survey, options);
	return code;
}

/* ---- this machine -------------------------------------------------------------------------- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void survey_expect_two(struct survey *survey)
{
	if (!survey->previous)
		survey->previous = previous_new();
}

/* What moves, of what is known of this machine; the first time it has just been read. */
static void count_live(struct survey *survey, bool first)
{
	struct host *host = &survey->host, fresh = {0};

	if (host->origin != HOST_LIVE)
		return;
	if (!first && host_read_system(&fresh, "")) {
		memcpy(host->values, fresh.values, sizeof(host->values));
		host->sockstat = fresh.sockstat;
		host->counters = fresh.counters;
	}
	survey->counters[0] = survey->counters[1];
	survey->counters[1] = host->counters;
	if (host->counters.any && survey->counter_readings < 2)
		survey->counter_readings++;
}

static int live_error(void)
{
	complain("live sockets: %s", sock_diag_why(errno));
	return 1;
}

/* All sockets of one answer. */
static enum sock_diag_result take_answer(struct survey *survey, struct sock_diag *reader)
{
	struct socket_info info;
	struct sock_diag_id id;
	struct growth growth;
	enum sock_diag_result result;

	memset(&survey->tally, 0, sizeof(survey->tally));
	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET) {
		/* the table has room for so many: none is for what is not asked about */
		if (!socket_filter_takes(&survey->filter, &info))
			continue;
		bool grown =
		    survey->previous && previous_swap(survey->previous, id.cookie, &info, &growth);
		take_socket(survey, &info, grown ? &growth : NULL);
	}
	return result;
}

int survey_read_live(struct survey *survey)
{
	struct sock_diag *reader = sock_diag_open(survey->filter.states, 0);
	enum sock_diag_result result;
	double before_s = survey->read_at_s;

	if (!reader)
		return live_error();
	survey->read_at_s = now_s();
	survey->seconds = before_s > 0 ? survey->read_at_s - before_s : 0;
	count_live(survey, before_s <= 0);
	if (survey->previous)
		previous_begin(survey->previous, survey->read_at_s);
	do {
		result = take_answer(survey, reader);
		/* what was listed cannot be taken back */
		if (result == SOCK_DIAG_AGAIN && survey->each) {
			errno = ENOBUFS;
			result = SOCK_DIAG_ERROR;
		}
	} while (result == SOCK_DIAG_AGAIN);
	int code = result == SOCK_DIAG_ERROR ? live_error() : 0;
	sock_diag_close(reader);
	survey->has_sockets = true;
	strlcpy(survey->source, "this machine", sizeof(survey->source));
	return code;
}

void survey_free(struct survey *survey)
{
	previous_free(survey->previous);
	for (size_t i = 0; i < survey->file_count; i++)
		source_close(survey->files[i]);
	for (size_t i = 0; i < survey->paste_count; i++)
		free(survey->pastes[i]);
}
