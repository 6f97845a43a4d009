/*
 * Reports made by hand, for the tests of the report forms: each function fills the same struct with
 * one situation.  The numbers are those of the comment above it, not of the stages before.
 */
#ifndef BDP_REPORT_FIXTURE_H
#define BDP_REPORT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis/features.h"
#include "report/forms.h"
#include "report/report.h"

#define FIXTURE_RUNS 20

struct fixture {
	struct evidence evidence;
	struct input inputs[3];
	struct run runs[FIXTURE_RUNS];
	struct analysis analyses[FIXTURE_RUNS];
	struct findings findings;
	struct plan plan;
	struct exposure memory;
	struct rfc6349 rfc6349;
	struct report report;
};

static char fixture_text_input[] = "lb.txt", fixture_dump_input[] = "lb-sysctl.txt";

static void fixture_begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->evidence.inputs = f->inputs;
	f->report = (struct report){
	    .version = "0.1.0",
	    .evidence = &f->evidence,
	    .analyses = f->analyses,
	    .findings = &f->findings,
	    .plan = &f->plan,
	    .memory = &f->memory,
	    .rfc6349 = &f->rfc6349,
	};
}

static void fixture_end(struct fixture *f)
{
	for (size_t i = 0; i < FIXTURE_RUNS; i++)
		series_free(&f->runs[i].series);
}

static void fixture_input(struct fixture *f, char *name, enum input_kind kind, const char *detail)
{
	struct input *input = &f->inputs[f->evidence.input_count++];

	input->name = name;
	input->kind = kind;
	snprintf(input->detail, sizeof(input->detail), "%s", detail);
}

/* One-second intervals of rates in Mbit/s, of a run that its sender printed. */
static struct run *fixture_run(struct fixture *f, const char *sender, const char *receiver,
    const double *mbits, size_t count, uint64_t cwnd_bytes)
{
	struct run *run = &f->runs[f->report.analysis_count];
	struct analysis *analysis = &f->analyses[f->report.analysis_count++];

	analysis->run = run;
	run->input = fixture_text_input;
	run->client = run->local_sends = run->complete = run->has_summary = true;
	run->streams = 1;
	snprintf(run->sender, sizeof(run->sender), "%s", sender);
	snprintf(run->receiver, sizeof(run->receiver), "%s", receiver);
	for (size_t i = 0; i < count; i++) {
		struct bin bin = {.start_s = (double)i,
		    .end_s = (double)i + 1,
		    .bytes = (uint64_t)(mbits[i] * 1e6 / 8),
		    .cwnd_bytes = cwnd_bytes,
		    .has = cwnd_bytes ? BIN_CWND : 0};
		series_add(&run->series, &bin);
	}
	analysis->path.streams = 1;
	analysis->path.seconds = (double)count;
	analysis->path.mss = 1448;
	return run;
}

static struct setting *fixture_setting(struct fixture *f, enum tunable_id id, enum role host,
    const char *value, const char *current, const char *why)
{
	struct setting *setting = &f->plan.settings[f->plan.setting_count++];

	setting->id = id;
	setting->host = host;
	tunable_value_parse(id, value, &setting->value);
	if (current)
		tunable_value_parse(id, current, &setting->current);
	setting->change = !current || strcmp(value, current) != 0;
	snprintf(setting->why, sizeof(setting->why), "%s", why);
	return setting;
}

static void fixture_command(
    struct fixture *f, enum role host, bool for_files, const char *command, const char *why)
{
	struct command *c = &f->plan.commands[f->plan.command_count++];

	c->host = host;
	c->for_files = for_files;
	snprintf(c->command, sizeof(c->command), "%s", command);
	snprintf(c->why, sizeof(c->why), "%s", why);
}

static void fixture_not_advised(struct fixture *f, const char *key, const char *why)
{
	struct not_advised *entry = &f->plan.not_advised[f->plan.not_advised_count++];

	entry->key = key;
	snprintf(entry->why, sizeof(entry->why), "%s", why);
}

static void fixture_limit(
    struct analysis *analysis, enum factor factor, enum where where, enum confidence confidence)
{
	analysis->limit.factor = factor;
	analysis->limit.where = where;
	analysis->limit.confidence = confidence;
}

static void fixture_evidence(
    struct analysis *analysis, enum feature feature, double value, double reference)
{
	struct limit *limit = &analysis->limit;

	limit->evidence[limit->evidence_count++] = (struct evidence_item){
	    .feature = (int)feature, .value = value, .reference = reference, .weight = 10};
}

/* The path of the load balancer: 703 Mbit/s, cwnd 4.36 MiB constant, 2 retransmits, RTT 23.9 ms within
 * 22.7 to 52.0 ms by the share of tcp_rmem, 3.34 Gbit/s wanted: BDP 9.96 MB = 9.50 MiB. */
static void fixture_proxy_path(struct fixture *f)
{
	static const double mbits[] = {470, 703, 703, 703, 703, 703, 703, 703, 703, 703};
	struct run *run = fixture_run(f, "198.51.100.2", "192.0.2.10", mbits, 10, 4571791);
	struct path *path = &f->analyses[0].path;

	run->has = RUN_SENT;
	run->sent_bytes = 878878500;
	path->rate.known = path->rate.mean_known = path->loss.known = path->loss.counted = true;
	path->cwnd.known = path->target.known = path->bdp.known = path->steady.known = true;
	path->rate.bps = path->rate.stream_bps = 703e6;
	path->rate.mean_bps = 679.7e6;
	path->loss.retransmits = 2;
	path->loss.ratio = 2 / (878878500.0 / 1448);
	path->rtt = (struct rtt){RTT_RMEM_SHARE, 23865, 22700, 52026};
	path->window.kind = WINDOW_CWND;
	path->window.bytes = path->cwnd.bytes = path->cwnd.peak_bytes = 4571791;
	path->target.bps = 3.34e9;
	path->bdp.bytes = path->bdp.stream_bytes = 3.34e9 / 8 * 0.023865;
	path->steady.first = 1;
	path->steady.count = 9;
	fixture_limit(&f->analyses[0], FACTOR_RECEIVE_WINDOW, WHERE_RECEIVER, CONFIDENCE_HIGH);
	fixture_evidence(&f->analyses[0], FEATURE_CWND_RESTS, 4.36 * 0x1p20, 10);
	fixture_evidence(&f->analyses[0], FEATURE_RMEM_MARK, 2.2 * 0x1p20, 4 * 0x1p20);
}

static void fixture_proxy_plan(struct fixture *f)
{
	struct setting *setting;

	snprintf(f->plan.receiver_name, sizeof(f->plan.receiver_name), "192.0.2.10");
	snprintf(f->plan.sender_name, sizeof(f->plan.sender_name), "198.51.100.2");
	f->plan.role = ROLE_PROXY;
	f->plan.predicted_bps = 3.5e9;
	setting = fixture_setting(f, TUNABLE_TCP_RMEM, ROLE_PROXY, "4096 131072 20971520",
	    "4096 131072 4194304",
	    "4 MiB x 3.34 / 0.703 = 19.0 MiB, rounded up to 20 MiB: what was measured, scaled; it needs "
	    "neither the RTT nor the share of the buffer that is window");
	setting->sized_by = SIZING_SCALING;
	snprintf(setting->sizing_others, sizeof(setting->sizing_others),
	    "by the kernel's rule, half of it window, 20 MiB");
	fixture_setting(f, TUNABLE_TCP_WMEM, ROLE_PROXY, "4096 262144 20971520",
	    "4096 16384 4194304", "in step with tcp_rmem: a proxy sends what it receives");
	setting = fixture_setting(f, TUNABLE_TCP_CONGESTION_CONTROL, ROLE_PROXY, "bbr", "cubic",
	    "the direct run loses 6.1 % at the ceiling");
	snprintf(setting->risk, sizeof(setting->risk),
	    "more retransmits, and unfair to CUBIC in shallow queues");
	fixture_setting(f, TUNABLE_DEFAULT_QDISC, ROLE_PROXY, "fq", "fq_codel",
	    "BBR is paced by fq; not required since Linux 4.13");
	fixture_command(f, ROLE_PROXY, true, "sudo modprobe tcp_bbr", "BBR is a module");
	fixture_command(f, ROLE_PROXY, true, "sudo tc qdisc replace dev eth0 root fq",
	    "default_qdisc does not change interfaces that are up");
	fixture_command(f, ROLE_PROXY, false,
	    "iperf3 -c 192.0.2.10 | bdp -o sysctl --role proxy | ssh 192.0.2.10 sudo sysctl -p -",
	    "To set them there");
	fixture_command(f, ROLE_UNKNOWN, false, "bdp compare before=a.json after=b.json",
	    "Measure again and compare");
	fixture_not_advised(f, "net.core.rmem_max",
	    "caps what a program asks for with SO_RCVBUF; autotuning ignores it");
	fixture_not_advised(f, "net.ipv4.tcp_mem",
	    "as the kernel set it for this RAM; it is the bound of all sockets together");
}

/* Story A: a proxy held by its tcp_rmem ceiling, everything known of it. 10,000 connections. */
static void fixture_proxy(struct fixture *f)
{
	fixture_begin(f);
	fixture_input(f, fixture_text_input, INPUT_IPERF_TEXT, "client, 1 run");
	fixture_input(f, fixture_dump_input, INPUT_SYSCTL, "");
	fixture_proxy_path(f);
	fixture_proxy_plan(f);
	f->memory = (struct exposure){.has_limits = true,
	    .page_size = 4096,
	    .low_bytes = 744.0 * 1048576,
	    .pressure_bytes = 992.0 * 1048576,
	    .high_bytes = 1488.0 * 1048576,
	    .has_ram = true,
	    .ram_bytes = 16.0 * 1073741824,
	    .connections = 10000,
	    .active = 10000,
	    .idle_bytes = 10000.0 * 4096,
	    .per_connection_bytes = 20.0 * 1048576,
	    .likely_bytes = 200000.0 * 1048576,
	    .worst_bytes = 400000.0 * 1048576,
	    .has_pressure_at = true,
	    .pressure_at_connections = 49.6,
	    .bounded_before_ram = true};
	f->rfc6349.has_efficiency = true;
	f->rfc6349.tcp_efficiency = 0.999997;
	f->rfc6349.has_transfer_time = true;
	f->rfc6349.transfer_time_ratio = 4.75;
	finding_add(&f->findings, FINDING_WINDOW_SCALE_FIXED, 0, as_size(8388480), as_number(7),
	    as_size(20971520));
	finding_add(&f->findings, FINDING_QUEUEING_DELAY, QUEUE_IN_FLIGHT, as_time(98000),
	    as_time(52000), as_time(46000), as_size(4194304), as_percent(0.47));
}

/* 941 Mbit/s of a gigabit link, RTT 400 us by tcp_info, no loss. */
static void fixture_clean(struct fixture *f)
{
	static const double mbits[] = {941, 941, 941, 941, 941};
	struct path *path;

	fixture_begin(f);
	fixture_input(f, fixture_text_input, INPUT_IPERF_JSON, "3.12 client, 1 run");
	fixture_run(f, "10.0.0.1", "10.0.0.2", mbits, 5, 400000);
	path = &f->analyses[0].path;
	path->rate.known = path->rate.mean_known = path->loss.known = path->loss.counted = true;
	path->cwnd.known = path->target.known = path->bdp.known = path->steady.known = true;
	path->mss_is_measured = true;
	path->rate.bps = path->rate.stream_bps = path->rate.mean_bps = path->target.bps = 941e6;
	path->rtt = (struct rtt){RTT_TCP_INFO, 400, 400, 400};
	path->bdp.bytes = path->bdp.stream_bytes = 47050;
	path->cwnd.bytes = 400000;
	path->steady.count = 5;
	snprintf(path->congestion_control, sizeof(path->congestion_control), "cubic");
	fixture_limit(&f->analyses[0], FACTOR_LINK, WHERE_PATH, CONFIDENCE_HIGH);
	fixture_evidence(&f->analyses[0], FEATURE_ETHERNET_RATE, 941e6, 1e9);
}

/* bdp -b 703M -w 4.36M: 4571791 bytes x 8 / 703e6 = 52.03 ms. */
static void fixture_rtt_of_numbers(struct fixture *f)
{
	struct path *path;

	fixture_begin(f);
	f->report.analysis_count = 1;
	path = &f->analyses[0].path;
	path->rate.known = path->target.known = path->bdp.known = true;
	path->streams = 1;
	path->mss = 1448;
	path->rate.bps = path->rate.stream_bps = path->target.bps = 703e6;
	path->rtt = (struct rtt){RTT_WINDOW_RATE, 52026, 52026, 52026};
	path->window.kind = WINDOW_GIVEN;
	path->window.bytes = path->bdp.bytes = path->bdp.stream_bytes = 4571791;
}

/* bdp -b 3.34G -r 52ms: 3.34e9 / 8 x 0.052 = 21,710,000 bytes. */
static void fixture_bdp_of_numbers(struct fixture *f)
{
	struct path *path;

	fixture_rtt_of_numbers(f);
	path = &f->analyses[0].path;
	path->rate.bps = path->rate.stream_bps = path->target.bps = 3.34e9;
	path->rtt = (struct rtt){RTT_GIVEN, 52000, 52000, 52000};
	path->window.kind = WINDOW_UNKNOWN;
	path->bdp.bytes = path->bdp.stream_bytes = 21710000;
}

/* iperf3 -R in text: the client receives, and knows neither cwnd nor RTT nor retransmits. */
static void fixture_receiving(struct fixture *f)
{
	static const double mbits[] = {60, 95, 95, 95};
	struct analysis *analysis;
	struct run *run;

	fixture_begin(f);
	fixture_input(f, fixture_text_input, INPUT_IPERF_TEXT, "3.12 client, 1 run");
	run = fixture_run(f, "", "", mbits, 4, 0);
	run->local_sends = false;
	run->reverse = true;
	analysis = &f->analyses[0];
	struct path *path = &analysis->path;
	path->rate.known = path->target.known = path->steady.known = true;
	analysis->path.rate.bps = analysis->path.target.bps = 95e6;
	analysis->path.steady.first = 1;
	analysis->path.steady.count = 3;
	fixture_limit(analysis, FACTOR_UNKNOWN, WHERE_NONE, CONFIDENCE_LOW);
	analysis->limit.candidates[0] = FACTOR_RECEIVE_WINDOW;
	analysis->limit.candidates[1] = FACTOR_SEND_BUFFER;
	analysis->limit.candidates[2] = FACTOR_LINK;
	analysis->limit.candidate_count = 3;
	analysis->limit.shares[FACTOR_RECEIVE_WINDOW] = 0.45;
	analysis->limit.shares[FACTOR_SEND_BUFFER] = 0.30;
	analysis->limit.shares[FACTOR_LINK] = 0.15;
	fixture_evidence(analysis, FEATURE_RATE_SWINGS, 0.2, 0);
	analysis->limit.decide = MEASURE_AT_SENDER;
}

/* Two hosts to set, values there unknown, hostile names, 20 runs of which the 14th is chosen. */
static void fixture_two_hosts(struct fixture *f)
{
	static const double mbits[] = {24.7, 24.7, 24.7};
	static char name[] = "a\nb\033[31m.json", other[] = "x.json";

	fixture_begin(f);
	fixture_input(f, name, INPUT_IPERF_JSON, "3.12 client, 20 runs");
	fixture_input(f, other, INPUT_PING, "");
	for (size_t i = 0; i < FIXTURE_RUNS; i++) {
		struct run *run = fixture_run(f, "2001:db8::1", "host\nrm -rf /", mbits, 3, 60000);
		struct path *path = &f->analyses[i].path;
		run->input = name;
		path->rate.known = path->loss.known = path->loss.counted = true;
		path->cwnd.known = path->loaded.known = true;
		path->streams = 4;
		path->rate.bps = 24.7e6;
		path->rate.stream_bps = 24.7e6 / 4;
		path->loss.retransmits = 1086;
		path->loss.ratio = 0.0201;
		path->cwnd.bytes = 60000;
		path->cwnd.spread = 0.34;
		path->rtt = (struct rtt){RTT_TCP_INFO, 80000, 80000, 80000};
		path->loaded.rtt_us = 84000;
		fixture_limit(&f->analyses[i], FACTOR_RANDOM_LOSS, WHERE_PATH, CONFIDENCE_MEDIUM);
	}
	f->report.chosen = 13;
	snprintf(f->plan.receiver_name, sizeof(f->plan.receiver_name), "host\nrm -rf /");
	f->plan.here = ROLE_SENDER;
	fixture_setting(f, TUNABLE_TCP_CONGESTION_CONTROL, ROLE_SENDER, "bbr", NULL,
	    "loss without a queue\nreboot");
	fixture_setting(f, TUNABLE_TCP_RMEM, ROLE_RECEIVER, "4096 131072 6291456",
	    "4096 131072 6291456", "large enough");
	fixture_command(f, ROLE_SENDER, true, "sudo tc qdisc replace dev DEV root fq", "pacing");
	fixture_command(f, ROLE_SENDER, true, "echo a\nreboot", "never to be run");
}

#endif
