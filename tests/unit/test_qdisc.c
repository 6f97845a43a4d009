/* Which interfaces keep their queue, and the tc lines that change it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bsd/string.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/qdisc_lines.h"
#include "report/plan_text.h"
#include "system/qdisc_netlink.h"

/* ---- tc lines ---- */

static const struct {
	const char *title, *name, *qdisc, *leaf;
	bool up;
	const char *command, *left; /* NULL: none */
} line_rows[] = {
    {"one queue", "eth0", "fq_codel", "", true, "sudo tc qdisc replace dev eth0 root fq", NULL},
    {"one queue, as old systems have it", "eth0", "pfifo_fast", "", true,
	"sudo tc qdisc replace dev eth0 root fq", NULL},
    {"many queues", "eth0", "mq", "fq_codel", true, "sudo tc qdisc replace dev eth0 root mq", NULL},
    {"many queues of several kinds", "eth0", "mq", "", true, NULL, "eth0 (mq)"},
    {"has it", "eth0", "fq", "", true, NULL, NULL},
    {"has it on many queues", "eth0", "mq", "fq", true, NULL, NULL},
    {"no queue (veth, bridge)", "veth0", "noqueue", "", true, NULL, NULL},
    {"down", "eth0", "fq_codel", "", false, NULL, NULL},
    {"down, with none yet", "eth0", "noop", "", true, NULL, NULL},
    {"not known", "eth0", "", "", true, NULL, NULL},
    {"a shaper", "eth0", "htb", "", true, NULL, "eth0 (htb)"},
    {"an emulator below mq", "eth0", "mq", "netem", true, NULL, "eth0 (netem)"},
    {"hardware classes", "eth0", "mqprio", "", true, NULL, "eth0 (mqprio)"},
    {"a VLAN", "eth0.7", "pfifo", "", true, "sudo tc qdisc replace dev eth0.7 root fq", NULL},
    {"a name of one letter", "a", "pfifo", "", true, "sudo tc qdisc replace dev a root fq", NULL},
    {"a name with a dash in it", "a-b", "pfifo", "", true, "sudo tc qdisc replace dev a-b root fq",
	NULL},
    {"a name for the shell", "$(reboot)", "pfifo", "", true,
	"sudo tc qdisc replace dev '$(reboot)' root fq", NULL},
    {"a name that cannot be quoted", "a'b", "pfifo", "", true, NULL, "a'b (pfifo)"},
    {"a name that is an option", "-batch", "pfifo", "", true, NULL, "-batch (pfifo)"},
    {"a name for the terminal", "e\033[2J", "pfifo", "", true, NULL, "e\\x1b[2J (pfifo)"},
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(line_rows) / sizeof(line_rows[0]); i++) {
		struct host host = {.interface_count = 1};
		struct command lines[2];
		char left[64];
		print_message("%s\n", line_rows[i].title);
		strlcpy(
		    host.interfaces[0].name, line_rows[i].name, sizeof(host.interfaces[0].name));
		strlcpy(
		    host.interfaces[0].qdisc, line_rows[i].qdisc, sizeof(host.interfaces[0].qdisc));
		strlcpy(host.interfaces[0].leaf_qdisc, line_rows[i].leaf,
		    sizeof(host.interfaces[0].leaf_qdisc));
		host.interfaces[0].up = line_rows[i].up;
		host.interfaces[0].tx_queues = 8;
		size_t count = qdisc_lines(&host, "fq", ROLE_SENDER, lines, 2, left, sizeof(left));
		assert_int_equal(count, line_rows[i].command != NULL);
		commands_text(lines, count);
		if (count > 0) {
			assert_string_equal(lines[0].command, line_rows[i].command);
			assert_int_equal(lines[0].host, ROLE_SENDER);
			assert_true(lines[0].why[0] != '\0');
		}
		assert_string_equal(left, line_rows[i].left != NULL ? line_rows[i].left : "");
	}
}

static void test_many_interfaces(void **state)
{
	struct host host = {.interface_count = HOST_INTERFACES_MAX};
	struct command lines[4];
	char left[32];
	(void)state;
	for (unsigned i = 0; i < HOST_INTERFACES_MAX; i++) {
		host.interfaces[i].up = true;
		snprintf(host.interfaces[i].name, sizeof(host.interfaces[i].name), "eth%u", i);
		strlcpy(host.interfaces[i].qdisc, i % 2 ? "htb" : "pfifo_fast",
		    sizeof(host.interfaces[i].qdisc));
	}
	assert_int_equal(qdisc_lines(&host, "fq", ROLE_SENDER, lines, 4, left, sizeof(left)), 4);
	commands_text(lines, 4);
	assert_string_equal(lines[3].command, "sudo tc qdisc replace dev eth6 root fq");
	assert_int_equal(strlen(left), sizeof(left) - 1);
	/* What somebody made the default is nobody's special choice. */
	host.values[TUNABLE_DEFAULT_QDISC].known = true;
	strlcpy(host.values[TUNABLE_DEFAULT_QDISC].word, "htb",
	    sizeof(host.values[TUNABLE_DEFAULT_QDISC].word));
	qdisc_lines(&host, "fq", ROLE_SENDER, lines, 4, left, sizeof(left));
	commands_text(lines, 4);
	assert_string_equal(lines[1].command, "sudo tc qdisc replace dev eth1 root fq");
	assert_string_equal(left, "");
	assert_int_equal(qdisc_lines(&host, "f q'", ROLE_SENDER, lines, 4, left, sizeof(left)), 0);
}

/* ---- netlink ---- */

struct bytes {
	_Alignas(struct nlmsghdr) char data[4096];
	size_t used, message;
};

static void put(struct bytes *bytes, const void *data, size_t length)
{
	memcpy(bytes->data + bytes->used, data, length);
	bytes->used += length;
	while (bytes->used % 4 != 0)
		bytes->data[bytes->used++] = 0;
}

static void end_message(struct bytes *bytes)
{
	uint32_t length = (uint32_t)(bytes->used - bytes->message);
	memcpy(bytes->data + bytes->message, &length, sizeof(length));
}

static void begin_message(struct bytes *bytes, uint16_t type, const void *body, size_t length)
{
	struct nlmsghdr header = {.nlmsg_type = type};
	bytes->message = bytes->used;
	put(bytes, &header, sizeof(header));
	put(bytes, body, length);
	end_message(bytes);
}

static void put_attribute(struct bytes *bytes, uint16_t type, const void *data, size_t length)
{
	struct rtattr header = {.rta_len = (uint16_t)(sizeof(header) + length), .rta_type = type};
	put(bytes, &header, sizeof(header));
	put(bytes, data, length);
	end_message(bytes);
}

static void put_link(struct bytes *bytes, int index, unsigned flags, const char *name)
{
	struct ifinfomsg link = {.ifi_index = index, .ifi_flags = flags};
	uint32_t mtu = 1500, queues = 8;
	begin_message(bytes, RTM_NEWLINK, &link, sizeof(link));
	put_attribute(bytes, IFLA_IFNAME, name, strlen(name) + 1);
	put_attribute(bytes, IFLA_MTU, &mtu, sizeof(mtu));
	put_attribute(bytes, IFLA_NUM_TX_QUEUES, &queues, sizeof(queues));
}

static void put_qdisc(struct bytes *bytes, int index, uint32_t parent, const char *kind)
{
	struct tcmsg qdisc = {.tcm_ifindex = index, .tcm_parent = parent};
	begin_message(bytes, RTM_NEWQDISC, &qdisc, sizeof(qdisc));
	put_attribute(bytes, TCA_KIND, kind, strlen(kind) + 1);
}

static void fill_example(struct bytes *bytes)
{
	*bytes = (struct bytes){.used = 0};
	put_link(bytes, 1, IFF_UP | IFF_LOOPBACK, "lo");
	put_link(bytes, 2, IFF_UP, "eth0");
	put_link(bytes, 3, 0, "eth1");
	put_link(bytes, 4, IFF_UP, "veth0");
	put_qdisc(bytes, 1, TC_H_ROOT, "noqueue");
	put_qdisc(bytes, 2, TC_H_ROOT, "mq");
	put_qdisc(bytes, 2, 0x00000001, "fq_codel");
	put_qdisc(bytes, 2, 0x00000002, "fq_codel");
	put_qdisc(bytes, 2, TC_H_INGRESS, "clsact");
	put_qdisc(bytes, 3, TC_H_ROOT, "noop");
	put_qdisc(bytes, 4, TC_H_ROOT, "noqueue");
	put_qdisc(bytes, 9, TC_H_ROOT, "htb");
}

static void test_netlink(void **state)
{
	static struct bytes bytes;
	struct host host = {.interface_count = 0};
	int index[HOST_INTERFACES_MAX] = {0};
	(void)state;
	fill_example(&bytes);
	assert_true(qdisc_netlink_take(&host, index, true, bytes.data, bytes.used));
	assert_int_equal(host.interface_count, 2);
	assert_string_equal(host.interfaces[0].name, "eth0");
	assert_string_equal(host.interfaces[0].qdisc, "mq");
	assert_string_equal(host.interfaces[0].leaf_qdisc, "fq_codel");
	assert_int_equal(host.interfaces[0].mtu, 1500);
	assert_int_equal(host.interfaces[0].tx_queues, 8);
	assert_true(host.interfaces[0].up);
	assert_string_equal(host.interfaces[1].name, "veth0");
	assert_string_equal(host.interfaces[1].qdisc, "noqueue");
	/* The end of an answer. */
	bytes.used = 0;
	begin_message(&bytes, NLMSG_DONE, "\0\0\0", 4);
	put_qdisc(&bytes, 2, TC_H_ROOT, "htb");
	assert_false(qdisc_netlink_take(&host, index, true, bytes.data, bytes.used));
	assert_string_equal(host.interfaces[0].qdisc, "mq");
}

/* Only what the host has is filled in; nothing that is known is lost. */
static void test_netlink_known_interfaces(void **state)
{
	static struct bytes bytes;
	struct host host = {.interface_count = 1};
	int index[HOST_INTERFACES_MAX] = {0};
	(void)state;
	strlcpy(host.interfaces[0].name, "veth0", sizeof(host.interfaces[0].name));
	host.interfaces[0].speed_bps = 10000000000;
	fill_example(&bytes);
	qdisc_netlink_take(&host, index, false, bytes.data, bytes.used);
	assert_int_equal(host.interface_count, 1);
	assert_string_equal(host.interfaces[0].qdisc, "noqueue");
	assert_true(host.interfaces[0].speed_bps == 10000000000);
}

/* Cut anywhere, and with any length field: nothing outside is read (the sanitizers watch). */
static void test_netlink_damaged(void **state)
{
	static struct bytes bytes;
	(void)state;
	fill_example(&bytes);
	for (size_t cut = 0; cut < bytes.used; cut++) {
		struct host host = {.interface_count = 0};
		int index[HOST_INTERFACES_MAX] = {0};
		char exact[4096];
		memcpy(exact, bytes.data, cut);
		qdisc_netlink_take(&host, index, true, exact, cut);
		assert_true(host.interface_count <= 2);
	}
	for (size_t at = 0; at < bytes.used; at++) {
		for (unsigned value = 0; value < 256; value += 5) {
			struct host host = {.interface_count = 0};
			int index[HOST_INTERFACES_MAX] = {0};
			char was = bytes.data[at];
			bytes.data[at] = (char)value;
			qdisc_netlink_take(&host, index, true, bytes.data, bytes.used);
			bytes.data[at] = was;
			for (unsigned i = 0; i < host.interface_count; i++)
				assert_non_null(memchr(host.interfaces[i].name, '\0', 16));
		}
	}
}

/* The kernel that this runs on answers; every machine has at most one loopback to pass over. */
static void test_this_machine(void **state)
{
	struct host host = {.interface_count = 0};
	(void)state;
	/* qemu's user emulation does not translate the question */
	if (getenv("EMULATOR"))
		skip();
	assert_true(host_read_qdiscs(&host));
	for (unsigned i = 0; i < host.interface_count; i++) {
		print_message("%s %s\n", host.interfaces[i].name, host.interfaces[i].qdisc);
		assert_true(host.interfaces[i].qdisc[0] != '\0');
		assert_string_not_equal(host.interfaces[i].name, "lo");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_many_interfaces),
	    cmocka_unit_test(test_netlink),
	    cmocka_unit_test(test_netlink_known_interfaces),
	    cmocka_unit_test(test_netlink_damaged),
	    cmocka_unit_test(test_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
