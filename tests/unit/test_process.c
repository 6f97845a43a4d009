/* Commands beside each other: what they are given, what they print, and how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/interrupt.h"
#include "system/process.h"

#define LIMIT_MS 20000

static void wait_for(struct process *process)
{
	int64_t deadline_ms = process_now_ms() + LIMIT_MS;

	while (!process_is_over(process)) {
		process_wait(&process, 1, 100);
		assert_true(process_now_ms() < deadline_ms);
	}
}

/* Standard output and standard error are one text, as on a terminal; the input is read to its end. */
static void test_text(void **state)
{
	static const char *const argv[] = {"sh", "-c", "cat; echo out; echo err >&2; exit 7", NULL};
	struct process process;
	(void)state;

	interrupt_begin();
	assert_true(process_start(&process, argv, "in\n", false, true));
	wait_for(&process);
	interrupt_end();
	assert_int_equal(process.length, strlen("in\nout\nerr\n"));
	assert_memory_equal(process.text, "in\nout\nerr\n", process.length);
	assert_true(WIFEXITED(process.status));
	assert_int_equal(WEXITSTATUS(process.status), 7);
	assert_false(process.cut);
	process_free(&process);
}

static void test_held_input(void **state)
{
	static const char *const argv[] = {"cat", NULL};
	struct process process;
	(void)state;

	interrupt_begin();
	assert_true(process_start(&process, argv, "first", true, true));
	for (int i = 0; i < 3; i++)
		process_wait(&(struct process *){&process}, 1, 50);
	assert_false(process_is_over(&process));
	process_close_input(&process);
	wait_for(&process);
	interrupt_end();
	assert_int_equal(process.length, 5);
	process_free(&process);
}

static void test_no_such_program(void **state)
{
	static const char *const argv[] = {"/nowhere/bdp-none", NULL};
	struct process process;
	(void)state;

	interrupt_begin();
	assert_false(process_start(&process, argv, "", false, true));
	assert_int_equal(process.error, ENOENT);
	assert_true(process_is_over(&process));
	interrupt_end();
	process_free(&process);
}

/* SIGINT, on which iperf3 and ping print what they have, also where this program was started with it
 * ignored; what does not go by it is killed. */
static void test_ended(void **state)
{
	static const char *const prints[] = {
	    "sh", "-c", "trap 'echo sum; exit 0' INT; while :; do sleep 0.05; done", NULL};
	static const char *const stays[] = {
	    "sh", "-c", "trap '' INT; while :; do sleep 0.05; done", NULL};
	struct process process;
	(void)state;

	void (*before)(int) = signal(SIGINT, SIG_IGN);
	interrupt_begin();
	for (int stubborn = 0; stubborn < 2; stubborn++) {
		assert_true(process_start(&process, stubborn ? stays : prints, "", false, true));
		/* the trap is set by then */
		process_wait(&(struct process *){&process}, 1, 300);
		usleep(300000);
		process_end(&process);
		wait_for(&process);
		if (stubborn) {
			assert_true(WIFSIGNALED(process.status));
			assert_int_equal(WTERMSIG(process.status), SIGKILL);
		} else {
			assert_int_equal(process.length, 4);
			assert_memory_equal(process.text, "sum\n", 4);
		}
		process_free(&process);
	}
	interrupt_end();
	signal(SIGINT, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_held_input),
	    cmocka_unit_test(test_no_such_program),
	    cmocka_unit_test(test_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
