#include "evidence/iperf2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILES "tests/corpus/iperf2/"

static enum read_result read_file(struct runs *runs, const char *path, struct read_note *note)
{
	struct source *source = source_open(path);
	assert_non_null(source);
	enum read_result result = iperf2_read(runs, source, note);
	source_close(source);
	return result;
}

static enum read_result read_text(struct runs *runs, const char *text, struct read_note *note)
{
	struct source *source = source_memory("test", text, strlen(text));
	enum read_result result = iperf2_read(runs, source, note);
	source_close(source);
	return result;
}

/* The rows of the recorded file, as they stand there: bytes are printed to three digits. */
static void recorded_client(void **state)
{
	static const double mib[] = {15.8, 15.5, 17.8, 15.1, 16.8, 15.1, 15.5, 15.6};
	static const double rtt_us[] = {40307, 40112, 40185, 40179, 40405, 40335, 40127, 40126};
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "client-40ms-2.1.8.txt", &note), READ_OK);
	assert_int_equal(runs.count, 1);
	const struct run *run = &runs.items[0];
	assert_true(run->client && run->local_sends && run->complete && run->has_summary);
	assert_string_equal(run->sender, "10.77.0.1");
	assert_string_equal(run->receiver, "10.77.0.2");
	assert_string_equal(run->sender_cc, "cubic");
	assert_true(run->has & RUN_MSS);
	assert_int_equal(run->mss, 1448);
	assert_int_equal(run->series.count, 8);
	for (size_t i = 0; i < 8; i++) {
		const struct bin *bin = &run->series.bins[i];
		print_message("interval %zu\n", i);
		assert_near((double)bin->bytes, mib[i] * 1048576, 1e-6);
		assert_near(bin->rtt_us, rtt_us[i], 1e-6);
		assert_int_equal(bin->cwnd_bytes, 1358 * 1024);
		assert_int_equal(bin->has, BIN_CWND | BIN_RTT | BIN_RETRANSMITS);
		assert_int_equal(bin->retransmits, 0);
	}
	assert_true(run->has & RUN_SENT);
	assert_near((double)run->sent_bytes, 127 * 1048576.0, 1e-6);
	assert_near(run->sent_seconds, 8.1824, 1e-6);
	assert_true((run->has & RUN_RETRANSMITS) && run->retransmits == 0);
	/* 40126 us is the least of the rows, the handshake took 40128 us */
	assert_true(run->has & RUN_RTT_EXTREMES);
	assert_near(run->rtt_min_us, 40109, 1e-6);
	assert_true((run->has & RUN_SOCKET_BUFFER) && run->socket_buffer_bytes == 0);
	runs_free(&runs);
}

static void parallel_streams_are_added(void **state)
{
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "client-parallel-2.1.8.txt", &note), READ_OK);
	assert_int_equal(runs.count, 1);
	const struct run *run = &runs.items[0];
	assert_int_equal(run->streams, 2);
	assert_int_equal(run->series.count, 2);
	/* 2.25 + 2.94 GiB; cwnd 767 + 895 KiB; RTT (74 + 49) / 2 us; retries 4 + 2 */
	assert_near((double)run->series.bins[0].bytes, 5.19 * 1073741824.0, 1e-6);
	assert_int_equal(run->series.bins[0].cwnd_bytes, (767 + 895) * 1024);
	assert_near(run->series.bins[0].rtt_us, 61.5, 1e-6);
	assert_int_equal(run->series.bins[0].retransmits, 6);
	assert_int_equal(run->retransmits, 6);
	assert_near((double)run->sent_bytes, 10.5 * 1073741824.0, 1e-6);
	runs_free(&runs);
}

/* Four tests of which one is of two streams, and one in which the server sends. */
static void server_log(void **state)
{
	static const struct {
		bool sends;
		unsigned streams;
		double gib;
	} want[] = {{false, 1, 7.65}, {false, 2, 10.5}, {false, 1, 4.95}, {true, 1, 5.57},
	    {false, 1, 5.09}};
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "server-2.1.8.txt", &note), READ_OK);
	assert_int_equal(runs.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		const struct run *run = &runs.items[i];
		print_message("test %zu\n", i);
		assert_false(run->client);
		assert_int_equal(run->local_sends, want[i].sends);
		assert_int_equal(run->streams, want[i].streams);
		assert_int_equal(run->test, i);
		uint64_t bytes = want[i].sends ? run->sent_bytes : run->received_bytes;
		assert_near((double)bytes, want[i].gib * 1073741824.0, 1e-6);
		assert_int_equal(!!(run->has & RUN_RETRANSMITS), want[i].sends);
	}
	assert_int_equal(runs.items[3].retransmits, 13);
	runs_free(&runs);
}

/* A starred id is the direction of -R, on the client that receives. */
static void reversed_client(void **state)
{
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "client-reverse-2.1.8.txt", &note), READ_OK);
	assert_int_equal(runs.count, 1);
	assert_true(runs.items[0].client && !runs.items[0].local_sends && runs.items[0].reverse);
	assert_int_equal(runs.items[0].series.count, 2);
	assert_false(runs.items[0].has & RUN_RETRANSMITS);
	/* the handshake's RTT is the only one a receiver has */
	assert_near(runs.items[0].rtt_min_us, 36, 1e-6);
	runs_free(&runs);
}

/* -f m without -i: the one row is interval and total. */
static void only_a_total(void **state)
{
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "client-total-2.1.8.txt", &note), READ_OK);
	assert_int_equal(runs.count, 1);
	assert_true(runs.items[0].complete);
	assert_near((double)runs.items[0].sent_bytes, 5211 * 1048576.0, 1e-6);
	assert_int_equal(runs.items[0].retransmits, 20);
	runs_free(&runs);
}

static void plain_output_is_refused_with_its_rate(void **state)
{
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_file(&runs, FILES "client-plain-2.1.8.txt", &note), READ_NOTHING);
	assert_int_equal(runs.count, 0);
	/* 4.95 GiB in 2.0155 s */
	assert_non_null(strstr(note.text, "21.1 Gbit/s"));
	assert_non_null(strstr(note.text, "-e"));
	assert_int_equal(
	    read_text(&runs, "Client connecting to x, TCP port 5001\n", &note), READ_NOTHING);
	assert_non_null(strstr(note.text, "without a row"));
	runs_free(&runs);
}

/* One row of each release's columns. */
static void columns_by_release(void **state)
{
	static const struct {
		const char *row;
		uint64_t bytes, retransmits, cwnd_bytes; /* 0 cwnd: none */
		double rtt_us;
		bool has_rtt;
	} rows[] = {
	    /* 2.0.9 */
	    {"[  3] 0.00-1.00 sec   112 MBytes   940 Mbits/sec  1/0          7     1271K/9875 us\n",
		117440512, 7, 1301504, 9875, true},
	    /* 2.0.13 without a cwnd, as some systems have it */
	    {"[  3] 0.00-60.00 sec  100 MBytes  14.0 Mbits/sec  112505/0          0       -1K/1346 us  "
	     "182579.69\n",
		104857600, 0, 0, 1346, true},
	    /* 2.1 */
	    {"[  1] 0.0000-1.0000 sec  1.00 MBytes  8.39 Mbits/sec  8/0  3  24K/56167(15843) us  4\n",
		1048576, 3, 24576, 56167, true},
	    /* 2.2: bytes in flight before cwnd */
	    {"[  1] 0.0000-10.0000 sec  2.00 MBytes  1.68 Mbits/sec  20/0        73       "
	     "22K(16)/24K(17)/56167(15843) us  4.448847\n",
		2097152, 73, 24576, 56167, true},
	    /* no tcp_info */
	    {"[  1] 0.0000-1.0000 sec  1.00 MBytes  8.39 Mbits/sec  8/0\n", 1048576, 0, 0, 0,
		false},
	    /* broken by a mailer */
	    {"[  1] 0.00-1.00 sec   1.00 MBytes  8.39 Mbits/sec  4770/0          5\n"
	     " 295K/111 us  5631373\n",
		1048576, 5, 302080, 111, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct runs runs = {0};
		struct read_note note;
		print_message("%s", rows[i].row);
		assert_int_equal(read_text(&runs, rows[i].row, &note), READ_OK);
		assert_int_equal(runs.count, 1);
		const struct run *run = &runs.items[0];
		assert_int_equal(run->series.count, 1);
		const struct bin *bin = &run->series.bins[0];
		assert_int_equal(bin->bytes, rows[i].bytes);
		assert_int_equal(!!(bin->has & BIN_CWND), rows[i].cwnd_bytes > 0);
		if (bin->has & BIN_CWND)
			assert_int_equal(bin->cwnd_bytes, rows[i].cwnd_bytes);
		assert_int_equal(!!(bin->has & BIN_RTT), rows[i].has_rtt);
		if (rows[i].has_rtt)
			assert_near(bin->rtt_us, rows[i].rtt_us, 1e-6);
		if (bin->has & BIN_RETRANSMITS)
			assert_int_equal(bin->retransmits, rows[i].retransmits);
		else
			assert_int_equal(rows[i].retransmits, 0);
		runs_free(&runs);
	}
}

/* -w shows what was asked for, in a warning when the kernel gave less. */
static void asked_buffer(void **state)
{
	static const struct {
		const char *line;
		uint64_t bytes;
	} rows[] = {
	    {"TCP window size: 85.0 KByte (default)\n", 0},
	    {"TCP window size:  416 KByte (WARNING: requested 4.00 MByte)\n", 4194304},
	    {"TCP window size: 2.00 MByte\n", 2097152},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct runs runs = {0};
		struct read_note note;
		char text[400];
		snprintf(text, sizeof(text),
		    "Client connecting to a, TCP port 5001\n%s"
		    "[  1] 0.00-1.00 sec  1.00 MBytes  8.39 Mbits/sec  8/0  3  24K/56167(1) us\n",
		    rows[i].line);
		assert_int_equal(read_text(&runs, text, &note), READ_OK);
		assert_true(runs.items[0].has & RUN_SOCKET_BUFFER);
		assert_int_equal(runs.items[0].socket_buffer_bytes, rows[i].bytes);
		runs_free(&runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded_client),
	    cmocka_unit_test(parallel_streams_are_added),
	    cmocka_unit_test(server_log),
	    cmocka_unit_test(reversed_client),
	    cmocka_unit_test(only_a_total),
	    cmocka_unit_test(plain_output_is_refused_with_its_rate),
	    cmocka_unit_test(columns_by_release),
	    cmocka_unit_test(asked_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
