#include "report/json_parts.h"

#include <math.h>

#include "report/finding_text.h"
#include "report/phrase.h"

void json_known(struct json_out *out, const char *key, bool known, double value)
{
	if (known)
		json_out_number(out, key, value);
	else
		json_out_null(out, key);
}

void json_known_whole(struct json_out *out, const char *key, bool known, double value)
{
	json_known(out, key, known, round(value));
}

void json_known_uint(struct json_out *out, const char *key, bool known, uint64_t value)
{
	if (known)
		json_out_uint(out, key, value);
	else
		json_out_null(out, key);
}

void json_known_text(struct json_out *out, const char *key, const char *text)
{
	json_out_string(out, key, text && *text ? text : NULL);
}

void json_memory_limits(struct json_out *out, const struct exposure *memory)
{
	bool limits = memory->has_limits;

	json_known_uint(out, "page_size", memory->page_size > 0, memory->page_size);
	json_known_whole(out, "low_bytes", limits, memory->low_bytes);
	json_known_whole(out, "pressure_bytes", limits, memory->pressure_bytes);
	json_known_whole(out, "high_bytes", limits, memory->high_bytes);
	json_out_bool(out, "limits_are_default", limits && memory->limits_are_default);
	json_known_whole(out, "ram_bytes", memory->has_ram, memory->ram_bytes);
	json_known_whole(out, "in_use_bytes", memory->has_in_use, memory->in_use_bytes);
}

void json_findings(struct json_out *out, const struct findings *findings)
{
	json_out_array(out, "findings");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		const struct finding_row *row = &finding_table[finding->id];
		json_out_object(out, NULL);
		json_out_string(out, "id", row->id);
		json_out_string(out, "severity", severity_name(row->severity));
		json_out_string(out, "text", finding_text(finding).s);
		json_out_string(out, "advice", finding_words[finding->id].advice);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

/* Values are strings, "4096 131072 20971520", as sysctl(8) takes them. */
static void json_value(
    struct json_out *out, const char *key, enum tunable_id id, const struct tunable_value *value)
{
	char text[256];

	json_out_string(
	    out, key, value->known ? tunable_value_text(id, value, text, sizeof(text)) : NULL);
}

static void json_setting(struct json_out *out, const struct setting *setting)
{
	struct tunable_value value = setting->value;

	value.known = true;
	json_out_object(out, NULL);
	json_out_string(out, "key", tunables[setting->id].key);
	json_value(out, "value", setting->id, &value);
	json_value(out, "current", setting->id, &setting->current);
	json_out_bool(out, "change", setting->change);
	json_out_string(out, "host", role_name(setting->host));
	json_out_string(out, "sized_by", sizing_name(setting->sized_by));
	json_out_string(out, "why", setting->why);
	json_known_text(out, "risk", setting->risk);
	json_out_bool(out, "lowers", setting->lowers);
	json_known_text(out, "sizing_others", setting->sizing_others);
	json_out_end_object(out);
}

void json_plan(struct json_out *out, const struct plan *plan)
{
	json_out_array(out, "settings");
	for (size_t i = 0; i < plan->setting_count; i++)
		json_setting(out, &plan->settings[i]);
	json_out_end_array(out);
	json_out_array(out, "not_advised");
	for (size_t i = 0; i < plan->not_advised_count; i++) {
		json_out_object(out, NULL);
		json_out_string(out, "key", plan->not_advised[i].key);
		json_out_string(out, "why", plan->not_advised[i].why);
		json_out_end_object(out);
	}
	json_out_end_array(out);
	json_out_array(out, "commands");
	for (size_t i = 0; i < plan->command_count; i++) {
		json_out_object(out, NULL);
		json_out_string(out, "command", plan->commands[i].command);
		json_out_string(out, "why", plan->commands[i].why);
		json_out_string(out, "host", role_name(plan->commands[i].host));
		json_out_bool(out, "for_files", plan->commands[i].for_files);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_streams(struct json_out *out, const struct stream_plan *streams)
{
	bool known = streams->count > 0;

	json_known_uint(out, "streams", known, streams->count);
	json_known_whole(out, "stream_rate_bps", known, streams->rate_bps);
	json_known_whole(
	    out, "stream_most_bps", known && isfinite(streams->most_bps), streams->most_bps);
	json_known_whole(out, "stream_pace_bps", known, streams->pace_bps);
	json_known_whole(
	    out, "streams_memory_bytes", streams->memory_bytes > 0, streams->memory_bytes);
}

void json_plan_facts(struct json_out *out, const struct plan *plan)
{
	json_out_object(out, "plan");
	json_out_string(out, "role", role_name(plan->role));
	json_out_string(out, "here", role_name(plan->here));
	json_known_text(out, "sender", plan->sender_name);
	json_known_text(out, "receiver", plan->receiver_name);
	json_known_text(out, "proxy", plan->proxy_name);
	json_known_text(out, "made_on", plan->made_on);
	json_out_string(out, "here_by", here_by_name(plan->here_by));
	json_known_whole(out, "predicted_bps", plan->predicted_bps > 0, plan->predicted_bps);
	bool ranges = plan->predicted_bps > 0 && plan->predicted_low_bps > 0;
	json_known_whole(out, "predicted_low_bps", ranges, plan->predicted_low_bps);
	json_known_whole(out, "predicted_high_bps", ranges, plan->predicted_high_bps);
	json_known_whole(out, "loss_bound_bps", plan->loss_bound_bps > 0, plan->loss_bound_bps);
	json_known(out, "bears_loss_ratio", plan->bears_loss > 0, plan->bears_loss);
	json_streams(out, &plan->streams);
	json_out_string(out, "reason", plan_reason_name(plan->reason));
	json_known_text(out, "reason_text", plan->reason_text);
	json_out_end_object(out);
}
