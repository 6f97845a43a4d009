#include "apply/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Looks for /NAME.ko (also .ko.xz and so on) at a line's path, in constant memory. */
static int list_has(const struct tree *tree, const char *path, const char *name)
{
	char wanted[64];
	int length = snprintf(wanted, sizeof(wanted), "/%s.ko", name);
	int fd = tree->io->open_linked(tree->root, path);
	if (fd < 0)
		return -1;
	/* Bytes of the wanted name matched so far; "/" only begins it, so no match is missed. */
	int matched = 0, found = 0;
	char bytes[8192];
	ssize_t got = 0;
	while (found == 0 && (got = tree->io->read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got && found == 0; i++) {
			matched = bytes[i] == wanted[matched] ? matched + 1 : bytes[i] == '/';
			found = matched == length;
		}
	}
	close(fd);
	return got < 0 ? -1 : found;
}

/* A module that is in has this file; code that is built in has at most the directory
 * (kernel/module/sysfs.c, kernel/params.c). */
static bool is_loaded(const struct tree *tree, const char *name)
{
	char path[96];
	struct stat status;
	snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	return tree->io->stat_at(tree->root, path, &status) == 0;
}

enum module_kind module_kind(const struct tree *tree, const char *name)
{
	if (is_loaded(tree, name))
		return MODULE_LOADED;
	char release[72], path[160];
	ssize_t length = tree_read(
	    tree, tree->root, "proc/sys/kernel/osrelease", true, release, sizeof(release));
	if (length <= 0)
		return MODULE_UNKNOWN;
	release[strcspn(release, "\n/")] = '\0';
	snprintf(path, sizeof(path), "lib/modules/%s/modules.builtin", release);
	int built_in = list_has(tree, path, name);
	if (built_in == 1)
		return MODULE_BUILT_IN;
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", release);
	int loadable = list_has(tree, path, name);
	if (loadable == 1)
		return MODULE_LOADABLE;
	return built_in == 0 && loadable == 0 ? MODULE_ABSENT : MODULE_UNKNOWN;
}

bool modules_are_supported(const struct tree *tree)
{
	struct stat status;
	return !tree->machine || tree->io->stat_at(tree->root, "proc/modules", &status) == 0 ||
	       errno != ENOENT;
}

/* net/ipv4/tcp_cong.c asks for "tcp_%s"; net/sched/sch_api.c for "net-sch-%s", an alias of sch_%s. */
const char *module_of(enum tunable_id id, const struct tunable_value *value, char *out, size_t size)
{
	out[0] = '\0';
	/* reno is part of TCP itself */
	if (id == TUNABLE_TCP_CONGESTION_CONTROL && strcmp(value->word, "reno") != 0)
		snprintf(out, size, "tcp_%s", value->word);
	/* net/sched/sch_generic.c and sch_fifo.c are always built in */
	if (id == TUNABLE_DEFAULT_QDISC && strcmp(value->word, "pfifo_fast") != 0 &&
	    strcmp(value->word, "pfifo") != 0 && strcmp(value->word, "bfifo") != 0)
		snprintf(out, size, "sch_%s", value->word);
	return out;
}
