#include "evidence/evidence.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "evidence/foreign.h"
#include "evidence/iperf2.h"
#include "evidence/mtr.h"
#include "evidence/session.h"
#include "evidence/sites.h"
#include "evidence/sniff.h"
#include "evidence/ss_history.h"

/* What came of reading one operand's bytes; `why` completes "NAME: ...". */
struct reading {
	enum operand_result result;
	char why[300];
};

typedef void (*kind_reader)(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading);

struct kind_row {
	const char *name, *text;
	kind_reader read; /* NULL: given by mistake, `refusal` says so */
	const char *refusal;
};

static void refuse(struct reading *reading, const char *why)
{
	reading->result = OPERAND_UNUSABLE;
	strlcpy(reading->why, why, sizeof(reading->why));
}

/* Runs of the input just read, for the report: "3.12, 2 runs". */
static void describe_runs(struct input *input, const struct runs *runs, size_t first)
{
	size_t count = runs->count - first;
	const struct run *run = &runs->items[first];
	char version[24 * 4 + 8];

	snprintf(input->detail, sizeof(input->detail), "%s%s%s, %zu run%s",
	    quote_text(run->version, version, sizeof(version)), run->version[0] ? " " : "",
	    run->client ? "client" : "server", count, count == 1 ? "" : "s");
}

/* What was left out of a run, behind what is said already. */
static void warn_of_run(struct input *input, const struct run *run)
{
	size_t length = strlen(input->warning);
	char *to = input->warning + length;
	size_t room = sizeof(input->warning) - length;
	const char *join = length > 0 ? "; " : "";

	if (run->dropped_retransmits > 0)
		snprintf(to, room,
		    "%s%llu retransmits are more than the segments that were sent: not counted",
		    join, (unsigned long long)run->dropped_retransmits);
	else
		snprintf(to, room,
		    "%sits counts of retransmits cannot be, and are taken as unknown", join);
}

static void read_iperf(struct evidence *evidence, struct input *input, struct source *source,
    struct reading *reading,
    enum read_result (*reader)(struct runs *, struct source *, struct read_note *))
{
	struct runs *runs = &evidence->runs;
	size_t first = runs->count;
	unsigned dropped = runs->dropped;
	struct read_note note = {0};

	switch (reader(runs, source, &note)) {
	case READ_OK:
		break;
	case READ_PARTIAL:
		strlcpy(input->warning, note.text, sizeof(input->warning));
		break;
	case READ_NOTHING:
		refuse(reading, note.text);
		return;
	case READ_SYSTEM:
		reading->result = OPERAND_SYSTEM;
		return;
	}
	if (runs->dropped > dropped) {
		snprintf(input->warning, sizeof(input->warning),
		    "more than %d runs: only the last ones are kept", RUNS_MAX);
		first = 0;
	}
	describe_runs(input, runs, first < runs->count ? first : 0);
	for (size_t i = first; i < runs->count; i++)
		if (runs->items[i].has & RUN_RETRANSMITS_DROPPED) {
			warn_of_run(input, &runs->items[i]);
			break;
		}
}

static void read_iperf_text(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	read_iperf(evidence, input, source, reading, iperf_text_read);
}

static void read_iperf_json(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	read_iperf(evidence, input, source, reading, iperf_json_read);
}

static void read_iperf2(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	read_iperf(evidence, input, source, reading, iperf2_read);
}

/* Keeps the sockets that moved most, so that the one the test ran over is among them. */
void evidence_keep_socket(struct evidence *evidence, const struct socket_info *info, enum end end)
{
	if (!evidence->sockets) {
		evidence->sockets = reallocarray(NULL, SOCKETS_MAX, sizeof(*evidence->sockets));
		evidence->socket_ends =
		    reallocarray(NULL, SOCKETS_MAX, sizeof(*evidence->socket_ends));
		if (!evidence->sockets || !evidence->socket_ends)
			err(1, NULL);
	}
	size_t at = evidence->socket_count;
	if (at < SOCKETS_MAX) {
		evidence->socket_count++;
	} else {
		at = 0;
		for (size_t i = 1; i < SOCKETS_MAX; i++)
			if (evidence->sockets[i].bytes_sent < evidence->sockets[at].bytes_sent)
				at = i;
		if (info->bytes_sent <= evidence->sockets[at].bytes_sent)
			return;
	}
	evidence->sockets[at] = *info;
	evidence->socket_ends[at] = end;
}

static void read_ss(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct ss_reader *reader = ss_open(source);
	struct ss_history *history = ss_history_open();
	struct socket_info info;
	size_t count = 0;
	int got;

	while ((got = ss_next(reader, &info)) > 0) {
		count++;
		ss_history_add(history, &info);
	}
	ss_close(reader);
	struct ss_history_extent extent =
	    ss_history_close(history, evidence, input->name, input->label);
	if (got < 0)
		reading->result = OPERAND_SYSTEM;
	else if (count == 0)
		refuse(reading, "no sockets in it; take it with ss -tmin");
	if (extent.readings > 1)
		snprintf(input->detail, sizeof(input->detail), "%zu socket%s, %u times in %.3g s",
		    extent.sockets, extent.sockets == 1 ? "" : "s", extent.readings,
		    extent.seconds);
	else
		snprintf(input->detail, sizeof(input->detail), "%zu socket%s", count,
		    count == 1 ? "" : "s");
}

static void keep_ping(struct evidence *evidence, struct input *input, const struct ping *ping)
{
	if (evidence->ping_count < PINGS_MAX)
		evidence->pings[evidence->ping_count++] = *ping;
	else
		snprintf(input->warning, sizeof(input->warning), "not used: more than %d pings",
		    PINGS_MAX);
}

static void read_ping(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct ping ping;
	unsigned targets;
	const char *why;

	if (!ping_read(&ping, source, &targets, &why)) {
		refuse(reading, why);
		return;
	}
	if (ping.max_us <= 0)
		strlcpy(input->warning, "no reply in it: it gives no RTT", sizeof(input->warning));
	else
		keep_ping(evidence, input, &ping);
	snprintf(input->detail, sizeof(input->detail), "%s, %llu replies", ping.target,
	    (unsigned long long)ping.received);
}

static void read_mtr(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct ping ping;
	const char *why;

	if (!mtr_read(&ping, source, &why)) {
		refuse(reading, why);
		return;
	}
	keep_ping(evidence, input, &ping);
	snprintf(input->detail, sizeof(input->detail), "%s, %u hops, %llu of %llu lost",
	    ping.target, ping.hops, (unsigned long long)(ping.sent - ping.received),
	    (unsigned long long)ping.sent);
}

static void read_tracepath(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct tracepath tracepath;
	const char *why;

	if (!tracepath_read(&tracepath, source, &why)) {
		refuse(reading, why);
		return;
	}
	evidence->tracepath = tracepath;
	evidence->has_tracepath = true;
	snprintf(input->detail, sizeof(input->detail), "path MTU %u%s", tracepath.path_mtu,
	    tracepath.reached ? "" : " as far as it got");
}

static void read_sockstat(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct host *host = &evidence->hosts[input->label];
	struct sockstat sockstat;
	const char *why;

	if (!sockstat_read(&sockstat, source, &why)) {
		refuse(reading, why);
		return;
	}
	sockstat_join(&host->sockstat, &sockstat);
	if (host->origin == HOST_UNKNOWN) {
		host->origin = HOST_DUMP;
		quote_text(input->name, host->name, sizeof(host->name));
	}
	if (sockstat.has & SOCKSTAT_TCP)
		snprintf(input->detail, sizeof(input->detail), "%llu in use, %llu pages",
		    (unsigned long long)sockstat.inuse, (unsigned long long)sockstat.memory_pages);
}

static void read_sysctl(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct host *host = &evidence->hosts[input->label];
	struct sockstat sockstat = host->sockstat;
	const char *why;

	if (host_has_settings(host) && !evidence->host_is_beside[input->label]) {
		refuse(reading,
		    "a second dump for the same host; label them sender=FILE and receiver=FILE");
		return;
	}
	if (!host_read_dump(host, source, &why)) {
		refuse(reading, why);
		return;
	}
	evidence->host_is_beside[input->label] = false;
	host->sockstat = sockstat;
	host->origin = HOST_DUMP;
	if (host->name[0] == '\0')
		quote_text(input->name, host->name, sizeof(host->name));
	snprintf(input->detail, sizeof(input->detail), "%s%s", host->kernel.known ? "Linux " : "",
	    host->kernel.known ? host->kernel.release : "");
}

static void read_counters(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct counters first, last;
	unsigned *readings = &evidence->counters_readings[input->label];
	unsigned got = counters_read_all(&first, &last, source);

	if (got == 0) {
		refuse(reading, "no TCP counter in it; take it with nstat -az or netstat -s");
		return;
	}
	strlcpy(input->detail, *readings > 0 ? "later reading" : "first reading",
	    sizeof(input->detail));
	if (got > 1)
		snprintf(input->detail, sizeof(input->detail), "%u readings", got);
	if (*readings == 0)
		evidence->counters_first[input->label] = first;
	evidence->counters_last[input->label] = last;
	*readings += got;
}

/* Root qdiscs count what their children drop; one that comes again is a later reading. */
static void add_qdisc_drops(struct drops *drops, const struct tc *tc)
{
	unsigned begin = 0;

	drops->blocks++;
	for (unsigned i = 0; i < tc->count; i++) {
		const struct qdisc *qdisc = &tc->qdiscs[i];
		if (!qdisc->root || !qdisc->has_stats)
			continue;
		for (unsigned k = begin; k < i; k++)
			if (tc->qdiscs[k].root && strcmp(tc->qdiscs[k].dev, qdisc->dev) == 0) {
				drops->blocks++;
				begin = i;
				break;
			}
		drops_add(drops, qdisc->dev, DROPS_OF_QDISC, qdisc->dropped);
	}
}

static void read_drops(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct drops *drops = &evidence->drops[input->label];
	const char *why;

	if (!drops_read(drops, source, &why)) {
		refuse(reading, why);
		return;
	}
	snprintf(input->detail, sizeof(input->detail), "%u counter%s, %s", drops->count,
	    drops->count == 1 ? "" : "s", drops_have_two(drops) ? "two readings" : "one reading");
}

static void read_tc(
    struct evidence *evidence, struct input *input, struct source *source, struct reading *reading)
{
	struct tc tc;
	const char *why;

	if (!tc_read(&tc, source, &why)) {
		refuse(reading, why);
		return;
	}
	add_qdisc_drops(&evidence->drops[input->label], &tc);
	evidence->tc = tc;
	evidence->has_tc = true;
	snprintf(input->detail, sizeof(input->detail), "%u qdisc%s", evidence->tc.count,
	    evidence->tc.count == 1 ? "" : "s");
}

static const struct kind_row kinds[INPUT_KIND_COUNT] = {
    [INPUT_IPERF_TEXT] = {.name = "iperf3-text", .text = "iperf3 text", .read = read_iperf_text},
    [INPUT_IPERF_JSON] = {.name = "iperf3-json", .text = "iperf3 JSON", .read = read_iperf_json},
    [INPUT_SS] = {.name = "ss", .text = "ss", .read = read_ss},
    [INPUT_PING] = {.name = "ping", .text = "ping", .read = read_ping},
    [INPUT_SYSCTL] = {.name = "sysctl", .text = "sysctl dump", .read = read_sysctl},
    [INPUT_COUNTERS] = {.name = "counters", .text = "TCP counters", .read = read_counters},
    [INPUT_TC] = {.name = "tc", .text = "tc qdiscs", .read = read_tc},
    [INPUT_IPERF2] = {.name = "iperf2", .text = "iperf 2 text", .read = read_iperf2},
    [INPUT_MTR] = {.name = "mtr", .text = "mtr", .read = read_mtr},
    [INPUT_TRACEPATH] = {.name = "tracepath", .text = "tracepath", .read = read_tracepath},
    [INPUT_SOCKSTAT] = {.name = "sockstat", .text = "TCP memory", .read = read_sockstat},
    [INPUT_DROPS] = {.name = "drops", .text = "interface counters", .read = read_drops},
    [INPUT_CSV] = {.name = "csv",
	.text = "CSV",
	.refusal = "this is CSV, not a tool's own output; give iperf3 -J instead"},
    [INPUT_HTML] = {.name = "html",
	.text = "HTML",
	.refusal = "this is HTML or XML, not a tool's output; save the plain text of the run"},
    [INPUT_EMPTY] = {.name = "empty",
	.text = "an empty file",
	.refusal = "empty; iperf3 writes nothing when it is killed (--forceflush helps)"},
    [INPUT_BINARY] = {.name = "binary",
	.text = "binary data",
	.refusal = "this is binary data, not text or JSON; give iperf3, ss, ping, tc, nstat or "
		   "sysctl -a output"},
    [INPUT_OTHER_JSON] = {.name = "other-json", .text = "JSON", .read = read_iperf_json},
    [INPUT_UNKNOWN] = {.name = "unknown",
	.text = "unknown text",
	.refusal =
	    "not recognised as output of iperf3, ss, ping, mtr, tc, nstat, ip -s link or sysctl -a"},
};

const char *input_kind_text(enum input_kind kind)
{
	return kinds[kind].text;
}

const char *input_kind_name(enum input_kind kind)
{
	return kinds[kind].name;
}

/* Splits off sender= and receiver=; another word before an equals sign is part of the name. */
static const char *split_label(const char *operand, enum end *label)
{
	*label = END_NONE;
	if (strncmp(operand, "sender=", 7) == 0) {
		*label = END_SENDER;
		return operand + 7;
	}
	if (strncmp(operand, "receiver=", 9) == 0) {
		*label = END_RECEIVER;
		return operand + 9;
	}
	return operand;
}

static struct input *input_append(struct evidence *evidence, const char *name, enum end label)
{
	evidence->inputs =
	    reallocarray(evidence->inputs, evidence->input_count + 1, sizeof(*evidence->inputs));
	char *copy = strdup(name);
	if (!evidence->inputs || !copy)
		err(1, NULL);
	struct input *input = &evidence->inputs[evidence->input_count++];
	*input = (struct input){.name = copy, .label = label};
	return input;
}

struct input *evidence_add_input(struct evidence *evidence, const char *name, enum input_kind kind)
{
	struct input *input = input_append(evidence, name, END_NONE);

	input->kind = kind;
	return input;
}

/* What else a paste holds: a copy of the bytes looked at, for the readers that come after the first. */
struct beside {
	unsigned kinds; /* 1u << kind */
	char *bytes;
	size_t length;
};

static struct beside beside_look(struct source *source, enum input_kind first)
{
	const char *bytes;
	struct beside beside = {.length = source_peek(source, &bytes)};

	/* half a line would be half a value */
	if (beside.length == SOURCE_PEEK_MAX)
		while (beside.length > 0 && bytes[beside.length - 1] != '\n')
			beside.length--;
	beside.kinds = sniff_beside(bytes, beside.length, first);
	if (beside.kinds) {
		beside.bytes = malloc(beside.length);
		if (!beside.bytes)
			err(1, NULL);
		memcpy(beside.bytes, bytes, beside.length);
	}
	return beside;
}

/* A transcript that holds a run was taken where the run was. */
static enum end beside_end(const struct evidence *evidence, const struct input *input)
{
	const struct runs *runs = &evidence->runs;

	if (input->label != END_NONE || runs->count == 0 ||
	    (input->kind != INPUT_IPERF_TEXT && input->kind != INPUT_IPERF_JSON &&
		input->kind != INPUT_IPERF2))
		return input->label;
	return runs->items[runs->count - 1].local_sends ? END_SENDER : END_RECEIVER;
}

static bool is_of_path(enum input_kind kind)
{
	return kind == INPUT_PING || kind == INPUT_MTR || kind == INPUT_TRACEPATH;
}

/* A mark may be there by chance: what its reader finds nothing in was none, and is not spoken of. */
static unsigned beside_read(
    struct evidence *evidence, const struct beside *beside, const char *name, enum end end)
{
	unsigned taken = 0;

	for (enum input_kind kind = 0; kind < INPUT_KIND_COUNT; kind++) {
		if (!(beside->kinds & 1u << kind) ||
		    (kind == INPUT_SYSCTL && host_has_settings(&evidence->hosts[end])))
			continue;
		struct source *source = source_memory(name, beside->bytes, beside->length);
		/* a path's times are no end's */
		struct input *input =
		    input_append(evidence, name, is_of_path(kind) ? END_NONE : end);
		struct reading reading = {.result = OPERAND_OK};

		input->kind = kind;
		kinds[kind].read(evidence, input, source, &reading);
		if (reading.result != OPERAND_OK)
			free(evidence->inputs[--evidence->input_count].name);
		else if (kind == INPUT_SYSCTL)
			evidence->host_is_beside[end] = true;
		taken += reading.result == OPERAND_OK;
		source_close(source);
	}
	return taken;
}

/* Kinds that are told by words which other tools print, too. */
static bool may_be_foreign(enum input_kind kind)
{
	return kind == INPUT_UNKNOWN || kind == INPUT_CSV || kind == INPUT_SYSCTL;
}

/* What is of another tool is named by what it is. */
static void refuse_foreign(struct reading *reading, const struct foreign *foreign)
{
	snprintf(
	    reading->why, sizeof(reading->why), "this is %s; %s", foreign->what, foreign->instead);
}

static enum operand_result operand_read(
    struct evidence *evidence, struct input *input, struct source *source)
{
	const struct kind_row *row = &kinds[input->kind];
	struct reading reading = {.result = OPERAND_OK};
	const char *bytes;
	size_t length = source_peek(source, &bytes);
	const struct foreign *foreign = foreign_find(bytes, length);

	errno = 0;
	if (row->read)
		row->read(evidence, input, source, &reading);
	else
		refuse(&reading, row->refusal);
	/* A directory or a device that fails shows itself at the first read only. */
	if (reading.result == OPERAND_UNUSABLE && source_chunk(source, &bytes) < 0)
		reading.result = OPERAND_SYSTEM;
	if (reading.result == OPERAND_UNUSABLE && foreign && may_be_foreign(input->kind))
		refuse_foreign(&reading, foreign);
	if (reading.result == OPERAND_SYSTEM)
		report_error("%s: %s", quoted(source_name(source)), strerror(errno));
	else if (reading.result == OPERAND_UNUSABLE) {
		report_error("%s: %s", quoted(source_name(source)), reading.why);
		strlcpy(input->warning, reading.why, sizeof(input->warning));
	} else if (input->warning[0])
		report_error("%s: %s", quoted(source_name(source)), input->warning);
	return reading.result;
}

static enum operand_result source_read(
    struct evidence *evidence, struct source *source, const char *name, enum end label)
{
	struct input *input = input_append(evidence, name, label);
	input->kind = sniff(source);
	struct beside beside = beside_look(source, input->kind);
	enum operand_result result = operand_read(evidence, input, source);

	/* what cannot be used of a paste does not spoil the rest of it */
	if (result == OPERAND_OK)
		beside_read(evidence, &beside, name, beside_end(evidence, input));
	else if (result == OPERAND_UNUSABLE && beside_read(evidence, &beside, name, label) > 0)
		result = OPERAND_OK;
	free(beside.bytes);
	return result;
}

bool evidence_read_part(
    struct evidence *evidence, const char *name, enum end label, const char *text, size_t length)
{
	size_t before = evidence->input_count;
	enum input_kind kind =
	    sniff_bytes(text, length < SOURCE_PEEK_MAX ? length : SOURCE_PEEK_MAX);

	if (!kinds[kind].read || kind == INPUT_OTHER_JSON)
		return false;
	/* a run is of both ends, a path's times are of none */
	if (label >= END_CLIENT && (is_of_path(kind) || kind == INPUT_IPERF_TEXT ||
				       kind == INPUT_IPERF_JSON || kind == INPUT_IPERF2))
		label = END_NONE;
	struct source *source = source_memory(name, text, length);
	struct input *input = input_append(evidence, name, label);
	struct reading reading = {.result = OPERAND_OK};
	struct beside beside = beside_look(source, input->kind = kind);

	kinds[kind].read(evidence, input, source, &reading);
	if (reading.result == OPERAND_OK)
		beside_read(evidence, &beside, name, beside_end(evidence, input));
	else
		free(evidence->inputs[--evidence->input_count].name);
	free(beside.bytes);
	source_close(source);
	return evidence->input_count > before;
}

/* What a session comes to; without anything in it, it is no better than an unknown text. */
static enum operand_result session_read(
    struct evidence *evidence, struct source *source, const char *name, enum end label)
{
	enum operand_result result = sites_read(evidence, source, name, label);

	if (result == OPERAND_SYSTEM)
		report_error("%s: %s", quoted(source_name(source)), strerror(errno));
	else if (result == OPERAND_UNUSABLE)
		report_error("%s: %s", quoted(source_name(source)), kinds[INPUT_UNKNOWN].refusal);
	return result;
}

enum operand_result evidence_read(struct evidence *evidence, const char *operand)
{
	enum end label;
	const char *name = split_label(operand, &label), *bytes;
	struct source *source = source_open(name);

	if (!source) {
		const char *shown = strcmp(name, "-") != 0 ? name : "standard input";
		report_error("%s: %s", quoted(shown), strerror(errno));
		return OPERAND_SYSTEM;
	}
	size_t length = source_peek(source, &bytes);
	enum operand_result result = session_is(bytes, length)
					 ? session_read(evidence, source, name, label)
					 : source_read(evidence, source, name, label);
	source_close(source);
	return result;
}

void evidence_use_sockets(struct evidence *evidence)
{
	struct runs *from = &evidence->socket_runs;
	const struct run *best = NULL;

	if (evidence->runs.count > 0 || from->count == 0)
		return;
	for (size_t i = 0; i < from->count; i++) {
		const struct run *run = &from->items[i];
		if (!best || run->local_sends > best->local_sends ||
		    (run->local_sends == best->local_sends &&
			run->sent_bytes + run->received_bytes >
			    best->sent_bytes + best->received_bytes))
			best = run;
	}
	runs_keep_test(from, best->test);
	runs_free(&evidence->runs);
	evidence->runs = *from;
	*from = (struct runs){0};
}

void evidence_free(struct evidence *evidence)
{
	if (!evidence)
		return;
	for (size_t i = 0; i < evidence->input_count; i++)
		free(evidence->inputs[i].name);
	free(evidence->inputs);
	free(evidence->sockets);
	free(evidence->socket_ends);
	runs_free(&evidence->runs);
	runs_free(&evidence->socket_runs);
	evidence->inputs = NULL;
	evidence->sockets = NULL;
	evidence->socket_ends = NULL;
	evidence->input_count = evidence->socket_count = 0;
}
