#include "apply/place.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
	return true;
}

bool place_equal(const struct place *a, const struct place *b)
{
	return a->netns == b->netns && strcmp(a->boot_id, b->boot_id) == 0;
}

bool place_is_boots(const struct tree *tree)
{
	struct stat self, first;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &self) != 0 ||
	    tree->io->stat_at(tree->root, "proc/1/ns/net", &first) != 0)
		return true;
	return self.st_ino == first.st_ino;
}
