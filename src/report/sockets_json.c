/*
 * Sockets for programs: schema "bdp-sockets/1".  What is unknown is null, never 0.
 *
 * schema, version; sockets (with --all: one object each, as they came); answer, source, seconds;
 * rule: target_bps, factor, floor_bytes; totals, with receive and send; histogram; largest;
 * slow_readers; memory; counters: what they grew by; runaway: verdict, confidence, remedy, evidence;
 * findings, settings, not_advised and commands as in schema "bdp/1"; not_known.
 */
#include "report/sockets.h"

#include "report/finding_text.h"
#include "report/json_parts.h"

static void json_direction(
    struct json_out *out, const char *key, const struct direction *direction, bool memory)
{
	json_out_object(out, key);
	json_known_whole(out, "buffer_bytes", memory, direction->buffer_bytes);
	json_known_whole(out, "held_bytes", memory, direction->held_bytes);
	json_known_whole(out, "rate_bps", direction->has_rate, direction->rate_bps);
	json_known_whole(out, "bdp_bytes", direction->has_bdp, direction->bdp_bytes);
	json_known(out, "ratio", direction->has_bdp && memory && direction->bdp_bytes > 0,
	    direction->ratio);
	json_out_bool(out, "beyond", direction->beyond);
	json_known_whole(
	    out, "window_max_bytes", direction->window_max_bytes > 0, direction->window_max_bytes);
	json_out_end_object(out);
}

static const char *reader_name(enum reader reader)
{
	static const char *const names[] = {
	    [READER_KEEPS_UP] = "keeps-up",
	    [READER_BEHIND] = "behind",
	    [READER_STALLED] = "stalled",
	};
	return names[reader];
}

static void json_identity(struct json_out *out, const struct socket_info *info)
{
	json_known_text(out, "state", info->state);
	json_known_text(out, "local", info->local);
	json_out_uint(out, "local_port", info->local_port);
	json_known_text(out, "peer", info->peer);
	json_out_uint(out, "peer_port", info->peer_port);
	json_known_text(out, "congestion_control", info->cc);
	json_out_uint(out, "recv_queue_bytes", info->recv_queue);
	json_out_uint(out, "send_queue_bytes", info->send_queue);
}

static void json_shares(struct json_out *out, const struct socket_memory *memory)
{
	bool limited = (memory->has & SOCKET_MEMORY_LIMITED) != 0;
	bool now = (memory->has & SOCKET_MEMORY_NOW) != 0;

	json_known(out, "rwnd_limited_share", limited, memory->rwnd_share);
	json_known(out, "sndbuf_limited_share", limited, memory->sndbuf_share);
	json_known(out, "busy_share", memory->has & SOCKET_MEMORY_BUSY, memory->busy_share);
	json_known(out, "retransmit_ratio", memory->has & SOCKET_MEMORY_RETRANSMITS,
	    memory->retransmit_ratio);
	json_known_whole(out, "receive_now_bps", now, memory->receive_now_bps);
	json_known_whole(out, "send_now_bps", now, memory->send_now_bps);
}

void sockets_json_socket(struct json_out *out, const char *key, const struct listed *item)
{
	const struct socket_info *info = &item->info;
	const struct socket_memory *memory = &item->memory;
	bool has_buffers = (memory->has & SOCKET_MEMORY_BUFFERS) != 0;

	json_out_object(out, key);
	json_identity(out, info);
	json_known(out, "rtt_us", memory->has & SOCKET_MEMORY_RTT, memory->rtt_us);
	json_known(out, "min_rtt_us", info->has & SOCKET_MIN_RTT, info->min_rtt_us);
	json_known_whole(
	    out, "delivery_rate_bps", info->has & SOCKET_DELIVERY_RATE, info->delivery_rate_bps);
	json_known_whole(out, "held_bytes", has_buffers, memory->held_bytes);
	json_direction(out, "receive", &memory->receive, has_buffers);
	json_direction(out, "send", &memory->send, has_buffers);
	json_out_bool(out, "beyond", memory->beyond);
	json_shares(out, memory);
	json_out_bool(out, "app_limited", info->app_limited);
	json_known_whole(out, "peer_window_bytes", info->has & SOCKET_PEER_WINDOW,
	    (double)info->peer_window_bytes);
	json_known(out, "snd_wscale", info->has & SOCKET_WSCALE, info->snd_wscale);
	json_known(out, "rcv_wscale", info->has & SOCKET_WSCALE, info->rcv_wscale);
	json_out_string(out, "reader", reader_name(memory->reader));
	json_out_end_object(out);
}

void sockets_json_begin(
    struct json_out *out, const char *version, bool all, bool compact, FILE *stream)
{
	json_out_begin(out, stream, compact);
	json_out_object(out, NULL);
	json_out_string(out, "schema", "bdp-sockets/1");
	json_out_string(out, "version", version);
	if (all)
		json_out_array(out, "sockets");
}

static void json_direction_sum(
    struct json_out *out, const char *key, const struct direction_sum *sum)
{
	json_out_object(out, key);
	json_known_whole(out, "held_bytes", true, sum->held_bytes);
	json_known_whole(out, "buffer_bytes", true, sum->buffer_bytes);
	json_out_uint(out, "beyond", sum->beyond);
	json_known_whole(out, "beyond_held_bytes", true, sum->beyond_held_bytes);
	json_known_whole(out, "beyond_buffer_bytes", true, sum->beyond_buffer_bytes);
	json_known_whole(
	    out, "largest_bdp_bytes", sum->largest_bdp_bytes > 0, sum->largest_bdp_bytes);
	json_known_whole(
	    out, "largest_buffer_bytes", sum->largest_buffer_bytes > 0, sum->largest_buffer_bytes);
	json_out_end_object(out);
}

static void json_totals(struct json_out *out, const struct socket_totals *totals)
{
	json_out_object(out, "totals");
	json_out_uint(out, "sockets", totals->sockets);
	json_out_object(out, "by_state");
	for (unsigned i = 1; i < STATE_COUNT; i++)
		if (totals->by_state[i] > 0)
			json_out_uint(
			    out, socket_state_name((enum socket_state)i), totals->by_state[i]);
	json_out_end_object(out);
	json_out_uint(out, "with_memory", totals->with_memory);
	json_out_uint(out, "judged", totals->judged);
	json_out_uint(out, "beyond", totals->beyond);
	json_known_whole(out, "held_bytes", totals->with_memory > 0, totals->held_bytes);
	json_known_whole(out, "beyond_held_bytes", totals->judged > 0, totals->beyond_held_bytes);
	json_known_whole(
	    out, "beyond_buffer_bytes", totals->judged > 0, totals->beyond_buffer_bytes);
	json_out_uint(out, "slow_readers", totals->behind);
	json_out_uint(out, "stalled_readers", totals->stalled);
	json_direction_sum(out, "receive", &totals->receive);
	json_direction_sum(out, "send", &totals->send);
	json_out_end_object(out);
}

static void json_histogram(struct json_out *out, const struct socket_totals *totals)
{
	json_out_array(out, "histogram");
	for (unsigned i = 0; i < SOCKET_TOTALS_CLASSES; i++) {
		json_out_object(out, NULL);
		json_known_whole(out, "from_bytes", true, socket_totals_class_bytes(i));
		json_known_whole(out, "to_bytes", i + 1 < SOCKET_TOTALS_CLASSES,
		    socket_totals_class_bytes(i + 1));
		json_out_uint(out, "sockets", totals->classes[i].sockets);
		json_known_whole(out, "held_bytes", true, totals->classes[i].held_bytes);
		json_out_end_object(out);
	}
	json_out_end_array(out);
}

static void json_list(
    struct json_out *out, const char *key, const struct listed *items, size_t count)
{
	json_out_array(out, key);
	for (size_t i = 0; i < count; i++)
		sockets_json_socket(out, NULL, &items[i]);
	json_out_end_array(out);
}

static void json_memory(struct json_out *out, const struct sockets_report *report)
{
	const struct exposure *memory = report->memory;
	double held = report->totals->beyond_held_bytes;
	bool limits = memory->has_limits && memory->high_bytes > 0;

	json_out_object(out, "memory");
	json_memory_limits(out, memory);
	json_known(out, "beyond_of_low", limits && report->has_sockets, held / memory->low_bytes);
	json_known(out, "beyond_of_pressure", limits && report->has_sockets,
	    held / memory->pressure_bytes);
	json_known(out, "beyond_of_high", limits && report->has_sockets, held / memory->high_bytes);
	json_known(
	    out, "beyond_of_ram", memory->has_ram && report->has_sockets, held / memory->ram_bytes);
	json_out_end_object(out);
}

static void json_counters(struct json_out *out, const struct counters *delta)
{
	if (!delta) {
		json_out_null(out, "counters");
		return;
	}
	json_out_object(out, "counters");
	for (size_t i = 0; runaway_counters[i] != COUNTER_COUNT; i++) {
		enum counter_id id = runaway_counters[i];
		json_known_whole(
		    out, counter_table[id].name, delta->known[id], (double)delta->value[id]);
	}
	json_out_end_object(out);
}

static void json_runaway(struct json_out *out, const struct runaway *runaway)
{
	bool confirmed = runaway->verdict == RUNAWAY_CONFIRMED;

	json_out_object(out, "runaway");
	json_out_string(out, "verdict", runaway_verdict_name(runaway->verdict));
	json_out_string(out, "confidence", confirmed ? confidence_name(runaway->confidence) : NULL);
	json_out_string(out, "remedy", runaway_remedy_name(runaway->remedy));
	json_out_array(out, "evidence");
	for (size_t i = 0; i < runaway->evidence_count; i++)
		json_out_string(out, NULL, runaway_text(&runaway->evidence[i]).s);
	json_out_end_array(out);
	json_out_end_object(out);
}

static void json_rule(struct json_out *out, const struct socket_memory_rule *rule)
{
	json_out_object(out, "rule");
	json_known_whole(out, "target_bps", rule->target_bps > 0, rule->target_bps);
	json_out_number(out, "factor", rule->factor);
	json_known_whole(out, "floor_bytes", true, rule->floor_bytes);
	json_out_end_object(out);
}

bool sockets_json_end(struct json_out *out, const struct sockets_report *report, bool all)
{
	const struct socket_totals *totals = report->totals;

	if (all)
		json_out_end_array(out);
	json_out_string(out, "answer", sockets_answer(report).s);
	json_known_text(out, "source", report->source);
	json_out_bool(out, "live", report->live);
	json_known(out, "seconds", report->seconds > 0, report->seconds);
	json_rule(out, report->rule);
	if (report->has_sockets) {
		json_totals(out, totals);
		json_histogram(out, totals);
	} else {
		json_out_null(out, "totals");
		json_out_null(out, "histogram");
	}
	json_list(out, "largest", totals->largest, totals->largest_count);
	json_list(out, "slow_readers", totals->slow, totals->slow_count);
	json_memory(out, report);
	json_counters(out, report->delta);
	json_runaway(out, report->runaway);
	json_findings(out, report->findings);
	json_plan(out, report->plan);
	json_out_array(out, "not_known");
	for (size_t i = 0; i < report->note_count; i++)
		json_out_string(out, NULL, report->notes[i]);
	json_out_end_array(out);
	json_out_end_object(out);
	return json_out_finish(out) && fflush(out->stream) == 0 && !ferror(out->stream);
}
