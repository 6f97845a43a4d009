/*
 * The report for programs: schema "bdp/1".  What is unknown is null, never 0.
 *
 * Beside the names that the manual lists, these are there where they help: answer, the text report's
 * first sentence; inputs[].end and .warning; path.sender, .receiver, .intervals, .intervals_left_out
 * (merged intervals of long runs count as one), .omitted_intervals, .cwnd_peak_bytes,
 * .peer_window_max_bytes, .loaded_rtt_us, .idle_rtt_us, .bdp_bytes_per_stream, .mss_assumed;
 * runs[].run, .chosen, .input, .protocol, .complete, .error; settings[].lowers, .sizing_others;
 * commands[].host, .for_files; memory.idle_bytes, .limits_are_default, .bounded_before_ram; and
 * plan: role, here, sender, receiver, predicted_bps.
 */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "report/answer.h"
#include "report/json_parts.h"
#include "report/wording.h"

/* Bytes and bits per second are whole numbers: what follows the point is the arithmetic's. */
static void put_whole(struct json_out *out, const char *key, bool known, double value)
{
	if (known)
		json_out_number(out, key, round(value));
	else
		json_out_null(out, key);
}

static void put_number(struct json_out *out, const char *key, bool known, double value)
{
	if (known)
		json_out_number(out, key, value);
	else
		json_out_null(out, key);
}

static void put_count(struct json_out *out, const char *key, bool known, uint64_t value)
{
	if (known)
		json_out_uint(out, key, value);
	else
		json_out_null(out, key);
}

static void put_text(struct json_out *out, const char *key, const char *text)
{
	json_out_string(out, key, text && *text ? text : NULL);
}

static void json_inputs(struct json_out *out, const struct evidence *evidence)
{
	json_out_array(out, "inputs");
	for (size_t i = 0; i < evidence->input_count; i++) {
		const struct input *input = &evidence->inputs[i];
		json_out_object(out, NULL);
		json_out_string(out, "name", input->name);
		json_out_string(out, "kind", input_kind_name(input->kind));
		put_text(out, "detail", input->detail);
		json_out_string(out, "end",
		    input->label == END_SENDER	   ? "sender"
		    : input->label == END_RECEIVER ? "receiver"
						   : NULL);
		put_text(out, "warning", input->warning);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static const char *direction_name(const struct run *run)
{
	if (!run)
		return NULL;
	return run->client == run->local_sends ? "client-to-server" : "server-to-client";
}

static void json_rtt(struct json_out *out, const struct rtt *rtt)
{
	bool known = rtt->method != RTT_UNKNOWN;

	json_out_object(out, "rtt");
	put_number(out, "us", known, rtt->us);
	put_number(out, "low_us", known, rtt->low_us);
	put_number(out, "high_us", known, rtt->high_us);
	json_out_string(out, "method", known ? rtt_method_name(rtt->method) : NULL);
	json_out_end_object(out);
}

static void json_windows(struct json_out *out, const struct path *path)
{
	bool known = path->window_kind != WINDOW_UNKNOWN;

	json_out_object(out, "window");
	put_whole(out, "bytes", known, path->window_bytes);
	json_out_string(out, "kind", known ? window_kind_name(path->window_kind) : NULL);
	json_out_end_object(out);
	put_whole(out, "cwnd_bytes", path->has & PATH_CWND, path->cwnd_bytes);
	put_whole(out, "cwnd_peak_bytes", (path->has & PATH_CWND) && path->cwnd_peak_bytes > 0,
	    path->cwnd_peak_bytes);
	put_whole(out, "peer_window_bytes", path->has & PATH_PEER_WINDOW, path->peer_window_bytes);
	put_whole(out, "peer_window_max_bytes", path->has & PATH_PEER_WINDOW,
	    path->peer_window_max_bytes);
	put_whole(out, "in_flight_bytes", path->has & PATH_IN_FLIGHT, path->in_flight_bytes);
}

static void json_intervals(struct json_out *out, const struct path *path, const struct run *run)
{
	bool known = run && (path->has & PATH_SERIES);
	size_t count = known ? run->series.count : 0;

	put_count(out, "intervals", known, count);
	put_count(out, "intervals_left_out", known && path->steady_count <= count,
	    count - path->steady_count);
	put_count(out, "omitted_intervals", run != NULL, run ? run->omitted_intervals : 0);
}

/* The members of a path; the caller has begun the object. */
static void json_path(struct json_out *out, const struct path *path, const struct run *run)
{
	json_out_string(out, "direction", direction_name(run));
	put_text(out, "sender", run ? run->sender : NULL);
	put_text(out, "receiver", run ? run->receiver : NULL);
	put_count(out, "streams", path->streams > 0, path->streams);
	put_number(out, "seconds", path->seconds > 0, path->seconds);
	put_whole(out, "rate_bps", path->has & PATH_RATE, path->rate_bps);
	put_whole(out, "mean_rate_bps", path->has & PATH_MEAN_RATE, path->mean_rate_bps);
	put_whole(out, "rate_bps_per_stream", (path->has & PATH_RATE) && path->streams > 0,
	    path->stream_rate_bps);
	json_intervals(out, path, run);
	put_count(out, "retransmits", path->has & PATH_RETRANSMITS, path->retransmits);
	put_number(out, "loss_ratio", path->has & PATH_LOSS, path->loss_ratio);
	json_rtt(out, &path->rtt);
	put_number(out, "loaded_rtt_us", path->has & PATH_LOADED_RTT, path->loaded_rtt_us);
	put_number(out, "idle_rtt_us", path->has & PATH_IDLE_RTT, path->idle_rtt_us);
	json_windows(out, path);
	put_count(out, "mss", path->mss > 0, path->mss);
	json_out_bool(out, "mss_assumed", path->mss > 0 && !(path->has & PATH_MSS));
	put_whole(out, "target_bps", path->has & PATH_TARGET, path->target_bps);
	put_whole(out, "bdp_bytes", path->has & PATH_BDP, path->bdp_bytes);
	put_whole(out, "bdp_bytes_per_stream", path->has & PATH_BDP, path->stream_bdp_bytes);
	put_text(out, "congestion_control", path->congestion_control);
}

/* A decided limit is its own only candidate, so that readers need not ask which kind it is. */
static void json_candidates(struct json_out *out, const struct limit *limit)
{
	json_out_array(out, "candidates");
	if (limit->factor != FACTOR_UNKNOWN)
		json_out_string(out, NULL, factor_table[limit->factor].name);
	for (size_t i = 0; limit->factor == FACTOR_UNKNOWN && i < limit->candidate_count; i++)
		json_out_string(out, NULL, factor_table[limit->candidates[i]].name);
	json_out_end_array(out);
}

/* Numbers given by hand tell nothing of what holds a flow: null. */
static void json_limit(struct json_out *out, const struct analysis *analysis)
{
	const struct limit *limit = &analysis->limit;

	if (!analysis->run) {
		json_out_null(out, "limit");
		return;
	}
	json_out_object(out, "limit");
	json_out_string(out, "factor", factor_table[limit->factor].name);
	json_out_string(out, "where", where_name(limit->where));
	json_out_string(out, "confidence", confidence_name(limit->confidence));
	json_candidates(out, limit);
	json_out_array(out, "evidence");
	for (size_t i = 0; i < limit->evidence_count; i++)
		json_out_string(out, NULL, limit->evidence[i]);
	json_out_end_array(out);
	put_text(out, "decide_with", limit->decide_with);
	json_out_end_object(out);
}

static const char *protocol_name(enum protocol protocol)
{
	static const char *const names[] = {
	    [PROTOCOL_TCP] = "tcp",
	    [PROTOCOL_UDP] = "udp",
	    [PROTOCOL_SCTP] = "sctp",
	};

	return names[protocol];
}

static void json_runs(struct json_out *out, const struct report *report)
{
	json_out_array(out, "runs");
	for (size_t i = 0; i < report->analysis_count; i++) {
		const struct analysis *analysis = &report->analyses[i];
		const struct run *run = analysis->run;
		if (!run)
			continue;
		json_out_object(out, NULL);
		json_out_uint(out, "run", i + 1);
		json_out_bool(out, "chosen", i == report->chosen);
		put_text(out, "input", run->input);
		json_out_string(out, "protocol", protocol_name(run->protocol));
		json_out_bool(out, "complete", run->complete);
		put_text(out, "error", run->error);
		json_out_object(out, "path");
		json_path(out, &analysis->path, run);
		json_out_end_object(out);
		json_limit(out, analysis);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_chosen(struct json_out *out, const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);

	if (chosen) {
		json_out_object(out, "path");
		json_path(out, &chosen->path, chosen->run);
		json_out_end_object(out);
	} else {
		json_out_null(out, "path");
	}
	json_runs(out, report);
	if (chosen)
		json_limit(out, chosen);
	else
		json_out_null(out, "limit");
}

static void json_rfc6349(struct json_out *out, const struct rfc6349 *metrics)
{
	json_out_object(out, "rfc6349");
	put_number(out, "tcp_efficiency", metrics->has_efficiency, metrics->tcp_efficiency);
	put_number(out, "buffer_delay", metrics->has_buffer_delay, metrics->buffer_delay);
	put_number(
	    out, "transfer_time_ratio", metrics->has_transfer_time, metrics->transfer_time_ratio);
	json_out_end_object(out);
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
		json_out_string(out, "text", finding->text);
		json_out_string(out, "advice", row->advice);
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
	put_text(out, "risk", setting->risk);
	json_out_bool(out, "lowers", setting->lowers);
	put_text(out, "sizing_others", setting->sizing_others);
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

void json_plan_facts(struct json_out *out, const struct plan *plan)
{
	json_out_object(out, "plan");
	json_out_string(out, "role", role_name(plan->role));
	json_out_string(out, "here", role_name(plan->here));
	put_text(out, "sender", plan->sender_name);
	put_text(out, "receiver", plan->receiver_name);
	put_whole(out, "predicted_bps", plan->predicted_bps > 0, plan->predicted_bps);
	json_out_end_object(out);
}

static void json_memory(struct json_out *out, const struct exposure *memory)
{
	bool limits = memory->has_limits, asked = memory->connections > 0;

	json_out_object(out, "memory");
	put_count(out, "page_size", memory->page_size > 0, memory->page_size);
	put_whole(out, "low_bytes", limits, memory->low_bytes);
	put_whole(out, "pressure_bytes", limits, memory->pressure_bytes);
	put_whole(out, "high_bytes", limits, memory->high_bytes);
	json_out_bool(out, "limits_are_default", limits && memory->limits_are_default);
	put_whole(out, "ram_bytes", memory->ram_bytes > 0, memory->ram_bytes);
	put_whole(out, "in_use_bytes", memory->has_in_use, memory->in_use_bytes);
	put_count(out, "connections", asked, memory->connections);
	put_count(out, "active", asked, memory->active);
	put_whole(out, "per_connection_bytes", memory->per_connection_bytes > 0,
	    memory->per_connection_bytes);
	put_whole(out, "idle_bytes", asked, memory->idle_bytes);
	put_whole(out, "likely_bytes", asked, memory->likely_bytes);
	put_whole(out, "worst_bytes", asked, memory->worst_bytes);
	put_whole(out, "pressure_at_connections", memory->pressure_at_connections > 0,
	    floor(memory->pressure_at_connections));
	if (limits && asked && memory->ram_bytes > 0)
		json_out_bool(out, "bounded_before_ram", memory->bounded_before_ram);
	else
		json_out_null(out, "bounded_before_ram");
	json_out_end_object(out);
}

static void json_members(struct json_out *out, const struct report *report)
{
	json_out_string(out, "schema", "bdp/1");
	json_out_string(out, "version", report->version);
	json_out_string(out, "answer", answer_reckon(report).s);
	json_inputs(out, report->evidence);
	json_chosen(out, report);
	json_rfc6349(out, report->rfc6349);
	json_findings(out, report->findings);
	json_plan(out, report->plan);
	json_plan_facts(out, report->plan);
	json_memory(out, report->memory);
}

bool report_json(const struct report *report, const struct style *style, FILE *stream)
{
	struct json_out out;

	(void)style;
	json_out_begin(&out, stream, false);
	json_out_object(&out, NULL);
	json_members(&out, report);
	json_out_end_object(&out);
	return json_out_finish(&out);
}

bool report_json_line(const struct report *report, const char *file, FILE *stream)
{
	struct json_out out;

	json_out_begin(&out, stream, true);
	json_out_object(&out, NULL);
	json_out_string(&out, "file", file);
	json_members(&out, report);
	json_out_end_object(&out);
	return json_out_finish(&out);
}
