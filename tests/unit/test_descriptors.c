/* Closing what others left open, on kernels with close_range(2) and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/guard.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

#define MANY 2000

/* In a child: 0 when just 0 to 2 and the two kept are open afterwards. */
static int close_in_child(bool listed)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	int last = 0;
	for (int i = 0; i < MANY; i++)
		last = dup(STDERR_FILENO);
	/* With gaps, and not in order. */
	close(10);
	int kept[] = {last - 1, -1, 7, 1000};
	int sorted[] = {-1, 7, 1000, last - 1};
	if (last < MANY ||
	    !(listed ? descriptors_close_listed(sorted, 4) : descriptors_close_others(kept, 4)))
		return 1;
	for (int fd = 0; fd < last + 100; fd++) {
		bool wanted = fd < 3 || fd == 7 || fd == 1000 || fd == last - 1;
		if (is_open(fd) != wanted) {
			printf("%d is %s\n", fd, wanted ? "closed" : "open");
			return 2;
		}
	}
	return 0;
}

static void test_close(void **state)
{
	(void)state;
	for (int listed = 0; listed < 2; listed++) {
		int status;
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(close_in_child(listed == 1));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void test_none_kept(void **state)
{
	(void)state;
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = dup(STDERR_FILENO);
		_exit(!descriptors_close_others(NULL, 0) || is_open(fd) || !is_open(2));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_close),
	    cmocka_unit_test(test_none_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
