#include "apply/netns.h"

#include <bsd/stdlib.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evidence/tunable.h"

enum netns_identity_boots {
	NETNS_BOOTS,	   /* sysctl.d sets at boot what is set here */
	NETNS_NOT_BOOTS,   /* this network namespace is another than the first process's */
	NETNS_BOOTS_HIDDEN /* that cannot be told: errno */
};

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

static enum netns_identity_boots netns_identity_is_boots(const struct tree *tree)
{
	struct stat self, first;
	if (tree->io->stat_at(tree->root, "proc/1/ns/net", &first) != 0)
		return !tree->machine && errno == ENOENT ? NETNS_BOOTS : NETNS_BOOTS_HIDDEN;
	if (tree->io->stat_at(tree->root, "proc/self/ns/net", &self) != 0)
		return NETNS_BOOTS_HIDDEN;
	return self.st_ino == first.st_ino ? NETNS_BOOTS : NETNS_NOT_BOOTS;
}

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

/* include/linux/proc_ns.h, PROC_PID_INIT_INO: the first PID namespace has this inode on every kernel. */
#define FIRST_PID_NAMESPACE UINT64_C(0xEFFFFFFC)

/* What Docker, Podman and systemd's services leave in a container for such questions. */
static const char *const marks[] = {".dockerenv", "run/.containerenv", "run/systemd/container"};

enum answer { NO, YES, CANNOT_TELL };

static enum answer is_container(const struct tree *tree)
{
	struct stat status;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (tree->io->stat_at(tree->root, marks[i], &status) == 0)
			return YES;
		if (errno != ENOENT && errno != ENOTDIR)
			return CANNOT_TELL;
	}
	if (!tree->machine)
		return NO;
	if (tree->io->stat_at(tree->root, "proc/self/ns/pid", &status) != 0)
		return CANNOT_TELL;
	return status.st_ino != FIRST_PID_NAMESPACE ? YES : NO;
}

/* A container that boots like a machine (LXC, systemd-nspawn -b) has one of these as its first
 * process; others have their program there, or a small one that waits for it (tini, catatonit). */
static bool has_init(const struct tree *tree)
{
	static const char *const inits[] = {"systemd", "init", "openrc-init", "runit"};
	char name[32];
	if (tree_read(tree, tree->root, "proc/1/comm", true, name, sizeof(name)) <= 0)
		return false;
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(inits) / sizeof(inits[0]); i++)
		if (strcmp(name, inits[i]) == 0)
			return true;
	return false;
}

bool boot_reads(const struct tree *tree, const char *path, char *why, size_t size)
{
	switch (netns_identity_is_boots(tree)) {
	case NETNS_NOT_BOOTS:
		snprintf(why, size,
		    "this is a network namespace of its own: what is set here is not what %s "
		    "sets at boot",
		    path);
		return false;
	case NETNS_BOOTS_HIDDEN:
		snprintf(why, size,
		    "whether %s sets this network namespace at boot, or another, cannot be told "
		    "(/proc/1/ns/net: %s)",
		    path, strerror(errno));
		return false;
	case NETNS_BOOTS:
		break;
	}
	enum answer container = is_container(tree);
	if (container == NO || (container == YES && has_init(tree)))
		return true;
	if (container == CANNOT_TELL)
		snprintf(why, size,
		    "whether this is a container, in which nothing reads %s at boot, "
		    "cannot be told (%s)",
		    path, strerror(errno));
	else
		snprintf(why, size,
		    "this is a container: nothing reads %s in it at boot; write it on the host, or "
		    "start the container with --sysctl KEY=VALUE",
		    path);
	return false;
}
