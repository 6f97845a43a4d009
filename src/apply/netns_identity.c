#include "apply/netns_identity.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "evidence/tunable.h"

bool netns_identity_read(struct netns_identity *netns, const struct tree *tree)
{
	*netns = (struct netns_identity){0};
	char text[64] = "";
	if (tree_read(
		tree, tree->root, "proc/sys/kernel/random/boot_id", true, text, sizeof(text)) < 0 &&
	    errno != ENOENT)
		return false;
	size_t length = 0;
	while (length < sizeof(netns->boot_id) - 1 &&
	       (isxdigit((unsigned char)text[length]) || text[length] == '-'))
		length++;
	memcpy(netns->boot_id, text, length);
	struct stat status;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &status) == 0)
		netns->netns = status.st_ino;
	else if (errno != ENOENT)
		return false;
	/* A recorded tree is one place, whatever namespace it is looked at from.  On the machine itself
	 * the first namespace, which alone has tcp_mem (net/ipv4/sysctl_net_ipv4.c), never ends. */
	netns->lasting = !tree->machine || tree->io->stat_at(tree->root,
					       tunables[TUNABLE_TCP_MEM].path, &status) == 0;
	if (tree->machine && tree->io->cookie(&netns->cookie) != 0)
		netns->cookie = 0;
	return true;
}

enum netns_identity_match netns_identity_compare(
    const struct netns_identity *recorded, const struct netns_identity *here)
{
	if (recorded->netns != here->netns || strcmp(recorded->boot_id, here->boot_id) != 0)
		return NETNS_OTHER;
	if (recorded->cookie != 0 && here->cookie != 0)
		return recorded->cookie == here->cookie ? NETNS_SAME : NETNS_OTHER;
	return here->lasting ? NETNS_SAME : NETNS_UNSURE;
}

enum netns_identity_boots netns_identity_is_boots(const struct tree *tree)
{
	struct stat self, first;
	if (tree->io->stat_at(tree->root, "proc/1/ns/net", &first) != 0)
		return !tree->machine && errno == ENOENT ? NETNS_BOOTS : NETNS_BOOTS_HIDDEN;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &self) != 0)
		return NETNS_BOOTS_HIDDEN;
	return self.st_ino == first.st_ino ? NETNS_BOOTS : NETNS_NOT_BOOTS;
}
