#include "verbs/socket_scan.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/quote.h"
#include "base/source.h"
#include "evidence/evidence.h"
#include "evidence/sniff.h"
#include "evidence/socket_state.h"
#include "system/procfs.h"
#include "system/sock_diag.h"

/* ---- files --------------------------------------------------------------------------------- */

static const char *shown_name(const struct source *source)
{
	return quoted(source_name(source));
}

static int refuse(const struct source *source, const char *why)
{
	report_error("%s: %s", shown_name(source), why);
	return 3;
}

static int take_counters(struct socket_scan *scan, struct source *source)
{
	struct counters first, last;
	unsigned got = counters_read_all(&first, &last, source);

	if (got == 0)
		return refuse(source, "no TCP counter in it; take it with nstat -az or netstat -s");
	if (scan->counter_readings + (got > 1 ? 2 : 1) > 2)
		return refuse(
		    source, "a third reading of the counters; two give what they grew by");
	const struct counters *before = got > 1 ? &first : &scan->counters[0];
	if (scan->counter_readings + got > 1 && counters_went_back(before, &last))
		return refuse(source,
		    "its counters are lower than those of the reading before it: give the earlier one "
		    "first");
	if (got > 1)
		scan->counters[scan->counter_readings++] = first;
	scan->counters[scan->counter_readings++] = last;
	return 0;
}

static int take_dump(struct socket_scan *scan, struct source *source)
{
	struct sockstat sockstat = scan->host.sockstat;
	const char *why;

	if (host_has_settings(&scan->host))
		return refuse(source, "a second description of the host");
	if (!host_read_dump(&scan->host, source, &why))
		return refuse(source, why);
	scan->host.sockstat = sockstat;
	scan->host.origin = HOST_DUMP;
	if (scan->host.name[0] == '\0')
		quote_text(source_name(source), scan->host.name, sizeof(scan->host.name));
	return 0;
}

static int take_sockstat(struct socket_scan *scan, struct source *source)
{
	struct sockstat sockstat;
	const char *why;

	if (!sockstat_read(&sockstat, source, &why))
		return refuse(source, why);
	sockstat_join(&scan->host.sockstat, &sockstat);
	if (scan->host.origin == HOST_UNKNOWN)
		scan->host.origin = HOST_DUMP;
	return 0;
}

static void name_source(struct socket_scan *scan, const struct source *source)
{
	if (scan->source[0] != '\0')
		strlcat(scan->source, ", ", sizeof(scan->source));
	strlcat(scan->source, source_name(source), sizeof(scan->source));
}

/* One socket, of any source: judged, and added to the sums. */
static void take_socket(
    struct socket_scan *scan, const struct socket_info *info, const struct counter_delta *delta)
{
	struct listed item;

	item.info = *info;
	socket_memory_compute(&item.memory, info, delta, &scan->rule);
	socket_totals_add(&scan->totals, &item);
	if (scan->each)
		scan->each(&item, scan->each_context);
}

static int take_sockets(struct socket_scan *scan, struct source *source)
{
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	uint64_t count = 0;
	int got;

	while ((got = ss_next(reader, &info)) > 0) {
		count++;
		if (socket_filter_takes(&scan->filter, &info))
			take_socket(scan, &info, NULL);
	}
	scan->lines_passed_over += ss_skipped(reader);
	ss_close(reader);
	if (got < 0) {
		report_error("%s: %s", shown_name(source), strerror(errno));
		return 1;
	}
	if (count == 0)
		return refuse(source, "no sockets in it; take it with ss -tmin");
	scan->has_sockets = true;
	name_source(scan, source);
	return 0;
}

/* Sockets wait until everything that is told of their host is known. */
static int keep_for_later(struct socket_scan *scan, struct source *source)
{
	if (scan->file_count == SOCKET_SCAN_FILES_MAX)
		return refuse(source, "more than 16 files of sockets; join them with cat");
	scan->files[scan->file_count++] = source;
	return 0;
}

static int refuse_kind(struct source *source, enum input_kind kind)
{
	const char *bytes;

	/* A directory or a device that fails shows itself at the first read only. */
	if (source_chunk(source, &bytes) < 0) {
		report_error("%s: %s", shown_name(source), strerror(errno));
		return 1;
	}
	if (kind == INPUT_EMPTY)
		return refuse(
		    source, "empty; for the live sockets of this machine, bdp sockets </dev/null");
	report_error("%s: taken for %s; sockets takes the output of ss -tmin, nstat -az, sysctl -a "
		     "and /proc/net/sockstat",
	    shown_name(source), input_kind_text(kind));
	return 3;
}

/* What of it sockets takes; -1 for a kind that it does not. */
static int take_kind(struct socket_scan *scan, struct source *source, enum input_kind kind)
{
	switch (kind) {
	case INPUT_COUNTERS:
		return take_counters(scan, source);
	case INPUT_SYSCTL:
		return take_dump(scan, source);
	case INPUT_SOCKSTAT:
		return take_sockstat(scan, source);
	default:
		return -1;
	}
}

/* The other commands' output in a paste: what its reader finds nothing in was none, and is not spoken of. */
static bool take_beside(
    struct socket_scan *scan, const char *name, unsigned kinds, const char *bytes, size_t length)
{
	char unsaid[512];
	bool any = false;

	if (kinds == 0)
		return false;
	for (enum input_kind kind = 0; kind < INPUT_KIND_COUNT; kind++) {
		if (!(kinds & 1u << kind))
			continue;
		if (kind == INPUT_SS && scan->file_count < SOCKET_SCAN_FILES_MAX) {
			char *copy = malloc(length);
			if (!copy)
				err(1, NULL);
			memcpy(copy, bytes, length);
			scan->pastes[scan->paste_count++] = copy;
			scan->files[scan->file_count++] = source_memory(name, copy, length);
			any = true;
			continue;
		}
		struct source *source = source_memory(name, bytes, length);
		errors_keep(unsaid, sizeof(unsaid));
		any = take_kind(scan, source, kind) == 0 || any;
		errors_keep(NULL, 0);
		source_close(source);
	}
	return any;
}

static int read_operand(struct socket_scan *scan, const char *name)
{
	struct source *source = source_open(name);
	const char *bytes;

	if (!source) {
		report_error("%s: %s", quoted(name), strerror(errno));
		return 1;
	}
	errno = 0;
	enum input_kind kind = sniff(source);
	size_t length = source_peek(source, &bytes);
	/* half a line would be half a value */
	size_t whole = length;
	while (length == SOURCE_PEEK_MAX && whole > 0 && bytes[whole - 1] != '\n')
		whole--;
	bool any = take_beside(scan, name, sniff_beside(bytes, whole, kind), bytes, whole);
	if (kind == INPUT_SS) {
		int code = keep_for_later(scan, source);
		if (code == 0)
			return 0;
		source_close(source);
		return code;
	}
	int code = take_kind(scan, source, kind);
	if (code < 0)
		code = any ? 0 : refuse_kind(source, kind);
	source_close(source);
	return code;
}

int socket_scan_read_files(struct socket_scan *scan)
{
	int code = 0;

	for (size_t i = 0; i < scan->file_count && code == 0; i++)
		code = take_sockets(scan, scan->files[i]);
	return code;
}

/* ---- what is asked ------------------------------------------------------------------------- */

static void set_filter(struct socket_scan *scan, const struct options *options)
{
	struct socket_filter *filter = &scan->filter;

	filter->port = (uint16_t)options->port;
	filter->min_held = options->min_held_bytes;
	filter->states = options->given & GIVEN_STATES ? options->states : STATES_CONNECTED;
	filter->has_peer = (options->given & GIVEN_PEER) != 0;
	filter->peer = options->peer;
}

/* Something is piped in, or standard input is a file; a terminal, /dev/null and what a daemon has
 * are not meant. */
static bool input_is_piped(void)
{
	struct stat status;

	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

static int read_host(struct socket_scan *scan, const struct options *options)
{
	struct host *host = &scan->host;

	if (options->sysroot && !host_read_system(host, options->sysroot)) {
		report_error("%s: no kernel settings below it", quoted(options->sysroot));
		return 3;
	}
	if (scan->live && !options->no_host && host->origin == HOST_UNKNOWN)
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

static int read_all_operands(struct socket_scan *scan, const struct options *options)
{
	int code = 0;

	for (size_t i = 0; i < options->operand_count; i++) {
		int got = read_operand(scan, options->operands[i]);
		/* A system error outweighs an unusable file. */
		if (got != 0 && (code == 0 || got == 1))
			code = got;
	}
	if (options->sysctl && code == 0)
		code = read_operand(scan, options->sysctl);
	return code;
}

int socket_scan_begin(struct socket_scan *scan, const struct options *options)
{
	bool repeats = options->watch_s > 0 || options->interval_s > 0;
	int code;

	memset(scan, 0, sizeof(*scan));
	scan->options = options;
	if (options->operand_count > 0 && repeats) {
		report_error("--%s reads live sockets, and files were given; leave one out",
		    options->watch_s > 0 ? "watch" : "interval");
		return 2;
	}
	code = read_all_operands(scan, options);
	scan->live = options->operand_count == 0 && (repeats || !input_is_piped());
	if (code == 0 && options->operand_count == 0 && !scan->live)
		code = read_operand(scan, "-");
	if (code == 0)
		code = read_host(scan, options);
	set_filter(scan, options);
	scan->rule = socket_memory_rule_for(
	    &scan->host, options->factor, options->given & GIVEN_TARGET ? options->target_bps : 0);
	return code;
}

/* ---- this machine -------------------------------------------------------------------------- */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void socket_scan_expect_two(struct socket_scan *scan)
{
	if (!scan->earlier)
		scan->earlier = earlier_samples_new();
}

/* What moves, of what is known of this machine; the first time it has just been read. */
static void count_live(struct socket_scan *scan, bool first)
{
	struct host *host = &scan->host, fresh = {0};

	if (host->origin != HOST_LIVE)
		return;
	if (!first && host_read_system(&fresh, "")) {
		memcpy(host->values, fresh.values, sizeof(host->values));
		host->sockstat = fresh.sockstat;
		host->counters = fresh.counters;
	}
	scan->counters[0] = scan->counters[1];
	scan->counters[1] = host->counters;
	if (host->counters.any && scan->counter_readings < 2)
		scan->counter_readings++;
}

static int live_error(void)
{
	report_error("live sockets: %s", sock_diag_why(errno));
	return 1;
}

/* All sockets of one answer. */
static enum sock_diag_result take_answer(struct socket_scan *scan, struct sock_diag *reader)
{
	struct socket_info info;
	struct sock_diag_id id;
	struct counter_delta delta;
	enum sock_diag_result result;

	memset(&scan->totals, 0, sizeof(scan->totals));
	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET) {
		/* the table has room for so many: none is for what is not asked about */
		if (!socket_filter_takes(&scan->filter, &info))
			continue;
		bool grown =
		    scan->earlier && earlier_samples_swap(scan->earlier, id.cookie, &info, &delta);
		take_socket(scan, &info, grown ? &delta : NULL);
	}
	return result;
}

int socket_scan_read_live(struct socket_scan *scan)
{
	struct sock_diag *reader = sock_diag_open(scan->filter.states, 0);
	enum sock_diag_result result;
	double before_s = scan->read_at_s;

	if (!reader)
		return live_error();
	scan->read_at_s = now_s();
	scan->seconds = before_s > 0 ? scan->read_at_s - before_s : 0;
	count_live(scan, before_s <= 0);
	if (scan->earlier)
		earlier_samples_begin(scan->earlier, scan->read_at_s);
	do {
		result = take_answer(scan, reader);
		/* what was listed cannot be taken back */
		if (result == SOCK_DIAG_AGAIN && scan->each) {
			errno = ENOBUFS;
			result = SOCK_DIAG_ERROR;
		}
	} while (result == SOCK_DIAG_AGAIN);
	int code = result == SOCK_DIAG_ERROR ? live_error() : 0;
	sock_diag_close(reader);
	scan->has_sockets = true;
	strlcpy(scan->source, "this machine", sizeof(scan->source));
	return code;
}

void socket_scan_free(struct socket_scan *scan)
{
	earlier_samples_free(scan->earlier);
	for (size_t i = 0; i < scan->file_count; i++)
		source_close(scan->files[i]);
	for (size_t i = 0; i < scan->paste_count; i++)
		free(scan->pastes[i]);
}
