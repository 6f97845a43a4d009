/* Landlock: what was not named is out of reach.  Each case in a process of its own, for good. */
#include "apply_tree.h"

#include "apply/tree.h"

static bool has_landlock(void)
{
	struct sandbox sandbox;
	sandbox_begin(&sandbox);
	bool has = sandbox.ruleset >= 0;
	if (has)
		close(sandbox.ruleset);
	return has;
}

static int in_child(int (*work)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(work());
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The number of the first expectation that fails, 0 for none. */
static int look_around(void)
{
	struct tree tree;
	struct sandbox sandbox;
	if (!tree_open(&tree, NULL, tree_root))
		return 1;
	sandbox_begin(&sandbox);
	sandbox_allow(&sandbox, &tree, "proc", SANDBOX_READ);
	sandbox_allow(&sandbox, &tree, RMEM, SANDBOX_WRITE);
	sandbox_allow(&sandbox, &tree, "run", SANDBOX_DIRECTORY);
	sandbox_allow(&sandbox, &tree, "not/there", SANDBOX_DIRECTORY);
	if (!sandbox_enter(&sandbox))
		return 2;
	const bool expected[] = {
	    opens(tree_path(RMEM), O_RDONLY),
	    opens(tree_path(RMEM), O_WRONLY),
	    opens(tree_path(WMEM), O_RDONLY),
	    !opens(tree_path(WMEM), O_WRONLY),
	    opens(tree_path("run/new"), O_WRONLY | O_CREAT),
	    rename(tree_path("run/new"), tree_path("run/newer")) == 0,
	    unlink(tree_path("run/newer")) == 0,
	    mkdir(tree_path("run/directory"), 0700) != 0,
	    symlink("x", tree_path("run/link")) != 0,
	    !opens(tree_path("etc/sysctl.d/README"), O_RDONLY),
	    !opens(tree_path("etc/sysctl.d/new"), O_WRONLY | O_CREAT),
	    !opens("/etc/passwd", O_RDONLY),
	    opens("/dev/null", O_RDWR),
	};
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		if (!expected[i])
			return (int)i + 10;
	return 0;
}

static void test_only_what_is_named(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	assert_int_equal(in_child(look_around), 0);
}

/* An apply confines its process, guard and all, and can still do everything that it must. */
static int apply_confined(void)
{
	struct plan plan = plan_two();
	struct apply_request request = {
	    .mode = APPLY_SET, .confine = true, .persist = "/" CONF, .confirm_seconds = 2};
	struct outcome outcome = apply_with(&request, &plan);
	if (outcome.exit != OUTCOME_DONE || !values_are(NEW_RMEM, NEW_WMEM))
		return 1;
	if (opens("/etc/passwd", O_RDONLY) || opens(tree_path(CONGESTION), O_WRONLY))
		return 2;
	return 0;
}

static int rollback_confined(void)
{
	struct rollback_request request = {.confine = true};
	struct outcome outcome = rollback_with(&request);
	if (outcome.exit != OUTCOME_DONE || !values_are(OLD_RMEM, OLD_WMEM))
		return 1;
	return opens("/etc/passwd", O_RDONLY) || opens(tree_path(CONGESTION), O_WRONLY);
}

static void test_work_is_done_inside(void **state)
{
	(void)state;
	if (!has_landlock())
		skip();
	assert_int_equal(in_child(apply_confined), 0);
	for (unsigned i = 0; i < 500 && !values_are(OLD_RMEM, OLD_WMEM); i++)
		usleep(10000);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	for (unsigned i = 0; i < 100 && tree_has(CONF); i++)
		usleep(10000);
	assert_false(tree_has(CONF));
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_SET, .persist = "/" CONF};
	/* The guard notes what it did after it did it. */
	for (unsigned i = 0; i < 100; i++) {
		struct outcome outcome = apply_with(&request, &plan);
		bool done = outcome.exit == OUTCOME_DONE;
		outcome_free(&outcome);
		if (done)
			break;
		usleep(10000);
	}
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_int_equal(in_child(rollback_confined), 0);
	assert_false(tree_has(CONF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_only_what_is_named, tree_make, tree_end),
	    cmocka_unit_test_setup_teardown(test_work_is_done_inside, tree_make, tree_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
