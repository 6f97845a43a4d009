#include "evidence/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "evidence/host_facts.h"
#include "evidence/sites.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_prompts(void **state)
{
	static const struct {
		const char *line, *host; /* NULL: no prompt */
	} rows[] = {
	    {"$ iperf3 -c lb", ""},
	    {"lb$ uname -a", "lb"},
	    {"lb.example.org$ uname -a", "lb.example.org"},
	    {"root@lb:~# sysctl -a", "lb"},
	    {"me@db-1:/var/log$ ss -tmin", "db-1"},
	    {"[me@lb ~]$ ping a", "lb"},
	    {"$ (ping a; iperf3 -c a)", ""},
	    {"$ /usr/sbin/ss", ""},
	    {"# net.ipv4.tcp_rmem", NULL},
	    {"lb# sysctl -a", NULL},
	    {"$ ", NULL},
	    {"$ 5", NULL},
	    {"$ls", NULL},
	    {"net.ipv4.tcp_rmem = 4096 131072 6291456", NULL},
	    {"costs 5$ or more", NULL},
	    {"", NULL},
	};
	char host[64];
	(void)state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].line);
		bool is = session_prompt(rows[i].line, strlen(rows[i].line), host);
		assert_int_equal(is, rows[i].host != NULL);
		if (is)
			assert_string_equal(host, rows[i].host);
	}
}

static void test_is_session(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
	    {"$ ls\na\n$ ls\n", true},
	    {"\n\r\n$ ls\na\nhost$ ls", true},
	    {"$ ls\na\n", false},
	    {"text\n$ ls\n$ ls\n", false},
	    {"{\"start\":{}}\n$ ls\n$ ls\n", false},
	    {"", false},
	};
	(void)state;

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(session_is(rows[i].text, strlen(rows[i].text)), rows[i].is);
}

/* The same parts, however the bytes arrive. */
static void test_parts(void **state)
{
	static const char text[] = "$ one\na\nb\nlb$ two\n$ three\nc";
	static const struct {
		const char *host, *text;
		size_t output;
	} parts[] = {{"", "$ one\na\nb\n", 6}, {"lb", "lb$ two\n", 8}, {"", "$ three\nc", 8}};
	(void)state;

	for (size_t chunk = 1; chunk < sizeof(text); chunk++) {
		struct source *source =
		    source_memory_chunked("test", text, sizeof(text) - 1, chunk);
		struct session *session = session_open(source);
		struct session_part part;
		for (size_t i = 0; i < COUNT(parts); i++) {
			assert_int_equal(session_next(session, &part), 1);
			assert_string_equal(part.host, parts[i].host);
			assert_int_equal(part.length, strlen(parts[i].text));
			assert_memory_equal(part.text, parts[i].text, part.length);
			assert_int_equal(part.output, parts[i].output);
			assert_false(part.cut);
		}
		assert_int_equal(session_next(session, &part), 0);
		session_close(session);
		source_close(source);
	}
}

/* More than is kept of one command: the part is bounded and says so, and the next one is whole. */
static void test_bound(void **state)
{
	static const size_t lines[] = {SESSION_PART_MAX + 100000, 1000};
	(void)state;

	for (size_t i = 0; i < COUNT(lines); i++) {
		size_t size = SESSION_PART_MAX + 300000, used = 0;
		char *text = malloc(size + 64);
		assert_non_null(text);
		used = (size_t)sprintf(text, "$ first\n");
		while (used < size) {
			memset(text + used, 'x', lines[i] < size - used ? lines[i] : size - used);
			used += lines[i] < size - used ? lines[i] : size - used;
			text[used - 1] = '\n';
		}
		used += (size_t)sprintf(text + used, "$ second\nend\n");
		struct source *source = source_memory_chunked("test", text, used, 65536);
		struct session *session = session_open(source);
		struct session_part part;
		assert_int_equal(session_next(session, &part), 1);
		assert_true(part.cut);
		assert_true(part.length <= SESSION_PART_MAX);
		assert_memory_equal(part.text, "$ first\n", 8);
		assert_int_equal(session_next(session, &part), 1);
		assert_false(part.cut);
		assert_int_equal(part.length, strlen("$ second\nend\n"));
		assert_memory_equal(part.text, "$ second\nend\n", part.length);
		assert_int_equal(session_next(session, &part), 0);
		session_close(session);
		source_close(source);
		free(text);
	}
}

#define RUN(local, remote, sends) \
	"{\"start\":{\"connected\":[{\"socket\":5,\"local_host\":\"" local \
	"\",\"remote_host\":\"" remote "\"}],\"version\":\"iperf 3.12\"," \
	"\"connecting_to\":{\"host\":\"" remote \
	"\",\"port\":5201}},\"intervals\":[{\"streams\":[{" \
	"\"socket\":5,\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":1000000,\"bits_per_second\":" \
	"8000000,\"omitted\":false,\"sender\":" sends "}],\"sum\":{\"start\":0,\"end\":1," \
	"\"seconds\":1,\"bytes\":1000000,\"bits_per_second\":8000000,\"omitted\":false," \
	"\"sender\":" sends "}}],\"end\":{\"sum_sent\":{\"start\":0,\"end\":1,\"seconds\":1," \
	"\"bytes\":1000000,\"bits_per_second\":8000000,\"sender\":" sends "}}}\n"
#define FORWARD "$ iperf3 -c 10.0.0.2 -J\n" RUN("10.0.0.1", "10.0.0.2", "true")
#define REVERSE "$ iperf3 -c 10.0.0.2 -J -R\n" RUN("10.0.0.1", "10.0.0.2", "false")
#define PING(avg) \
	"$ ping -c 2 10.0.0.2\n--- 10.0.0.2 ping statistics ---\n" \
	"2 packets transmitted, 2 received, 0% packet loss, time 0ms\n" \
	"rtt min/avg/max/mdev = 10.0/" avg "/90.0/1.0 ms\n"
#define SETTINGS(prompt, maximum) \
	prompt "$ grep . /proc/sys/net/ipv4/tcp_rmem\n" \
	       "/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t" maximum "\n"
#define MEMORY(prompt, kib) prompt "$ grep MemTotal /proc/meminfo\nMemTotal:  " kib " kB\n"

static void read_text(struct evidence *evidence, const char *text, enum end label)
{
	struct source *source = source_memory("test", text, strlen(text));

	assert_int_equal(sites_read(evidence, source, "test", label), OPERAND_OK);
	source_close(source);
}

static int64_t ceiling(const struct evidence *evidence, enum end end, const struct run *run)
{
	const struct host *host = evidence_host(evidence, end, run);

	return host ? host->values[TUNABLE_TCP_RMEM].number[2] : 0;
}

/* Who sends differs from test to test; whose settings are whose does not. */
static void test_both_ways(void **state)
{
	static const char text[] = SETTINGS("", "4194304") PING("11.0") FORWARD PING("20.0")
	    REVERSE PING("40.0") "$ ssh lb\n" SETTINGS("lb", "8388608") MEMORY("lb", "1024");
	struct evidence evidence = {0};
	(void)state;

	read_text(&evidence, text, END_NONE);
	assert_int_equal(evidence.runs.count, 2);
	const struct run *forward = &evidence.runs.items[0], *reverse = &evidence.runs.items[1];
	assert_int_equal(ceiling(&evidence, END_SENDER, forward), 4194304);
	assert_int_equal(ceiling(&evidence, END_RECEIVER, forward), 8388608);
	assert_int_equal(ceiling(&evidence, END_SENDER, reverse), 8388608);
	assert_int_equal(ceiling(&evidence, END_RECEIVER, reverse), 4194304);
	assert_int_equal(evidence.hosts[END_SERVER].mem_total_bytes, 1024 * 1024);
	assert_int_equal(evidence.hosts[END_CLIENT].mem_total_bytes, 0);
	assert_int_equal(evidence.ping_count, 3);
	assert_int_equal(evidence.ping_tests[0], 0);
	assert_int_equal(evidence.ping_tests[1], forward->test + 1);
	assert_int_equal(evidence.ping_tests[2], reverse->test + 1);
	evidence_free(&evidence);
}

/* One way only: the ends are the sender's and the receiver's at once, as in any paste. */
static void test_one_way(void **state)
{
	static const char text[] =
	    SETTINGS("me@a:~", "4194304") "me@a:~" FORWARD SETTINGS("me@b:~", "8388608");
	struct evidence evidence = {0};
	(void)state;

	read_text(&evidence, text, END_NONE);
	assert_int_equal(evidence.hosts[END_SENDER].values[TUNABLE_TCP_RMEM].number[2], 4194304);
	assert_int_equal(evidence.hosts[END_RECEIVER].values[TUNABLE_TCP_RMEM].number[2], 8388608);
	evidence_free(&evidence);
}

/* The far end's script in a file of its own, read before or after the test. */
static void test_far_file(void **state)
{
	static const char near[] = SETTINGS("", "4194304") FORWARD REVERSE;
	static const char far[] = SETTINGS("lb", "8388608") MEMORY("lb", "1024");
	(void)state;

	for (int order = 0; order < 2; order++) {
		struct evidence evidence = {0};
		read_text(&evidence, order ? far : near, END_NONE);
		read_text(&evidence, order ? near : far, END_NONE);
		evidence_settle(&evidence);
		assert_int_equal(
		    ceiling(&evidence, END_RECEIVER, &evidence.runs.items[0]), 8388608);
		assert_int_equal(
		    ceiling(&evidence, END_RECEIVER, &evidence.runs.items[1]), 4194304);
		evidence_free(&evidence);
	}
}

/* The same where the test went one way only. */
static void test_far_one_way(void **state)
{
	static const char near[] = SETTINGS("", "4194304") REVERSE;
	static const char far[] = SETTINGS("lb", "8388608");
	struct evidence evidence = {0};
	(void)state;

	read_text(&evidence, near, END_NONE);
	read_text(&evidence, far, END_NONE);
	evidence_settle(&evidence);
	assert_int_equal(ceiling(&evidence, END_SENDER, &evidence.runs.items[0]), 8388608);
	assert_int_equal(ceiling(&evidence, END_RECEIVER, &evidence.runs.items[0]), 4194304);
	evidence_free(&evidence);
}

static void test_label(void **state)
{
	static const char text[] = SETTINGS("", "4194304") MEMORY("", "1024");
	struct evidence evidence = {0};
	(void)state;

	read_text(&evidence, text, END_RECEIVER);
	assert_int_equal(evidence.hosts[END_RECEIVER].values[TUNABLE_TCP_RMEM].number[2], 4194304);
	assert_int_equal(evidence.hosts[END_RECEIVER].mem_total_bytes, 1024 * 1024);
	evidence_free(&evidence);
}

static void test_facts(void **state)
{
	static const char text[] =
	    "Linux lb 6.1.0-57-cloud-amd64 #1 SMP Debian x86_64 GNU/Linux\n"
	    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n"
	    "2: eth0@if7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9001 qdisc mq state UP\n"
	    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
	    "3: eth1: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN\n"
	    "MemTotal:       16384 kB\n4096\n";
	struct host host = {0}, known = {.mem_total_bytes = 5};
	(void)state;

	assert_true(host_facts_read(&host, "$ getconf PAGESIZE", text, strlen(text)));
	assert_string_equal(host.name, "lb");
	assert_true(host.kernel.known);
	assert_int_equal(host.kernel.minor, 1);
	assert_int_equal(host.mem_total_bytes, 16384 * 1024);
	assert_int_equal(host.page_size, 4096);
	assert_int_equal(host.interface_count, 2);
	assert_string_equal(host.interfaces[0].name, "eth0");
	assert_string_equal(host.interfaces[0].qdisc, "mq");
	assert_int_equal(host.interfaces[0].mtu, 9001);
	assert_true(host.interfaces[0].up);
	assert_false(host.interfaces[1].up);
	host_facts_join(&known, &host);
	assert_int_equal(known.mem_total_bytes, 5);
	assert_int_equal(known.page_size, 4096);
	assert_false(host_facts_read(&host, "$ ls", "4096\n", 5));
}

/* Pages are a power of two from 4 KiB to 1 MiB; anything else is no page size. */
static void test_page_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t expected;
	} rows[] = {{"4096\n", 4096}, {"16384\n", 16384}, {"65536\n", 65536},
	    {"1048576\n", 1048576}, {"2048\n", 0}, {"2097152\n", 0}, {"12288\n", 0}, {"4097\n", 0},
	    {"none\n", 0}};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct host host = {0};
		print_message("%s", rows[i].text);
		bool read = host_facts_read(
		    &host, "$ getconf PAGESIZE", rows[i].text, strlen(rows[i].text));
		assert_int_equal(read, rows[i].expected > 0);
		assert_int_equal(host.page_size, rows[i].expected);
		assert_int_equal(
		    host_page_bytes(&host), rows[i].expected ? rows[i].expected : 4096);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prompts),
	    cmocka_unit_test(test_is_session),
	    cmocka_unit_test(test_parts),
	    cmocka_unit_test(test_bound),
	    cmocka_unit_test(test_both_ways),
	    cmocka_unit_test(test_one_way),
	    cmocka_unit_test(test_far_file),
	    cmocka_unit_test(test_far_one_way),
	    cmocka_unit_test(test_label),
	    cmocka_unit_test(test_facts),
	    cmocka_unit_test(test_page_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
