#include "report/host_report.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/finding_text.h"
#include "report/layout.h"
#include "report/phrase.h"

#define VALUE_MAX 256
#define LISTING_MIN 12
/* The table of rates fits into 40 columns. */
#define COLUMN_SENDS 26u

const double host_rtts_us[] = {1000, 10000, 50000, 100000, 200000, 0};

bool host_report_wants_change(const struct host_report *report)
{
	if (findings_warn(report->findings))
		return true;
	for (size_t i = 0; i < report->boot_count; i++)
		if (report->boots[i].differs)
			return true;
	return report->deviations->harms > 0 || report->mend_count > 0;
}

static struct phrase cell(bool known, double bytes, double rtt_us)
{
	struct phrase text = {.s = ""};

	if (known)
		phrase_add(&text, "%s", rate_text(capacity_bps(bytes, rtt_us)).s);
	else
		phrase_add(&text, "unknown");
	return text;
}

/* A listing has some twenty of the settings; of a few lines no more may be said. */
static struct phrase settings_text(const struct host_report *report)
{
	struct phrase text = {.s = ""};
	unsigned known = 0;

	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		known += report->host->values[i].known;
	if (known >= LISTING_MIN)
		phrase_add(&text, "its settings");
	else
		phrase_add(&text, "the %u setting%s given", known, known == 1 ? "" : "s");
	return text;
}

static void text_answer(struct layout *layout, const struct host_report *report)
{
	const struct deviations *deviations = report->deviations;
	const struct capacity *capacity = report->capacity;

	layout_foreign(layout, INK_BOLD, report->host->name[0] ? report->host->name : "the host");
	layout_raw(layout, INK_BOLD, ":");
	if (deviations->harms > 0)
		layout_textf(layout, INK_BOLD, "%zu setting%s harm%s TCP, the gravest: %s.",
		    deviations->harms, deviations->harms == 1 ? "" : "s",
		    deviations->harms == 1 ? "s" : "", tunables[deviations->items[0].id].key);
	else
		layout_textf(layout, INK_BOLD, "nothing in %s harms TCP.", settings_text(report).s);
	if (capacity->has_receive && capacity->has_send)
		layout_textf(layout, INK_PLAIN,
		    "At 50 ms one connection receives at most %s and sends at most %s.",
		    cell(true, capacity->receive_bytes, 50000).s,
		    cell(true, capacity->send_bytes, 50000).s);
	layout_break(layout);
}

static void text_carries(struct layout *layout, const struct host_report *report)
{
	const struct capacity *capacity = report->capacity;

	if (!capacity->has_receive && !capacity->has_send)
		return;
	layout_gap(layout);
	layout_heading(layout, "CARRIES");
	layout_text(layout, INK_DIM, "one connection, when nothing else limits");
	layout_break(layout);
	layout_item(layout, INK_DIM, "at RTT");
	layout_text(layout, INK_DIM, "receives");
	layout_cell(layout, COLUMN_SENDS, INK_DIM, "sends");
	layout_break(layout);
	for (const double *rtt = host_rtts_us; *rtt > 0; rtt++) {
		layout_item(layout, INK_PLAIN, time_text(*rtt).s);
		layout_text(layout, INK_PLAIN,
		    cell(capacity->has_receive, capacity->receive_bytes, *rtt).s);
		layout_cell(layout, COLUMN_SENDS, INK_PLAIN,
		    cell(capacity->has_send, capacity->send_bytes, *rtt).s);
		layout_break(layout);
	}
}

static void text_enough_side(struct layout *layout, const char *label, bool enough,
    double ceiling_bytes, const char *key, const struct exposure *memory)
{
	layout_item(layout, enough ? INK_GREEN : INK_YELLOW, label);
	if (enough)
		layout_text(layout, INK_PLAIN, "enough");
	else if (ceiling_bytes > 0)
		layout_textf(layout, INK_PLAIN, "not enough: %s needs a maximum of %s%s", key,
		    size_text(ceiling_bytes).s,
		    memory->high_bytes > 0 && ceiling_bytes > memory->high_bytes
			? ", more than all of TCP gets here"
			: "");
	else
		layout_text(layout, INK_PLAIN,
		    "no window is that large (1 GiB, RFC 7323): use several connections");
	layout_break(layout);
}

static void text_enough(struct layout *layout, const struct host_report *report)
{
	const struct host_need *need = report->need;

	if (need->rate_bps <= 0)
		return;
	layout_gap(layout);
	layout_heading(layout, "ENOUGH");
	layout_textf(layout, INK_PLAIN,
	    "for %s over %s, one connection:", rate_text(need->rate_bps).s,
	    time_text(need->rtt_us).s);
	layout_break(layout);
	text_enough_side(layout, "receives", need->receives_enough, need->receive_ceiling_bytes,
	    "net.ipv4.tcp_rmem", report->memory);
	text_enough_side(layout, "sends", need->sends_enough, need->send_ceiling_bytes,
	    "net.ipv4.tcp_wmem", report->memory);
}

static enum ink ink_of(enum effect effect)
{
	return effect == EFFECT_HARMS ? INK_RED : effect == EFFECT_HELPS ? INK_GREEN : INK_DIM;
}

static void text_differs(struct layout *layout, const struct host_report *report)
{
	char now[VALUE_MAX], own[VALUE_MAX];

	for (size_t i = 0; i < report->deviations->count; i++) {
		const struct deviation *item = &report->deviations->items[i];
		const struct tunable_value *value = &report->host->values[item->id];
		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "DIFFERS");
			layout_text(layout, INK_DIM, "from what the kernel sets by itself");
			layout_break(layout);
		}
		layout_item(layout, ink_of(item->effect), host_effect_word(item->effect));
		layout_textf(layout, INK_PLAIN, "%s = %s", tunables[item->id].key,
		    tunable_value_text(item->id, value, now, sizeof(now)));
		if (item->has_own)
			layout_textf(layout, INK_DIM, "(own: %s)",
			    tunable_value_text(item->id, &item->own, own, sizeof(own)));
		layout_break(layout);
		layout_tab(layout, LAYOUT_LABEL);
		layout_text(layout, INK_PLAIN, host_deviation_words(item, value).s);
		layout_break(layout);
	}
}

static void text_set(struct layout *layout, const struct host_report *report)
{
	char line[2 * VALUE_MAX], value[VALUE_MAX];

	for (size_t i = 0; i < report->mend_count; i++) {
		const struct host_mend *mend = &report->mends[i];
		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "SET");
			layout_text(layout, INK_DIM, "to mend that, until the next boot");
			layout_break(layout);
		}
		snprintf(line, sizeof(line), "sysctl -w %s=\"%s\"", tunables[mend->id].key,
		    tunable_value_text(mend->id, &mend->value, value, sizeof(value)));
		layout_command(layout, "", line, "");
	}
}

static void text_memory(struct layout *layout, const struct host_report *report)
{
	const struct exposure *memory = report->memory;

	if (!memory->has_limits)
		return;
	layout_gap(layout);
	layout_heading(layout, "MEMORY");
	layout_textf(layout, INK_PLAIN, "TCP gets %s at most", size_text(memory->high_bytes).s);
	if (memory->has_ram)
		layout_textf(layout, INK_PLAIN, "(%s of %s of RAM%s)",
		    percent_text(memory->high_bytes / memory->ram_bytes).s,
		    size_text(memory->ram_bytes).s,
		    memory->limits_are_default ? "; the kernel's own, not read" : "");
	if (memory->has_in_use)
		layout_textf(
		    layout, INK_PLAIN, "and has %s now", size_text(memory->in_use_bytes).s);
	layout_break(layout);
	if (memory->pressure_at_connections > 0) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_textf(layout, INK_PLAIN,
		    "Pressure begins at about %s connections with full buffers of %s each.",
		    count_text((uint64_t)memory->pressure_at_connections).s,
		    size_text(memory->per_connection_bytes).s);
		layout_break(layout);
	}
}

static void text_findings(struct layout *layout, const struct host_report *report)
{
	for (size_t i = 0; i < report->findings->count; i++) {
		const struct finding *finding = &report->findings->items[i];
		const struct finding_row *row = &finding_table[finding->id];
		if (i == 0) {
			layout_gap(layout);
			layout_heading(layout, "FINDINGS");
			layout_break(layout);
		}
		layout_item(layout, row->severity >= SEVERITY_WARNING ? INK_YELLOW : INK_DIM,
		    severity_name(row->severity));
		layout_foreign(layout, INK_PLAIN, finding_text(finding).s);
		layout_break(layout);
	}
}

static void text_queues(struct layout *layout, const struct host_report *report)
{
	const struct host *host = report->host;
	const struct tunable_value *cc = &host->values[TUNABLE_TCP_CONGESTION_CONTROL],
				   *others =
				       &host->values[TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL],
				   *qdisc = &host->values[TUNABLE_DEFAULT_QDISC];
	bool any = cc->known || qdisc->known;

	if (any) {
		layout_gap(layout);
		layout_heading(layout, "SENDS BY");
	}
	if (cc->known)
		layout_foreign(layout, INK_PLAIN, cc->word);
	if (cc->known && others->known) {
		layout_text(layout, INK_DIM, "of");
		layout_foreign(layout, INK_DIM, others->word);
	}
	if (qdisc->known) {
		layout_raw(layout, INK_PLAIN, cc->known ? ";" : "");
		layout_text(layout, INK_PLAIN, "new interfaces get");
		layout_foreign(layout, INK_PLAIN, qdisc->word);
	}
	if (any)
		layout_break(layout);
	for (unsigned i = 0; i < host->interface_count; i++) {
		const struct interface *interface = &host->interfaces[i];
		if (!interface->up || !interface->qdisc[0])
			continue;
		layout_item(layout, INK_DIM, interface->name);
		layout_textf(layout, INK_PLAIN, "%s%s%s, MTU %u", interface->qdisc,
		    interface->leaf_qdisc[0] ? " of " : "", interface->leaf_qdisc, interface->mtu);
		layout_break(layout);
	}
}

static void text_boot(struct layout *layout, const struct host_report *report)
{
	if (report->boot_count == 0 && !report->tuned[0])
		return;
	layout_gap(layout);
	layout_heading(layout, "AT BOOT");
	if (report->tuned[0])
		layout_textf(layout, INK_PLAIN, "tuned, profile %s, sets some of it when it starts",
		    report->tuned);
	layout_break(layout);
	for (size_t i = 0; i < report->boot_count; i++) {
		const struct host_boot *boot = &report->boots[i];
		layout_tab(layout, LAYOUT_LABEL);
		layout_foreign(layout, boot->wins ? INK_PLAIN : INK_DIM, boot->file);
		if (boot->line > 0)
			layout_textf(layout, INK_DIM, "line %u", boot->line);
		layout_textf(layout, INK_PLAIN, "%s =", tunables[boot->id].key);
		layout_foreign(layout, INK_PLAIN, boot->value);
		if (!boot->wins)
			layout_text(layout, INK_DIM, "(a later line wins)");
		else if (boot->differs)
			layout_text(layout, INK_YELLOW, "(not what is set now)");
		layout_break(layout);
	}
}

bool host_text(const struct host_report *report, const struct style *style, FILE *stream)
{
	struct layout layout;

	layout_begin(&layout, stream, style);
	text_answer(&layout, report);
	text_carries(&layout, report);
	text_enough(&layout, report);
	text_differs(&layout, report);
	text_set(&layout, report);
	text_findings(&layout, report);
	text_memory(&layout, report);
	text_queues(&layout, report);
	text_boot(&layout, report);
	return !ferror(stream);
}
