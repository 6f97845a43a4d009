#include "verbs/verbs.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/runaway_plan.h"
#include "base/quote.h"
#include "diagnosis/host_findings.h"
#include "report/plan_text.h"
#include "report/sockets.h"
#include "verbs/output.h"
#include "verbs/progress.h"
#include "verbs/screen.h"
#include "verbs/socket_scan.h"

/* The stages behind the evidence, for one reading or two. */
struct outlook {
	struct counters delta;
	struct runaway_input input;
	struct runaway runaway;
	struct findings findings;
	struct plan plan;
	struct exposure memory;
	struct sockets_report report;
};

/* How the report is written; one for all rounds of a watch. */
struct writer {
	const struct options *options;
	struct style style;
	bool json, delta;
	FILE *stream;
	struct json_out out;
};

/* ---- from evidence to report --------------------------------------------------------------- */

static void decide(const struct socket_scan *scan, struct outlook *outlook)
{
	const struct socket_totals *totals = &scan->totals;
	bool two = scan->counter_readings == 2;

	if (two)
		counters_delta(&scan->counters[0], &scan->counters[1], &outlook->delta);
	outlook->input = (struct runaway_input){.delta = two ? &outlook->delta : NULL,
	    .seconds = scan->seconds,
	    .since_boot = scan->counter_readings == 1 ? &scan->counters[scan->live ? 1 : 0] : NULL,
	    .host = scan->host.origin != HOST_UNKNOWN ? &scan->host : NULL,
	    .has_sockets = scan->has_sockets,
	    .beyond_sockets = totals->receive.beyond,
	    .beyond_held_bytes = totals->receive.beyond_held_bytes,
	    .largest_bdp_bytes = totals->receive.largest_bdp_bytes,
	    .largest_buffer_bytes = totals->receive.largest_buffer_bytes,
	    .behind = totals->behind,
	    .stalled = totals->stalled,
	    .allow_lower = scan->options->allow_lower};
	runaway_decide(&outlook->input, &outlook->runaway);
	runaway_findings(&outlook->input, &outlook->runaway, &outlook->findings);
	find_sockstat(&outlook->findings, &scan->host, "host");
	runaway_plan(&outlook->input, &outlook->runaway, scan->live, &outlook->plan);
	plan_text(&outlook->plan);
}

static void __attribute__((format(printf, 2, 3)))
note(struct sockets_report *report, const char *format, ...)
{
	va_list args;

	if (report->note_count == SOCKETS_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(report->notes[report->note_count++], sizeof(report->notes[0]), format, args);
	va_end(args);
}

/* What of the host is not known. */
static void note_host(struct sockets_report *report, const struct socket_scan *scan)
{
	const struct host *host = &scan->host;

	if (scan->live && host->in_namespace)
		note(report,
		    "tcp_mem belongs to the whole machine and is not shown in this network "
		    "namespace, whose sockets alone are here; run it outside for both");
	else if (!host->values[TUNABLE_TCP_MEM].known)
		note(report, "tcp_mem of the host: its sysctl -a with --sysctl FILE tells");
	if (host->mem_total_bytes == 0)
		note(report, "RAM of the host: --memory SIZE tells");
}

/* What the kernel or the input did not tell of any socket. */
static void note_sockets(struct sockets_report *report, const struct socket_scan *scan)
{
	const struct socket_totals *totals = &scan->totals;
	bool any = totals->by_state[STATE_ESTAB] > 0;

	if (totals->sockets > 0 && totals->with_memory == 0)
		note(report, "what sockets hold: there is no skmem in it; take it with ss -tmin");
	if (any && totals->with_min_rtt == 0)
		note(report,
		    "the smallest RTT (Linux 4.6 and later, and ss -i): the RTT under load "
		    "stands for it, where there is one");
	if (any && totals->with_peer_window == 0)
		note(report, "the peers' windows (Linux 5.4 and later, iproute2 5.5 and later)");
	if (any && totals->with_busy == 0)
		note(report, "what held the senders back (Linux 4.10 and later)");
	if (scan->lines_passed_over > 0)
		note(report, "%llu line%s passed over: no output of ss",
		    (unsigned long long)scan->lines_passed_over,
		    scan->lines_passed_over == 1 ? " was" : "s were");
}

static void make_outlook(const struct socket_scan *scan, struct outlook *outlook)
{
	const struct exposure_input memory = exposure_of_host(&scan->host);

	memset(outlook, 0, sizeof(*outlook));
	exposure_compute(&memory, &outlook->memory);
	decide(scan, outlook);
	outlook->report = (struct sockets_report){.version = BDP_VERSION,
	    .source = scan->source,
	    .live = scan->live,
	    .watched = scan->options->watch_s > 0,
	    .has_sockets = scan->has_sockets,
	    .seconds = scan->seconds,
	    .rule = &scan->rule,
	    .totals = &scan->totals,
	    .memory = &outlook->memory,
	    .delta = outlook->input.delta,
	    .runaway = &outlook->runaway,
	    .findings = &outlook->findings,
	    .plan = &outlook->plan};
	note_host(&outlook->report, scan);
	if (scan->has_sockets)
		note_sockets(&outlook->report, scan);
}

/* ---- from report to bytes ------------------------------------------------------------------ */

static void begin_writing(struct writer *writer, bool compact)
{
	if (writer->json)
		sockets_json_begin(
		    &writer->out, BDP_VERSION, writer->options->all, compact, writer->stream);
	else if (writer->options->all)
		sockets_text_header(&writer->style, writer->delta, writer->stream);
}

static void write_socket(const struct listed *item, void *context)
{
	struct writer *writer = context;

	if (writer->json)
		sockets_json_socket(&writer->out, NULL, item);
	else
		sockets_text_row(item, &writer->style, writer->delta, writer->stream);
}

static bool end_writing(struct writer *writer, const struct sockets_report *report)
{
	if (writer->json)
		return sockets_json_end(&writer->out, report, writer->options->all);
	if (writer->options->all)
		fputc('\n', writer->stream);
	return sockets_text(report, &writer->style, writer->stream);
}

/* ---- once, twice, and on and on ------------------------------------------------------------ */

static int read_sockets(struct socket_scan *scan, struct writer *writer)
{
	const struct options *options = scan->options;
	int code;

	if (options->interval_s > 0) {
		socket_scan_expect_two(scan);
		code = socket_scan_read_live(scan);
		if (code != 0)
			return code;
		progress_wait("until the second reading", options->interval_s);
	}
	if (options->all) {
		begin_writing(writer, false);
		scan->each = write_socket;
		scan->each_context = writer;
	}
	return scan->live ? socket_scan_read_live(scan) : socket_scan_read_files(scan);
}

static int report_once(struct socket_scan *scan, struct writer *writer)
{
	static struct outlook outlook;
	int code = read_sockets(scan, writer);

	if (code != 0)
		return code;
	if (!scan->options->all)
		begin_writing(writer, false);
	make_outlook(scan, &outlook);
	code = output_finish(end_writing(writer, &outlook.report));
	return code == 0 && scan->options->check &&
		       plan_wants_change(&outlook.plan, &outlook.findings)
		   ? 5
		   : code;
}

/* One round into memory, so that it replaces the one before at once. */
static int watch_round(struct socket_scan *scan, struct writer *writer)
{
	static struct outlook outlook;
	char *text = NULL;
	size_t length = 0;

	int code = socket_scan_read_live(scan);
	if (code != 0)
		return code;
	writer->stream = open_memstream(&text, &length);
	if (!writer->stream)
		err(1, NULL);
	writer->style = output_style(scan->options, OUTPUT_WIDTH_TABLE);
	begin_writing(writer, true);
	make_outlook(scan, &outlook);
	bool good = end_writing(writer, &outlook.report);
	if (!writer->json && !isatty(STDOUT_FILENO))
		fputc('\n', writer->stream);
	good = fclose(writer->stream) == 0 && good;
	code = output_finish(good && screen_show(text, length));
	free(text);
	return code;
}

static int watch(struct socket_scan *scan, struct writer *writer)
{
	int code;

	socket_scan_expect_two(scan);
	screen_begin();
	do
		code = watch_round(scan, writer);
	while (code == 0 && screen_wait(scan->options->watch_s));
	return code;
}

int verb_sockets(const struct options *options)
{
	static struct socket_scan scan;
	struct writer writer = {.options = options,
	    .style = output_style(options, OUTPUT_WIDTH_TABLE),
	    .json = options->form == FORM_JSON,
	    .delta = options->interval_s > 0 || options->watch_s > 0,
	    .stream = stdout};
	int code = socket_scan_begin(&scan, options);

	if (code == 0)
		code = options->watch_s > 0 ? watch(&scan, &writer) : report_once(&scan, &writer);
	socket_scan_free(&scan);
	return code;
}
