#include "apply/boot.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apply/netns_identity.h"

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
