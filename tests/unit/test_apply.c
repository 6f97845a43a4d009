#include "apply_tree.h"

#include <sys/file.h>

#include "apply/plan_check.h"

/* ---- what may be written ---- */

static void test_setting_check(void **state)
{
	static const struct {
		const char *name, *key, *value, *problem;
	} rows[] = {
	    {"a plain vector", "net.ipv4.tcp_rmem", NEW_RMEM, NULL},
	    {"all equal", "net.ipv4.tcp_rmem", "4096 4096 4096", NULL},
	    {"the largest int", "net.ipv4.tcp_rmem", "4096 131072 2147483647", NULL},
	    {"one more", "net.ipv4.tcp_rmem", "4096 131072 2147483648", "out of bounds"},
	    {"below a page", "net.ipv4.tcp_rmem", "4095 131072 4194304", "out of bounds"},
	    {"default below min", "net.ipv4.tcp_wmem", "8192 4096 4194304", "out of order"},
	    {"max below default", "net.ipv4.tcp_wmem", "4096 65536 32768", "out of order"},
	    {"a byte that is no switch", "net.ipv4.tcp_shrink_window", "2", "out of bounds"},
	    {"a switch", "net.ipv4.tcp_shrink_window", "1", NULL},
	    {"never set", "net.ipv4.tcp_max_orphans", "1000", "never sets"},
	    {"never set either", "net.ipv4.tcp_available_congestion_control", "reno", "never sets"},
	    {"a name", "net.ipv4.tcp_congestion_control", "bbr", NULL},
	    {"no name", "net.ipv4.tcp_congestion_control", "b/../r", "is no name"},
	    {"15 characters", "net.core.default_qdisc", "abcdefghijklmno", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = {.setting_count = 0};
		char why[300] = "";
		print_message("%s\n", rows[i].name);
		plan_add(&plan, rows[i].key, rows[i].value, ROLE_UNKNOWN);
		bool good = setting_check(&plan.settings[0], why, sizeof(why));
		assert_int_equal(good, rows[i].problem == NULL);
		if (!good) {
			assert_non_null(strstr(why, rows[i].problem));
			assert_non_null(strstr(why, rows[i].key));
		}
	}
}

static void test_bad_plan_is_refused_whole(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	plan_add(&plan, "net.ipv4.tcp_sack", "1", ROLE_UNKNOWN);
	plan.settings[2].value.number[0] = 3;
	expect_outcome(apply_plain(&plan), OUTCOME_INPUT, "tcp_sack: 3 is out of bounds");
	plan.settings[2].id = TUNABLE_COUNT;
	expect_outcome(apply_plain(&plan), OUTCOME_INPUT, "not a setting that bdp knows");
	plan.settings[2] = plan.settings[1];
	plan.settings[2].value.count = 2;
	expect_outcome(apply_plain(&plan), OUTCOME_INPUT, "takes 3 numbers");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_false(tree_has("run/bdp"));
}

/* ---- the plain way ---- */

static void test_sets_and_proves(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	struct outcome outcome = apply_plain(&plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_true(outcome.changed);
	assert_int_equal(outcome.journal, 1);
	const struct outcome_setting *item = item_of(&outcome, "net.ipv4.tcp_wmem");
	assert_int_equal(item->state, ITEM_SET);
	assert_int_equal(item->before.number[1], 16384);
	assert_int_equal(item->after.number[1], 262144);
	outcome_free(&outcome);
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	/* Nothing of the longer or shorter old text is left behind. */
	assert_string_equal(tree_text(RMEM), NEW_RMEM "\n");
	struct stat status;
	assert_int_equal(stat(tree_path("run/bdp"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(stat(tree_path("run/bdp/1.journal"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
}

static void test_second_time_writes_nothing(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	struct stat before, after;
	assert_int_equal(stat(tree_path(RMEM), &before), 0);
	struct outcome outcome = apply_plain(&plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_false(outcome.changed);
	assert_int_equal(outcome.journal, 0);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_ALREADY);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state, ITEM_ALREADY);
	outcome_free(&outcome);
	assert_int_equal(stat(tree_path(RMEM), &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_false(tree_has("run/bdp/2.journal"));
}

static void test_already_so_from_the_start(void **state)
{
	struct plan plan = {.setting_count = 0};
	(void)state;
	plan_add(&plan, "net.ipv4.tcp_rmem", OLD_RMEM, ROLE_UNKNOWN);
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_false(tree_has("run/bdp"));
	plan.setting_count = 0;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
}

static void test_dry_run_touches_nothing(void **state)
{
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_DRY_RUN, .persist = "/" CONF};
	(void)state;
	struct outcome outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_true(outcome.dry_run);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_WOULD_SET);
	assert_int_equal(outcome.file_count, 1);
	assert_int_equal(outcome.files[0].state, ITEM_WOULD_SET);
	outcome_free(&outcome);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_false(tree_has("run/bdp"));
	assert_false(tree_has(CONF));
}

static void test_check(void **state)
{
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_CHECK};
	(void)state;
	tree_put(RMEM, "4096\t131072\t20971520\n");
	struct outcome outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.exit, OUTCOME_DIFFERS);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_ALREADY);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state, ITEM_DIFFERS);
	outcome_free(&outcome);
	/* Larger than planned is a difference too, not a refusal. */
	tree_put(WMEM, "4096\t262144\t33554432\n");
	expect_outcome(apply_with(&request, &plan), OUTCOME_DIFFERS, "");
	tree_put(WMEM, "4096\t262144\t20971520\n");
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	assert_false(tree_has("run/bdp"));
}

/* Somebody sets the key between the look and the write. */
static unsigned syncs;
static int meddling_sync(int fd)
{
	if (++syncs == 1)
		tree_put(WMEM, "4096\t32768\t4194304\n");
	return kernel_io_system.sync(fd);
}

static void test_somebody_else_was_faster(void **state)
{
	struct plan plan = plan_two();
	struct kernel_io io = kernel_io_system;
	struct apply_request request = {.io = &io, .mode = APPLY_SET};
	(void)state;
	assert_int_equal(mkdir(tree_path("run/bdp"), 0700), 0);
	io.sync = meddling_sync;
	syncs = 0;
	struct outcome outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_UNDONE);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state, ITEM_FAILED);
	assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_wmem")->why, "somebody else"));
	outcome_free(&outcome);
	assert_true(values_are(OLD_RMEM, "4096 32768 4194304"));
	assert_false(tree_has("run/bdp/1.journal"));
}

/* ---- refusals before anything is written ---- */

static void test_lower_needs_leave(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	tree_put(WMEM, "4096\t524288\t33554432\n");
	struct outcome outcome = apply_plain(&plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	const struct outcome_setting *item = item_of(&outcome, "net.ipv4.tcp_wmem");
	assert_int_equal(item->state, ITEM_REFUSED);
	assert_non_null(strstr(item->why, "would lower default from 524288 to 262144"));
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_NOT_TRIED);
	outcome_free(&outcome);
	assert_string_equal(tree_get(RMEM), OLD_RMEM);
	assert_false(tree_has("run/bdp"));
	struct apply_request request = {.mode = APPLY_SET, .allow_lower = true};
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

/* For a switch or a delay a smaller number is not less. */
static void test_lower_is_of_buffers_only(void **state)
{
	struct plan plan = {.setting_count = 0};
	(void)state;
	tree_put("proc/sys/net/ipv4/tcp_notsent_lowat", "4294967295\n");
	tree_put("proc/sys/net/ipv4/tcp_slow_start_after_idle", "1\n");
	plan_add(&plan, "net.ipv4.tcp_notsent_lowat", "131072", ROLE_UNKNOWN);
	plan_add(&plan, "net.ipv4.tcp_slow_start_after_idle", "0", ROLE_UNKNOWN);
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_string_equal(tree_get("proc/sys/net/ipv4/tcp_notsent_lowat"), "131072");
}

static void test_missing_keys_are_explained(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	plan_add(&plan, "net.core.default_qdisc", "fq", ROLE_UNKNOWN);
	plan_add(&plan, "net.ipv4.tcp_shrink_window", "1", ROLE_UNKNOWN);
	unlink(tree_path(QDISC));
	struct outcome outcome = apply_plain(&plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_non_null(
	    strstr(item_of(&outcome, "net.core.default_qdisc")->why, "network namespace"));
	assert_non_null(
	    strstr(item_of(&outcome, "net.ipv4.tcp_shrink_window")->why, "kernel does not have"));
	outcome_free(&outcome);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_false(tree_has("run/bdp"));
}

static void test_tcp_mem_in_bytes(void **state)
{
	struct plan plan = {.setting_count = 0};
	(void)state;
	tree_put("proc/sys/net/ipv4/tcp_mem", "94500\t126000\t189000\n");
	/* 8,000,000 KiB are about two million pages of 4 KiB. */
	plan_add(&plan, "net.ipv4.tcp_mem", "16777216 16777216 16777216", ROLE_UNKNOWN);
	struct outcome outcome = apply_plain(&plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_non_null(
	    strstr(item_of(&outcome, "net.ipv4.tcp_mem")->why, "counts pages, not bytes"));
	outcome_free(&outcome);
	plan.setting_count = 0;
	plan_add(&plan, "net.ipv4.tcp_mem", "189000 252000 378000", ROLE_UNKNOWN);
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
}

/* Which host a setting is for. */
static void test_roles(void **state)
{
	static const struct {
		const char *name;
		enum role rmem, wmem, here;
		bool refused, sets_rmem, sets_wmem;
	} rows[] = {
	    {"two hosts, not said which", ROLE_RECEIVER, ROLE_SENDER, ROLE_UNKNOWN, true, false,
		false},
	    {"the receiver of two", ROLE_RECEIVER, ROLE_SENDER, ROLE_RECEIVER, false, true, false},
	    {"the sender of two", ROLE_RECEIVER, ROLE_SENDER, ROLE_SENDER, false, false, true},
	    {"a proxy is both", ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY, false, true, true},
	    {"a proxy's plan", ROLE_PROXY, ROLE_PROXY, ROLE_PROXY, false, true, true},
	    {"a proxy's plan, one host", ROLE_PROXY, ROLE_PROXY, ROLE_UNKNOWN, false, true, true},
	    {"a proxy's plan elsewhere", ROLE_PROXY, ROLE_PROXY, ROLE_SENDER, true, false, false},
	    {"for no host in particular", ROLE_UNKNOWN, ROLE_SENDER, ROLE_RECEIVER, false, true,
		false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		struct plan plan = {.setting_count = 0};
		struct apply_request request = {.mode = APPLY_SET, .role = rows[i].here};
		plan_add(&plan, "net.ipv4.tcp_rmem", NEW_RMEM, rows[i].rmem);
		plan_add(&plan, "net.ipv4.tcp_wmem", NEW_WMEM, rows[i].wmem);
		struct outcome outcome = apply_with(&request, &plan);
		assert_int_equal(outcome.exit, rows[i].refused ? OUTCOME_INCOMPLETE : OUTCOME_DONE);
		if (rows[i].refused)
			assert_non_null(strstr(outcome.message, "--role"));
		else
			assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state,
			    rows[i].sets_wmem ? ITEM_SET : ITEM_NOT_HERE);
		outcome_free(&outcome);
		assert_true(values_are(rows[i].sets_rmem ? NEW_RMEM : OLD_RMEM,
		    rows[i].sets_wmem ? NEW_WMEM : OLD_WMEM));
	}
}

/* ---- a kernel with its own mind ---- */

enum mind { MIND_PARTIAL, MIND_SHORT, MIND_CLAMP, MIND_STUBBORN, MIND_ENOENT, MIND_EPERM };
static enum mind mind;
static unsigned puts_seen;

/* tcp_wmem as kernel/sysctl.c writes vectors: elements before the refused one are kept. */
static ssize_t mind_put(int fd, const void *bytes, size_t size)
{
	char path[600], link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	assert_true(length > 0);
	path[length] = '\0';
	const char *name = strrchr(path, '/') + 1;
	bool first = puts_seen == 0;
	if (strcmp(name, "tcp_wmem") == 0 || strcmp(name, "tcp_congestion_control") == 0)
		puts_seen++;
	else
		return kernel_io_system.put(fd, bytes, size);
	switch (mind) {
	case MIND_STUBBORN:
	case MIND_PARTIAL:
		if (!first && mind == MIND_PARTIAL)
			return kernel_io_system.put(fd, bytes, size);
		if (first)
			tree_put(WMEM, "4096\t262144\t4194304\n");
		errno = EINVAL;
		return -1;
	case MIND_SHORT:
		kernel_io_system.put(fd, bytes, size);
		return first ? (ssize_t)size - 3 : (ssize_t)size;
	case MIND_CLAMP:
		if (!first)
			return kernel_io_system.put(fd, bytes, size);
		tree_put(WMEM, "4096\t262144\t8388608\n");
		return (ssize_t)size;
	case MIND_ENOENT:
		errno = ENOENT;
		return -1;
	case MIND_EPERM:
		errno = EPERM;
		return -1;
	}
	return -1;
}

static struct outcome apply_minded(enum mind which, const struct plan *plan)
{
	static struct kernel_io io;
	struct apply_request request = {.io = &io, .mode = APPLY_SET};
	io = kernel_io_system;
	io.put = mind_put;
	mind = which;
	puts_seen = 0;
	return apply_with(&request, plan);
}

static void test_refused_writes_are_undone(void **state)
{
	static const struct {
		const char *name, *why;
		enum mind mind;
	} rows[] = {
	    {"part of a vector taken, then EINVAL", "Invalid argument", MIND_PARTIAL},
	    {"fewer bytes taken than given", "error", MIND_SHORT},
	    {"taken, but reads back otherwise", "reads back otherwise", MIND_CLAMP},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		struct plan plan = plan_two();
		plan_add(&plan, "net.core.default_qdisc", "fq", ROLE_UNKNOWN);
		struct outcome outcome = apply_minded(rows[i].mind, &plan);
		assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
		assert_non_null(strstr(outcome.message, "everything is as it was"));
		assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_UNDONE);
		assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state, ITEM_FAILED);
		assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_wmem")->why, rows[i].why));
		assert_int_equal(
		    item_of(&outcome, "net.core.default_qdisc")->state, ITEM_NOT_TRIED);
		assert_false(outcome.changed);
		outcome_free(&outcome);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_false(tree_has("run/bdp/1.journal"));
	}
}

/* What cannot be undone is said, with the line that does it, and the journal stays. */
static void test_stuck_is_told(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	struct outcome outcome = apply_minded(MIND_STUBBORN, &plan);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_true(outcome.changed);
	assert_non_null(strstr(outcome.message, "NOT everything could be undone"));
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_UNDONE);
	const struct outcome_setting *item = item_of(&outcome, "net.ipv4.tcp_wmem");
	assert_int_equal(item->state, ITEM_STUCK);
	assert_non_null(strstr(item->why, "sysctl -w net.ipv4.tcp_wmem=\"" OLD_WMEM "\""));
	outcome_free(&outcome);
	char notice[400];
	assert_non_null(strstr(
	    journal_unconfirmed_notice(tree_root, notice, sizeof(notice)), "could not be undone"));
	expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, "'bdp rollback' first");
	/* The kernel has come round: half of a vector counts as ours. */
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

static void test_congestion_control_is_explained(void **state)
{
	static const struct {
		const char *name;
		enum mind mind;
		const char *available, *modules, *words[3];
	} rows[] = {
	    {"a module that is not loaded", MIND_ENOENT, "reno cubic",
		"kernel/net/ipv4/tcp_bbr.ko:\n",
		{"available: reno cubic", "sudo modprobe tcp_bbr", "/etc/modules-load.d/bdp.conf"}},
	    {"not built", MIND_ENOENT, "reno cubic", "kernel/fs/ext4/ext4.ko:\n",
		{"available: reno cubic", "built without it", "tcp_bbr"}},
	    {"not allowed in this namespace", MIND_EPERM, "reno cubic bbr", "",
		{"not allowed in this network namespace", "allowed: reno cubic",
		    "tcp_allowed_congestion_control=\"reno cubic bbr\""}},
	    {"no right to load a module", MIND_EPERM, "reno cubic", "kernel/net/ipv4/tcp_bbr.ko:\n",
		{"not available", "available: reno cubic", "modprobe tcp_bbr"}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put("proc/sys/net/ipv4/tcp_available_congestion_control", rows[i].available);
		tree_put("lib/modules/6.1.0-57-amd64/modules.dep", rows[i].modules);
		struct plan plan = {.setting_count = 0};
		plan_add(&plan, "net.ipv4.tcp_congestion_control", "bbr", ROLE_UNKNOWN);
		struct outcome outcome = apply_minded(rows[i].mind, &plan);
		assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
		const struct outcome_setting *item =
		    item_of(&outcome, "net.ipv4.tcp_congestion_control");
		for (size_t word = 0; word < 3; word++) {
			if (strstr(item->why, rows[i].words[word]) == NULL)
				print_message("%s\n", item->why);
			assert_non_null(strstr(item->why, rows[i].words[word]));
		}
		outcome_free(&outcome);
		assert_string_equal(tree_get(CONGESTION), "cubic");
	}
}

/* ---- no right to write ---- */

static int refused_errno;

static int refusing_open(int dir, const char *path, int flags, mode_t mode)
{
	if ((flags & O_ACCMODE) == O_WRONLY && strncmp(path, "proc/sys/", 9) == 0) {
		errno = refused_errno;
		return -1;
	}
	return kernel_io_system.open(dir, path, flags, mode);
}

static void test_open_is_refused(void **state)
{
	static const struct {
		int error;
		const char *words;
	} rows[] = {
	    {EROFS, "mounted read-only"}, {EACCES, "not yours to write"}, {ELOOP, "symbolic link"}};
	static struct kernel_io io;
	io = kernel_io_system;
	io.open = refusing_open;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		struct apply_request request = {.io = &io, .mode = APPLY_SET};
		(void)state;
		print_message("%s\n", rows[i].words);
		refused_errno = rows[i].error;
		struct outcome outcome = apply_with(&request, &plan);
		assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
		assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_REFUSED);
		assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_rmem")->why, rows[i].words));
		outcome_free(&outcome);
		assert_false(tree_has("run/bdp/1.journal"));
	}
}

/* Runs in a child that is nobody; its status. */
static int as_nobody(int (*work)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(99);
		_exit(work());
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int nobody_applies(void)
{
	struct plan plan = plan_two();
	struct outcome outcome = apply_plain(&plan);
	return outcome.exit == OUTCOME_INCOMPLETE &&
	       strstr(outcome.message, "not owned by you") != NULL;
}

static int nobody_applies_to_the_machine(void)
{
	struct plan plan = {.setting_count = 0};
	struct apply_request request = {.mode = APPLY_SET, .plan = &plan};
	struct outcome outcome = {0};
	plan_add(&plan, "net.ipv4.tcp_notsent_lowat", "123456789", ROLE_UNKNOWN);
	apply_run(&request, &outcome);
	return outcome.exit == OUTCOME_INCOMPLETE && strstr(outcome.message, "sudo") != NULL;
}

static void test_without_being_root(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(tree_root, 0755), 0);
	assert_int_equal(as_nobody(nobody_applies), 1);
	assert_int_equal(as_nobody(nobody_applies_to_the_machine), 1);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_false(tree_has("run/bdp"));
}

/* ---- traps in /run ---- */

static void test_traps_in_run(void **state)
{
	enum trap {
		LINK_DIRECTORY,
		LINK_RUN,
		OPEN_MODE,
		FILE_THERE,
		OTHERS,
		LINK_LOCK,
		HARD_LOCK,
		LINK_JOURNAL
	};
	static const struct {
		const char *name, *words;
		enum trap trap;
	} rows[] = {
	    {"run/bdp is a link", "a link where there must be none", LINK_DIRECTORY},
	    {"run is a link", "a link where there must be none", LINK_RUN},
	    {"run/bdp is open to others", "open to other users", OPEN_MODE},
	    {"run/bdp is a file", "Not a directory", FILE_THERE},
	    {"run/bdp is somebody else's", "owned by another user", OTHERS},
	    {"the lock is a link", "a link where there must be none", LINK_LOCK},
	    {"the lock has two names", "hard link", HARD_LOCK},
	    {"an earlier journal is a link", "a link where there must be none", LINK_JOURNAL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put("elsewhere/victim", "untouched\n");
		assert_int_equal(chmod(tree_path("elsewhere"), 0700), 0);
		assert_int_equal(chmod(tree_path("elsewhere/victim"), 0600), 0);
		if (rows[i].trap == LINK_RUN) {
			assert_int_equal(unlink(tree_path("run/README")), 0);
			assert_int_equal(rmdir(tree_path("run")), 0);
			assert_int_equal(symlink("elsewhere", tree_path("run")), 0);
		} else if (rows[i].trap == LINK_DIRECTORY) {
			assert_int_equal(symlink("../elsewhere", tree_path("run/bdp")), 0);
		} else if (rows[i].trap == FILE_THERE) {
			tree_put("run/bdp", "");
		} else {
			assert_int_equal(mkdir(tree_path("run/bdp"), 0700), 0);
		}
		if (rows[i].trap == OPEN_MODE)
			assert_int_equal(chmod(tree_path("run/bdp"), 0755), 0);
		if (rows[i].trap == LINK_LOCK)
			assert_int_equal(
			    symlink("../../elsewhere/victim", tree_path("run/bdp/lock")), 0);
		if (rows[i].trap == HARD_LOCK)
			assert_int_equal(
			    link(tree_path("elsewhere/victim"), tree_path("run/bdp/lock")), 0);
		if (rows[i].trap == LINK_JOURNAL)
			assert_int_equal(
			    symlink("../../elsewhere/victim", tree_path("run/bdp/7.journal")), 0);
		if (rows[i].trap == OTHERS) {
			if (geteuid() != 0)
				continue;
			assert_int_equal(chown(tree_path("run/bdp"), 65534, 65534), 0);
		}
		expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, rows[i].words);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_string_equal(tree_text("elsewhere/victim"), "untouched\n");
		assert_false(tree_has("elsewhere/bdp"));
	}
}

static int only_error;
static const char *only_call;

static int picky_mkdir(int dir, const char *name, mode_t mode)
{
	if (strcmp(only_call, "mkdir") != 0)
		return kernel_io_system.mkdir(dir, name, mode);
	errno = only_error;
	return -1;
}

static ssize_t picky_write(int fd, const void *bytes, size_t size)
{
	if (strcmp(only_call, "write") != 0)
		return kernel_io_system.write(fd, bytes, size);
	errno = only_error;
	return -1;
}

static void test_run_cannot_be_written(void **state)
{
	static const struct {
		const char *call, *words;
		int error;
	} rows[] = {
	    {"mkdir", "Read-only file system (no journal, no change)", EROFS},
	    {"mkdir", "No space left on device (no journal, no change", ENOSPC},
	    {"write", "No space left on device (no journal, no change", ENOSPC},
	};
	static struct kernel_io io;
	(void)state;
	io = kernel_io_system;
	io.mkdir = picky_mkdir;
	io.write = picky_write;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		struct apply_request request = {.io = &io, .mode = APPLY_SET};
		print_message("%s %d\n", rows[i].call, rows[i].error);
		only_call = rows[i].call;
		only_error = rows[i].error;
		expect_outcome(apply_with(&request, &plan), OUTCOME_INCOMPLETE, rows[i].words);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_false(tree_has("run/bdp/1.journal"));
	}
}

/* ---- two at once ---- */

static void test_lock_is_held(void **state)
{
	struct plan plan = plan_two();
	struct apply_request request = {.io = &fault_io, .mode = APPLY_SET};
	(void)state;
	assert_int_equal(mkdir(tree_path("run/bdp"), 0700), 0);
	int lock = open(tree_path("run/bdp/lock"), O_RDWR | O_CREAT, 0600);
	assert_true(lock >= 0);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	fault = (struct fault){0};
	expect_outcome(apply_with(&request, &plan), OUTCOME_INCOMPLETE, "another bdp is at work");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	close(lock);
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
}

/* Each gets its turn, and its journal goes back to what the one before it had set. */
static void test_two_at_once(void **state)
{
	static const char *const ceilings[] = {"4096 131072 8388608", "4096 131072 16777216"};
	pid_t pids[2];
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] != 0)
			continue;
		struct plan plan = {.setting_count = 0};
		struct apply_request request = {.mode = APPLY_SET, .allow_lower = true};
		plan_add(&plan, "net.ipv4.tcp_rmem", ceilings[i], ROLE_UNKNOWN);
		struct outcome outcome = apply_with(&request, &plan);
		_exit((int)outcome.exit);
	}
	for (size_t i = 0; i < 2; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_true(tree_has("run/bdp/1.journal"));
	assert_true(tree_has("run/bdp/2.journal"));
	bool first_last = strcmp(tree_get(RMEM), ceilings[0]) == 0;
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_string_equal(tree_get(RMEM), ceilings[first_last ? 1 : 0]);
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_string_equal(tree_get(RMEM), OLD_RMEM);
}

/* What openat2 does in one call, component by component. */
static void test_walk_follows_no_link(void **state)
{
	(void)state;
	int root = open(tree_root, O_PATH | O_DIRECTORY);
	assert_true(root >= 0);
	assert_int_equal(symlink("proc", tree_path("link")), 0);
	assert_int_equal(symlink("tcp_rmem", tree_path("proc/sys/net/ipv4/alias")), 0);
	static const struct {
		const char *path;
		int error;
	} rows[] = {
	    {RMEM, 0},
	    {"link/sys/net/ipv4/tcp_rmem", ELOOP},
	    {"proc/sys/net/ipv4/alias", ELOOP},
	    {"proc/sys/net/ipv4/tcp_rmem/x", ENOTDIR},
	    {"proc/sys/nothing/here", ENOENT},
	    {"proc/../proc/sys/net/ipv4/tcp_rmem", EINVAL},
	    {"proc//sys", EINVAL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].path);
		errno = 0;
		int fd = kernel_io_walk(root, rows[i].path, O_RDONLY, 0);
		assert_int_equal(fd < 0 ? errno : 0, rows[i].error);
		if (fd >= 0)
			close(fd);
	}
	close(root);
}

/* What the kernel would not take is refused before anything is written, in a dry run as in earnest. */
static void test_predictions(void **state)
{
	static const struct {
		const char *name, *key, *value, *builtin, *dep;
		enum item_state expected;
		const char *why;
	} rows[] = {
	    {"there", "net.ipv4.tcp_congestion_control", "reno", "x\n", "x\n", ITEM_WOULD_SET, ""},
	    {"a module", "net.ipv4.tcp_congestion_control", "bbr", "x\n",
		"kernel/net/ipv4/tcp_bbr.ko:\n", ITEM_WOULD_SET, ""},
	    {"no such", "net.ipv4.tcp_congestion_control", "bogus", "x\n", "x\n", ITEM_REFUSED,
		"available: reno cubic"},
	    {"not listed, and no modules known", "net.ipv4.tcp_congestion_control", "bbr", NULL,
		NULL, ITEM_REFUSED, "available: reno cubic"},
	    {"the beginning of a name", "net.ipv4.tcp_congestion_control", "cub", "x\n", "x\n",
		ITEM_REFUSED, "available: reno cubic"},
	    {"always built in", "net.core.default_qdisc", "pfifo_fast", "x\n", "x\n",
		ITEM_WOULD_SET, ""},
	    {"a module", "net.core.default_qdisc", "fq", "x\n", "kernel/net/sched/sch_fq.ko:\n",
		ITEM_WOULD_SET, ""},
	    {"not built", "net.core.default_qdisc", "cake", "x\n", "x\n", ITEM_REFUSED,
		"cake is not available"},
	    {"no such", "net.core.default_qdisc", "bogus", NULL, NULL, ITEM_REFUSED,
		"bogus is not available"},
	    {"perhaps", "net.core.default_qdisc", "fq", NULL, NULL, ITEM_WOULD_SET,
		"cannot be told here"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned real = 0; real < 2; real++) {
			struct plan plan = plan_two();
			struct apply_request request = {.mode = real ? APPLY_SET : APPLY_DRY_RUN};
			print_message("%s: %s\n", rows[i].name, rows[i].value);
			tree_clear();
			tree_make(state);
			unlink(tree_path("lib/modules/6.1.0-57-amd64/modules.builtin"));
			unlink(tree_path("lib/modules/6.1.0-57-amd64/modules.dep"));
			if (rows[i].builtin) {
				tree_put(
				    "lib/modules/6.1.0-57-amd64/modules.builtin", rows[i].builtin);
				tree_put("lib/modules/6.1.0-57-amd64/modules.dep", rows[i].dep);
			}
			plan_add(&plan, rows[i].key, rows[i].value, ROLE_UNKNOWN);
			struct outcome outcome = apply_with(&request, &plan);
			const struct outcome_setting *item = item_of(&outcome, rows[i].key);
			bool refused = rows[i].expected == ITEM_REFUSED;
			assert_int_equal(outcome.exit, refused ? OUTCOME_INCOMPLETE : OUTCOME_DONE);
			assert_int_equal(
			    item->state, real && !refused ? ITEM_SET : rows[i].expected);
			assert_non_null(strstr(item->why, rows[i].why));
			outcome_free(&outcome);
			assert_true(real && !refused ? values_are(NEW_RMEM, NEW_WMEM)
						     : values_are(OLD_RMEM, OLD_WMEM));
		}
	}
}

/* Without the kernel's list only trying tells. */
static void test_no_list_of_algorithms(void **state)
{
	struct plan plan = {.setting_count = 0};
	struct apply_request request = {.mode = APPLY_DRY_RUN};
	(void)state;
	unlink(tree_path("proc/sys/net/ipv4/tcp_available_congestion_control"));
	plan_add(&plan, "net.ipv4.tcp_congestion_control", "bbr", ROLE_UNKNOWN);
	struct outcome outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_non_null(strstr(outcome.settings[0].why, "there is no list of them"));
	outcome_free(&outcome);
}

/* The steps of a sweep are one entry: each goes back before the next is made. */
static void test_steps_are_one_entry(void **state)
{
	struct apply_request request = {.mode = APPLY_SET, .is_step = true, .allow_lower = true};
	struct rollback_request back = {.sysroot = tree_root};
	struct outcome outcome;
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct plan plan = {.setting_count = 0};
		plan_add(&plan, "net.ipv4.tcp_rmem", i % 2 ? NEW_RMEM : "4096 131072 8388608",
		    ROLE_UNKNOWN);
		outcome = apply_with(&request, &plan);
		assert_int_equal(outcome.exit, OUTCOME_DONE);
		assert_int_equal(outcome.journal, 1);
		request.continues = outcome.journal;
		outcome_free(&outcome);
		expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	}
	outcome = (struct outcome){0};
	rollback_list(&back, &outcome);
	assert_int_equal(outcome.journal_count, 1);
	assert_int_equal(outcome.journals[0].journal.steps, 5);
	assert_int_equal(outcome.journals[0].journal.state, JOURNAL_UNDONE);
	outcome_free(&outcome);
	/* A step that could not be taken back, or another's journal, is never written over. */
	struct plan plan = plan_two();
	outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.journal, 1);
	outcome_free(&outcome);
	plan.settings[0].value.number[2] *= 2;
	outcome = apply_with(&request, &plan);
	assert_int_equal(outcome.journal, 2);
	outcome_free(&outcome);
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	request.is_step = false;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_true(tree_has("run/bdp/3.journal"));
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_setting_check),
	    ON_TREE(test_bad_plan_is_refused_whole),
	    ON_TREE(test_sets_and_proves),
	    ON_TREE(test_second_time_writes_nothing),
	    ON_TREE(test_already_so_from_the_start),
	    ON_TREE(test_dry_run_touches_nothing),
	    ON_TREE(test_check),
	    ON_TREE(test_somebody_else_was_faster),
	    ON_TREE(test_lower_needs_leave),
	    ON_TREE(test_lower_is_of_buffers_only),
	    ON_TREE(test_missing_keys_are_explained),
	    ON_TREE(test_tcp_mem_in_bytes),
	    ON_TREE(test_roles),
	    ON_TREE(test_refused_writes_are_undone),
	    ON_TREE(test_stuck_is_told),
	    ON_TREE(test_congestion_control_is_explained),
	    ON_TREE(test_open_is_refused),
	    ON_TREE(test_without_being_root),
	    ON_TREE(test_traps_in_run),
	    ON_TREE(test_run_cannot_be_written),
	    ON_TREE(test_lock_is_held),
	    ON_TREE(test_two_at_once),
	    ON_TREE(test_walk_follows_no_link),
	    ON_TREE(test_predictions),
	    ON_TREE(test_no_list_of_algorithms),
	    ON_TREE(test_steps_are_one_entry),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
