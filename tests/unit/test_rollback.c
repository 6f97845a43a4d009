/* Going back: which apply, and when not. */
#include "apply_tree.h"

#include <sys/file.h>

static void set_rmem(const char *value)
{
	struct plan plan = {.setting_count = 0};
	struct apply_request request = {.mode = APPLY_SET, .allow_lower = true};
	plan_add(&plan, "net.ipv4.tcp_rmem", value, ROLE_UNKNOWN);
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	assert_string_equal(tree_get(RMEM), value);
}

#define SECOND "4096 131072 8388608"
#define THIRD "4096 131072 16777216"

static void make_three(void)
{
	struct plan plan = plan_two();
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	set_rmem(SECOND);
	set_rmem(THIRD);
}

static void test_newest_first(void **state)
{
	(void)state;
	make_three();
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(SECOND, NEW_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_true(outcome.changed);
	/* In reverse order of how they were set. */
	assert_int_equal(outcome.setting_count, 2);
	assert_int_equal(outcome.settings[0].id, TUNABLE_TCP_WMEM);
	assert_int_equal(outcome.settings[0].state, ITEM_RESTORED);
	assert_int_equal(outcome.settings[1].id, TUNABLE_TCP_RMEM);
	outcome_free(&outcome);
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "nothing to roll back");
}

static void test_to_and_all(void **state)
{
	struct rollback_request to_two = {.to = 2}, to_nine = {.to = 9}, all = {.all = true};
	(void)state;
	make_three();
	expect_outcome(rollback_with(&to_nine), OUTCOME_INCOMPLETE, "there is no apply 9");
	assert_true(values_are(THIRD, NEW_WMEM));
	expect_outcome(rollback_with(&to_two), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	expect_outcome(rollback_with(&to_two), OUTCOME_INCOMPLETE, "there is no apply 2");
	set_rmem(THIRD);
	expect_outcome(rollback_with(&all), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

static void test_dry_run(void **state)
{
	struct rollback_request request = {.all = true, .dry_run = true};
	(void)state;
	make_three();
	struct outcome outcome = rollback_with(&request);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.setting_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(outcome.settings[i].state, ITEM_WOULD_RESTORE);
	outcome_free(&outcome);
	assert_true(values_are(THIRD, NEW_WMEM));
}

static void test_changed_since(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request forced = {.force = true};
	struct apply_request lower = {.mode = APPLY_SET, .allow_lower = true};
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t67108864\n");
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_CHANGED_SINCE);
	assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_rmem")->why, NEW_RMEM));
	/* The old value is not lost. */
	assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_rmem")->why,
	    "sysctl -w net.ipv4.tcp_rmem=\"" OLD_RMEM "\""));
	outcome_free(&outcome);
	/* What is still ours goes back, what is not stays, and the apply is closed. */
	assert_true(values_are("4096 131072 67108864", OLD_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "nothing to roll back");
	struct rollback_request list = {.sysroot = tree_root};
	rollback_list(&list, &outcome);
	assert_int_equal(outcome.journals[0].journal.state, JOURNAL_UNDONE);
	assert_int_equal(outcome.journals[0].journal.left, 1);
	outcome_free(&outcome);
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "nothing waits");
	/* No dead end: the next apply goes, and --force brings back what somebody changed. */
	expect_outcome(apply_with(&lower, &plan), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t33554432\n");
	expect_outcome(rollback_with(&forced), OUTCOME_DONE, "");
	assert_true(values_are("4096 131072 67108864", OLD_WMEM));
}

static void test_changed_since_dry(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request dry = {.dry_run = true};
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t67108864\n");
	struct outcome outcome = rollback_with(&dry);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_non_null(
	    strstr(outcome.message, "1 of 2 changes of apply 1 is no longer as bdp made"));
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_wmem")->state, ITEM_WOULD_RESTORE);
	outcome_free(&outcome);
	assert_true(values_are("4096 131072 67108864", NEW_WMEM));
}

/* Of a chain of applies, each leaves what is not its own. */
static void test_changed_since_in_chain(void **state)
{
	struct rollback_request all = {.all = true};
	(void)state;
	make_three();
	tree_put(RMEM, "4096\t131072\t67108864\n");
	struct outcome outcome = rollback_with(&all);
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	outcome_free(&outcome);
	assert_true(values_are("4096 131072 67108864", OLD_WMEM));
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "nothing to roll back");
}

/* Half of a vector is ours only where an apply was cut short. */
static void test_mixture_after_success(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(WMEM, "4096\t262144\t4194304\n");
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "1 of 2 changes of apply 1");
	assert_true(values_are(OLD_RMEM, "4096 262144 4194304"));
}

static void test_restored_by_hand(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t4194304\n");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

static void replace_file(const char *path, const char *text)
{
	char other[64];
	snprintf(other, sizeof(other), "%s.other", path);
	/* The old one stays until the new one is there: its inode number must not be used again. */
	tree_put(other, text);
	assert_int_equal(rename(tree_path(other), tree_path(path)), 0);
}

static void test_another_namespace(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request all = {.all = true}, one = {.to = 1}, two = {.to = 2};
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	replace_file("proc/self/ns/net", "");
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "in another network namespace");
	expect_outcome(rollback_with(&all), OUTCOME_INCOMPLETE, "in another network namespace");
	expect_outcome(rollback_with(&one), OUTCOME_INCOMPLETE, "in another network namespace");
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "nothing waits");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	/* What was made here goes back, what was made there stays. */
	set_rmem(SECOND);
	expect_outcome(rollback_with(&two), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

static void test_another_boot(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put("proc/sys/kernel/random/boot_id", "00000000-0000-0000-0000-000000000001\n");
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "before a reboot");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

static void damage(const char *path, long keep, int flip)
{
	FILE *file = fopen(tree_path(path), "r+");
	assert_non_null(file);
	if (flip >= 0) {
		assert_int_equal(fseek(file, flip, SEEK_SET), 0);
		assert_true(fputc('~', file) != EOF);
	}
	assert_int_equal(fclose(file), 0);
	if (keep >= 0)
		assert_int_equal(truncate(tree_path(path), keep), 0);
}

static void test_damaged_journal(void **state)
{
	static const struct {
		const char *name, *words;
		long keep;
		int flip;
	} rows[] = {
	    {"empty", "it is empty", 0, -1},
	    {"cut", "it is cut short", 100, -1},
	    {"garbled", "checksum does not match", -1, 40},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
		damage("run/bdp/1.journal", rows[i].keep, rows[i].flip);
		expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, rows[i].words);
		expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "1.journal");
		assert_true(values_are(NEW_RMEM, NEW_WMEM));
		/* Nothing is built on it either. */
		plan.settings[0].value.number[2] *= 2;
		expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, rows[i].words);
		struct rollback_request request = {.sysroot = tree_root};
		struct outcome outcome = {0};
		rollback_list(&request, &outcome);
		assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
		assert_non_null(strstr(outcome.message, "1 of 1 journals cannot be read"));
		assert_int_equal(outcome.journal_count, 1);
		assert_true(outcome.journals[0].damaged);
		outcome_free(&outcome);
	}
}

static void test_renamed_journal(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_int_equal(rename(tree_path("run/bdp/1.journal"), tree_path("run/bdp/2.journal")), 0);
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "renamed");
}

static void test_list(void **state)
{
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome outcome = {0};
	(void)state;
	rollback_list(&request, &outcome);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.journal_count, 0);
	setenv("SUDO_USER", "alice", 1);
	make_three();
	setenv("SUDO_USER", "al\nice", 1);
	set_rmem(SECOND);
	unsetenv("SUDO_USER");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	rollback_list(&request, &outcome);
	assert_int_equal(outcome.journal_count, 4);
	assert_int_equal(outcome.journals[0].id, 4);
	assert_int_equal(outcome.journals[0].journal.state, JOURNAL_UNDONE);
	assert_int_equal(outcome.journals[0].journal.ended_by, ENDED_BY_ROLLBACK);
	assert_string_equal(outcome.journals[0].journal.user, "");
	assert_int_equal(outcome.journals[1].id, 3);
	assert_int_equal(outcome.journals[1].journal.state, JOURNAL_APPLIED);
	assert_string_equal(outcome.journals[1].journal.user, "alice");
	assert_int_equal(outcome.journals[1].journal.uid, getuid());
	assert_int_equal(outcome.journals[1].journal.pid, getpid());
	assert_true(outcome.journals[1].here);
	outcome_free(&outcome);
}

/* Ended journals are kept for a while, those that can be rolled back for good. */
static void test_prune(void **state)
{
	(void)state;
	set_rmem(SECOND);
	for (unsigned i = 0; i < STORE_KEEP_ENDED + 3; i++) {
		set_rmem(THIRD);
		expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	}
	assert_true(tree_has("run/bdp/1.journal"));
	assert_false(tree_has("run/bdp/2.journal"));
	char newest[64];
	snprintf(newest, sizeof(newest), "run/bdp/%d.journal", STORE_KEEP_ENDED + 4);
	assert_true(tree_has(newest));
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_string_equal(tree_get(RMEM), OLD_RMEM);
}

/* Same inode, another namespace: only the kernel's own number, or one that never ends, is believed. */
static void test_place_compare(void **state)
{
	(void)state;
	static const struct {
		struct netns_identity recorded, here;
		enum netns_identity_match match;
	} rows[] = {
	    {{"b", 7, 1, false}, {"b", 7, 1, false}, NETNS_SAME},
	    {{"b", 7, 1, false}, {"b", 7, 2, false}, NETNS_OTHER},
	    {{"b", 7, 1, false}, {"b", 8, 1, false}, NETNS_OTHER},
	    {{"a", 7, 1, false}, {"b", 7, 1, false}, NETNS_OTHER},
	    {{"b", 7, 0, false}, {"b", 7, 0, false}, NETNS_UNSURE},
	    {{"b", 7, 0, false}, {"b", 7, 2, false}, NETNS_UNSURE},
	    {{"b", 7, 0, false}, {"b", 7, 0, true}, NETNS_SAME},
	    {{"b", 7, 0, false}, {"b", 7, 2, true}, NETNS_SAME},
	    {{"b", 7, 1, false}, {"b", 7, 2, true}, NETNS_OTHER},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("row %zu\n", i);
		assert_int_equal(
		    netns_identity_compare(&rows[i].recorded, &rows[i].here), rows[i].match);
	}
}

/* 512 that can be taken back: the next is refused before it writes; list, confirm and rollback work,
 * and one that is taken back makes room. */
static void test_full_table(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome outcome = {0};
	(void)state;
	for (uint32_t id = 1; id <= STORE_JOURNALS_MAX; id++)
		put_journal(id, JOURNAL_APPLIED, 0);
	expect_outcome(apply_plain(&plan), OUTCOME_INCOMPLETE, "512 applies can be taken back");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	rollback_list(&request, &outcome);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.journal_count, STORE_JOURNALS_MAX);
	outcome_free(&outcome);
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "nothing waits");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

/* More than that, put there by somebody, are no dead end either. */
static void test_far_too_many(void **state)
{
	struct rollback_request all = {.all = true};
	(void)state;
	put_journal(1, JOURNAL_APPLIED, 0);
	char text[JOURNAL_TEXT_MAX];
	strlcpy(text, tree_text("run/bdp/1.journal"), sizeof(text));
	for (unsigned id = 2; id <= STORE_LISTED_MAX + 50; id++) {
		char path[64];
		snprintf(path, sizeof(path), "run/bdp/%u.journal", id);
		tree_put(path, "");
	}
	expect_outcome(rollback_with(&all), OUTCOME_INCOMPLETE, ".journal");
	struct outcome outcome = {0};
	struct rollback_request request = {.sysroot = tree_root};
	rollback_list(&request, &outcome);
	assert_int_equal(outcome.journal_count, STORE_LISTED_MAX);
	assert_int_equal(outcome.journals[0].id, STORE_LISTED_MAX + 50);
	outcome_free(&outcome);
}

static uint64_t inode_of(const char *path)
{
	struct stat status;
	assert_int_equal(stat(tree_path(path), &status), 0);
	return status.st_ino;
}

/* A full table of network namespaces that have ended goes by itself; one that a process is in, or
 * that a mount keeps, stays. */
static void test_namespaces_that_ended(void **state)
{
	struct plan plan = plan_two();
	char mounts[256];
	(void)state;
	tree_put("proc/77/ns/net", "");
	tree_put("proc/78/status", "a process that ends at this moment");
	snprintf(mounts, sizeof(mounts),
	    "21 20 0:4 net:[4026539999] /run/netns/a rw - nsfs nsfs rw\n"
	    "22 20 0:4 netnet:[4026531234] /run/netns/b rw - nsfs nsfs rw\n");
	tree_put("proc/self/mountinfo", mounts);
	for (uint32_t id = 1; id <= STORE_JOURNALS_MAX; id++)
		put_journal(id, JOURNAL_APPLIED, 1000000 + id);
	put_journal(1, JOURNAL_APPLIED, inode_of("proc/77/ns/net"));
	put_journal(2, JOURNAL_APPLIED, 4026539999);
	put_journal(3, JOURNAL_APPLIED, 4026531234);
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
	assert_true(tree_has("run/bdp/1.journal"));
	assert_true(tree_has("run/bdp/2.journal"));
	assert_true(tree_has("run/bdp/3.journal"));
	assert_false(tree_has("run/bdp/4.journal"));
	assert_true(tree_has("run/bdp/513.journal"));
}

/* A notice looks at a journal just when its apply ends. */
static bool ends_at_lock;

static int ending_lock(int fd, int operation)
{
	if (ends_at_lock)
		put_journal(1, JOURNAL_APPLIED, 0);
	ends_at_lock = false;
	return kernel_io_system.lock(fd, operation);
}

static void test_no_news_while_at_work(void **state)
{
	char text[400];
	struct kernel_io io = kernel_io_system;
	struct rollback_request request = {.io = &io, .sysroot = tree_root};
	struct outcome outcome = {0};
	(void)state;
	put_journal(1, JOURNAL_PENDING, 0);
	assert_non_null(
	    strstr(journal_unconfirmed_notice(tree_root, text, sizeof(text)), "was cut short"));
	int fd = open(tree_path("run/bdp/lock"), O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_string_equal(journal_unconfirmed_notice(tree_root, text, sizeof(text)), "");
	rollback_list(&request, &outcome);
	assert_true(outcome.journals[0].at_work);
	outcome_free(&outcome);
	close(fd);
	ends_at_lock = true;
	io.lock = ending_lock;
	assert_string_equal(journal_notice(&request, text, sizeof(text)), "");
}

static void test_nothing_there(void **state)
{
	char notice[400];
	(void)state;
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "nothing to roll back");
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "nothing waits");
	assert_string_equal(journal_unconfirmed_notice(tree_root, notice, sizeof(notice)), "");
	assert_false(tree_has("run/bdp"));
	/* After a reboot the journals are gone, a persisted file is not. */
	tree_put(CONF, "# Written by bdp 0.1.0\n");
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.note_count, 1);
	assert_non_null(strstr(outcome.notes[0], "/" CONF " is still there"));
	outcome_free(&outcome);
}

static int opens_left, refused_errno;

/* The real call, but for a file of /proc/sys that is opened to be written after so many of them. */
static int refusing_open(int dir, const char *path, int flags, mode_t mode)
{
	if ((flags & O_ACCMODE) == O_WRONLY && strncmp(path, "proc/sys/", 9) == 0 &&
	    opens_left-- <= 0) {
		errno = refused_errno;
		return -1;
	}
	return kernel_io_system.open(dir, path, flags, mode);
}

/* All is opened before anything is written: what cannot be taken back whole is left as it is, and with
 * --force what can be is taken back. */
static void test_open_is_refused(void **state)
{
	static struct kernel_io io;
	struct rollback_request request = {.io = &io};
	struct plan plan = plan_two();
	(void)state;

	io = kernel_io_system;
	io.open = refusing_open;
	refused_errno = EROFS;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	for (opens_left = 0; opens_left < 2; opens_left++) {
		int left = opens_left;
		print_message("%d\n", left);
		expect_outcome(rollback_with(&request), OUTCOME_INCOMPLETE, "nothing was restored");
		assert_true(values_are(NEW_RMEM, NEW_WMEM));
		opens_left = left;
	}
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

/* Whatever errno was left from before. */
static void test_store_has(void **state)
{
	struct tree tree;
	struct store store;
	struct reason reason;
	struct plan plan = plan_two();
	(void)state;

	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	assert_true(tree_open(&tree, NULL, tree_root));
	assert_int_equal(store_open(&store, &tree, false, &reason), STORE_OPEN);
	for (int before = 0; before <= ENOENT; before += ENOENT) {
		errno = before;
		assert_true(store_has(&store, 1));
		errno = before;
		assert_false(store_has(&store, 2));
	}
	store_close(&store);
	tree_close(&tree);
}

static void test_confirm_without_waiting(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	expect_outcome(confirm_plain(), OUTCOME_INCOMPLETE, "nothing waits");
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_TREE(test_newest_first),
	    ON_TREE(test_to_and_all),
	    ON_TREE(test_dry_run),
	    ON_TREE(test_changed_since),
	    ON_TREE(test_changed_since_dry),
	    ON_TREE(test_changed_since_in_chain),
	    ON_TREE(test_place_compare),
	    ON_TREE(test_full_table),
	    ON_TREE(test_namespaces_that_ended),
	    ON_TREE(test_far_too_many),
	    ON_TREE(test_no_news_while_at_work),
	    ON_TREE(test_mixture_after_success),
	    ON_TREE(test_restored_by_hand),
	    ON_TREE(test_another_namespace),
	    ON_TREE(test_another_boot),
	    ON_TREE(test_damaged_journal),
	    ON_TREE(test_renamed_journal),
	    ON_TREE(test_list),
	    ON_TREE(test_prune),
	    ON_TREE(test_nothing_there),
	    ON_TREE(test_open_is_refused),
	    ON_TREE(test_store_has),
	    ON_TREE(test_confirm_without_waiting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
