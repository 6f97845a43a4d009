#include "evidence/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "evidence/sniff.h"
#include "near.h"

#define PING_TEXT \
	"PING 10.77.0.2 (10.77.0.2) 56(84) bytes of data.\n" \
	"64 bytes from 10.77.0.2: icmp_seq=1 ttl=63 time=52.1 ms\n\n" \
	"--- 10.77.0.2 ping statistics ---\n" \
	"1 packets transmitted, 1 received, 0% packet loss, time 0ms\n" \
	"rtt min/avg/max/mdev = 52.100/52.100/52.100/0.000 ms\n"
#define RUN_TEXT \
	"Connecting to host 10.77.0.2, port 5201\n" \
	"[  5] local 10.77.0.1 port 40000 connected to 10.77.0.2 port 5201\n" \
	"[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n" \
	"[  5]   0.00-1.00   sec  47.5 MBytes   398 Mbits/sec    0   5.33 MBytes\n" \
	"[  5]   1.00-2.00   sec  50.8 MBytes   426 Mbits/sec    0   5.33 MBytes\n" \
	"- - - - - - - - - - - - - - - - - - - - - - - - -\n" \
	"[ ID] Interval           Transfer     Bitrate         Retr\n" \
	"[  5]   0.00-2.00   sec  98.3 MBytes   412 Mbits/sec    0             sender\n" \
	"[  5]   0.00-2.05   sec  98.3 MBytes   402 Mbits/sec                  receiver\n\n" \
	"iperf Done.\n"
#define REVERSE_TEXT \
	"Connecting to host 10.77.0.2, port 5201\n" \
	"Reverse mode, remote host 10.77.0.2 is sending\n" \
	"[  5] local 10.77.0.1 port 40000 connected to 10.77.0.2 port 5201\n" \
	"[ ID] Interval           Transfer     Bitrate\n" \
	"[  5]   0.00-1.00   sec  47.5 MBytes   398 Mbits/sec\n" \
	"[  5]   0.00-1.00   sec  47.5 MBytes   398 Mbits/sec                  receiver\n"
#define JSON_TEXT \
	"{\"start\":{\"connected\":[{\"socket\":5,\"local_host\":\"10.77.0.1\",\"remote_host\":" \
	"\"10.77.0.2\"}],\"version\":\"iperf 3.12\"},\"intervals\":[{\"streams\":[{\"socket\":5," \
	"\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":1000000,\"bits_per_second\":8000000," \
	"\"omitted\":false,\"sender\":true}],\"sum\":{\"start\":0,\"end\":1,\"seconds\":1," \
	"\"bytes\":1000000,\"bits_per_second\":8000000,\"omitted\":false,\"sender\":true}}]," \
	"\"end\":{\"sum_sent\":{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":1000000," \
	"\"bits_per_second\":8000000,\"sender\":true}}}\n"
#define SYSCTL_TEXT "$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n"
#define NSTAT_TEXT "#kernel\nTcpRetransSegs                  17                 0.0\n"
#define TC_TEXT "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024\n"
#define SS_TEXT \
	"State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n" \
	"ESTAB 0 0 10.77.0.1:40000 10.77.0.2:5201\n" \
	"\t cubic wscale:7,7 rto:204 rtt:52.1/0.1 mss:1448 cwnd:3860 bytes_sent:100000\n"

#define IPERF2_TEXT \
	"Client connecting to 10.77.0.2, TCP port 5001 with pid 1 (1 flows)\n" \
	"[  1] 0.0000-1.0000 sec  15.8 MBytes   132 Mbits/sec  126/0  0  1358K/40307(196) us  410\n"
#define MTR_TEXT \
	"HOST: a   Loss%   Snt   Last   Avg  Best  Wrst StDev\n" \
	"  1.|-- 10.77.0.2  0.0%   10    0.4   0.5   0.2   6.3   0.8\n"
#define TRACEPATH_TEXT " 1?: [LOCALHOST]    pmtu 1500\n 1:  10.77.0.2   0.5ms reached\n"
#define SOCKSTAT_TEXT "TCP: inuse 1 orphan 0 tw 0 alloc 2 mem 3\n"
#define DROPS_TEXT "NIC statistics:\n     rx_missed_errors: 4954\n"
#define NETSTAT_TEXT "Tcp:\n    63 segments retransmitted\n"
#define SOFTNET_TEXT \
	"0008b3fc 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n"

#define SET(kind) (1u << INPUT_##kind)

static void test_what_stands_beside(void **state)
{
	static const struct {
		const char *text;
		enum input_kind first;
		unsigned beside;
	} rows[] = {
	    {RUN_TEXT, INPUT_IPERF_TEXT, 0},
	    {PING_TEXT, INPUT_PING, 0},
	    {PING_TEXT RUN_TEXT, INPUT_IPERF_TEXT, SET(PING)},
	    {RUN_TEXT PING_TEXT, INPUT_IPERF_TEXT, SET(PING)},
	    {PING_TEXT JSON_TEXT, INPUT_IPERF_JSON, SET(PING)},
	    {JSON_TEXT PING_TEXT, INPUT_IPERF_JSON, SET(PING)},
	    {JSON_TEXT, INPUT_IPERF_JSON, 0},
	    /* what a string of the document says is nobody's output */
	    {"{\"start\":{},\"x\":\"net.ipv4.tcp_rmem = 1 2 3\",\"end\":{}}", INPUT_IPERF_JSON, 0},
	    {SS_TEXT SYSCTL_TEXT, INPUT_SS, SET(SYSCTL)},
	    {IPERF2_TEXT PING_TEXT, INPUT_IPERF2, SET(PING)},
	    {IPERF2_TEXT MTR_TEXT TRACEPATH_TEXT, INPUT_IPERF2, SET(MTR) | SET(TRACEPATH)},
	    {RUN_TEXT SOCKSTAT_TEXT DROPS_TEXT NETSTAT_TEXT, INPUT_IPERF_TEXT,
		SET(SOCKSTAT) | SET(DROPS) | SET(COUNTERS)},
	    {RUN_TEXT SOFTNET_TEXT, INPUT_IPERF_TEXT, SET(DROPS)},
	    {SOFTNET_TEXT, INPUT_DROPS, 0},
	    {RUN_TEXT "$ tc -s -j qdisc\n[{\"kind\":\"fq\",\"handle\":\"0:\"}]\n", INPUT_IPERF_TEXT,
		SET(TC)},
	    {NSTAT_TEXT SS_TEXT SYSCTL_TEXT TC_TEXT PING_TEXT RUN_TEXT, INPUT_IPERF_TEXT,
		SET(COUNTERS) | SET(SS) | SET(SYSCTL) | SET(TC) | SET(PING)},
	    {"<html>" PING_TEXT RUN_TEXT, INPUT_HTML, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t length = strlen(rows[i].text);
		enum input_kind first = sniff_bytes(rows[i].text, length);

		if (first != rows[i].first ||
		    sniff_beside(rows[i].text, length, first) != rows[i].beside)
			fail_msg("row %zu: kind %d, beside %#x", i, (int)first,
			    sniff_beside(rows[i].text, length, first));
	}
}

static char path[] = "/tmp/bdp-evidence-XXXXXX";
static char error[512];

/* Reads `text` as an operand with that label into *evidence. */
static enum operand_result take(struct evidence *evidence, const char *label, const char *text)
{
	char operand[64];
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	snprintf(operand, sizeof(operand), "%s%s", label, path);
	error[0] = '\0';
	errors_keep(error, sizeof(error));
	enum operand_result result = evidence_read(evidence, operand);
	errors_keep(NULL, 0);
	return result;
}

static int make_file(void **state)
{
	(void)state;
	int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void test_transcript(void **state)
{
	struct evidence evidence = {0};
	(void)state;

	assert_int_equal(
	    take(&evidence, "", PING_TEXT RUN_TEXT SS_TEXT NSTAT_TEXT TC_TEXT SYSCTL_TEXT),
	    OPERAND_OK);
	assert_string_equal(error, "");
	assert_int_equal(evidence.input_count, 6);
	assert_int_equal(evidence.inputs[0].kind, INPUT_IPERF_TEXT);
	assert_int_equal(evidence.runs.count, 1);
	assert_int_equal(evidence.ping_count, 1);
	assert_near(evidence.pings[0].min_us, 52100, 1);
	assert_int_equal(evidence.socket_count, 1);
	assert_true(evidence.has_tc);
	/* it was taken where the run was: at the sender */
	assert_int_equal(evidence.socket_ends[0], END_SENDER);
	assert_int_equal(evidence.counters_readings[END_SENDER], 1);
	assert_int_equal(evidence.hosts[END_SENDER].values[TUNABLE_TCP_RMEM].number[2], 6291456);
	assert_int_equal(evidence.hosts[END_NONE].origin, HOST_UNKNOWN);
	evidence_free(&evidence);
}

static void test_end_of_transcript(void **state)
{
	static const struct {
		const char *label, *text;
		enum end end;
	} rows[] = {
	    {"", RUN_TEXT SYSCTL_TEXT, END_SENDER},
	    {"", REVERSE_TEXT SYSCTL_TEXT, END_RECEIVER},
	    {"receiver=", RUN_TEXT SYSCTL_TEXT, END_RECEIVER},
	    {"", SS_TEXT SYSCTL_TEXT, END_NONE},
	    {"sender=", SS_TEXT SYSCTL_TEXT, END_SENDER},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evidence evidence = {0};

		assert_int_equal(take(&evidence, rows[i].label, rows[i].text), OPERAND_OK);
		assert_int_equal(evidence.input_count, 2);
		for (enum end end = END_NONE; end <= END_RECEIVER; end++)
			if ((evidence.hosts[end].origin == HOST_DUMP) != (end == rows[i].end))
				fail_msg("row %zu: end %d", i, (int)end);
		evidence_free(&evidence);
	}
}

/* Words that a reader makes nothing of are no input, and do no harm to what is there. */
static void test_mark_by_chance(void **state)
{
	struct evidence evidence = {0};
	(void)state;

	assert_int_equal(take(&evidence, "", TC_TEXT), OPERAND_OK);
	assert_int_equal(
	    take(&evidence, "",
		RUN_TEXT
		"I raised net.core.rmem_max, qdisc \nis fq, and saw packets transmitted\n"),
	    OPERAND_OK);
	assert_string_equal(error, "");
	assert_int_equal(evidence.input_count, 2);
	assert_int_equal(evidence.ping_count, 0);
	assert_int_equal(evidence.hosts[END_SENDER].origin, HOST_UNKNOWN);
	assert_int_equal(evidence.tc.count, 1);
	evidence_free(&evidence);
}

/* A dump of its own outranks a line in a transcript, whichever came first. */
static void test_dump_outranks(void **state)
{
	static const char *const dump = "net.ipv4.tcp_rmem = 4096 131072 33554432\n";
	(void)state;

	for (int first = 0; first < 2; first++) {
		struct evidence evidence = {0};
		const struct host *host = &evidence.hosts[END_SENDER];

		if (first)
			assert_int_equal(take(&evidence, "sender=", dump), OPERAND_OK);
		assert_int_equal(take(&evidence, "", RUN_TEXT SYSCTL_TEXT), OPERAND_OK);
		if (!first)
			assert_int_equal(take(&evidence, "sender=", dump), OPERAND_OK);
		assert_int_equal(host->values[TUNABLE_TCP_RMEM].number[2], 33554432);
		/* and a second one of its own is still a mistake */
		assert_int_equal(take(&evidence, "sender=", dump), OPERAND_UNUSABLE);
		evidence_free(&evidence);
	}
}

/* However much ping stands before it, JSON is found; the line that the look ahead cuts is left. */
static void test_look_ahead(void **state)
{
	struct evidence evidence = {0};
	size_t room = SOURCE_PEEK_MAX + 4096;
	char *text = calloc(1, room);
	size_t at = 0;
	(void)state;

	assert_non_null(text);
	while (at < 8000)
		at += (size_t)sprintf(
		    text + at, "64 bytes from 10.77.0.2: icmp_seq=1 ttl=63 time=52.1 ms\n");
	strcpy(text + at, JSON_TEXT);
	assert_int_equal(take(&evidence, "", text), OPERAND_OK);
	assert_int_equal(evidence.runs.count, 1);
	assert_int_equal(evidence.ping_count, 1);
	evidence_free(&evidence);

	static const char line[] = "net.ipv4.tcp_wmem = 4096 16384 4194304\n";
	size_t start = SOURCE_PEEK_MAX - (sizeof(line) - 1 - strlen("4304\n"));

	evidence = (struct evidence){0};
	at = (size_t)sprintf(text, "%s%s", RUN_TEXT, SYSCTL_TEXT);
	memset(text + at, '\n', start - at);
	strcpy(text + start, line);
	/* half a line would be half a value */
	assert_memory_equal(text + SOURCE_PEEK_MAX - 3, "419", 3);
	assert_int_equal(take(&evidence, "", text), OPERAND_OK);
	assert_true(evidence.hosts[END_SENDER].values[TUNABLE_TCP_RMEM].known);
	assert_false(evidence.hosts[END_SENDER].values[TUNABLE_TCP_WMEM].known);
	evidence_free(&evidence);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_stands_beside),
	    cmocka_unit_test(test_transcript),
	    cmocka_unit_test(test_end_of_transcript),
	    cmocka_unit_test(test_mark_by_chance),
	    cmocka_unit_test(test_dump_outranks),
	    cmocka_unit_test(test_look_ahead),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
