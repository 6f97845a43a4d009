#include "evidence/tc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_source(struct source *source, struct tc *tc)
{
	const char *why = NULL;
	bool ok = tc_read(tc, source, &why);
	assert_true(ok || (why != NULL && why[0] != '\0'));
	source_close(source);
	return ok;
}

static void read_file(const char *path, struct tc *tc)
{
	struct source *source = source_open(path);
	print_message("%s\n", path);
	assert_non_null(source);
	assert_true(read_source(source, tc));
}

static bool read_text(const char *text, struct tc *tc)
{
	return read_source(source_memory("test", text, strlen(text)), tc);
}

static void shaped_with_a_fifo(void **state)
{
	static struct tc tc;
	(void)state;
	read_file("tests/corpus/tc/htb-bfifo-cubic.txt", &tc);
	assert_int_equal(tc.count, 2);
	const struct qdisc *htb = &tc.qdiscs[0], *fifo = &tc.qdiscs[1];
	assert_string_equal(htb->kind, "htb");
	assert_string_equal(htb->handle, "1:");
	assert_string_equal(htb->dev, "");
	assert_true(htb->root);
	assert_true(htb->has_stats);
	assert_int_equal(htb->sent_bytes, 74904250);
	assert_int_equal(htb->sent_packets, 49948);
	assert_int_equal(htb->overlimits, 1117);
	assert_false(htb->has_limit_bytes);
	assert_string_equal(fifo->kind, "bfifo");
	assert_false(fifo->root);
	assert_true(fifo->has_limit_bytes);
	assert_true(fifo->limit_bytes == 10 * 1048576);
	/* parent and child tell of the same packets */
	assert_int_equal(tc.backlog_bytes, 135000);
	assert_int_equal(tc.backlog_packets, 2);
	read_file("tests/corpus/tc/htb-bfifo-idle.txt", &tc);
	assert_int_equal(tc.backlog_bytes, 0);
}

static void netem_of_6_1(void **state)
{
	static struct tc tc;
	(void)state;
	read_file("tests/corpus/kernel-6.1/bufferbloat-20M.tc.txt", &tc);
	assert_int_equal(tc.count, 1);
	assert_int_equal(tc.qdiscs[0].dropped, 546);
	assert_true(tc.qdiscs[0].sent_bytes == 798483383);
	assert_false(tc.qdiscs[0].has_limit_bytes); /* netem's limit counts packets */
	assert_true(tc.qdiscs[0].has_rate);
	assert_true(tc.qdiscs[0].rate_bps == 20e6);
}

/* Queues of a card with several: the deepest one counts, not their sum, which mq shows. */
static void several_queues(void **state)
{
	static struct tc tc;
	(void)state;
	read_file("tests/corpus/tc/mq-fq.txt", &tc);
	assert_int_equal(tc.count, 5);
	assert_string_equal(tc.qdiscs[1].kind, "mq");
	assert_string_equal(tc.qdiscs[1].dev, "eth0");
	assert_int_equal(tc.qdiscs[1].dropped, 37);
	assert_int_equal(tc.qdiscs[1].requeues, 12);
	assert_int_equal(tc.qdiscs[1].backlog_bytes, 2908 * 1024);
	assert_false(tc.qdiscs[2].has_limit_bytes); /* "10000p" */
	assert_false(tc.qdiscs[2].has_rate);
	assert_true(tc.qdiscs[3].has_rate);
	assert_true(tc.qdiscs[3].rate_bps == 950e6);
	assert_string_equal(tc.qdiscs[4].handle, "ffff:");
	assert_int_equal(tc.backlog_bytes, 2 * 1048576);
	assert_int_equal(tc.backlog_packets, 1401);
}

static void classes_between(void **state)
{
	static struct tc tc;
	(void)state;
	read_file("tests/corpus/tc/tbf-classes.txt", &tc);
	assert_int_equal(tc.count, 4);
	const struct qdisc *htb = &tc.qdiscs[0], *tbf = &tc.qdiscs[1], *cake = &tc.qdiscs[2];
	assert_int_equal(htb->sent_bytes, 5000); /* not the class's */
	assert_int_equal(htb->dropped, 2);
	assert_int_equal(htb->backlog_packets, 4);
	assert_true(tbf->has_rate);
	assert_true(tbf->rate_bps == 500e6);
	assert_int_equal(tbf->sent_packets, 50); /* "pkts" */
	assert_int_equal(tbf->backlog_bytes, 6000);
	assert_true(cake->rate_bps == 18.5e6);
	assert_int_equal(cake->backlog_bytes, 1514);
	assert_false(tc.qdiscs[3].has_stats); /* tc without -s */
	assert_true(tc.qdiscs[3].rate_bps == 1.5e9);
	assert_int_equal(tc.backlog_bytes, 6000);
}

static void styles(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		uint64_t backlog, sent;
	} rows[] = {
	    {"qdisc fq 8001: root\n Sent 5 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)\n"
	     " backlog 7b 1p requeues 0\n",
		1, 7, 5},
	    {"qdisc fq 8001: root\r\n Sent 5 bytes 1 pkt\r\n backlog 7b 1p\r\n", 1, 7, 5},
	    /* a paste without, and one with more indentation */
	    {"qdisc fq 8001: root\nSent 5 bytes 1 pkt\nbacklog 7b 1p requeues 0\n", 1, 7, 5},
	    {"    qdisc fq 8001: root\n     Sent 5 bytes 1 pkt\n     backlog 7b 1p requeues 0\n", 1,
		7, 5},
	    {"$ tc -s qdisc\nqdisc fq 8001: root\n$ \n Sent 5 bytes 1 pkt\n", 1, 0, 0},
	    {"qdisc fq 8001: root\n Sent many bytes 1 pkt\n backlog 7 1p\n backlog b p\n", 1, 0, 0},
	    {"qdisc fq 8001: root\n Sent 99999999999999999999 bytes 1 pkt\n", 1, 0, 0},
	    {"qdisc fq root\nqdisc fq 8001 root\nqdisc fq xyz: root\nqdisc : root\nqdisc\n", 0, 0,
		0},
	    {"deleted qdisc fq 8001: root\n", 0, 0, 0},
	    {" Sent 5 bytes 1 pkt\n backlog 7b 1p requeues 0\n", 0, 0, 0},
	    {"", 0, 0, 0},
	};
	static struct tc tc;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].text);
		assert_int_equal(read_text(rows[i].text, &tc), rows[i].count > 0);
		assert_int_equal(tc.count, rows[i].count);
		assert_int_equal(tc.backlog_bytes, rows[i].backlog);
		assert_true(tc.count == 0 || tc.qdiscs[0].sent_bytes == rows[i].sent);
	}
}

/* More queues than are kept: they are counted, and the deepest of all is still found. */
static void more_queues_than_kept(void **state)
{
	static char text[40000];
	static struct tc tc;
	size_t used = 0;
	(void)state;
	used += (size_t)snprintf(text + used, sizeof(text) - used, "qdisc mq 0: dev eth0 root\n");
	for (int i = 1; i <= 100; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "qdisc fq 0: dev eth0 parent :%x\n Sent 1 bytes 1 pkt\n backlog %db 1p requeues 0\n",
		    i, i == 90 ? 50000 : i);
	assert_true(read_text(text, &tc));
	assert_int_equal(tc.count, TC_QDISCS_MAX);
	assert_int_equal(tc.dropped, 101 - TC_QDISCS_MAX);
	assert_int_equal(tc.backlog_bytes, 50000);
}

static void names_are_safe_to_print(void **state)
{
	static struct tc tc;
	(void)state;
	assert_true(read_text("qdisc f\033[1mq 1: dev e\033]0;x root\n", &tc));
	assert_null(strchr(tc.qdiscs[0].kind, '\033'));
	assert_null(strchr(tc.qdiscs[0].dev, '\033'));
	assert_true(read_text("qdisc aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1: dev "
			      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb root\n",
	    &tc));
	assert_int_equal(strlen(tc.qdiscs[0].kind), sizeof(tc.qdiscs[0].kind) - 1);
	assert_int_equal(strlen(tc.qdiscs[0].dev), sizeof(tc.qdiscs[0].dev) - 1);
	assert_true(tc.qdiscs[0].root);
}

/* The same machine's qdiscs, as text and as JSON. */
static void json_says_the_same(void **state)
{
	static struct tc text, json;
	(void)state;
	read_file("tests/corpus/tc/pfifo-fast.txt", &text);
	read_file("tests/corpus/tc/pfifo-fast.json", &json);
	assert_int_equal(text.count, json.count);
	for (unsigned i = 0; i < text.count; i++) {
		assert_string_equal(text.qdiscs[i].kind, json.qdiscs[i].kind);
		assert_string_equal(text.qdiscs[i].handle, json.qdiscs[i].handle);
		assert_string_equal(text.qdiscs[i].dev, json.qdiscs[i].dev);
		assert_int_equal(text.qdiscs[i].root, json.qdiscs[i].root);
	}
	/* parent and child by their handles, as in text; between the lines of a session */
	assert_true(
	    read_text("$ tc -s -j qdisc\n"
		      "[{\"kind\":\"htb\",\"handle\":\"1:\",\"dev\":\"eth0\",\"root\":true,"
		      "\"options\":{\"r2q\":10},\"bytes\":74904250,\"packets\":49948,\"drops\":7,"
		      "\"overlimits\":1117,\"backlog\":135000,\"qlen\":2},"
		      "{\"kind\":\"bfifo\",\"handle\":\"10:\",\"dev\":\"eth0\",\"parent\":\"1:10\","
		      "\"backlog\":135000,\"qlen\":2}]\n$ exit\n",
		&json));
	assert_int_equal(json.count, 2);
	assert_int_equal(json.qdiscs[0].sent_bytes, 74904250);
	assert_int_equal(json.qdiscs[0].dropped, 7);
	assert_int_equal(json.backlog_bytes, 135000);
	assert_int_equal(json.backlog_packets, 2);
	assert_false(read_text("[{\"kind\":\"htb\"}]\n", &json));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json_says_the_same),
	    cmocka_unit_test(shaped_with_a_fifo),
	    cmocka_unit_test(netem_of_6_1),
	    cmocka_unit_test(several_queues),
	    cmocka_unit_test(classes_between),
	    cmocka_unit_test(styles),
	    cmocka_unit_test(more_queues_than_kept),
	    cmocka_unit_test(names_are_safe_to_print),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
