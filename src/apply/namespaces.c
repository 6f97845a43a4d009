#include "apply/namespaces.h"

#include <bsd/stdlib.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	struct namespaces *found;
	const struct tree *tree;
	bool hidden; /* something could not be looked at */
};

bool namespaces_have(const struct namespaces *namespaces, uint64_t inode)
{
	for (size_t i = 0; i < namespaces->count; i++)
		if (namespaces->inodes[i] == inode)
			return true;
	return false;
}

void namespaces_free(struct namespaces *namespaces)
{
	free(namespaces->inodes);
	*namespaces = (struct namespaces){0};
}

static void add(struct namespaces *namespaces, uint64_t inode)
{
	if (namespaces_have(namespaces, inode))
		return;
	namespaces->inodes =
	    reallocarray(namespaces->inodes, namespaces->count + 1, sizeof(*namespaces->inodes));
	if (namespaces->inodes == NULL)
		err(1, NULL);
	namespaces->inodes[namespaces->count++] = inode;
}

/* A process that has ended meanwhile, or is a zombie, has none. */
static void look_at(const char *name, void *context)
{
	struct search *search = context;
	struct stat status;
	char path[64];
	if (name[strspn(name, "0123456789")] != '\0' || strlen(name) > 20)
		return;
	snprintf(path, sizeof(path), "proc/%s/ns/net", name);
	if (search->tree->io->stat_at(search->tree->root, path, &status) == 0)
		add(search->found, status.st_ino);
	else if (errno != ENOENT && errno != ESRCH)
		search->hidden = true;
}

/* Takes the number behind each "net:[" of /proc/self/mountinfo, where namespaces that a mount keeps
 * stand (fs/nsfs.c, ns_dname), in constant memory. */
static bool read_mounts(struct search *search)
{
	static const char word[] = "net:[";
	const struct tree *tree = search->tree;
	int fd = tree->io->open_linked(tree->root, "proc/self/mountinfo");
	size_t matched = 0;
	uint64_t number = 0;
	char bytes[4096];
	ssize_t got;
	if (fd < 0)
		return errno == ENOENT;
	while ((got = tree->io->read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			bool inside = matched == sizeof(word) - 1;
			if (inside && isdigit((unsigned char)bytes[i])) {
				number = number * 10 + (uint64_t)(bytes[i] - '0');
				continue;
			}
			if (inside)
				add(search->found, number);
			number = 0;
			if (inside || bytes[i] != word[matched])
				matched = bytes[i] == word[0];
			else
				matched++;
		}
	}
	close(fd);
	return got == 0;
}

bool namespaces_find(struct namespaces *namespaces, const struct tree *tree)
{
	struct search search = {.found = namespaces, .tree = tree};
	*namespaces = (struct namespaces){0};
	int dir = tree->io->open(tree->root, "proc", O_RDONLY | O_DIRECTORY, 0);
	bool good = dir >= 0 && tree_list(tree, dir, look_at, &search) && read_mounts(&search);
	if (dir >= 0)
		close(dir);
	if (good && !search.hidden)
		return true;
	namespaces_free(namespaces);
	return false;
}
