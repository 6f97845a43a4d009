/* What people read after apply, rollback and confirm. */
#include "apply_tree.h"

#include "report/outcome_text.h"

static char printed[8192];

static const char *text_of(const struct outcome *outcome, enum outcome_of what)
{
	FILE *stream = fmemopen(printed, sizeof(printed), "w");
	assert_non_null(stream);
	assert_true(outcome_text(outcome, what, stream));
	assert_int_equal(fclose(stream), 0);
	return printed;
}

static void expect_says(const char *words)
{
	if (strstr(printed, words) == NULL)
		print_message("%s\nlacks '%s'\n", printed, words);
	assert_non_null(strstr(printed, words));
}

static void test_apply(void **state)
{
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_SET};
	(void)state;
	plan_add(&plan, "net.ipv4.tcp_congestion_control", "bbr", ROLE_SENDER);
	plan_add(&plan, "net.core.default_qdisc", "fq_codel", ROLE_UNKNOWN);
	request.role = ROLE_RECEIVER;
	struct outcome outcome = apply_with(&request, &plan);
	text_of(&outcome, OUTCOME_OF_APPLY);
	outcome_free(&outcome);
	expect_says("set and verified as apply 1; taken back by: bdp rollback\n");
	/* 2 + 31 + 2 + 17 + 2 columns leave 26 beside them */
	expect_says("  net.ipv4.tcp_rmem                set\n      " OLD_RMEM " -> " NEW_RMEM "\n");
	expect_says("  net.ipv4.tcp_wmem                set\n      " OLD_WMEM " -> " NEW_WMEM "\n");
	expect_says(
	    "  net.ipv4.tcp_congestion_control  not for this host\n      bbr\n"
	    "      on the sender: sudo sysctl -w net.ipv4.tcp_congestion_control=\"bbr\"\n");
	expect_says("  net.core.default_qdisc           already so\n      fq_codel\n");
	expect_says("Connections that are open keep");
}

static void test_answers(void **state)
{
	struct plan plan = plan_two();
	struct apply_request dry = {.mode = APPLY_DRY_RUN, .persist = "/" CONF};
	struct apply_request check = {.mode = APPLY_CHECK};
	struct apply_request timed = {.mode = APPLY_SET, .confirm_seconds = 60};
	struct rollback_request rehearsal = {.dry_run = true};
	(void)state;
	struct outcome outcome = apply_with(&dry, &plan);
	text_of(&outcome, OUTCOME_OF_APPLY);
	outcome_free(&outcome);
	expect_says("would change 2 settings and 1 file; nothing was written\n");
	outcome = apply_with(&check, &plan);
	text_of(&outcome, OUTCOME_OF_CHECK);
	outcome_free(&outcome);
	expect_says("not as the plan says: 2 settings\n");
	outcome = apply_with(&timed, &plan);
	text_of(&outcome, OUTCOME_OF_APPLY);
	outcome_free(&outcome);
	expect_says("set and verified as apply 1: undone in 60 s unless kept by: bdp confirm\n");
	outcome = apply_with(&check, &plan);
	text_of(&outcome, OUTCOME_OF_CHECK);
	outcome_free(&outcome);
	expect_says("everything is as the plan says\n");
	outcome = confirm_plain();
	text_of(&outcome, OUTCOME_OF_CONFIRM);
	outcome_free(&outcome);
	expect_says("apply 1 is kept");
	outcome = apply_plain(&plan);
	text_of(&outcome, OUTCOME_OF_APPLY);
	outcome_free(&outcome);
	expect_says("everything is already so: nothing was written\n");
	outcome = rollback_with(&rehearsal);
	text_of(&outcome, OUTCOME_OF_ROLLBACK);
	outcome_free(&outcome);
	expect_says("would restore 2 settings; nothing was written\n");
	outcome = rollback_plain();
	text_of(&outcome, OUTCOME_OF_ROLLBACK);
	outcome_free(&outcome);
	expect_says("rolled back: 2 settings restored and verified\n");
	expect_says("  net.ipv4.tcp_rmem  restored  " NEW_RMEM " -> " OLD_RMEM "\n");
}

/* That something is not restored is said only of a rollback that has begun to restore. */
static void test_restored(void **state)
{
	static const struct {
		enum item_state rmem, wmem;
		bool changed;
		const char *words;
	} rows[] = {
	    {ITEM_RESTORED, ITEM_STUCK, true, "NOT ALL OF IT WAS RESTORED\n"},
	    {ITEM_WOULD_RESTORE, ITEM_STUCK, false, "not rolled back\n"},
	    {ITEM_STUCK, ITEM_STUCK, false, "not rolled back\n"},
	    {ITEM_RESTORED, ITEM_RESTORED, true, "rolled back: 2 settings restored"},
	    {ITEM_RESTORED, ITEM_CHANGED_SINCE, true, "rolled back in part: 1 setting restored"},
	    {ITEM_CHANGED_SINCE, ITEM_CHANGED_SINCE, false, "nothing restored"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome outcome = {.changed = rows[i].changed};
		struct outcome_setting *item = outcome_add_setting(&outcome);
		print_message("row %zu\n", i);
		item->id = TUNABLE_TCP_RMEM;
		item->state = rows[i].rmem;
		item = outcome_add_setting(&outcome);
		item->id = TUNABLE_TCP_WMEM;
		item->state = rows[i].wmem;
		text_of(&outcome, OUTCOME_OF_ROLLBACK);
		assert_int_equal(strncmp(printed, rows[i].words, strlen(rows[i].words)), 0);
		outcome_free(&outcome);
	}
}

static void test_refusals(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	unlink(tree_path(WMEM));
	struct outcome outcome = apply_plain(&plan);
	text_of(&outcome, OUTCOME_OF_APPLY);
	assert_true(strlen(outcome.message) > 0);
	/* The message is standard error's. */
	assert_null(strstr(printed, outcome.message));
	outcome_free(&outcome);
	expect_says("not applied\n");
	expect_says("  net.ipv4.tcp_rmem  not tried  ");
	expect_says("  net.ipv4.tcp_wmem  refused    (wanted: " NEW_WMEM ")\n"
		    "      this kernel does not have this key\n");
}

static void test_list(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome outcome = {0};
	(void)state;
	FILE *stream = fmemopen(printed, sizeof(printed), "w");
	rollback_list(&request, &outcome);
	assert_true(outcome_list_text(&outcome, stream));
	outcome_free(&outcome);
	assert_int_equal(fclose(stream), 0);
	expect_says("nothing was applied since the last boot\n");
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	rollback_list(&request, &outcome);
	stream = fmemopen(printed, sizeof(printed), "w");
	assert_true(outcome_list_text(&outcome, stream));
	outcome_free(&outcome);
	assert_int_equal(fclose(stream), 0);
	expect_says("apply 2 is taken back by: bdp rollback\n   2  ");
	assert_int_equal(truncate(tree_path("run/bdp/2.journal"), 9), 0);
	rollback_list(&request, &outcome);
	stream = fmemopen(printed, sizeof(printed), "w");
	assert_true(outcome_list_text(&outcome, stream));
	outcome_free(&outcome);
	assert_int_equal(fclose(stream), 0);
	expect_says("nothing can be taken back: 1 journal cannot be read\n");
	expect_says("undone by rollback\n      net.ipv4.tcp_rmem  " OLD_RMEM " -> " NEW_RMEM "\n");
	expect_says("   2  ");
	expect_says("2.journal: it is cut short");
}

static void test_wrapped(void **state)
{
	static const struct {
		const char *text, *expected;
		unsigned indent;
	} rows[] = {
	    {"", "\n", 0},
	    {"one", "  one\n", 2},
	    {"0123456789012345678901234567890123456789 012345678901234567890123456789012345678 x",
		"0123456789012345678901234567890123456789 012345678901234567890123456789012345678\nx\n",
		0},
	    {"a 01234567890123456789012345678901234567890123456789012345678901234567890123456789xyz b",
		" a\n 01234567890123456789012345678901234567890123456789012345678901234567890123456789xyz\n"
		" b\n",
		1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *stream = fmemopen(printed, sizeof(printed), "w");
		print_message("'%s'\n", rows[i].text);
		outcome_text_wrapped(stream, rows[i].indent, rows[i].text);
		assert_int_equal(fclose(stream), 0);
		assert_string_equal(printed, rows[i].expected);
	}
}

static void test_full_disk(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	struct outcome outcome = apply_plain(&plan);
	FILE *full = fopen("/dev/full", "w");
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_false(outcome_text(&outcome, OUTCOME_OF_APPLY, full));
	fclose(full);
	outcome_free(&outcome);
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_TREE(test_apply),
	    ON_TREE(test_answers),
	    ON_TREE(test_refusals),
	    ON_TREE(test_list),
	    cmocka_unit_test(test_restored),
	    cmocka_unit_test(test_wrapped),
	    ON_TREE(test_full_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
