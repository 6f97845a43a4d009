#include "evidence/host.h"
#include "system/procfs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct version_row {
	const char *text;
	bool known;
	unsigned major, minor, patch;
};

static void kernel_versions(void **state)
{
	static const struct version_row rows[] = {
	    {"6.1.0-57-cloud-amd64", true, 6, 1, 0},
	    {"5.15", true, 5, 15, 0},
	    {"6.18.44", true, 6, 18, 44},
	    {"6.18.44-fc-v669\n", true, 6, 18, 44},
	    {"4.4.0-21-generic", true, 4, 4, 0},
	    {"6.18-rc3", true, 6, 18, 0},
	    {"3.10.0-1160.el7.x86_64", true, 3, 10, 0},
	    {"5.15.153.1-microsoft-standard-WSL2", true, 5, 15, 153},
	    {" 6.6.1", true, 6, 6, 1},
	    {"6", false, 0, 0, 0},
	    {"6.", false, 0, 0, 0},
	    {".6", false, 0, 0, 0},
	    {"", false, 0, 0, 0},
	    {"linux-6.1", false, 0, 0, 0},
	    {"-6.1", false, 0, 0, 0},
	    {"99999999999999999999.1", false, 0, 0, 0},
	    {"6.70000", false, 0, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kernel_version version = {0};
		print_message("'%s'\n", rows[i].text);
		assert_int_equal(kernel_version_parse(rows[i].text, &version), rows[i].known);
		assert_int_equal(version.known, rows[i].known);
		assert_int_equal(version.major, rows[i].major);
		assert_int_equal(version.minor, rows[i].minor);
		assert_int_equal(version.patch, rows[i].patch);
	}
}

static void kernel_release_is_safe_to_print(void **state)
{
	struct kernel_version version = {0};
	(void)state;
	assert_true(kernel_version_parse("6.1.0\033[31m evil", &version));
	assert_null(strchr(version.release, '\033'));
	assert_non_null(strstr(version.release, "6.1.0"));
}

static void kernel_comparisons(void **state)
{
	static const struct {
		const char *version;
		unsigned major, minor;
		bool at_least, before;
	} rows[] = {
	    {"6.6.0", 6, 6, true, false}, {"6.5.13", 6, 6, false, true},
	    {"5.15.0", 6, 6, false, true}, {"7.0", 6, 6, true, false}, {"6.10", 6, 6, true, false},
	    {"4.20", 4, 4, true, false}, {"", 6, 6, false, false}, /* unknown is neither */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kernel_version version = {0};
		print_message("'%s' %u.%u\n", rows[i].version, rows[i].major, rows[i].minor);
		kernel_version_parse(rows[i].version, &version);
		assert_int_equal(
		    kernel_at_least(&version, rows[i].major, rows[i].minor), rows[i].at_least);
		assert_int_equal(
		    kernel_before(&version, rows[i].major, rows[i].minor), rows[i].before);
	}
}

static bool dump_text(const char *text, struct host *host)
{
	const char *why = NULL;
	struct source *source = source_memory("lb.sysctl", text, strlen(text));
	bool ok = host_read_dump(host, source, &why);
	assert_true(ok || (why != NULL && why[0] != '\0'));
	source_close(source);
	return ok;
}

static void dump_file(const char *path, struct host *host)
{
	const char *why = NULL;
	struct source *source = source_open(path);
	assert_non_null(source);
	assert_true(host_read_dump(host, source, &why));
	source_close(source);
}

static void assert_value(const struct host *host, enum tunable_id id, const char *expected)
{
	char text[256] = "";
	if (host->values[id].known)
		tunable_value_text(id, &host->values[id], text, sizeof(text));
	print_message("%s: '%s'\n", tunables[id].key, text);
	assert_string_equal(text, expected);
}

static void recorded_dump_of_6_18(void **state)
{
	static struct host host;
	(void)state;
	dump_file("tests/corpus/hosts/host-6.18.sysctl.txt", &host);
	assert_int_equal(host.origin, HOST_DUMP);
	assert_string_equal(host.kernel.release, "6.18.44");
	assert_false(host.in_namespace);
	assert_int_equal(host.page_size, 0);
	assert_int_equal(host.mem_total_bytes, 0);
	assert_false(host.sockstat.has & SOCKSTAT_TCP);
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 33554432");
	assert_value(&host, TUNABLE_TCP_WMEM, "4096 16384 4194304");
	assert_value(&host, TUNABLE_TCP_MEM, "287898 383866 575796");
	assert_value(&host, TUNABLE_RMEM_MAX, "4194304");
	assert_value(&host, TUNABLE_DEFAULT_QDISC, "pfifo_fast");
	assert_value(&host, TUNABLE_TCP_CONGESTION_CONTROL, "bbr");
	assert_value(&host, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, "reno bbr cubic");
	assert_value(&host, TUNABLE_TCP_TW_RECYCLE, "");
}

static void recorded_dump_of_6_1(void **state)
{
	static struct host host;
	(void)state;
	dump_file("tests/corpus/hosts/host-6.1.sysctl.txt", &host);
	assert_true(host.kernel.major == 6 && host.kernel.minor == 1);
	assert_false(host.in_namespace);
	assert_value(&host, TUNABLE_TCP_MEM, "16287 21719 32574");
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 6291456");
	assert_value(&host, TUNABLE_RMEM_MAX, "212992");
	assert_value(&host, TUNABLE_TCP_CONGESTION_CONTROL, "cubic");
}

static void recorded_dump_of_a_namespace(void **state)
{
	static struct host host;
	(void)state;
	dump_file("tests/corpus/hosts/netns-6.18.sysctl.txt", &host);
	assert_true(host.in_namespace);
	assert_string_equal(host.name, "vm");
	assert_value(&host, TUNABLE_TCP_MEM, "");
	assert_value(&host, TUNABLE_DEFAULT_QDISC, "");
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 67108864");
	assert_value(&host, TUNABLE_RMEM_MAX, "4194304");
}

/* Ways to write net.ipv4.tcp_rmem down; NULL: not a value in force. */
static void dump_styles(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} rows[] = {
	    {"net.ipv4.tcp_rmem = 4096\t131072\t4194304\n", "4096 131072 4194304"},
	    {"net.ipv4.tcp_rmem=4096 131072 4194304", "4096 131072 4194304"},
	    {"net.ipv4.tcp_rmem =   4096  131072  4194304\r\n", "4096 131072 4194304"},
	    {"\xef\xbb\xbfnet.ipv4.tcp_rmem = 4096 131072 4194304\n", "4096 131072 4194304"},
	    {"\t net.ipv4.tcp_rmem = 4096 131072 4194304\n", "4096 131072 4194304"},
	    {"-net.ipv4.tcp_rmem = 4096 131072 4194304\n", "4096 131072 4194304"},
	    {"net/ipv4/tcp_rmem = 4096 131072 4194304\n", "4096 131072 4194304"},
	    {"# set by hand\nnet.ipv4.tcp_rmem = 4096 131072 4194304\n", "4096 131072 4194304"},
	    {"net.ipv4.tcp_rmem = 1 2 3\nnet.ipv4.tcp_rmem = 4096 131072 4194304\n",
		"4096 131072 4194304"},
	    {"net.ipv4.tcp_rmem = 4096 131072 4194304\nnet.ipv4.tcp_rmem = 8M\n",
		"4096 131072 4194304"},
	    {"sudo sysctl -w net.ipv4.tcp_rmem=\"4096 131072 4194304\"\n", "4096 131072 4194304"},
	    {"sysctl -w net.core.rmem_max=1 net.ipv4.tcp_rmem='4096 131072 4194304'",
		"4096 131072 4194304"},
	    {"$ sysctl \"net.ipv4.tcp_rmem=4096 131072 4194304\"; date", "4096 131072 4194304"},
	    {"/usr/sbin/sysctl -q -w net.ipv4.tcp_rmem=\"4096 131072 4194304\" # why",
		"4096 131072 4194304"},
	    {"/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t4194304\n", "4096 131072 4194304"},
	    {"net.core.rmem_max = 1\n#net.ipv4.tcp_rmem = 4096 131072 4194304\n", ""},
	    {"net.core.rmem_max = 1\n;net.ipv4.tcp_rmem = 4096 131072 4194304\n", ""},
	    {"net.core.rmem_max = 1\n# sysctl -w net.ipv4.tcp_rmem=\"4096 131072 4194304\"\n", ""},
	    {"net.core.rmem_max = 1\nnet.ipv4.tcp_rmem = \"4096 131072 4194304\"\n", ""},
	    {"net.core.rmem_max = 1\nnet.ipv4.tcp_rmem = 4096 131072 4194304 # inline\n", ""},
	    {"net.core.rmem_max = 1\nsysctl -w net.ipv4.tcp_rmem=4096 131072 4194304\n", ""},
	    {"net.core.rmem_max = 1\nnet.ipv4.tcp_rmem\n", ""},
	    {"net.ipv4.tcp_rmem = 4096 131072\n", NULL},
	    {"vm.swappiness = 10\nkernel.hostname = lb\n", NULL},
	    {"sysctl: permission denied on key 'net.ipv4.tcp_rmem'\n", NULL},
	    {"", NULL},
	    {"=\n = \n-=\n/proc/sys/\n/proc/sys/:\nsysctl\nsysctl \n$ \nsudo \n", NULL},
	};
	static struct host host;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s", rows[i].text);
		bool ok = dump_text(rows[i].text, &host);
		assert_int_equal(ok, rows[i].expected != NULL);
		if (ok)
			assert_value(&host, TUNABLE_TCP_RMEM, rows[i].expected);
	}
}

/* Where people keep settings, beside a listing: what tcp_rmem, or rmem_max, comes to. */
static void settings_in_the_wild(void **state)
{
	static const struct {
		const char *text;
		const char *rmem, *rmem_max; /* "" when unknown; rmem NULL: nothing is read */
		uint64_t not_understood;
		unsigned unquoted;
	} rows[] = {
	    /* grep */
	    {"/etc/sysctl.d/10-a.conf:net.core.rmem_max=1\n/etc/sysctl.d/20-b.conf:net.core.rmem_max=2\n",
		"", "2", 0, 0},
	    {"/etc/sysctl.d/20-b.conf:net.core.rmem_max=2\n/etc/sysctl.d/10-a.conf:net.core.rmem_max=1\n",
		"", "2", 0, 0},
	    {"/etc/sysctl.conf:net.core.rmem_max = 3\n/etc/sysctl.d/99-z.conf:net.core.rmem_max = 2\n",
		"", "3", 0, 0},
	    {"/usr/lib/sysctl.d/50-x.conf:12:net.ipv4.tcp_rmem = 4096 131072 4194304\n",
		"4096 131072 4194304", "", 0, 0},
	    /* commands */
	    {"sysctl -w net.ipv4.tcp_rmem=8192 87380 33554432\n", "", "", 0, 1},
	    {"net.ipv4.tcp_rmem = 4096 131072 4194304\nsysctl -w net.ipv4.tcp_rmem=8192 87380 33554432\n",
		"8192 131072 4194304", "", 0, 1},
	    {"$ cat /proc/sys/net/ipv4/tcp_rmem\n4096\t131072\t4194304\n$ ls\n",
		"4096 131072 4194304", "", 0, 0},
	    {"[root@h ~]# cat /proc/sys/net/core/rmem_max /proc/sys/net/ipv4/tcp_rmem\n7\n4096 131072 4194304\n",
		"4096 131072 4194304", "7", 0, 0},
	    {"# cat /proc/sys/net/core/rmem_max\n7\n8\n", "", "7", 0, 0},
	    {"me@h:~$ cat /proc/sys/net/core/rmem_max\ncat: No such file\n7\n", NULL, "", 0, 0},
	    {"$ sysctl -n net.core.rmem_max\n7\n", "", "7", 0, 0},
	    {"root@OWRT:~# sysctl net.core.rmem_max\nnet.core.rmem_max = 212992\n", "", "212992", 0,
		0},
	    {"$ sudo sh -c 'x'; true\nnet.core.rmem_max = 7\n", "", "7", 0, 0},
	    {"echo 7 > /proc/sys/net/core/rmem_max\n", "", "7", 0, 0},
	    {"echo '4096 131072 4194304' >/proc/sys/net/ipv4/tcp_rmem\n", "4096 131072 4194304", "",
		0, 0},
	    {"docker run --sysctl net.core.rmem_max=7 --sysctl=net.ipv4.tcp_rmem=\"4096 131072 4194304\" x\n",
		"4096 131072 4194304", "7", 0, 0},
	    /* tuned.conf: quotes are no part of the value */
	    {"[main]\nsummary=x\n[sysctl]\nnet.ipv4.tcp_rmem=\"4096 131072 4194304\"\n",
		"4096 131072 4194304", "", 0, 0},
	    /* YAML and Ansible */
	    {"sysctls:\n  net.core.rmem_max: 7\n  net.ipv4.tcp_rmem: \"4096 131072 4194304\"\n",
		"4096 131072 4194304", "7", 0, 0},
	    {"  - net.core.rmem_max=7\n  - \"net.ipv4.tcp_rmem=4096 131072 4194304\"\n",
		"4096 131072 4194304", "7", 0, 0},
	    {"- name: net.core.rmem_max\n  value: \"7\"\n- name: net.ipv4.tcp_rmem\n  value: 4096 131072 4194304\n",
		"4096 131072 4194304", "7", 0, 0},
	    {"- { name: 'net.core.rmem_max', value: '7' }\n- { name: net.core.wmem_max, value: 8 }\n",
		"", "7", 0, 0},
	    /* not understood */
	    {"net.core.rmem_max = 7\nnet.ipv4.tcp_rmem = \"4096 131072 4194304\"\n", "", "7", 1, 0},
	    {"net.core.rmem_max = 7\nnet.ipv4.tcp_rmem = 8M\nnet.ipv4.tcp_wmem = 8M\n", "", "7", 2,
		0},
	    {"net.core.rmem_max = 7\nwe set net.ipv4.tcp_rmem by hand\n", "", "7", 0, 0},
	    {"net.core.rmem_max = 7\nfs.file-max = x\n", "", "7", 0, 0},
	};
	static struct host host;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_message("%s\n", rows[i].text);
		assert_int_equal(dump_text(rows[i].text, &host), rows[i].rmem != NULL);
		if (!rows[i].rmem)
			continue;
		assert_value(&host, TUNABLE_TCP_RMEM, rows[i].rmem);
		assert_value(&host, TUNABLE_RMEM_MAX, rows[i].rmem_max);
		assert_int_equal(host.dump.not_understood, rows[i].not_understood);
		assert_int_equal(host.dump.unquoted, rows[i].unquoted);
	}
}

/* Recorded on public pages: the last of two files counts, three numbers without quotes do not. */
static void recorded_settings(void **state)
{
	static struct host host;
	(void)state;
	dump_file("tests/corpus/cases2/b12f-gke-grep.txt", &host);
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 87380 16777216");
	assert_value(&host, TUNABLE_RMEM_MAX, "3276800");
	assert_value(&host, TUNABLE_NETDEV_MAX_BACKLOG, "30000");
	dump_file("tests/corpus/cases2/b12e-10g-gist.sh", &host);
	assert_value(&host, TUNABLE_TCP_RMEM, "");
	assert_value(&host, TUNABLE_RMEM_MAX, "33554432");
	assert_int_equal(host.dump.unquoted, 2);
	assert_int_equal(host.dump.unquoted_id, TUNABLE_TCP_MEM);
	dump_file("tests/corpus/cases2/b19-openwrt-200ms.txt", &host);
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 3206752");
	assert_value(&host, TUNABLE_DEFAULT_QDISC, "fq_codel");
	assert_int_equal(host.dump.not_understood, 0);
}

static void dump_names_its_host(void **state)
{
	static struct host host;
	(void)state;
	assert_true(dump_text("kernel.hostname = lb-1\nnet.core.rmem_max = 212992\n", &host));
	assert_string_equal(host.name, "lb-1");
	assert_false(host.kernel.known);
	assert_true(dump_text("kernel.osrelease = 5.15.0-25-generic\n", &host));
	assert_string_equal(host.name, "lb.sysctl");
	assert_true(host.kernel.known);
	assert_true(dump_text("kernel.hostname = a\033]0;b\nnet.core.rmem_max = 1\n", &host));
	assert_null(strchr(host.name, '\033'));
}

/* A few lines say nothing by what they leave out. */
static void short_dump_is_no_namespace(void **state)
{
	static struct host host;
	(void)state;
	assert_true(dump_text("net.ipv4.tcp_rmem = 4096 131072 4194304\n"
			      "net.ipv4.tcp_wmem = 4096 16384 4194304\n"
			      "net.ipv4.tcp_congestion_control = bbr\n",
	    &host));
	assert_false(host.in_namespace);
}

/* A line longer than any value is passed over whole, not taken by halves. */
static void endless_line_is_passed_over(void **state)
{
	static char text[100000];
	static struct host host;
	const char *start = "net.core.rmem_max = 5\nnet.core.rmem_max = ";
	(void)state;
	memset(text, '7', sizeof(text) - 1);
	memcpy(text, start, strlen(start));
	assert_true(dump_text(text, &host));
	assert_value(&host, TUNABLE_RMEM_MAX, "5");
}

static void load_balancer_tree(void **state)
{
	static struct host host;
	(void)state;
	assert_true(host_read_system(&host, "tests/hosts/lb-5.15"));
	assert_int_equal(host.origin, HOST_SYSROOT);
	assert_string_equal(host.name, "lb");
	assert_string_equal(host.kernel.release, "5.15.0-122-generic");
	assert_true(kernel_before(&host.kernel, 6, 6));
	assert_false(host.in_namespace);
	assert_int_equal(host.page_size, 4096);
	assert_true(host.mem_total_bytes == 16252928ULL * 1024);
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 4194304");
	assert_value(&host, TUNABLE_TCP_WMEM, "4096 16384 4194304");
	assert_value(&host, TUNABLE_TCP_CONGESTION_CONTROL, "cubic");
	assert_value(&host, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, "reno cubic bbr");
	assert_value(&host, TUNABLE_DEFAULT_QDISC, "pfifo_fast");
	/* net/ipv4/tcp.c, tcp_init_mem: a sixteenth of RAM's pages, and 3/4 and 3/2 of that */
	uint64_t pages = host.mem_total_bytes / 4096 / 16;
	const struct tunable_value *tcp_mem = &host.values[TUNABLE_TCP_MEM];
	assert_true(tcp_mem->known);
	assert_int_equal(tcp_mem->number[0], pages / 4 * 3);
	assert_int_equal(tcp_mem->number[1], pages);
	assert_int_equal(tcp_mem->number[2], pages / 4 * 3 * 2);
	assert_true(host.sockstat.has & SOCKSTAT_TCP);
	assert_int_equal(host.sockstat.inuse, 871);
	assert_int_equal(host.sockstat.memory_pages, 5310);
	assert_int_equal(host.interface_count, 1); /* without the loopback */
	assert_string_equal(host.interfaces[0].name, "eth0");
	assert_string_equal(host.interfaces[0].qdisc, "");
	assert_true(host.interfaces[0].speed_bps == 10000000000ULL);
	assert_int_equal(host.interfaces[0].tx_queues, 4);
	assert_int_equal(host.interfaces[0].mtu, 1500);
	assert_true(host.interfaces[0].up);
}

static void server_tree(void **state)
{
	static struct host host;
	(void)state;
	assert_true(host_read_system(&host, "tests/hosts/server-6.18"));
	assert_true(kernel_at_least(&host.kernel, 6, 18));
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 33554432");
	assert_value(&host, TUNABLE_RMEM_MAX, "4194304");
	assert_value(&host, TUNABLE_TCP_LIMIT_OUTPUT_BYTES, "4194304");
	assert_true(host.counters.any);
	assert_int_equal(host.counters.value[COUNTER_TCP_IN_SEGS], 107);
	assert_true(host.counters.known[COUNTER_WANT_ZERO_WINDOW_ADV]);
	assert_int_equal(host.interface_count, 2);
	assert_string_equal(host.interfaces[0].name, "enp1s0"); /* the one that is up comes first */
	assert_int_equal(host.interfaces[0].tx_queues, 8);
	assert_string_equal(host.interfaces[1].name, "enp2s0");
	assert_false(host.interfaces[1].up);
	assert_true(host.interfaces[1].speed_bps == 0); /* "-1" */
}

static void container_tree(void **state)
{
	static struct host host;
	(void)state;
	assert_true(host_read_system(&host, "tests/hosts/container-6.8"));
	assert_true(host.in_namespace);
	assert_value(&host, TUNABLE_TCP_MEM, "");
	assert_value(&host, TUNABLE_DEFAULT_QDISC, "");
	assert_value(&host, TUNABLE_RMEM_MAX, "");
	assert_value(&host, TUNABLE_TCP_RMEM, "4096 131072 6291456");
	assert_true(host.sockstat.has & SOCKSTAT_TCP);
	assert_int_equal(host.sockstat.memory_pages, 61);
	assert_false(host.counters.any);
}

static void no_tree_is_refused(void **state)
{
	static struct host host;
	(void)state;
	assert_false(host_read_system(&host, "tests/hosts/nowhere"));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(host.origin, HOST_UNKNOWN);
	/* a directory without facts, and a file */
	assert_false(host_read_system(&host, "tests/unit"));
	assert_false(host_read_system(&host, "tests/run-units.sh"));
	assert_int_equal(errno, ENOTDIR);
}

/* This machine, compared with what libc says of it. */
static void this_machine(void **state)
{
	static struct host host;
	struct utsname system;
	(void)state;
	assert_true(host_read_system(&host, ""));
	assert_int_equal(host.origin, HOST_LIVE);
	assert_int_equal(uname(&system), 0);
	assert_string_equal(host.kernel.release, system.release);
	assert_int_equal(host.page_size, sysconf(_SC_PAGESIZE));
	assert_true(host.mem_total_bytes ==
		    (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	assert_true(host.values[TUNABLE_TCP_RMEM].known);
}

static void must(int status)
{
	if (status != 0)
		fail_msg("%s", strerror(errno));
}

/* Makes the directory part of a path below root. */
static void make_directories(const char *root, const char *path)
{
	char whole[512];
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		if (mkdir(whole, 0755) != 0 && errno != EEXIST)
			fail_msg("%s: %s", whole, strerror(errno));
		*at = '/';
	}
}

static void put(const char *root, const char *path, const char *text)
{
	char whole[512];
	make_directories(root, path);
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	FILE *file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	must(fclose(file));
}

/* A recording cannot make bdp read outside of it, nor wait. */
static void hostile_tree(void **state)
{
	static struct host host;
	char root[] = "/tmp/bdp-test-XXXXXX", outside[] = "/tmp/bdp-test-XXXXXX", path[512], to[64];
	(void)state;
	assert_non_null(mkdtemp(root));
	assert_non_null(mkdtemp(outside));
	put(outside, "value", "77777\n");
	put(root, "proc/sys/net/core/rmem_default", "212992\n");
	put(root, "proc/sys/net/core/wmem_max", "a\0b");
	put(root, "proc/meminfo", "MemTotal: 99999999999999999999 kB\n");
	/* links out of the tree: absolute, and by ".." */
	snprintf(path, sizeof(path), "%s/proc/sys/net/core/rmem_max", root);
	snprintf(to, sizeof(to), "%s/value", outside);
	must(symlink(to, path));
	snprintf(path, sizeof(path), "%s/proc/sys/net/core/wmem_default", root);
	snprintf(to, sizeof(to), "../../../../../..%s/value", outside);
	must(symlink(to, path));
	/* a FIFO that nobody writes, and a link within the tree */
	snprintf(path, sizeof(path), "%s/proc/sys/net/core/optmem_max", root);
	must(mkfifo(path, 0644));
	snprintf(path, sizeof(path), "%s/proc/sys/net/core/netdev_max_backlog", root);
	must(symlink("rmem_default", path));
	alarm(20);
	assert_true(host_read_system(&host, root));
	alarm(0);
	assert_value(&host, TUNABLE_RMEM_DEFAULT, "212992");
	assert_value(&host, TUNABLE_RMEM_MAX, "");
	assert_value(&host, TUNABLE_WMEM_DEFAULT, "");
	assert_value(&host, TUNABLE_WMEM_MAX, "");
	assert_value(&host, TUNABLE_OPTMEM_MAX, "");
	assert_true(host.mem_total_bytes == 0);
	snprintf(path, sizeof(path), "rm -rf %s %s", root, outside);
	must(system(path));
}

/* More interfaces than are kept: those that are up and have a speed stay, in order. */
static void many_interfaces(void **state)
{
	static struct host host;
	char root[] = "/tmp/bdp-test-XXXXXX", path[512];
	(void)state;
	assert_non_null(mkdtemp(root));
	for (int i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), "sys/class/net/veth%02d/type", i);
		put(root, path, "1\n");
		snprintf(path, sizeof(path), "sys/class/net/veth%02d/operstate", i);
		put(root, path, i == 49 ? "up\n" : "down\n");
	}
	put(root, "sys/class/net/zeth/type", "1\n");
	put(root, "sys/class/net/zeth/operstate", "up\n");
	put(root, "sys/class/net/zeth/speed", "100\n");
	put(root, "sys/class/net/bonding_masters", "bond0\n");
	assert_true(host_read_system(&host, root));
	assert_int_equal(host.interface_count, HOST_INTERFACES_MAX);
	assert_string_equal(host.interfaces[0].name, "zeth");
	assert_true(host.interfaces[0].speed_bps == 100000000);
	assert_string_equal(host.interfaces[1].name, "veth49");
	assert_string_equal(host.interfaces[2].name, "veth00");
	assert_string_equal(host.interfaces[31].name, "veth29");
	snprintf(path, sizeof(path), "rm -rf %s", root);
	must(system(path));
}

/* What capture.sh recorded reads as this machine itself does. */
static void capture_is_faithful(void **state)
{
	static struct host live, recorded;
	char parent[] = "/tmp/bdp-test-XXXXXX", text[512];
	(void)state;
	assert_non_null(mkdtemp(parent));
	snprintf(text, sizeof(text), "sh tests/e2e/capture.sh %s/tree", parent);
	must(system(text));
	snprintf(text, sizeof(text), "%s/tree", parent);
	assert_true(host_read_system(&recorded, text));
	assert_true(host_read_system(&live, "/"));
	assert_int_equal(recorded.origin, HOST_SYSROOT);
	assert_string_equal(recorded.name, live.name);
	assert_string_equal(recorded.kernel.release, live.kernel.release);
	assert_int_equal(recorded.page_size, live.page_size);
	assert_true(recorded.mem_total_bytes == live.mem_total_bytes);
	assert_int_equal(recorded.in_namespace, live.in_namespace);
	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		print_message("%s\n", tunables[i].key);
		assert_int_equal(recorded.values[i].known, live.values[i].known);
		if (live.values[i].known)
			assert_true(tunable_value_equal(
			    (enum tunable_id)i, &recorded.values[i], &live.values[i]));
	}
	assert_int_equal(recorded.sockstat.has, live.sockstat.has);
	assert_int_equal(recorded.counters.any, live.counters.any);
	assert_int_equal(recorded.interface_count, live.interface_count);
	for (unsigned i = 0; i < live.interface_count; i++) {
		assert_string_equal(recorded.interfaces[i].name, live.interfaces[i].name);
		assert_int_equal(recorded.interfaces[i].tx_queues, live.interfaces[i].tx_queues);
	}
	snprintf(text, sizeof(text), "rm -rf %s", parent);
	must(system(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernel_versions),
	    cmocka_unit_test(kernel_release_is_safe_to_print),
	    cmocka_unit_test(kernel_comparisons),
	    cmocka_unit_test(recorded_dump_of_6_18),
	    cmocka_unit_test(recorded_dump_of_6_1),
	    cmocka_unit_test(recorded_dump_of_a_namespace),
	    cmocka_unit_test(dump_styles),
	    cmocka_unit_test(settings_in_the_wild),
	    cmocka_unit_test(recorded_settings),
	    cmocka_unit_test(dump_names_its_host),
	    cmocka_unit_test(short_dump_is_no_namespace),
	    cmocka_unit_test(endless_line_is_passed_over),
	    cmocka_unit_test(load_balancer_tree),
	    cmocka_unit_test(server_tree),
	    cmocka_unit_test(container_tree),
	    cmocka_unit_test(no_tree_is_refused),
	    cmocka_unit_test(this_machine),
	    cmocka_unit_test(hostile_tree),
	    cmocka_unit_test(many_interfaces),
	    cmocka_unit_test(capture_is_faithful),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
