/* Complaints go to standard error with the program's name, or where they are kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void test_kept(void **state)
{
	static const struct {
		const char *word;
		size_t size;
		const char *expected;
	} rows[] = {
	    {"gone", 64, "run.json: gone"},
	    {"", 64, "run.json: "},
	    {"gone", 12, "run.json: g"}, /* 11 characters and their end */
	    {"gone", 1, ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char kept[64] = "before";
		print_message("%s in %zu\n", rows[i].word, rows[i].size);
		errors_keep(kept, rows[i].size);
		report_error("%s: %s", "run.json", rows[i].word);
		errors_keep(NULL, 0);
		assert_string_equal(kept, rows[i].expected);
	}
}

static void test_last_one_stays(void **state)
{
	char kept[64];

	(void)state;
	errors_keep(kept, sizeof(kept));
	report_error("a warning");
	report_error("the reason");
	errors_keep(NULL, 0);
	assert_string_equal(kept, "the reason");
}

static void test_printed(void **state)
{
	char kept[64] = "untouched", line[128] = "";
	int ends[2], standard_error = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(pipe(ends), 0);
	errors_keep(kept, sizeof(kept));
	errors_keep(NULL, 0);
	dup2(ends[1], STDERR_FILENO);
	report_error("%d of %s", 3, "them");
	dup2(standard_error, STDERR_FILENO);
	close(ends[1]);
	assert_true(read(ends[0], line, sizeof(line) - 1) > 0);
	close(ends[0]);
	close(standard_error);
	/* "NAME: 3 of them", one line */
	assert_non_null(strstr(line, ": 3 of them\n"));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	assert_string_equal(kept, "untouched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_last_one_stays),
	    cmocka_unit_test(test_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
