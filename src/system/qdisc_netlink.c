#include "system/qdisc_netlink.h"

#include <bsd/string.h>
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/netlink.h"

/* What is being filled in, and the kernel's numbers of the interfaces in it. */
struct view {
	struct host *host;
	int *index;
	bool may_add;
};

static uint32_t take_number(struct netlink_span body)
{
	uint32_t number;
	return netlink_copy(body, &number, sizeof(number)) == sizeof(number) ? number : 0;
}

static struct interface *interface_named(const struct view *view, const char *name, int index)
{
	struct host *host = view->host;
	for (unsigned i = 0; i < host->interface_count; i++) {
		if (strcmp(host->interfaces[i].name, name) == 0) {
			view->index[i] = index;
			return &host->interfaces[i];
		}
	}
	if (!view->may_add || host->interface_count == HOST_INTERFACES_MAX)
		return NULL;
	struct interface *added = &host->interfaces[host->interface_count];
	view->index[host->interface_count++] = index;
	*added = (struct interface){0};
	strlcpy(added->name, name, sizeof(added->name));
	return added;
}

static struct interface *interface_numbered(const struct view *view, int index)
{
	for (unsigned i = 0; i < view->host->interface_count; i++)
		if (view->index[i] == index)
			return &view->host->interfaces[i];
	return NULL;
}

static void take_link(const struct view *view, struct netlink_span message)
{
	struct ifinfomsg link;
	char name[16] = "";
	uint32_t mtu = 0, queues = 0;
	unsigned type;
	struct netlink_span body;
	if (!netlink_header(&message, &link, sizeof(link)))
		return;
	while (netlink_attribute(&message, &type, &body)) {
		if (type == IFLA_IFNAME)
			netlink_text(body, name, sizeof(name));
		else if (type == IFLA_MTU)
			mtu = take_number(body);
		else if (type == IFLA_NUM_TX_QUEUES)
			queues = take_number(body);
	}
	bool up = (link.ifi_flags & IFF_UP) != 0;
	if (name[0] == '\0' || !up || (link.ifi_flags & IFF_LOOPBACK) != 0)
		return;
	struct interface *interface = interface_named(view, name, link.ifi_index);
	if (interface == NULL)
		return;
	interface->up = up;
	interface->mtu = mtu != 0 ? mtu : interface->mtu;
	interface->tx_queues = queues != 0 ? queues : interface->tx_queues;
}

/* No name of a qdisc; stands for children of more than one kind until the answer is complete. */
static const char mixed[] = "*";

static void take_qdisc(const struct view *view, struct netlink_span message)
{
	struct tcmsg tc;
	char kind[16] = "";
	unsigned type;
	struct netlink_span body;
	if (!netlink_header(&message, &tc, sizeof(tc)))
		return;
	while (netlink_attribute(&message, &type, &body))
		if (type == TCA_KIND)
			netlink_text(body, kind, sizeof(kind));
	struct interface *interface = interface_numbered(view, tc.tcm_ifindex);
	/* TC_H_CLSACT is the same number as TC_H_INGRESS: neither queues anything. */
	if (interface == NULL || kind[0] == '\0' || tc.tcm_parent == TC_H_INGRESS)
		return;
	if (tc.tcm_parent == TC_H_ROOT)
		strlcpy(interface->qdisc, kind, sizeof(interface->qdisc));
	else if (interface->leaf_qdisc[0] == '\0')
		strlcpy(interface->leaf_qdisc, kind, sizeof(interface->leaf_qdisc));
	else if (strcmp(interface->leaf_qdisc, kind) != 0)
		strlcpy(interface->leaf_qdisc, mixed, sizeof(interface->leaf_qdisc));
}

bool qdisc_netlink_take(struct host *host, int index[HOST_INTERFACES_MAX], bool may_add,
    const void *bytes, size_t length)
{
	struct view view = {.host = host, .index = index, .may_add = may_add};
	struct netlink_span span = {.at = bytes, .left = length}, body;
	struct nlmsghdr header;
	while (netlink_message(&span, &header, &body)) {
		if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR)
			return false;
		if (header.nlmsg_type == RTM_NEWLINK)
			take_link(&view, body);
		else if (header.nlmsg_type == RTM_NEWQDISC)
			take_qdisc(&view, body);
	}
	return true;
}

/* Everything of every interface: nothing but the type of the request is filled in. */
struct request {
	struct nlmsghdr header;
	union {
		struct ifinfomsg link;
		struct tcmsg qdisc;
	} body;
};

static bool ask(int fd, uint16_t type, size_t body)
{
	struct request request = {
	    .header = {.nlmsg_len = (uint32_t)NLMSG_LENGTH(body),
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	};
	return send(fd, &request, request.header.nlmsg_len, 0) == (ssize_t)request.header.nlmsg_len;
}

static bool dump(int fd, uint16_t type, size_t body, struct host *host, int *index, bool may_add)
{
	/* The kernel fills dumps into pieces of at most 32 KiB (net/netlink/af_netlink.c). */
	static _Alignas(struct nlmsghdr) char bytes[32768];
	if (!ask(fd, type, body))
		return false;
	for (;;) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		if (!qdisc_netlink_take(host, index, may_add, bytes, (size_t)got))
			return true;
	}
}

static void drop_mixed(struct host *host)
{
	for (unsigned i = 0; i < host->interface_count; i++)
		if (strcmp(host->interfaces[i].leaf_qdisc, mixed) == 0)
			host->interfaces[i].leaf_qdisc[0] = '\0';
}

bool host_read_qdiscs(struct host *host)
{
	int index[HOST_INTERFACES_MAX] = {0};
	bool may_add = host->interface_count == 0;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return false;
	for (unsigned i = 0; i < host->interface_count; i++)
		host->interfaces[i].leaf_qdisc[0] = '\0';
	bool good = dump(fd, RTM_GETLINK, sizeof(struct ifinfomsg), host, index, may_add) &&
		    dump(fd, RTM_GETQDISC, sizeof(struct tcmsg), host, index, may_add);
	drop_mixed(host);
	close(fd);
	return good;
}
