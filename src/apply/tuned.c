#include "apply/tuned.h"

#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/sysctl_line.h"
#include "base/quote.h"

#define PROFILE_MAX 65536
/* Profiles that include each other, a chain at most so long. */
#define INCLUDES_MAX 8

static const char daemon_path[] = "usr/sbin/tuned";

/* In the order in which it looks: the administrator's, then the distribution's; with "profiles" since
 * tuned 2.23. */
static const char *const directories[] = {
    "etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned"};

struct search {
	const struct tree *tree;
	const struct tunable_value *wanted;
	struct override *found;
	size_t count, max;
	char include[256]; /* of the profile read last; "" for none */
};

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
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(path, 272, "%s/%s/tuned.conf", directories[i], name);
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
	if (search->count < search->max) {
		struct override *override = &search->found[search->count];
		*override = (struct override){.line = line, .id = id};
		snprintf(override->path, sizeof(override->path), "/%.270s", path);
		quote_text(bare_text, override->value, sizeof(override->value));
	}
	search->count++;
}

/* Sections in brackets; "include" is in [main], settings of the kernel in [sysctl]. */
static void look_into(struct search *search, const char *path, char *text)
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
		look_into(search, path, text);
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
