/*
 * The reader of iperf3's text, against the printed rates of recorded logs (computed apart by
 * tests/corpus/expect-text.awk) and against small logs of every oddity, whose figures are
 * computed by hand from the units: 1 MByte is 1048576 bytes.
 */
#include "evidence/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COLUMNS 18

static struct runs read_text(const char *text, enum read_result *result, struct read_note *note)
{
	struct runs runs = {0};
	struct source *source = source_memory("memory", text, strlen(text));

	*result = iperf_text_read(&runs, source, note);
	source_close(source);
	return runs;
}

/* ---- recorded logs ------------------------------------------------------------------------ */

/* "-" in the table is "not told". */
static bool told(const char *field, double *value)
{
	*value = strtod(field, NULL);
	return strcmp(field, "-") != 0;
}

/* A total against a printed rate: half a digit of that, half a percent for three digits of
 * Transfer, and two decimals of time. */
static void total_check(const char *what, uint64_t bytes, double seconds, double rate, double half)
{
	double got = (double)bytes * 8 / seconds;
	double slack = half + rate * (0.005 + 0.01 / seconds);

	if (fabs(got - rate) <= slack)
		return;
	print_error("%s: %.6g bit/s, printed %.6g +- %.3g\n", what, got, rate, slack);
	fail();
}

static void series_check(const struct run *run, double rate, double tolerance)
{
	double bytes = 0, seconds = 0;

	for (size_t i = 0; i < run->series.count; i++) {
		bytes += (double)run->series.bins[i].bytes;
		seconds += run->series.bins[i].end_s - run->series.bins[i].start_s;
	}
	assert_near(bytes * 8 / seconds, rate, tolerance);
}

/* The totals of one run: its own side may be computed from intervals, the other one may not. */
static void sides_check(const struct run *run, char *const *f, double rate, double tolerance)
{
	double sent, sent_half, received, received_half;
	bool has_sent = told(f[6], &sent), has_received = told(f[8], &received);

	told(f[7], &sent_half);
	told(f[9], &received_half);
	/* what of the warm-up was still under way makes the receiver the faster one */
	if (run->protocol == PROTOCOL_TCP && run->local_sends && run->omitted_intervals > 0 &&
	    has_sent && has_received && received > sent * (1 + 2 * TEXT_ROUNDING))
		has_received = false;
	/* before 3.2 UDP tells no bytes received, but the loss */
	if (run->protocol == PROTOCOL_UDP && run->local_sends && has_sent && !has_received &&
	    (run->has & RUN_JITTER)) {
		has_received = true;
		received = sent * (1 - (double)run->lost / (double)run->packets);
		received_half = sent_half;
	}
	/* of --bidir the time of what comes in is another direction's */
	if ((run->bidir && !run->local_sends) ||
	    (run->local_sends ? !run->complete || !has_sent : !run->complete || !has_received)) {
		double local = run->local_sends
				   ? (double)run->sent_bytes / run->sent_seconds
				   : (double)run->received_bytes / run->received_seconds;
		assert_near(local * 8, rate, tolerance);
		has_sent = has_sent && !run->local_sends;
		has_received = has_received && run->local_sends;
	} else {
		assert_int_equal((run->has & RUN_SENT) != 0, has_sent);
		assert_int_equal((run->has & RUN_RECEIVED) != 0, has_received);
	}
	if (has_sent)
		total_check("sent", run->sent_bytes, run->sent_seconds, sent, sent_half);
	if (has_received)
		total_check("received", run->received_bytes, run->received_seconds, received,
		    received_half);
}

static void run_check(const struct run *run, char *const *f)
{
	double kept, rate, coarse, retransmits, lost, packets;

	assert_int_equal(run->client, strcmp(f[1], "client") == 0);
	assert_true(run->has & RUN_ROLE_KNOWN);
	assert_int_equal(run->local_sends, atoi(f[2]));
	assert_int_equal(run->bidir, atoi(f[3]));
	assert_int_equal(run->reverse, !run->bidir && run->client != run->local_sends);
	assert_int_equal(run->protocol, strcmp(f[4], "UDP") == 0 ? PROTOCOL_UDP : PROTOCOL_TCP);
	assert_int_equal(run->streams, atoi(f[5]));
	assert_int_equal(run->stream_count, atoi(f[5]));
	assert_int_equal(run->has & RUN_RETRANSMITS ? 1 : 0, told(f[10], &retransmits));
	if (run->has & RUN_RETRANSMITS)
		assert_int_equal(run->retransmits, (uint64_t)retransmits);
	assert_int_equal(run->series.count, atoi(f[11]));
	assert_int_equal(run->complete, atoi(f[17]));
	assert_true(told(f[12], &kept));
	assert_true(told(f[13], &rate));
	assert_true(told(f[14], &coarse));
	series_check(run, kept, 0.012 + coarse);
	sides_check(run, f, rate, 0.012 + coarse);
	if (told(f[15], &lost) && told(f[16], &packets)) {
		assert_true(run->has & RUN_JITTER);
		assert_int_equal(run->lost, (uint64_t)lost);
		assert_int_equal(run->packets, (uint64_t)packets);
	}
}

static size_t fields_split(char *line, char **fields)
{
	size_t count = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *field; count < COLUMNS && (field = strsep(&line, "\t"));)
		fields[count++] = field;
	return count;
}

static struct runs read_file(const char *name)
{
	struct runs runs = {0};
	struct read_note note = {""};
	char path[300];

	snprintf(path, sizeof(path), "tests/corpus/%s", name);
	struct source *source = source_open(path);
	assert_non_null(source);
	assert_int_not_equal(iperf_text_read(&runs, source, &note), READ_NOTHING);
	source_close(source);
	return runs;
}

static void recorded_logs(void **state)
{
	FILE *table = fopen("tests/corpus/expect-text.tsv", "r");
	char line[1000], name[200] = "", *fields[COLUMNS];
	struct runs runs = {0};
	size_t at = 0, files = 0;

	(void)state;
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		assert_int_equal(fields_split(line, fields), COLUMNS);
		if (strcmp(name, fields[0]) != 0) {
			assert_int_equal(at, runs.count);
			runs_free(&runs);
			snprintf(name, sizeof(name), "%s", fields[0]);
			runs = read_file(name);
			at = 0;
			files++;
		}
		print_message("%s, run %zu\n", name, at);
		assert_true(at < runs.count);
		run_check(&runs.items[at++], fields);
	}
	assert_int_equal(at, runs.count);
	runs_free(&runs);
	fclose(table);
	assert_true(files > 200);
}

/* ---- small logs ---------------------------------------------------------------------------- */

static size_t describe_figures(char *out, size_t size, const struct run *run)
{
	int n = 0;

#define ADD(...) n += snprintf(out + n, size - (size_t)n, __VA_ARGS__)
	if (run->has & RUN_SENT)
		ADD(" sent=%ju/%.2f", (uintmax_t)run->sent_bytes, run->sent_seconds);
	if (run->has & RUN_RECEIVED)
		ADD(" received=%ju/%.2f", (uintmax_t)run->received_bytes, run->received_seconds);
	if (run->has & RUN_RETRANSMITS)
		ADD(" retr=%ju", (uintmax_t)run->retransmits);
	if (run->has & RUN_JITTER)
		ADD(" jitter=%.3f lost=%ju/%ju", run->jitter_ms, (uintmax_t)run->lost,
		    (uintmax_t)run->packets);
	if (run->has & RUN_MSS)
		ADD(" mss=%u", run->mss);
	if (run->has & RUN_SENDER_CPU)
		ADD(" scpu=%.1f", run->sender_cpu_percent);
	if (run->has & RUN_RECEIVER_CPU)
		ADD(" rcpu=%.1f", run->receiver_cpu_percent);
	if (run->has & RUN_SOCKET_BUFFER)
		ADD(" w=%ju", (uintmax_t)run->socket_buffer_bytes);
	if (run->has & RUN_TARGET_RATE)
		ADD(" b=%.0f", run->target_rate_bps);
	if (run->has & RUN_DURATION)
		ADD(" t=%g", run->duration_s);
	if (run->has & RUN_OMIT)
		ADD(" O=%g", run->omit_s);
	if (run->sender_cc[0] || run->receiver_cc[0])
		ADD(" cc=%s/%s", run->sender_cc, run->receiver_cc);
	if (run->version[0])
		ADD(" v=%s", run->version);
	if (run->system_info[0])
		ADD(" system=\"%s\"", run->system_info);
	if (run->title[0])
		ADD(" title=\"%s\"", run->title);
	if (run->error[0])
		ADD(" error=\"%s\"", run->error);
	if (run->sender[0] || run->receiver[0])
		ADD(" %s>%s", run->sender, run->receiver);
	if (run->complete)
		ADD(" complete");
	return (size_t)n;
}

/* Everything that a run says, in words: one line each. */
static void describe_runs(const struct runs *runs, char *out, size_t size)
{
	static const char *const protocols[] = {"tcp", "udp", "sctp"};
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];
		n += (size_t)snprintf(out + n, size - n, "%u %s %s%s %s%s%s P%u", run->test,
		    protocols[run->protocol], run->client ? "client" : "server",
		    run->has & RUN_ROLE_KNOWN ? "" : "?", run->local_sends ? "sends" : "receives",
		    run->reverse ? " reverse" : "", run->bidir ? " bidir" : "", run->streams);
		n += (size_t)snprintf(out + n, size - n, " bins=%zu", run->series.count);
		if (run->omitted_intervals)
			n += (size_t)snprintf(
			    out + n, size - n, " omitted=%u", run->omitted_intervals);
		n += describe_figures(out + n, size - n, run);
		n += (size_t)snprintf(out + n, size - n, "\n");
	}
}

/* Figures used below. 10.0 MBytes in 1 s is 83.9 Mbit/s. */
#define MIB "1048576"
#define HEAD "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
#define HEAD_PLAIN "[ ID] Interval           Transfer     Bitrate\n"
#define HEAD_SUM "[ ID] Interval           Transfer     Bitrate         Retr\n"
#define HEAD_UDP "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n"
#define HEAD_JITTER \
	"[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
#define RULE "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
#define CLIENT \
	"Connecting to host lb.example, port 5201\n" \
	"[  5] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201\n"
#define SERVER \
	"-----------------------------------------------------------\n" \
	"Server listening on 5201 (test #1)\n" \
	"-----------------------------------------------------------\n" \
	"Accepted connection from 192.0.2.1, port 39998\n" \
	"[  5] local 198.51.100.7 port 5201 connected to 192.0.2.1 port 40000\n"
#define ROW1 "[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3    512 KBytes       \n"
#define ROW2 "[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec    4    600 KBytes       \n"
#define PLAIN1 "[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec                  \n"
#define PLAIN2 "[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec                  \n"
#define SENT "[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec    7             sender\n"
#define RECEIVED "[  5]   0.00-2.05   sec  21.0 MBytes  85.9 Mbits/sec                  receiver\n"
#define DONE "\niperf Done.\n"
#define ADDRESSES " 192.0.2.1>198.51.100.7"
#define B22 "23068672" /* 22 x 1048576 */
#define B21 "22020096" /* 21 x 1048576 */
#define WHOLE "sends P1 bins=2 sent=" B22 "/2.00 received=" B21 "/2.05 retr=7"

struct text_case {
	const char *name, *input, *expected;
};

static void cases_check(const struct text_case *cases, size_t count)
{
	char got[4000];

	for (size_t i = 0; i < count; i++) {
		enum read_result result;
		struct read_note note;
		print_message("%s\n", cases[i].name);
		struct runs runs = read_text(cases[i].input, &result, &note);
		describe_runs(&runs, got, sizeof(got));
		assert_string_equal(got, cases[i].expected);
		runs_free(&runs);
	}
}

#define CASES_CHECK(cases) cases_check((cases), sizeof(cases) / sizeof((cases)[0]))

static void ends_and_directions(void **state)
{
	static const struct text_case cases[] = {
	    {"client", CLIENT HEAD ROW1 ROW2 RULE HEAD_SUM SENT RECEIVED DONE,
		"0 tcp client " WHOLE ADDRESSES " complete\n"},
	    {"client that does not show retransmits",
		CLIENT HEAD_PLAIN PLAIN1 PLAIN2 RULE HEAD_PLAIN
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec                  sender\n" RECEIVED
		    DONE,
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 received=" B21 "/2.05" ADDRESSES
		" complete\n"},
	    {"client, reverse",
		"Connecting to host lb.example, port 5201\n"
		"Reverse mode, remote host lb.example is sending\n"
		"[  5] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201\n" HEAD_PLAIN
		    PLAIN1 PLAIN2 RULE HEAD_SUM
		"[  5]   0.00-2.05   sec  23.0 MBytes  94.1 Mbits/sec    7             sender\n"
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec                  receiver\n" DONE,
		"0 tcp client receives reverse P1 bins=2 sent=24117248/2.05 received=" B22
		"/2.00 retr=7 198.51.100.7>192.0.2.1 complete\n"},
	    {"server, its own side only (3.2 and later)",
		SERVER HEAD_PLAIN PLAIN1 PLAIN2 RULE HEAD_PLAIN
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec                  receiver\n",
		"0 tcp server receives P1 bins=2 received=" B22 "/2.00" ADDRESSES " complete\n"},
	    {"server, 0.00 is unknown (3.1)",
		SERVER HEAD_PLAIN PLAIN1 PLAIN2 RULE HEAD_PLAIN
		"[  5]   0.00-2.00   sec  0.00 Bytes  0.00 bits/sec                  sender\n"
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec                  receiver\n",
		"0 tcp server receives P1 bins=2 received=" B22 "/2.00" ADDRESSES " complete\n"},
	    {"server, reverse", SERVER HEAD ROW1 ROW2 RULE HEAD_SUM SENT,
		"0 tcp server sends reverse P1 bins=2 sent=" B22
		"/2.00 retr=7 198.51.100.7>192.0.2.1 complete\n"},
	    {"IPv4 inside IPv6 (3.0)",
		"Accepted connection from ::ffff:192.0.2.1, port 39998\n"
		"[  5] local ::ffff:198.51.100.7 port 5201 connected to ::ffff:192.0.2.1 port 40000\n" HEAD_PLAIN
		    PLAIN1,
		"0 tcp server receives P1 bins=1 received=10485760/1.00" ADDRESSES "\n"},
	    {"addresses taken out", "[  5] local port 42010 connected to port 5201\n" HEAD ROW1,
		"0 tcp client? sends P1 bins=1 sent=10485760/1.00 retr=3\n"},
	    {"no end told: a sender shows its window", HEAD ROW1 ROW2,
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"},
	    {"no end told: plain rows are a receiver's", PLAIN1 PLAIN2,
		"0 tcp client? receives P1 bins=2 received=" B22 "/2.00\n"},
	    {"no end told, but the summary is",
		HEAD_PLAIN PLAIN1 PLAIN2 RULE HEAD_PLAIN
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec                  sender\n"
		"[  5]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec                  receiver\n",
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 received=2097152/2.00 complete\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void both_directions(void **state)
{
	static const struct text_case cases[] = {
	    {"client, --bidir",
		CLIENT
		"[  7] local 192.0.2.1 port 40002 connected to 198.51.100.7 port 5201\n"
		"[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd\n"
		"[  5][TX-C]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    2    512 KBytes\n"
		"[  7][RX-C]   0.00-1.00   sec  20.0 MBytes   168 Mbits/sec                  \n"
		"[  5][TX-C]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec    0    512 KBytes\n"
		"[  7][RX-C]   1.00-2.00   sec  20.0 MBytes   168 Mbits/sec                  \n" RULE
		"[ ID][Role] Interval           Transfer     Bitrate         Retr\n"
		"[  5][TX-C]   0.00-2.00   sec  20.0 MBytes  83.9 Mbits/sec    2             sender\n"
		"[  5][TX-C]   0.00-2.02   sec  19.0 MBytes  78.9 Mbits/sec                  receiver\n"
		"[  7][RX-C]   0.00-2.00   sec  41.0 MBytes   172 Mbits/sec    9             sender\n"
		"[  7][RX-C]   0.00-2.02   sec  40.0 MBytes   166 Mbits/sec                  receiver\n" DONE,
		"0 tcp client sends bidir P1 bins=2 sent=20971520/2.00 received=19922944/2.02 retr=2" ADDRESSES
		" complete\n"
		"0 tcp client receives bidir P1 bins=2 sent=42991616/2.00 received=41943040/2.00 "
		"retr=9 198.51.100.7>192.0.2.1 complete\n"},
	    {"wrapped by a mailer, twice in one text",
		"First:\n\n"
		"[ ID][Role] Interval           Transfer     Bitrate         Retr\n"
		"[  5][TX-C]   0.00-2.00   sec  20.0 MBytes  83.9 Mbits/sec   12 \n"
		"    sender\n"
		"[  5][TX-C]   0.00-2.00   sec  19.0 MBytes  79.7 Mbits/sec \n"
		"    receiver\n\n"
		"Then:\n\n"
		"[ ID][Role] Interval           Transfer     Bitrate         Retr\n"
		"[  5][TX-C]   0.00-2.00   sec  10.0 MBytes  41.9 Mbits/sec    1 \n"
		"    sender\n"
		"[  5][TX-C]   0.00-2.00   sec  9.00 MBytes  37.7 Mbits/sec \n"
		"    receiver\n",
		"0 tcp client sends bidir P1 bins=0 sent=20971520/2.00 received=19922944/2.00 retr=12 "
		"complete\n"
		"1 tcp client sends bidir P1 bins=0 sent=10485760/2.00 received=9437184/2.00 retr=1 "
		"complete\n"},
	    {"client and server of one bidir test, one after the other",
		"[  5][TX-C]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    2    512 KBytes\n"
		"[  5][RX-S]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec\n",
		"0 tcp client sends bidir P1 bins=1 sent=10485760/1.00 retr=2\n"
		"1 tcp server receives bidir P1 bins=1 received=9437184/1.00\n"},
	    {"--get-server-output",
		CLIENT HEAD ROW1 ROW2 RULE HEAD_SUM SENT RECEIVED
		"\nServer output:\n"
		"Accepted connection from 192.0.2.1, port 39998\n"
		"[  5] local 198.51.100.7 port 5201 connected to 192.0.2.1 port 40000\n" HEAD_PLAIN
		"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec\n"
		"[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec\n"
		"[  5]   2.00-2.05   sec   512 KBytes  83.9 Mbits/sec\n" RULE HEAD_PLAIN
		"[  5]   0.00-2.05   sec  21.5 MBytes  88.0 Mbits/sec                  receiver\n\n" DONE,
		"0 tcp client " WHOLE ADDRESSES " complete\n"
		"0 tcp server receives P1 bins=2 received=22544384/2.05" ADDRESSES " complete\n"},
	    {"--get-server-output of a server with -J: skipped",
		CLIENT HEAD ROW1 ROW2 RULE HEAD_SUM SENT RECEIVED
		"\nServer JSON output:\n{\n\t\"start\":\t{\n"
		"\t\t\"text\": \"[  9]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec\"\n\t}\n}\n\n" DONE
		    CLIENT HEAD ROW1,
		"0 tcp client " WHOLE ADDRESSES " complete\n"
		"1 tcp client sends P1 bins=1 sent=10485760/1.00 retr=3" ADDRESSES "\n"},
	    {"--get-server-output with a title, which the server's lines lack",
		"up:  Connecting to host lb.example, port 5201\n"
		"up:  " HEAD "up:  " ROW1 "up:  " RULE "up:  " HEAD_SUM
		"up:  [  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3             sender\n"
		"up:  [  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec                  receiver\n"
		"up:  \nServer output:\nAccepted connection from 192.0.2.1, port 39998\n" HEAD_PLAIN
		"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec\n"
		"up:  \nup:  iperf Done.\n",
		"0 tcp client sends P1 bins=1 sent=10485760/1.00 received=10485760/1.00 retr=3 "
		"title=\"up\" >lb.example complete\n"
		"0 tcp server receives P1 bins=1 received=9437184/1.00 title=\"up\" 192.0.2.1>\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void several_streams(void **state)
{
	static const struct text_case cases[] = {
	    {"streams count, not their sum",
		"Connecting to host lb.example, port 5201\n" HEAD
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[  7]   0.00-1.01   sec  20.0 MBytes   167 Mbits/sec    2    200 KBytes\n"
		"[SUM]   0.00-1.00   sec  30.0 MBytes   252 Mbits/sec    3\n" RULE
		"[  5]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec    0    100 KBytes\n"
		"[  7]   1.01-2.00   sec  20.0 MBytes   169 Mbits/sec    0    200 KBytes\n"
		"[SUM]   1.00-2.00   sec  30.0 MBytes   252 Mbits/sec    0\n" RULE HEAD_SUM
		"[  5]   0.00-2.00   sec  20.0 MBytes  83.9 Mbits/sec    1             sender\n"
		"[  5]   0.00-2.05   sec  19.0 MBytes  77.7 Mbits/sec                  receiver\n"
		"[  7]   0.00-2.00   sec  40.0 MBytes   168 Mbits/sec    2             sender\n"
		"[  7]   0.00-2.05   sec  39.0 MBytes   160 Mbits/sec                  receiver\n"
		"[SUM]   0.00-2.00   sec  60.0 MBytes   252 Mbits/sec    3             sender\n"
		"[SUM]   0.00-2.05   sec  58.0 MBytes   237 Mbits/sec                  receiver\n" DONE,
		"0 tcp client sends P2 bins=2 sent=62914560/2.00 received=60817408/2.05 retr=3 "
		">lb.example complete\n"},
	    {"only the SUM rows kept",
		HEAD
		"[SUM]   0.00-1.00   sec  30.0 MBytes   252 Mbits/sec    3\n"
		"[SUM]   1.00-2.00   sec  30.0 MBytes   252 Mbits/sec    2\n" HEAD_SUM
		"[SUM]   0.00-2.00   sec  60.0 MBytes   252 Mbits/sec    5             sender\n"
		"[SUM]   0.00-2.05   sec  58.0 MBytes   237 Mbits/sec                  receiver\n",
		"0 tcp client? sends P1 bins=2 sent=62914560/2.00 received=60817408/2.05 retr=5 "
		"complete\n"},
	    {"no SUM rows in the summary: streams add up",
		HEAD_SUM
		"[  5]   0.00-2.00   sec  20.0 MBytes  83.9 Mbits/sec    1             sender\n"
		"[  7]   0.00-2.00   sec  40.0 MBytes   168 Mbits/sec    2             sender\n",
		"0 tcp client? sends P2 bins=0 sent=62914560/2.00 retr=3 complete\n"},
	    {"only the last lines, and the command that tells the streams",
		"iperf3 -c lb.example -P 16 -w 416k -t 30\n\nIt ends so:\n"
		"[SUM]   0.00-2.00   sec  60.0 MBytes   252 Mbits/sec    5             sender\n"
		"[SUM]   0.00-2.05   sec  58.0 MBytes   237 Mbits/sec                  receiver\n",
		"0 tcp client sends P16 bins=0 sent=62914560/2.00 received=60817408/2.05 retr=5 "
		"w=425984 t=30 complete\n"},
	    {"a log that begins and ends inside an interval: those lack streams and do not count",
		"[  7]   0.00-1.00   sec  20.0 MBytes   168 Mbits/sec    2    200 KBytes\n"
		"[  5]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec    0    100 KBytes\n"
		"[  7]   1.00-2.00   sec  20.0 MBytes   168 Mbits/sec    0    200 KBytes\n"
		"[  5]   2.00-3.00   sec  10.0 MBytes  83.9 Mbits/sec    0    100 KBytes\n",
		"0 tcp client? sends P2 bins=1 sent=31457280/1.00 retr=0\n"},
	    {"what two streams are missing is in the SUM row",
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[SUM]   0.00-1.00   sec  30.0 MBytes   252 Mbits/sec    3\n",
		"0 tcp client? sends P1 bins=1 sent=31457280/1.00 retr=3\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void omitted_rows(void **state)
{
	static const struct text_case cases[] = {
	    {"the clock starts anew",
		CLIENT HEAD
		"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec   50    100 KBytes       (omitted)\n"
		"[  5]   1.00-2.00   sec  2.00 MBytes  16.8 Mbits/sec   60    100 KBytes       (omitted)\n" ROW1
		    ROW2 RULE HEAD_SUM SENT RECEIVED DONE,
		"0 tcp client sends P1 bins=2 omitted=2 sent=" B22 "/2.00 received=" B21
		"/2.05 retr=7 O=2" ADDRESSES " complete\n"},
	    {"an interval like the one omitted is not that one printed twice",
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3    512 KBytes       (omitted)\n" ROW1
		    ROW2,
		"0 tcp client? sends P1 bins=2 omitted=1 sent=" B22 "/2.00 retr=7 O=1\n"},
	    {"3.18: the first counted interval begins late, and times are absolute differences",
		"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0    100 KBytes       (omitted)\n"
		"[  5]   0.06-0.95   sec  10.0 MBytes  94.3 Mbits/sec    3    512 KBytes\n"
		"[  5]   0.95-1.95   sec  12.0 MBytes   101 Mbits/sec    4    600 KBytes\n",
		"0 tcp client? sends P1 bins=2 omitted=1 sent=" B22 "/1.89 retr=7 O=1\n"},
	    {"the flag of SUM differs at the border",
		"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0    100 KBytes       (omitted)\n"
		"[  7]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0    100 KBytes       (omitted)\n"
		"[SUM]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec    0             (omitted)\n"
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[  7]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[SUM]   0.00-1.00   sec  20.0 MBytes   168 Mbits/sec    2             (omitted)\n"
		"[  5]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[  7]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[SUM]   1.00-2.00   sec  20.0 MBytes   168 Mbits/sec    2\n",
		"0 tcp client? sends P2 bins=2 omitted=1 sent=41943040/2.00 retr=4 O=1\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void surroundings(void **state)
{
	static const struct text_case cases[] = {
	    {"CRLF, quoted",
		"> > Connecting to host lb.example, port 5201\r\n> > " HEAD
		"> > [  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3    512 KBytes       \r\n"
		"> > [  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3             sender\r\n",
		"0 tcp client sends P1 bins=1 sent=10485760/1.00 retr=3 >lb.example\n"},
	    {"blanks collapsed, Markdown's rule, brackets escaped",
		"[ ID] Interval Transfer Bitrate Retr Cwnd\n"
		"\\[ 5\\] 0.00-1.00 sec 10.0 MBytes 83.9 Mbits/sec 3 512 KBytes\n"
		"[[ 5] 1.00-2.00 sec 12.0 MBytes 101 Mbits/sec 4 600 KBytes\n\n---\n\n"
		"[ ID] Interval Transfer Bitrate Retr\n"
		"[ 5] 0.00-2.00 sec 22.0 MBytes 92.3 Mbits/sec 7 sender\n"
		"[ 5] 0.00-2.05 sec 21.0 MBytes 85.9 Mbits/sec receiver <- why less?\n",
		"0 tcp client? " WHOLE " complete\n"},
	    {"colours, no-break spaces, an en dash, tabs",
		"\t" HEAD
		"\033[1m[  5]\033[0m   0.00-1.00   sec  10.0 MBytes  \033[32m83.9 Mbits/sec\033[0m    3    512 KBytes\n"
		"[\302\240 5]   1.00\342\200\2232.00   sec\t12.0\302\240MBytes   101 Mbits/sec    4    600 KBytes\n",
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"},
	    {"^C before a row, a title with a time stamp, a row wrapped in its middle",
		"Mon Nov  3 15:10:31 2026 up:  Connecting to host lb.example, port 5201\n"
		"Mon Nov  3 15:10:32 2026 up:  " ROW1
		"^CMon Nov  3 15:10:33 2026 up:  [  5]   1.00-2.00   sec  12.0 MBytes   101\n"
		"Mbits/sec    4    600 KBytes\n",
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 retr=7 title=\"up\" >lb.example\n"},
	    {"^C right before a bracket", "" ROW1 "^C" ROW2,
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"},
	    {"time stamps of one's own",
		"1796051381 " ROW1 "2026-11-30T15:09:42+0000 " ROW2 "15:09:43: " ROW2,
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"},
	    {"titles interleaved, one of them a number",
		"up:  Connecting to host a.example, port 5201\n2:  Connecting to host b.example, port 5202\n"
		"up:  " HEAD "2:  " HEAD "up:  " ROW1 "2:  " ROW1 "2:  " ROW2 "up:  " ROW2
		"2:  iperf Done.\nup:  iperf Done.\n",
		"1 tcp client sends P1 bins=2 sent=" B22 "/2.00 retr=7 title=\"2\" >b.example\n"
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 retr=7 title=\"up\" >a.example\n"},
	    {"docker compose",
		"client-1  | Connecting to host lb.example, port 5201\nclient-1  | " ROW1
		"server-1  | Accepted connection from 192.0.2.1, port 39998\nserver-1  | " PLAIN1
		"client-1  | " ROW2 "server-1  | " PLAIN2,
		"0 tcp client sends P1 bins=2 sent=" B22
		"/2.00 retr=7 title=\"client-1\" >lb.example\n"
		"1 tcp server receives P1 bins=2 received=" B22
		"/2.00 title=\"server-1\" 192.0.2.1>\n"},
	    {"only the receiver's lines, of two tests",
		RECEIVED
		"[  5]   0.00-2.05   sec  10.0 MBytes  40.9 Mbits/sec                  receiver\n",
		"0 tcp client? sends P1 bins=0 received=" B21 "/2.05 complete\n"
		"1 tcp client? sends P1 bins=0 received=10485760/2.05 complete\n"},
	    {"rows without a header, then the same again: two tests",
		ROW1 ROW2 "again:\n" ROW1 ROW2,
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"
		"1 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7\n"},
	    {"a header between them", HEAD ROW1 HEAD ROW1,
		"0 tcp client? sends P1 bins=1 sent=10485760/1.00 retr=3\n"
		"1 tcp client? sends P1 bins=1 sent=10485760/1.00 retr=3\n"},
	    {"a summary row without header and tag",
		ROW1 ROW2 "[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec    7\n",
		"0 tcp client? sends P1 bins=2 sent=" B22 "/2.00 retr=7 complete\n"},
	    {"server of several tests, the last one without rows",
		SERVER HEAD_PLAIN PLAIN1 HEAD_PLAIN
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec                  receiver\n" SERVER
		    HEAD ROW1 HEAD_SUM
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    3             sender\n"
		"-----------------------------------------------------------\n"
		"Server listening on 5201 (test #3)\n",
		"0 tcp server receives P1 bins=1 received=10485760/1.00" ADDRESSES " complete\n"
		"1 tcp server sends reverse P1 bins=1 sent=10485760/1.00 retr=3 198.51.100.7>192.0.2.1 "
		"complete\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void ended_early(void **state)
{
	static const struct text_case cases[] = {
	    {"no summary", CLIENT HEAD ROW1 ROW2,
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 retr=7" ADDRESSES "\n"},
	    {"client interrupted",
		CLIENT HEAD ROW1 ROW2 HEAD_SUM SENT
		"[  5]   0.00-2.00   sec  0.00 Bytes  0.00 bits/sec                  receiver\n"
		"iperf3: interrupt - the client has terminated by signal Interrupt(2)\n",
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 retr=7 "
		"error=\"interrupt - the client has terminated by signal Interrupt(2)\"" ADDRESSES
		"\n"},
	    {"server of an interrupted client: the last row twice, and more bytes than its time",
		SERVER HEAD_PLAIN PLAIN1 PLAIN2 PLAIN2 RULE HEAD_PLAIN
		"[  5]   0.00-2.00   sec  28.0 MBytes   117 Mbits/sec                  receiver\n",
		"0 tcp server receives P1 bins=2 received=" B22 "/2.00" ADDRESSES "\n"},
	    {"the same with streams",
		HEAD_PLAIN "[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec\n"
			   "[  7]   0.00-1.00   sec  11.0 MBytes  92.3 Mbits/sec\n"
			   "[SUM]   0.00-1.00   sec  21.0 MBytes   176 Mbits/sec\n"
			   "[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec\n"
			   "[  7]   0.00-1.00   sec  11.0 MBytes  92.3 Mbits/sec\n"
			   "[SUM]   0.00-1.00   sec  21.0 MBytes   176 Mbits/sec\n"
			   "iperf3: the client has terminated\n",
		"0 tcp server receives P2 bins=1 received=" B21 "/1.00 "
		"error=\"the client has terminated\"\n"},
	    {"server lost; what it says second does not matter",
		CLIENT HEAD ROW1
		"iperf3: error - unable to write to stream socket: Connection reset by peer\n"
		"iperf3: interrupt - the client has terminated\n",
		"0 tcp client sends P1 bins=1 sent=10485760/1.00 retr=3 "
		"error=\"unable to write to stream socket: Connection reset by peer\"" ADDRESSES
		"\n"},
	    {"stderr in the same file comes first",
		"iperf3: error - control socket has closed unexpectedly\n" CLIENT HEAD ROW1,
		"0 tcp client sends P1 bins=1 sent=10485760/1.00 retr=3 "
		"error=\"control socket has closed unexpectedly\"" ADDRESSES "\n"},
	    {"a first try that failed is not the second one's error",
		"iperf3: error - unable to connect to server: Connection refused\n" CLIENT HEAD ROW1
		    ROW2 HEAD_SUM SENT RECEIVED DONE,
		"0 tcp client " WHOLE ADDRESSES " complete\n"},
	    {"not every message is an end",
		CLIENT HEAD ROW1
		"iperf3: getsockopt - Protocol not available\n"
		"iperf3: OUT OF ORDER - incoming packet = 3\n" ROW2 HEAD_SUM SENT RECEIVED DONE,
		"0 tcp client " WHOLE ADDRESSES " complete\n"},
	    {"the receiver drains a queue long after the end: both times are kept",
		CLIENT HEAD ROW1 ROW2 HEAD_SUM SENT
		"[  5]   0.00-39.51  sec  22.0 MBytes  4.67 Mbits/sec                  receiver\n" DONE,
		"0 tcp client sends P1 bins=2 sent=" B22 "/2.00 received=" B22
		"/39.51 retr=7" ADDRESSES " complete\n"},
	    {"a file cut inside a row", HEAD ROW1 "[  5]   1.00-2.00   sec  12.0 MBy",
		"0 tcp client? sends P1 bins=1 sent=10485760/1.00 retr=3\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void datagrams(void **state)
{
	static const struct text_case cases[] = {
	    {"client (3.2 and later)",
		CLIENT HEAD_UDP
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242  \n"
		"[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec  8690  \n" RULE HEAD_JITTER
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec  0.000 ms  0/15932 (0%)  sender\n"
		"[  5]   0.00-2.05   sec  21.0 MBytes  85.9 Mbits/sec  0.521 ms  797/15932 (5%)  receiver\n" DONE,
		"0 udp client sends P1 bins=2 sent=" B22 "/2.00 received=" B21
		"/2.05 jitter=0.521 lost=797/15932" ADDRESSES " complete\n"},
	    {"client before 3.2: one row without a tag",
		CLIENT HEAD_UDP
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242  \n"
		"[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec  8690  \n" RULE HEAD_JITTER
		"[  5]   0.00-2.00   sec  22.0 MBytes  92.3 Mbits/sec  0.521 ms  797/15932 (5%)  \n"
		"[  5] Sent 15932 datagrams\n" DONE,
		"0 udp client sends P1 bins=2 sent=" B22
		"/2.00 received=21914660/2.00 jitter=0.521 lost=797/15932" ADDRESSES " complete\n"},
	    {"server of 3.1: 0.00 Bytes in all; nan; all lost is 1e+02; none received in the tail",
		SERVER HEAD_JITTER
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  0.521 ms  0/7242 (0%)  \n"
		"[  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec  0.521 ms  8690/8690 (1e+02%)  \n"
		"[  5]   2.00-2.05   sec  0.00 Bytes  0.00 bits/sec  0.521 ms  0/0 (-nan%)  \n" RULE
		    HEAD_JITTER
		"[  5]   0.00-2.05   sec  0.00 Bytes  0.00 bits/sec  0.521 ms  8690/15932 (55%)  \n",
		"0 udp server receives P1 bins=2 received=10485760/2.05 jitter=0.521 lost=8690/15932" ADDRESSES
		" complete\n"},
	    {"no summary: losses of the intervals",
		SERVER HEAD_JITTER
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  0.300 ms  5/7242 (0.069%)  \n"
		"[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec  0.400 ms  -3/8690 (0%)  \n",
		"0 udp server receives P1 bins=2 received=" B22
		"/2.00 jitter=0.400 lost=2/15932" ADDRESSES "\n"},
	    {"loss unknown (3.14 and later with -O against older ones); datagrams out of order",
		CLIENT HEAD_UDP
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242  \n" HEAD_JITTER
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  0.000 ms  0/7242 (0%)  sender\n"
		"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec  0.521 ms  Unknown/7242  receiver\n"
		"[SUM]  0.0- 1.0 sec  31 datagrams received out-of-order\n" DONE,
		"0 udp client sends P1 bins=1 sent=10485760/1.00 received=9437184/1.00" ADDRESSES
		" complete\n"},
	    {"a jitter of years (3.1 against later ones) is none",
		SERVER HEAD_JITTER
		"[  5]   0.00-1.00   sec   128 KBytes  1.05 Mbits/sec  92493705422.614 ms  0/4 (0%)  \n",
		"0 udp server receives P1 bins=1 received=131072/1.00" ADDRESSES "\n"},
	    {"no header: no window, and so many that they are datagrams",
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242  \n"
		"[  5]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec  8690  \n",
		"0 udp client? receives P1 bins=2 received=" B22 "/2.00\n"},
	    {"SCTP, as -V tells; since 3.18 its rows have columns that the header lacks",
		CLIENT
		"Starting Test: protocol: SCTP, 1 streams, 65536 byte blocks, omitting 0 seconds, "
		"2 second test, tos 0\n" HEAD_PLAIN ROW1 ROW2,
		"0 sctp client sends P1 bins=2 sent=" B22 "/2.00 t=2 O=0" ADDRESSES "\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

static void facts(void **state)
{
	static const struct text_case cases[] = {
	    {"-V, client",
		"iperf 3.12\nLinux host 6.1.0 #1 SMP x86_64\nControl connection MSS 1448\n"
		"Time: Mon, 30 Nov 2026 15:10:15 GMT\nConnecting to host lb.example, port 5201\n"
		"      Cookie: qlpvs3qfixj6notxm3rjs3jiqaoids352ssb\n      TCP MSS: 1400\n"
		"      Target Bitrate: 90000000\n"
		"[  5] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201\n"
		"Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 3 seconds, 2 second "
		"test, tos 0\n" HEAD ROW1 ROW2 RULE
		"Test Complete. Summary Results:\n" HEAD_SUM SENT RECEIVED
		"CPU Utilization: local/sender 24.2% (0.3%u/23.8%s), remote/receiver 29.0% (1.2%u/27.7%s)\n"
		"snd_tcp_congestion bbr\nrcv_tcp_congestion cubic\n" DONE,
		"0 tcp client " WHOLE
		" mss=1400 scpu=24.2 rcpu=29.0 b=90000000 t=2 O=3 cc=bbr/cubic "
		"v=3.12 system=\"Linux host 6.1.0 #1 SMP x86_64\"" ADDRESSES " complete\n"},
	    {"-V, server: 0 stands for what it does not know",
		"iperf 3.12\nLinux host 6.1.0 #1 SMP x86_64\n" SERVER
		"      TCP MSS: 0 (default)\n" HEAD_PLAIN PLAIN1 HEAD_PLAIN
		"[  5] (sender statistics not available)\n"
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec                  receiver\n"
		"CPU Utilization: local/receiver 29.0% (1.2%u/27.7%s), remote/sender 0.0% (0.0%u/0.0%s)\n",
		"0 tcp server receives P1 bins=1 received=10485760/1.00 rcpu=29.0 v=3.12 "
		"system=\"Linux host 6.1.0 #1 SMP x86_64\"" ADDRESSES " complete\n"},
	    {"-V with a title, which plain printf lacks",
		"up:  iperf 3.12\nup:  Linux host 6.1.0 #1 SMP x86_64\nControl connection MSS 1448\n"
		"up:  Connecting to host lb.example, port 5201\nup:  " ROW1,
		"0 tcp client sends P1 bins=1 sent=10485760/1.00 retr=3 mss=1448 v=3.12 "
		"system=\"Linux host 6.1.0 #1 SMP x86_64\" title=\"up\" >lb.example\n"},
	    {"the command above the output",
		"user@host:~$ iperf3 -c lb.example -VRw 4M -b 50M --congestion=bbr -O2 -t 10 -i 1\n" HEAD_PLAIN
		    PLAIN1,
		"0 tcp client receives reverse P1 bins=1 received=10485760/1.00 w=4194304 b=50000000 t=10 "
		"O=2 cc=bbr/\n"},
	    {"a command ends the test before it",
		HEAD ROW1 "$ iperf3 -c lb.example --sctp\n" HEAD_PLAIN ROW2,
		"0 tcp client? sends P1 bins=1 sent=10485760/1.00 retr=3\n"
		"1 sctp client sends P1 bins=1 sent=12582912/1.00\n"},
	    {"3.0 betas: a receiver's retransmits are always 0, a sender's tell that it sends",
		"Connecting to host lb.example, port 5201\n"
		"Reverse mode, remote host lb.example is sending\n"
		"[ ID] Interval           Transfer     Bandwidth       Retransmits\n"
		"[  4]   0.00-1.07   sec  10.0 MBytes  78.4 Mbits/sec  0\n"
		"Accepted connection from 192.0.2.1, port 39998\n"
		"[ ID] Interval           Transfer     Bandwidth       Retransmits\n"
		"[  5]   0.00-2.00  sec  22.0 MBytes  92.3 Mbits/sec  26\n",
		"0 tcp client receives reverse P1 bins=1 received=10485760/1.07 lb.example>\n"
		"1 tcp server sends reverse P1 bins=1 sent=" B22 "/2.00 retr=26 >192.0.2.1\n"},
	    {"the stack does not count retransmits: -1 or -2 in 32 bits, and no window",
		"[2149] 5.00-6.00 sec 10.0 MBytes 83.9 Mbits/sec 4294967294 0.00 Bytes\n"
		"[2150] 5.00-6.00 sec 10.0 MBytes 83.9 Mbits/sec -1 0.00 Bytes\n",
		"0 tcp client? sends P2 bins=1 sent=20971520/1.00\n"},
	};

	(void)state;
	CASES_CHECK(cases);
}

/* ---- intervals ----------------------------------------------------------------------------- */

static void intervals(void **state)
{
	static const struct text_case cases[] = {
	    {"bytes of 1024, rate units do not matter",
		"[  5]   0.00-1.00   sec  1.10 GBytes  9.45 Gbits/sec    0   1.00 MBytes\n"
		"[  5]   1.00-2.00   sec  1023 KBytes  0.01 Gbits/sec    0   1023 KBytes\n"
		"[  5]   2.00-3.00   sec  50.0 MBytes  51200 KBytes/sec    0   5.34 MBytes\n"
		"[  5]   3.00-4.00   sec   999 Bytes  7992 bits/sec    0   1.41 KBytes\n"
		"[  5]   4.00-5.00   sec  0.00 Bytes  0.00 bits/sec    0   1.41 KBytes\n",
		"0.00-1.00 1181116006 r0 c1048576\n" /* 1.10 x 1024^3 */
		"1.00-2.00 1047552 r0 c1047552\n"
		"2.00-3.00 52428800 r0 c5599396\n" /* 5.34 x 1024^2 */
		"3.00-4.00 999 r0 c1444\n"
		"4.00-5.00 0 r0 c1444\n"},
	    {"before 3.3 a TiB is printed under the name of bits",
		"[  5]   0.00-90000.00 sec  1099511627776 bits  97.7 Mbits/sec    0   1.00 MBytes\n",
		"0.00-90000.00 1099511627776 r0 c1048576\n"},
	    {"streams add up; their borders are averaged",
		"[  5]   0.00-1.02   sec  10.0 MBytes  82.2 Mbits/sec    1    100 KBytes\n"
		"[  7]   0.00-1.04   sec  10.0 MBytes  80.7 Mbits/sec    2    200 KBytes\n",
		"0.00-1.03 20971520 r3 c307200\n"},
	    {"an interval without a window beside others",
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    1    100 KBytes\n"
		"[  7]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    2   -1.95 GBytes\n",
		"0.00-1.00 20971520 r3\n"},
	    {"the tail is shorter than a fifth: counted, but no interval",
		ROW1 ROW2
		"[  5]   2.00-2.19   sec  1.00 MBytes  44.2 Mbits/sec    0    600 KBytes\n",
		"0.00-1.00 10485760 r3 c524288\n1.00-2.00 12582912 r4 c614400\n"},
	    {"a longer one is one",
		ROW1 ROW2
		"[  5]   2.00-2.51   sec  5.00 MBytes  82.2 Mbits/sec    0    600 KBytes\n",
		"0.00-1.00 10485760 r3 c524288\n1.00-2.00 12582912 r4 c614400\n"
		"2.00-2.51 5242880 r0 c614400\n"},
	    {"short intervals: the rate tells their length better than two decimals",
		"[  5]   0.00-0.10   sec  1.00 MBytes  83.9 Mbits/sec    0    100 KBytes\n" /* 0.1000 */
		"[  5]   0.10-0.20   sec  1.00 MBytes  80.0 Mbits/sec    0    100 KBytes\n", /* 0.1049 */
		"0.00-0.10 1048576 r0 c102400\n0.10-0.20 1048576 r0 c102400\n"},
	    {"FreeBSD before 3.2: windows of the MSS squared are none",
		HEAD "[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec    0   40.0 MBytes\n"
		     "[  5]   1.00-2.00   sec   112 MBytes   940 Mbits/sec    0    294 MBytes\n",
		"0.00-1.00 117440512 r0\n1.00-2.00 117440512 r0\n"},
	    {"a window as large on a path that needs it is one",
		HEAD "[  5]   0.00-1.00   sec  4.00 GBytes  34.4 Gbits/sec    0    294 MBytes\n",
		"0.00-1.00 4294967296 r0 c308281344\n"},
	    {"-d of 3.1 tells RTT and MSS before each row",
		CLIENT "tcpi_snd_cwnd 50 tcpi_snd_mss 1326 tcpi_rtt 93887\n" HEAD ROW1
		       "tcpi_snd_cwnd 55 tcpi_snd_mss 1326 tcpi_rtt 103009\n" ROW2,
		"0.00-1.00 10485760 r3 c524288 rtt93887\n1.00-2.00 12582912 r4 c614400 rtt103009\n"},
	};
	char got[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum read_result result;
		struct read_note note;
		size_t n = 0;
		print_message("%s\n", cases[i].name);
		struct runs runs = read_text(cases[i].input, &result, &note);
		assert_int_equal(runs.count, 1);
		got[0] = '\0';
		for (size_t b = 0; b < runs.items[0].series.count; b++) {
			const struct bin *bin = &runs.items[0].series.bins[b];
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%.2f-%.2f %ju",
			    bin->start_s, bin->end_s, (uintmax_t)bin->bytes);
			if (bin->has & BIN_RETRANSMITS)
				n += (size_t)snprintf(
				    got + n, sizeof(got) - n, " r%ju", (uintmax_t)bin->retransmits);
			if (bin->has & BIN_CWND)
				n += (size_t)snprintf(
				    got + n, sizeof(got) - n, " c%ju", (uintmax_t)bin->cwnd_bytes);
			if (bin->has & BIN_RTT)
				n += (size_t)snprintf(
				    got + n, sizeof(got) - n, " rtt%.0f", bin->rtt_us);
			n += (size_t)snprintf(got + n, sizeof(got) - n, "\n");
		}
		assert_string_equal(got, cases[i].expected);
		runs_free(&runs);
	}
}

static void short_intervals_by_rate(void **state)
{
	enum read_result result;
	struct read_note note;
	struct runs runs =
	    read_text("[  5]   0.00-0.10   sec  1.00 MBytes  80.0 Mbits/sec    0    100 KBytes\n"
		      "[  5]   0.10-0.20   sec  1.00 MBytes  42.0 Mbits/sec    0    100 KBytes\n",
		&result, &note);
	const struct bin *bins = runs.items[0].series.bins;

	(void)state;
	/* 8388608 bit at 80.0 Mbit/s */
	assert_near(bins[0].end_s - bins[0].start_s, 0.1048576, 1e-6);
	/* 42 Mbit/s would be 0.1997 s: not what is printed, so the times stand */
	assert_near(bins[1].end_s - bins[1].start_s, 0.10, 1e-6);
	runs_free(&runs);
}

static void streams_have_totals(void **state)
{
	enum read_result result;
	struct read_note note;
	struct runs runs = read_text(HEAD_SUM
	    "[  5]   0.00-2.00   sec  20.0 MBytes  83.9 Mbits/sec    1             sender\n"
	    "[  5]   0.00-2.05   sec  19.0 MBytes  77.7 Mbits/sec                  receiver\n"
	    "[  7]   0.00-2.00   sec  40.0 MBytes   168 Mbits/sec    2             sender\n"
	    "[  7]   0.00-2.05   sec  0.00 Bytes  0.00 bits/sec                  receiver\n",
	    &result, &note);
	const struct stream_total *totals = runs.items[0].stream_totals;

	(void)state;
	assert_int_equal(runs.items[0].stream_count, 2);
	assert_int_equal(totals[0].bytes, 20 * 1048576);
	assert_near(totals[0].seconds, 2.00, 1e-9);
	assert_int_equal(totals[0].retransmits, 1);
	assert_int_equal(totals[1].bytes, 40 * 1048576);
	assert_near(totals[1].seconds, 2.00, 1e-9);
	assert_int_equal(totals[1].retransmits, 2);
	assert_near(runs.items[0].rounding, 0.005, 1e-9);
	runs_free(&runs);
}

/* ---- what is said of an input -------------------------------------------------------------- */

static void notes(void **state)
{
	static const struct {
		const char *name, *input;
		enum read_result result;
		const char *text;
	} cases[] = {
	    {"empty", "", READ_NOTHING, "no test rows: "},
	    {"prose", "The iperf tool says it is slow.\n", READ_NOTHING, "no test rows: "},
	    {"refused", "iperf3: error - unable to connect to server: Connection refused\n",
		READ_NOTHING, "iperf3's error: unable to connect to server: Connection refused"},
	    {"unknown host, 3.1", "iperf3: error - unable to connect to server: \n", READ_NOTHING,
		"iperf3's error: unable to connect to server"},
	    {"3.16",
		"iperf3: error - unable to connect to server - server may have stopped running or use a "
		"different port, firewall issue, etc.: Connection refused\n",
		READ_NOTHING, "etc.: Connection refused"},
	    {"usage",
		"iperf3: parameter error - bad format specifier (valid formats are in the set "
		"[kmgtKMGT])\n\nUsage: iperf3 [-s|-c host] [options]\n",
		READ_NOTHING, "parameter error - bad format specifier"},
	    {"option", "/usr/bin/iperf3: unrecognized option '--nosuch'\n", READ_NOTHING,
		"unrecognized option '--nosuch'"},
	    {"against iperf2", "^C" RULE HEAD_SUM "iperf3: interrupt - the client has terminated\n",
		READ_NOTHING, "interrupt - the client has terminated"},
	    {"terminal escapes in an error", "iperf3: error - \a\x1b]0;x\n", READ_NOTHING, "\\x07"},
	    {"iperf2",
		"[  3] local 192.0.2.1 port 40000 connected with 198.51.100.7 port 5001\n"
		"[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec\n",
		READ_NOTHING, "iperf2"},
	    {"iperf2.1", "[  1] 0.0000-10.0083 sec  1.10 GBytes   941 Mbits/sec\n", READ_NOTHING,
		"iperf2"},
	    {"server that waits", "Server listening on 5201\n", READ_NOTHING, "no test rows: "},
	    {"whole", CLIENT HEAD ROW1 ROW2 HEAD_SUM SENT RECEIVED DONE, READ_OK, ""},
	    {"UDP is for others to judge",
		CLIENT HEAD_UDP
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242\n" HEAD_JITTER
		"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  0.000 ms  0/7242 (0%)  sender\n"
		"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec  0.5 ms  3/7242 (0%)  receiver\n",
		READ_OK, ""},
	    {"no summary", CLIENT HEAD ROW1, READ_PARTIAL, "no summary"},
	    {"error", CLIENT HEAD ROW1 "iperf3: error - the server has terminated\n", READ_PARTIAL,
		"iperf3's error: the server has terminated"},
	    {"cut in its summary", CLIENT HEAD ROW1 ROW2 HEAD_SUM SENT, READ_PARTIAL, "cut short"},
	    {"only the last test's state matters",
		CLIENT HEAD ROW1 CLIENT HEAD ROW1 ROW2 HEAD_SUM SENT RECEIVED DONE, READ_OK, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum read_result result;
		struct read_note note;
		print_message("%s\n", cases[i].name);
		struct runs runs = read_text(cases[i].input, &result, &note);
		assert_int_equal(result, cases[i].result);
		assert_int_equal(runs.count == 0, result == READ_NOTHING);
		if (!strstr(note.text, cases[i].text))
			print_error("note: %s\n", note.text);
		assert_non_null(strstr(note.text, cases[i].text));
		assert_int_equal(note.text[0] == '\0', result == READ_OK);
		runs_free(&runs);
	}
}

/* ---- sizes --------------------------------------------------------------------------------- */

static char *repeated(const char *format, unsigned from, unsigned to)
{
	size_t size = (size_t)(to - from) * 120 + 1, n = 0;
	char *text = malloc(size);

	assert_non_null(text);
	text[0] = '\0';
	for (unsigned i = from; i < to; i++)
		n += (size_t)snprintf(text + n, size - n,
		    "[%3u]   %u.00-%u.00 sec  1.00 MBytes  8.39 "
		    "Mbits/sec    1    100 KBytes %s\n",
		    format ? 5 : i, format ? i : 0, format ? i + 1 : 1, format ? format : "");
	return text;
}

static void a_long_test_is_folded(void **state)
{
	enum read_result result;
	struct read_note note;
	char *text = repeated("", 0, 5000);
	struct runs runs = read_text(text, &result, &note);
	uint64_t bytes = 0;

	(void)state;
	assert_int_equal(runs.count, 1);
	assert_in_range(runs.items[0].series.count, SERIES_MAX / 2, SERIES_MAX);
	for (size_t i = 0; i < runs.items[0].series.count; i++)
		bytes += runs.items[0].series.bins[i].bytes;
	assert_int_equal(bytes, 5000ULL * 1048576);
	assert_int_equal(runs.items[0].sent_bytes, 5000ULL * 1048576);
	assert_int_equal(runs.items[0].retransmits, 5000);
	runs_free(&runs);
	free(text);
}

static void more_streams_than_there_can_be(void **state)
{
	enum read_result result;
	struct read_note note;
	char *text = repeated(NULL, 1, 301);
	struct runs runs = read_text(text, &result, &note);

	(void)state;
	assert_int_equal(runs.count, 1);
	assert_int_equal(runs.items[0].streams, STREAMS_MAX);
	assert_int_equal(runs.items[0].series.bins[0].bytes, 300ULL * 1048576);
	runs_free(&runs);
	free(text);
}

static void more_titles_than_are_kept_open(void **state)
{
	enum read_result result;
	struct read_note note;
	char text[40 * 120];
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "t%u:  %s", i, ROW1);
	struct runs runs = read_text(text, &result, &note);
	assert_int_equal(runs.count, 40);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(runs.items[i].sent_bytes, 10485760);
	runs_free(&runs);
}

static void a_line_longer_than_any_buffer(void **state)
{
	enum read_result result;
	struct read_note note;
	size_t size = 100000;
	char *text = malloc(size + sizeof(ROW1) + sizeof(ROW2));

	(void)state;
	assert_non_null(text);
	memset(text, '[', size);
	text[size] = '\0';
	memcpy(text, ROW1, strlen(ROW1) - 1);
	strcat(text, "\n" ROW2);
	struct runs runs = read_text(text, &result, &note);
	assert_int_equal(runs.count, 1);
	assert_int_equal(runs.items[0].series.count, 2);
	runs_free(&runs);
	free(text);
}

/* Apple's iperf3 shows the peer's window, and a window in its receiver's rows that is not cwnd. */
static void columns_of_apple(void **state)
{
	static const char text[] =
	    "[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd          Bytes-in-     "
	    "Sndwnd          RTT   Flow-   Rwnd-\n"
	    "[  5][TX-C]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0   4.00 MBytes   2.13 MBytes   "
	    "2.00 MBytes     2ms    0ms   900ms\n"
	    "[  7][RX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  3.94 MBytes\n"
	    "[  5][TX-C]   1.00-2.00   sec  1.00 MBytes  8.39 Mbits/sec    3   4.00 MBytes   2.13 MBytes   "
	    "2.00 MBytes     2ms    0ms   980ms\n"
	    "[  7][RX-C]   1.00-2.00   sec  1.25 MBytes  10.5 Mbits/sec  3.94 MBytes\n"
	    "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
	    "[ ID][Role] Interval           Transfer     Bitrate         Retr\n"
	    "[  5][TX-C]   0.00-2.00  sec  2.00 MBytes  8.39 Mbits/sec    3           0.000s           1.880s  "
	    "           sender\n"
	    "[  5][TX-C]   0.00-2.00  sec  1.90 MBytes  7.97 Mbits/sec                  receiver\n"
	    "[  7][RX-C]   0.00-2.00  sec  2.50 MBytes  10.5 Mbits/sec    0           0.000s           0.000s  "
	    "           sender\n"
	    "[  7][RX-C]   0.00-2.00  sec  2.50 MBytes  10.5 Mbits/sec                  receiver\n"
	    "iperf Done.\n";
	struct runs runs = {0};
	struct read_note note;
	struct source *source = source_memory("apple", text, sizeof(text) - 1);
	(void)state;

	assert_int_equal(iperf_text_read(&runs, source, &note), READ_OK);
	assert_int_equal(runs.count, 2);
	const struct run *sent = &runs.items[0], *received = &runs.items[1];
	assert_true(sent->local_sends && !received->local_sends);
	assert_int_equal(sent->series.count, 2);
	assert_int_equal(sent->series.bins[0].has, BIN_RETRANSMITS | BIN_CWND | BIN_PEER_WINDOW);
	assert_int_equal(sent->series.bins[0].cwnd_bytes, 4 << 20);
	assert_int_equal(sent->series.bins[0].peer_window_bytes, 2 << 20);
	assert_int_equal(sent->retransmits, 3);
	assert_true(sent->has & RUN_BUSY);
	assert_int_equal((uint64_t)sent->rwnd_limited_us, 1880000);
	assert_int_equal((uint64_t)sent->busy_us, 2000000);
	assert_int_equal(received->series.bins[0].has, 0);
	assert_false(received->has & RUN_BUSY);
	runs_free(&runs);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded_logs),
	    cmocka_unit_test(columns_of_apple),
	    cmocka_unit_test(ends_and_directions),
	    cmocka_unit_test(both_directions),
	    cmocka_unit_test(several_streams),
	    cmocka_unit_test(omitted_rows),
	    cmocka_unit_test(surroundings),
	    cmocka_unit_test(ended_early),
	    cmocka_unit_test(datagrams),
	    cmocka_unit_test(facts),
	    cmocka_unit_test(intervals),
	    cmocka_unit_test(short_intervals_by_rate),
	    cmocka_unit_test(streams_have_totals),
	    cmocka_unit_test(notes),
	    cmocka_unit_test(a_long_test_is_folded),
	    cmocka_unit_test(more_streams_than_there_can_be),
	    cmocka_unit_test(more_titles_than_are_kept_open),
	    cmocka_unit_test(a_line_longer_than_any_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
