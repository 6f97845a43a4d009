#include "apply/override.h"

#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/sysctl_line.h"
#include "base/quote.h"

/* In the order of sysctl.d(5): of two files of one name the first directory's is read. */
static const char *const directories[] = {
    "etc/sysctl.d",
    "run/sysctl.d",
    "usr/local/lib/sysctl.d",
    "usr/lib/sysctl.d",
    "lib/sysctl.d",
};
#define DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

#define FILES_MAX 256

struct conf {
	char name[128];
	size_t directory;
};

struct confs {
	struct conf items[FILES_MAX];
	size_t count, directory;
};

struct search {
	const struct tree *tree;
	const struct tunable_value *wanted;
	struct override *found;
	size_t count, max;
	bool other[TUNABLE_COUNT]; /* the last value so far is another */
};

static bool ends_in_conf(const char *name)
{
	size_t length = strlen(name);
	return length > 5 && strcmp(name + length - 5, ".conf") == 0;
}

static size_t directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash != NULL ? (size_t)(slash - path) : 0;
	for (size_t i = 0; i < DIRECTORIES; i++)
		if (strlen(directories[i]) == length && strncmp(path, directories[i], length) == 0)
			return i;
	return DIRECTORIES;
}

bool override_is_read_at_boot(const char *path)
{
	return directory_of(path) < DIRECTORIES && ends_in_conf(path);
}

static void collect(const char *name, void *context)
{
	struct confs *confs = context;
	if (!ends_in_conf(name) || strlen(name) >= sizeof(confs->items[0].name))
		return;
	for (size_t i = 0; i < confs->count; i++)
		if (strcmp(confs->items[i].name, name) == 0)
			return;
	if (confs->count == FILES_MAX)
		return;
	struct conf *conf = &confs->items[confs->count++];
	strlcpy(conf->name, name, sizeof(conf->name));
	conf->directory = confs->directory;
}

static int compare(const void *a, const void *b)
{
	const struct conf *left = a, *right = b;
	return strcmp(left->name, right->name);
}

static void collect_all(const struct tree *tree, struct confs *confs)
{
	confs->count = 0;
	for (confs->directory = 0; confs->directory < DIRECTORIES; confs->directory++) {
		int dir = tree->io->open_linked(tree->root, directories[confs->directory]);
		if (dir < 0)
			continue;
		tree_list(tree, dir, collect, confs);
		close(dir);
	}
	qsort(confs->items, confs->count, sizeof(confs->items[0]), compare);
}

static struct override *add(struct search *search, const char *path, unsigned line)
{
	static struct override spare;
	struct override *override =
	    search->count < search->max ? &search->found[search->count] : &spare;
	search->count++;
	*override = (struct override){.line = line, .id = TUNABLE_COUNT};
	snprintf(override->path, sizeof(override->path), "/%s", path);
	return override;
}

/* Keys with patterns are passed over: a key written out takes precedence (sysctl.d(5)). */
static void look_into(struct search *search, const char *path, bool old_style)
{
	static char text[65536];
	if (tree_read(search->tree, search->tree->root, path, true, text, sizeof(text)) < 0)
		return;
	unsigned number = 0;
	bool lasts = !old_style && strncmp(path, "run/", 4) != 0;
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		number++;
		struct sysctl_line cut = sysctl_line_cut(line);
		if (cut.kind != SYSCTL_SETTING)
			continue;
		enum tunable_id id = tunable_find(cut.key);
		struct tunable_value value;
		if (id == TUNABLE_COUNT || !search->wanted[id].known)
			continue;
		bool same = tunable_value_parse(id, cut.value, &value) &&
			    tunable_value_equal(id, &value, &search->wanted[id]);
		if (lasts)
			search->other[id] = !same;
		if (same)
			continue;
		struct override *override = add(search, path, number);
		override->id = id;
		override->old_style = old_style;
		quote_text(cut.value, override->value, sizeof(override->value));
	}
}

size_t override_find(const struct tree *tree, const char *path,
    const struct tunable_value wanted[TUNABLE_COUNT], struct override *found, size_t max,
    bool *wins)
{
	struct search search = {.tree = tree, .wanted = wanted, .found = found, .max = max};
	struct confs *confs = malloc(sizeof(*confs));
	if (confs == NULL)
		err(1, NULL);
	collect_all(tree, confs);
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	bool linked = false;
	bool last = false;
	for (size_t i = 0; i < confs->count; i++) {
		const struct conf *conf = &confs->items[i];
		char other[256];
		snprintf(other, sizeof(other), "%s/%s", directories[conf->directory], conf->name);
		linked = linked || strcmp(conf->name, "99-sysctl.conf") == 0;
		int order = strcmp(conf->name, name);
		if (order == 0 && conf->directory < directory_of(path)) {
			add(&search, other, 0);
			last = strncmp(other, "run/", 4) != 0;
		} else if (order > 0) {
			look_into(&search, other, false);
		}
	}
	for (unsigned id = 0; id < TUNABLE_COUNT; id++)
		last = last || search.other[id];
	free(confs);
	/* procps reads it last; systemd-sysctl only through a link of this name, which Debian 13 no
	 * longer has (sysctl.d(5), sysctl.conf(5)). */
	if (!linked)
		look_into(&search, "etc/sysctl.conf", true);
	if (wins != NULL)
		*wins = last;
	return search.count;
}
