/* From the command line to evidence: operands, standard input, the host advised. */
#include "verbs/progress.h"
#include "verbs/question.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/quote.h"
#include "base/units.h"
#include "model/context.h"
#include "system/watch.h"

static int exit_of(enum operand_result result)
{
	return result == OPERAND_OK ? 0 : result == OPERAND_SYSTEM ? 1 : 3;
}

static unsigned numbers_given(const struct options *options)
{
	unsigned count = 0;

	for (unsigned bit = GIVEN_BANDWIDTH; bit <= GIVEN_WINDOW; bit <<= 1)
		count += (options->given & bit) != 0;
	return count;
}

static void watch_shown(double done_s, double total_s)
{
	if (done_s < total_s)
		progress_show("watching the connection", done_s, total_s);
	else
		progress_clear();
}

/* Nothing that bdp reads, as opposed to what it reads and cannot use. */
static bool is_no_evidence(enum input_kind kind)
{
	return kind == INPUT_CSV || kind == INPUT_HTML || kind == INPUT_BINARY ||
	       kind == INPUT_UNKNOWN;
}

static int read_operands(struct question *c, const struct options *options)
{
	unsigned strangers = 0;
	int code = 0;

	for (size_t i = 0; i < options->operand_count; i++) {
		int got = exit_of(evidence_read(&c->evidence, options->operands[i]));
		bool strange = got == 3 &&
			       is_no_evidence(c->evidence.inputs[c->evidence.input_count - 1].kind);
		strangers += strange;
		/* A system error outweighs an unusable file, and ends the case. */
		if (!strange && got != 0 && (code == 0 || got == 1))
			code = got;
	}
	/* beside something to work from a file that is none is a warning, which has been given */
	if (code == 0 && strangers > 0 && c->evidence.runs.count == 0 &&
	    c->evidence.socket_count == 0 && numbers_given(options) < 2)
		code = 3;
	if (options->sysctl && code == 0)
		code = exit_of(evidence_read(&c->evidence, options->sysctl));
	return code;
}

/* Standard input is /dev/null or an empty file, as of a script: nobody meant it to be read. */
static bool input_is_nothing(void)
{
	struct stat input, null;

	if (fstat(STDIN_FILENO, &input) < 0)
		return false;
	if (S_ISREG(input.st_mode))
		return input.st_size == 0;
	return S_ISCHR(input.st_mode) && stat("/dev/null", &null) == 0 &&
	       input.st_rdev == null.st_rdev;
}

/* A live connection, or standard input: that is read when nothing else was given, or one number that
 * needs a run beside it. */
static int read_standard_input(struct question *c, const struct options *options)
{
	unsigned numbers = numbers_given(options);

	if (options->socket.name)
		return exit_of(
		    watch_read(&c->evidence, &options->socket, options->interval_s, watch_shown));
	if (options->operand_count > 0 || numbers >= 2 ||
	    (numbers == 1 && (options->given & GIVEN_TARGET)))
		return 0;
	if (isatty(STDIN_FILENO) || (numbers > 0 && input_is_nothing())) {
		if (numbers > 0) {
			report_error(
			    "one number alone gives nothing: give two of -b, -r and -w, or a run");
			return 2;
		}
		options_usage(stderr);
		return 2;
	}
	return exit_of(evidence_read(&c->evidence, "-"));
}

/* --kernel and --memory fill in or outrank what the host's own facts say. */
static void refine_advised(struct host *host, const struct options *options)
{
	if (options->kernel.known)
		host->kernel = options->kernel;
	if (options->given & GIVEN_MEMORY)
		host->mem_total_bytes = options->memory_bytes;
	if (host->origin == HOST_UNKNOWN &&
	    (options->kernel.known || (options->given & GIVEN_MEMORY))) {
		host->origin = HOST_OPTIONS;
		strlcpy(host->name, "as given", sizeof(host->name));
	}
}

/* The host that --kernel and --memory speak of: the one advised, else the only one that was labelled. */
static struct host *host_refined(struct question *c)
{
	struct host *receiver = &c->evidence.hosts[END_RECEIVER],
		    *sender = &c->evidence.hosts[END_SENDER];

	if (c->advised.origin == HOST_UNKNOWN && receiver->origin != HOST_UNKNOWN)
		return receiver;
	if (c->advised.origin == HOST_UNKNOWN && sender->origin != HOST_UNKNOWN)
		return sender;
	return &c->advised;
}

static int read_host(struct question *c, const struct options *options)
{
	if (options->sysroot && !question_host_read(&c->advised, options->sysroot, options)) {
		report_error(
		    "%s: no kernel settings below it; record them with tests/e2e/capture.sh or cp -r "
		    "/proc/sys/net",
		    quoted(options->sysroot));
		return 3;
	}
	const struct host *dumped = &c->evidence.hosts[END_NONE];
	/* what TCP holds, alone, is no reason to leave this machine's settings out */
	if (c->advised.origin == HOST_UNKNOWN && dumped->origin != HOST_UNKNOWN &&
	    (host_has_settings(dumped) || c->evidence.runs.count == 0))
		c->advised = *dumped;
	refine_advised(host_refined(c), options);
	return 0;
}

static void set_given(struct question *c, const struct options *options)
{
	c->given = (struct path_given){
	    .bandwidth_bps = options->given & GIVEN_BANDWIDTH ? options->bandwidth_bps : 0,
	    .target_bps = options->given & GIVEN_TARGET ? options->target_bps : 0,
	    .rtt_us = options->given & GIVEN_RTT ? options->rtt_us : 0,
	    .idle_rtt_us = options->given & GIVEN_IDLE_RTT ? options->idle_rtt_us : 0,
	    .loss_ratio = options->given & GIVEN_LOSS ? options->loss_ratio : 0,
	    .window_bytes = options->given & GIVEN_WINDOW ? (double)options->window_bytes : 0,
	};
}

int question_read(struct question **into, const struct options *options)
{
	/* calloc: most of its 150 KiB stay untouched, and so cost nothing */
	struct question *c = *into = calloc(1, sizeof(*c));
	if (!c)
		err(1, NULL);
	int code = read_operands(c, options);
	if (code == 0)
		code = read_standard_input(c, options);
	evidence_settle(&c->evidence);
	evidence_use_sockets(&c->evidence);
	unsigned parallel = runs_sum_parallel(&c->evidence.runs);
	if (parallel > 0)
		report_error("%u processes ran side by side: summed as the streams of one test",
		    parallel + 1);
	runs_pair(&c->evidence.runs);
	if (code == 0)
		code = read_host(c, options);
	if (code == 0 && options->baseline)
		code = exit_of(evidence_read(&c->baseline_evidence, options->baseline));
	evidence_use_sockets(&c->baseline_evidence);
	set_given(c, options);
	return code;
}

void question_free(struct question *c)
{
	if (!c)
		return;
	free(c->analyses);
	free(c->contexts);
	free(c->ends);
	evidence_free(&c->evidence);
	evidence_free(&c->baseline_evidence);
	free(c);
}
