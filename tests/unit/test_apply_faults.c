/*
 * Whatever call fails, and wherever the process is killed: the host has its old values, or new ones
 * with a journal that takes them back.
 */
#include "apply_tree.h"

#define OLD_CONF "# Written by bdp 0.0.old on an earlier day.\n\nnet.ipv4.tcp_sack = 1\n"

/* With FAULTS=all every call fails in each of these ways, and what is killed is killed once more while it
 * is taken back; without, in the first way, and once. */
static const int ways[] = {EIO, ENOSPC, EACCES, EROFS, ENOMEM, EPERM, EINTR, EAGAIN};
#define LASTING_WAYS 6 /* the others ask to be tried again: they do not last */
static size_t way_count = 1;
static unsigned failed_calls, kills; /* made by all tests together */

/* A plan that changes settings and files, with one file that was there before. */
static int make(void **state)
{
	tree_make(state);
	tree_put(CONF, OLD_CONF);
	return 0;
}

static struct plan plan_full(void)
{
	struct plan plan = plan_two();
	plan_add(&plan, "net.ipv4.tcp_congestion_control", "bbr", ROLE_UNKNOWN);
	return plan;
}

static const struct apply_request request_full = {
    .io = &fault_io, .mode = APPLY_SET, .persist = "/" CONF};

static bool all_is_old(void)
{
	return values_are(OLD_RMEM, OLD_WMEM) && strcmp(tree_get(CONGESTION), "cubic") == 0 &&
	       strcmp(tree_text(CONF), OLD_CONF) == 0 && !tree_has(MODULES);
}

static bool settings_are_new(void)
{
	return values_are(NEW_RMEM, NEW_WMEM) && strcmp(tree_get(CONGESTION), "bbr") == 0 &&
	       strstr(tree_text(CONF), "tcp_rmem = " NEW_RMEM) != NULL;
}

static bool all_is_new(void)
{
	return settings_are_new() && tree_has(MODULES);
}

/* The promise: a rollback that meets no fault brings everything back, unless it is back. */
static void expect_restorable(const char *where, unsigned call)
{
	if (!all_is_old()) {
		struct outcome outcome = rollback_plain();
		if (outcome.exit != OUTCOME_DONE || !all_is_old())
			print_message("%s call %u (%s): rollback says '%s'\n", where, call,
			    fault.name != NULL ? fault.name : "-", outcome.message);
		assert_int_equal(outcome.exit, OUTCOME_DONE);
		outcome_free(&outcome);
	}
	assert_true(all_is_old());
}

/* Every call of a full apply, counted by a run that meets no fault.  When the number changes, look
 * at what was added: it must keep the promise too. */
#define CALLS_OF_APPLY 189

static unsigned calls_of_apply(void)
{
	struct plan plan = plan_full();
	fault = (struct fault){0};
	expect_outcome(apply_with(&request_full, &plan), OUTCOME_DONE, "");
	assert_true(all_is_new());
	return fault.calls;
}

static void test_count(void **state)
{
	(void)state;
	assert_int_equal(calls_of_apply(), CALLS_OF_APPLY);
	expect_restorable("none", 0);
}

/* One call fails: the outcome tells, and a failure it tells leaves nothing set. */
static void each_fails(int error, bool for_good)
{
	struct plan plan = plan_full();
	unsigned failed = 0;
	for (unsigned call = 1; call <= CALLS_OF_APPLY; call++) {
		make(NULL);
		failed_calls++;
		fault = (struct fault){.fail_at = call, .error = error, .for_good = for_good};
		struct outcome outcome = apply_with(&request_full, &plan);
		unsigned reached = fault.calls;
		fault.fail_at = 0;
		assert_true(reached >= call);
		/* A list of modules that cannot be read is told, not guessed at. */
		bool good = all_is_old() || outcome.changed;
		if (outcome.exit == OUTCOME_DONE)
			good = settings_are_new() && (tree_has(MODULES) || outcome.note_count > 0);
		if (!good)
			print_message("call %u (%s): exit %d '%s'\n", call, fault.name,
			    outcome.exit, outcome.message);
		assert_true(good);
		/* With one fault only, undoing meets none. */
		if (outcome.exit != OUTCOME_DONE && !for_good)
			assert_false(outcome.changed);
		failed += outcome.exit != OUTCOME_DONE;
		outcome_free(&outcome);
		expect_restorable("failed", call);
		tree_clear();
	}
	/* Reading what is nice to know (modules, overrides, pruning) may fail without harm, and what asks
	 * to be tried again is. */
	if (error != EINTR && error != EAGAIN)
		assert_true(failed > CALLS_OF_APPLY / 2);
}

static void test_each_call_fails(void **state)
{
	(void)state;
	tree_clear();
	for (size_t i = 0; i < way_count; i++)
		each_fails(ways[i], false);
}

static void test_disk_full_from_each_call_on(void **state)
{
	(void)state;
	tree_clear();
	each_fails(ENOSPC, true);
	for (size_t i = 0; way_count > 1 && i < LASTING_WAYS; i++)
		if (ways[i] != ENOSPC)
			each_fails(ways[i], true);
}

static void run_until_killed(unsigned call, void (*work)(void))
{
	pid_t pid = fork();
	kills++;
	assert_true(pid >= 0);
	if (pid == 0) {
		fault = (struct fault){.kill_at = call};
		work();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void do_apply(void)
{
	struct plan plan = plan_full();
	struct outcome outcome = apply_with(&request_full, &plan);
	outcome_free(&outcome);
}

static void do_rollback(void)
{
	struct rollback_request request = {.io = &fault_io};
	struct outcome outcome = rollback_with(&request);
	outcome_free(&outcome);
}

static void test_killed_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	for (unsigned call = 1; call <= CALLS_OF_APPLY; call++) {
		make(NULL);
		run_until_killed(call, do_apply);
		expect_restorable("killed", call);
		/* And the next apply finds a host that it can work on. */
		struct plan plan = plan_full();
		struct apply_request request = {.mode = APPLY_SET, .persist = "/" CONF};
		struct outcome outcome = apply_with(&request, &plan);
		if (outcome.exit != OUTCOME_DONE) {
			/* Killed between journal and first write: nothing is set, the journal says so. */
			assert_non_null(strstr(outcome.message, "was cut short"));
			expect_outcome(rollback_plain(), OUTCOME_DONE, "");
			outcome_free(&outcome);
			outcome = apply_with(&request, &plan);
		}
		assert_int_equal(outcome.exit, OUTCOME_DONE);
		assert_true(all_is_new());
		outcome_free(&outcome);
		tree_clear();
	}
}

#define CALLS_OF_ROLLBACK 103

static void test_rollback_killed_at_each_call(void **state)
{
	(void)state;
	calls_of_apply();
	fault = (struct fault){0};
	do_rollback();
	assert_true(all_is_old());
	assert_int_equal(fault.calls, CALLS_OF_ROLLBACK);
	tree_clear();
	for (unsigned call = 1; call <= CALLS_OF_ROLLBACK; call++) {
		make(NULL);
		calls_of_apply();
		run_until_killed(call, do_rollback);
		expect_restorable("rollback killed", call);
		tree_clear();
	}
}

static void rollback_fails(int error, bool for_good)
{
	for (unsigned call = 1; call <= CALLS_OF_ROLLBACK; call++) {
		make(NULL);
		calls_of_apply();
		struct rollback_request request = {.io = &fault_io};
		failed_calls++;
		fault = (struct fault){.fail_at = call, .error = error, .for_good = for_good};
		struct outcome outcome = rollback_with(&request);
		fault.fail_at = 0;
		if (outcome.exit == OUTCOME_DONE)
			assert_true(all_is_old());
		outcome_free(&outcome);
		expect_restorable("rollback failed", call);
		tree_clear();
	}
}

static void test_rollback_fails_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	for (size_t i = 0; i < way_count; i++)
		rollback_fails(ways[i], false);
	for (size_t i = 0; way_count > 1 && i < LASTING_WAYS; i++)
		rollback_fails(ways[i], true);
}

/* Killed, and killed again while it is taken back: at every call of the apply, and at every fourth of the
 * rollback, which begins at another one each time. */
static void test_killed_twice(void **state)
{
	(void)state;
	if (way_count == 1) {
		skip();
		return;
	}
	tree_clear();
	for (unsigned call = 1; call <= CALLS_OF_APPLY; call++)
		for (unsigned second = 1 + call % 4; second <= CALLS_OF_ROLLBACK; second += 4) {
			make(NULL);
			run_until_killed(call, do_apply);
			pid_t pid = fork();
			assert_true(pid >= 0);
			if (pid == 0) {
				fault = (struct fault){.kill_at = second};
				do_rollback();
				_exit(0);
			}
			int status;
			assert_int_equal(waitpid(pid, &status, 0), pid);
			kills += WIFSIGNALED(status);
			expect_restorable("killed twice", call);
			tree_clear();
		}
}

/* ---- with a guard, which meets the same faults ---- */

static void short_sleep_ms(int64_t milliseconds)
{
	kernel_io_system.sleep_ms(milliseconds < 2 ? milliseconds : 2);
}

static struct kernel_io timed_io;

static void do_timed_apply(void)
{
	struct plan plan = plan_full();
	struct apply_request request = request_full;
	request.io = &timed_io;
	request.confirm_seconds = 1;
	struct outcome outcome = apply_with(&request, &plan);
	outcome_free(&outcome);
}

/* Calls of a whole timed apply, without those of its guard. */
static unsigned calls_of_timed_apply(void)
{
	timed_io = fault_io;
	timed_io.sleep_ms = short_sleep_ms;
	make(NULL);
	fault = (struct fault){0};
	do_timed_apply();
	assert_true(all_is_new());
	unsigned calls = fault.calls;
	expect_restorable("none", 0);
	tree_clear();
	return calls;
}

/* What a guard did not survive, or was not there to do, a rollback does; until its second is up the
 * guard may be at work, too. */
static void expect_restored_soon(unsigned call)
{
	for (unsigned i = 0; i < 300 && !all_is_old(); i++) {
		struct outcome outcome = rollback_plain();
		outcome_free(&outcome);
		usleep(10000);
	}
	if (!all_is_old())
		print_message("call %u (%s)\n", call, fault.name != NULL ? fault.name : "-");
	assert_true(all_is_old());
}

/* Beyond the calls of the apply it is the guard that is killed, since it counts on. */
static void test_timed_killed_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	unsigned calls = calls_of_timed_apply();
	for (unsigned call = 1; call <= calls + 40; call++) {
		make(NULL);
		pid_t pid = fork();
		kills++;
		assert_true(pid >= 0);
		if (pid == 0) {
			fault = (struct fault){.kill_at = call};
			do_timed_apply();
			_exit(0);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (call <= calls)
			assert_true(WIFSIGNALED(status));
		expect_restored_soon(call);
		tree_clear();
	}
	print_message("%u calls\n", calls);
}

static void test_timed_fails_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	unsigned calls = calls_of_timed_apply();
	for (size_t i = 0; i < way_count; i++)
		for (unsigned call = 1; call <= calls + 40; call++) {
			make(NULL);
			failed_calls++;
			fault = (struct fault){.fail_at = call, .error = ways[i]};
			do_timed_apply();
			fault.fail_at = 0;
			expect_restored_soon(call);
			tree_clear();
		}
}

/* ---- confirm, and a rollback that leaves what somebody changed ---- */

static void do_confirm(void)
{
	struct rollback_request request = {.io = &timed_io, .sysroot = tree_root};
	struct outcome outcome = {0};
	confirm_run(&request, &outcome);
	outcome_free(&outcome);
}

static unsigned each_of_confirm(unsigned call, bool killed, int error)
{
	struct plan plan = plan_full();
	struct apply_request request = request_full;
	make(NULL);
	fault = (struct fault){0};
	request.io = &timed_io;
	request.confirm_seconds = 60;
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	fault.calls = 0;
	if (killed) {
		run_until_killed(call, do_confirm);
	} else {
		failed_calls += call > 0;
		fault.fail_at = call;
		fault.error = error;
		do_confirm();
		fault.fail_at = 0;
	}
	unsigned calls = fault.calls;
	/* Whatever came of it: it is all there, and goes back whole. */
	assert_true(all_is_new());
	expect_restorable("confirm", call);
	tree_clear();
	return calls;
}

static void test_confirm_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	calls_of_timed_apply();
	unsigned calls = each_of_confirm(0, false, EIO);
	print_message("%u calls\n", calls);
	assert_true(calls > 40);
	for (size_t i = 0; i < way_count; i++)
		for (unsigned call = 1; call <= calls; call++)
			each_of_confirm(call, false, ways[i]);
	/* How often it looks whether the guard has gone varies: the ones before are the same. */
	for (unsigned call = 1; call <= 40; call++)
		each_of_confirm(call, true, EIO);
}

#define OTHER_WMEM "4096 262144 33554432"

/* The rest is as it was, and the changed value as somebody made it. */
static bool all_but_wmem_is_old(void)
{
	return strcmp(tree_get(WMEM), OTHER_WMEM) == 0 && strcmp(tree_get(RMEM), OLD_RMEM) == 0 &&
	       strcmp(tree_get(CONGESTION), "cubic") == 0 &&
	       strcmp(tree_text(CONF), OLD_CONF) == 0 && !tree_has(MODULES);
}

static void expect_left(const char *where, unsigned call)
{
	struct outcome outcome = {0};
	if (!all_but_wmem_is_old())
		outcome = rollback_plain();
	if (!all_but_wmem_is_old())
		print_message("%s call %u: %s\n", where, call, outcome.message);
	assert_true(all_but_wmem_is_old());
	outcome_free(&outcome);
}

static void test_rollback_that_leaves_at_each_call(void **state)
{
	(void)state;
	tree_clear();
	for (unsigned round = 0; round <= way_count; round++) {
		bool killed = round == way_count;
		for (unsigned call = 1; call <= CALLS_OF_ROLLBACK - 10; call++) {
			make(NULL);
			calls_of_apply();
			tree_put(WMEM, OTHER_WMEM "\n");
			if (killed) {
				run_until_killed(call, do_rollback);
			} else {
				failed_calls++;
				fault = (struct fault){.fail_at = call, .error = ways[round]};
				do_rollback();
				fault.fail_at = 0;
			}
			expect_left(killed ? "killed" : "failed", call);
			tree_clear();
		}
	}
}

/* ---- the steps of a sweep, which have one journal ---- */

/* Whether the child was killed, rather than came to its end before that call. */
static bool was_killed(unsigned call, void (*work)(void))
{
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		fault = (struct fault){.kill_at = call};
		work();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	kills += WIFSIGNALED(status);
	return WIFSIGNALED(status);
}

/* Sets one ceiling and restores it, as sweep --run does around each run of a command.  False when the
 * sweep would stop here. */
static bool do_step(const char *value, uint32_t *journal)
{
	struct plan plan = {.role = ROLE_UNKNOWN};
	plan_add(&plan, "net.ipv4.tcp_rmem", value, ROLE_UNKNOWN);
	struct apply_request request = {.io = &timed_io,
	    .mode = APPLY_SET,
	    .allow_lower = true,
	    .confirm_seconds = 60,
	    .is_step = true,
	    .continues = *journal};
	struct outcome outcome = apply_with(&request, &plan);
	bool good = outcome.exit == OUTCOME_DONE;
	assert_true(good || outcome.changed || values_are(OLD_RMEM, OLD_WMEM));
	if (outcome.changed)
		*journal = outcome.journal;
	outcome_free(&outcome);
	if (!good)
		return false;
	assert_string_equal(tree_get(RMEM), value);
	struct rollback_request back = {.io = &timed_io, .to = *journal, .made_here = true};
	outcome = rollback_with(&back);
	good = outcome.exit == OUTCOME_DONE;
	if (good)
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
	outcome_free(&outcome);
	return good;
}

static void do_sweep(void)
{
	static const char *const ceilings[] = {"4096 65536 65536", NEW_RMEM, "4096 131072 2097152"};
	uint32_t journal = 0;
	for (size_t i = 0; i < 3; i++)
		if (!do_step(ceilings[i], &journal))
			return;
}

/* What is left of a sweep goes back, and is one entry; a second one where the first could not be read. */
static void expect_swept(const char *where, unsigned call, size_t entries)
{
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome list = {0};
	rollback_list(&request, &list);
	assert_int_equal(list.exit, OUTCOME_DONE);
	assert_true(list.journal_count <= entries);
	outcome_free(&list);
	expect_restorable(where, call);
}

static void test_sweep_at_each_call(void **state)
{
	unsigned call = 1, step = way_count == 1 ? 5 : 1;
	(void)state;
	timed_io = fault_io;
	timed_io.sleep_ms = short_sleep_ms;
	fault = (struct fault){0};
	do_sweep();
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	unsigned calls = fault.calls;
	print_message("%u calls\n", calls);
	expect_swept("none", 0, 1);
	assert_true(calls > 300);
	tree_clear();
	for (bool killed = true; killed; call += step, tree_clear()) {
		make(NULL);
		killed = was_killed(call, do_sweep);
		expect_swept("sweep killed", call, 1);
	}
	/* How often a guard is looked for varies, and no more does. */
	assert_true(call > calls - 60);
	for (size_t i = 0; i < way_count; i++)
		for (call = 1; call <= calls; call += step, failed_calls++) {
			make(NULL);
			fault = (struct fault){.fail_at = call, .error = ways[i]};
			do_sweep();
			fault.fail_at = 0;
			expect_swept("sweep failed", call, 2);
			tree_clear();
		}
}

/* ---- the pruning of journals ---- */

#define PRUNED 4

/* The first can be taken back; of the ones behind it some have ended, and some are of network namespaces
 * that have: all those but the newest of all are to go. */
static void make_crowd(uint32_t count)
{
	struct plan plan = {.role = ROLE_UNKNOWN};
	make(NULL);
	plan_add(&plan, "net.ipv4.tcp_wmem", NEW_WMEM, ROLE_UNKNOWN);
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	for (uint32_t id = 2; id <= count; id++)
		put_journal(id, id % 2 == 0 ? JOURNAL_UNDONE : JOURNAL_APPLIED,
		    id % 2 == 0 ? 0 : 1000000 + id);
	fault = (struct fault){0};
}

static void do_pruning_apply(void)
{
	struct plan plan = {.role = ROLE_UNKNOWN};
	struct apply_request request = {.io = &fault_io, .mode = APPLY_SET};
	plan_add(&plan, "net.ipv4.tcp_rmem", NEW_RMEM, ROLE_UNKNOWN);
	struct outcome outcome = apply_with(&request, &plan);
	assert_string_equal(tree_get(RMEM), outcome.exit == OUTCOME_DONE ? NEW_RMEM : OLD_RMEM);
	outcome_free(&outcome);
}

/* Nothing that can be taken back was lost, nor one of the newest; nothing is damaged. */
static void expect_pruned(const char *where, unsigned call, uint32_t count)
{
	struct rollback_request all = {.sysroot = tree_root, .all = true};
	struct outcome outcome = {0};
	char path[64];
	assert_string_equal(tree_get(WMEM), NEW_WMEM);
	rollback_list(&all, &outcome);
	if (outcome.exit != OUTCOME_DONE)
		print_message("%s call %u: %s\n", where, call, outcome.message);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	outcome_free(&outcome);
	assert_true(tree_has("run/bdp/1.journal"));
	for (uint32_t id = PRUNED + 2; id <= count && count < STORE_JOURNALS_MAX; id++) {
		snprintf(path, sizeof(path), "run/bdp/%u.journal", id);
		assert_true(tree_has(path));
	}
	expect_outcome(rollback_with(&all), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

/* The last number is new: so many are kept beside it. */
#define CROWD (PRUNED + STORE_KEEP_ENDED)

static void test_pruning_at_each_call(void **state)
{
	unsigned call = 0, step = way_count == 1 ? 7 : 1;
	(void)state;
	tree_clear();
	make_crowd(CROWD);
	do_pruning_apply();
	unsigned calls = fault.calls;
	print_message("%u calls\n", calls);
	for (uint32_t id = 2; id <= PRUNED; id++) {
		char path[64];
		snprintf(path, sizeof(path), "run/bdp/%u.journal", id);
		assert_false(tree_has(path));
	}
	expect_pruned("none", 0, CROWD);
	tree_clear();
	for (call = 1; call <= calls; call += step) {
		make_crowd(CROWD);
		assert_true(was_killed(call, do_pruning_apply));
		expect_pruned("killed", call, CROWD);
		tree_clear();
	}
	for (size_t i = 0; i < way_count; i++)
		for (call = 1; call <= calls; call += step, failed_calls++) {
			make_crowd(CROWD);
			fault = (struct fault){.fail_at = call, .error = ways[i]};
			do_pruning_apply();
			fault.fail_at = 0;
			expect_pruned("failed", call, CROWD);
			tree_clear();
		}
}

/* A full table makes room before anything is written. */
static void test_pruning_a_full_table(void **state)
{
	unsigned step = way_count == 1 ? 1201 : 5;
	(void)state;
	tree_clear();
	make_crowd(STORE_JOURNALS_MAX);
	do_pruning_apply();
	unsigned calls = fault.calls;
	print_message("%u calls\n", calls);
	assert_string_equal(tree_get(RMEM), NEW_RMEM);
	tree_clear();
	for (unsigned call = 1; call <= calls; call += step) {
		make_crowd(STORE_JOURNALS_MAX);
		assert_true(was_killed(call, do_pruning_apply));
		expect_pruned("killed in a full table", call, STORE_JOURNALS_MAX);
		tree_clear();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_count, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_each_call_fails, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_disk_full_from_each_call_on, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_killed_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_rollback_killed_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_rollback_fails_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_killed_twice, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_timed_killed_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_timed_fails_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_confirm_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_rollback_that_leaves_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_sweep_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_pruning_at_each_call, make, tree_end),
	    cmocka_unit_test_setup_teardown(test_pruning_a_full_table, make, tree_end),
	};
	const char *all = getenv("FAULTS");

	if (all != NULL && strcmp(all, "all") == 0)
		way_count = sizeof(ways) / sizeof(ways[0]);
	int result = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%u failed calls, %u kills\n", failed_calls, kills);
	return result;
}
