/* Running a command: its end, its words, its limit, and signals meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/command.h"
#include "system/interrupt.h"

static void test_needs_shell(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool shell;
	} rows[] = {
	    {"iperf3 -c 192.0.2.1 -R -J", false},
	    {"iperf3 -c 2001:db8::1 -t 10 -P 4", false},
	    {"iperf3 -c host.example -w 4M,x", false},
	    {"iperf3 -c host | tee run.json", true},
	    {"iperf3 -c \"$HOST\"", true},
	    {"ssh host 'iperf3 -c other'", true},
	    {"iperf3 -c host -J > run.json", true},
	    {"sleep 1; iperf3 -c host", true},
	    {"iperf3 -c $(cat host)", true},
	    {"~/bin/iperf3 -c host", true},
	    {"iperf3 -c host*", true},
	    {"sleep 1\niperf3", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].line);
		assert_int_equal(command_needs_shell(rows[i].line), rows[i].shell);
	}
}

static void test_ends(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum command_end end;
		int status;
		const char *output, *words;
	} rows[] = {
	    {"echo one  two", COMMAND_EXITED, 0, "one two\n", ""},
	    {"echo 'one  two'", COMMAND_EXITED, 0, "one  two\n", ""},
	    {"echo out; echo err >&2; exit 3", COMMAND_EXITED, 3, "out\n", "err\n"},
	    {"false", COMMAND_EXITED, 1, "", ""},
	    {"kill -9 $$", COMMAND_KILLED, SIGKILL, "", ""},
	    {"/nonexistent/program -c x", COMMAND_NOT_STARTED, ENOENT, "", ""},
	    {"/etc/passwd", COMMAND_NOT_STARTED, EACCES, "", ""},
	    {"", COMMAND_NOT_STARTED, ENOENT, "", ""},
	    {"   ", COMMAND_NOT_STARTED, ENOENT, "", ""},
	    /* standard input is empty, and no terminal's */
	    {"cat", COMMAND_EXITED, 0, "", ""},
	    /* a NUL does not hide what comes behind it */
	    {"printf 'a\\0b\\n' >&2", COMMAND_EXITED, 0, "", "a?b\n"},
	};
	interrupt_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct command_result result;
		print_message("%s\n", rows[i].line);
		command_run(rows[i].line, 20, NULL, NULL, &result);
		assert_int_equal(result.end, rows[i].end);
		assert_int_equal(result.status, rows[i].status);
		assert_int_equal(result.length, strlen(rows[i].output));
		if (result.length > 0)
			assert_memory_equal(result.output, rows[i].output, result.length);
		assert_string_equal(result.words, rows[i].words);
		command_result_free(&result);
	}
	interrupt_end();
}

/* The end is kept: what failed is said last. */
static void test_many_words(void **state)
{
	(void)state;
	struct command_result result;

	interrupt_begin();
	command_run("i=0; while [ $i -lt 400 ]; do echo line $i >&2; i=$((i + 1)); done", 20, NULL,
	    NULL, &result);
	interrupt_end();
	assert_int_equal(strlen(result.words), sizeof(result.words) - 1);
	assert_non_null(strstr(result.words, "line 399\n"));
	assert_null(strstr(result.words, "line 0\n"));
	command_result_free(&result);
}

static void test_much_output(void **state)
{
	(void)state;
	struct command_result result;

	interrupt_begin();
	command_run("head -c 3000000 /dev/zero | tr '\\0' x", 60, NULL, NULL, &result);
	interrupt_end();
	assert_int_equal(result.end, COMMAND_EXITED);
	assert_int_equal(result.length, 3000000);
	for (size_t i = 0; i < result.length; i += 4096)
		assert_int_equal(result.output[i], 'x');
	command_result_free(&result);
}

/* Who runs the command is killed in the middle of it: the command is told to end, too. */
static void test_ends_with_its_parent(void **state)
{
	(void)state;
	int ends[2];
	pid_t command = 0;

	assert_int_equal(pipe(ends), 0);
	pid_t runner = fork();
	assert_true(runner >= 0);
	if (runner == 0) {
		struct command_result result;
		char line[80];

		/* the command says its number on a descriptor that is not one of command_run's */
		snprintf(line, sizeof(line), "echo $$ >&%d; exec sleep 30", ends[1]);
		interrupt_begin();
		command_run(line, 30, NULL, NULL, &result);
		_exit(0);
	}
	close(ends[1]);
	FILE *said = fdopen(ends[0], "r");
	assert_non_null(said);
	assert_int_equal(fscanf(said, "%d", &command), 1);
	assert_int_equal(kill(command, 0), 0);
	kill(runner, SIGKILL);
	assert_int_equal(waitpid(runner, NULL, 0), runner);
	/* nothing else has the pipe: it ends when the command does */
	assert_int_equal(fgetc(said), '\n');
	alarm(10);
	assert_int_equal(fgetc(said), EOF);
	alarm(0);
	fclose(said);
}

/* What it leaves in the background with the pipes open is not waited for. */
static void test_background(void **state)
{
	(void)state;
	struct command_result result;

	interrupt_begin();
	command_run("echo done; sleep 8 &", 20, NULL, NULL, &result);
	interrupt_end();
	assert_int_equal(result.end, COMMAND_EXITED);
	assert_true(result.seconds < 5);
	assert_int_equal(result.length, 5);
	command_result_free(&result);
}

/* True when no process holds the file open for writing any more: all of a group has gone. */
static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 100; i++) {
		char path[64], text[256] = "";
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		FILE *file = fopen(path, "r");
		if (!file)
			return true;
		size_t got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
		const char *end = got > 0 ? strrchr(text, ')') : NULL;
		if (end && end[2] == 'Z') /* dead, and nobody has asked for its status yet */
			return true;
		usleep(20000);
	}
	return false;
}

/* The limit ends the whole group, also what does not listen to SIGTERM. */
static void test_limit(void **state)
{
	(void)state;
	static const char *const lines[] = {
	    "sleep 30 & echo $!; wait",
	    "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct command_result result;
		print_message("%s\n", lines[i]);
		interrupt_begin();
		command_run(lines[i], 1, NULL, NULL, &result);
		interrupt_end();
		assert_int_equal(result.end, COMMAND_TIMED_OUT);
		assert_true(result.seconds >= 1 && result.seconds < 10);
		char number[16] = "";
		memcpy(number, result.output, result.length < 15 ? result.length : 15);
		assert_true(atoi(number) > 1);
		assert_true(is_gone(atoi(number)));
		command_result_free(&result);
	}
}

/* In a child, since the signal ends it after all was put in order. */
static void test_interrupted(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int ends[2], status;
		char word[8] = "";
		print_message("%s\n", strsignal(signals[i]));
		assert_int_equal(pipe(ends), 0);
		pid_t pid = fork();
		if (pid == 0) {
			struct command_result result;
			signal(signals[i], SIG_DFL);
			interrupt_begin();
			if (write(ends[1], "on", 2) != 2)
				_exit(1);
			command_run("sleep 30", 60, NULL, NULL, &result);
			if (result.end != COMMAND_INTERRUPTED || interrupt_signal() != signals[i] ||
			    write(ends[1], "order", 5) != 5)
				_exit(2);
			interrupt_end();
			_exit(3);
		}
		close(ends[1]);
		assert_int_equal(read(ends[0], word, 2), 2);
		usleep(100000);
		kill(pid, signals[i]);
		assert_int_equal(read(ends[0], word, 5), 5);
		assert_string_equal(word, "order");
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		close(ends[0]);
	}
}

/* nohup's SIGHUP, and a background job's SIGINT, stay ignored. */
static void test_ignored(void **state)
{
	(void)state;
	struct command_result result;
	struct sigaction before, ignore = {.sa_handler = SIG_IGN}, now;

	sigaction(SIGHUP, &ignore, &before);
	interrupt_begin();
	kill(getpid(), SIGHUP);
	command_run("echo on", 20, NULL, NULL, &result);
	assert_int_equal(result.end, COMMAND_EXITED);
	assert_int_equal(interrupt_signal(), 0);
	interrupt_end();
	sigaction(SIGHUP, &before, &now);
	assert_true(now.sa_handler == SIG_IGN);
	command_result_free(&result);
}

/* Python's SIG_IGN, trap '' CHLD: the kernel would reap the command unasked, and its end would never
 * be seen.  alarm(2) ends the test if it hangs. */
static void test_sigchld_ignored(void **state)
{
	(void)state;
	struct command_result result;
	struct sigaction now;

	signal(SIGCHLD, SIG_IGN);
	alarm(60);
	interrupt_begin();
	command_run("exit 3;", 20, NULL, NULL, &result);
	assert_int_equal(result.end, COMMAND_EXITED);
	assert_int_equal(result.status, 3);
	command_result_free(&result);
	command_run("sleep 30", 1, NULL, NULL, &result);
	assert_int_equal(result.end, COMMAND_TIMED_OUT);
	command_result_free(&result);
	/* Nor does the command inherit it. */
	command_run("grep ^SigIgn /proc/self/status", 20, NULL, NULL, &result);
	unsigned long long ignored = ~0ULL;
	assert_int_equal(sscanf(result.output, "SigIgn: %llx", &ignored), 1);
	assert_int_equal(ignored & 1ULL << (SIGCHLD - 1), 0);
	command_result_free(&result);
	/* Somebody else in this process takes it away: no exit code, but an end. */
	signal(SIGCHLD, SIG_IGN);
	command_run("true", 20, NULL, NULL, &result);
	assert_int_equal(result.end, COMMAND_LOST);
	command_result_free(&result);
	interrupt_end();
	alarm(0);
	assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
	assert_true(now.sa_handler == SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* The command begins with the signals that this program began with. */
static void test_child_signals(void **state)
{
	(void)state;
	struct command_result result;

	signal(SIGPIPE, SIG_IGN);
	interrupt_begin();
	command_run("grep -E '^Sig(Blk|Ign)' /proc/self/status", 20, NULL, NULL, &result);
	interrupt_end();
	signal(SIGPIPE, SIG_DFL);
	unsigned long long blocked = 1, ignored = 1;
	char *text = calloc(1, result.length + 1);
	memcpy(text, result.output, result.length);
	assert_int_equal(sscanf(text, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
	assert_int_equal(blocked, 0);
	assert_int_equal(ignored & 1ULL << (SIGPIPE - 1), 0);
	free(text);
	command_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_needs_shell),
	    cmocka_unit_test(test_ends),
	    cmocka_unit_test(test_many_words),
	    cmocka_unit_test(test_much_output),
	    cmocka_unit_test(test_ends_with_its_parent),
	    cmocka_unit_test(test_background),
	    cmocka_unit_test(test_limit),
	    cmocka_unit_test(test_interrupted),
	    cmocka_unit_test(test_ignored),
	    cmocka_unit_test(test_sigchld_ignored),
	    cmocka_unit_test(test_child_signals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
