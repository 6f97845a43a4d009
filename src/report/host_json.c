/* A host's settings for programs: schema "bdp-host/1".  What is unknown is null, never 0. */
#include "report/host_report.h"

#include "report/finding_text.h"
#include "report/json_parts.h"

#define VALUE_MAX 256

static void json_value(struct json_out *out, const char *key, bool has, enum tunable_id id,
    const struct tunable_value *value)
{
	char text[VALUE_MAX];

	json_out_string(out, key,
	    has && value->known ? tunable_value_text(id, value, text, sizeof(text)) : NULL);
}

static void json_carries(struct json_out *out, const struct capacity *capacity)
{
	json_out_array(out, "carries");
	for (const double *rtt = host_rtts_us; *rtt > 0; rtt++) {
		json_out_object(out, NULL);
		json_out_number(out, "rtt_us", *rtt);
		json_known_whole(out, "receive_bps", capacity->has_receive,
		    capacity_bps(capacity->receive_bytes, *rtt));
		json_known_whole(
		    out, "send_bps", capacity->has_send, capacity_bps(capacity->send_bytes, *rtt));
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_need(struct json_out *out, const struct host_need *need)
{
	if (need->rate_bps <= 0) {
		json_out_null(out, "need");
		return;
	}
	json_out_object(out, "need");
	json_out_number(out, "rate_bps", need->rate_bps);
	json_out_number(out, "rtt_us", need->rtt_us);
	json_out_bool(out, "receives_enough", need->receives_enough);
	json_out_bool(out, "sends_enough", need->sends_enough);
	json_known_whole(out, "receive_ceiling_bytes", need->receive_ceiling_bytes > 0,
	    need->receive_ceiling_bytes);
	json_known_whole(
	    out, "send_ceiling_bytes", need->send_ceiling_bytes > 0, need->send_ceiling_bytes);
	json_out_end_object(out);
}

static void json_differs(struct json_out *out, const struct host_report *report)
{
	json_out_array(out, "differs");
	for (size_t i = 0; i < report->deviations->count; i++) {
		const struct deviation *item = &report->deviations->items[i];
		json_out_object(out, NULL);
		json_out_string(out, "key", tunables[item->id].key);
		json_out_string(out, "effect", host_effect_word(item->effect));
		json_value(out, "value", true, item->id, &report->host->values[item->id]);
		json_value(out, "own", item->has_own, item->id, &item->own);
		json_out_string(
		    out, "text", host_deviation_words(item, &report->host->values[item->id]).s);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_set(struct json_out *out, const struct host_report *report)
{
	json_out_array(out, "set");
	for (size_t i = 0; i < report->mend_count; i++) {
		const struct host_mend *mend = &report->mends[i];
		json_out_object(out, NULL);
		json_out_string(out, "key", tunables[mend->id].key);
		json_value(out, "current", mend->before.known, mend->id, &mend->before);
		json_value(out, "value", true, mend->id, &mend->value);
		json_out_string(out, "why", host_mend_words(report, mend).s);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_findings_here(struct json_out *out, const struct findings *findings)
{
	json_out_array(out, "findings");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding_row *row = &finding_table[findings->items[i].id];
		json_out_object(out, NULL);
		json_out_string(out, "id", row->id);
		json_out_string(out, "severity", severity_name(row->severity));
		json_out_string(out, "text", finding_text(&findings->items[i]).s);
		json_out_string(out, "advice", finding_words[findings->items[i].id].advice);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_boot(struct json_out *out, const struct host_report *report)
{
	json_known_text(out, "tuned", report->tuned);
	json_out_array(out, "boot");
	for (size_t i = 0; i < report->boot_count; i++) {
		const struct host_boot *boot = &report->boots[i];
		json_out_object(out, NULL);
		json_out_string(out, "file", boot->file);
		json_known_whole(out, "line", boot->line > 0, boot->line);
		json_out_string(out, "key", tunables[boot->id].key);
		json_out_string(out, "value", boot->value);
		json_out_bool(out, "wins", boot->wins);
		json_out_bool(out, "differs", boot->differs);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_memory_here(struct json_out *out, const struct exposure *memory)
{
	bool has = memory->has_limits;

	json_out_object(out, "memory");
	json_known_whole(out, "ram_bytes", memory->has_ram, memory->ram_bytes);
	json_known_whole(out, "pressure_bytes", has, memory->pressure_bytes);
	json_known_whole(out, "high_bytes", has, memory->high_bytes);
	json_known_whole(out, "in_use_bytes", memory->has_in_use, memory->in_use_bytes);
	json_known_whole(out, "pressure_at_connections", memory->has_pressure_at,
	    memory->pressure_at_connections);
	json_out_end_object(out);
}

bool host_json(const struct host_report *report, const struct style *style, FILE *stream)
{
	struct json_out out;

	(void)style;
	json_out_begin(&out, stream, false);
	json_out_object(&out, NULL);
	json_out_string(&out, "schema", "bdp-host/1");
	json_out_string(&out, "version", report->version);
	json_known_text(&out, "host", report->host->name);
	json_known_text(&out, "kernel", report->host->kernel.release);
	json_carries(&out, report->capacity);
	json_need(&out, report->need);
	json_differs(&out, report);
	json_set(&out, report);
	json_findings_here(&out, report->findings);
	json_memory_here(&out, report->memory);
	json_boot(&out, report);
	json_out_end_object(&out);
	return json_out_finish(&out);
}

bool host_sysctl(const struct host_report *report, const struct style *style, FILE *stream)
{
	char value[VALUE_MAX];

	(void)style;
	fprintf(stream, "# %s: %zu line%s to mend\n",
	    report->host->name[0] ? report->host->name : "the host", report->mend_count,
	    report->mend_count == 1 ? "" : "s");
	for (size_t i = 0; i < report->mend_count; i++) {
		const struct host_mend *mend = &report->mends[i];
		fprintf(stream, "# %s\n%s = %s\n", host_mend_words(report, mend).s,
		    tunables[mend->id].key,
		    tunable_value_text(mend->id, &mend->value, value, sizeof(value)));
	}
	return !ferror(stream);
}
