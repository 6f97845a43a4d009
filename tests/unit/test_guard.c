/* The timed undo, on a clock that is set forward: no test waits for real seconds. */
#include "apply_tree.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* How far the clock is ahead; the guard is another process, so it is shared memory. */
static _Atomic int64_t *skew_ms;

static int64_t skewed_clock_ms(clockid_t clock)
{
	return kernel_io_system.clock_ms(clock) + *skew_ms;
}

/* Looks more often, so that the tests are quick. */
static void short_sleep_ms(int64_t milliseconds)
{
	kernel_io_system.sleep_ms(milliseconds < 5 ? milliseconds : 5);
}

static struct kernel_io guard_io;

/* What the guard, another process, wrote to the log last. */
#define LOG_MAX 600
static char *tree_log;

static void log_to_memory(const char *line)
{
	strlcpy(tree_log, line, LOG_MAX);
}

static const char *logged(void)
{
	return tree_log;
}

static unsigned open_count(pid_t pid)
{
	char path[64];
	unsigned count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *listed = opendir(path);
	assert_non_null(listed);
	while (readdir(listed) != NULL)
		count++;
	closedir(listed);
	return count;
}

static int make(void **state)
{
	skew_ms =
	    mmap(NULL, sizeof(*skew_ms), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(skew_ms != MAP_FAILED);
	tree_log = mmap(NULL, LOG_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(tree_log != MAP_FAILED);
	*skew_ms = 0;
	guard_io = kernel_io_system;
	guard_io.clock_ms = skewed_clock_ms;
	guard_io.sleep_ms = short_sleep_ms;
	guard_io.log = log_to_memory;
	tree_log[0] = '\0';
	return tree_make(state);
}

/* All wait for a minute, and the minute passes when the test says so. */
static void pass_a_minute(void)
{
	*skew_ms += 60000;
}

static struct outcome apply_timed(void)
{
	struct plan plan = plan_two();
	struct apply_request request = {.io = &guard_io, .mode = APPLY_SET, .confirm_seconds = 60};
	return apply_with(&request, &plan);
}

/* Waits until the guard has ended, at most ten seconds. */
static bool guard_ends(unsigned id)
{
	char path[64];
	snprintf(path, sizeof(path), "run/bdp/%u.guard", id);
	for (unsigned i = 0; i < 1000; i++) {
		int fd = open(tree_path(path), O_RDONLY);
		bool free = fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0;
		if (fd >= 0)
			close(fd);
		if (free)
			return true;
		usleep(10000);
	}
	return false;
}

static bool has_store_open(const char *pid)
{
	char path[600], text[600];
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	DIR *listed = opendir(path);
	if (listed == NULL)
		return false;
	for (struct dirent *entry; (entry = readdir(listed)) != NULL && !found;) {
		ssize_t length = readlinkat(dirfd(listed), entry->d_name, text, sizeof(text) - 1);
		if (length > 0) {
			text[length] = '\0';
			found = strcmp(text, tree_path("run/bdp")) == 0;
		}
	}
	closedir(listed);
	return found;
}

/* The guard of this tree: the process of that name with our run/bdp open. */
static pid_t guard_pid(void)
{
	DIR *proc = opendir("/proc");
	pid_t found = 0;
	assert_non_null(proc);
	for (struct dirent *entry; (entry = readdir(proc)) != NULL && found == 0;) {
		char path[600], text[600];
		snprintf(path, sizeof(path), "/proc/%.20s/comm", entry->d_name);
		FILE *file = fopen(path, "r");
		bool named = file != NULL && fgets(text, sizeof(text), file) != NULL &&
			     strcmp(text, "bdp-guard\n") == 0;
		if (file != NULL)
			fclose(file);
		if (named && has_store_open(entry->d_name))
			found = (pid_t)atoi(entry->d_name);
	}
	closedir(proc);
	return found;
}

static const char *notice(void)
{
	static char text[400];
	return journal_unconfirmed_notice(tree_root, text, sizeof(text));
}

static enum journal_state state_of(uint32_t id)
{
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome outcome = {0};
	enum journal_state found = JOURNAL_STATES;
	rollback_list(&request, &outcome);
	for (size_t i = 0; i < outcome.journal_count; i++)
		if (outcome.journals[i].id == id)
			found = outcome.journals[i].journal.state;
	outcome_free(&outcome);
	return found;
}

static int64_t deadline_ms, away_ms;

/* So long before the deadline. */
static int64_t frozen_clock_ms(clockid_t clock)
{
	(void)clock;
	return deadline_ms - away_ms;
}

/* Of the time that is left a second that has begun counts. */
static int64_t seconds_left_of_first(void)
{
	struct rollback_request request = {.sysroot = tree_root, .io = &guard_io};
	struct outcome outcome = {0};
	rollback_list(&request, &outcome);
	assert_true(outcome.journal_count > 0);
	int64_t left = outcome.journals[0].seconds_left;
	outcome_free(&outcome);
	return left;
}

static void test_undoes_in_time(void **state)
{
	(void)state;
	struct outcome outcome = apply_timed();
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.confirm_seconds, 60);
	outcome_free(&outcome);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_int_equal(state_of(1), JOURNAL_UNCONFIRMED);
	assert_non_null(strstr(notice(), "unless 'bdp confirm' keeps it"));
	/* the test itself may take some seconds on a slow machine */
	assert_in_range(seconds_left_of_first(), 50, 60);
	*skew_ms += 30000;
	assert_in_range(seconds_left_of_first(), 20, 30);
	usleep(50000);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	*skew_ms += 30000;
	assert_true(guard_ends(1));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_int_equal(state_of(1), JOURNAL_UNDONE);
	assert_string_equal(notice(), "");
	/* A confirmation after the time. */
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "too late: apply 1 was undone at");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "nothing to roll back");
}

/* A second that has begun counts, and one that is over does not. */
static void test_seconds_left(void **state)
{
	static const struct {
		int64_t away_ms, expected;
	} rows[] = {{60000, 60}, {59999, 60}, {59001, 60}, {59000, 59}, {1, 1}, {0, 0}, {-999, 0},
	    {-1000, -1}, {-1999, -1}};
	(void)state;
	struct outcome outcome = apply_timed();
	struct rollback_request request = {.sysroot = tree_root};
	outcome_free(&outcome);
	outcome = (struct outcome){0};
	rollback_list(&request, &outcome);
	deadline_ms = outcome.journals[0].journal.deadline_ms;
	outcome_free(&outcome);
	static struct kernel_io io;
	io = kernel_io_system;
	io.clock_ms = frozen_clock_ms;
	request.io = &io;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		outcome = (struct outcome){0};
		away_ms = rows[i].away_ms;
		rollback_list(&request, &outcome);
		print_message("%d ms\n", (int)away_ms);
		assert_int_equal(outcome.journal_count, 1);
		assert_int_equal(outcome.journals[0].seconds_left, rows[i].expected);
		outcome_free(&outcome);
	}
	expect_outcome(confirm_plain(), OUTCOME_DONE, "apply 1 is kept");
	assert_true(guard_ends(1));
}

static void test_confirmed(void **state)
{
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	expect_outcome(confirm_plain(), OUTCOME_DONE, "apply 1 is kept");
	expect_outcome(confirm_plain(), OUTCOME_DONE, "was confirmed already");
	assert_string_equal(notice(), "");
	assert_true(guard_ends(1));
	pass_a_minute();
	usleep(50000);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

/*
 * The minute passes while somebody holds the lock, as bdp confirm does: what is decided under it counts.
 * A guard that looked only before it waited for the lock would undo what has just been confirmed.
 */
static void test_looks_again_under_the_lock(void **state)
{
	(void)state;
	struct tree tree;
	struct store store;
	struct reason reason;
	struct journal journal;

	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	assert_true(tree_open(&tree, NULL, tree_root));
	assert_int_equal(store_open(&store, &tree, false, &reason), STORE_OPEN);
	assert_true(store_lock(&store, -1, &reason));
	pass_a_minute();
	/* long enough for the guard to have seen the time, and to stand before the lock */
	usleep(200000);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_true(store_load(&store, 1, &journal, &reason));
	journal.state = JOURNAL_APPLIED;
	assert_true(store_save(&store, &journal, &reason));
	store_unlock(&store);
	assert_true(guard_ends(1));
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_int_equal(state_of(1), JOURNAL_APPLIED);
	store_close(&store);
	tree_close(&tree);
}

/* While one waits there is no second: neither another plan nor, in vain, the same one. */
static void test_no_second_guard(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	struct outcome outcome = apply_timed();
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_false(outcome.changed);
	outcome_free(&outcome);
	plan.settings[0].value.number[2] *= 2;
	expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, "apply 1 still waits");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	/* Rolling back ends the wait, and the guard. */
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(guard_ends(1));
	assert_int_equal(guard_pid(), 0);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

/* The terminal goes, the shell goes, the whole process group is killed. */
static void test_survives_its_parents(void **state)
{
	(void)state;
	int ready[2];
	assert_int_equal(pipe(ready), 0);
	pid_t shell = fork();
	assert_true(shell >= 0);
	if (shell == 0) {
		setsid();
		pid_t bdp = fork();
		if (bdp == 0) {
			struct outcome outcome = apply_timed();
			ssize_t wrote =
			    write(ready[1], outcome.exit == OUTCOME_DONE ? "y" : "n", 1);
			pause();
			_exit(wrote != 1);
		}
		pause();
		_exit(0);
	}
	char byte = 0;
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	pid_t guard = guard_pid();
	assert_true(guard > 0);
	assert_int_equal(kill(-shell, SIGHUP), 0);
	kill(-shell, SIGKILL);
	waitpid(shell, NULL, 0);
	/* And it is not impressed itself. */
	assert_int_equal(kill(guard, SIGHUP), 0);
	assert_int_equal(kill(guard, SIGTERM), 0);
	assert_int_equal(kill(guard, SIGINT), 0);
	assert_true(getsid(guard) != getsid(0));
	assert_true(getsid(guard) != guard);
	close(ready[0]);
	close(ready[1]);
	usleep(50000);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	pass_a_minute();
	assert_true(guard_ends(1));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_int_equal(state_of(1), JOURNAL_UNDONE);
}

/* It keeps nothing of who started it open, so that a pipe behind bdp ends with bdp. */
static void test_holds_no_pipe(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[0]);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		struct outcome outcome = apply_timed();
		_exit((int)outcome.exit);
	}
	close(ends[1]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	char byte;
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	expect_outcome(confirm_plain(), OUTCOME_DONE, "");
	assert_true(guard_ends(1));
}

static void test_guard_is_killed(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	pid_t guard = guard_pid();
	assert_true(guard > 0);
	assert_int_equal(kill(guard, SIGKILL), 0);
	assert_true(guard_ends(1));
	pass_a_minute();
	usleep(50000);
	/* Nobody undid it: everybody is told. */
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_non_null(strstr(notice(), "apply 1 was never confirmed and its guard is gone"));
	plan.settings[0].value.number[2] *= 2;
	expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, "apply 1 still waits");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_string_equal(notice(), "");
	/* Or it is kept after all. */
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	guard = guard_pid();
	assert_true(guard > 0);
	assert_int_equal(kill(guard, SIGKILL), 0);
	assert_true(guard_ends(2));
	expect_outcome(confirm_plain(), OUTCOME_DONE, "its guard had died");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

/* bdp itself is killed between two writes: the guard was there before the first. */
static ssize_t deadly_put(int fd, const void *bytes, size_t size)
{
	static unsigned puts_done;
	if (++puts_done == 2)
		kill(getpid(), SIGKILL);
	return kernel_io_system.put(fd, bytes, size);
}

static void test_killed_in_the_middle(void **state)
{
	(void)state;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct kernel_io io = guard_io;
		struct plan plan = plan_two();
		struct apply_request request = {
		    .io = &io, .mode = APPLY_SET, .confirm_seconds = 60};
		io.put = deadly_put;
		apply_with(&request, &plan);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_true(values_are(NEW_RMEM, OLD_WMEM));
	assert_int_equal(state_of(1), JOURNAL_PENDING);
	assert_non_null(strstr(notice(), "was cut short"));
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "cannot be confirmed");
	/* The guard inherited the deadly put, but it writes only once. */
	pass_a_minute();
	assert_true(guard_ends(1));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_int_equal(state_of(1), JOURNAL_UNDONE);
}

/* What somebody changed while the guard waited is theirs: the rest goes back, and that is the end. */
static void test_leaves_what_was_changed(void **state)
{
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t67108864\n");
	pass_a_minute();
	assert_true(guard_ends(1));
	assert_true(values_are("4096 131072 67108864", OLD_WMEM));
	assert_int_equal(state_of(1), JOURNAL_UNDONE);
	assert_non_null(strstr(logged(), "1 of 2 settings restored; what somebody changed since"));
	assert_string_equal(notice(), "");
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "too late");
	/* Nothing stands in the way of the next. */
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_SET, .allow_lower = true};
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
}

/* The journal goes bad while the guard waits: it knows what to do without. */
static void test_journal_is_damaged_meanwhile(void **state)
{
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	assert_int_equal(truncate(tree_path("run/bdp/1.journal"), 30), 0);
	pass_a_minute();
	assert_true(guard_ends(1));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_non_null(strstr(logged(), "its journal was damaged meanwhile"));
}

static void remove_store(void)
{
	char path[600];
	strlcpy(path, tree_path("run/bdp"), sizeof(path));
	nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	assert_false(tree_has("run/bdp"));
}

/* rm -rf /run/bdp, or a journal alone: the undo comes all the same, with files that were kept, and it
 * is said. */
static void test_journal_is_removed_meanwhile(void **state)
{
	static const char old_conf[] = "# Written by bdp 0.0.old\n\nnet.ipv4.tcp_sack = 1\n";
	for (unsigned how = 0; how < 3; how++) {
		struct plan plan = plan_two();
		struct apply_request request = {
		    .io = &guard_io, .mode = APPLY_SET, .confirm_seconds = 60, .persist = "/" CONF};
		print_message("way %u\n", how);
		tree_clear();
		tree_make(state);
		tree_put(CONF, old_conf);
		expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
		pid_t guard = guard_pid();
		assert_true(guard > 0);
		if (how == 0)
			assert_int_equal(unlink(tree_path("run/bdp/1.journal")), 0);
		else
			remove_store();
		/* Another apply, of something else, may have made it anew. */
		if (how == 2) {
			struct plan other = {.setting_count = 0};
			plan_add(&other, "net.ipv4.tcp_congestion_control", "reno", ROLE_UNKNOWN);
			expect_outcome(apply_plain(&other), OUTCOME_DONE, "");
		}
		usleep(50000);
		assert_true(values_are(NEW_RMEM, NEW_WMEM));
		pass_a_minute();
		for (unsigned i = 0; i < 1000 && kill(guard, 0) == 0; i++)
			usleep(10000);
		assert_int_equal(kill(guard, 0), -1);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_string_equal(tree_text(CONF), old_conf);
		assert_non_null(strstr(logged(), "its journal was removed meanwhile"));
		/* The new one's journal is not written over. */
		if (how == 2) {
			assert_int_equal(state_of(1), JOURNAL_APPLIED);
			assert_string_equal(tree_get(CONGESTION), "reno");
		}
	}
}

/* An apply that failed and took itself back leaves no guard behind that would meet the next one. */
static int refusing_truncate(int fd, off_t length)
{
	(void)fd;
	(void)length;
	errno = EIO;
	return -1;
}

static void test_failed_apply_calls_off(void **state)
{
	(void)state;
	struct kernel_io io = guard_io;
	struct plan plan = plan_two();
	struct apply_request request = {.io = &io, .mode = APPLY_SET, .confirm_seconds = 60};
	/* The second setting becomes shorter, which takes a truncate. */
	tree_put(WMEM, "4096\t16384\t41943040000\n");
	request.allow_lower = true;
	io.truncate = refusing_truncate;
	struct outcome outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_false(outcome.changed);
	outcome_free(&outcome);
	for (unsigned i = 0; i < 1000 && guard_pid() != 0; i++)
		usleep(10000);
	assert_int_equal(guard_pid(), 0);
	assert_string_equal(logged(), "");
}

/* Whatever whoever starts it has open, the guard keeps none of it: not 2,000 descriptors, and above
 * all not the store's lock. */
static void test_holds_no_descriptor(void **state)
{
	(void)state;
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	int first = dup(STDERR_FILENO), last = first;
	for (unsigned i = 1; i < 2000 && last >= 0; i++)
		last = dup(STDERR_FILENO);
	assert_true(last > 1500);
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	pid_t guard = guard_pid();
	for (int fd = first; fd <= last; fd++)
		close(fd);
	assert_true(guard > 0);
	assert_true(open_count(guard) < 16);
	/* It would stand in the way of all that follow. */
	expect_outcome(confirm_plain(), OUTCOME_DONE, "apply 1 is kept");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
}

/* confirm and rollback end when the guard has. */
static void test_nothing_outlives(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		signal(SIGCHLD, way == 0 ? SIG_DFL : SIG_IGN);
		unsigned before = open_count(getpid());
		expect_outcome(apply_timed(), OUTCOME_DONE, "");
		expect_outcome(confirm_plain(), OUTCOME_DONE, "");
		assert_int_equal(guard_pid(), 0);
		expect_outcome(rollback_plain(), OUTCOME_DONE, "");
		expect_outcome(apply_timed(), OUTCOME_DONE, "");
		expect_outcome(rollback_plain(), OUTCOME_DONE, "");
		assert_int_equal(guard_pid(), 0);
		assert_int_equal(open_count(getpid()), before);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
	signal(SIGCHLD, SIG_DFL);
}

/* What is kept must be there. */
static void test_confirm_verifies(void **state)
{
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	tree_put(WMEM, "4096\t16384\t8388608\n");
	struct outcome outcome = confirm_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_non_null(
	    strstr(outcome.message, "apply 1 is kept, but 1 of its 2 changes is not as"));
	assert_int_equal(outcome.setting_count, 1);
	assert_int_equal(outcome.settings[0].id, TUNABLE_TCP_WMEM);
	assert_int_equal(outcome.settings[0].state, ITEM_NOT_AS_SET);
	outcome_free(&outcome);
	assert_int_equal(state_of(1), JOURNAL_APPLIED);
	/* Asked again, it looks again. */
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "1 of its 2 changes");
	tree_put(WMEM, NEW_WMEM "\n");
	expect_outcome(confirm_plain(), OUTCOME_DONE, "was confirmed already");
	/* A file that does not hold what was written is no better. */
	struct plan plan = {.setting_count = 0};
	struct apply_request request = {
	    .io = &guard_io, .mode = APPLY_SET, .confirm_seconds = 60, .persist = "/" CONF};
	plan_add(&plan, "net.ipv4.tcp_congestion_control", "reno", ROLE_UNKNOWN);
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	tree_put(CONF, "# edited\n");
	outcome = confirm_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_int_equal(outcome.file_count, 1);
	assert_int_equal(outcome.files[0].state, ITEM_NOT_AS_SET);
	outcome_free(&outcome);
}

/* With all faults of starting it: nothing is written. */
static void test_cannot_be_started(void **state)
{
	(void)state;
	static const char *const calls[] = {"pair", "fork"};
	for (size_t i = 0; i < 2; i++) {
		struct plan plan = plan_two();
		struct apply_request request = {
		    .io = &fault_io, .mode = APPLY_SET, .confirm_seconds = 60};
		fault = (struct fault){.error = EAGAIN};
		/* Looks for the call's number. */
		do {
			fault.fail_at++;
			fault.calls = 0;
			tree_clear();
			tree_make(NULL);
			struct outcome outcome = apply_with(&request, &plan);
			bool done = outcome.exit == OUTCOME_DONE;
			outcome_free(&outcome);
			if (done)
				expect_outcome(confirm_plain(), OUTCOME_DONE, "");
			assert_true(fault.fail_at < 300);
		} while (fault.name == NULL || strcmp(fault.name, calls[i]) != 0);
		print_message("%s is call %u\n", calls[i], fault.fail_at);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_false(tree_has("run/bdp/1.journal"));
		fault.fail_at = 0;
	}
}

/* The time is up, and the guard has not come round to it: it is too late all the same. */
static void test_confirm_is_late(void **state)
{
	struct rollback_request request = {.io = &guard_io, .sysroot = tree_root};
	struct outcome outcome = {0};
	(void)state;
	expect_outcome(apply_timed(), OUTCOME_DONE, "");
	pid_t guard = guard_pid();
	assert_true(guard > 0);
	assert_int_equal(kill(guard, SIGSTOP), 0);
	pass_a_minute();
	confirm_run(&request, &outcome);
	expect_outcome(outcome, OUTCOME_INCOMPLETE, "it is being undone");
	assert_int_equal(kill(guard, SIGCONT), 0);
	assert_true(guard_ends(1));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, make, tree_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_TREE(test_undoes_in_time),
	    ON_TREE(test_confirmed),
	    ON_TREE(test_seconds_left),
	    ON_TREE(test_looks_again_under_the_lock),
	    ON_TREE(test_confirm_is_late),
	    ON_TREE(test_no_second_guard),
	    ON_TREE(test_survives_its_parents),
	    ON_TREE(test_holds_no_pipe),
	    ON_TREE(test_guard_is_killed),
	    ON_TREE(test_killed_in_the_middle),
	    ON_TREE(test_leaves_what_was_changed),
	    ON_TREE(test_journal_is_damaged_meanwhile),
	    ON_TREE(test_journal_is_removed_meanwhile),
	    ON_TREE(test_failed_apply_calls_off),
	    ON_TREE(test_holds_no_descriptor),
	    ON_TREE(test_nothing_outlives),
	    ON_TREE(test_confirm_verifies),
	    ON_TREE(test_cannot_be_started),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
