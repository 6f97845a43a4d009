/* The journal's text: whole or refused. */
#include "apply_tree.h"

#include "apply/journal.h"

static struct journal example(void)
{
	struct journal journal = {
	    .id = 3,
	    .state = JOURNAL_UNCONFIRMED,
	    .time_s = 1735689600,
	    .netns = {.boot_id = "7a1f0c9e-5f0e-4b57-9a63-0d8f54f6e1aa",
		.netns = 4026531840,
		.cookie = 77},
	    .uid = 0,
	    .user = "alice",
	    .pid = 4711,
	    .confirm_seconds = 60,
	    .deadline_ms = 98765432,
	    .steps = 5,
	    .left = 2,
	    .setting_count = 2,
	    .file_count = 2,
	};
	journal.settings[0].id = TUNABLE_TCP_RMEM;
	assert_true(tunable_value_parse(TUNABLE_TCP_RMEM, OLD_RMEM, &journal.settings[0].old));
	assert_true(tunable_value_parse(TUNABLE_TCP_RMEM, NEW_RMEM, &journal.settings[0].new));
	journal.settings[1].id = TUNABLE_TCP_CONGESTION_CONTROL;
	assert_true(
	    tunable_value_parse(TUNABLE_TCP_CONGESTION_CONTROL, "cubic", &journal.settings[1].old));
	assert_true(
	    tunable_value_parse(TUNABLE_TCP_CONGESTION_CONTROL, "bbr", &journal.settings[1].new));
	journal.files[0] = (struct journal_file){.path = "etc/sysctl.d/90 bdp.conf",
	    .existed = true,
	    .mode = 0644,
	    .old_hash = UINT64_MAX,
	    .new_hash = 1};
	journal.files[1] = (struct journal_file){.path = MODULES, .new_hash = UINT64_C(1) << 63};
	return journal;
}

static void test_round_trip(void **state)
{
	struct journal journal = example(), back;
	char text[JOURNAL_TEXT_MAX], again[JOURNAL_TEXT_MAX];
	const char *why;
	(void)state;
	for (unsigned which = 0; which < JOURNAL_STATES; which++) {
		for (unsigned ender = 0; ender < JOURNAL_ENDERS; ender++) {
			journal.state = (enum journal_state)which;
			journal.ended_by = (enum journal_ender)ender;
			journal.ended_s = ender;
			size_t length = journal_text(&journal, text);
			assert_true(journal_parse(&back, text, length, &why));
			assert_int_equal(journal_text(&back, again), length);
			assert_memory_equal(text, again, length);
			assert_int_equal(back.state, which);
			assert_int_equal(back.ended_by, ender);
		}
	}
	assert_int_equal(back.netns.netns, 4026531840);
	assert_int_equal(back.netns.cookie, 77);
	assert_int_equal(back.steps, 5);
	assert_int_equal(back.left, 2);
	assert_string_equal(back.user, "alice");
	assert_int_equal(back.settings[0].old.number[2], 4194304);
	assert_string_equal(back.settings[1].new.word, "bbr");
	assert_string_equal(back.files[0].path, "etc/sysctl.d/90 bdp.conf");
	assert_true(back.files[0].existed);
	assert_false(back.files[1].existed);
}

/* The largest journal that can be made still fits. */
static void test_largest(void **state)
{
	struct journal journal = example(), back;
	char text[JOURNAL_TEXT_MAX];
	const char *why;
	(void)state;
	for (size_t i = 0; i < PLAN_SETTINGS_MAX; i++) {
		struct journal_setting *setting = &journal.settings[i];
		*setting = (struct journal_setting){.id = TUNABLE_TCP_WMEM};
		assert_true(tunable_value_parse(TUNABLE_TCP_WMEM,
		    "-9223372036854775807 -9223372036854775807 -9223372036854775807",
		    &setting->old));
		setting->new = setting->old;
	}
	journal.setting_count = PLAN_SETTINGS_MAX;
	for (size_t i = 0; i < JOURNAL_FILES_MAX; i++) {
		memset(journal.files[i].path, 'x', sizeof(journal.files[i].path) - 1);
		journal.files[i].path[sizeof(journal.files[i].path) - 1] = '\0';
	}
	size_t length = journal_text(&journal, text);
	assert_true(length < JOURNAL_TEXT_MAX);
	assert_true(journal_parse(&back, text, length, &why));
}

static void test_cut_anywhere(void **state)
{
	struct journal journal = example(), back;
	char text[JOURNAL_TEXT_MAX];
	const char *why;
	(void)state;
	size_t length = journal_text(&journal, text);
	for (size_t cut = 0; cut < length; cut++)
		assert_false(journal_parse(&back, text, cut, &why));
	assert_false(journal_parse(&back, text, 0, &why));
	assert_non_null(strstr(why, "empty"));
	assert_false(journal_parse(&back, text, length - 20, &why));
	assert_non_null(strstr(why, "cut short"));
}

static void test_any_byte_changed(void **state)
{
	struct journal journal = example(), back;
	char text[JOURNAL_TEXT_MAX];
	const char *why;
	(void)state;
	size_t length = journal_text(&journal, text);
	for (size_t at = 0; at < length; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			text[at] = (char)(text[at] ^ (1 << bit));
			assert_false(journal_parse(&back, text, length, &why));
			text[at] = (char)(text[at] ^ (1 << bit));
		}
	}
	text[length / 2]++;
	assert_false(journal_parse(&back, text, length, &why));
	assert_non_null(strstr(why, "checksum"));
}

/* Replaces a piece of a journal and seals it again: what is left is the grammar's to refuse. */
static bool parses_with(const char *from, const char *to)
{
	struct journal journal = example(), back;
	char text[JOURNAL_TEXT_MAX], changed[JOURNAL_TEXT_MAX + 64];
	const char *why;
	size_t length = journal_text(&journal, text);
	text[length] = '\0';
	char *at = strstr(text, from);
	assert_non_null(at);
	int head = (int)(at - text);
	snprintf(changed, sizeof(changed), "%.*s%s%s", head, text, to, at + strlen(from));
	size_t sealed = (size_t)(strstr(changed, "\nend ") - changed) + 1;
	snprintf(
	    changed + sealed, 64, "end %016llx\n", (unsigned long long)text_hash(changed, sealed));
	return journal_parse(&back, changed, strlen(changed), &why);
}

static void test_sealed_but_wrong(void **state)
{
	static const struct {
		const char *name, *from, *to;
		bool good;
	} rows[] = {
	    {"nothing changed", "id 3\n", "id 3\n", true},
	    {"another number", "id 3\n", "id 4\n", true},
	    {"number 0", "id 3\n", "id 0\n", false},
	    {"another version", "bdp-journal 2\n", "bdp-journal 3\n", false},
	    {"the first version has no cookie", "bdp-journal 2\n", "bdp-journal 1\n", false},
	    {"a cookie that is no number", "cookie 77\n", "cookie x\n", false},
	    {"an unknown state", "state unconfirmed", "state confirmed", false},
	    {"a line missing", "pid 4711\n", "", false},
	    {"a line twice", "pid 4711\n", "pid 4711\npid 4711\n", false},
	    {"lines in another order", "uid 0\nuser alice\n", "user alice\nuid 0\n", false},
	    {"a key that is not known", "key net.ipv4.tcp_rmem", "key net.ipv4.tcp_xmem", false},
	    {"a key that is never written", "key net.ipv4.tcp_congestion_control",
		"key net.ipv4.tcp_available_congestion_control", false},
	    {"a value of another kind", "old 4096 131072 4194304", "old cubic", false},
	    {"two of three numbers", "old 4096 131072 4194304", "old 4096 131072", false},
	    {"more settings than lines", "settings 2", "settings 3", false},
	    {"fewer settings than lines", "settings 2", "settings 1", false},
	    {"too many settings", "settings 2", "settings 17", false},
	    {"a path that climbs", "file etc/modules-load.d/bdp.conf", "file etc/../shadow", false},
	    {"an absolute path", "file etc/modules-load.d/bdp.conf", "file /etc/shadow", false},
	    {"no path", "file etc/modules-load.d/bdp.conf", "file ", false},
	    {"a mode that is none", "was file 0644", "was file 99999", false},
	    {"neither file nor absent", "was file 0644", "was link 0644", false},
	    {"a line too many", "files 2\n", "extra 1\nfiles 2\n", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		assert_int_equal(parses_with(rows[i].from, rows[i].to), rows[i].good);
	}
}

/* As bdp 0.1 wrote it: such a journal may wait in /run while bdp is upgraded. */
static void test_first_version(void **state)
{
	static const char old[] =
	    "bdp-journal 1\nid 4\nstate applied\ntime 1790000000\n"
	    "boot 7a1f0c9e-5f0e-4b57-9a63-0d8f54f6e1aa\nnetns 4026531840\n"
	    "uid 0\nuser -\npid 77\nconfirm 0\ndeadline 0\nended-by -\nended 0\n"
	    "settings 1\nkey net.ipv4.tcp_sack\nold 1\nnew 0\nfiles 0\n";
	char text[sizeof(old) + 32];
	struct journal journal;
	const char *why;
	(void)state;
	size_t length = (size_t)snprintf(text, sizeof(text), "%send %016llx\n", old,
	    (unsigned long long)text_hash(old, sizeof(old) - 1));
	assert_true(journal_parse(&journal, text, length, &why));
	assert_int_equal(journal.id, 4);
	assert_int_equal(journal.netns.netns, 4026531840);
	assert_int_equal(journal.netns.cookie, 0);
	assert_int_equal(journal.settings[0].id, TUNABLE_TCP_SACK);
	assert_int_equal(journal.settings[0].old.number[0], 1);
}

/* FNV-1a's published test vectors. */
static void test_hash(void **state)
{
	(void)state;
	assert_true(text_hash("", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(text_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(text_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_largest),
	    cmocka_unit_test(test_cut_anywhere),
	    cmocka_unit_test(test_any_byte_changed),
	    cmocka_unit_test(test_sealed_but_wrong),
	    cmocka_unit_test(test_first_version),
	    cmocka_unit_test(test_hash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
