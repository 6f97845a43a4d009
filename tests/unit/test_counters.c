#include "evidence/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_file(const char *path, struct counters *counters)
{
	struct source *source = source_open(path);
	assert_non_null(source);
	bool any = counters_read(counters, source);
	source_close(source);
	return any;
}

static bool read_text(const char *text, struct counters *counters)
{
	struct source *source = source_memory("test", text, strlen(text));
	bool any = counters_read(counters, source);
	source_close(source);
	return any;
}

static unsigned known_count(const struct counters *counters)
{
	unsigned count = 0;
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		count += counters->known[i];
	return count;
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		const char *name = counter_table[i].name;
		print_message("%s\n", name);
		assert_true(strlen(counter_table[i].about) > 10);
		assert_int_equal(counter_find_full(name), i);
		bool extended = strncmp(name, "TcpExt", 6) == 0;
		assert_int_equal(
		    counter_find_prefixed(extended ? "TcpExt" : "Tcp", name + (extended ? 6 : 3)),
		    i);
	}
	assert_int_equal(counter_find_full("TcpExt"), COUNTER_COUNT);
	assert_int_equal(counter_find_full(""), COUNTER_COUNT);
	assert_int_equal(counter_find_full("PruneCalled"), COUNTER_COUNT);
	assert_int_equal(counter_find_prefixed("TcpExt", ""), COUNTER_COUNT);
	assert_int_equal(counter_find_prefixed("Udp", "InErrors"), COUNTER_COUNT);
}

/* Every name exists in the recorded /proc of 6.18, which has all of them. */
static void names_are_the_kernels(void **state)
{
	static struct counters netstat, snmp;
	(void)state;
	assert_true(read_file("tests/corpus/counters/proc-net-netstat.txt", &netstat));
	assert_true(read_file("tests/corpus/counters/proc-net-snmp.txt", &snmp));
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		print_message("%s\n", counter_table[i].name);
		assert_true(netstat.known[i] || snmp.known[i]);
	}
	assert_int_equal(snmp.value[COUNTER_TCP_IN_SEGS], 107);
	assert_int_equal(snmp.value[COUNTER_TCP_OUT_SEGS], 92);
	assert_int_equal(snmp.value[COUNTER_TCP_RETRANS_SEGS], 0);
	assert_int_equal(snmp.value[COUNTER_TCP_CURR_ESTAB], 0);
	assert_int_equal(netstat.value[COUNTER_WANT_ZERO_WINDOW_ADV], 19);
	assert_int_equal(netstat.value[COUNTER_PRUNE_CALLED], 4);
	assert_int_equal(netstat.value[COUNTER_RCV_COLLAPSED], 0);
	assert_int_equal(netstat.value[COUNTER_TO_ZERO_WINDOW_ADV], 7);
}

static void recorded_nstat(void **state)
{
	static struct counters before, after, delta;
	(void)state;
	assert_true(read_file("tests/corpus/counters/slow-reader-before.txt", &before));
	assert_true(read_file("tests/corpus/counters/slow-reader-after.txt", &after));
	/* nstat leaves out what is no running total: misc/nstat.c, useless_number */
	assert_false(before.known[COUNTER_TCP_CURR_ESTAB]);
	assert_int_equal(known_count(&before), COUNTER_COUNT - 1);
	counters_delta(&before, &after, &delta);
	assert_true(delta.any);
	assert_int_equal(delta.value[COUNTER_WANT_ZERO_WINDOW_ADV], 19);
	assert_int_equal(delta.value[COUNTER_PRUNE_CALLED], 4);
	assert_int_equal(delta.value[COUNTER_TCP_IN_SEGS], 107);
	assert_true(delta.known[COUNTER_ABORT_ON_MEMORY]);
	assert_int_equal(delta.value[COUNTER_ABORT_ON_MEMORY], 0);
	/* nstat -az of 6.1 does not know what came with 6.17 */
	assert_true(read_file("tests/corpus/kernel-6.1/nstat-receiver.txt", &before));
	assert_false(before.known[COUNTER_BEYOND_WINDOW]);
	assert_int_equal(before.value[COUNTER_TCP_RETRANS_SEGS], 2);
	assert_int_equal(known_count(&before), COUNTER_COUNT - 2);
}

static unsigned readings_of(const char *text, struct counters *first, struct counters *last)
{
	struct source *source = source_memory("test", text, strlen(text));
	unsigned readings = counters_read_all(first, last, source);
	source_close(source);
	return readings;
}

/* netstat -s of the machine whose nstat -j is the other file, taken at the same moment. */
static void netstat_and_json_agree(void **state)
{
	static struct counters netstat, json;
	(void)state;
	assert_true(read_file("tests/corpus/counters/netstat-s.txt", &netstat));
	assert_true(read_file("tests/corpus/counters/nstat-j.txt", &json));
	unsigned both = 0;
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		if (!netstat.known[i] || !json.known[i])
			continue;
		print_message("%s\n", counter_table[i].name);
		assert_true(netstat.value[i] == json.value[i]);
		both++;
	}
	/* what is 0 netstat leaves out: unknown, not 0 */
	assert_false(netstat.known[COUNTER_PRUNE_CALLED]);
	assert_true(json.known[COUNTER_PRUNE_CALLED] && json.value[COUNTER_PRUNE_CALLED] == 0);
	assert_int_equal(netstat.value[COUNTER_TCP_RETRANS_SEGS], 63);
	assert_int_equal(netstat.value[COUNTER_FAST_RETRANS], 61);
	assert_int_equal(netstat.value[COUNTER_DSACK_RECV], 40);
	assert_int_equal(netstat.value[COUNTER_WANT_ZERO_WINDOW_ADV], 191594);
	/* in, out, retransmitted, fast, probes, DSACK, and the windows' three */
	assert_int_equal(both, 9);
}

#define LONG_WORD "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"

static void netstat_sentences(void **state)
{
	static const struct {
		const char *text;
		enum counter_id id;
		uint64_t value;
	} rows[] = {
	    {"    8496768 segments retransmited\n", COUNTER_TCP_RETRANS_SEGS, 8496768},
	    {"    12 segments retransmitted\n", COUNTER_TCP_RETRANS_SEGS, 12},
	    {"9715338732 segments send out", COUNTER_TCP_OUT_SEGS, 9715338732},
	    {"    26 packets pruned from receive queue because of socket buffer overrun\n",
		COUNTER_PRUNE_CALLED, 26},
	    {"    26 packets pruned from receive queue\n", COUNTER_RCV_PRUNED, 26},
	    {"    343734 packets collapsed in receive queue due to low socket buffer\r\n",
		COUNTER_RCV_COLLAPSED, 343734},
	    {"    TCP ran low on memory 3 times\n", COUNTER_MEMORY_PRESSURES, 3},
	    {"    TCPBacklogDrop: 744165\n", COUNTER_BACKLOG_DROP, 744165},
	    {"    7 connections aborted due to memory pressure\n", COUNTER_ABORT_ON_MEMORY, 7},
	    {"    7 connections aborted due to timeout\n", COUNTER_COUNT, 0},
	    {"    InOctets: 7\n", COUNTER_COUNT, 0},
	    {"    5 packets received\n", COUNTER_COUNT, 0},
	    /* longer than any sentence, before and behind the number */
	    {LONG_WORD LONG_WORD " 5 " LONG_WORD LONG_WORD LONG_WORD "\n", COUNTER_COUNT, 0},
	    {"5 " LONG_WORD LONG_WORD LONG_WORD ": #\n", COUNTER_COUNT, 0},
	};
	static struct counters counters;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s", rows[i].text);
		bool known = rows[i].id != COUNTER_COUNT;
		assert_int_equal(read_text(rows[i].text, &counters), known);
		if (!known)
			continue;
		assert_int_equal(known_count(&counters), 1);
		assert_true(counters.known[rows[i].id]);
		assert_true(counters.value[rows[i].id] == rows[i].value);
	}
}

/* A counter that comes again begins another reading, whatever the form. */
static void several_readings(void **state)
{
	static const struct {
		const char *text;
		unsigned readings;
		uint64_t first, last;
	} rows[] = {
	    {"TcpRetransSegs 5\nTcpInSegs 9\n", 1, 5, 5},
	    {"TcpRetransSegs 5\nTcpInSegs 9\nTcpRetransSegs 8\n", 2, 5, 8},
	    {"#kernel\nTcpRetransSegs 5 0.0\n#kernel\nTcpRetransSegs 5 0.0\n", 2, 5, 5},
	    {"TcpRetransSegs 5\nTcpRetransSegs 6\nTcpRetransSegs 9\n", 3, 5, 9},
	    {"Tcp:\n    5 segments retransmitted\nTcp:\n    7 segments retransmitted\n", 2, 5, 7},
	    {"{\"kernel\":{\"TcpRetransSegs\":5}}\n{\"kernel\":{\"TcpRetransSegs\":6}}\n", 2, 5, 6},
	    {"Tcp: RtoMin RetransSegs\nTcp: 200 5\nTcp: RtoMin RetransSegs\nTcp: 200 6\n", 2, 5, 6},
	};
	static struct counters first, last;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].text);
		assert_int_equal(readings_of(rows[i].text, &first, &last), rows[i].readings);
		assert_true(first.value[COUNTER_TCP_RETRANS_SEGS] == rows[i].first);
		assert_true(last.value[COUNTER_TCP_RETRANS_SEGS] == rows[i].last);
	}
	/* what only the first reading shows is unknown in the last */
	assert_int_equal(readings_of(rows[1].text, &first, &last), 2);
	assert_true(first.known[COUNTER_TCP_IN_SEGS] && !last.known[COUNTER_TCP_IN_SEGS]);
}

static void styles(void **state)
{
	static const struct {
		const char *text;
		bool known;
		uint64_t retrans;
	} rows[] = {
	    {"#kernel\nTcpRetransSegs                  12                 0.0\n", true, 12},
	    {"#22.1804289383 sampling_interval=1 time_const=60\nTcpRetransSegs 12 3.5\n", true, 12},
	    {"TcpRetransSegs 12", true, 12},
	    {"  TcpRetransSegs\t12\r\n", true, 12},
	    {"TcpRetransSegs 12\nTcpRetransSegs 15\n", true, 15},
	    {"TcpRetransSegs 18446744073709551615\n", true, UINT64_MAX},
	    {"TcpRetransSegs 18446744073709551616\n", false, 0},
	    {"TcpRetransSegs -1\n", false, 0},
	    {"TcpRetransSegs 12x\n", false, 0},
	    {"TcpRetransSegs\n", false, 0},
	    {"RetransSegs 12\n", false, 0}, /* nstat prints the prefix */
	    {"MPTcpRetransSegs 12\n", false, 0},
	    {"Tcp: RtoMin RetransSegs InErrs\nTcp: 200 12 0\n", true, 12},
	    {"Tcp: RtoMin MaxConn RetransSegs\nTcp: 200 -1 12\n", true, 12},
	    {"Tcp: RtoMin RetransSegs\r\nTcp: 200 12\r\n", true, 12},
	    {"Tcp: RtoMin RetransSegs\nUdp: 1 2\nTcp: 200 12\n", true, 12},
	    {"Tcp: RtoMin RetransSegs\nTcp: 200\n", false, 0},
	    {"Tcp: RtoMin\nTcp: 200 12\n", false, 0},
	    {"Tcp: RtoMin RetransSegs\nTcpExt: 200 12\n", false, 0},
	    {"TcpExt: RtoMin RetransSegs\nTcpExt: 200 12\n", false, 0},
	    {"Tcp: 200 12\nTcp: RtoMin RetransSegs\n", false, 0},
	    {"Tcp: RtoMin RetransSegs\nTcp: 200 12\nTcp: 200 13\n", true, 12},
	    {"Tcp: \nTcp:\nTcp: 1\nTcpExt: \n", false, 0},
	    {"", false, 0},
	};
	static struct counters counters;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].text);
		assert_int_equal(read_text(rows[i].text, &counters), rows[i].known);
		assert_int_equal(counters.known[COUNTER_TCP_RETRANS_SEGS], rows[i].known);
		assert_true(counters.value[COUNTER_TCP_RETRANS_SEGS] == rows[i].retrans);
	}
}

/* cat /proc/net/netstat /proc/net/snmp, and nstat below it. */
static void several_in_one_file(void **state)
{
	static struct counters counters;
	(void)state;
	assert_true(read_text("TcpExt: PruneCalled TCPTimeouts\nTcpExt: 3 4\n"
			      "IpExt: InOctets\nIpExt: 7\n"
			      "Tcp: InSegs OutSegs\nTcp: 100 200\n"
			      "#kernel\nTcpExtTCPSynRetrans 9 0.0\n",
	    &counters));
	assert_int_equal(counters.value[COUNTER_PRUNE_CALLED], 3);
	assert_int_equal(counters.value[COUNTER_TIMEOUTS], 4);
	assert_int_equal(counters.value[COUNTER_TCP_IN_SEGS], 100);
	assert_int_equal(counters.value[COUNTER_TCP_OUT_SEGS], 200);
	assert_int_equal(counters.value[COUNTER_SYN_RETRANS], 9);
	assert_int_equal(known_count(&counters), 5);
}

static void deltas(void **state)
{
	static struct counters before, after, delta;
	(void)state;
	read_text("TcpInSegs 10\nTcpOutSegs 50\nTcpRetransSegs 7\n", &before);
	read_text("TcpInSegs 15\nTcpOutSegs 20\nTcpExtTCPTimeouts 3\n", &after);
	counters_delta(&before, &after, &delta);
	assert_int_equal(known_count(&delta), 2);
	assert_int_equal(delta.value[COUNTER_TCP_IN_SEGS], 5);
	assert_int_equal(delta.value[COUNTER_TCP_OUT_SEGS], 0); /* the host was restarted between */
	counters_delta(&before, &after, &after);		/* in place */
	assert_int_equal(after.value[COUNTER_TCP_IN_SEGS], 5);
}

/* A line longer than the buffer is used as far as it goes, without half a number. */
static void endless_line(void **state)
{
	static char text[100000];
	static struct counters counters;
	size_t used = 0;
	(void)state;
	used += (size_t)snprintf(text + used, sizeof(text) - used, "TcpExt: PruneCalled");
	for (int i = 0; i < 8000; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " X");
	used += (size_t)snprintf(text + used, sizeof(text) - used, "\nTcpExt: 5");
	for (int i = 0; i < 8000; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " 1");
	assert_true(read_text(text, &counters));
	assert_int_equal(counters.value[COUNTER_PRUNE_CALLED], 5);
	memset(text, '9', sizeof(text) - 1);
	memcpy(text, "TcpInSegs ", 10);
	assert_false(read_text(text, &counters));
}

#define LINE_KEPT 65535

/* "TcpExt:", ten words as long as they must be, and `last`, `cut` bytes of which are within the limit. */
static char *line_put(char *out, char fill, const char *last, size_t cut)
{
	size_t room = LINE_KEPT - cut - strlen("TcpExt:") - 1;

	out = stpcpy(out, "TcpExt:");
	for (unsigned i = 0; i < 10; i++) {
		size_t length = room / 10 - 1 + (i == 9 ? room % 10 : 0);
		*out++ = ' ';
		memset(out, fill, length);
		out += length;
	}
	*out++ = ' ';
	out = stpcpy(out, last);
	return stpcpy(out, "\n");
}

/* The limit falls into a word: half a number is a wrong number, and half a name another name. */
static void cut_in_half(void **state)
{
	static const char digits[] = "123456789";
	static char text[2 * LINE_KEPT + 200];
	static struct counters counters;
	(void)state;
	for (size_t cut = 0; cut <= strlen(digits); cut++) {
		bool whole = cut == strlen(digits);

		print_message("%zu of %zu digits\n", cut, strlen(digits));
		strcpy(text, "TcpExt: A B C D E F G H I J TCPTimeouts\n");
		/* with a blank behind it the whole number is within the limit, and is cut off */
		line_put(text + strlen(text), '1', whole ? "123456789 5" : digits, cut + 2 * whole);
		assert_int_equal(read_text(text, &counters), whole);
		assert_int_equal(counters.known[COUNTER_TIMEOUTS], whole);
		if (whole)
			assert_int_equal(counters.value[COUNTER_TIMEOUTS], 123456789);
	}
	char *end = line_put(text, 'X', "TCPTimeoutsOfAnotherKind", strlen("TCPTimeouts"));
	strcpy(end, "TcpExt: 1 2 3 4 5 6 7 8 9 10 77\n");
	assert_false(read_text(text, &counters));
	/* nstat -j, all in one line: the last counter is cut behind the first digit of its number */
	end = stpcpy(text, "{\"kernel\":{\"TcpInSegs\":7,\"");
	size_t pad = LINE_KEPT - strlen(text) - strlen("\":0,\"TcpOutSegs\":1");
	memset(end, 'x', pad);
	strcpy(end + pad, "\":0,\"TcpOutSegs\":12}}\n");
	assert_true(read_text(text, &counters));
	assert_int_equal(counters.value[COUNTER_TCP_IN_SEGS], 7);
	assert_false(counters.known[COUNTER_TCP_OUT_SEGS]);
}

/* A counter that is lower later: the host restarted, or the readings are in the wrong order. */
static void went_back(void **state)
{
	static const struct {
		enum counter_id id;
		uint64_t before, after;
		bool known_before, known_after, expected;
	} rows[] = {
	    {COUNTER_TCP_IN_SEGS, 5, 4, true, true, true},
	    {COUNTER_TCP_IN_SEGS, 5, 5, true, true, false},
	    {COUNTER_TCP_IN_SEGS, 5, 6, true, true, false},
	    {COUNTER_WQUEUE_TOO_BIG, 1, 0, true, true, true},
	    /* how many connections there are now may well sink */
	    {COUNTER_TCP_CURR_ESTAB, 900, 3, true, true, false},
	    /* what was not shown is not 0 */
	    {COUNTER_TCP_IN_SEGS, 5, 0, true, false, false},
	    {COUNTER_TCP_IN_SEGS, 5, 0, false, true, false},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct counters before = {0}, after = {0};
		before.known[rows[i].id] = rows[i].known_before;
		before.value[rows[i].id] = rows[i].before;
		after.known[rows[i].id] = rows[i].known_after;
		after.value[rows[i].id] = rows[i].after;
		print_message("%zu\n", i);
		assert_int_equal(counters_went_back(&before, &after), rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_whole),
	    cmocka_unit_test(names_are_the_kernels),
	    cmocka_unit_test(recorded_nstat),
	    cmocka_unit_test(netstat_and_json_agree),
	    cmocka_unit_test(netstat_sentences),
	    cmocka_unit_test(several_readings),
	    cmocka_unit_test(styles),
	    cmocka_unit_test(several_in_one_file),
	    cmocka_unit_test(deltas),
	    cmocka_unit_test(endless_line),
	    cmocka_unit_test(cut_in_half),
	    cmocka_unit_test(went_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
