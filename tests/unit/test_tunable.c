#include "evidence/tunable.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/host.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_numeric(const struct tunable *row)
{
	return row->kind == TUNABLE_NUMBER || row->kind == TUNABLE_VECTOR3;
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		const struct tunable *row = &tunables[i];
		char path[128];
		print_message("%s\n", row->key);
		snprintf(path, sizeof(path), "proc/sys/%s", row->key);
		for (char *at = path; *at != '\0'; at++)
			if (*at == '.')
				*at = '/';
		assert_string_equal(row->path, path);
		assert_int_equal(tunable_find(row->key), i);
		assert_int_equal(tunable_find(path + strlen("proc/sys/")), i);
		assert_non_null(row->unit);
		assert_true(row->about[strlen(row->about) - 1] == '.');
		assert_true(row->pitfall == NULL || row->pitfall[strlen(row->pitfall) - 1] == '.');
		assert_true(!is_numeric(row) || row->min < row->max);
	}
}

static void unknown_keys_are_not_found(void **state)
{
	static const char *const keys[] = {"", "net", "net.ipv4", "net.ipv4.", "net.ipv4.tcp_rme",
	    "net.ipv4.tcp_rmem2", "net.ipv6.tcp_rmem", "tcp_rmem", "net.ipv4/tcp_rmem/",
	    "NET.IPV4.TCP_RMEM", "net.ipv4.udp_mem", "kernel.osrelease"};
	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		print_message("'%s'\n", keys[i]);
		assert_int_equal(tunable_find(keys[i]), TUNABLE_COUNT);
	}
}

static void read_dump(const char *path, struct host *host)
{
	const char *why = "";
	struct source *source = source_open(path);
	assert_non_null(source);
	assert_true(host_read_dump(host, source, &why));
	source_close(source);
}

/* What kernels have in force must be within what bdp takes for possible. */
static void values_in_force_are_within_bounds(void **state)
{
	static const char *const dumps[] = {
	    "tests/corpus/hosts/host-6.1.sysctl.txt", "tests/corpus/hosts/host-6.18.sysctl.txt"};
	static struct host host;
	(void)state;
	for (size_t d = 0; d < COUNT(dumps); d++) {
		read_dump(dumps[d], &host);
		for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
			const struct tunable_value *value = &host.values[i];
			for (unsigned n = 0; value->known && n < value->count; n++) {
				print_message(
				    "%s %lld\n", tunables[i].key, (long long)value->number[n]);
				assert_true(value->number[n] >= tunables[i].min);
				assert_true(value->number[n] <= tunables[i].max);
			}
		}
	}
}

/* The listing of a network namespace of the recorded 6.18 host tells which keys it has of its own;
 * the four of net.core show there too since 6.11, and are the host's. */
static void namespaces_have_what_the_table_says(void **state)
{
	static struct host host, namespace;
	(void)state;
	read_dump("tests/corpus/hosts/host-6.18.sysctl.txt", &host);
	read_dump("tests/corpus/hosts/netns-6.18.sysctl.txt", &namespace);
	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		if (!host.values[i].known || i == TUNABLE_RMEM_MAX || i == TUNABLE_WMEM_MAX ||
		    i == TUNABLE_RMEM_DEFAULT || i == TUNABLE_WMEM_DEFAULT)
			continue;
		print_message("%s\n", tunables[i].key);
		assert_int_equal(tunables[i].per_netns, namespace.values[i].known);
	}
	assert_false(tunables[TUNABLE_RMEM_MAX].per_netns);
}

struct bounds {
	enum tunable_id id;
	int64_t min, max;
};

/* From include/net/tcp.h, include/net/sock.h and net/ipv4/sysctl_net_ipv4.c. */
static void bounds_are_the_kernels(void **state)
{
	static const struct bounds rows[] = {
	    {TUNABLE_TCP_RMEM, 4096, 2147483647},
	    {TUNABLE_TCP_WMEM, 4096, 2147483647},
	    {TUNABLE_RMEM_MAX, 2304, 2147483647},
	    {TUNABLE_WMEM_MAX, 4608, 2147483647},
	    {TUNABLE_TCP_ADV_WIN_SCALE, -31, 31},
	    {TUNABLE_TCP_SHRINK_WINDOW, 0, 1},
	    {TUNABLE_TCP_APP_WIN, 0, 31},
	    {TUNABLE_TCP_NOTSENT_LOWAT, 0, 4294967295},
	    {TUNABLE_TCP_MEM, 0, 4294967295},
	    {TUNABLE_RMEM_DEFAULT, 2304, 2147483647},
	    {TUNABLE_WMEM_DEFAULT, 4608, 2147483647},
	    {TUNABLE_TCP_BASE_MSS, 48, 65535},
	    {TUNABLE_TCP_LIMIT_OUTPUT_BYTES, 1, 2147483647},
	    /* switches, and those with a third position: Documentation/networking/ip-sysctl.rst */
	    {TUNABLE_TCP_MODERATE_RCVBUF, 0, 1},
	    {TUNABLE_TCP_WINDOW_SCALING, 0, 1},
	    {TUNABLE_TCP_TIMESTAMPS, 0, 2},
	    {TUNABLE_TCP_SACK, 0, 1},
	    {TUNABLE_TCP_NO_METRICS_SAVE, 0, 1},
	    {TUNABLE_TCP_SLOW_START_AFTER_IDLE, 0, 1},
	    {TUNABLE_TCP_MTU_PROBING, 0, 2},
	    {TUNABLE_TCP_ECN, 0, 2},
	    {TUNABLE_TCP_LOW_LATENCY, 0, 1},
	    {TUNABLE_TCP_FACK, 0, 1},
	    {TUNABLE_TCP_TW_RECYCLE, 0, 1},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct tunable *row = &tunables[rows[i].id];
		print_message(
		    "%s %lld..%lld\n", row->key, (long long)row->min, (long long)row->max);
		assert_true(row->min == rows[i].min);
		assert_true(row->max == rows[i].max);
	}
}

/* Facts and leftovers are never written. */
static void leftovers_are_read_only(void **state)
{
	static const enum tunable_id ids[] = {TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL,
	    TUNABLE_TCP_LOW_LATENCY, TUNABLE_TCP_FACK, TUNABLE_TCP_TW_RECYCLE};
	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_int_equal(tunables[ids[i]].access, TUNABLE_READ_ONLY);
	assert_int_equal(tunables[TUNABLE_TCP_RMEM].access, TUNABLE_WRITABLE);
	assert_int_equal(tunables[TUNABLE_TCP_CONGESTION_CONTROL].access, TUNABLE_WRITABLE);
}

struct parsed {
	enum tunable_id id;
	const char *text;
	const char *expected; /* normalised; NULL: refused */
};

static void values_are_parsed_and_printed(void **state)
{
	static const struct parsed rows[] = {
	    {TUNABLE_TCP_RMEM, "4096\t131072\t33554432\n", "4096 131072 33554432"},
	    {TUNABLE_TCP_RMEM, "  4096   131072 33554432  ", "4096 131072 33554432"},
	    {TUNABLE_TCP_RMEM, "33554432 131072 4096", "33554432 131072 4096"},
	    {TUNABLE_TCP_RMEM, "4096 131072 33554432\r", "4096 131072 33554432"},
	    {TUNABLE_TCP_RMEM, "4096 131072", NULL},
	    {TUNABLE_TCP_RMEM, "4096 131072 33554432 1", NULL},
	    {TUNABLE_TCP_RMEM, "4096 131072 6M", NULL},
	    {TUNABLE_TCP_RMEM, "4096,131072,6291456", NULL},
	    {TUNABLE_TCP_RMEM, "\"4096 131072 6291456\"", NULL},
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456 # doubled", NULL},
	    {TUNABLE_TCP_RMEM, "010000 131072 6291456", NULL},
	    {TUNABLE_TCP_RMEM, "0x1000 131072 6291456", NULL},
	    {TUNABLE_TCP_RMEM, "+4096 131072 6291456", NULL},
	    {TUNABLE_TCP_RMEM, "", NULL},
	    {TUNABLE_RMEM_MAX, "212992", "212992"},
	    {TUNABLE_RMEM_MAX, "0", "0"},
	    {TUNABLE_RMEM_MAX, "212992 ", "212992"},
	    {TUNABLE_RMEM_MAX, "212992.0", NULL},
	    {TUNABLE_RMEM_MAX, "1e7", NULL},
	    {TUNABLE_RMEM_MAX, "9223372036854775807", "9223372036854775807"},
	    {TUNABLE_RMEM_MAX, "9223372036854775808", NULL},
	    {TUNABLE_RMEM_MAX, "99999999999999999999999", NULL},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "-2", "-2"},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "- 2", NULL},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "--2", NULL},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "bbr\n", "bbr"},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "  cubic ", "cubic"},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "reno cubic", NULL},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "", NULL},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "b\033[1mbr", NULL},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "abcdefghijklmno", "abcdefghijklmno"},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "abcdefghijklmnop", NULL},
	    {TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, "reno\tcubic  bbr\n", "reno cubic bbr"},
	    {TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, "", ""},
	    {TUNABLE_DEFAULT_QDISC, "fq_codel", "fq_codel"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tunable_value value = {0};
		char text[256];
		bool ok = tunable_value_parse(rows[i].id, rows[i].text, &value);
		print_message("%s '%s'\n", tunables[rows[i].id].key, rows[i].text);
		assert_int_equal(ok, rows[i].expected != NULL);
		assert_int_equal(value.known, ok);
		if (ok)
			assert_string_equal(
			    tunable_value_text(rows[i].id, &value, text, sizeof(text)),
			    rows[i].expected);
	}
}

/* A refused value leaves the old one alone. */
static void refusal_changes_nothing(void **state)
{
	struct tunable_value value = {0};
	(void)state;
	assert_true(tunable_value_parse(TUNABLE_RMEM_MAX, "212992", &value));
	assert_false(tunable_value_parse(TUNABLE_RMEM_MAX, "many", &value));
	assert_true(value.known);
	assert_int_equal(value.number[0], 212992);
}

static void long_lists_end_at_a_whole_name(void **state)
{
	struct tunable_value value = {0};
	char text[4096] = "";
	(void)state;
	for (int i = 0; i < 200; i++)
		strcat(text, "vegas_like ");
	assert_true(tunable_value_parse(TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, text, &value));
	size_t length = strlen(value.word);
	assert_in_range(
	    length, sizeof(value.word) - strlen("vegas_like ") - 1, sizeof(value.word) - 1);
	assert_string_equal(value.word + length - strlen(" vegas_like"), " vegas_like");
}

static void text_is_cut_to_its_room(void **state)
{
	struct tunable_value value = {0};
	char text[8];
	(void)state;
	assert_true(tunable_value_parse(TUNABLE_TCP_RMEM, "4096 131072 6291456", &value));
	assert_string_equal(
	    tunable_value_text(TUNABLE_TCP_RMEM, &value, text, sizeof(text)), "4096 13");
}

struct pair {
	enum tunable_id id;
	const char *a, *b;
	bool equal;
};

static void values_compare(void **state)
{
	static const struct pair rows[] = {
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456", "4096\t131072\t6291456", true},
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456", "4096 131072 6291457", false},
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456", "", false},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "bbr", " bbr\n", true},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "bbr", "bbr2", false},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "", "", false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tunable_value a = {0}, b = {0};
		print_message("'%s' '%s'\n", rows[i].a, rows[i].b);
		tunable_value_parse(rows[i].id, rows[i].a, &a);
		tunable_value_parse(rows[i].id, rows[i].b, &b);
		assert_int_equal(tunable_value_equal(rows[i].id, &a, &b), rows[i].equal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_whole),
	    cmocka_unit_test(unknown_keys_are_not_found),
	    cmocka_unit_test(values_in_force_are_within_bounds),
	    cmocka_unit_test(namespaces_have_what_the_table_says),
	    cmocka_unit_test(bounds_are_the_kernels),
	    cmocka_unit_test(leftovers_are_read_only),
	    cmocka_unit_test(values_are_parsed_and_printed),
	    cmocka_unit_test(refusal_changes_nothing),
	    cmocka_unit_test(long_lists_end_at_a_whole_name),
	    cmocka_unit_test(text_is_cut_to_its_room),
	    cmocka_unit_test(values_compare),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
