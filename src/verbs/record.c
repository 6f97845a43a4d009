#include "verbs/verbs.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"
#include "evidence/iperf_command.h"
#include "system/interrupt.h"
#include "verbs/output.h"
#include "verbs/record_steps.h"
#include "verbs/transcript.h"

/* How long each step may take before it is ended. */
#define COLLECT_LIMIT_S 15
#define PING_LIMIT_S 15
#define MTU_LIMIT_S 8
#define LOOK_MS 50
/* What the steps beside the tests take, for the estimate. */
#define BESIDE_S 8

/* ---- what the steps share ------------------------------------------------------------------ */

bool record_is_stopped(void)
{
	return interrupt_signal() != 0 || ferror(stdout);
}

void record_say(struct record *record, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%u/%u  ", ++record->step, record->steps);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void record_wait(struct record *record, struct process *process, double limit_s)
{
	int64_t deadline_ms = process_now_ms() + (int64_t)(limit_s * 1000);
	struct process *both[] = {process, &record->far};

	while (!process_is_over(process)) {
		process_wait(both, record->has_far ? 2 : 1, LOOK_MS);
		if (record_is_stopped() || process_now_ms() >= deadline_ms)
			process_end(process);
	}
}

/* Runs one command and shows it with what it printed. */
static void run_shown(struct record *record, const char *const *argv, double limit_s)
{
	struct process process;

	transcript_command(argv);
	if (process_start(&process, argv, "", false, true))
		record_wait(record, &process, limit_s);
	transcript_output(&process, argv[0]);
	process_free(&process);
	fflush(stdout);
}

/* Runs the collecting script on this host. */
static void record_collect(struct record *record, enum collect_part part)
{
	static const char *const shell[] = {"/bin/sh", "-s", NULL};
	const struct collect collect = {.part = part};
	char *script = collect_script(&collect);
	struct process process;

	if (process_start(&process, shell, script, false, true))
		record_wait(record, &process, COLLECT_LIMIT_S);
	transcript_output(&process, shell[0]);
	process_free(&process);
	free(script);
	fflush(stdout);
}

/* ---- the idle path ------------------------------------------------------------------------- */

static bool is_installed(const char *name)
{
	const char *at = getenv("PATH");
	char file[4096];

	for (at = at ? at : "/usr/bin:/bin"; *at; at += strspn(at, ":")) {
		size_t length = strcspn(at, ":");
		int n = snprintf(file, sizeof(file), "%.*s/%s", (int)length, at, name);
		if (n > 0 && (size_t)n < sizeof(file) && access(file, X_OK) == 0)
			return true;
		at += length;
	}
	return false;
}

void record_ping_words(const struct record *record, const char *count, const char **argv)
{
	size_t words = 0;

	if (!is_installed("ping") && is_installed("busybox"))
		argv[words++] = "busybox";
	argv[words++] = "ping";
	argv[words++] = "-c";
	argv[words++] = count;
	/* shorter ones are for root alone in old iputils */
	argv[words++] = "-i";
	argv[words++] = "0.5";
	argv[words++] = record->host;
	argv[words] = NULL;
}

static void idle_path(struct record *record)
{
	const char *ping[16];
	const char *const mtu[] = {"tracepath", "-n", record->host, NULL};

	record_say(record, "the idle path: ping, about 3 s");
	record_ping_words(record, "6", ping);
	run_shown(record, ping, PING_LIMIT_S);
	if (record_is_stopped() || !is_installed("tracepath"))
		return;
	record_say(record, "the path MTU: tracepath, %u s at most", MTU_LIMIT_S);
	run_shown(record, mtu, MTU_LIMIT_S);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void measure(struct record *record)
{
	const struct options *options = record->options;

	record_say(record, "this host's settings and counters");
	record_collect(record, COLLECT_HOST);
	if (!record_is_stopped())
		idle_path(record);
	if (!record_is_stopped()) {
		record_test(record, false);
		record_collect(record, COLLECT_COUNTERS);
	}
	if (options->no_reverse || record_is_stopped())
		return;
	if (record->failure[0]) {
		transcript_note("no test with -R: the one before it failed");
		return;
	}
	record_test(record, true);
	record_collect(record, COLLECT_COUNTERS);
}

/* What iperf3's further options make of its time; its own defaults otherwise. */
static double test_seconds(const struct options *options)
{
	double seconds = options->test_seconds ? options->test_seconds : RECORD_SECONDS;
	double omit = RECORD_OMIT_S;
	struct iperf_command command;
	char line[1024];
	size_t used = (size_t)snprintf(line, sizeof(line), "iperf3 -c host");

	for (size_t i = 1; i < options->operand_count && used < sizeof(line); i++)
		used +=
		    (size_t)snprintf(line + used, sizeof(line) - used, " %s", options->operands[i]);
	if (iperf_command_parse(line, &command)) {
		seconds = command.facts.has & RUN_DURATION ? command.facts.duration_s : seconds;
		omit = command.facts.has & RUN_OMIT ? command.facts.omit_s : omit;
	}
	return seconds + omit;
}

static int finish(struct record *record, int code)
{
	words_free(&record->far_words);
	bool printed = output_finish(true) == 0;
	interrupt_end();
	if (!printed)
		return 1;
	return code;
}

/* The one thing that is missing when the far end was not asked. */
static void suggest_far(const struct record *record)
{
	if (record->options->far || record->runs == 0)
		return;
	fprintf(stderr,
	    "for the other end's part: --far 'ssh %s', or there, during the test:\n"
	    "  bdp record --script | ssh %s sh >far.txt\n",
	    quoted(record->host), quoted(record->host));
}

static int record_path(struct record *record)
{
	const struct options *options = record->options;
	unsigned tests = options->no_reverse ? 1 : 2;

	record->test_s = test_seconds(options);
	record->steps = 2 + tests + (options->far != NULL) + is_installed("tracepath");
	fprintf(stderr, "about %.0f s in all; ^C ends it with what there is\n",
	    tests * (record->test_s + 1) + BESIDE_S);
	interrupt_begin();
	if (options->far)
		record_far_begin(record);
	if (!record_is_stopped())
		measure(record);
	if (options->far)
		record_far_end(record);
	if (record->runs == 0 && interrupt_signal() == 0)
		warnx("no test was made: %s",
		    *record->failure ? quoted(record->failure) : "iperf3 did not run");
	suggest_far(record);
	return finish(record, record->runs > 0 ? 0 : 3);
}

static int record_host(struct record *record)
{
	record->steps = 1;
	interrupt_begin();
	record_collect(record, COLLECT_HOST);
	return finish(record, 0);
}

static int print_script(const struct options *options)
{
	const struct collect collect = {.part = COLLECT_ALL,
	    .name = true,
	    .seconds = record_far_seconds(options, test_seconds(options)),
	    .port = options->port ? options->port : RECORD_PORT};
	char *script = collect_script(&collect);

	fputs(script, stdout);
	free(script);
	return output_finish(true);
}

static int misuse(const char *word, const char *text)
{
	warnx("'%s': %s", quoted(word), text);
	return 2;
}

/* One host, and behind it iperf3's options alone. */
static int check_operands(const struct options *options, bool wanted)
{
	if (!wanted)
		return options->operand_count == 0
			   ? 0
			   : misuse(
				 options->operands[0], "no HOST is needed with --host or --script");
	if (options->operand_count == 0) {
		warnx("record: no HOST; name the one that runs iperf3 -s, such as lb.example");
		return 2;
	}
	if (options->operands[0][0] == '-' || options->operands[0][0] == '\0')
		return misuse(options->operands[0], "expected a host name or address");
	if (options->operand_count > 1 && options->operands[1][0] != '-')
		return misuse(options->operands[1],
		    "one HOST at a time; iperf3's own options come behind --");
	return 0;
}

int verb_record(const struct options *options)
{
	struct record record = {.options = options, .far = {.in = -1, .out = -1}};
	int code = check_operands(options, !options->record_host && !options->record_script);
	const char *why;

	if (code != 0)
		return code;
	if (options->record_script)
		return print_script(options);
	if (options->record_host)
		return record_host(&record);
	record.host = options->operands[0];
	if (options->far && !words_split(options->far, &record.far_words, &why)) {
		warnx("--far '%s': %s", quoted(options->far), why);
		return 2;
	}
	return record_path(&record);
}
