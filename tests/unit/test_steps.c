/* What sweep --run and compare --run try. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "verbs/steps.h"

/* Options as from the command line; false when they were refused. */
static bool options_of(
    struct options *options, const char *command, const char *option, const char *list)
{
	/* the options point into them */
	static char words[4][96];
	char *argv[] = {words[0], words[1], words[2], words[3], NULL};

	snprintf(words[0], sizeof(words[0]), "bdp");
	snprintf(words[1], sizeof(words[1]), "sweep");
	snprintf(words[2], sizeof(words[2]), "--run=%s", command);
	snprintf(words[3], sizeof(words[3]), "--%s=%s", option, list);
	return options_parse(options, 4, argv) == OPTIONS_RUN;
}

static const struct tunable_value before = {
    .known = true, .count = 3, .number = {4096, 131072, 6291456}};

static void test_commands(void **state)
{
	static const struct {
		const char *command, *streams, *pacing, *expected; /* of the first; NULL: refused */
	} rows[] = {
	    {"iperf3 -c h -J", "1,2", NULL, "iperf3 -P 1 -c h -J"},
	    {"iperf3 -c h -J | cat", "4,2", NULL, "iperf3 -P 4 -c h -J | cat"},
	    {"ssh far 'iperf3 -c h'", "4,2", NULL, "ssh far 'iperf3 -P 4 -c h'"},
	    {"sudo /opt/iperf3 -c h", "128,1", NULL, "sudo /opt/iperf3 -P 128 -c h"},
	    {"./my-iperf3x; iperf3\t-c h", "2,1", NULL, "./my-iperf3x; iperf3 -P 2\t-c h"},
	    {"iperf3 -c h", NULL, "1G,2.5G", "iperf3 --fq-rate 1000000000 -c h"},
	    {"iperf3 -c h", NULL, "500k,1M", "iperf3 --fq-rate 500000 -c h"},
	    {"iperf3 -c h -P 2", NULL, "1G,2G", "iperf3 --fq-rate 1000000000 -c h -P 2"},
	    {"iperf3 -c h -P 2", "1,2", NULL, NULL},
	    {"iperf -c h", "1,2", NULL, NULL},
	    {"xiperf3 -c h", "1,2", NULL, NULL},
	    {"iperf3 -c h", "1", NULL, NULL},
	    {"iperf3 -c h", "1,1", NULL, NULL},
	    {"iperf3 -c h", "0,1", NULL, NULL},
	    {"iperf3 -c h", "1,129", NULL, NULL},
	    {"iperf3 -c h", "1,two", NULL, NULL},
	    {"iperf3 -c h", "1,,2", NULL, NULL},
	    {"iperf3 -c h", "", NULL, NULL},
	    {"iperf3 -c h", NULL, "1G,fast", NULL},
	    {"iperf3 -c h", NULL, "1G,1000M", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options options;
		struct steps steps = {.count = 0};
		const char *list = rows[i].streams ? rows[i].streams : rows[i].pacing;
		print_message("%s: %s\n", rows[i].command, list);
		bool good = options_of(
		    &options, rows[i].command, rows[i].streams ? "streams" : "pacing", list);
		steps.what = options.steps;
		assert_false(steps_set(steps.what));
		good = good && steps_find(&steps, &options, TUNABLE_COUNT, NULL) == 0;
		assert_int_equal(good, rows[i].expected != NULL);
		if (rows[i].expected) {
			assert_int_equal(steps.count, 2);
			assert_string_equal(steps.items[0].command, rows[i].expected);
			assert_false(steps.items[0].value.known);
		}
		steps_free(&steps);
	}
}

static void test_ceilings(void **state)
{
	struct options options;
	struct steps steps = {.what = STEPS_CEILINGS};
	(void)state;
	assert_true(options_of(&options, "iperf3 -c h", "ceilings", "64K,2M"));
	assert_int_equal(options.steps, STEPS_CEILINGS);
	assert_true(steps_set(steps.what));
	assert_int_equal(steps_find(&steps, &options, TUNABLE_TCP_RMEM, &before), 0);
	/* A default above the ceiling comes down with it. */
	assert_int_equal(steps.items[0].value.number[1], 65536);
	assert_int_equal(steps.items[0].value.number[2], 65536);
	assert_int_equal(steps.items[1].value.number[1], 131072);
	assert_int_equal(steps.items[1].value.number[2], 2097152);
	assert_string_equal(steps.items[1].command, "iperf3 -c h");
	steps_free(&steps);
}

static void test_operands(void **state)
{
	static const struct {
		const char *operands[3];
		size_t count;
		bool good;
	} rows[] = {
	    {{"a=iperf3 -c h", "b=iperf3 -c h -C bbr"}, 2, true},
	    {{"a=x --y=z", "b=x"}, 2, true},
	    {{"a=x"}, 1, false},
	    {{"a=x", "a=y"}, 2, false},
	    {{"a=x", "b="}, 2, false},
	    {{"=x", "b=y"}, 2, false},
	    {{"iperf3 -c h --x=1", "b=y"}, 2, false},
	    {{"file.json", "b=y"}, 2, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options options = {
		    .operands = rows[i].operands, .operand_count = rows[i].count};
		struct steps steps = {.what = STEPS_COMMANDS};
		print_message("%s\n", rows[i].operands[0]);
		assert_int_equal(
		    steps_find(&steps, &options, TUNABLE_COUNT, NULL), rows[i].good ? 0 : 2);
		if (rows[i].good)
			assert_string_equal(
			    steps.items[0].command, strchr(rows[i].operands[0], '=') + 1);
		steps_free(&steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commands),
	    cmocka_unit_test(test_ceilings),
	    cmocka_unit_test(test_operands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
