#include "evidence/drops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILES "tests/corpus/drops/"

static bool read_text(struct drops *drops, const char *text)
{
	const char *why;
	struct source *source = source_memory("test", text, strlen(text));
	bool good = drops_read(drops, source, &why);
	source_close(source);
	return good;
}

static bool read_file(struct drops *drops, const char *path)
{
	const char *why;
	struct source *source = source_open(path);
	assert_non_null(source);
	bool good = drops_read(drops, source, &why);
	source_close(source);
	return good;
}

static const struct drop_counter *find(const struct drops *drops, const char *dev, const char *name)
{
	for (unsigned i = 0; i < drops->count; i++)
		if (strcmp(drops->counters[i].dev, dev) == 0 &&
		    strcmp(drops->counters[i].name, name) == 0)
			return &drops->counters[i];
	return NULL;
}

static void recorded(void **state)
{
	static struct drops drops;

	(void)state;
	assert_true(read_file(&drops, FILES "ethtool.txt"));
	assert_int_equal(find(&drops, "", "rx_missed_errors")->last, 4954);
	assert_int_equal(find(&drops, "", "rx_no_buffer_count")->last, 527);
	assert_int_equal(find(&drops, "", "rx_missed_errors")->family, DROP_RING);
	assert_null(find(&drops, "", "rx_packets"));
	assert_string_equal(drops_largest(&drops)->name, "rx_missed_errors");
	/* every form of the same machine shows its two interfaces */
	static const char *const files[] = {
	    "ip-s-link.txt", "ip-s-link.json", "ifconfig.txt", "proc-net-dev.txt"};
	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];
		snprintf(path, sizeof(path), FILES "%s", files[i]);
		print_message("%s\n", path);
		memset(&drops, 0, sizeof(drops));
		assert_true(read_file(&drops, path));
		assert_non_null(find(&drops, "eth0", "rx_dropped"));
		assert_non_null(find(&drops, "lo", "rx_dropped"));
		assert_non_null(find(&drops, "eth0", "tx_dropped"));
		assert_null(drops_largest(&drops));
		assert_false(drops_have_two(&drops));
	}
	memset(&drops, 0, sizeof(drops));
	assert_true(read_file(&drops, FILES "softnet-stat.txt"));
	assert_int_equal(drops.count, 1);
	assert_int_equal(drops.blocks, 1);
	assert_true(read_file(&drops, FILES "ip-s-s-link.txt"));
	assert_non_null(find(&drops, "lo", "rx_crc"));
	assert_non_null(find(&drops, "lo", "rx_fifo"));
}

/* Two readings of one interface, one behind the other or in two sources. */
static void two_readings(void **state)
{
	static const struct {
		const char *text;
		const char *dev, *name;
		uint64_t first, last;
	} rows[] = {
	    {"NIC statistics:\n     rx_missed_errors: 10\nNIC statistics:\n     rx_missed_errors: 4964\n",
		"", "rx_missed_errors", 10, 4964},
	    {"$ ethtool -S eth1 | grep missed\n     rx_missed_errors: 10\n$ sleep 9\n"
	     "$ ethtool -S eth1 | grep missed\n     rx_missed_errors: 11\n",
		"eth1", "rx_missed_errors", 10, 11},
	    /* queues of one reading add up */
	    {"NIC statistics:\n rx_queue_0_drops: 1\n rx_queue_1_drops: 2\nNIC statistics:\n"
	     " rx_queue_0_drops: 5\n rx_queue_1_drops: 6\n",
		"", "rx_queue_drops", 3, 11},
	    {"2: eth0: <UP> mtu 1500\n    RX: bytes packets errors dropped overrun mcast\n"
	     "    1 2 0 7 3 0\n2: eth0: <UP> mtu 1500\n    RX: bytes packets errors dropped overrun mcast\n"
	     "    1 2 0 7 9 0\n",
		"eth0", "rx_overrun", 3, 9},
	    {"eth0: flags=4163<UP>  mtu 1400\n        RX errors 0  dropped 1  overruns 2  frame 0\n"
	     "eth0: flags=4163<UP>  mtu 1400\n        RX errors 0  dropped 1  overruns 8  frame 0\n",
		"eth0", "rx_overruns", 2, 8},
	    {"0008b3fc 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	     "00000000 00000000 00000000\n"
	     "0007c0bd 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	     "00000000 00000000 00000001\n"
	     "0008b3fc 00000010 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	     "00000000 00000000 00000000\n"
	     "0007c0bd 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
	     "00000000 00000000 00000001\n",
		"", "softnet_dropped", 3, 18},
	    /* whose interface the paste has lost */
	    {"    RX: bytes packets errors dropped missed mcast\n    1 2 0 7 3 0\n2: eth0: <UP> mtu 1500\n"
	     "    RX: bytes packets errors dropped missed mcast\n    1 2 0 7 1 0\n2: eth0: <UP> mtu 1500\n"
	     "    RX: bytes packets errors dropped missed mcast\n    1 2 0 7 4 0\n",
		"eth0", "rx_missed", 1, 4},
	    {"  eth0: 1 2 0 4 0 0 0 0 1 2 0 0 0 0 0 0\n  eth0: 1 2 0 9 0 0 0 0 1 2 0 0 0 0 0 0\n",
		"eth0", "rx_dropped", 4, 9},
	    {"$ ip -j -s link\n[{\"ifname\":\"eth0\",\"stats64\":{\"rx\":{\"bytes\":9,\"dropped\":1,"
	     "\"over_errors\":0}}}]\n$ ip -j -s link\n[{\"ifname\":\"eth0\",\"stats64\":{\"rx\":{"
	     "\"bytes\":9,\"dropped\":3}}}]\n",
		"eth0", "rx_dropped", 1, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		static struct drops drops;
		memset(&drops, 0, sizeof(drops));
		print_message("%s\n", rows[i].text);
		assert_true(read_text(&drops, rows[i].text));
		assert_true(drops_have_two(&drops));
		const struct drop_counter *counter = find(&drops, rows[i].dev, rows[i].name);
		assert_non_null(counter);
		assert_int_equal(counter->first, rows[i].first);
		assert_int_equal(counter->last, rows[i].last);
		assert_ptr_equal(drops_worst(&drops, false), counter);
	}
}

static void damaged_frames_are_apart(void **state)
{
	static struct drops drops;

	(void)state;
	assert_true(read_text(&drops, "NIC statistics:\n rx_crc_errors: 1\n rx_fifo_errors: 3\n"));
	assert_true(read_text(&drops, "NIC statistics:\n rx_crc_errors: 9\n rx_fifo_errors: 3\n"));
	assert_null(drops_worst(&drops, false));
	assert_string_equal(drops_worst(&drops, true)->name, "rx_crc_errors");
}

static void what_is_no_drop(void **state)
{
	static const char *const rows[] = {
	    "",
	    "NIC statistics:\n     rx_packets: 5\n     tx_bytes: 6\n",
	    "NIC statistics:\n     rx_xdp_drops: 5\n",
	    "rx_missed_errors: -1\n",
	    "rx_missed_errors: 5 packets\n",
	    "2: eth0: <UP> mtu 1500\n",
	    "0008b3fc 00000001 00000000\n",
	    "eth0: 1 2 3\n",
	    "[{\"ifname\":\"eth0\"}]\n",
	    "[{\"ifname\":\"eth0\",\"stats64\":{\"rx\":{\"dropped\":-1}}}]\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		static struct drops drops;
		memset(&drops, 0, sizeof(drops));
		print_message("%s\n", rows[i]);
		assert_false(read_text(&drops, rows[i]));
		assert_int_equal(drops.count, 0);
	}
}

/* A machine with thousands of interfaces: the table is full, and what is in it goes on counting. */
static void many_interfaces(void **state)
{
	static struct drops drops;
	char text[80];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "  v%u: 1 2 0 %u 0 0 0 0 1 2 0 0 0 0 0 0\n", i, i % 7);
		read_text(&drops, text);
	}
	assert_int_equal(drops.count, DROP_COUNTERS_MAX);
	read_text(&drops, "  v1: 1 2 0 99 0 0 0 0 1 2 0 0 0 0 0 0\n");
	assert_int_equal(drops_worst(&drops, false)->last, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded),
	    cmocka_unit_test(two_readings),
	    cmocka_unit_test(damaged_frames_are_apart),
	    cmocka_unit_test(what_is_no_drop),
	    cmocka_unit_test(many_interfaces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
