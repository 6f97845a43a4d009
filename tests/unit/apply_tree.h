/*
 * For the tests of apply/: a small host made of plain files in a temporary directory, and a kernel
 * that can be told to fail, or to kill the process, at any one call.
 */
#ifndef APPLY_TREE_H
#define APPLY_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apply/apply.h"
#include "apply/tree.h"
#include "apply/rollback.h"
#include "apply/store.h"

#define HELPER static __attribute__((unused))

#define OLD_RMEM "4096 131072 4194304"
#define OLD_WMEM "4096 16384 4194304"
#define NEW_RMEM "4096 131072 20971520"
#define NEW_WMEM "4096 262144 20971520"

#define RMEM "proc/sys/net/ipv4/tcp_rmem"
#define WMEM "proc/sys/net/ipv4/tcp_wmem"
#define CONGESTION "proc/sys/net/ipv4/tcp_congestion_control"
#define QDISC "proc/sys/net/core/default_qdisc"
#define CONF "etc/sysctl.d/90-bdp.conf"
#define MODULES "etc/modules-load.d/bdp.conf"

/* Where the host of the running test is. */
static char tree_root[64];

HELPER const char *tree_path(const char *path)
{
	static char full[4][512];
	static unsigned turn;
	char *out = full[turn++ % 4];
	snprintf(out, sizeof(full[0]), "%s/%s", tree_root, path);
	return out;
}

HELPER void tree_put(const char *path, const char *text)
{
	char full[512];
	strlcpy(full, tree_path(path), sizeof(full));
	for (char *slash = strchr(full + strlen(tree_root) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(full, 0755) != 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The first line of a file, blanks made single as tunable values are printed; "" when it is not
 * there. */
HELPER const char *tree_get(const char *path)
{
	static char lines[4][4096];
	static unsigned turn;
	char *line = lines[turn++ % 4];
	line[0] = '\0';
	FILE *file = fopen(tree_path(path), "r");
	if (file == NULL)
		return line;
	if (fgets(line, sizeof(lines[0]), file) == NULL)
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; *at != '\0'; at++)
		if (*at == '\t')
			*at = ' ';
	return line;
}

/* The whole file. */
HELPER const char *tree_text(const char *path)
{
	static char text[65536];
	FILE *file = fopen(tree_path(path), "r");
	text[0] = '\0';
	if (file == NULL)
		return text;
	size_t length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

HELPER bool tree_has(const char *path)
{
	struct stat status;
	return lstat(tree_path(path), &status) == 0;
}

static int tree_remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

HELPER void tree_clear(void)
{
	if (tree_root[0] != '\0')
		nftw(tree_root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A host as it comes: cubic, 4 MiB, bbr as a module that is not loaded. */
HELPER int tree_make(void **state)
{
	(void)state;
	/* Hundreds of hosts are made, each with many an fsync: in memory where that can be had. */
	snprintf(tree_root, sizeof(tree_root), "%s/bdp-apply-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(tree_root));
	tree_put(RMEM, "4096\t131072\t4194304\n");
	tree_put(WMEM, "4096\t16384\t4194304\n");
	tree_put(CONGESTION, "cubic\n");
	tree_put(QDISC, "fq_codel\n");
	tree_put("proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic\n");
	tree_put("proc/sys/net/ipv4/tcp_allowed_congestion_control", "reno cubic\n");
	tree_put("proc/sys/kernel/random/boot_id", "7a1f0c9e-5f0e-4b57-9a63-0d8f54f6e1aa\n");
	tree_put("proc/sys/kernel/osrelease", "6.1.0-57-amd64\n");
	tree_put("proc/self/ns/net", "");
	tree_put("proc/meminfo", "MemTotal:        8000000 kB\n");
	tree_put("lib/modules/6.1.0-57-amd64/modules.builtin", "kernel/net/ipv4/tcp_cubic.ko\n");
	tree_put("lib/modules/6.1.0-57-amd64/modules.dep",
	    "kernel/net/ipv4/tcp_bbr.ko.xz:\nkernel/net/sched/sch_fq.ko.xz:\n");
	tree_put("etc/sysctl.d/README", "");
	tree_put("etc/modules-load.d/README", "");
	tree_put("run/README", "");
	return 0;
}

HELPER int tree_end(void **state)
{
	(void)state;
	tree_clear();
	return 0;
}

/* ---- plans ---- */

HELPER void plan_add(struct plan *plan, const char *key, const char *value, enum role host)
{
	struct setting *setting = &plan->settings[plan->setting_count++];
	*setting = (struct setting){.id = tunable_find(key), .host = host};
	assert_true(setting->id < TUNABLE_COUNT);
	assert_true(tunable_value_parse(setting->id, value, &setting->value));
	snprintf(setting->why, sizeof(setting->why), "because of %s", key);
}

HELPER struct plan plan_two(void)
{
	struct plan plan = {.role = ROLE_UNKNOWN};
	plan_add(&plan, "net.ipv4.tcp_rmem", NEW_RMEM, ROLE_UNKNOWN);
	plan_add(&plan, "net.ipv4.tcp_wmem", NEW_WMEM, ROLE_UNKNOWN);
	return plan;
}

HELPER bool values_are(const char *rmem, const char *wmem)
{
	return strcmp(tree_get(RMEM), rmem) == 0 && strcmp(tree_get(WMEM), wmem) == 0;
}

HELPER struct outcome apply_with(const struct apply_request *model, const struct plan *plan)
{
	struct apply_request request = *model;
	struct outcome outcome = {0};
	request.sysroot = tree_root;
	request.plan = plan;
	request.maker = "bdp 0.0.test";
	apply_run(&request, &outcome);
	return outcome;
}

HELPER struct outcome apply_plain(const struct plan *plan)
{
	struct apply_request request = {.mode = APPLY_SET};
	return apply_with(&request, plan);
}

HELPER struct outcome rollback_with(const struct rollback_request *model)
{
	struct rollback_request request = *model;
	struct outcome outcome = {0};
	request.sysroot = tree_root;
	rollback_run(&request, &outcome);
	return outcome;
}

HELPER struct outcome rollback_plain(void)
{
	struct rollback_request request = {.to = 0};
	return rollback_with(&request);
}

HELPER struct outcome confirm_plain(void)
{
	struct rollback_request request = {.sysroot = tree_root};
	struct outcome outcome = {0};
	confirm_run(&request, &outcome);
	return outcome;
}

/* A journal as an apply leaves it, written straight into the store. */
HELPER void put_journal(uint32_t id, enum journal_state journal_state, uint64_t netns)
{
	struct tree tree;
	struct store store;
	struct reason reason;
	struct journal journal = {.id = id, .state = journal_state, .setting_count = 1};
	assert_true(tree_open(&tree, NULL, tree_root));
	assert_int_equal(store_open(&store, &tree, true, &reason), STORE_OPEN);
	assert_true(netns_identity_read(&journal.netns, &tree));
	if (netns != 0)
		journal.netns.netns = netns;
	journal.settings[0].id = TUNABLE_TCP_RMEM;
	assert_true(tunable_value_parse(TUNABLE_TCP_RMEM, OLD_RMEM, &journal.settings[0].old));
	assert_true(tunable_value_parse(TUNABLE_TCP_RMEM, OLD_RMEM, &journal.settings[0].new));
	assert_true(store_save(&store, &journal, &reason));
	store_close(&store);
	tree_close(&tree);
}

/* Exit and message in one assertion that shows both. */
HELPER void expect_outcome(struct outcome outcome, enum outcome_exit exit, const char *words)
{
	if (outcome.exit != exit || strstr(outcome.message, words) == NULL)
		print_message("exit %d, message '%s'; expected %d, '%s'\n", (int)outcome.exit,
		    outcome.message, (int)exit, words);
	assert_int_equal(outcome.exit, exit);
	assert_non_null(strstr(outcome.message, words));
	outcome_free(&outcome);
}

HELPER const struct outcome_setting *item_of(const struct outcome *outcome, const char *key)
{
	for (size_t i = 0; i < outcome->setting_count; i++)
		if (strcmp(tunables[outcome->settings[i].id].key, key) == 0)
			return &outcome->settings[i];
	fail_msg("no item for %s", key);
	return NULL;
}

/* ---- a kernel that fails ---- */

struct fault {
	unsigned calls;	  /* counted so far */
	unsigned fail_at; /* that call fails, from 1; 0: none */
	unsigned kill_at; /* the process is killed instead of that call */
	int error;
	bool for_good;	  /* every later call fails too */
	const char *name; /* of the call that failed */
};

static struct fault fault;

HELPER bool is_faulty(const char *name)
{
	fault.calls++;
	if (fault.kill_at != 0 && fault.calls == fault.kill_at)
		kill(getpid(), SIGKILL);
	bool hit = fault.fail_at != 0 && (fault.calls == fault.fail_at ||
					     (fault.for_good && fault.calls > fault.fail_at));
	if (hit) {
		fault.name = name;
		errno = fault.error;
	}
	return hit;
}

HELPER int fault_open(int dir, const char *path, int flags, mode_t mode)
{
	return is_faulty("open") ? -1 : kernel_io_system.open(dir, path, flags, mode);
}

HELPER int fault_open_linked(int dir, const char *path)
{
	return is_faulty("open_linked") ? -1 : kernel_io_system.open_linked(dir, path);
}

HELPER ssize_t fault_read(int fd, void *bytes, size_t size)
{
	return is_faulty("read") ? -1 : kernel_io_system.read(fd, bytes, size);
}

HELPER ssize_t fault_write(int fd, const void *bytes, size_t size)
{
	return is_faulty("write") ? -1 : kernel_io_system.write(fd, bytes, size);
}

HELPER ssize_t fault_put(int fd, const void *bytes, size_t size)
{
	return is_faulty("put") ? -1 : kernel_io_system.put(fd, bytes, size);
}

HELPER int fault_stat(int fd, struct stat *status)
{
	return is_faulty("stat") ? -1 : kernel_io_system.stat(fd, status);
}

HELPER int fault_stat_at(int dir, const char *path, struct stat *status)
{
	return is_faulty("stat_at") ? -1 : kernel_io_system.stat_at(dir, path, status);
}

HELPER int fault_truncate(int fd, off_t length)
{
	return is_faulty("truncate") ? -1 : kernel_io_system.truncate(fd, length);
}

HELPER int fault_chmod(int fd, mode_t mode)
{
	return is_faulty("chmod") ? -1 : kernel_io_system.chmod(fd, mode);
}

HELPER int fault_sync(int fd)
{
	return is_faulty("sync") ? -1 : kernel_io_system.sync(fd);
}

HELPER int fault_rename(int dir, const char *from, const char *to)
{
	return is_faulty("rename") ? -1 : kernel_io_system.rename(dir, from, to);
}

HELPER int fault_unlink(int dir, const char *name)
{
	return is_faulty("unlink") ? -1 : kernel_io_system.unlink(dir, name);
}

HELPER int fault_mkdir(int dir, const char *name, mode_t mode)
{
	return is_faulty("mkdir") ? -1 : kernel_io_system.mkdir(dir, name, mode);
}

HELPER int fault_lock(int fd, int operation)
{
	return is_faulty("lock") ? -1 : kernel_io_system.lock(fd, operation);
}

HELPER ssize_t fault_list(int dir, void *entries, size_t size)
{
	return is_faulty("list") ? -1 : kernel_io_system.list(dir, entries, size);
}

HELPER int fault_pair(int ends[2])
{
	return is_faulty("pair") ? -1 : kernel_io_system.pair(ends);
}

HELPER pid_t fault_fork(void)
{
	return is_faulty("fork") ? -1 : kernel_io_system.fork();
}

HELPER int64_t fault_clock_ms(clockid_t clock)
{
	return kernel_io_system.clock_ms(clock);
}

/* Waiting for a lock takes no time here. */
HELPER void fault_sleep_ms(int64_t milliseconds)
{
	(void)milliseconds;
}

HELPER int fault_is_read_only(int dir, const char *path)
{
	return is_faulty("is_read_only") ? -1 : kernel_io_system.is_read_only(dir, path);
}

HELPER int fault_cookie(uint64_t *cookie)
{
	return is_faulty("cookie") ? -1 : kernel_io_system.cookie(cookie);
}

/* Not to the log of the machine that tests. */
HELPER void fault_log(const char *line)
{
	(void)line;
}

static const struct kernel_io fault_io __attribute__((unused)) = {
    .open = fault_open,
    .open_linked = fault_open_linked,
    .read = fault_read,
    .write = fault_write,
    .put = fault_put,
    .stat = fault_stat,
    .stat_at = fault_stat_at,
    .truncate = fault_truncate,
    .chmod = fault_chmod,
    .sync = fault_sync,
    .rename = fault_rename,
    .unlink = fault_unlink,
    .mkdir = fault_mkdir,
    .lock = fault_lock,
    .list = fault_list,
    .pair = fault_pair,
    .fork = fault_fork,
    .clock_ms = fault_clock_ms,
    .sleep_ms = fault_sleep_ms,
    .is_read_only = fault_is_read_only,
    .cookie = fault_cookie,
    .log = fault_log,
};

#endif
