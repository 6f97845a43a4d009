#include "verbs/measure.h"

#include <bsd/string.h>
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/apply.h"
#include "apply/rollback.h"
#include "base/quote.h"
#include "base/units.h"
#include "evidence/iperf_command.h"
#include "evidence/session.h"
#include "evidence/sites.h"
#include "evidence/sniff.h"
#include "system/command.h"
#include "system/interrupt.h"
#include "system/procfs.h"
#include "verbs/progress.h"
#include "verbs/question.h"

/* iperf3's own default, and what it takes beside: connecting, and the other end's results. */
#define TEST_SECONDS 10
#define LIMIT_EXTRA_SECONDS 30
/* A command that does not say how long it takes. */
#define LIMIT_DEFAULT_SECONDS 120
/* If this program is killed, the guard of apply/ brings the old value back this long after the run
 * should have ended. */
#define GUARD_EXTRA_SECONDS 30
/* An iperf3 server takes a moment between two tests. */
#define BUSY_TRIES 10
#define BUSY_WAIT_MS 500

struct measure {
	const struct options *options;
	struct run_groups *set;
	enum tunable_id id;
	enum role role;
	struct tunable_value before;
	struct steps steps;
	unsigned rounds, limit_s;
	unsigned made; /* runs so far */
	double spent_s;
	uint32_t journal;	 /* of what is set now; 0: nothing is */
	uint32_t journal_of_all; /* of all steps so far */
	bool stuck;		 /* the old value could not be brought back */
};

enum tunable_id measure_key(enum steps_of what, enum role role)
{
	if (what == STEPS_ALGORITHMS)
		return TUNABLE_TCP_CONGESTION_CONTROL;
	return role == ROLE_SENDER ? TUNABLE_TCP_WMEM : TUNABLE_TCP_RMEM;
}

/* ---- what to measure ---- */

static int misuse(const char *what)
{
	warnx("%s", what);
	return 2;
}

/* What this end does in the test: by --role, else by the command's own words. */
static int find_role(struct measure *measure, const struct iperf_command *command)
{
	enum role given = measure->options->role;

	if (command->udp)
		return misuse(
		    "--run: with -u iperf3 measures UDP, which has no window; leave it out");
	if (given == ROLE_PROXY)
		return misuse("--role proxy: a run goes one way; say receiver or sender");
	if (command->bidir)
		return misuse(
		    "--run: with --bidir both ends send; measure one direction at a time");
	if (given == ROLE_UNKNOWN && !command->client)
		return misuse(
		    "--run: this is no 'iperf3 -c HOST' that shows which way data goes: add "
		    "--role receiver or --role sender");
	measure->role = given != ROLE_UNKNOWN ? given
			: command->reverse    ? ROLE_RECEIVER
					      : ROLE_SENDER;
	if (measure->steps.what == STEPS_ALGORITHMS && measure->role == ROLE_RECEIVER)
		return misuse("--cc: this host receives, and the sender's algorithm counts: run it "
			      "there, or leave out -R");
	return 0;
}

static unsigned find_limit(const struct options *options, const struct iperf_command *command)
{
	double seconds = TEST_SECONDS;

	if (options->timeout_seconds > 0)
		return options->timeout_seconds;
	if (!command->client)
		return LIMIT_DEFAULT_SECONDS;
	if (command->facts.has & RUN_DURATION)
		seconds = command->facts.duration_s;
	if (command->facts.has & RUN_OMIT)
		seconds += command->facts.omit_s;
	return seconds < 86400 ? (unsigned)seconds + LIMIT_EXTRA_SECONDS : 86400;
}

/* ---- setting and restoring ---- */

/* The reason that belongs to the setting, behind the outcome's own sentence. */
static void warn_outcome(const struct outcome *outcome)
{
	const char *why = outcome->setting_count > 0 ? outcome->settings[0].why : "";

	warnx("%s%s%s", outcome->message, *why ? ": " : "", why);
}

static void ask_for_step(const struct measure *measure, const struct step *step,
    enum apply_mode mode, struct outcome *outcome)
{
	static struct plan plan;

	plan = (struct plan){.setting_count = 1};
	plan.settings[0] =
	    (struct setting){.id = measure->id, .value = step->value, .change = true};
	const struct apply_request request = {.sysroot = measure->options->sysroot,
	    .plan = &plan,
	    .mode = mode,
	    .allow_lower = true,
	    .confirm_seconds = measure->limit_s + GUARD_EXTRA_SECONDS,
	    .is_step = true,
	    .continues = measure->journal_of_all,
	    .maker = "bdp " BDP_VERSION};
	apply_run(&request, outcome);
}

/* What the kernel will not take is said before the first run, not after hours of them. */
static int check_steps(const struct measure *measure)
{
	int code = 0;

	for (size_t i = 0; i < measure->steps.count && code == 0; i++) {
		struct outcome outcome = {0};
		ask_for_step(measure, &measure->steps.items[i], APPLY_DRY_RUN, &outcome);
		code = (int)outcome.exit;
		if (code != 0)
			warn_outcome(&outcome);
		outcome_free(&outcome);
	}
	return code;
}

static int set_step(struct measure *measure, const struct step *step)
{
	struct outcome outcome = {0};

	ask_for_step(measure, step, APPLY_SET, &outcome);
	int code = (int)outcome.exit;
	if (code != 0)
		warn_outcome(&outcome);
	else if (outcome.changed)
		measure->journal = measure->journal_of_all = outcome.journal;
	outcome_free(&outcome);
	return code;
}

static int restore(struct measure *measure)
{
	struct outcome outcome = {0};
	char text[256];

	if (measure->journal == 0)
		return 0;
	const struct rollback_request request = {
	    .sysroot = measure->options->sysroot, .to = measure->journal, .made_here = true};
	rollback_run(&request, &outcome);
	int code = (int)outcome.exit;
	measure->stuck = code != 0;
	if (code != 0) {
		warn_outcome(&outcome);
		warnx("%s was %s before", tunables[measure->id].key,
		    tunable_value_text(measure->id, &measure->before, text, sizeof(text)));
	}
	measure->journal = 0;
	outcome_free(&outcome);
	return code;
}

/* ---- running ---- */

/* The last line of what the command said, made safe. */
static const char *last_words(const struct command_result *result, const char *otherwise)
{
	static char line[512];
	const char *end = result->words + strlen(result->words), *start;

	while (end > result->words && strchr(" \t\r\n", end[-1]))
		end--;
	for (start = end; start > result->words && start[-1] != '\n';)
		start--;
	snprintf(line, sizeof(line), "%.*s", (int)(end - start), start);
	return quoted(*line ? line : otherwise);
}

/* Reads what it wrote; *words is iperf3's own reason when it holds no run. */
static bool read_output(const struct command_result *result, const char *name,
    struct evidence *evidence, struct read_note *note)
{
	struct source *source = source_memory(name, result->output, result->length);
	const char *bytes;
	size_t length = source_peek(source, &bytes);
	enum input_kind kind = sniff_bytes(bytes, length);
	enum read_result read = READ_NOTHING;

	if (session_is(bytes, length))
		read = sites_read(evidence, source, name, END_NONE) == OPERAND_OK ? READ_OK
										  : READ_NOTHING;
	else if (kind == INPUT_IPERF_JSON || kind == INPUT_OTHER_JSON)
		read = iperf_json_read(&evidence->runs, source, note);
	else if (kind == INPUT_IPERF_TEXT)
		read = iperf_text_read(&evidence->runs, source, note);
	else
		snprintf(note->text, sizeof(note->text), "it wrote %s, not iperf3's output",
		    input_kind_text(kind));
	source_close(source);
	return (read == READ_OK || read == READ_PARTIAL) && evidence->runs.count > 0;
}

static int report_end(
    const struct measure *measure, const struct step *step, const struct command_result *result)
{
	switch (result->end) {
	case COMMAND_NOT_STARTED:
		warnx("--run: '%s': %s", quoted(step->command), strerror(result->status));
		return 1;
	case COMMAND_TIMED_OUT:
		warnx("--run: not done after %u s: stopped (--timeout TIME allows more)",
		    measure->limit_s);
		return 3;
	case COMMAND_TOO_LONG:
		warnx("--run: it wrote more than %s: stopped",
		    size_text((double)COMMAND_OUTPUT_MAX).s);
		return 3;
	case COMMAND_KILLED:
		warnx("--run: ended by %s", strsignal(result->status));
		return 3;
	case COMMAND_LOST:
		warnx("--run: it ended, but with which exit code cannot be told");
		return 3;
	case COMMAND_INTERRUPTED:
	case COMMAND_EXITED:
		break;
	}
	return 0;
}

/* The newest run of this end, in the direction that counts; NULL when there is none.  With
 * --get-server-output the other end's view comes behind it. */
static const struct run *run_of(const struct measure *measure, const struct evidence *evidence)
{
	for (size_t i = evidence->runs.count; i-- > 0;) {
		const struct run *run = &evidence->runs.items[i];
		if (measure->role == ROLE_UNKNOWN ||
		    run->local_sends == (measure->role == ROLE_SENDER))
			return run;
	}
	return NULL;
}

/* That it ran, in the direction and on the machine that the setting is for. */
static int check_run(const struct measure *measure, const struct evidence *evidence)
{
	const struct run *run = run_of(measure, evidence);

	if (!run) {
		warnx("--run: this host %s in it, so that it is no %s: see --role",
		    measure->role == ROLE_SENDER ? "receives" : "sends", role_name(measure->role));
		return 3;
	}
	if (run->protocol != PROTOCOL_TCP) {
		warnx("--run: this was no TCP test: it has no window");
		return 3;
	}
	if (steps_set(measure->steps.what) && run->system_info[0] && !measure->options->sysroot &&
	    !run_is_of_here(run)) {
		warnx(
		    "--run: the run was made on another host (%.60s): what is set here does not count "
		    "there; run bdp on that host",
		    quoted(run->system_info));
		return 3;
	}
	return 0;
}

/* iperf3's own reason, from its JSON; "" when there is none. */
static const char *error_of(const struct evidence *evidence, const struct read_note *note)
{
	for (size_t i = evidence->runs.count; i-- > 0;)
		if (evidence->runs.items[i].error[0])
			return evidence->runs.items[i].error;
	return note->text;
}

/* In its own words; iperf3 before 3.17 exits with 0 when its error is in its JSON. */
static void report_failure(
    const struct step *step, const struct command_result *result, const char *reason)
{
	char code[24] = "";

	if (result->status != 0)
		snprintf(code, sizeof(code), " (exit %d)", result->status);
	warnx("--run: at %s: %s%s", step->label,
	    last_words(result, *reason ? reason : "it failed without a word"), code);
}

/* How long it will take is told by the runs before. */
static void show_run(double seconds, void *context)
{
	const struct measure *measure = context;

	progress_show("      running", seconds,
	    measure->made > 0 ? fmax(seconds, measure->spent_s / measure->made) : 0);
}

/* One try.  *busy: the server was not ready, and another may do. */
static int try_command(struct measure *measure, const struct step *step, const char *name,
    struct evidence *evidence, bool *busy)
{
	struct command_result result;
	struct read_note note = {.text = ""};

	command_run(step->command, measure->limit_s, show_run, measure, &result);
	progress_clear();
	measure->spent_s += result.seconds;
	int code = report_end(measure, step, &result);
	*busy = false;
	if (code == 0 && result.end == COMMAND_EXITED) {
		bool good = read_output(&result, name, evidence, &note) && result.status == 0;
		const char *reason = error_of(evidence, &note);
		*busy = !good && (strstr(result.words, "busy") || strstr(reason, "busy"));
		if (good)
			code = check_run(measure, evidence);
		else
			code = 3;
		if (!good && !*busy)
			report_failure(step, &result, reason);
	}
	command_result_free(&result);
	return code;
}

static int run_command(
    struct measure *measure, const struct step *step, const char *name, struct evidence *evidence)
{
	bool busy = true;
	int code = 0;

	for (unsigned i = 0; i < BUSY_TRIES && busy && interrupt_signal() == 0; i++) {
		if (i > 0)
			interrupt_poll(NULL, 0, BUSY_WAIT_MS);
		evidence_free(evidence);
		*evidence = (struct evidence){0};
		code = try_command(measure, step, name, evidence, &busy);
	}
	if (busy && interrupt_signal() == 0)
		warnx("--run: at %s: the server stays busy with another test", step->label);
	return code;
}

/* ---- all of it ---- */

static void say_time_left(const struct measure *measure)
{
	unsigned all = measure->rounds * (unsigned)measure->steps.count;
	double left_s =
	    measure->made > 0 ? measure->spent_s / measure->made * (all - measure->made) : 0;

	if (left_s >= 90)
		fprintf(stderr, ", about %.0f min left", left_s / 60);
	else if (left_s >= 1)
		fprintf(stderr, ", about %.0f s left", left_s);
}

/* What the run came to, by its last direction. */
static void say_result(const struct measure *measure, const struct evidence *evidence)
{
	static const struct path_given nothing;
	const struct path_context context = {0};
	struct path path;

	path_from_run(&path, run_of(measure, evidence), &nothing, &context);
	fprintf(stderr, "      %s", rate_text(path.rate.bps).s);
	if (path.loss.counted)
		fprintf(stderr, ", %s retransmits", count_text(path.loss.retransmits).s);
	say_time_left(measure);
	fputc('\n', stderr);
}

static int measure_step(struct measure *measure, const struct step *step, unsigned round)
{
	struct evidence evidence = {0};
	char name[96];
	int code = steps_set(measure->steps.what) ? set_step(measure, step) : 0;

	if (code != 0)
		return code;
	snprintf(name, sizeof(name), "%s, run %u", step->label, round + 1);
	fprintf(stderr, "%u/%zu  %s\n", measure->made + 1, measure->rounds * measure->steps.count,
	    name);
	code = run_command(measure, step, name, &evidence);
	int restored = restore(measure);
	if (code == 0)
		code = restored;
	measure->made++;
	if (code == 0 && interrupt_signal() == 0) {
		say_result(measure, &evidence);
		run_groups_add(measure->set, step->label, step->ceiling_bytes, &evidence);
	}
	evidence_free(&evidence);
	return code;
}

/* Round by round rather than step by step: what drifts meanwhile falls on all alike. */
static int measure_all(struct measure *measure)
{
	int code = 0;

	for (unsigned round = 0; round < measure->rounds; round++)
		for (size_t i = 0; i < measure->steps.count; i++) {
			if (interrupt_signal() != 0)
				return 1;
			code = measure_step(measure, &measure->steps.items[i], round);
			if (code != 0)
				return code;
		}
	return code;
}

/* What is set now, on the machine or the tree where it will be. */
static int read_before(struct measure *measure, struct host *host)
{
	const char *root = measure->options->sysroot ? measure->options->sysroot : "";

	measure->id = measure_key(measure->steps.what, measure->role);
	if (!host_read_system(host, root) || !host->values[measure->id].known) {
		warnx("%s is not there to be set%s%s", tunables[measure->id].key,
		    *root ? " below " : "", quoted(root));
		return 1;
	}
	measure->before = host->values[measure->id];
	return 0;
}

static int prepare(struct measure *measure, struct host *host)
{
	struct iperf_command command;

	iperf_command_parse(measure->options->command, &command);
	int code = find_role(measure, &command);
	if (code != 0)
		return code;
	measure->limit_s = find_limit(measure->options, &command);
	if (steps_set(measure->steps.what))
		code = read_before(measure, host);
	if (code == 0)
		code = steps_find(&measure->steps, measure->options, measure->id, &measure->before);
	if (code == 0 && steps_set(measure->steps.what))
		code = check_steps(measure);
	return code;
}

static int make_runs(struct measure *measure)
{
	interrupt_begin();
	int code = measure_all(measure);
	if (interrupt_signal() != 0 && steps_set(measure->steps.what) && !measure->stuck)
		warnx("stopped: %s is as it was", tunables[measure->id].key);
	interrupt_end();
	return code;
}

int measure_run(const struct options *options, enum steps_of what, struct run_groups *set,
    struct host *host, enum role *role)
{
	struct measure measure = {.options = options,
	    .set = set,
	    .steps = {.what = what},
	    .rounds = options->runs > 0 ? options->runs : 1};
	int code = prepare(&measure, host);
	*role = measure.role;
	if (code == 0)
		code = make_runs(&measure);
	steps_free(&measure.steps);
	return code;
}

/* The longest of what the commands say. */
static unsigned limit_of_all(const struct measure *measure)
{
	unsigned most = 0;

	for (size_t i = 0; i < measure->steps.count; i++) {
		struct iperf_command command;
		iperf_command_parse(measure->steps.items[i].command, &command);
		unsigned limit_s = find_limit(measure->options, &command);
		most = limit_s > most ? limit_s : most;
	}
	return most;
}

int measure_commands(const struct options *options, struct run_groups *set)
{
	struct measure measure = {.options = options,
	    .set = set,
	    .steps = {.what = STEPS_COMMANDS},
	    .rounds = options->runs > 0 ? options->runs : 2};
	int code = steps_find(&measure.steps, options, TUNABLE_COUNT, NULL);
	measure.limit_s = limit_of_all(&measure);
	if (code == 0)
		code = make_runs(&measure);
	steps_free(&measure.steps);
	return code;
}
