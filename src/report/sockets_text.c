/* Sockets for people: the answer, sums, sizes, the ten largest, and what to do. */
#include "report/sockets.h"

#include <math.h>
#include <string.h>

#include "base/quote.h"
#include "report/finding_text.h"
#include "report/layout.h"
#include "report/sockets_table.h"
#include "report/text_sections.h"

/* Of the longest bar, and what stands beside it. */
#define BAR_CELLS_MAX 30u
#define BAR_BESIDE 23u

/* ---- the answer ---------------------------------------------------------------------------- */

static struct phrase sockets_bound(const struct socket_memory_rule *rule)
{
	struct phrase text = {""};

	phrase_add(&text, "%.3g x BDP", rule->factor);
	if (rule->target_bps > 0)
		phrase_add(&text, " of %s", rate_text(rule->target_bps).s);
	return text;
}

/* Below a thousandth digits say nothing. */
static struct unit_text share_text(double bytes, double of_bytes)
{
	double ratio = bytes / of_bytes;

	if (ratio > 0 && ratio < 0.001)
		return (struct unit_text){"under 0.1 %"};
	return percent_text(ratio);
}

/* ", 8.2 x what tcp_mem allows" when there is something to compare with. */
static void add_share(struct phrase *text, const struct exposure *memory, double bytes)
{
	if (!memory->has_limits || memory->high_bytes <= 0)
		return;
	if (bytes > memory->high_bytes)
		phrase_add(text, ", %.1f x the high mark of tcp_mem", bytes / memory->high_bytes);
	else
		phrase_add(text, ", %s of the high mark of tcp_mem",
		    share_text(bytes, memory->high_bytes).s);
}

static void answer_sockets(struct phrase *text, const struct sockets_report *report)
{
	const struct socket_totals *totals = report->totals;
	double most = totals->beyond_buffer_bytes;

	if (totals->sockets == 0) {
		phrase_add(text, "No TCP socket matches.");
	} else if (totals->with_memory == 0) {
		phrase_add(
		    text, "What %s sockets hold is not told.", count_text(totals->sockets).s);
	} else if (totals->beyond == 0) {
		phrase_add(text, "No buffer of %s socket%s is beyond %s%s; together they hold %s",
		    count_text(totals->sockets).s, totals->sockets == 1 ? "" : "s",
		    sockets_bound(report->rule).s,
		    totals->judged < totals->sockets ? ", as far as a rate and an RTT are known"
						     : "",
		    size_text(totals->held_bytes).s);
		add_share(text, report->memory, totals->held_bytes);
		phrase_add(text, ".");
	} else {
		phrase_add(text, "%s of %s socket%s have buffers beyond %s: they hold %s of the %s",
		    count_text(totals->beyond).s, count_text(totals->sockets).s,
		    totals->sockets == 1 ? "" : "s", sockets_bound(report->rule).s,
		    size_text(totals->beyond_held_bytes).s, size_text(totals->held_bytes).s);
		phrase_add(text, " that all hold");
		add_share(text, report->memory, totals->beyond_held_bytes);
		if (most > 2 * totals->beyond_held_bytes)
			phrase_add(text, ", and may hold %s", size_text(most).s);
		phrase_add(text, ".");
	}
}

static void answer_runaway(struct phrase *text, const struct runaway *runaway)
{
	static const char *const remedies[] = {
	    [REMEDY_NONE] = "",
	    [REMEDY_MEASURE] =
		" Whether they run away the counters tell: bdp sockets --interval 10.",
	    [REMEDY_SHRINK_WINDOW] = " set net.ipv4.tcp_shrink_window=1 (see its risk).",
	    [REMEDY_LOWER_CEILING] = " lower the ceiling of net.ipv4.tcp_rmem.",
	    [REMEDY_READERS] = " look at the programs that do not read.",
	};

	if (runaway->verdict == RUNAWAY_CONFIRMED)
		phrase_add(text, "%sReceive buffers run away:%s", text->s[0] ? " " : "",
		    remedies[runaway->remedy]);
	else if (runaway->verdict == RUNAWAY_SUSPECTED && runaway->remedy == REMEDY_MEASURE)
		phrase_add(text, "%s", remedies[runaway->remedy]);
	else if (runaway->verdict == RUNAWAY_ABSENT)
		phrase_add(
		    text, "%sThe counters show no buffer that runs away.", text->s[0] ? " " : "");
}

/* Neither sockets nor two readings of the counters: a finding, or what is missing. */
static void answer_nothing(struct phrase *text, const struct sockets_report *report)
{
	if (report->findings->count > 0)
		phrase_add(text, "%s.", finding_text(&report->findings->items[0]).s);
	else if (report->delta)
		phrase_add(text, "The counters that would tell are not shown: take nstat -az.");
	else
		phrase_add(text,
		    "One reading of the counters tells nothing: give a second, or --interval.");
}

struct phrase sockets_answer(const struct sockets_report *report)
{
	struct phrase text = {""};

	if (report->has_sockets)
		answer_sockets(&text, report);
	answer_runaway(&text, report->runaway);
	if (text.s[0] == '\0')
		answer_nothing(&text, report);
	return text;
}

/* ---- sections ------------------------------------------------------------------------------ */

static void row(struct layout *layout, const char *label, const char *value, const char *note)
{
	const struct row line = {.label = label, .value = value, .note = note};

	layout_row(layout, &line);
}

/* "20,000 of this machine: 19,980 ESTAB, 20 CLOSE-WAIT" */
static void text_states(struct layout *layout, const struct sockets_report *report)
{
	const struct socket_totals *totals = report->totals;
	bool first = true;
	char safe[256];

	layout_heading(layout, "SOCKETS");
	layout_textf(layout, INK_PLAIN, "%s of %s", count_text(totals->sockets).s,
	    quote_text(report->source, safe, sizeof(safe)));
	for (unsigned i = 1; i < STATE_COUNT; i++) {
		if (totals->by_state[i] == 0)
			continue;
		layout->blank_due = false;
		layout_raw(layout, INK_PLAIN, first ? ":" : ",");
		layout_textf(layout, INK_PLAIN, "%s %s", count_text(totals->by_state[i]).s,
		    socket_state_name((enum socket_state)i));
		first = false;
	}
	layout_break(layout);
}

static void text_sums(struct layout *layout, const struct sockets_report *report)
{
	const struct socket_totals *totals = report->totals;
	struct phrase note = {""};

	phrase_add(&note, "%s received, %s to send; their buffers may hold %s and %s",
	    size_text(totals->receive.held_bytes).s, size_text(totals->send.held_bytes).s,
	    size_text(totals->receive.buffer_bytes).s, size_text(totals->send.buffer_bytes).s);
	row(layout, "hold", size_text(totals->held_bytes).s, note.s);
	note.s[0] = '\0';
	phrase_add(&note, "with a buffer larger than %s", sockets_bound(report->rule).s);
	if (totals->beyond > 0)
		phrase_add(&note, " (%s receive, %s send): those hold %s and may hold %s",
		    count_text(totals->receive.beyond).s, count_text(totals->send.beyond).s,
		    size_text(totals->beyond_held_bytes).s,
		    size_text(totals->beyond_buffer_bytes).s);
	row(layout, "beyond", count_text(totals->beyond).s, note.s);
	if (totals->judged < totals->with_memory)
		row(layout, "unjudged", count_text(totals->with_memory - totals->judged).s,
		    report->rule->target_bps > 0
			? "whose RTT is not known"
			: "whose rate or RTT is not known; --target RATE gives a rate");
}

static void text_share(
    struct layout *layout, const char *label, double bytes, const struct exposure *memory)
{
	struct phrase note = {""};

	if (memory->has_limits && memory->high_bytes > 0)
		phrase_add(&note, "%s of low, %s of pressure, %s of high",
		    share_text(bytes, memory->low_bytes).s,
		    share_text(bytes, memory->pressure_bytes).s,
		    share_text(bytes, memory->high_bytes).s);
	if (memory->has_ram)
		phrase_add(&note, "%s%s of RAM", note.s[0] ? "; " : "",
		    share_text(bytes, memory->ram_bytes).s);
	row(layout, label, size_text(bytes).s, note.s[0] ? note.s : NULL);
}

/* What these sockets hold beside what TCP may hold on the host. */
static void text_shares(struct layout *layout, const struct sockets_report *report)
{
	const struct exposure *memory = report->memory;

	if (!memory->has_limits && !memory->has_ram && !memory->has_in_use)
		return;
	layout_gap(layout);
	layout_heading(layout, "MEMORY");
	if (memory->has_limits)
		layout_textf(layout, INK_PLAIN, "tcp_mem: low %s, pressure %s, high %s%s",
		    size_text(memory->low_bytes).s, size_text(memory->pressure_bytes).s,
		    size_text(memory->high_bytes).s,
		    memory->limits_are_default ? " (the kernel's default for that RAM, not read)"
					       : "");
	else
		layout_text(layout, INK_PLAIN, "tcp_mem is not known");
	if (memory->looks_like_bytes)
		layout_text(
		    layout, INK_YELLOW, "The high mark exceeds RAM: was it written in bytes?");
	layout_break(layout);
	if (report->has_sockets && report->totals->beyond > 0)
		text_share(layout, "beyond", report->totals->beyond_held_bytes, memory);
	if (report->has_sockets)
		text_share(layout, "all these", report->totals->held_bytes, memory);
	if (memory->has_in_use)
		text_share(layout, "TCP in all", memory->in_use_bytes, memory);
}

static unsigned bar_cells(const struct layout *layout)
{
	unsigned room = layout->style->width - LAYOUT_LABEL - BAR_BESIDE;

	return room < BAR_CELLS_MAX ? room : BAR_CELLS_MAX;
}

static void text_class(
    struct layout *layout, const struct socket_totals *totals, unsigned at, uint64_t most)
{
	const struct size_class *class = &totals->classes[at];
	unsigned longest = bar_cells(layout);
	unsigned cells = (unsigned)ceil((double)class->sockets / (double)most * longest);

	layout_item(
	    layout, INK_PLAIN, at == 0 ? "smaller" : size_text(socket_totals_class_bytes(at)).s);
	for (unsigned k = 0; k < cells; k++)
		layout_raw(layout, INK_PLAIN, layout->style->utf8 ? "█" : "#");
	layout_cell_to(
	    layout, LAYOUT_LABEL + longest + 12, INK_PLAIN, count_text(class->sockets).s);
	if (class->sockets > 0)
		layout_cell_to(layout, LAYOUT_LABEL + longest + BAR_BESIDE, INK_PLAIN,
		    size_text(class->held_bytes).s);
	layout_break(layout);
}

/* A bar for every class from the first that has sockets to the last. */
static void text_histogram(struct layout *layout, const struct socket_totals *totals)
{
	unsigned first = SOCKET_TOTALS_CLASSES, last = 0;
	uint64_t most = 0;

	for (unsigned i = 0; i < SOCKET_TOTALS_CLASSES; i++) {
		if (totals->classes[i].sockets == 0)
			continue;
		first = first == SOCKET_TOTALS_CLASSES ? i : first;
		last = i;
		if (totals->classes[i].sockets > most)
			most = totals->classes[i].sockets;
	}
	if (most == 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "SIZES");
	layout_text(layout, INK_PLAIN, "sockets by their larger buffer (from), and what they hold");
	layout_break(layout);
	for (unsigned i = first; i <= last; i++)
		text_class(layout, totals, i, most);
}

static void text_largest(struct layout *layout, const struct sockets_report *report)
{
	const struct socket_totals *totals = report->totals;
	bool delta = report->live && report->seconds > 0;

	if (totals->largest_count == 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "LARGEST");
	layout_text(layout, INK_PLAIN, "by what they hold, then by what they may hold");
	layout_break(layout);
	sockets_table_head(layout, delta);
	for (size_t i = 0; i < totals->largest_count; i++)
		sockets_table_row(layout, &totals->largest[i], delta, !report->watched);
}

static void text_reader(struct layout *layout, const struct listed *item, double seconds)
{
	const struct socket_info *info = &item->info;
	char peer[80];

	layout_tab(layout, 2);
	layout_raw(layout, item->memory.reader == READER_STALLED ? INK_YELLOW : INK_PLAIN,
	    sockets_endpoint(info->peer, info->peer_port, peer, sizeof(peer)));
	layout_textf(layout, INK_PLAIN, "to port %u: %s not read, in a buffer of %s",
	    info->local_port, size_text((double)info->recv_queue).s,
	    size_text((double)info->rcvbuf).s);
	layout->blank_due = false;
	if (item->memory.reader == READER_STALLED)
		layout_textf(layout, INK_PLAIN, ", and nothing was in %.0f s", seconds);
	else if (info->has & SOCKET_LAST_SND)
		layout_textf(layout, INK_PLAIN, "; the last came %s ago",
		    time_text(1e3 * info->lastrcv_ms).s);
	layout_break(layout);
}

/* The programs to look at. */
static void text_readers(struct layout *layout, const struct sockets_report *report)
{
	const struct socket_totals *totals = report->totals;

	if (totals->behind == 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "READERS");
	layout_textf(layout, INK_PLAIN, "%s %s behind: half of the buffer or more is not read",
	    count_text(totals->behind).s, totals->behind == 1 ? "is" : "are");
	layout_break(layout);
	for (size_t i = 0; i < totals->slow_count; i++)
		text_reader(layout, &totals->slow[i], report->seconds);
}

static void text_counters(struct layout *layout, const struct sockets_report *report)
{
	const struct counters *delta = report->delta;
	bool any = false;

	for (size_t i = 0; delta && runaway_counters[i] != COUNTER_COUNT; i++) {
		enum counter_id id = runaway_counters[i];
		if (!delta->known[id] || delta->value[id] == 0)
			continue;
		if (!any) {
			layout_gap(layout);
			layout_heading(layout, "COUNTERS");
			if (report->seconds > 0)
				layout_textf(
				    layout, INK_PLAIN, "that rose in %.0f s", report->seconds);
			else
				layout_text(
				    layout, INK_PLAIN, "that rose from one reading to the other");
			layout_break(layout);
		}
		any = true;
		layout_tab(layout, 2);
		layout_textf(layout, INK_PLAIN, "%s +%s:", counter_table[id].name,
		    count_text(delta->value[id]).s);
		layout->indent = LAYOUT_LABEL;
		layout_text(layout, INK_PLAIN, counter_table[id].about);
		layout_break(layout);
	}
}

static void text_verdict(struct layout *layout, const struct runaway *runaway)
{
	static const enum ink inks[] = {
	    [RUNAWAY_UNKNOWN] = INK_PLAIN,
	    [RUNAWAY_ABSENT] = INK_GREEN,
	    [RUNAWAY_SUSPECTED] = INK_YELLOW,
	    [RUNAWAY_CONFIRMED] = INK_RED,
	};

	if (runaway->evidence_count == 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "RUNAWAY");
	layout_text(layout, inks[runaway->verdict], runaway_verdict_name(runaway->verdict));
	if (runaway->verdict == RUNAWAY_CONFIRMED)
		layout_textf(
		    layout, INK_PLAIN, "(%s confidence)", confidence_name(runaway->confidence));
	layout_break(layout);
	for (size_t i = 0; i < runaway->evidence_count; i++)
		layout_bullet(layout, runaway_text(&runaway->evidence[i]).s);
}

static void text_findings_of(struct layout *layout, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding_row *of = &finding_table[findings->items[i].id];

		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "FINDINGS");
		}
		layout_item(layout, of->severity == SEVERITY_PROBLEM ? INK_RED : INK_YELLOW,
		    severity_name(of->severity));
		layout_textf(
		    layout, INK_PLAIN, "%s: %s", of->id, finding_text(&findings->items[i]).s);
		layout_break(layout);
	}
}

/* The line to paste, since these settings are few and for this host. */
static void text_set(struct layout *layout, const struct plan *plan)
{
	const struct report part = {.plan = plan};

	text_settings(layout, &part);
	for (size_t i = 0; i < plan->setting_count; i++) {
		char value[256], command[400];

		tunable_value_text(
		    plan->settings[i].id, &plan->settings[i].value, value, sizeof(value));
		snprintf(command, sizeof(command), "sudo sysctl -w %s=\"%s\"",
		    tunables[plan->settings[i].id].key, value);
		layout_command(layout, "run", command, "");
	}
	text_not_advised(layout, &part);
}

static void text_notes(struct layout *layout, const struct sockets_report *report)
{
	for (size_t i = 0; i < report->note_count; i++) {
		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "NOT KNOWN");
		}
		layout_bullet(layout, report->notes[i]);
	}
}

void sockets_text_header(const struct style *style, bool delta, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	sockets_table_head(&layout, delta);
}

void sockets_text_row(
    const struct listed *item, const struct style *style, bool delta, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	sockets_table_row(&layout, item, delta, false);
}

bool sockets_text(const struct sockets_report *report, const struct style *style, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	layout_tab(&layout, 0);
	layout_text(&layout, INK_BOLD, sockets_answer(report).s);
	layout_break(&layout);
	if (report->has_sockets && report->watched)
		text_largest(&layout, report);
	if (report->has_sockets) {
		layout_gap(&layout);
		text_states(&layout, report);
		text_sums(&layout, report);
	}
	text_shares(&layout, report);
	if (report->has_sockets) {
		text_histogram(&layout, report->totals);
		if (!report->watched)
			text_largest(&layout, report);
		text_readers(&layout, report);
	}
	text_verdict(&layout, report->runaway);
	text_counters(&layout, report);
	text_set(&layout, report->plan);
	text_findings_of(&layout, report->findings);
	text_commands(&layout, report->plan, true);
	text_notes(&layout, report);
	return fflush(stream) == 0 && !ferror(stream);
}
