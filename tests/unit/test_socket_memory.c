#include "model/socket_memory.h"
#include "model/earlier_samples.h"
#include "model/socket_totals.h"

#include <string.h>

#include "base/source.h"
#include "near.h"

#define MIB 1048576.0

static const struct socket_memory_rule by_measure = {.factor = 2, .floor_bytes = 262144};

static struct socket_info established(void)
{
	struct socket_info info = {.state = "ESTAB", .has = SOCKET_SKMEM};
	return info;
}

/* 1 Gbit/s x 20 ms is 2,500,000 bytes: twice that is where a buffer is too large. */
static void test_target(void **state)
{
	static const struct row {
		const char *name;
		double target_bps, factor;
		uint64_t rcvbuf;
		double min_rtt_us; /* 0: not known */
		bool judged, beyond;
		double ratio;
	} rows[] = {
	    {"at twice the BDP", 1e9, 2, 5000000, 20000, true, false, 2},
	    {"a byte more", 1e9, 2, 5000001, 20000, true, true, 2.0000004},
	    {"the ceiling of 256 MiB", 1e9, 2, 268435456, 20000, true, true, 107.3741824},
	    {"a factor of 200", 1e9, 200, 268435456, 20000, true, false, 107.3741824},
	    {"a longer path", 1e9, 2, 5000001, 40000, true, false, 1.0000002},
	    {"a slower target", 1e8, 2, 5000000, 20000, true, true, 20},
	    /* beyond twice its BDP, but no larger than what everybody is given */
	    {"small", 1e6, 2, 262144, 20000, true, false, 104.8576},
	    {"no longer small", 1e6, 2, 262145, 20000, true, true, 104.858},
	    {"no RTT", 1e9, 2, 268435456, 0, false, false, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct socket_info info = established();
		struct socket_memory memory;
		const struct socket_memory_rule rule = {
		    .target_bps = row->target_bps, .factor = row->factor, .floor_bytes = 262144};

		print_message("%s\n", row->name);
		info.rcvbuf = row->rcvbuf;
		info.rmem_alloc = row->rcvbuf / 2;
		if (row->min_rtt_us > 0)
			info.has |= SOCKET_MIN_RTT;
		info.min_rtt_us = row->min_rtt_us;
		socket_memory_compute(&memory, &info, NULL, &rule);
		assert_int_equal(memory.receive.has_bdp, row->judged);
		assert_int_equal(memory.beyond, row->beyond);
		assert_int_equal(memory.receive.beyond, row->beyond);
		assert_false(memory.send.beyond);
		assert_near(memory.receive.ratio, row->ratio, 1e-6);
		assert_near(memory.held_bytes, (double)(row->rcvbuf / 2), 0);
	}
}

/* What was measured: 100 Mbit/s delivered, 50 ms at best; 600,000 bytes read in a round trip of
 * 60 ms, which is 80 Mbit/s. */
static void test_measured(void **state)
{
	struct socket_info info = established();
	struct socket_memory memory;
	(void)state;

	info.has |=
	    SOCKET_RTT | SOCKET_MIN_RTT | SOCKET_DELIVERY_RATE | SOCKET_RCV_SPACE | SOCKET_RCV_RTT;
	info.rtt_us = 70000;
	info.min_rtt_us = 50000;
	info.delivery_rate_bps = 100e6;
	info.rcv_space = 600000;
	info.rcv_rtt_us = 60000;
	info.rcvbuf = 1000000;
	info.sndbuf = 2000000;
	info.wmem_queued = 1500000;
	info.forward_alloc = 4096;
	socket_memory_compute(&memory, &info, NULL, &by_measure);
	assert_near(memory.rtt_us, 70000, 0);
	assert_near(memory.path_rtt_us, 50000, 0);
	assert_near(memory.send.rate_bps, 100e6, 0);
	assert_near(memory.send.bdp_bytes, 625000, 1e-9);
	assert_near(memory.send.ratio, 3.2, 1e-9);
	assert_near(memory.receive.rate_bps, 80e6, 1e-9);
	assert_near(memory.receive.bdp_bytes, 500000, 1e-9);
	assert_near(memory.receive.ratio, 2, 1e-9);
	assert_true(memory.send.beyond);
	assert_false(memory.receive.beyond);
	assert_near(memory.held_bytes, 1504096, 0);

	/* the faster of the kernel's measure and the interval's counts */
	const struct counter_delta delta = {
	    .seconds = 2, .received_bytes = 25000000, .acked_bytes = 1000};
	socket_memory_compute(&memory, &info, &delta, &by_measure);
	assert_near(memory.receive.rate_bps, 100e6, 1e-9);
	assert_near(memory.send.rate_bps, 100e6, 1e-9);
	assert_near(memory.receive_now_bps, 100e6, 1e-9);
	assert_near(memory.send_now_bps, 4000, 1e-9);
}

static void test_nothing_known(void **state)
{
	static const struct socket_info nothing = {.state = "TIME-WAIT"};
	struct socket_memory memory;
	(void)state;
	socket_memory_compute(&memory, &nothing, NULL, &by_measure);
	assert_int_equal(memory.has, 0);
	assert_false(memory.beyond);
	assert_false(memory.receive.has_bdp || memory.send.has_bdp);
	assert_false(memory.receive.has_rate || memory.send.has_rate);
	assert_int_equal(memory.reader, READER_KEEPS_UP);
}

static void test_shares(void **state)
{
	struct socket_info info = established();
	struct socket_memory memory;
	const struct counter_delta delta = {
	    .seconds = 4, .busy_us = 2e6, .rwnd_limited_us = 1.5e6, .sndbuf_limited_us = 0.1e6};
	(void)state;

	info.has |= SOCKET_BUSY | SOCKET_RETRANS | SOCKET_DATA_SEGS_OUT | SOCKET_WSCALE;
	info.busy_us = 40e6;
	info.rwnd_limited_us = 10e6;
	info.sndbuf_limited_us = 4e6;
	info.data_segs_out = 20000;
	info.retransmits = 25;
	info.snd_wscale = 7;
	info.rcv_wscale = 13;
	socket_memory_compute(&memory, &info, NULL, &by_measure);
	assert_near(memory.rwnd_share, 0.25, 1e-12);
	assert_near(memory.sndbuf_share, 0.1, 1e-12);
	assert_false(memory.has & SOCKET_MEMORY_BUSY);
	assert_near(memory.retransmit_ratio, 0.00125, 1e-12);
	/* RFC 7323: 65535 << 7, 65535 << 13 */
	assert_near(memory.send.window_max_bytes, 8388480, 0);
	assert_near(memory.receive.window_max_bytes, 536862720, 0);
	socket_memory_compute(&memory, &info, &delta, &by_measure);
	assert_near(memory.rwnd_share, 0.75, 1e-12);
	assert_near(memory.sndbuf_share, 0.05, 1e-12);
	assert_near(memory.busy_share, 0.5, 1e-12);
}

static void test_readers(void **state)
{
	static const struct row {
		const char *name, *state;
		uint64_t queue, held, buffer;
		bool two;
		uint64_t before, received;
		enum reader expected;
	} rows[] = {
	    {"empty", "ESTAB", 0, 0, 131072, false, 0, 0, READER_KEEPS_UP},
	    {"a little", "ESTAB", 20000, 40000, 131072, false, 0, 0, READER_KEEPS_UP},
	    {"half of it", "ESTAB", 40000, 65536, 131072, false, 0, 0, READER_BEHIND},
	    {"nothing read, nothing came", "ESTAB", 40000, 65536, 131072, true, 40000, 0,
		READER_STALLED},
	    {"nothing read of what came", "ESTAB", 50000, 65536, 131072, true, 40000, 10000,
		READER_STALLED},
	    {"a part was read", "ESTAB", 50000, 65536, 131072, true, 40000, 10001, READER_BEHIND},
	    {"was empty before", "ESTAB", 50000, 65536, 131072, true, 0, 50000, READER_BEHIND},
	    {"a backlog is no data", "LISTEN", 128, 131072, 131072, false, 0, 0, READER_KEEPS_UP},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct socket_info info = established();
		struct socket_memory memory;
		const struct counter_delta delta = {.seconds = 5,
		    .received_bytes = row->received,
		    .queue_before_bytes = row->before,
		    .queue_bytes = row->queue};

		print_message("%s\n", row->name);
		strcpy(info.state, row->state);
		info.recv_queue = row->queue;
		info.rmem_alloc = row->held;
		info.rcvbuf = row->buffer;
		socket_memory_compute(&memory, &info, row->two ? &delta : NULL, &by_measure);
		assert_int_equal(memory.reader, row->expected);
	}
}

static void add(struct socket_totals *totals, uint64_t rcvbuf, uint64_t held, const char *peer)
{
	const struct socket_memory_rule rule = {
	    .target_bps = 1e9, .factor = 2, .floor_bytes = 262144};
	struct listed item = {.info = established()};

	item.info.has |= SOCKET_MIN_RTT;
	item.info.min_rtt_us = 20000;
	item.info.rcvbuf = rcvbuf;
	item.info.rmem_alloc = held;
	strcpy(item.info.peer, peer);
	socket_memory_compute(&item.memory, &item.info, NULL, &rule);
	socket_totals_add(totals, &item);
}

static void test_totals(void **state)
{
	static struct socket_totals totals;
	char peer[16];
	(void)state;

	/* 100 sockets: 1, 2, ... 100 MiB of buffer, a quarter of it held; 5 MB is 4.77 MiB */
	for (unsigned i = 0; i < 100; i++) {
		unsigned size = (i * 37) % 100 + 1; /* in no order */
		snprintf(peer, sizeof(peer), "10.0.0.%u", size);
		add(&totals, (uint64_t)size << 20, (uint64_t)size << 18, peer);
	}
	assert_int_equal(totals.sockets, 100);
	assert_int_equal(totals.by_state[STATE_ESTAB], 100);
	assert_int_equal(totals.judged, 100);
	assert_int_equal(totals.beyond, 96); /* 5 to 100 */
	assert_int_equal(totals.receive.beyond, 96);
	assert_int_equal(totals.send.beyond, 0);
	assert_near(totals.held_bytes, 5050 * MIB / 4, 0);
	assert_near(totals.receive.buffer_bytes, 5050 * MIB, 0);
	assert_near(totals.beyond_buffer_bytes, 5040 * MIB, 0);
	assert_near(totals.beyond_held_bytes, 5040 * MIB / 4, 0);
	assert_near(totals.receive.largest_buffer_bytes, 100 * MIB, 0);
	assert_near(totals.receive.largest_bdp_bytes, 2500000, 1e-9);
	assert_int_equal(totals.largest_count, 10);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(peer, sizeof(peer), "10.0.0.%u", 100 - i);
		assert_string_equal(totals.largest[i].info.peer, peer);
	}
}

/* The classes partition the sizes: 1 MiB to below 2 MiB is one, from 1 GiB on the last. */
static void test_classes(void **state)
{
	static struct socket_totals totals;
	uint64_t sum = 0;
	(void)state;

	add(&totals, 0, 0, "");
	add(&totals, 65535, 0, "");
	add(&totals, 65536, 0, "");
	add(&totals, 1 << 20, 5, "");
	add(&totals, (2 << 20) - 1, 7, "");
	add(&totals, 2 << 20, 0, "");
	add(&totals, (1u << 30) - 1, 0, "");
	add(&totals, 1u << 30, 0, "");
	add(&totals, 2147483647, 0, "");
	assert_int_equal(totals.classes[0].sockets, 2);
	assert_near(socket_totals_class_bytes(1), 65536, 0);
	assert_int_equal(totals.classes[1].sockets, 1);
	assert_near(socket_totals_class_bytes(5), MIB, 0);
	assert_int_equal(totals.classes[5].sockets, 2);
	assert_near(totals.classes[5].held_bytes, 12, 0);
	assert_near(socket_totals_class_bytes(SOCKET_TOTALS_CLASSES - 1), 1024 * MIB, 0);
	assert_int_equal(totals.classes[SOCKET_TOTALS_CLASSES - 2].sockets, 1);
	assert_int_equal(totals.classes[SOCKET_TOTALS_CLASSES - 1].sockets, 2);
	for (unsigned i = 0; i < SOCKET_TOTALS_CLASSES; i++)
		sum += totals.classes[i].sockets;
	assert_int_equal(sum, totals.sockets);
}

/* Of equals those that came first stay, and a socket that does not tell is counted only. */
static void test_ranking(void **state)
{
	static struct socket_totals totals;
	struct listed blind = {.info = {.state = "TIME-WAIT"}};
	char peer[16];
	(void)state;

	for (unsigned i = 0; i < 20; i++) {
		snprintf(peer, sizeof(peer), "10.0.0.%u", i);
		add(&totals, 131072, 0, peer);
	}
	socket_totals_add(&totals, &blind);
	assert_int_equal(totals.sockets, 21);
	assert_int_equal(totals.with_memory, 20);
	assert_int_equal(totals.by_state[STATE_TIME_WAIT], 1);
	assert_string_equal(totals.largest[0].info.peer, "10.0.0.0");
	assert_string_equal(totals.largest[9].info.peer, "10.0.0.9");
}

static void test_previous(void **state)
{
	struct earlier_samples *earlier = earlier_samples_new();
	struct socket_info info = {.has = SOCKET_BUSY};
	struct counter_delta delta;
	unsigned known = 0;
	(void)state;

	earlier_samples_begin(earlier, 100);
	for (uint64_t key = 1; key <= 40000; key++) {
		info.bytes_received = key;
		info.busy_us = 5e12; /* 58 days: past where milliseconds wrap in 32 bits */
		info.recv_queue = 7;
		assert_false(earlier_samples_swap(earlier, key, &info, &delta));
	}
	earlier_samples_begin(earlier, 102.5);
	for (uint64_t key = 1; key <= 40000; key += 2) {
		info.bytes_received = key + 1000;
		info.bytes_acked = 2000;
		info.busy_us = 5e12 + 1e6;
		info.recv_queue = 9;
		if (!earlier_samples_swap(earlier, key, &info, &delta))
			continue;
		known++;
		assert_near(delta.seconds, 2.5, 1e-12);
		assert_int_equal(delta.received_bytes, 1000);
		assert_int_equal(delta.acked_bytes, 2000);
		assert_near(delta.busy_us, 1e6, 1e-9);
		assert_int_equal(delta.queue_before_bytes, 7);
		assert_int_equal(delta.queue_bytes, 9);
	}
	/* the table is two thirds full: hardly one is lost */
	assert_true(known >= 19900);
	/* those left out of the last reading are no longer known; a new one takes their place */
	earlier_samples_begin(earlier, 105);
	assert_false(earlier_samples_swap(earlier, 2, &info, &delta));
	assert_true(earlier_samples_swap(earlier, 1, &info, &delta));
	earlier_samples_free(earlier);
	earlier_samples_free(NULL);
}

/* Far more sockets than there is room for: none is told wrong. */
static void test_previous_overflow(void **state)
{
	struct earlier_samples *earlier = earlier_samples_new();
	struct socket_info info = {.has = 0};
	struct counter_delta delta;
	unsigned known = 0;
	(void)state;

	for (unsigned reading = 0; reading < 3; reading++) {
		earlier_samples_begin(earlier, reading);
		for (uint64_t key = 1; key <= 200000; key++) {
			info.bytes_received = key * 10 + reading;
			if (earlier_samples_swap(earlier, key, &info, &delta)) {
				known++;
				assert_int_equal(delta.received_bytes, 1);
			}
		}
	}
	assert_true(known >= 100000);
	earlier_samples_free(earlier);
}

/* Recorded in a situation where the receive window of 4 MiB held the flow: nothing there is beyond
 * twice what the path needs, though the buffer is at its ceiling. */
static void test_corpus(void **state)
{
	struct source *source = source_open("tests/corpus/ss/rwnd-clamp.receiver.txt");
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	struct socket_memory memory;
	bool seen = false;
	(void)state;

	assert_non_null(source);
	while (ss_next(reader, &info) > 0) {
		socket_memory_compute(&memory, &info, NULL, &by_measure);
		assert_false(memory.beyond);
		if (info.rcvbuf < 4194304)
			continue;
		seen = true;
		/* rcv_space is what came in one rcv_rtt: near the 2.6 MiB in flight */
		assert_true(memory.receive.has_bdp);
		assert_near(memory.receive.bdp_bytes, 2.72e6, 0.1);
	}
	assert_true(seen);
	ss_close(reader);
	source_close(source);
}

/* Below 256 KiB, or what the host gives at first where that is more, no buffer is called large. */
static void test_rule_of_host(void **state)
{
	static const struct {
		int64_t rmem_default; /* 0: not known */
		double factor, floor_bytes, expected_factor;
	} rows[] = {
	    {0, 0, 262144, 2},
	    {131072, 0, 262144, 2},
	    {262145, 0, 262145, 2},
	    {16777216, 4, 16777216, 4},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct host host = {0};
		struct tunable_value *rmem = &host.values[TUNABLE_TCP_RMEM];
		rmem->known = rows[i].rmem_default > 0;
		rmem->number[1] = rows[i].rmem_default;
		rmem->number[2] = 536870912;
		struct socket_memory_rule rule = socket_memory_rule_for(&host, rows[i].factor, 1e9);
		assert_near(rule.floor_bytes, rows[i].floor_bytes, 0);
		assert_near(rule.factor, rows[i].expected_factor, 0);
		assert_near(rule.target_bps, 1e9, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_target),
	    cmocka_unit_test(test_measured),
	    cmocka_unit_test(test_nothing_known),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_readers),
	    cmocka_unit_test(test_totals),
	    cmocka_unit_test(test_classes),
	    cmocka_unit_test(test_ranking),
	    cmocka_unit_test(test_previous),
	    cmocka_unit_test(test_previous_overflow),
	    cmocka_unit_test(test_corpus),
	    cmocka_unit_test(test_rule_of_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
