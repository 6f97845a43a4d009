#include "report/text_sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "report/phrase.h"

#define VALUE_TEXT 256

/* Columns of one host's table of settings; 0 where the terminal is too narrow for a table. */
struct columns {
	unsigned key, current, arrow;
};

static const char *current_text(const struct setting *setting, char *out, size_t size)
{
	char text[VALUE_TEXT];

	if (!setting->current.known) {
		snprintf(out, size, "unknown");
		return out;
	}
	return quote_text(
	    tunable_value_text(setting->id, &setting->current, text, sizeof(text)), out, size);
}

static const char *value_text(const struct setting *setting, char *out, size_t size)
{
	char text[VALUE_TEXT];

	return quote_text(
	    tunable_value_text(setting->id, &setting->value, text, sizeof(text)), out, size);
}

static void grow(unsigned *width, const char *text)
{
	unsigned w = layout_width(text);

	if (w > *width)
		*width = w;
}

static struct columns columns_for(
    const struct layout *layout, const struct plan *plan, enum role host)
{
	unsigned key = 0, current = 0, value = 0;
	struct columns columns = {.key = 2};
	char text[VALUE_TEXT];

	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		if (setting->host != host || !setting->change)
			continue;
		grow(&key, tunables[setting->id].key);
		grow(&current, current_text(setting, text, sizeof(text)));
		grow(&value, value_text(setting, text, sizeof(text)));
	}
	if (2 + key + 2 + current + 4 + value <= layout->style->width) {
		columns.current = 2 + key + 2;
		columns.arrow = columns.current + current + 1;
	}
	return columns;
}

static void setting_value(
    struct layout *layout, const struct setting *setting, const struct columns *columns)
{
	char text[VALUE_TEXT];

	layout_break(layout);
	layout_tab(layout, columns->key);
	layout_raw(layout, INK_PLAIN, tunables[setting->id].key);
	if (columns->current > 0) {
		layout_tab(layout, columns->current);
		layout_raw(layout, INK_DIM, current_text(setting, text, sizeof(text)));
		layout_tab(layout, columns->arrow);
		layout_raw(layout, INK_PLAIN, "-> ");
		layout_raw(layout, INK_GREEN, value_text(setting, text, sizeof(text)));
	} else {
		layout_item(layout, INK_PLAIN, "  now");
		layout_raw(layout, INK_DIM, current_text(setting, text, sizeof(text)));
		layout_item(layout, INK_PLAIN, "  set");
		layout_raw(layout, INK_GREEN, value_text(setting, text, sizeof(text)));
	}
	layout_break(layout);
}

/* All of it, or in a short report its short form. */
static void say_reason(struct layout *layout, const char *text, size_t brief)
{
	struct phrase said = {""};
	size_t length = layout->style->verbose || brief == 0 ? strlen(text) : brief;

	phrase_add(&said, "%.*s", (int)length, text);
	layout_foreign(layout, INK_PLAIN, said.s);
}

static void setting_put(struct layout *layout, const struct plan *plan,
    const struct setting *setting, const struct columns *columns)
{
	setting_value(layout, setting, columns);
	layout_tab(layout, LAYOUT_LABEL);
	say_reason(layout, setting->why, setting->why_brief);
	layout_break(layout);
	if (layout->style->verbose && *setting->sizing_others) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_text(layout, INK_PLAIN, "Sized otherwise:");
		layout_foreign(layout, INK_PLAIN, setting->sizing_others);
		layout_break(layout);
	}
	if (*setting->risk && !plan_repeats_risk(plan, setting, !layout->style->verbose)) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_text(layout, INK_YELLOW, "Risk:");
		say_reason(layout, setting->risk, setting->risk_brief);
		layout_break(layout);
	}
}

static void setting_unchanged(struct layout *layout, const struct setting *setting)
{
	char text[VALUE_TEXT];

	layout_item(layout, INK_PLAIN, "as it is");
	layout_textf(layout, INK_PLAIN, "%s = %s", tunables[setting->id].key,
	    value_text(setting, text, sizeof(text)));
	layout_break(layout);
}

static bool host_has_unknown(const struct plan *plan, enum role host)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].host == host && plan->settings[i].change &&
		    !plan->settings[i].current.known)
			return true;
	}
	return false;
}

static void host_heading(
    struct layout *layout, const struct report *report, enum role host, bool first)
{
	const struct plan *plan = report->plan;
	bool here = plan->here != ROLE_UNKNOWN && plan->here == host;

	layout_gap(layout);
	layout_heading(layout, first ? "SET" : "");
	layout_textf(layout, INK_PLAIN, "on %s%s%s", phrase_host(report, host).s,
	    here		 ? " (this machine)"
	    : host == ROLE_PROXY ? " (it receives and sends over this path)"
				 : "",
	    plan_host_changes(plan, host) == 0 ? ": nothing needs to change" : "");
	layout_break(layout);
}

static void host_settings(struct layout *layout, const struct report *report, enum role host)
{
	const struct plan *plan = report->plan;
	struct columns columns = columns_for(layout, plan, host);

	if (layout->style->verbose && host_has_unknown(plan, host)) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_textf(layout, INK_PLAIN,
		    "what is set there now is unknown; `sysctl -a` of it, as %s, shows it",
		    host == ROLE_SENDER	    ? "sender=FILE"
		    : host == ROLE_RECEIVER ? "receiver=FILE"
					    : "--sysctl FILE");
		layout_break(layout);
	}
	for (size_t i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].host == host && plan->settings[i].change)
			setting_put(layout, plan, &plan->settings[i], &columns);
	}
	for (size_t i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].host == host && !plan->settings[i].change)
			setting_unchanged(layout, &plan->settings[i]);
	}
	for (size_t i = 0; i < plan->command_count; i++) {
		if (plan->commands[i].host == host && plan->commands[i].for_files)
			layout_command(
			    layout, "run", plan->commands[i].command, plan->commands[i].why);
	}
}

static void text_streams(struct layout *layout, const struct plan *plan)
{
	const struct stream_plan *streams = &plan->streams;
	struct phrase text = {""};

	if (streams->count == 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "STREAMS");
	phrase_add(&text, "%u of %s each%s", streams->count, rate_text(streams->rate_bps).s,
	    streams->is_fixed ? ", as asked for" : "");
	if (isfinite(streams->most_bps) && streams->by_core)
		phrase_add(&text,
		    "; one carries about %s, by the share of a core that this run took",
		    rate_text(streams->most_bps).s);
	else if (isfinite(streams->most_bps))
		phrase_add(&text,
		    "; one carries %s at most over this RTT, since no window is larger than 1 GiB",
		    rate_text(streams->most_bps).s);
	layout_text(layout, INK_PLAIN, text.s);
	layout_break(layout);
	if (streams->memory_bytes > 0) {
		layout_item(layout, INK_PLAIN, "memory");
		layout_textf(layout, INK_PLAIN, "all of them full hold %s at either end",
		    size_text(streams->memory_bytes).s);
		layout_break(layout);
	}
}

/* What the settings leave open, which the first sentence does not say. */
static void text_reason(struct layout *layout, const struct report *report)
{
	const struct plan *plan = report->plan;

	if (!*plan->reason_text || (plan_changes(plan) == 0 && !report->headline))
		return;
	layout_gap(layout);
	layout_heading(layout, plan->reason == REASON_LOOK_FIRST ? "OPEN" : "BUT");
	layout_text(layout, INK_YELLOW, plan->reason_text);
	layout_break(layout);
}

/* What the settings may bring, and what loss the target bears: that is no matter of buffers. */
static void text_expect(struct layout *layout, const struct report *report)
{
	const struct plan *plan = report->plan;
	const struct analysis *chosen = report_chosen(report);
	bool promises = plan->predicted_bps > 0 && plan_changes(plan) > 0;

	if (!promises && (plan->bears_loss <= 0 || plan_changes(plan) == 0))
		return;
	layout_section(layout, "EXPECT");
	if (promises) {
		layout_textf(layout, INK_PLAIN, "up to %s, by the same model",
		    rate_text(plan->predicted_bps).s);
		if (plan->predicted_low_bps < 0.98 * plan->predicted_high_bps)
			layout_textf(layout, INK_PLAIN,
			    "(%s to %s: a send buffer is refilled in steps)",
			    rate_text(plan->predicted_low_bps).s,
			    rate_text(plan->predicted_high_bps).s);
		if (plan->bears_loss > 0 && !layout->style->verbose)
			layout_textf(layout, INK_PLAIN, "while less than %s is lost",
			    phrase_digit(plan->bears_loss).s);
		layout_break(layout);
	}
	if (plan->bears_loss > 0 && chosen && (layout->style->verbose || !promises)) {
		layout_item(layout, INK_PLAIN, "loss");
		layout_text(layout, INK_PLAIN, phrase_bearing(plan, &chosen->path).s);
		layout_break(layout);
	}
}

void text_settings(struct layout *layout, const struct report *report)
{
	const struct plan *plan = report->plan;
	enum role hosts[ROLE_COUNT];
	size_t count = plan_hosts(plan, hosts);

	for (size_t i = 0; i < count; i++) {
		host_heading(layout, report, hosts[i], i == 0);
		host_settings(layout, report, hosts[i]);
	}
	text_streams(layout, plan);
	text_reason(layout, report);
	text_expect(layout, report);
}

/* The largest ceiling that the plan sets, 0 when it sets none. */
static double plan_ceiling(const struct plan *plan)
{
	double ceiling = 0;

	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		bool buffer = setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM;
		if (buffer && setting->change && (double)setting->value.number[2] > ceiling)
			ceiling = (double)setting->value.number[2];
	}
	return ceiling;
}

static void memory_limits(struct layout *layout, const struct exposure *memory)
{
	char share[96] = "";

	layout_item(layout, INK_PLAIN, "tcp_mem");
	if (!memory->has_limits) {
		layout_text(layout, INK_PLAIN,
		    "unknown: --sysctl FILE or --memory SIZE of that host would bound all this");
		layout_break(layout);
		return;
	}
	if (memory->has_ram)
		snprintf(share, sizeof(share), " (%s of %s of RAM)",
		    percent_text(memory->high_bytes / memory->ram_bytes).s,
		    size_text(memory->ram_bytes).s);
	layout_textf(layout, INK_PLAIN, "low %s, pressure %s, high %s%s; pages of %s%s",
	    size_text(memory->low_bytes).s, size_text(memory->pressure_bytes).s,
	    size_text(memory->high_bytes).s, share, size_text((double)memory->page_size).s,
	    memory->limits_are_default ? "; the kernel's default for that RAM, not read" : "");
	if (memory->looks_like_bytes)
		layout_text(
		    layout, INK_YELLOW, "The high mark exceeds RAM: was it written in bytes?");
	layout_break(layout);
}

static void memory_row(struct layout *layout, const char *label, double bytes, const char *note)
{
	struct unit_text value = size_text(bytes);
	struct row row = {.label = label, .value = value.s, .note = note};

	layout_row(layout, &row);
}

static void worst_row(struct layout *layout, const struct exposure *memory)
{
	struct phrase note = {""};

	phrase_add(&note, "all %s at their maxima", count_text(memory->connections).s);
	if (memory->has_limits && memory->worst_bytes <= memory->high_bytes)
		phrase_add(&note, ", which tcp_mem permits");
	else if (memory->has_limits && (memory->bounded_before_ram || !memory->has_ram))
		phrase_add(&note, ": never reached, tcp_mem stops it at %s",
		    size_text(memory->high_bytes).s);
	else if (memory->has_limits)
		phrase_add(&note, ", and tcp_mem does not stop it before RAM is gone");
	memory_row(layout, "worst", memory->worst_bytes, note.s);
}

static void memory_connections(struct layout *layout, const struct exposure *memory)
{
	char note[200];

	snprintf(note, sizeof(note), "%s quiet connections", count_text(memory->connections).s);
	memory_row(layout, "idle", memory->idle_bytes, note);
	snprintf(note, sizeof(note), "%s busy at once, %s each", count_text(memory->active).s,
	    size_text(memory->per_connection_bytes).s);
	if (memory->per_connection_bytes > 0)
		memory_row(layout, "likely", memory->likely_bytes, note);
	if (memory->worst_bytes > 0)
		worst_row(layout, memory);
}

/* Where pressure begins is always said, as far as it can be. */
static void memory_pressure(struct layout *layout, const struct exposure *memory)
{
	if (!memory->has_limits)
		return;
	layout_item(layout, INK_PLAIN, "pressure");
	if (memory->has_pressure_at && memory->pressure_at_connections >= 1)
		layout_textf(layout, INK_PLAIN, "begins at about %s busy connections of %s",
		    count_text((uint64_t)memory->pressure_at_connections).s,
		    size_text(memory->per_connection_bytes).s);
	else if (memory->per_connection_bytes > 0)
		layout_textf(layout, INK_YELLOW,
		    "begins before a single connection is full: one may hold %s",
		    size_text(memory->per_connection_bytes).s);
	else
		layout_textf(layout, INK_PLAIN, "begins when all sockets together hold %s",
		    size_text(memory->pressure_bytes).s);
	layout_break(layout);
}

static bool memory_is_wanted(const struct report *report)
{
	const struct exposure *memory = report->memory;

	return memory->connections > 0 || memory->looks_like_bytes ||
	       (memory->has_limits && plan_ceiling(report->plan) > 0);
}

void text_memory(struct layout *layout, const struct report *report)
{
	const struct exposure *memory = report->memory;
	double ceiling = plan_ceiling(report->plan);
	char note[120];

	if (!memory_is_wanted(report))
		return;
	layout_gap(layout);
	layout_heading(layout, "MEMORY");
	if (ceiling > 0)
		layout_textf(layout, INK_PLAIN,
		    "%s is headroom for one busy connection, not a reservation",
		    size_text(ceiling).s);
	else
		layout_text(layout, INK_PLAIN, "what TCP may hold on that host");
	layout_break(layout);
	memory_limits(layout, memory);
	if (memory->has_in_use) {
		snprintf(note, sizeof(note), "held by TCP now");
		memory_row(layout, "in use", memory->in_use_bytes, note);
	}
	if (memory->connections > 0)
		memory_connections(layout, memory);
	memory_pressure(layout, memory);
}

void text_not_advised(struct layout *layout, const struct report *report)
{
	const struct plan *plan = report->plan;

	if (plan->not_advised_count == 0)
		return;
	layout_gap(layout);
	for (size_t i = 0; i < plan->not_advised_count; i++) {
		if (i == 0)
			layout_heading(layout, "NOT SET");
		layout_tab(layout, LAYOUT_LABEL);
		layout_raw(layout, INK_PLAIN, plan->not_advised[i].key);
		layout_raw(layout, INK_PLAIN, ":");
		layout_tab(layout, layout->column);
		layout->indent = LAYOUT_LABEL + 2;
		layout->blank_due = true;
		layout_foreign(layout, INK_PLAIN, plan->not_advised[i].why);
		layout_break(layout);
	}
}

/* A command for a host that is not this one says which. */
static struct phrase command_why(const struct plan *plan, const struct command *command)
{
	const char *name = command->host == ROLE_SENDER	    ? plan->sender_name
			   : command->host == ROLE_RECEIVER ? plan->receiver_name
			   : command->host == ROLE_PROXY    ? plan->proxy_name
							    : "";
	struct phrase why = {""};

	if (*name && command->host != plan->here && strncmp(command->command, "ssh ", 4) != 0 &&
	    strncmp(command->why, "on ", 3) != 0)
		phrase_add(&why, "on the %s %s: ", role_name(command->host), name);
	phrase_add(&why, "%s", command->why);
	return why;
}

void text_commands(struct layout *layout, const struct plan *plan, bool first)
{
	for (size_t i = 0; i < plan->command_count; i++) {
		const struct command *command = &plan->commands[i];
		if (command->for_files)
			continue;
		if (first) {
			layout_gap(layout);
			layout_heading(layout, "NEXT");
		}
		first = false;
		layout_command(layout, "run", command->command, command_why(plan, command).s);
	}
}
