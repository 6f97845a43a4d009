/* What several runs over one path have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bsd/string.h>
#include <cmocka.h>

#include "diagnosis/choose_run.h"
#include "report/finding_text.h"

#define MIB 0x1p20

struct sample {
	double rate_bps, flight_bytes; /* 0: not known */
};

static const char *spread_of(const struct sample *samples, size_t count)
{
	static struct phrase text;
	static struct run runs[4];
	struct analysis analyses[4];
	struct findings findings = {.count = 0};

	memset(analyses, 0, sizeof(analyses));
	for (size_t i = 0; i < count; i++) {
		runs[i] = (struct run){.complete = true,
		    .client = true,
		    .local_sends = true,
		    .streams = 1,
		    .test = (unsigned)i};
		strlcpy(runs[i].sender, "192.0.2.1", sizeof(runs[i].sender));
		strlcpy(runs[i].receiver, "192.0.2.2", sizeof(runs[i].receiver));
		analyses[i].run = &runs[i];
		analyses[i].path.rate.known = true;
		analyses[i].path.in_flight.known = samples[i].flight_bytes > 0;
		analyses[i].path.rate.bps = samples[i].rate_bps;
		analyses[i].path.in_flight.bytes = samples[i].flight_bytes;
	}
	find_spread(analyses, count, count - 1, &findings);
	if (findings.count == 0)
		return "";
	assert_int_equal(findings.items[0].id, FINDING_RUNS_SPREAD);
	text = finding_text(&findings.items[0]);
	return text.s;
}

static void test_window(void **state)
{
	(void)state;
	/* the RTT moved from 84 to 336 ms, and the window did not */
	const struct sample runs[] = {{100e6, 4.0 * MIB}, {200e6, 4.1 * MIB}, {400e6, 4.2 * MIB}};

	assert_string_equal(spread_of(runs, 3),
	    "3 runs carried 100 Mbit/s to 400 Mbit/s, each with 4 MiB to 4.20 MiB in flight: what stays "
	    "with a window is a host's");
}

static void test_path(void **state)
{
	(void)state;
	const struct sample runs[] = {{100e6, 1 * MIB}, {200e6, 2 * MIB}, {400e6, 4 * MIB}};

	assert_string_equal(spread_of(runs, 3),
	    "3 runs carried 100 Mbit/s to 400 Mbit/s, with 1 MiB to 4 MiB in flight: what moves from run "
	    "to run is the path's");
}

static void test_alike(void **state)
{
	(void)state;
	const struct sample same[] = {{95e6, 4 * MIB}, {100e6, 1 * MIB}, {98e6, 2 * MIB}};
	const struct sample unknown[] = {{50e6, 4 * MIB}, {100e6, 0}, {98e6, 2 * MIB}};

	assert_string_equal(
	    spread_of(same, 3), "3 runs carried 95.0 Mbit/s to 100 Mbit/s, 5 % apart");
	/* what one of them does not tell, the others do not answer */
	assert_string_equal(
	    spread_of(unknown, 3), "3 runs carried 50.0 Mbit/s to 100 Mbit/s, 50 % apart");
	assert_string_equal(spread_of(same, 2), "");
	assert_string_equal(spread_of(same, 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_window),
	    cmocka_unit_test(test_path),
	    cmocka_unit_test(test_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
