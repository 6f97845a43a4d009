/* The measurement that would settle a verdict: the command, and at which end it is typed. */
#include "near.h"

#include <stdlib.h>
#include <string.h>

#include "advice/measure_command.h"
#include "report/limit_text.h"
#include "runs.h"

static const struct second plain[] = {{90, 1, 0, 50, 0}, {90, 1, 0, 50, 0}, {90, 1, 0, 50, 0}};
/* macOS before 3.17: neither cwnd nor RTT */
static const struct second blind[] = {{90, 0, 0, 0, 0}, {90, 0, 0, 0, 0}, {90, 0, 0, 0, 0}};

static void test_commands(void **state)
{
	static const struct {
		const char *title;
		bool client, sends, shows_cwnd;
		const char *system, *options;
		unsigned streams;
		const char *expected;
	} rows[] = {
	    {"as it was", true, true, true, "Linux c 6.1", "-J -t 60", 1,
		"iperf3 -c 192.0.2.10 -J -t 60"},
	    {"streams", true, true, true, "Linux c 6.1", "-J", 4, "iperf3 -c 192.0.2.10 -P 4 -J"},
	    {"another number of streams", true, true, true, "Linux c 6.1", "-J -P 4", 2,
		"iperf3 -c 192.0.2.10 -J -P 4"},
	    {"the server sends", true, false, true, "Linux c 6.1", "-J", 1,
		"iperf3 -c 198.51.100.2 -R -J"},
	    {"the log of a server that received", false, false, true, "Linux c 6.1", "-J", 1,
		"iperf3 -c 192.0.2.10 -J"},
	    {"a client that shows no cwnd lets the server send", true, true, false, "Darwin c 23",
		"-J", 1, "iperf3 -c 192.0.2.10 -R -J --get-server-output"},
	    {"which was asked for already", true, true, false, "Darwin c 23",
		"-J --get-server-output", 1, "iperf3 -c 192.0.2.10 -R -J --get-server-output"},
	    {"one that shows it", true, true, true, "Darwin c 23", "-J", 1,
		"iperf3 -c 192.0.2.10 -J"},
	    {"Linux without it in a text", true, true, false, "Linux c 6.1", "-J", 1,
		"iperf3 -c 192.0.2.10 -J"},
	    {"FreeBSD, too", true, true, false, "FreeBSD c 14", "-J", 1, "iperf3 -c 192.0.2.10 -J"},
	    {"an unknown system", true, true, false, "", "-J", 1, "iperf3 -c 192.0.2.10 -J"},
	    {"without -J its cwnd is not asked for", true, true, false, "Darwin c 23", "-u -b 1G",
		1, "iperf3 -c 192.0.2.10 -u -b 1G"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char command[200];
		struct run run;

		run_make(&run, rows[i].shows_cwnd ? plain : blind, 3);
		run.client = rows[i].client;
		run.local_sends = rows[i].sends;
		run.streams = rows[i].streams;
		strlcpy(run.system_info, rows[i].system, sizeof(run.system_info));
		print_message("%s\n", rows[i].title);
		assert_string_equal(
		    measure_command(&run, rows[i].options, command, sizeof(command)),
		    rows[i].expected);
		series_free(&run.series);
	}
}

/* Each has a command; where there is no run it names no address, and one stream. */
static void test_every_measurement(void **state)
{
	(void)state;
	for (int id = MEASURE_NOTHING; id < MEASURE_COUNT; id++) {
		struct analysis analysis = {.limit = {.decide = (enum measurement)id}};
		struct measurement_text text = {.note = NULL};

		print_message("%d\n", id);
		assert_int_equal(measurement_text(&analysis, &text), id != MEASURE_NOTHING);
		if (id == MEASURE_NOTHING)
			continue;
		assert_true(text.command[0] != '\0');
		assert_null(strstr(text.command, "%s"));
		assert_int_equal(strstr(text.command, "-P ") != NULL, id == MEASURE_STREAMS);
		if (strncmp(text.command, "iperf3 ", 7) == 0)
			assert_true(strncmp(text.command, "iperf3 -c SERVER ", 17) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commands),
	    cmocka_unit_test(test_every_measurement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
