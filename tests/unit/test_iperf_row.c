/*
 * One line of iperf3's text at a time: rows, headers, what comes before them, and the command line
 * above them.
 */
#include "evidence/iperf_row.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/iperf_command.h"
#include "near.h"

/* The row in words. */
static void describe_row(const struct iperf_row *row, char *out, size_t size)
{
	static const char *const kinds[] = {"none", "data", "cut", "header", "connected", "iperf2"};
	static const char *const columns[] = {
	    "?", "plain", "retr", "retr cwnd", "datagrams", "jitter"};
	static const char *const roles[] = {"", " TX-C", " RX-C", " TX-S", " RX-S"};
	static const char *const sides[] = {" sender", " receiver", ""};
	int n = snprintf(out, size, "%s", kinds[row->kind]);

#define ADD(...) n += snprintf(out + n, size - (size_t)n, __VA_ARGS__)
	if (row->kind == ROW_HEADER)
		ADD(" %s", columns[row->columns]);
	if (row->kind != ROW_DATA && row->kind != ROW_CUT)
		return;
	if (row->data.sum)
		ADD(" SUM");
	else
		ADD(" %ju", (uintmax_t)row->data.id);
	ADD("%s %.2f-%.2f %juB", roles[row->role], row->data.start_s, row->data.end_s,
	    (uintmax_t)row->data.bytes);
	if (row->kind == ROW_CUT)
		return;
	ADD(" %.0fb/s", row->data.rate_bps);
	if (!(row->data.has & ROW_RATE))
		ADD(" coarse");
	if (row->data.has & ROW_COUNT)
		ADD(" count %jd", (intmax_t)row->count);
	if (row->data.has & ROW_CWND)
		ADD(" cwnd %ju", (uintmax_t)row->data.cwnd_bytes);
	else if (row->data.has & ROW_CWND_COLUMN)
		ADD(" no cwnd");
	if (row->data.has & ROW_JITTER)
		ADD(" jitter %.3f %ju/%ju", row->data.jitter_ms, (uintmax_t)fmax(row->data.lost, 0),
		    (uintmax_t)row->data.packets);
	ADD("%s%s%s", row->data.omitted ? " omitted" : "", sides[row->data.side],
	    row->data.has & ROW_TRAILING ? " and more" : "");
}

static void rows(void **state)
{
	static const struct {
		const char *line, *expected;
	} cases[] = {
	    /* the printf formats of iperf_locale.c */
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec                  ",
		"data 5 0.00-1.00 10485760B 83900000b/s"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    7    512 KBytes       ",
		"data 5 0.00-1.00 10485760B 83900000b/s count 7 cwnd 524288"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    7    512 KBytes       (omitted)",
		"data 5 0.00-1.00 10485760B 83900000b/s count 7 cwnd 524288 omitted"},
	    {"[  5]   0.00-10.00  sec   100 MBytes  83.9 Mbits/sec  123             sender",
		"data 5 0.00-10.00 104857600B 83900000b/s count 123 sender"},
	    {"[SUM]   0.00-10.05  sec   100 MBytes  83.9 Mbits/sec                  receiver",
		"data SUM 0.00-10.05 104857600B 83900000b/s receiver"},
	    {"[  5][TX-C]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec    0    512 KBytes",
		"data 5 TX-C 0.00-1.00 10485760B 83900000b/s count 0 cwnd 524288"},
	    {"[128][RX-S]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec",
		"data 128 RX-S 0.00-1.00 10485760B 83900000b/s"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  7242  ",
		"data 5 0.00-1.00 10485760B 83900000b/s count 7242"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9 Mbits/sec  0.521 ms  797/15932 (5%)  receiver",
		"data 5 0.00-1.00 10485760B 83900000b/s jitter 0.521 797/15932 receiver"},
	    {"[  5]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec  0.521 ms  9/9 (1e+02%)  (omitted)",
		"data 5 0.00-1.00 0B 0b/s coarse jitter 0.521 9/9 omitted"},
	    {"[  5]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec  0.521 ms  0/0 (-nan%)  ",
		"data 5 0.00-1.00 0B 0b/s coarse jitter 0.521 0/0"},
	    {"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec  0.521 ms  -3/100 (-3%)",
		"data 5 0.00-1.00 9437184B 75500000b/s jitter 0.521 0/100"},
	    {"[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec  0.521 ms  Unknown/100  receiver",
		"data 5 0.00-1.00 9437184B 75500000b/s receiver"},
	    /* units: Transfer and Cwnd of 1024, rates of 1000, rates in bytes of 1024 */
	    {"[  5]   0.00-1.00   sec  1.50 TBytes  13.2 Tbits/sec    0   1.00 GBytes",
		"data 5 0.00-1.00 1649267441664B 13200000000000b/s count 0 cwnd 1073741824"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  1.00 MBytes/sec",
		"data 5 0.00-1.00 1048576B 8388608b/s"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  8388608 bits/sec",
		"data 5 0.00-1.00 1048576B 8388608b/s"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  1048576 Bytes/sec",
		"data 5 0.00-1.00 1048576B 8388608b/s"},
	    {"[  5]   0.00-1.00   sec  41.5 MBytes  0.35 Gbits/sec",
		"data 5 0.00-1.00 43515904B 350000000b/s coarse"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  nan bits/sec",
		"data 5 0.00-1.00 1048576B 0b/s coarse"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  -nan Mbits/sec",
		"data 5 0.00-1.00 1048576B 0b/s coarse"},
	    {"[  5]   0.00-1.00   sec  1099511627776 bits  8796 Gbits/sec",
		"data 5 0.00-1.00 1099511627776B 8796000000000b/s"},
	    {"[  5]   2.00-2.00   sec  1.12 MBytes  17.7 Gbits/sec",
		"data 5 2.00-2.00 1174405B 17700000000b/s"},
	    {"[  5]  -0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec",
		"data 5 0.00-1.00 1048576B 8390000b/s"},
	    {"[  5] 0.00-1.00 s 1.00 MBytes 8.39 Mbits/s", "data 5 0.00-1.00 1048576B 8390000b/s"},
	    /* figures that are none */
	    {"[2149] 5.00-6.00 sec 1.00 MBytes 8.39 Mbits/sec 4294967294 0.00 Bytes",
		"data 2149 5.00-6.00 1048576B 8390000b/s count 4294967294 no cwnd"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec   -1  -1.95 GBytes",
		"data 5 0.00-1.00 1048576B 8390000b/s count -1 no cwnd"},
	    /* notes behind a row are no part of it, whatever they say */
	    {"[  5]   0.00-2.05   sec  21.0 MBytes  85.9 Mbits/sec     receiver  <<<< very bad",
		"data 5 0.00-2.05 22020096B 85900000b/s receiver and more"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec  7  so the sender waits 5 MBytes",
		"data 5 0.00-1.00 1048576B 8390000b/s count 7 and more"},
	    /* what comes before does not matter */
	    {"^C[  4]  10.01-11.59  sec  1.00 MBytes  5.31 Mbits/sec",
		"data 4 10.01-11.59 1048576B 5310000b/s"},
	    {"[[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec",
		"data 5 0.00-1.00 1048576B 8390000b/s"},
	    {"[2026-11-30T15:09:42Z] iperf3[812]: [  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec",
		"data 5 0.00-1.00 1048576B 8390000b/s"},
	    /* headers */
	    {"[ ID] Interval           Transfer     Bandwidth", "header plain"},
	    {"[ ID] Interval           Transfer     Bitrate         Retr", "header retr"},
	    {"[ ID] Interval           Transfer     Bandwidth       Retransmits", "header retr"},
	    {"[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd",
		"header retr cwnd"},
	    {"[ ID] Interval           Transfer     Bitrate         Total Datagrams",
		"header datagrams"},
	    {"[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
		"header jitter"},
	    {"[  5] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201", "connected"},
	    /* cut short: may go on in the next line */
	    {"[  5]   0.00-1.00   sec", "cut 5 0.00-1.00 0B"},
	    {"[  5]   0.00-1.00   sec  10.0 MBy", "none"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes   ", "cut 5 0.00-1.00 10485760B"},
	    {"[  5]   0.00-1.00   sec  10.0 MBytes  83.9", "cut 5 0.00-1.00 10485760B"},
	    /* not rows */
	    {"", "none"},
	    {"[", "none"},
	    {"[  5]", "none"},
	    {"[  5] Sent 25073 datagrams", "none"},
	    {"[SUM]  0.0-10.0 sec  31 datagrams received out-of-order", "none"},
	    {"[  5] (sender statistics not available)", "none"},
	    {"[SUM] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201", "none"},
	    {"[ ID] of the interface", "none"},
	    {"[123456789] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec", "none"},
	    {"[  5]   2.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec", "none"},
	    {"[  5]   0.00-1.00   sec  1.00 MBytes/sec  8.39 Mbits/sec", "none"},
	    {"[  5]   0.00-1.00   sec  1.00 Mbits  8.39 Mbits/sec", "none"},
	    {"[  5]   0.00-1.00   sec  9999999999 TBytes  8.39 Mbits/sec", "none"},
	    {"[  5]   0.00-1.00   sec  99999999999999999999 Bytes  8.39 Mbits/sec", "none"},
	    {"[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec", "iperf2"},
	    {"[  1] 0.0000-10.0083 sec  1.10 GBytes   941 Mbits/sec", "iperf2"},
	};
	char got[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct iperf_row row;
		print_message("%s\n", cases[i].line);
		enum row_kind kind = iperf_row_parse(cases[i].line, &row);
		assert_int_equal(kind, row.kind);
		describe_row(&row, got, sizeof(got));
		assert_string_equal(got, cases[i].expected);
	}
}

static void where_the_row_begins(void **state)
{
	struct iperf_row row;

	(void)state;
	iperf_row_parse("up:  [  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec", &row);
	assert_int_equal(row.prefix, 5);
	iperf_row_parse(
	    "[x] [  5] local 192.0.2.1 port 40000 connected to 198.51.100.7 port 5201", &row);
	assert_int_equal(row.prefix, 4);
	assert_string_equal(row.rest, "192.0.2.1 port 40000 connected to 198.51.100.7 port 5201");
}

static void wrapped_rows(void **state)
{
	static const struct {
		const char *first, *next;
		bool completes;
	} cases[] = {
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec  7", "sender", true},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec", "receiver", true},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec  7  100 KBytes", "(omitted)", true},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec  7", "100 KBytes", true},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39", "Mbits/sec  7  100 KBytes", true},
	    {"[  5] 0.00-1.00 sec", "1.00 MBytes 8.39 Mbits/sec", true},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec", "sender of this mail", false},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec", "5 minutes later", false},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39 Mbits/sec  7", "iperf Done.", false},
	    {"[  5] 0.00-1.00 sec 1.00 MBytes 8.39", "is too little", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct iperf_row first, joined;
		char line[300];
		print_message("%s | %s\n", cases[i].first, cases[i].next);
		iperf_row_parse(cases[i].first, &first);
		snprintf(line, sizeof(line), "%s %s", cases[i].first, cases[i].next);
		iperf_row_parse(line, &joined);
		assert_int_equal(iperf_row_completes(&first, &joined), cases[i].completes);
	}
}

static void titles(void **state)
{
	static const struct {
		const char *prefix, *title;
	} cases[] = {
	    {"", ""},
	    {"    ", ""},
	    {"> > ", ""},
	    {"up:  ", "up"},
	    {"up: ", "up"},
	    {"> up:  ", "up"},
	    {"^Cup:  ", "up"},
	    {"two words:  ", "two words"},
	    {"1:  ", "1"},
	    {"10G:  ", "10G"},
	    {"Client on 10.0.0.1:  ", "Client on 10.0.0.1"},
	    {"client-1  | ", "client-1"},
	    {"| ", ""},
	    {"Mon Nov  3 14:53:43 2026 ", ""},
	    {"Mon Nov  3 14:53:43 2026 up:  ", "up"},
	    {"Mon Nov  3 14:53:43 2026 7:  ", "7"},
	    {"2026-11-30T15:09:42+0000 up:  ", "up"},
	    {"1796051381 up:  ", "up"},
	    {"1796051381: ", ""},
	    {"14:53:43: ", ""},
	    {"Nov  3 14:53:43 lb iperf3[812]: ", "lb iperf3[812]"},
	    {"user@host:~$ ", ""},
	};
	char title[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[200];
		print_message("\"%s\"\n", cases[i].prefix);
		snprintf(line, sizeof(line), "%s[  5] and so on: more", cases[i].prefix);
		iperf_title_take(line, strlen(cases[i].prefix), title, sizeof(title));
		assert_string_equal(title, cases[i].title);
	}
	iperf_title_take("abcdefghij:  x", 13, title, 5);
	assert_string_equal(title, "abcd");
}

static void commands(void **state)
{
	static const struct {
		const char *line;
		struct iperf_command expected;
	} cases[] = {
	    {"$ iperf3 -c lb.example", {.client = true}},
	    {"user@host:~$iperf3 -c lb.example -R", {.client = true, .reverse = true}},
	    {"C:\\Temp>iperf3.exe -c lb.example -w 256K", {.client = true,
							      .facts.has = RUN_SOCKET_BUFFER,
							      .facts.socket_buffer_bytes = 262144}},
	    {"sudo /usr/bin/iperf3 -w2m -P 8 -c lb.example",
		{.client = true,
		    .facts.has = RUN_SOCKET_BUFFER,
		    .facts.socket_buffer_bytes = 2097152,
		    .parallel = 8}},
	    {"iperf -p 5201 -c lb.example -b 10m -t 40 -O 3",
		{.client = true,
		    .facts.has = RUN_TARGET_RATE | RUN_DURATION | RUN_OMIT,
		    .facts.target_rate_bps = 1e7,
		    .facts.duration_s = 40,
		    .facts.omit_s = 3}},
	    {"iperf3 --client lb.example --bitrate=1.5G --parallel 2 --bidir --window 64K",
		{.client = true,
		    .facts.has = RUN_TARGET_RATE | RUN_SOCKET_BUFFER,
		    .facts.target_rate_bps = 1.5e9,
		    .facts.socket_buffer_bytes = 65536,
		    .parallel = 2,
		    .bidir = true}},
	    {"iperf3 -VRZc lb.example -C bbr", {.client = true, .reverse = true, .cc = "bbr"}},
	    {"iperf3 -u -b 60M -c lb.example", {.client = true,
						   .udp = true,
						   .facts.has = RUN_TARGET_RATE,
						   .facts.target_rate_bps = 6e7}},
	    {"iperf3 -c lb.example --sctp | tee log -w 5", {.client = true, .sctp = true}},
	    /* a value that looks like an option, and values that are none */
	    {"iperf3 -T -R -c lb.example", {.client = true}},
	    {"iperf3 -c lb.example -w lots -P 1000 -b", {.client = true}},
	    {"iperf3 -s -p 5201", {.client = false}},
	    {"iperf3: error - unable to connect", {.client = false}},
	    {"I ran iperf3 between two hosts", {.client = false}},
	    {"myiperf3 -c lb.example", {.client = false}},
	    {"iperf3", {.client = false}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct iperf_command *want = &cases[i].expected;
		struct iperf_command got;
		print_message("%s\n", cases[i].line);
		assert_int_equal(iperf_command_parse(cases[i].line, &got), want->client);
		if (!want->client)
			continue;
		assert_int_equal(got.reverse, want->reverse);
		assert_int_equal(got.bidir, want->bidir);
		assert_int_equal(got.udp, want->udp);
		assert_int_equal(got.sctp, want->sctp);
		assert_int_equal(got.parallel, want->parallel);
		assert_int_equal(got.facts.has, want->facts.has);
		assert_int_equal(got.facts.socket_buffer_bytes, want->facts.socket_buffer_bytes);
		assert_near(got.facts.target_rate_bps, want->facts.target_rate_bps, 1e-9);
		assert_near(got.facts.duration_s, want->facts.duration_s, 1e-9);
		assert_near(got.facts.omit_s, want->facts.omit_s, 1e-9);
		assert_string_equal(got.cc, want->cc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows),
	    cmocka_unit_test(where_the_row_begins),
	    cmocka_unit_test(wrapped_rows),
	    cmocka_unit_test(titles),
	    cmocka_unit_test(commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
