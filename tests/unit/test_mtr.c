#include "evidence/mtr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/tracepath.h"
#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILES "tests/corpus/probes/"

static bool read_file(const char *path, struct ping *ping)
{
	const char *why;
	struct source *source = source_open(path);
	assert_non_null(source);
	bool good = mtr_read(ping, source, &why);
	source_close(source);
	return good;
}

static bool read_text(const char *text, struct ping *ping, const char **why)
{
	struct source *source = source_memory("test", text, strlen(text));
	bool good = mtr_read(ping, source, why);
	source_close(source);
	return good;
}

/* 3.3 % of 120 at hop 10; every hop from the second on loses. */
static void recorded_report(void **state)
{
	struct ping ping;

	(void)state;
	assert_true(read_file(FILES "mtr-lossy.txt", &ping));
	assert_string_equal(ping.target, "198.51.100.9");
	assert_int_equal(ping.hops, 10);
	assert_int_equal(ping.loss_hop, 2);
	assert_true(ping.has_counts && ping.has_summary);
	assert_int_equal(ping.sent, 120);
	assert_int_equal(ping.received, 116);
	assert_near(ping.min_us, 30300, 1e-9);
	assert_near(ping.avg_us, 30400, 1e-9);
	assert_near(ping.max_us, 30500, 1e-9);
	assert_true(ping.deviation_us == 0);
}

static void recorded_forms(void **state)
{
	struct ping ping;

	(void)state;
	assert_true(read_file(FILES "mtr-0.95.json", &ping));
	assert_string_equal(ping.target, "localhost");
	assert_int_equal(ping.sent, 3);
	assert_int_equal(ping.received, 3);
	assert_int_equal(ping.hops, 1);
	assert_int_equal(ping.loss_hop, 0);
	assert_true(read_file(FILES "mtr-0.95-wide.txt", &ping));
	assert_string_equal(ping.target, "localhost");
	assert_int_equal(ping.sent, 3);
}

#define HEAD "HOST: a   Loss%   Snt   Last   Avg  Best  Wrst StDev\n"

/* Loss at a hop that later ones do not have is that router's rate limit. */
static void where_loss_begins(void **state)
{
	static const struct {
		const char *text;
		unsigned loss_hop;
		uint64_t received;
	} rows[] = {
	    {HEAD "  1.|-- a  0.0% 10 1 1 1 1 0\n  2.|-- b  0.0% 10 2 2 2 2 0\n", 0, 10},
	    {HEAD "  1.|-- a  50.0% 10 1 1 1 1 0\n  2.|-- b  0.0% 10 2 2 2 2 0\n", 0, 10},
	    {HEAD "  1.|-- a  50.0% 10 1 1 1 1 0\n  2.|-- b  0.0% 10 2 2 2 2 0\n"
		  "  3.|-- c  10.0% 10 2 2 2 2 0\n",
		3, 9},
	    {HEAD "  1.|-- a  10.0% 10 1 1 1 1 0\n  2.|-- ???  100.0 10 0.0 0.0 0.0 0.0 0.0\n"
		  "  3.|-- c  20.0% 10 2 2 2 2 0\n",
		1, 8},
	    /* another report replaces the first */
	    {HEAD "  1.|-- a  10.0% 10 1 1 1 1 0\n" HEAD "  1.|-- a  0.0% 20 1 1 1 1 0\n", 0, 20},
	    /* in the paste of a session, JSON */
	    {"$ mtr -j b\n{\"report\":{\"mtr\":{\"dst\":\"b\"},\"hubs\":[{\"count\":1,\"host\":\"b\","
	     "\"Loss%\":40.0,\"Snt\":10,\"Last\":1,\"Avg\":1.5,\"Best\":1,\"Wrst\":2,\"StDev\":0.1}]}}\n$ \n",
		1, 6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ping ping;
		const char *why = "";
		print_message("%s\n", rows[i].text);
		assert_true(read_text(rows[i].text, &ping, &why));
		assert_int_equal(ping.loss_hop, rows[i].loss_hop);
		assert_int_equal(ping.received, rows[i].received);
	}
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
	    {"", "no hop"},
	    {HEAD, "no hop"},
	    {"  1.|-- a  0.0% 10 1 1 1 1 0\n", "no hop"},
	    {HEAD "  1.|-- ???  100.0 10 0.0 0.0 0.0 0.0 0.0\n", "does not answer"},
	    {"HOST: a   Loss%   Snt\n  1.|-- a  0.0% 10\n", "columns"},
	    {HEAD "  1.|-- a  0.0% 10 1 1 5 1 0\n", "columns"},
	    {HEAD "  1.|-- a  0.0% 99999999999999 1 1 1 1 0\n", "columns"},
	    {HEAD "  1.|-- a  nan% 10 1 1 1 1 0\n", "no hop"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ping ping;
		const char *why = "";
		print_message("%s\n", rows[i].text);
		assert_false(read_text(rows[i].text, &ping, &why));
		assert_non_null(strstr(why, rows[i].why));
	}
}

static void path_mtu(void **state)
{
	static const struct {
		const char *text;
		bool good, reached;
		uint32_t local, mtu;
		unsigned hop, hops;
	} rows[] = {
	    {" 1?: [LOCALHOST]                      pmtu 1500\n 1:  10.20.30.1    0.512ms\n"
	     " 2:  172.16.0.9   1.902ms pmtu 1400\n 2:  172.16.0.9   1.877ms\n"
	     " 3:  10.90.1.20   8.402ms reached\n     Resume: pmtu 1400 hops 3 back 3\n",
		true, true, 1500, 1400, 2, 3},
	    {" 1:  127.0.0.1     0.338ms reached\n     Resume: pmtu 65535 hops 1 back 1 \n", true,
		true, 0, 65535, 1, 1},
	    {" 1?: [LOCALHOST]    pmtu 1500\n 1:  gw   6.941ms\n 2:  no reply\n"
	     "     Too many hops: pmtu 1500\n     Resume: pmtu 1500\n",
		true, false, 1500, 1500, 0, 1},
	    {" 1:  no reply\n", false, false, 0, 0, 0, 0},
	    {" 1?: [LOCALHOST]    pmtu 15\n", false, false, 0, 0, 0, 0},
	    {"pmtu 1400\n", false, false, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tracepath found;
		const char *why = "";
		struct source *source = source_memory("test", rows[i].text, strlen(rows[i].text));
		print_message("%s\n", rows[i].text);
		assert_int_equal(tracepath_read(&found, source, &why), rows[i].good);
		source_close(source);
		assert_int_equal(found.reached, rows[i].reached);
		assert_int_equal(found.local_mtu, rows[i].local);
		assert_int_equal(found.path_mtu, rows[i].mtu);
		assert_int_equal(found.hop, rows[i].hop);
		assert_int_equal(found.hops, rows[i].hops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded_report),
	    cmocka_unit_test(recorded_forms),
	    cmocka_unit_test(where_loss_begins),
	    cmocka_unit_test(what_is_refused),
	    cmocka_unit_test(path_mtu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
