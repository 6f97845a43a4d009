#include "diagnosis/deviation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "advice/host_mend.h"
#include "model/capacity.h"
#include "near.h"
#include "report/host_report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GIB (UINT64_C(1) << 30)

static void set(struct host *host, enum tunable_id id, const char *text)
{
	assert_true(tunable_value_parse(id, text, &host->values[id]));
}

static struct host host_of(unsigned major, unsigned minor, uint64_t ram_bytes)
{
	return (struct host){.origin = HOST_DUMP,
	    .kernel = {.known = major > 0, .major = major, .minor = minor},
	    .mem_total_bytes = ram_bytes,
	    .page_size = 4096};
}

/* One setting on a host that has no other; "" stands for no deviation. */
static void test_effects(void **state)
{
	static const struct {
		enum tunable_id id;
		const char *value;
		unsigned major, minor;
		uint64_t ram_bytes;
		int effect; /* -1: none */
		const char *mend;
	} rows[] = {
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456", 5, 15, 16 * GIB, -1, ""},
	    {TUNABLE_TCP_RMEM, "4096 131072 33554432", 6, 18, 16 * GIB, -1, ""},
	    {TUNABLE_TCP_RMEM, "4096 131072 6291456", 6, 18, 16 * GIB, EFFECT_HARMS,
		"4096 131072 33554432"},
	    {TUNABLE_TCP_RMEM, "4096 131072 33554432", 5, 15, 16 * GIB, EFFECT_HELPS, ""},
	    /* 512 MiB of RAM: 4 MiB is the kernel's own */
	    {TUNABLE_TCP_RMEM, "4096 131072 4194304", 5, 15, GIB / 2, -1, ""},
	    {TUNABLE_TCP_RMEM, "4096 131072 4194304", 5, 15, 16 * GIB, EFFECT_HARMS,
		"4096 131072 6291456"},
	    /* no kernel named: what some kernel ships is no deviation */
	    {TUNABLE_TCP_RMEM, "4096 87380 6291456", 0, 0, 0, -1, ""},
	    {TUNABLE_TCP_RMEM, "4096 131072 33554432", 0, 0, 0, -1, ""},
	    {TUNABLE_TCP_RMEM, "4096 131072 1048576", 0, 0, 0, EFFECT_HARMS, NULL},
	    {TUNABLE_TCP_RMEM, "4096 16777216 67108864", 5, 15, 16 * GIB, EFFECT_HARMS,
		"4096 131072 67108864"},
	    {TUNABLE_TCP_RMEM, "1048576 1048576 67108864", 5, 15, 16 * GIB, EFFECT_HARMS,
		"4096 1048576 67108864"},
	    {TUNABLE_TCP_RMEM, "8192 4096 67108864", 5, 15, 16 * GIB, EFFECT_HARMS,
		"8192 131072 67108864"},
	    {TUNABLE_TCP_WMEM, "4096 16384 4194304", 5, 15, 16 * GIB, -1, ""},
	    {TUNABLE_TCP_WMEM, "4096 16384 1048576", 5, 15, 16 * GIB, EFFECT_HARMS,
		"4096 16384 4194304"},
	    {TUNABLE_RMEM_MAX, "212992", 5, 15, 0, -1, ""},
	    {TUNABLE_RMEM_MAX, "131072", 5, 15, 0, EFFECT_HARMS, "212992"},
	    {TUNABLE_RMEM_MAX, "16777216", 5, 15, 0, EFFECT_NEUTRAL, ""},
	    {TUNABLE_TCP_SACK, "1", 5, 15, 0, -1, ""},
	    {TUNABLE_TCP_SACK, "0", 5, 15, 0, EFFECT_HARMS, "1"},
	    {TUNABLE_TCP_WINDOW_SCALING, "0", 5, 15, 0, EFFECT_HARMS, "1"},
	    {TUNABLE_TCP_TIMESTAMPS, "1", 5, 15, 0, -1, ""},
	    {TUNABLE_TCP_TIMESTAMPS, "0", 5, 15, 0, EFFECT_HARMS, "1"},
	    {TUNABLE_TCP_MODERATE_RCVBUF, "1", 5, 15, 0, -1, ""},
	    {TUNABLE_TCP_MODERATE_RCVBUF, "0", 5, 15, 0, EFFECT_HARMS, "1"},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "1", 5, 15, 0, -1, ""},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "-2", 5, 15, 0, EFFECT_HARMS, "1"},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "-2", 6, 6, 0, EFFECT_NOTHING, ""},
	    {TUNABLE_TCP_ADV_WIN_SCALE, "2", 6, 5, 0, EFFECT_NEUTRAL, ""},
	    {TUNABLE_TCP_LOW_LATENCY, "1", 4, 13, 0, EFFECT_NEUTRAL, ""},
	    {TUNABLE_TCP_LOW_LATENCY, "1", 4, 14, 0, EFFECT_NOTHING, ""},
	    {TUNABLE_TCP_FACK, "1", 4, 14, 0, -1, ""},
	    {TUNABLE_TCP_FACK, "1", 4, 15, 0, EFFECT_NOTHING, ""},
	    {TUNABLE_TCP_FACK, "0", 4, 15, 0, -1, ""},
	    {TUNABLE_TCP_MTU_PROBING, "1", 6, 1, 0, EFFECT_HELPS, ""},
	    {TUNABLE_TCP_MTU_PROBING, "2", 6, 1, 0, EFFECT_HARMS, "0"},
	    {TUNABLE_TCP_NOTSENT_LOWAT, "4294967295", 6, 1, 0, -1, ""},
	    {TUNABLE_TCP_NOTSENT_LOWAT, "131072", 6, 1, 0, EFFECT_HELPS, ""},
	    {TUNABLE_TCP_NOTSENT_LOWAT, "4096", 6, 1, 0, EFFECT_HARMS, "4294967295"},
	    /* 64 GiB: 16 Mi pages, a sixteenth is 1 Mi */
	    {TUNABLE_TCP_MEM, "786432 1048576 1572864", 6, 1, 64 * GIB, -1, ""},
	    {TUNABLE_TCP_MEM, "760000 1020000 1520000", 6, 1, 64 * GIB, -1, ""},
	    {TUNABLE_TCP_MEM, "50576 64768 98152", 6, 1, 64 * GIB, EFFECT_HARMS,
		"786432 1048576 1572864"},
	    {TUNABLE_TCP_MEM, "4194304 16777216 67108864", 6, 1, 64 * GIB, EFFECT_HARMS,
		"786432 1048576 1572864"},
	    {TUNABLE_TCP_MEM, "50576 64768 98152", 6, 1, 0, -1, ""},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "cubic", 6, 1, 0, -1, ""},
	    {TUNABLE_TCP_CONGESTION_CONTROL, "bbr", 6, 1, 0, EFFECT_NEUTRAL, ""},
	};
	(void)state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host host = host_of(rows[i].major, rows[i].minor, rows[i].ram_bytes);
		struct deviations deviations;
		char mend[256];

		print_message("%s = %s, Linux %u.%u\n", tunables[rows[i].id].key, rows[i].value,
		    rows[i].major, rows[i].minor);
		set(&host, rows[i].id, rows[i].value);
		deviations_find(&host, &deviations);
		assert_int_equal(deviations.count, rows[i].effect >= 0);
		if (rows[i].effect < 0)
			continue;
		const struct deviation *item = &deviations.items[0];
		assert_int_equal(item->id, rows[i].id);
		assert_int_equal(item->effect, rows[i].effect);
		assert_int_equal(deviations.harms, item->effect == EFFECT_HARMS);
		assert_int_equal(item->has_mend, item->effect == EFFECT_HARMS);
		if (item->has_mend && rows[i].mend)
			assert_string_equal(
			    tunable_value_text(item->id, &item->mend, mend, sizeof(mend)),
			    rows[i].mend);
	}
}

/* A value that was mended is no deviation that harms any more. */
static void test_mended(void **state)
{
	struct host host = host_of(5, 15, 16 * GIB);
	struct deviations deviations;
	(void)state;

	set(&host, TUNABLE_TCP_RMEM, "1048576 16777216 2097152");
	set(&host, TUNABLE_TCP_WMEM, "4096 4194304 4194304");
	set(&host, TUNABLE_TCP_MEM, "1 2 3");
	set(&host, TUNABLE_TCP_SACK, "0");
	deviations_find(&host, &deviations);
	assert_int_equal(deviations.harms, 4);
	for (size_t i = 0; i < deviations.count; i++)
		if (deviations.items[i].has_mend)
			host.values[deviations.items[i].id] = deviations.items[i].mend;
	deviations_find(&host, &deviations);
	assert_int_equal(deviations.harms, 0);
}

static void test_capacity(void **state)
{
	struct host host = host_of(5, 15, 0);
	struct capacity capacity;
	(void)state;

	capacity_of_host(&host, &capacity);
	assert_false(capacity.has_receive);
	assert_false(capacity.has_send);
	set(&host, TUNABLE_TCP_RMEM, "4096 131072 6291456");
	set(&host, TUNABLE_TCP_WMEM, "4096 16384 4194304");
	capacity_of_host(&host, &capacity);
	assert_near(capacity.receive_bytes, 3145728, 1); /* half before 6.6 */
	assert_near(capacity.send_bytes, 2810183, 1000); /* two thirds */
	assert_near(capacity_bps(3145728, 100000), 251658240, 1);
	set(&host, TUNABLE_TCP_MODERATE_RCVBUF, "0");
	capacity_of_host(&host, &capacity);
	assert_near(capacity.receive_bytes, 65536, 1);
	set(&host, TUNABLE_TCP_WINDOW_SCALING, "0");
	capacity_of_host(&host, &capacity);
	assert_near(capacity.receive_bytes, 65535, 1);
	assert_near(capacity.send_bytes, 65535, 1);
}

static void test_need(void **state)
{
	struct host host = host_of(5, 15, 0);
	struct deviations none = {.count = 0};
	struct host_need need;
	struct host_mend mends[HOST_MENDS_MAX];
	(void)state;

	set(&host, TUNABLE_TCP_RMEM, "4096 131072 6291456");
	set(&host, TUNABLE_TCP_WMEM, "4096 16384 4194304");
	/* 1 Gbit/s x 50 ms are 6.25 MB: twice that and up, to three bits, is 12 MiB */
	host_need_find(&host, 1e9, 50000, &need);
	assert_false(need.receives_enough);
	assert_false(need.sends_enough);
	assert_near(need.receive_ceiling_bytes, 12 * 0x1p20, 1);
	assert_int_equal(host_mends_find(&host, &none, &need, mends, HOST_MENDS_MAX), 2);
	assert_int_equal(mends[0].id, TUNABLE_TCP_RMEM);
	assert_int_equal(mends[0].value.number[1], 131072);
	assert_int_equal(mends[0].value.number[2], 12 << 20);
	assert_int_equal(mends[1].value.number[2], 12 << 20);
	host.values[TUNABLE_TCP_RMEM] = mends[0].value;
	host.values[TUNABLE_TCP_WMEM] = mends[1].value;
	host_need_find(&host, 1e9, 50000, &need);
	assert_true(need.receives_enough);
	assert_true(need.sends_enough);
	assert_int_equal(host_mends_find(&host, &none, &need, mends, HOST_MENDS_MAX), 0);
	/* 100 Gbit/s x 200 ms are 2.5 GB: no window is that large */
	host_need_find(&host, 1e11, 200000, &need);
	assert_false(need.receives_enough);
	assert_true(need.receive_ceiling_bytes <= 0);
	host_need_find(&host, 0, 0, &need);
	assert_int_equal(host_mends_find(&host, &none, &need, mends, HOST_MENDS_MAX), 0);
}

/* What a ceiling of 64 MiB gives: half of it is window before 6.6, over 100 ms. */
static void test_what_it_carries(void **state)
{
	struct host host = host_of(5, 15, 16 * GIB);
	struct deviations deviations;
	(void)state;

	set(&host, TUNABLE_TCP_RMEM, "4096 131072 67108864");
	deviations_find(&host, &deviations);
	assert_int_equal(deviations.count, 1);
	assert_int_equal(deviations.items[0].kind, DEVIATION_CEILING_HIGH);
	assert_near(deviations.items[0].amount, 33554432.0 * 8 / 0.1, 0.03);

	/* 1 MiB where 6 MiB are the kernel's own */
	set(&host, TUNABLE_TCP_RMEM, "4096 131072 1048576");
	deviations_find(&host, &deviations);
	assert_int_equal(deviations.items[0].kind, DEVIATION_CEILING_LOW);
	assert_near(deviations.items[0].amount, 524288.0 * 8 / 0.1, 0.03);
	assert_near(deviations.items[0].own_amount, 3145728.0 * 8 / 0.1, 0.03);
}

/* 64 GiB in pages of 4 KiB: what the limits come to, beyond all of RAM or far below what the kernel sets. */
static void test_memory_in_words(void **state)
{
	static const struct {
		const char *value;
		enum deviation_kind kind;
		const char *says;
	} rows[] = {
	    {"4194304 16777216 67108864", DEVIATION_MEMORY_BEYOND,
		"256 GiB of 64 GiB of RAM: it counts pages"},
	    {"50576 64768 98152", DEVIATION_MEMORY_SMALL, "all of TCP gets 383 MiB"},
	};
	(void)state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host host = host_of(6, 1, 64 * GIB);
		struct deviations deviations;

		set(&host, TUNABLE_TCP_MEM, rows[i].value);
		deviations_find(&host, &deviations);
		assert_int_equal(deviations.items[0].kind, rows[i].kind);
		struct phrase words =
		    host_deviation_words(&deviations.items[0], &host.values[TUNABLE_TCP_MEM]);
		print_message("%s\n", words.s);
		assert_non_null(strstr(words.s, rows[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_effects),
	    cmocka_unit_test(test_mended),
	    cmocka_unit_test(test_capacity),
	    cmocka_unit_test(test_need),
	    cmocka_unit_test(test_what_it_carries),
	    cmocka_unit_test(test_memory_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
