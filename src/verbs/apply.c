#include "verbs/verbs.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advice/qdisc_lines.h"
#include "apply/apply.h"
#include "apply/plan_check.h"
#include "apply/persist.h"
#include "apply/plan_file.h"
#include "apply/rollback.h"
#include "base/quote.h"
#include "base/source.h"
#include "report/outcome_json.h"
#include "report/outcome_text.h"
#include "report/plan_text.h"
#include "system/qdisc_netlink.h"

#ifndef BDP_VERSION
#define BDP_VERSION "unknown"
#endif

static bool is_this_machine(const struct options *options)
{
	return options->sysroot == NULL || options->sysroot[strspn(options->sysroot, "/")] == '\0';
}

/* What was asked for has been done; that it could not be told must not go unnoticed. */
static int finish(const struct outcome *outcome, FILE *stream, bool printed)
{
	errno = 0;
	if (!printed || fflush(stream) != 0) {
		warn("standard output");
		return outcome->exit != OUTCOME_DONE ? (int)outcome->exit : 1;
	}
	return (int)outcome->exit;
}

static void warn_failure(const struct outcome *outcome)
{
	if (outcome->exit != OUTCOME_DONE && outcome->message[0] != '\0')
		warnx("%s", outcome->message);
}

/* The qdisc that an apply made the default, or NULL. */
static const char *qdisc_set(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->setting_count; i++) {
		const struct outcome_setting *item = &outcome->settings[i];
		if (item->id == TUNABLE_DEFAULT_QDISC &&
		    (item->state == ITEM_SET || item->state == ITEM_WOULD_SET ||
			item->state == ITEM_ALREADY))
			return item->wanted.word;
	}
	return NULL;
}

/* default_qdisc is for interfaces that come up from now on; bdp does not touch those that are up,
 * since that drops what is queued on them. */
static void print_queue_lines(const struct outcome *outcome, FILE *stream)
{
	const char *qdisc = qdisc_set(outcome);
	struct command lines[PLAN_COMMANDS_MAX];
	char left_alone[240];
	struct host host = {.origin = HOST_LIVE};
	if (qdisc == NULL || !host_read_qdiscs(&host))
		return;
	size_t count = qdisc_lines(
	    &host, qdisc, ROLE_UNKNOWN, lines, PLAN_COMMANDS_MAX, left_alone, sizeof(left_alone));
	commands_text(lines, count);
	outcome_text_commands(lines, count, left_alone, stream);
}

/* With -o json all of it is one document. */
static bool print_outcome(const struct outcome *outcome, enum outcome_of what,
    const struct options *options, FILE *stream)
{
	static const char *const words[] = {
	    [OUTCOME_OF_APPLY] = "apply",
	    [OUTCOME_OF_CHECK] = "check",
	    [OUTCOME_OF_ROLLBACK] = "rollback",
	    [OUTCOME_OF_CONFIRM] = "confirm",
	    [OUTCOME_OF_LIST] = "list",
	};
	/* Behind a report of advise, which is itself in that form, it is for people. */
	if (options->verb != VERB_ADVISE && options->form == FORM_JSON)
		return outcome_json(outcome, words[what], BDP_VERSION, stream);
	if (what == OUTCOME_OF_LIST)
		return outcome_list_text(outcome, stream);
	bool printed = outcome_text(outcome, what, stream);
	if (what == OUTCOME_OF_APPLY && outcome->exit == OUTCOME_DONE && is_this_machine(options))
		print_queue_lines(outcome, stream);
	return printed && !ferror(stream);
}

static int apply(
    const struct plan *plan, enum role role, const struct options *options, FILE *stream)
{
	struct outcome outcome = {0};
	struct apply_request request = {
	    .sysroot = options->sysroot,
	    .plan = plan,
	    .role = role,
	    .mode = options->check     ? APPLY_CHECK
		    : options->dry_run ? APPLY_DRY_RUN
				       : APPLY_SET,
	    .allow_lower = options->allow_lower,
	    .confine = true,
	    .confirm_seconds = options->confirm_seconds,
	    .maker = "bdp " BDP_VERSION,
	};
	if (options->persist)
		request.persist =
		    options->persist_file != NULL ? options->persist_file : PERSIST_DEFAULT;
	apply_run(&request, &outcome);
	warn_failure(&outcome);
	bool printed = print_outcome(
	    &outcome, options->check ? OUTCOME_OF_CHECK : OUTCOME_OF_APPLY, options, stream);
	int code = finish(&outcome, stream, printed);
	outcome_free(&outcome);
	return code;
}

/* A recorded host has other addresses than this machine: then only a role tells. */
static bool own_role(const struct plan *plan, const struct options *options, enum role *role)
{
	char why[320];
	*role = options->role != ROLE_UNKNOWN ? options->role : plan->here;
	if (!is_this_machine(options) || plan_own_role(plan, options->role, role, why, sizeof(why)))
		return true;
	warnx("%s; nothing was written", why);
	return false;
}

int verb_apply(const struct options *options)
{
	static struct plan plan;
	struct plan_note note;
	const char *name = options->operand_count > 0 ? options->operands[0] : "-";
	if (options->operand_count > 1) {
		warnx("apply takes one plan, not %zu", options->operand_count);
		return 2;
	}
	if (strcmp(name, "-") == 0 && isatty(STDIN_FILENO)) {
		warnx("apply needs a plan: bdp -o json ... > plan.json; bdp apply plan.json");
		return 2;
	}
	struct source *source = source_open(name);
	if (source == NULL) {
		warn("%s", quoted(name));
		return 1;
	}
	bool good = plan_file_read(&plan, source, &note);
	if (!good)
		warnx("%s: %s; nothing was written", quoted(source_name(source)), note.text);
	source_close(source);
	enum role role;
	if (!good)
		return 3;
	return own_role(&plan, options, &role) ? apply(&plan, role, options, stdout) : 4;
}

int plan_apply(const struct plan *plan, const struct options *options)
{
	if (!options->apply)
		return 0;
	enum role role;
	/* The other forms of the report are for programs: nothing may come behind them. */
	FILE *stream = options->form == FORM_TEXT ? stdout : stderr;
	if (!own_role(plan, options, &role))
		return 4;
	if (role == ROLE_UNKNOWN && plan->setting_count > 0) {
		warnx(
		    "which end of the path this machine is cannot be told: say it with --role; nothing "
		    "was written");
		return 4;
	}
	return apply(plan, role, options, stream);
}

static struct rollback_request request_of(const struct options *options)
{
	return (struct rollback_request){
	    .sysroot = options->sysroot,
	    .to = options->rollback_to,
	    .all = options->rollback_all,
	    .force = options->force,
	    .dry_run = options->dry_run,
	    .confine = true,
	};
}

int verb_confirm(const struct options *options)
{
	struct rollback_request request = request_of(options);
	struct outcome outcome = {0};
	confirm_run(&request, &outcome);
	warn_failure(&outcome);
	int code =
	    finish(&outcome, stdout, print_outcome(&outcome, OUTCOME_OF_CONFIRM, options, stdout));
	outcome_free(&outcome);
	return code;
}

int verb_rollback(const struct options *options)
{
	struct rollback_request request = request_of(options);
	struct outcome outcome = {0};
	if (options->list)
		rollback_list(&request, &outcome);
	else
		rollback_run(&request, &outcome);
	warn_failure(&outcome);
	int code = finish(&outcome, stdout,
	    print_outcome(
		&outcome, options->list ? OUTCOME_OF_LIST : OUTCOME_OF_ROLLBACK, options, stdout));
	outcome_free(&outcome);
	return code;
}

void warn_unconfirmed(const struct options *options)
{
	char text[400];
	if (journal_unconfirmed_notice(options->sysroot, text, sizeof(text))[0] != '\0')
		warnx("%s", text);
}
