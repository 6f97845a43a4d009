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

#include "base/json_out.h"
#include "report/answer.h"
#include "report/json_parts.h"
#include "report/limit_text.h"
#include "report/phrase.h"

/* Bytes and bits per second are whole numbers: what follows the point is the arithmetic's. */
static void json_inputs(struct json_out *out, const struct evidence *evidence)
{
	json_out_array(out, "inputs");
	for (size_t i = 0; i < evidence->input_count; i++) {
		const struct input *input = &evidence->inputs[i];
		json_out_object(out, NULL);
		json_out_string(out, "name", input->name);
		json_out_string(out, "kind", input_kind_name(input->kind));
		json_known_text(out, "detail", input->detail);
		json_out_string(out, "end",
		    input->label == END_SENDER	   ? "sender"
		    : input->label == END_RECEIVER ? "receiver"
						   : NULL);
		json_known_text(out, "warning", input->warning);
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
	json_known(out, "us", known, rtt->us);
	json_known(out, "low_us", known, rtt->low_us);
	json_known(out, "high_us", known, rtt->high_us);
	json_out_string(out, "method", known ? rtt_method_name(rtt->method) : NULL);
	json_out_end_object(out);
}

static void json_windows(struct json_out *out, const struct path *path)
{
	bool known = path->window.kind != WINDOW_UNKNOWN;

	json_out_object(out, "window");
	json_known_whole(out, "bytes", known, path->window.bytes);
	json_out_string(out, "kind", known ? window_kind_name(path->window.kind) : NULL);
	json_out_end_object(out);
	json_known_whole(out, "cwnd_bytes", path->cwnd.known, path->cwnd.bytes);
	json_known_whole(out, "cwnd_peak_bytes", path->cwnd.known && path->cwnd.peak_bytes > 0,
	    path->cwnd.peak_bytes);
	json_known_whole(
	    out, "peer_window_bytes", path->peer_window.known, path->peer_window.bytes);
	json_known_whole(
	    out, "peer_window_max_bytes", path->peer_window.known, path->peer_window.max_bytes);
	json_known_whole(out, "in_flight_bytes", path->in_flight.known, path->in_flight.bytes);
}

static void json_intervals(struct json_out *out, const struct path *path, const struct run *run)
{
	bool known = run && path->steady.known;
	size_t count = known ? run->series.count : 0;

	json_known_uint(out, "intervals", known, count);
	json_known_uint(out, "intervals_left_out", known && path->steady.count <= count,
	    count - path->steady.count);
	json_known_uint(out, "omitted_intervals", run != NULL, run ? run->omitted_intervals : 0);
}

/* The members of a path; the caller has begun the object. */
static void json_path(struct json_out *out, const struct path *path, const struct run *run)
{
	json_out_string(out, "direction", direction_name(run));
	json_known_text(out, "sender", run ? run->sender : NULL);
	json_known_text(out, "receiver", run ? run->receiver : NULL);
	json_known_uint(out, "streams", path->streams > 0, path->streams);
	json_known(out, "seconds", path->seconds > 0, path->seconds);
	json_known_whole(out, "rate_bps", path->rate.known, path->rate.bps);
	json_known_whole(out, "mean_rate_bps", path->rate.mean_known, path->rate.mean_bps);
	json_known_whole(out, "rate_bps_per_stream", path->rate.known && path->streams > 0,
	    path->rate.stream_bps);
	json_intervals(out, path, run);
	json_known_uint(out, "retransmits", path->loss.counted, path->loss.retransmits);
	json_known(out, "loss_ratio", path->loss.known, path->loss.ratio);
	json_rtt(out, &path->rtt);
	json_known(out, "loaded_rtt_us", path->loaded.known, path->loaded.rtt_us);
	json_out_string(out, "loaded_rtt_method",
	    path->loaded.known ? rtt_method_name(path->loaded.method) : NULL);
	json_known(out, "idle_rtt_us", path->idle.known, path->idle.rtt_us);
	json_windows(out, path);
	json_known_uint(out, "mss", path->mss > 0, path->mss);
	json_out_bool(out, "mss_assumed", path->mss > 0 && !path->mss_is_measured);
	json_known_whole(out, "target_bps", path->target.known, path->target.bps);
	json_known_whole(out, "bdp_bytes", path->bdp.known, path->bdp.bytes);
	json_known_whole(out, "bdp_bytes_per_stream", path->bdp.known, path->bdp.stream_bytes);
	json_known_text(out, "congestion_control", path->congestion_control);
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

static void json_evidence(struct json_out *out, const struct evidence_item *item)
{
	double ratio = 0;
	bool has_ratio = evidence_ratio(item, &ratio);

	json_out_object(out, NULL);
	json_out_string(out, "id", evidence_name(item));
	json_out_number(out, "value", item->value);
	json_out_number(out, "reference", item->reference);
	json_known(out, "ratio", has_ratio, ratio);
	json_out_string(out, "text", evidence_text(item).s);
	json_out_end_object(out);
}

/* Of every cause, in the order of the table. */
static void json_shares(struct json_out *out, const struct limit *limit)
{
	json_out_array(out, "shares");
	for (int f = 0; f < FACTOR_COUNT; f++) {
		json_out_object(out, NULL);
		json_out_string(out, "factor", factor_table[f].name);
		json_out_number(out, "share", limit->shares[f]);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_phases(struct json_out *out, const struct phases *phases)
{
	json_out_array(out, "phases");
	for (size_t i = 0; i < phases->count; i++) {
		const struct phase *phase = &phases->items[i];
		json_out_object(out, NULL);
		json_out_string(out, "kind", phase_name(phase->kind));
		json_out_number(out, "start_s", phase->start_s);
		json_out_number(out, "end_s", phase->end_s);
		json_out_number(out, "rate_bps", phase->rate_bps);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

/* As it is typed, with what it shows behind "#". */
static void json_decide(struct json_out *out, const struct analysis *analysis)
{
	struct measurement_text measurement;
	struct phrase text = {""};

	if (measurement_text(analysis, &measurement))
		phrase_add(&text, "%s%s%s", measurement.command, measurement.note ? "   # " : "",
		    measurement.note ? measurement.note : "");
	json_known_text(out, "decide_with", text.s);
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
		json_evidence(out, &limit->evidence[i]);
	json_out_end_array(out);
	json_shares(out, limit);
	json_phases(out, &analysis->path.phases);
	json_decide(out, analysis);
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
		json_known_text(out, "input", run->input);
		json_out_string(out, "protocol", protocol_name(run->protocol));
		json_out_bool(out, "complete", run->complete);
		json_known_text(out, "error", run->error);
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
	json_known(out, "tcp_efficiency", metrics->has_efficiency, metrics->tcp_efficiency);
	json_known(out, "buffer_delay", metrics->has_buffer_delay, metrics->buffer_delay);
	json_known(
	    out, "transfer_time_ratio", metrics->has_transfer_time, metrics->transfer_time_ratio);
	json_out_end_object(out);
}

static void json_memory(struct json_out *out, const struct exposure *memory)
{
	bool limits = memory->has_limits, asked = memory->connections > 0;

	json_out_object(out, "memory");
	json_memory_limits(out, memory);
	json_known_uint(out, "connections", asked, memory->connections);
	json_known_uint(out, "active", asked, memory->active);
	json_known_whole(out, "per_connection_bytes", memory->per_connection_bytes > 0,
	    memory->per_connection_bytes);
	json_known_whole(out, "idle_bytes", asked, memory->idle_bytes);
	json_known_whole(
	    out, "likely_bytes", asked && memory->per_connection_bytes > 0, memory->likely_bytes);
	json_known_whole(out, "worst_bytes", asked && memory->worst_bytes > 0, memory->worst_bytes);
	json_known_whole(out, "pressure_at_connections", memory->has_pressure_at,
	    floor(memory->pressure_at_connections));
	if (limits && asked && memory->has_ram)
		json_out_bool(out, "bounded_before_ram", memory->bounded_before_ram);
	else
		json_out_null(out, "bounded_before_ram");
	json_out_end_object(out);
}

static void json_members(struct json_out *out, const struct report *report)
{
	json_out_string(out, "schema", "bdp/1");
	json_out_string(out, "version", report->version);
	json_out_string(out, "answer", answer_compute(report).s);
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
