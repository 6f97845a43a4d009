/* Files that hold after a reboot: what is written, what is left alone, what wins over it. */
#include "apply_tree.h"

#include "apply/refusal.h"
#include "apply/override.h"
#include "apply/persist.h"
#include "apply/tree.h"

static struct outcome persist_plan(const struct plan *plan)
{
	struct apply_request request = {.mode = APPLY_SET, .persist = PERSIST_DEFAULT};
	return apply_with(&request, plan);
}

static void test_first_file(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	strlcpy(plan.settings[0].why, "4 MiB x 3.34 / 0.703 = 19.0 MiB,\nrounded up to 20 MiB",
	    sizeof(plan.settings[0].why));
	memset(plan.settings[1].why, 'w', 300);
	struct outcome outcome = persist_plan(&plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.file_count, 1);
	assert_int_equal(outcome.files[0].state, ITEM_SET);
	assert_string_equal(outcome.files[0].path, PERSIST_DEFAULT);
	outcome_free(&outcome);
	const char *text = tree_text(CONF);
	assert_int_equal(strncmp(text, "# Written by bdp 0.0.test on 20", 31), 0);
	assert_non_null(strstr(text, "'bdp rollback' takes it back"));
	assert_non_null(
	    strstr(text, "# 4 MiB x 3.34 / 0.703 = 19.0 MiB,\\x0arounded up to 20 MiB\n"));
	assert_non_null(strstr(text, "# before: " OLD_RMEM "\nnet.ipv4.tcp_rmem = " NEW_RMEM "\n"));
	assert_non_null(strstr(text, "\nnet.ipv4.tcp_wmem = " NEW_WMEM "\n"));
	/* Every line is a comment, blank, or key = value with nothing behind it, and none is long. */
	char copy[8192];
	strlcpy(copy, text, sizeof(copy));
	unsigned settings = 0;
	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		assert_true(strlen(line) <= 100);
		struct sysctl_line cut = sysctl_line_cut(line);
		assert_true(cut.kind != SYSCTL_OTHER);
		if (cut.kind == SYSCTL_SETTING) {
			settings++;
			assert_null(strchr(cut.value, '#'));
		}
	}
	assert_int_equal(settings, 2);
	struct stat status;
	assert_int_equal(stat(tree_path(CONF), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	assert_false(tree_has(MODULES));
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_false(tree_has(CONF));
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

static void test_same_again(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(persist_plan(&plan), OUTCOME_DONE, "");
	char text[8192];
	strlcpy(text, tree_text(CONF), sizeof(text));
	struct outcome outcome = persist_plan(&plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_false(outcome.changed);
	assert_int_equal(outcome.files[0].state, ITEM_ALREADY);
	outcome_free(&outcome);
	assert_string_equal(text, tree_text(CONF));
	assert_false(tree_has("run/bdp/2.journal"));
}

/* Set already, but not for the next boot. */
static void test_only_the_file(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	expect_outcome(apply_plain(&plan), OUTCOME_DONE, "");
	struct outcome outcome = persist_plan(&plan);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.files[0].state, ITEM_SET);
	assert_int_equal(item_of(&outcome, "net.ipv4.tcp_rmem")->state, ITEM_ALREADY);
	outcome_free(&outcome);
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_false(tree_has(CONF));
	assert_true(values_are(NEW_RMEM, NEW_WMEM));
}

/* What an earlier plan persisted stays, with its comments; what both set is the new plan's. */
static void test_second_plan_merges(void **state)
{
	struct plan first = plan_two(), second = {.setting_count = 0};
	(void)state;
	expect_outcome(persist_plan(&first), OUTCOME_DONE, "");
	char before[8192];
	strlcpy(before, tree_text(CONF), sizeof(before));
	plan_add(&second, "net.ipv4.tcp_rmem", "4096 131072 33554432", ROLE_UNKNOWN);
	expect_outcome(persist_plan(&second), OUTCOME_DONE, "");
	const char *text = tree_text(CONF);
	assert_non_null(strstr(text, "net.ipv4.tcp_rmem = 4096 131072 33554432\n"));
	assert_null(strstr(text, "net.ipv4.tcp_rmem = " NEW_RMEM));
	assert_non_null(strstr(text, "# because of net.ipv4.tcp_wmem\n# before: " OLD_WMEM
				     "\nnet.ipv4.tcp_wmem = " NEW_WMEM "\n"));
	assert_null(strstr(strstr(text, "Written by") + 1, "Written by"));
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_string_equal(tree_text(CONF), before);
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	assert_false(tree_has(CONF));
}

static void test_files_of_others(void **state)
{
	static const struct {
		const char *name, *text, *words;
	} rows[] = {
	    {"somebody else's", "net.ipv4.tcp_rmem = 1 2 3\n", "bdp did not write it"},
	    {"empty", "", "bdp did not write it"},
	    {"ours, with a key of theirs", "# Written by bdp 0.1\nvm.swappiness = 1\n", "line 2"},
	    {"ours, with a value out of bounds",
		"# Written by bdp 0.1\nnet.ipv4.tcp_rmem = 1 2 3\n", "out of bounds"},
	    {"ours, with a comment behind a value",
		"# Written by bdp 0.1\nnet.ipv4.tcp_sack = 1 # yes\n", "line 2"},
	    {"ours, with no setting", "# Written by bdp 0.1\nwhat\n", "line 2"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put(CONF, rows[i].text);
		expect_outcome(persist_plan(&plan), OUTCOME_INCOMPLETE, rows[i].words);
		assert_true(values_are(OLD_RMEM, OLD_WMEM));
		assert_string_equal(tree_text(CONF), rows[i].text);
		assert_false(tree_has("run/bdp"));
	}
}

static void test_paths(void **state)
{
	static const struct {
		const char *name, *path, *words;
		bool good;
	} rows[] = {
	    {"another name", "/etc/sysctl.d/70-tcp.conf", "", true},
	    {"not read at boot", "/etc/elsewhere.conf", "", true},
	    {"a name that means none in a journal", "/-", "stands for no file", false},
	    {"relative", "etc/sysctl.d/x.conf", "absolute", false},
	    {"climbing", "/etc/sysctl.d/../../x.conf", "plain name", false},
	    {"double slash", "/etc//x.conf", "plain name", false},
	    {"no name", "/etc/sysctl.d/", "plain name", false},
	    {"control character", "/etc/sysctl.d/a\nb.conf", "control character", false},
	    {"no such directory", "/etc/nowhere/x.conf", "directory is missing", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		struct apply_request request = {.mode = APPLY_SET, .persist = rows[i].path};
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		expect_outcome(apply_with(&request, &plan),
		    rows[i].good ? OUTCOME_DONE : OUTCOME_INCOMPLETE, rows[i].words);
		if (rows[i].good)
			assert_true(tree_has(rows[i].path + 1));
		assert_true(
		    rows[i].good ? values_are(NEW_RMEM, NEW_WMEM) : values_are(OLD_RMEM, OLD_WMEM));
	}
}

static void test_links_are_not_followed(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	tree_put("victim", "# Written by bdp, says a trap\n");
	assert_int_equal(symlink("../../victim", tree_path(CONF)), 0);
	expect_outcome(persist_plan(&plan), OUTCOME_INCOMPLETE, "symbolic links");
	assert_string_equal(tree_text("victim"), "# Written by bdp, says a trap\n");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
}

static void test_edited_before_rollback(void **state)
{
	struct plan plan = plan_two();
	struct rollback_request forced = {.force = true};
	(void)state;
	expect_outcome(persist_plan(&plan), OUTCOME_DONE, "");
	tree_put(CONF, "# mine now\n");
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_int_equal(outcome.files[0].state, ITEM_CHANGED_SINCE);
	outcome_free(&outcome);
	/* The file is its editor's, the settings go back. */
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_string_equal(tree_text(CONF), "# mine now\n");
	unlink(tree_path(CONF));
	expect_outcome(persist_plan(&plan), OUTCOME_DONE, "");
	tree_put(CONF, "# mine now\n");
	outcome = rollback_with(&forced);
	assert_int_equal(outcome.exit, OUTCOME_DONE);
	assert_int_equal(outcome.files[0].state, ITEM_REMOVED);
	outcome_free(&outcome);
	assert_false(tree_has(CONF));
}

static void test_kept_content_is_damaged(void **state)
{
	struct plan first = plan_two(), second = {.setting_count = 0};
	(void)state;
	expect_outcome(persist_plan(&first), OUTCOME_DONE, "");
	plan_add(&second, "net.ipv4.tcp_rmem", "4096 131072 33554432", ROLE_UNKNOWN);
	expect_outcome(persist_plan(&second), OUTCOME_DONE, "");
	assert_true(tree_has("run/bdp/2.kept-0"));
	assert_int_equal(truncate(tree_path("run/bdp/2.kept-0"), 10), 0);
	struct outcome outcome = rollback_plain();
	assert_int_equal(outcome.exit, OUTCOME_INCOMPLETE);
	assert_non_null(strstr(outcome.files[0].why, "damaged"));
	outcome_free(&outcome);
	assert_string_equal(tree_get(RMEM), "4096 131072 33554432");
}

/* ---- modules ---- */

static void test_modules_file(void **state)
{
	static const struct {
		const char *name, *builtin, *dep, *old, *expected;
		bool loaded, refused;
	} rows[] = {
	    {"a module that is loaded", "", "", NULL, "tcp_bbr\n", true, false},
	    {"a module that could be", "", "kernel/net/ipv4/tcp_bbr.ko.zst: x\n", NULL, "tcp_bbr\n",
		false, false},
	    {"built in", "kernel/net/ipv4/tcp_bbr.ko\n", "", NULL, NULL, false, false},
	    {"a name that only ends alike", "kernel/net/ipv4/xtcp_bbr.ko\n", "", NULL, NULL, false,
		true},
	    {"others are kept", "", "kernel/net/ipv4/tcp_bbr.ko:\n",
		"# Written by bdp 0.1\nsch_cake\n", "sch_cake\ntcp_bbr\n", false, false},
	    {"there already", "", "kernel/net/ipv4/tcp_bbr.ko:\n",
		"# Written by bdp 0.1\ntcp_bbr\n", "tcp_bbr\n", false, false},
	    {"somebody else's file that says it already", "", "kernel/net/ipv4/tcp_bbr.ko:\n",
		"tcp_bbr\n", "tcp_bbr\n", false, false},
	    {"somebody else's file", "", "kernel/net/ipv4/tcp_bbr.ko:\n", "loop\n", "loop\n", false,
		true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put("lib/modules/6.1.0-57-amd64/modules.builtin", rows[i].builtin);
		tree_put("lib/modules/6.1.0-57-amd64/modules.dep", rows[i].dep);
		if (rows[i].loaded)
			tree_put("sys/module/tcp_bbr/initstate", "live\n");
		if (rows[i].old != NULL)
			tree_put(MODULES, rows[i].old);
		struct plan plan = {.setting_count = 0};
		plan_add(&plan, "net.ipv4.tcp_congestion_control", "bbr", ROLE_UNKNOWN);
		expect_outcome(
		    persist_plan(&plan), rows[i].refused ? OUTCOME_INCOMPLETE : OUTCOME_DONE, "");
		assert_int_equal(tree_has(MODULES), rows[i].expected != NULL);
		if (rows[i].expected == NULL)
			continue;
		/* Without the comments. */
		char names[256] = "", copy[1024];
		strlcpy(copy, tree_text(MODULES), sizeof(copy));
		for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
			if (line[0] != '#' && line[0] != '\0') {
				strlcat(names, line, sizeof(names));
				strlcat(names, "\n", sizeof(names));
			}
		}
		assert_string_equal(names, rows[i].expected);
	}
}

static void test_module_names(void **state)
{
	static const struct {
		const char *key, *value, *module;
	} rows[] = {
	    {"net.ipv4.tcp_congestion_control", "bbr", "tcp_bbr"},
	    {"net.ipv4.tcp_congestion_control", "reno", ""},
	    {"net.core.default_qdisc", "fq", "sch_fq"},
	    {"net.core.default_qdisc", "pfifo_fast", ""},
	    {"net.ipv4.tcp_sack", "1", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = {.setting_count = 0};
		char name[32];
		print_message("%s %s\n", rows[i].key, rows[i].value);
		plan_add(&plan, rows[i].key, rows[i].value, ROLE_UNKNOWN);
		assert_string_equal(
		    module_of(plan.settings[0].id, &plan.settings[0].value, name, sizeof(name)),
		    rows[i].module);
	}
}

/* ---- what is read later at boot ---- */

static bool is_noted(const struct outcome *outcome, const char *words)
{
	for (size_t i = 0; i < outcome->note_count; i++)
		if (strstr(outcome->notes[i], words) != NULL)
			return true;
	return false;
}

static void test_overrides(void **state)
{
	static const struct {
		const char *name, *path, *text;
		bool noted, wins;
	} rows[] = {
	    {"a later name", "etc/sysctl.d/99-local.conf",
		"net.ipv4.tcp_rmem = 4096 87380 6291456\n", true, true},
	    {"slashes and a dash", "etc/sysctl.d/99-local.conf", "-net/ipv4/tcp_rmem=1 2 3\n", true,
		true},
	    {"the same value", "etc/sysctl.d/99-local.conf",
		"net.ipv4.tcp_rmem=4096\t131072 20971520\n", false, false},
	    {"another key", "etc/sysctl.d/99-local.conf", "net.ipv4.tcp_sack = 0\n", false, false},
	    {"an earlier name", "etc/sysctl.d/10-local.conf", "net.ipv4.tcp_rmem = 1 2 3\n", false,
		false},
	    {"a comment", "etc/sysctl.d/99-local.conf", "#net.ipv4.tcp_rmem = 1 2 3\n", false,
		false},
	    {"a later name of the vendor", "usr/lib/sysctl.d/99-vendor.conf",
		"net.ipv4.tcp_rmem = 1 2 3\n", true, true},
	    {"an earlier name of the vendor", "usr/lib/sysctl.d/50-default.conf",
		"net.ipv4.tcp_rmem = 1 2 3\n", false, false},
	    {"until the next boot", "run/sysctl.d/99-x.conf", "net.ipv4.tcp_rmem = 1 2 3\n", true,
		false},
	    {"no .conf", "etc/sysctl.d/99-local.bak", "net.ipv4.tcp_rmem = 1 2 3\n", false, false},
	    {"the old file", "etc/sysctl.conf", "net.ipv4.tcp_rmem = 1 2 3\n", true, false},
	    {"a pattern", "etc/sysctl.d/99-local.conf", "net.ipv4.tcp_*mem = 1 2 3\n", false,
		false},
	    {"the last line counts", "etc/sysctl.d/99-local.conf",
		"net.ipv4.tcp_rmem = 1 2 3\nnet.ipv4.tcp_rmem = 4096 131072 20971520\n", true,
		false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put(rows[i].path, rows[i].text);
		struct outcome outcome = persist_plan(&plan);
		/* Set now, written, and told that it does not hold. */
		assert_int_equal(outcome.exit, rows[i].wins ? OUTCOME_INCOMPLETE : OUTCOME_DONE);
		assert_int_equal(outcome.not_lasting, rows[i].wins);
		assert_true(values_are(NEW_RMEM, NEW_WMEM));
		assert_int_equal(outcome.journal, 1);
		assert_int_equal(is_noted(&outcome, rows[i].path), rows[i].noted);
		if (rows[i].noted) {
			assert_true(is_noted(&outcome, "net.ipv4.tcp_rmem"));
			assert_true(is_noted(&outcome, "line 1"));
		}
		outcome_free(&outcome);
	}
}

/* tuned comes after sysctl.d, and by default reads that again. */
static void test_tuned(void **state)
{
	static const struct {
		const char *name, *active, *main, *profile_path, *profile;
		bool noted, wins;
	} rows[] = {
	    {"reads again by default", "throughput-performance\n", NULL,
		"usr/lib/tuned/throughput-performance/tuned.conf",
		"[main]\nsummary=x\n\n[sysctl]\nnet.ipv4.tcp_rmem=\"4096 131072 16777216\"\n", true,
		false},
	    {"does not", "throughput-performance\n", "daemon = 1\nreapply_sysctl = 0\n",
		"usr/lib/tuned/throughput-performance/tuned.conf",
		"[sysctl]\nnet.ipv4.tcp_rmem = 4096 131072 16777216\n", true, true},
	    {"the same value", "lb\n", "reapply_sysctl=0\n", "etc/tuned/profiles/lb/tuned.conf",
		"[sysctl]\nnet.ipv4.tcp_rmem=4096 131072 20971520\n", false, false},
	    {"another section", "lb\n", "reapply_sysctl=0\n", "etc/tuned/lb/tuned.conf",
		"[vm]\nnet.ipv4.tcp_rmem=1 2 3\n", false, false},
	    {"another profile", "lb\n", "reapply_sysctl=0\n", "etc/tuned/other/tuned.conf",
		"[sysctl]\nnet.ipv4.tcp_rmem=1 2 3\n", false, false},
	    {"one of two", "balanced lb\n", "reapply_sysctl=False\n", "etc/tuned/lb/tuned.conf",
		"[sysctl]\nnet.ipv4.tcp_rmem=1 2 3\n", true, true},
	    {"a name that climbs", "../../etc/tuned/lb\n", "reapply_sysctl=0\n",
		"etc/tuned/lb/tuned.conf", "[sysctl]\nnet.ipv4.tcp_rmem=1 2 3\n", false, false},
	    {"includes itself", "lb\n", "reapply_sysctl=0\n", "etc/tuned/lb/tuned.conf",
		"[main]\ninclude=lb\n", false, false},
	    {"none is active", "", "reapply_sysctl=0\n", "etc/tuned/lb/tuned.conf",
		"[sysctl]\nnet.ipv4.tcp_rmem=1 2 3\n", false, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s\n", rows[i].name);
		tree_clear();
		tree_make(state);
		tree_put("usr/sbin/tuned", "");
		tree_put("etc/tuned/active_profile", rows[i].active);
		if (rows[i].main)
			tree_put("etc/tuned/tuned-main.conf", rows[i].main);
		tree_put(rows[i].profile_path, rows[i].profile);
		struct outcome outcome = persist_plan(&plan);
		assert_int_equal(outcome.exit, rows[i].wins ? OUTCOME_INCOMPLETE : OUTCOME_DONE);
		assert_int_equal(is_noted(&outcome, "tuned's profile"), rows[i].noted);
		assert_int_equal(is_noted(&outcome, "that value wins"), rows[i].wins);
		assert_true(values_are(NEW_RMEM, NEW_WMEM));
		outcome_free(&outcome);
	}
	/* An included profile, and tuned that has been removed. */
	struct plan plan = plan_two();
	tree_clear();
	tree_make(state);
	tree_put("usr/sbin/tuned", "");
	tree_put("etc/tuned/active_profile", "lb\n");
	tree_put("etc/tuned/tuned-main.conf", "reapply_sysctl=0\n");
	tree_put("etc/tuned/lb/tuned.conf", "[main]\ninclude=network-throughput\n");
	tree_put("usr/lib/tuned/profiles/network-throughput/tuned.conf",
	    "[sysctl]\nnet.ipv4.tcp_wmem=4096 16384 16777216\n");
	expect_outcome(persist_plan(&plan), OUTCOME_INCOMPLETE, "will not hold at the next boot");
	expect_outcome(rollback_plain(), OUTCOME_DONE, "");
	unlink(tree_path("usr/sbin/tuned"));
	expect_outcome(persist_plan(&plan), OUTCOME_DONE, "");
}

static void test_masked_overrides(void **state)
{
	struct plan plan = plan_two();
	(void)state;
	/* The administrator's empty file hides the vendor's; a link stands for the old file. */
	tree_put("usr/lib/sysctl.d/99-vendor.conf", "net.ipv4.tcp_rmem = 1 2 3\n");
	tree_put("etc/sysctl.d/99-vendor.conf", "");
	tree_put("etc/sysctl.conf", "net.ipv4.tcp_wmem = 1 2 3\n");
	assert_int_equal(symlink("../sysctl.conf", tree_path("etc/sysctl.d/99-sysctl.conf")), 0);
	struct outcome outcome = persist_plan(&plan);
	assert_int_equal(outcome.note_count, 1);
	assert_non_null(strstr(outcome.notes[0], "/etc/sysctl.d/99-sysctl.conf line 1"));
	outcome_free(&outcome);
	/* Ours is not read at all. */
	struct apply_request request = {
	    .mode = APPLY_DRY_RUN, .persist = "/usr/lib/sysctl.d/x.conf"};
	tree_put("etc/sysctl.d/x.conf", "");
	outcome = apply_with(&request, &plan);
	assert_true(
	    is_noted(&outcome, "/etc/sysctl.d/x.conf has the same name and is read instead"));
	outcome_free(&outcome);
}

static void test_not_the_namespace_of_boot(void **state)
{
	struct plan plan = plan_two();
	struct apply_request request = {.mode = APPLY_SET, .persist = "/etc/sysctl.d/mine.conf"};
	(void)state;
	tree_put("proc/1/ns/net", "");
	expect_outcome(persist_plan(&plan), OUTCOME_INCOMPLETE, "a network namespace of its own");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	/* Any other that boot reads is no better; one that it does not read is its user's business. */
	expect_outcome(apply_with(&request, &plan), OUTCOME_INCOMPLETE, "of its own");
	request.persist = "/etc/mine.conf";
	expect_outcome(apply_with(&request, &plan), OUTCOME_DONE, "");
	assert_true(tree_has("etc/mine.conf"));
}

/* /proc/1/ns/net is there, and may not be looked at. */
static int hiding_stat_at(int dir, const char *path, struct stat *status)
{
	if (strcmp(path, "proc/1/ns/net") == 0) {
		errno = EACCES;
		return -1;
	}
	return kernel_io_system.stat_at(dir, path, status);
}

static void test_namespace_of_boot_is_hidden(void **state)
{
	struct plan plan = plan_two();
	struct kernel_io io = kernel_io_system;
	struct apply_request request = {.io = &io, .mode = APPLY_SET, .persist = "/" CONF};
	(void)state;
	io.stat_at = hiding_stat_at;
	expect_outcome(apply_with(&request, &plan), OUTCOME_INCOMPLETE,
	    "cannot be told (/proc/1/ns/net: Permission denied)");
	assert_true(values_are(OLD_RMEM, OLD_WMEM));
	assert_false(tree_has(CONF));
}

static void test_container(void **state)
{
	static const struct {
		const char *mark, *first;
		bool refused;
	} rows[] = {
	    {".dockerenv", "nginx\n", true},
	    {"run/.containerenv", "catatonit\n", true},
	    {"run/systemd/container", NULL, true},
	    {"run/systemd/container", "systemd\n", false},
	    {"run/bdp-none", "bash\n", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan plan = plan_two();
		print_message("%s, %s", rows[i].mark, rows[i].first ? rows[i].first : "-\n");
		tree_clear();
		tree_make(state);
		tree_put(rows[i].mark, "");
		if (rows[i].first)
			tree_put("proc/1/comm", rows[i].first);
		if (rows[i].refused)
			expect_outcome(persist_plan(&plan), OUTCOME_INCOMPLETE,
			    "this is a container: nothing reads /" CONF);
		else
			expect_outcome(persist_plan(&plan), OUTCOME_DONE, "");
		assert_int_equal(tree_has(CONF), !rows[i].refused);
		assert_true(rows[i].refused ? values_are(OLD_RMEM, OLD_WMEM)
					    : values_are(NEW_RMEM, NEW_WMEM));
	}
}

static void test_sysctl_line(void **state)
{
	static const struct {
		const char *line;
		enum sysctl_line_kind kind;
		const char *key, *value;
	} rows[] = {
	    {"", SYSCTL_BLANK, NULL, NULL},
	    {" \t\r", SYSCTL_BLANK, NULL, NULL},
	    {"# a = b", SYSCTL_COMMENT, NULL, NULL},
	    {"  ; a = b", SYSCTL_COMMENT, NULL, NULL},
	    {"a=b", SYSCTL_SETTING, "a", "b"},
	    {"  a.b  =  c  d \r", SYSCTL_SETTING, "a.b", "c  d"},
	    {"-a = ", SYSCTL_SETTING, "a", ""},
	    {"a = b = c", SYSCTL_SETTING, "a", "b = c"},
	    {"= b", SYSCTL_OTHER, NULL, NULL},
	    {"a b", SYSCTL_OTHER, NULL, NULL},
	    {"-", SYSCTL_OTHER, NULL, NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[64];
		print_message("'%s'\n", rows[i].line);
		strlcpy(line, rows[i].line, sizeof(line));
		struct sysctl_line cut = sysctl_line_cut(line);
		assert_int_equal(cut.kind, rows[i].kind);
		if (cut.kind == SYSCTL_SETTING) {
			assert_string_equal(cut.key, rows[i].key);
			assert_string_equal(cut.value, rows[i].value);
			assert_int_equal(cut.optional, rows[i].line[0] == '-');
		}
	}
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_TREE(test_first_file),
	    ON_TREE(test_same_again),
	    ON_TREE(test_only_the_file),
	    ON_TREE(test_second_plan_merges),
	    ON_TREE(test_files_of_others),
	    ON_TREE(test_paths),
	    ON_TREE(test_links_are_not_followed),
	    ON_TREE(test_edited_before_rollback),
	    ON_TREE(test_kept_content_is_damaged),
	    ON_TREE(test_modules_file),
	    cmocka_unit_test(test_module_names),
	    ON_TREE(test_overrides),
	    ON_TREE(test_masked_overrides),
	    ON_TREE(test_tuned),
	    ON_TREE(test_not_the_namespace_of_boot),
	    ON_TREE(test_namespace_of_boot_is_hidden),
	    ON_TREE(test_container),
	    cmocka_unit_test(test_sysctl_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
