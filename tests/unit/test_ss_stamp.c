#include "evidence/ss_stamp.h"

#include "near.h"

static void test_forms(void **state)
{
	static const struct {
		const char *line;
		double seconds; /* below 0: no stamp */
		bool is_exact;
	} rows[] = {
	    {"1796085374.292379844", 1796085374.292379844, true},
	    {"1796085374", 1796085374, false},
	    {"  1796085374\r", 1796085374, false},
	    {"999999999", -1, false}, /* 2001 */
	    {"4000000001", -1, false},
	    {"1796085374 bytes", -1, false},
	    {"Tue Dec  1 02:57:12 UTC 2026", 2 * 3600 + 57 * 60 + 12, false},
	    {"Tue 01 Dec 2026 02:57:12 PM CET", 14 * 3600 + 57 * 60 + 12, false},
	    {"Tue 01 Dec 2026 12:00:01 AM CET", 1, false},
	    {"Tue 01 Dec 2026 12:00:01 PM CET", 12 * 3600 + 1, false},
	    {"2026-12-01T02:57:12+00:00", 10632, false},
	    {"2026-12-01T02:57:12,345678901+00:00", 10632.345678901, true},
	    {"2026-12-01 02:57:12.5", 10632.5, true},
	    {"02:57:12", 10632, false},
	    {"Every 1.0s: ss -tmin dst 192.0.2.1     host: Tue Dec  1 02:57:12 2026", 10632, false},
	    {"23:59:60", 86400, false}, /* a leap second */
	    {"24:00:00", -1, false},
	    {"02:60:00", -1, false},
	    {"02:57", -1, false},
	    {"fe80::1:02:57:12:aa", -1, false},
	    {"", -1, false},
	    {"00000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	     "00000000000000000000000000000000000000 02:57:12",
		-1, false},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_stamp stamp = {0};
		print_message("%s\n", rows[i].line);
		assert_int_equal(ss_stamp_read(rows[i].line, &stamp), rows[i].seconds >= 0);
		if (rows[i].seconds < 0)
			continue;
		assert_near(stamp.seconds, rows[i].seconds, 1e-15);
		assert_int_equal(stamp.is_exact, rows[i].is_exact);
	}
}

static void test_difference(void **state)
{
	(void)state;

	assert_near(ss_stamp_difference(10632, 10633.5), 1.5, 1e-12);
	/* past midnight, and a clock set back */
	assert_near(ss_stamp_difference(86399, 1), 2, 1e-12);
	assert_near(ss_stamp_difference(10633, 10632), -1, 1e-12);
	assert_near(ss_stamp_difference(1796085374.25, 1796085375), 0.75, 1e-12);
	assert_near(ss_stamp_difference(1796085374, 1796000000), -85374, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_difference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
