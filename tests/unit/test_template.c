/* Sentences filled with values: units, nouns, parts that are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/finding_text.h"
#include "report/template.h"

static void expect(const char *text, const struct value *values, size_t count, const char *wanted)
{
	struct phrase out = {""};

	template_fill(&out, text, values, count);
	assert_string_equal(out.s, wanted);
}

static void test_units(void **state)
{
	(void)state;
	const struct value values[] = {as_size(4194304), as_rate(703e6), as_time(52000),
	    as_share(0.00126), as_percent(0.344), as_count(607000), as_number(6291456),
	    as_word("eth0")};

	expect("{0} {1} {2} {3} {4} {5} {6} {7}", values, 8,
	    "4 MiB 703 Mbit/s 52.0 ms 0.126 % 34 % 607,000 6291456 eth0");
}

static void test_nouns(void **state)
{
	(void)state;
	for (unsigned count = 0; count < 3; count++) {
		const struct value value = as_count(count);
		expect("{0|run is|runs are} left", &value, 1,
		    count == 1 ? "1 run is left"
		    : count    ? "2 runs are left"
			       : "0 runs are left");
	}
}

static void test_parts(void **state)
{
	(void)state;
	const struct value values[] = {as_word("a"), as_word(""), as_word(NULL), as_count(3)};

	expect("{0}[, {3} of it][, not {1}][, nor {0} and {2}].", values, 4, "a, 3 of it.");
	expect("[{1} ]{0}", values, 4, "a");
	expect("{1}{9}{0}", values, 4, "a");
	expect("no place", values, 0, "no place");
}

/* Damaged templates end where they end. */
static void test_damaged(void **state)
{
	(void)state;
	const struct value value = as_count(1);

	expect("{0", &value, 1, "{0");
	expect("a [b {0}", &value, 1, "a b 1");
	expect("", &value, 1, "");
	expect("{0|one}", &value, 1, "1");
}

/* Every form of every finding has its sentence, and names no value beyond the last. */
static void test_findings(void **state)
{
	(void)state;
	for (int id = 0; id < FINDING_COUNT; id++)
		for (unsigned form = 0; form < FINDING_FORMS_MAX; form++) {
			const struct finding finding = {.id = (enum finding_id)id, .form = form};
			if (finding_words[id].forms[form])
				assert_true(finding_text(&finding).s[0] != '\0');
			else
				assert_true(form > 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_units),
	    cmocka_unit_test(test_nouns),
	    cmocka_unit_test(test_parts),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
