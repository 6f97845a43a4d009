#include "apply/place.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "evidence/tunable.h"

bool place_read(struct place *place, const struct tree *tree)
{
	*place = (struct place){0};
	char text[64] = "";
	if (tree_read(
		tree, tree->root, "proc/sys/kernel/random/boot_id", true, text, sizeof(text)) < 0 &&
	    errno != ENOENT)
		return false;
	size_t length = 0;
	while (length < sizeof(place->boot_id) - 1 &&
	       (isxdigit((unsigned char)text[length]) || text[length] == '-'))
		length++;
	memcpy(place->boot_id, text, length);
	struct stat status;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &status) == 0)
		place->netns = status.st_ino;
	else if (errno != ENOENT)
		return false;
	/* A recorded tree is one place, whatever namespace it is looked at from.  On the machine itself
	 * the first namespace, which alone has tcp_mem (net/ipv4/sysctl_net_ipv4.c), never ends. */
	place->lasting = !tree->machine || tree->io->stat_at(tree->root,
					       tunables[TUNABLE_TCP_MEM].path, &status) == 0;
	if (tree->machine && tree->io->cookie(&place->cookie) != 0)
		place->cookie = 0;
	return true;
}

enum place_match place_compare(const struct place *recorded, const struct place *here)
{
	if (recorded->netns != here->netns || strcmp(recorded->boot_id, here->boot_id) != 0)
		return PLACE_OTHER;
	if (recorded->cookie != 0 && here->cookie != 0)
		return recorded->cookie == here->cookie ? PLACE_SAME : PLACE_OTHER;
	return here->lasting ? PLACE_SAME : PLACE_UNSURE;
}

enum place_boots place_is_boots(const struct tree *tree)
{
	struct stat self, first;
	if (tree->io->stat_at(tree->root, "proc/1/ns/net", &first) != 0)
		return !tree->machine && errno == ENOENT ? PLACE_BOOTS : PLACE_BOOTS_HIDDEN;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &self) != 0)
		return PLACE_BOOTS_HIDDEN;
	return self.st_ino == first.st_ino ? PLACE_BOOTS : PLACE_NOT_BOOTS;
}
