/* Plans read back: taken whole, or refused whole with the line named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "apply/plan_file.h"

static bool read_text(struct plan *plan, const char *text, struct plan_note *note)
{
	struct source *source = source_memory("test", text, strlen(text));
	bool good = plan_file_read(plan, source, note);
	source_close(source);
	return good;
}

static void test_lines(void **state)
{
	static const char text[] = "# on the receiver: tcp_rmem\n"
				   "; also a comment = 1\n"
				   "\n"
				   "net.ipv4.tcp_rmem = 4096 131072 20971520\r\n"
				   "net/ipv4/tcp_wmem=4096\t262144\t20971520\n"
				   "  -net.ipv4.tcp_congestion_control =  bbr  \n"
				   "net.core.default_qdisc = fq";
	struct plan plan;
	struct plan_note note;
	(void)state;
	assert_true(read_text(&plan, text, &note));
	assert_int_equal(plan.setting_count, 4);
	assert_int_equal(plan.settings[0].id, TUNABLE_TCP_RMEM);
	assert_int_equal(plan.settings[0].value.number[2], 20971520);
	assert_int_equal(plan.settings[1].value.number[1], 262144);
	assert_string_equal(plan.settings[2].value.word, "bbr");
	assert_string_equal(plan.settings[3].value.word, "fq");
	assert_int_equal(plan.settings[0].host, ROLE_UNKNOWN);
}

/* The settings of a report on sockets are those of any other. */
static void test_sockets_report(void **state)
{
	static const char text[] = "{\"schema\":\"bdp-sockets/1\",\"answer\":\"x\",\"settings\":["
				   "{\"key\":\"net.ipv4.tcp_shrink_window\",\"value\":\"1\","
				   "\"change\":true,\"host\":\"receiver\"}]}";
	struct plan plan;
	struct plan_note note;
	(void)state;

	assert_true(read_text(&plan, text, &note));
	assert_int_equal(plan.setting_count, 1);
	assert_int_equal(plan.settings[0].id, TUNABLE_TCP_SHRINK_WINDOW);
	assert_int_equal(plan.settings[0].host, ROLE_RECEIVER);
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *name, *text, *words;
	} rows[] = {
	    {"nothing", "", "no setting"},
	    {"comments only", "# a\n# b\n", "no setting"},
	    {"an unknown key", "net.ipv4.tcp_sack = 1\nkernel.sysrq = 1\n",
		"line 2: 'kernel.sysrq' is not a setting"},
	    {"a path that climbs", "net.ipv4.tcp_rmem/../../kernel/sysrq = 1\n",
		"line 1: 'net.ipv4.tcp_rmem/../../kernel/sysrq' is not"},
	    {"a key that is only read", "\n\nnet.ipv4.tcp_max_orphans = 5\n",
		"line 3: net.ipv4.tcp_max"},
	    {"out of bounds", "net.ipv4.tcp_rmem = 4096 131072 2147483648\n", "out of bounds"},
	    {"out of order", "net.ipv4.tcp_rmem = 33554432 131072 4096\n", "out of order"},
	    {"two numbers", "net.ipv4.tcp_rmem = 4096 131072\n", "three whole numbers"},
	    {"four numbers", "net.ipv4.tcp_rmem = 4096 131072 20971520 1\n", "three whole numbers"},
	    {"a unit", "net.ipv4.tcp_rmem = 4096 131072 20M\n", "three whole numbers"},
	    {"octal", "net.ipv4.tcp_rmem = 010000 131072 20971520\n", "three whole numbers"},
	    {"hexadecimal", "net.ipv4.tcp_rmem = 0x1000 131072 20971520\n", "three whole numbers"},
	    {"a comma", "net.ipv4.tcp_rmem = 4096,131072,20971520\n", "three whole numbers"},
	    {"quotes", "net.ipv4.tcp_rmem = \"4096 131072 20971520\"\n", "without quotes"},
	    {"a comment behind", "net.ipv4.tcp_sack = 1 # on\n", "line 1: net.ipv4.tcp_sack"},
	    {"no value", "net.ipv4.tcp_sack =\n", "one whole number"},
	    {"no equals sign", "net.ipv4.tcp_sack 1\n", "neither 'key = value' nor"},
	    {"a shell line", "sudo sysctl -w net.ipv4.tcp_sack=1\n", "line 1: 'sudo sysctl -w"},
	    {"twice", "net.ipv4.tcp_sack = 1\nnet.ipv4.tcp_sack = 1\n",
		"line 2: net.ipv4.tcp_sack is set twice"},
	    {"a terminal escape", "\033[31m = 1\n", "'\\x1b[31m' is not"},
	    {"a name too long", "net.core.default_qdisc = abcdefghijklmnop\n", "one name"},
	    {"two names", "net.ipv4.tcp_congestion_control = bbr cubic\n", "one name"},
	    {"an odd name", "net.ipv4.tcp_congestion_control = b;r\n", "is no name"},
	};
	struct plan plan;
	struct plan_note note;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		assert_false(read_text(&plan, rows[i].text, &note));
		if (strstr(note.text, rows[i].words) == NULL)
			print_message("'%s' lacks '%s'\n", note.text, rows[i].words);
		assert_non_null(strstr(note.text, rows[i].words));
		assert_int_equal(plan.setting_count, 0);
	}
}

static void test_long_lines(void **state)
{
	static char text[8000];
	struct plan plan;
	struct plan_note note;
	(void)state;
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text, "net.ipv4.tcp_sack =", 19);
	text[sizeof(text) - 2] = '1';
	assert_false(read_text(&plan, text, &note));
	assert_non_null(strstr(note.text, "line 1: too long"));
	/* A comment may be. */
	memcpy(text, "# et.ipv4.tcp_sack =", 20);
	memcpy(text + sizeof(text) - 24, "\nnet.ipv4.tcp_sack = 0\n", 24);
	assert_true(read_text(&plan, text, &note));
	assert_int_equal(plan.setting_count, 1);
}

#define SETTING(key, value, host) "{\"key\":\"" key "\",\"value\":" value ",\"host\":" host "}"
#define DOCUMENT(settings) "{\"schema\":\"bdp/1\",\"settings\":[" settings "]}"
#define GOOD_RMEM SETTING("net.ipv4.tcp_rmem", "\"4096 131072 20971520\"", "\"receiver\"")

static void test_json(void **state)
{
	static const char text[] =
	    "\n  {\"schema\": \"bdp/1\", \"version\": \"0.1.0\", \"inputs\": [{\"name\": \"x\"}],"
	    "\"settings\": [\n"
	    "{\"value\": \"4096 131072 20971520\", \"key\": \"net.ipv4.tcp_rmem\", \"current\": null,"
	    " \"change\": true, \"host\": \"receiver\", \"sized_by\": \"scaling\","
	    " \"why\": \"4 MiB x 3.34 / 0.703\", \"more\": {\"a\": [1, {\"b\": 2}]}},\n"
	    "{\"key\": \"net.ipv4.tcp_wmem\", \"value\": \"4096 262144 20971520\","
	    " \"host\": \"sender\"},\n"
	    "{\"key\": \"net.ipv4.tcp_shrink_window\", \"value\": 1, \"host\": null},\n"
	    "{\"key\": \"net.ipv4.tcp_wmem\", \"value\": \"4096 16384 4194304\","
	    " \"host\": \"proxy\"}],"
	    "\"plan\": {\"role\": null, \"more\": [[]], \"here\": \"sender\"},"
	    "\"memory\": {\"page_size\": 4096, \"settings\": [1]}}\n";
	struct plan plan;
	struct plan_note note;
	(void)state;
	assert_true(read_text(&plan, text, &note));
	assert_int_equal(plan.setting_count, 4);
	assert_int_equal(plan.settings[0].id, TUNABLE_TCP_RMEM);
	assert_int_equal(plan.settings[0].host, ROLE_RECEIVER);
	assert_string_equal(plan.settings[0].why, "4 MiB x 3.34 / 0.703");
	assert_int_equal(plan.settings[1].host, ROLE_SENDER);
	assert_int_equal(plan.settings[2].host, ROLE_UNKNOWN);
	assert_int_equal(plan.settings[2].value.number[0], 1);
	assert_int_equal(plan.settings[3].host, ROLE_PROXY);
	assert_int_equal(plan.here, ROLE_SENDER);
	assert_true(read_text(&plan, DOCUMENT(""), &note));
	assert_int_equal(plan.setting_count, 0);
}

static void test_bad_json(void **state)
{
	static const struct {
		const char *name, *text, *words;
	} rows[] = {
	    {"no schema", "{\"settings\":[" GOOD_RMEM "]}", "not a report"},
	    {"no settings", "{\"schema\":\"bdp/1\"}", "not a report"},
	    {"an iperf3 document", "{\"start\":{},\"intervals\":[],\"end\":{}}", "not a report"},
	    {"another schema", "{\"schema\":\"bdp/2\",\"settings\":[]}", "\"schema\" is not"},
	    {"settings twice",
		"{\"schema\":\"bdp/1\",\"settings\":[],\"settings\":[" GOOD_RMEM "]}",
		"\"settings\" is there twice"},
	    {"settings is no list", "{\"schema\":\"bdp/1\",\"settings\":{}}", "not a list"},
	    {"a setting is no object", DOCUMENT("7"), "settings[0]: is not an object"},
	    {"no value", DOCUMENT("{\"key\":\"net.ipv4.tcp_sack\"}"),
		"needs a \"key\" and a \"value\""},
	    {"no key", DOCUMENT("{\"value\":\"1\"}"), "needs a \"key\" and a \"value\""},
	    {"key twice",
		DOCUMENT(
		    "{\"key\":\"net.ipv4.tcp_sack\",\"key\":\"net.ipv4.tcp_rmem\",\"value\":\"1\"}"),
		"\"key\" is there twice"},
	    {"a key that is no string", DOCUMENT("{\"key\":7,\"value\":\"1\"}"),
		"\"key\" is not a string"},
	    {"a value that is a list", DOCUMENT("{\"key\":\"net.ipv4.tcp_sack\",\"value\":[1]}"),
		"\"value\" is not a string"},
	    {"the second is bad", DOCUMENT(GOOD_RMEM "," SETTING("kernel.sysrq", "\"1\"", "null")),
		"settings[1]: 'kernel.sysrq' is not a setting"},
	    {"out of bounds", DOCUMENT(SETTING("net.ipv4.tcp_sack", "2", "null")),
		"settings[0]: net.ipv4.tcp_sack: 2 is out of bounds"},
	    {"a fraction", DOCUMENT(SETTING("net.ipv4.tcp_sack", "1.0", "null")),
		"one whole number"},
	    {"an unknown host", DOCUMENT(SETTING("net.ipv4.tcp_sack", "1", "\"lb\"")),
		"\"host\" is 'lb', not receiver, sender or proxy"},
	    {"a host that is no string", DOCUMENT(SETTING("net.ipv4.tcp_sack", "1", "1")),
		"no string"},
	    {"the same twice for a host", DOCUMENT(GOOD_RMEM "," GOOD_RMEM),
		"settings[1]: net.ipv4.tcp_rmem is set twice"},
	    {"a NUL in the key",
		DOCUMENT("{\"key\":\"net.ipv4.tcp_sack\\u0000x\",\"value\":\"1\"}"),
		"has a NUL in it"},
	    {"a plan that is no object", "{\"schema\":\"bdp/1\",\"settings\":[],\"plan\":7}",
		"\"plan\" is not an object"},
	    {"a role that is none",
		"{\"schema\":\"bdp/1\",\"settings\":[],\"plan\":{\"here\":\"x\"}}",
		"plan: \"here\" is 'x'"},
	    {"cut short", "{\"schema\":\"bdp/1\",\"settings\":[" GOOD_RMEM,
		"cut short: nothing of it"},
	    {"something behind it", DOCUMENT(GOOD_RMEM) " x", "line 1"},
	    {"wrong syntax", "{\"schema\" \"bdp/1\"}", "line 1"},
	};
	struct plan plan;
	struct plan_note note;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		assert_false(read_text(&plan, rows[i].text, &note));
		if (strstr(note.text, rows[i].words) == NULL)
			print_message("'%s' lacks '%s'\n", note.text, rows[i].words);
		assert_non_null(strstr(note.text, rows[i].words));
		assert_int_equal(plan.setting_count, 0);
	}
}

static void test_too_many(void **state)
{
	static const char *const hosts[] = {"null", "\"receiver\"", "\"sender\"", "\"proxy\""};
	static const char *const keys[] = {"tcp_sack", "tcp_timestamps", "tcp_window_scaling",
	    "tcp_moderate_rcvbuf", "tcp_no_metrics_save"};
	char text[4096] = "{\"schema\":\"bdp/1\",\"settings\":[";
	struct plan plan;
	struct plan_note note;
	(void)state;
	for (size_t i = 0; i < PLAN_SETTINGS_MAX + 1; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s{\"key\":\"net.ipv4.%s\",\"value\":1,\"host\":%s}", i > 0 ? "," : "",
		    keys[i / 4], hosts[i % 4]);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "]}");
	assert_false(read_text(&plan, text, &note));
	assert_non_null(strstr(note.text, "settings[16]: more than 16 settings"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_sockets_report),
	    cmocka_unit_test(test_bad_lines),
	    cmocka_unit_test(test_long_lines),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_bad_json),
	    cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
