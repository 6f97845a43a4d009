/* The report for people: the answer first, then why, in the order a careful colleague would say it. */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "advice/measure_command.h"
#include "base/units.h"
#include "report/answer.h"
#include "report/finding_text.h"
#include "report/layout.h"
#include "report/limit_text.h"
#include "report/text_sections.h"
#include "report/phrase.h"

/* Sentences of evidence in a short report, and on a path that needs nothing. */
#define EVIDENCE_TOLD 2
#define EVIDENCE_TOLD_CLEAN 1

/* How much a limit is a fault that something can be done about. */
static const enum ink limit_inks[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = INK_YELLOW,
    [FACTOR_APPLICATION] = INK_PLAIN,
    [FACTOR_SOCKET_OPTION] = INK_YELLOW,
    [FACTOR_CPU] = INK_YELLOW,
    [FACTOR_RECEIVE_WINDOW] = INK_RED,
    [FACTOR_SEND_BUFFER] = INK_RED,
    [FACTOR_WINDOW_SCALING_OFF] = INK_RED,
    [FACTOR_RANDOM_LOSS] = INK_YELLOW,
    [FACTOR_POLICER] = INK_YELLOW,
    [FACTOR_QUEUE] = INK_YELLOW,
    [FACTOR_LINK] = INK_PLAIN,
    [FACTOR_STALLED] = INK_RED,
    [FACTOR_RECEIVER_APPLICATION] = INK_PLAIN,
    [FACTOR_APPLICATION_WINDOW] = INK_PLAIN,
    [FACTOR_LOSS_RECOVERY] = INK_YELLOW,
};

static const enum ink severity_inks[] = {
    [SEVERITY_INFO] = INK_PLAIN,
    [SEVERITY_NOTICE] = INK_PLAIN,
    [SEVERITY_WARNING] = INK_YELLOW,
    [SEVERITY_PROBLEM] = INK_RED,
};

static bool path_tells_anything(const struct path *path)
{
	return path->rate.known || path->loss.known || path->target.known || path->bdp.known ||
	       path->idle.known || path->loaded.known;
}

static void text_answer(struct layout *layout, const struct report *report)
{
	layout_tab(layout, 0);
	layout_text(layout, INK_BOLD, answer_compute(report).s);
	layout_break(layout);
}

static void text_limit(struct layout *layout, const struct report *report, bool brief)
{
	const struct limit *limit = &report_chosen(report)->limit;
	enum ink ink = limit_inks[limit->factor];
	size_t told = 0, most = layout->style->verbose ? LIMIT_EVIDENCE_MAX
				: brief		       ? EVIDENCE_TOLD_CLEAN
						       : EVIDENCE_TOLD;

	layout_heading(layout, "LIMIT");
	if (limit->factor != FACTOR_UNKNOWN)
		layout_text(layout, ink, factor_words[limit->factor].text);
	else if (limit->candidate_count > 0)
		layout_text(layout, ink, phrase_candidates(limit).s);
	else
		layout_text(layout, ink, factor_words[limit->factor].text);
	if (limit->factor != FACTOR_UNKNOWN && limit->where != WHERE_NONE &&
	    limit->where != WHERE_PATH)
		layout_textf(layout, INK_PLAIN, "at %s", phrase_end(report, limit->where).s);
	layout_textf(layout, INK_PLAIN, "(%s confidence)", confidence_name(limit->confidence));
	layout_break(layout);
	const struct bucket *bucket = &report_chosen(report)->path.bucket;
	if (limit->factor == FACTOR_POLICER && bucket->known) {
		struct phrase text = {""};
		phrase_add(&text, "a token bucket of %s and %s fits (IP packets)",
		    rate_text(bucket->rate_bps).s, size_text(bucket->depth_bytes).s);
		layout_bullet(layout, text.s);
		told++;
	}
	for (size_t i = 0; i < limit->evidence_count && told < most; i++) {
		if (limit->evidence[i].weight <= 0 && told > 0)
			continue;
		layout_bullet(layout, evidence_text(&limit->evidence[i]).s);
		told++;
	}
}

static void text_finding(struct layout *layout, const struct finding *finding, bool whole)
{
	const struct finding_row *row = &finding_table[finding->id];
	layout_item(layout, severity_inks[row->severity], severity_name(row->severity));
	layout_textf(layout, INK_PLAIN, "%s:", row->id);
	layout_foreign(layout, INK_PLAIN, finding_text(finding).s);
	layout_break(layout);
	if (whole && finding_words[finding->id].advice) {
		layout_tab(layout, LAYOUT_LABEL + 2);
		layout_text(layout, INK_PLAIN, finding_words[finding->id].advice);
		layout_break(layout);
	}
}

static size_t count_findings(const struct findings *findings, enum severity least)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += finding_table[findings->items[i].id].severity >= least;
	return count;
}

/* The gravest first; those of one severity in the order found. */
static void text_findings(struct layout *layout, const struct report *report)
{
	const struct findings *findings = report->findings;
	const struct analysis *chosen = report_chosen(report);
	/* without a run they are what the report is about */
	bool whole = layout->style->verbose || !chosen || !chosen->run;

	enum severity least = whole ? SEVERITY_INFO : SEVERITY_NOTICE;

	if (count_findings(findings, least) == 0)
		return;
	layout_section(layout, "FINDINGS");
	for (int severity = SEVERITY_PROBLEM; severity >= (int)least; severity--) {
		for (size_t i = 0; i < findings->count; i++) {
			const struct finding *finding = &findings->items[i];
			if ((int)finding_table[finding->id].severity == severity)
				text_finding(layout, finding, whole);
		}
	}
}

static void next_measure(struct layout *layout, const struct limit *limit,
    const struct measurement_text *measurement, bool first)
{
	struct phrase why = {""};

	phrase_add(&why, "%s",
	    limit->factor == FACTOR_UNKNOWN ? "would tell which of them it is"
					    : "would make the limit more certain");
	if (measurement->note)
		phrase_add(&why, " (%s)", measurement->note);
	if (first) {
		layout_gap(layout);
		layout_heading(layout, "NEXT");
	}
	layout_command(layout, "measure", measurement->command, why.s);
}

static bool next_record(struct layout *layout, const struct report *report)
{
	struct phrase command = {""};

	if (!record_would_tell(report))
		return false;
	const char *server = run_server(report_chosen(report)->run);
	phrase_add(&command, "bdp record --far 'ssh %s' %s", server, server);
	layout_gap(layout);
	layout_heading(layout, "NEXT");
	layout_command(layout, "record", command.s, "takes what would tell, from both ends");
	return true;
}

static void text_next(struct layout *layout, const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);
	struct measurement_text measurement;
	bool records = next_record(layout, report);
	/* a record holds what the measurement shows, and more */
	bool measures =
	    (!records || layout->style->verbose) && measurement_text(chosen, &measurement);

	if (measures)
		next_measure(layout, &chosen->limit, &measurement, !records);
	text_commands(layout, report->plan, !measures && !records);
}

/* Names that `bdp explain` takes, as many as one line holds. */
struct names {
	struct phrase text;
	unsigned room;
};

static void name_add(struct names *names, const char *name)
{
	char padded[96];

	snprintf(padded, sizeof(padded), " %s ", name);
	if (strstr(names->text.s, padded) ||
	    layout_width(names->text.s) + layout_width(name) + 1 > names->room)
		return;
	phrase_add(&names->text, "%s ", name);
}

static void names_of_limit(struct names *names, const struct limit *limit)
{
	if (limit->factor != FACTOR_UNKNOWN)
		name_add(names, factor_table[limit->factor].name);
	for (size_t i = 0; limit->factor == FACTOR_UNKNOWN && i < limit->candidate_count; i++)
		name_add(names, factor_table[limit->candidates[i]].name);
}

static void names_of_findings(struct names *names, const struct findings *findings)
{
	for (int severity = SEVERITY_PROBLEM; severity >= SEVERITY_INFO; severity--) {
		for (size_t i = 0; i < findings->count; i++) {
			const struct finding_row *row = &finding_table[findings->items[i].id];
			if ((int)row->severity == severity)
				name_add(names, row->id);
		}
	}
}

static void names_of_settings(struct names *names, const struct plan *plan)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		const char *key = tunables[plan->settings[i].id].key;
		if (plan->settings[i].change)
			name_add(names, strrchr(key, '.') + 1);
	}
}

/* For who does not know the words yet: the command that explains those of this report. */
static void text_more(struct layout *layout, const struct report *report)
{
	static const char command[] = "bdp explain";
	const struct analysis *chosen = report_chosen(report);
	/* the text begins with a blank, so that each name stands between two */
	struct names names = {.text = {" "},
	    .room = layout->style->width - LAYOUT_LABEL - (unsigned)sizeof(command) + 2 -
		    (layout->style->verbose ? 0 : (unsigned)sizeof("(-v: all of it)"))};

	if (chosen && chosen->run)
		names_of_limit(&names, &chosen->limit);
	names_of_findings(&names, report->findings);
	names_of_settings(&names, report->plan);
	if (strlen(names.text.s) <= 1)
		return;
	layout_section(layout, "MORE");
	layout_text(layout, INK_PLAIN, command);
	layout_text(layout, INK_PLAIN, names.text.s);
	if (!layout->style->verbose)
		layout_text(layout, INK_DIM, "(-v: all of it)");
	layout_break(layout);
}

/* Whose settings were read where no file gives them, and why this machine counts as that end. */
static void text_here(struct layout *layout, const struct report *report)
{
	static const char *const by[] = {
	    [HERE_BY_NOTHING] = "",
	    [HERE_BY_SYSTEM] = ", which the run names",
	    [HERE_BY_ADDRESS] = ", by its address",
	    [HERE_BY_ROLE] = ", by --role",
	    [HERE_BY_ASSUMPTION] = ": the run names no machine, and is taken as run here",
	};
	char name[160];

	if (!report->here)
		return;
	if (report->evidence->input_count < (layout->style->verbose ? 1 : 2)) {
		layout_section(layout, "FROM");
	}
	layout_tab(layout, LAYOUT_LABEL);
	layout_textf(layout, INK_PLAIN, "this machine%s%s%s%s: settings of the %s%s",
	    *report->plan->made_on ? ", " : "",
	    quote_text(report->plan->made_on, name, sizeof(name)),
	    report->here->kernel.known ? ", Linux " : "",
	    report->here->kernel.known ? report->here->kernel.release : "",
	    role_name(report->plan->here), by[report->here_by]);
	layout_break(layout);
}

/* What each operand was taken for, since kinds are told by content. */
static const char *const end_names[END_COUNT] = {[END_SENDER] = "sender",
    [END_RECEIVER] = "receiver",
    [END_CLIENT] = "client",
    [END_SERVER] = "server"};

static void text_inputs(struct layout *layout, const struct report *report)
{
	const struct evidence *evidence = report->evidence;
	bool told = layout->style->verbose || evidence->input_count > 1;

	for (size_t i = 0; told && i < evidence->input_count; i++) {
		const struct input *input = &evidence->inputs[i];
		const char *name = strcmp(input->name, "-") == 0 ? "standard input" : input->name;

		if (i == 0) {
			layout_section(layout, "FROM");
		}
		layout_tab(layout, LAYOUT_LABEL);
		layout_foreign(layout, INK_PLAIN, name);
		layout_raw(layout, INK_PLAIN, ":");
		layout_text(layout, INK_PLAIN, input_kind_text(input->kind));
		if (input->label != END_NONE)
			layout_textf(layout, INK_PLAIN, "of the %s", end_names[input->label]);
		if (*input->detail && layout->style->verbose)
			layout_textf(layout, INK_PLAIN, "(%s)", input->detail);
		layout_break(layout);
	}
	text_here(layout, report);
}

static void text_run(struct layout *layout, const struct report *report, bool brief)
{
	layout_gap(layout);
	text_path(layout, report, brief);
	if (report->analysis_count > 1) {
		layout_gap(layout);
		text_runs(layout, report);
	}
	if (report_chosen(report)->run->protocol == PROTOCOL_TCP) {
		layout_gap(layout);
		text_limit(layout, report, brief);
	}
}

/* Memory was asked about, or something is amiss in it. */
static bool memory_is_judged(const struct report *report)
{
	if (report->memory->connections > 0 || report->memory->looks_like_bytes)
		return true;
	for (size_t i = 0; i < report->findings->count; i++) {
		enum finding_id id = report->findings->items[i].id;
		if (id == FINDING_CEILING_ABOVE_TCP_MEM || id == FINDING_TCP_MEM_LOW ||
		    id == FINDING_MEMORY_PRESSURE || id == FINDING_LIKELY_PRESSURE)
			return true;
	}
	return false;
}

/* Everything behind what was measured. */
static void text_rest(struct layout *layout, const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);

	text_settings(layout, report);
	if (chosen && chosen->run)
		text_next(layout, report);
	else
		text_commands(layout, report->plan, true);
	text_findings(layout, report);
	if (layout->style->verbose || memory_is_judged(report))
		text_memory(layout, report);
	/* What is kept is worth a line only beside what is changed, or where a guide would change it. */
	if (layout->style->verbose &&
	    (report->plan->setting_count > 0 || (chosen && chosen->limit.factor == FACTOR_POLICER)))
		text_not_advised(layout, report);
	text_more(layout, report);
	text_inputs(layout, report);
}

bool report_text(const struct report *report, const struct style *style, FILE *stream)
{
	const struct analysis *chosen = report_chosen(report);
	bool clean = answer_is_clean(report);
	struct layout layout;

	layout_begin(&layout, stream, style);
	text_answer(&layout, report);
	if (chosen && chosen->run) {
		text_run(&layout, report, clean);
	} else if (chosen && path_tells_anything(&chosen->path)) {
		layout_gap(&layout);
		text_path(&layout, report, false);
	}
	if (clean || answer_is_number(report))
		text_findings(&layout, report);
	else
		text_rest(&layout, report);
	layout_break(&layout);
	return fflush(stream) == 0 && !ferror(stream);
}
