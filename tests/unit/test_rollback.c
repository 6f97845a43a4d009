/* Going back: which apply, and when not. */
#include "apply_tree.h"

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
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(RMEM, "4096\t131072\t67108864\n");
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_CHANGED_SINCE);
	assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_rmem")->why, NEW_RMEM));
	assert_non_null(strstr(item_of(&outcome, "net.ipv4.tcp_rmem")->why, "--force"));
	outcome_free(&outcome);
	/* All or nothing. */
	assert_true(values_are("4096 131072 67108864", NEW_WMEM));
	expect_outcome(rollback_with(&forced), OUTCOME_DONE, "");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

/* Half of a vector is ours only where an apply was cut short. */
static void test_mixture_after_success(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	tree_put(WMEM, "4096\t262144\t4194304\n");
	expect_outcome(rollback_plain(), OUTCOME_INCOMPLETE, "not everything is as bdp left it");
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
		assert_int_equal(outcome.exit, OUTCOME_DONE);
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
	    ON_TREE(test_mixture_after_success),
	    ON_TREE(test_restored_by_hand),
	    ON_TREE(test_another_namespace),
	    ON_TREE(test_another_boot),
	    ON_TREE(test_damaged_journal),
	    ON_TREE(test_renamed_journal),
	    ON_TREE(test_list),
	    ON_TREE(test_prune),
	    ON_TREE(test_nothing_there),
	    ON_TREE(test_confirm_without_waiting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
