#include "apply/override.h"

#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"

static const char blanks[] = " \t\r\n\f\v";

static char *trim(char *text)
{
	text += strspn(text, blanks);
	size_t length = strlen(text);
	while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
		length--;
	text[length] = '\0';
	return text;
}

struct sysctl_line sysctl_line_cut(char *line)
{
	struct sysctl_line cut = {.kind = SYSCTL_OTHER};
	char *text = trim(line);
	if (text[0] == '\0') {
		cut.kind = SYSCTL_BLANK;
		return cut;
	}
	if (text[0] == '#' || text[0] == ';') {
		cut.kind = SYSCTL_COMMENT;
		return cut;
	}
	char *equals = strchr(text, '=');
	if (equals == NULL)
		return cut;
	*equals = '\0';
	cut.optional = text[0] == '-';
	cut.key = trim(text + cut.optional);
	cut.value = trim(equals + 1);
	if (cut.key[0] != '\0')
		cut.kind = SYSCTL_SETTING;
	return cut;
}

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
	bool other[TUNABLE_COUNT]; /* sysctl.d: the last value so far is another */
	char include[256];	   /* tuned: of the profile read last; "" for none */
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

#define PROFILE_MAX 65536
/* Profiles that include each other, a chain at most so long. */
#define INCLUDES_MAX 8

static const char daemon_path[] = "usr/sbin/tuned";

/* In the order in which it looks: the administrator's, then the distribution's; with "profiles" since
 * tuned 2.23. */
static const char *const profile_directories[] = {
    "etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned"};

/* Names become parts of a path. */
static bool is_plain_name(const char *name)
{
	for (const char *at = name; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("._-", *at) == NULL)
			return false;
	return name[0] != '\0' && name[0] != '.';
}

static bool read_profile(
    const struct tree *tree, const char *name, char path[272], char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(profile_directories) / sizeof(profile_directories[0]); i++) {
		snprintf(path, 272, "%s/%s/tuned.conf", profile_directories[i], name);
		if (tree_read(tree, tree->root, path, true, text, size) >= 0)
			return true;
	}
	return false;
}

/* A value may stand in quotes. */
static char *bare(char *value)
{
	size_t length = strlen(value);
	if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
		value[length - 1] = '\0';
		value++;
	}
	return value;
}

static void take_setting(
    struct search *search, const char *path, unsigned line, const char *key, char *text)
{
	struct tunable_value value;
	char *bare_text = bare(text);
	enum tunable_id id = tunable_find(key);
	if (id == TUNABLE_COUNT || !search->wanted[id].known)
		return;
	if (tunable_value_parse(id, bare_text, &value) &&
	    tunable_value_equal(id, &value, &search->wanted[id]))
		return;
	struct override *override = add(search, path, line);
	override->id = id;
	quote_text(bare_text, override->value, sizeof(override->value));
}

/* Sections in brackets; "include" is in [main], settings of the kernel in [sysctl]. */
static void look_into_profile(struct search *search, const char *path, char *text)
{
	enum { OTHER, MAIN, SYSCTL } section = OTHER;
	unsigned number = 0;
	search->include[0] = '\0';
	for (char *line; (line = strsep(&text, "\n")) != NULL;) {
		number++;
		line += strspn(line, " \t");
		if (line[0] == '[') {
			section = strncmp(line, "[main]", 6) == 0     ? MAIN
				  : strncmp(line, "[sysctl]", 8) == 0 ? SYSCTL
								      : OTHER;
			continue;
		}
		struct sysctl_line cut = sysctl_line_cut(line);
		if (cut.kind != SYSCTL_SETTING)
			continue;
		if (section == MAIN && strcmp(cut.key, "include") == 0)
			strlcpy(search->include, cut.value, sizeof(search->include));
		else if (section == SYSCTL)
			take_setting(search, path, number, cut.key, (char *)(uintptr_t)cut.value);
	}
}

/* Of several names at one place the last counts most; each is followed to what it includes. */
static void look_at_profiles(struct search *search, const char *names, unsigned depth)
{
	char copy[256], include[256], path[272];
	char *text = malloc(PROFILE_MAX);
	if (text == NULL)
		err(1, NULL);
	strlcpy(copy, names, sizeof(copy));
	for (char *rest = copy, *name; (name = strsep(&rest, " ,;\t\r\n")) != NULL;) {
		if (!is_plain_name(name) ||
		    !read_profile(search->tree, name, path, text, PROFILE_MAX))
			continue;
		look_into_profile(search, path, text);
		strlcpy(include, search->include, sizeof(include));
		if (include[0] != '\0' && depth < INCLUDES_MAX)
			look_at_profiles(search, include, depth + 1);
	}
	free(text);
}

/* On unless the file says otherwise (tuned-main.conf(5)). */
static bool rereads_sysctl(const struct tree *tree)
{
	char text[16384];
	bool rereads = true;
	if (tree_read(tree, tree->root, "etc/tuned/tuned-main.conf", true, text, sizeof(text)) < 0)
		return rereads;
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		struct sysctl_line cut = sysctl_line_cut(line);
		if (cut.kind == SYSCTL_SETTING && strcmp(cut.key, "reapply_sysctl") == 0)
			rereads =
			    strcmp(cut.value, "0") != 0 && strcasecmp(cut.value, "false") != 0;
	}
	return rereads;
}

size_t tuned_find(const struct tree *tree, const struct tunable_value wanted[TUNABLE_COUNT],
    struct tuned *tuned, struct override *found, size_t max)
{
	struct search search = {.tree = tree, .wanted = wanted, .found = found, .max = max};
	char active[256];
	struct stat status;
	*tuned = (struct tuned){.rereads = true};
	/* What it leaves behind when it is removed does nothing. */
	if (tree->io->stat_at(tree->root, daemon_path, &status) != 0 ||
	    tree_read(tree, tree->root, "etc/tuned/active_profile", true, active, sizeof(active)) <=
		0)
		return 0;
	active[strcspn(active, "\n")] = '\0';
	quote_text(active, tuned->profile, sizeof(tuned->profile));
	tuned->rereads = rereads_sysctl(tree);
	look_at_profiles(&search, active, 0);
	return search.count;
}
