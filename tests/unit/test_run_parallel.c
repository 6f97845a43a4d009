#include "evidence/run.h"

#include <string.h>

#include "near.h"

/* A process from one host to another, with its title, its cookie and the time it ran. */
struct process {
	const char *title, *cookie, *receiver;
	double began, ended;
};

static void add(struct runs *runs, const struct process *process)
{
	struct run *run = runs_append(runs, "log", runs->tests++);

	run->client = run->local_sends = run->complete = true;
	strcpy(run->sender, "192.0.2.1");
	strcpy(run->receiver, process->receiver);
	strcpy(run->title, process->title);
	strcpy(run->cookie, process->cookie);
	run->began = process->began;
	run->ended = process->ended;
	run->has = RUN_SENT | RUN_RETRANSMITS;
	run->sent_bytes = 3000;
	run->sent_seconds = 3;
	run->retransmits = 2;
	for (int i = 0; i < 3; i++) {
		const struct bin bin = {
		    .start_s = i, .end_s = i + 1, .bytes = 1000, .cwnd_bytes = 50, .has = BIN_CWND};
		series_add(&run->series, &bin);
	}
}

static void test_which(void **state)
{
	static const struct {
		const char *name;
		struct process a, b;
		bool summed;
	} rows[] = {
	    {"titles, lines mixed", {"s1", "", "r", 1, 20}, {"s2", "", "r", 2, 21}, true},
	    {"no titles", {"", "", "r", 1, 20}, {"", "", "r", 2, 21}, false},
	    {"one title", {"s1", "", "r", 1, 20}, {"s1", "", "r", 2, 21}, false},
	    {"one behind the other", {"s1", "", "r", 1, 20}, {"s2", "", "r", 21, 40}, false},
	    {"another path", {"s1", "", "r", 1, 20}, {"s2", "", "q", 2, 21}, false},
	    {"one clock", {"", "c1", "r", 1000, 1010}, {"", "c2", "r", 1001, 1011}, true},
	    {"half of the time", {"", "c1", "r", 1000, 1010}, {"", "c2", "r", 1005, 1015}, false},
	    {"one test", {"", "c1", "r", 1000, 1010}, {"", "c1", "r", 1000, 1010}, false},
	    {"no time", {"", "c1", "r", 0, 10}, {"", "c2", "r", 0, 10}, false},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct runs runs = {0};
		print_message("%s\n", rows[i].name);
		add(&runs, &rows[i].a);
		add(&runs, &rows[i].b);
		assert_int_equal(runs_sum_parallel(&runs), rows[i].summed);
		assert_int_equal(runs.count, rows[i].summed ? 1 : 2);
		runs_free(&runs);
	}
}

static void test_sums(void **state)
{
	static const struct process processes[] = {
	    {"s1", "", "r", 1, 20}, {"s2", "", "r", 2, 21}, {"s3", "", "r", 3, 22}};
	struct runs runs = {0};
	(void)state;

	for (size_t i = 0; i < 3; i++)
		add(&runs, &processes[i]);
	/* what one of them did not tell is unknown of all */
	runs.items[2].has &= ~(unsigned)RUN_RETRANSMITS;
	assert_int_equal(runs_sum_parallel(&runs), 2);
	const struct run *run = &runs.items[0];
	assert_int_equal(run->streams, 3);
	assert_int_equal(run->sent_bytes, 9000);
	assert_near(run->sent_seconds, 3, 1e-9);
	assert_int_equal(run->has, RUN_SENT);
	assert_int_equal(run->series.count, 3);
	assert_int_equal(run->series.bins[1].bytes, 3000);
	assert_int_equal(run->series.bins[1].cwnd_bytes, 150);
	runs_free(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_which),
	    cmocka_unit_test(test_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
