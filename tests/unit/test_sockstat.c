#include "evidence/sockstat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diagnosis/host_findings.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_source(struct sockstat *sockstat, struct source *source)
{
	const char *why;
	assert_non_null(source);
	bool good = sockstat_read(sockstat, source, &why);
	source_close(source);
	return good;
}

static bool read_text(struct sockstat *sockstat, const char *text)
{
	return read_source(sockstat, source_memory("test", text, strlen(text)));
}

static void recorded(void **state)
{
	struct sockstat sockstat;

	(void)state;
	assert_true(read_source(&sockstat, source_open("tests/corpus/memory/out-of-memory.txt")));
	/* twice in the log; the line with the grep for it is none */
	assert_int_equal(sockstat.out_of_memory, 2);
	assert_int_equal(sockstat.has, SOCKSTAT_TCP | SOCKSTAT_ORPHANS | SOCKSTAT_ALLOCATED);
	assert_int_equal(sockstat.inuse, 4823);
	assert_int_equal(sockstat.orphans, 481);
	assert_int_equal(sockstat.allocated, 4844);
	assert_int_equal(sockstat.memory_pages, 57350);
	assert_true(
	    read_source(&sockstat, source_open("tests/corpus/counters/proc-net-sockstat.txt")));
	assert_int_equal(sockstat.memory_pages, 217);
}

static void lines(void **state)
{
	static const struct {
		const char *text;
		bool good;
		unsigned has;
		uint64_t orphan_lines;
	} rows[] = {
	    {"TCP6: inuse 7\n", true, SOCKSTAT_TCP6, 0},
	    {"TCP: inuse 1 orphan 2 tw 3 alloc 4 mem 5\nTCP6: inuse 7\n", true,
		SOCKSTAT_TCP | SOCKSTAT_ORPHANS | SOCKSTAT_ALLOCATED | SOCKSTAT_TCP6, 0},
	    {"TCP: inuse 1 mem 5\n", true, SOCKSTAT_TCP, 0},
	    {"TCP: inuse 1 orphan 2\n", false, 0, 0},
	    {"TCP: inuse x mem 5\n", false, 0, 0},
	    {"UDP: inuse 5 mem 4\n", false, 0, 0},
	    {"[ 12.5] TCP: too many orphaned sockets\n", true, 0, 1},
	    {"Jan 1 host kernel: TCP: too many of orphaned sockets\n", true, 0, 1},
	    {"# dmesg | grep 'orphaned sockets'\n", false, 0, 0},
	    {"TCP: inuse 99999999999999999999 mem 5\n", false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sockstat sockstat;
		print_message("%s", rows[i].text);
		assert_int_equal(read_text(&sockstat, rows[i].text), rows[i].good);
		assert_int_equal(sockstat.has, rows[i].has);
		assert_int_equal(sockstat.too_many_orphans, rows[i].orphan_lines);
	}
}

static bool found(const struct findings *findings, enum finding_id id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].id == id)
			return true;
	return false;
}

/* One row shows the finding, the next just does not. */
static void findings_of_memory(void **state)
{
	static const struct {
		struct sockstat sockstat;
		int64_t most_orphans; /* 0: unknown */
		bool leak, orphans, memory;
	} rows[] = {
	    {{.has = SOCKSTAT_TCP | SOCKSTAT_ALLOCATED, .inuse = 300, .allocated = 1300}, 0, true,
		false, false},
	    {{.has = SOCKSTAT_TCP | SOCKSTAT_ALLOCATED, .inuse = 300, .allocated = 1299}, 0, false,
		false, false},
	    {{.has = SOCKSTAT_TCP | SOCKSTAT_ALLOCATED, .inuse = 3000, .allocated = 11999}, 0,
		false, false, false},
	    {{.has = SOCKSTAT_TCP | SOCKSTAT_ALLOCATED | SOCKSTAT_TCP6,
		 .inuse = 3000,
		 .inuse6 = 9000,
		 .allocated = 13000},
		0, false, false, false},
	    {{.has = SOCKSTAT_TCP, .inuse = 1}, 0, false, false, false},
	    {{.has = SOCKSTAT_ORPHANS, .orphans = 4097}, 4096, false, true, false},
	    {{.has = SOCKSTAT_ORPHANS, .orphans = 4096}, 4096, false, false, false},
	    {{.has = SOCKSTAT_ORPHANS, .orphans = 4097}, 0, false, false, false},
	    {{.too_many_orphans = 1}, 0, false, true, false},
	    {{.out_of_memory = 1}, 0, false, false, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		static struct host host;
		struct findings findings = {.count = 0};
		memset(&host, 0, sizeof(host));
		host.sockstat = rows[i].sockstat;
		host.values[TUNABLE_TCP_MAX_ORPHANS] =
		    (struct tunable_value){.known = rows[i].most_orphans > 0,
			.count = 1,
			.number = {rows[i].most_orphans}};
		find_sockstat(&findings, &host, "host");
		print_message("row %zu\n", i);
		assert_int_equal(found(&findings, FINDING_SOCKET_LEAK), rows[i].leak);
		assert_int_equal(found(&findings, FINDING_ORPHANS), rows[i].orphans);
		assert_int_equal(found(&findings, FINDING_OUT_OF_MEMORY), rows[i].memory);
	}
}

static struct drops drops_of(const char *name, uint64_t first, uint64_t last)
{
	struct drops drops = {.blocks = 1};

	drops_add(&drops, "eth0", name, first);
	drops.blocks++;
	drops_add(&drops, "eth0", name, last);
	return drops;
}

static void findings_of_drops(void **state)
{
	static const struct {
		const char *name;
		uint64_t first, last, retransmits;
		bool finding, damaged, explains;
	} rows[] = {
	    {"rx_missed_errors", 10, 60, 100, true, false, true},
	    {"rx_missed_errors", 10, 59, 100, true, false, false},
	    {"rx_missed_errors", 10, 10, 100, false, false, false},
	    {"rx_missed_errors", 10, 9, 100, false, false, false},
	    {"rx_missed_errors", 10, 60, 0, true, false, false},
	    {"rx_crc_errors", 10, 60, 100, false, true, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct findings findings = {.count = 0};
		struct drops drops = drops_of(rows[i].name, rows[i].first, rows[i].last);
		print_message("row %zu\n", i);
		assert_int_equal(drops_explain(&drops, rows[i].retransmits), rows[i].explains);
		find_drops(&findings, &drops, "receiver", rows[i].retransmits);
		assert_int_equal(found(&findings, FINDING_HOST_DROPS), rows[i].finding);
		assert_int_equal(found(&findings, FINDING_DAMAGED_FRAMES), rows[i].damaged);
		assert_false(found(&findings, FINDING_EARLIER_DROPS));
	}
	struct findings findings = {.count = 0};
	struct drops once = {.blocks = 1};
	drops_add(&once, "eth0", "rx_missed_errors", 5);
	assert_false(drops_explain(&once, 10));
	find_drops(&findings, &once, "receiver", 10);
	assert_true(found(&findings, FINDING_EARLIER_DROPS));
}

static void findings_of_probes(void **state)
{
	static const struct {
		uint64_t sent, lost;
		uint32_t local_mtu, path_mtu, mss; /* 0: unknown */
		bool loss, mtu;
	} rows[] = {
	    {20, 2, 0, 0, 0, true, false},
	    {20, 1, 0, 0, 0, false, false},
	    {19, 2, 0, 0, 0, false, false},
	    {0, 0, 1500, 1400, 0, false, true},
	    {0, 0, 1500, 1500, 0, false, false},
	    {0, 0, 0, 1400, 1361, false, true},
	    {0, 0, 0, 1400, 1360, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct findings findings = {.count = 0};
		struct ping ping = {.has_counts = true};
		struct tracepath found_mtu = {
		    .local_mtu = rows[i].local_mtu, .path_mtu = rows[i].path_mtu, .hop = 2};
		struct path path = {.mss_is_measured = rows[i].mss > 0, .mss = rows[i].mss};
		struct path_context context = {.tracepath = rows[i].path_mtu ? &found_mtu : NULL,
		    .probe_loss = {.known = rows[i].sent > 0,
			.sent = rows[i].sent,
			.lost = rows[i].lost,
			.ping = &ping}};
		find_probes(&findings, &path, &context);
		print_message("row %zu\n", i);
		assert_int_equal(found(&findings, FINDING_PATH_LOSS), rows[i].loss);
		assert_int_equal(found(&findings, FINDING_PATH_MTU), rows[i].mtu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded),
	    cmocka_unit_test(lines),
	    cmocka_unit_test(findings_of_memory),
	    cmocka_unit_test(findings_of_drops),
	    cmocka_unit_test(findings_of_probes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
