#include "apply/persist.h"

#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apply/plan_check.h"
#include "apply/refusal.h"
#include "apply/override.h"
#include "base/quote.h"

/* The first words of every file that bdp writes: without them it is somebody else's. */
static const char mark[] = "# Written by bdp ";

struct text {
	FILE *stream;
	char *bytes;
	size_t length;
};

static void text_begin(struct text *text)
{
	text->stream = open_memstream(&text->bytes, &text->length);
	if (text->stream == NULL)
		err(1, NULL);
}

static void text_end(struct text *text, struct persist_file *file)
{
	if (fclose(text->stream) != 0)
		err(1, NULL);
	file->text = text->bytes;
	file->length = text->length;
}

#define COMMENT_WIDTH 96

/* Comments have lines of their own: sysctl.d(5) has none behind a value. */
static void put_comment(FILE *stream, const char *text)
{
	char safe[1000];
	quote_text(text, safe, sizeof(safe));
	for (const char *at = safe; *at != '\0';) {
		size_t length = strlen(at);
		if (length > COMMENT_WIDTH) {
			length = COMMENT_WIDTH;
			while (length > 0 && at[length] != ' ')
				length--;
			if (length == 0)
				length = COMMENT_WIDTH;
		}
		fprintf(stream, "# %.*s\n", (int)length, at);
		at += length;
		at += strspn(at, " ");
	}
}

static void put_header(FILE *stream, const struct persist_request *request)
{
	char when[32];
	time_t now = (time_t)request->now_s;
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &utc);
	/* The maker is "bdp VERSION". */
	fprintf(stream, "# Written by %s on %s UTC.\n", request->maker, when);
	fprintf(stream,
	    "# 'bdp rollback' takes it back until the next boot; after that, remove this file.\n");
}

static bool path_is_good(const char *path, char *why, size_t size)
{
	const char *problem = NULL;
	if (path[0] != '/')
		problem = "it must be an absolute path";
	else if (strcmp(path, "/-") == 0)
		problem = "'-' stands for no file in a journal; name another";
	else if (strlen(path) >= JOURNAL_PATH_MAX)
		problem = "the path is too long";
	for (const char *at = path; *at != '\0' && problem == NULL; at++)
		if (iscntrl((unsigned char)*at))
			problem = "it has a control character in it";
	for (const char *part = path; problem == NULL && *part == '/';) {
		size_t length = strcspn(++part, "/");
		if (length == 0 || (length <= 2 && strncmp(part, "..", length) == 0))
			problem = "every part of the path must be a plain name";
		part += length;
	}
	if (problem != NULL)
		snprintf(why, size, "cannot persist to %s: %s", quoted(path), problem);
	return problem == NULL;
}

/* Reads what is there. */
static bool read_old(
    struct persist_file *file, const struct tree *tree, const char *path, char *why, size_t size)
{
	static char text[PERSIST_FILE_MAX];
	strlcpy(file->path, path, sizeof(file->path));
	const char *name;
	int dir = backend_open_directory(tree, path, &name);
	ssize_t length = -1;
	bool absent = false;
	struct stat status = {.st_mode = 0};
	if (dir >= 0) {
		length = tree_read(tree, dir, name, false, text, sizeof(text));
		absent = length < 0 && errno == ENOENT;
		if (length >= 0 && tree->io->stat_at(dir, name, &status) != 0)
			length = -1;
		close_quietly(dir);
	}
	if (absent)
		return true;
	if (length < 0) {
		snprintf(why, size, "%s/%s: %s%s", tree->name, path, strerror(errno),
		    dir < 0 && errno == ENOENT
			? " (the directory is missing: nothing reads it at boot here)"
			: "");
		return false;
	}
	file->existed = true;
	file->old_mode = status.st_mode & 07777;
	file->old_length = (size_t)length;
	file->old_text = strdup(text);
	if (file->old_text == NULL)
		err(1, NULL);
	return true;
}

/* False with the reason when the file may not be replaced. */
static bool is_ours(const struct persist_file *file, char *why, size_t size)
{
	if (!file->existed || (strncmp(file->old_text, mark, sizeof(mark) - 1) == 0 &&
				  strlen(file->old_text) == file->old_length))
		return true;
	snprintf(why, size,
	    "/%s: bdp did not write it and leaves it alone: move it away, or name another with "
	    "--persist=FILE",
	    file->path);
	return false;
}

/* Which setting of the plan has this key, or setting_count. */
static size_t chosen_of(const struct persist_request *request, enum tunable_id id)
{
	size_t i = 0;
	while (i < request->plan->setting_count &&
	       (!request->chosen[i] || request->plan->settings[i].id != id))
		i++;
	return i;
}

/*
 * Goes over the old file: what the plan does not set is kept with the comments above it.  Counts
 * what is there already as the plan wants it.  False when it holds anything that bdp does not
 * write.
 */
static bool merge_old(const struct persist_request *request, const struct persist_file *file,
    FILE *kept, size_t *same, char *why, size_t size)
{
	const struct plan *plan = request->plan;
	bool is_same[PLAN_SETTINGS_MAX] = {false};
	char *copy = strdup(file->old_text), *rest = copy;
	if (copy == NULL)
		err(1, NULL);
	const char *block = file->old_text; /* where the comments of the next setting begin */
	unsigned number = 0;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		const char *end = rest != NULL ? file->old_text + (rest - copy)
					       : file->old_text + file->old_length;
		struct sysctl_line cut = sysctl_line_cut(line);
		number++;
		if (cut.kind == SYSCTL_BLANK)
			block = end;
		if (cut.kind == SYSCTL_BLANK || cut.kind == SYSCTL_COMMENT)
			continue;
		struct setting old = {
		    .id = cut.kind == SYSCTL_SETTING ? tunable_find(cut.key) : TUNABLE_COUNT};
		char problem[200] = "not a setting that bdp knows";
		if (old.id == TUNABLE_COUNT ||
		    !tunable_value_parse(old.id, cut.value, &old.value) ||
		    !setting_check(&old, problem, sizeof(problem))) {
			snprintf(why, size,
			    "/%s: line %u is not bdp's (%s): it was edited; move the file away",
			    file->path, number, problem);
			free(copy);
			return false;
		}
		size_t i = chosen_of(request, old.id);
		if (i < plan->setting_count)
			is_same[i] =
			    tunable_value_equal(old.id, &old.value, &plan->settings[i].value);
		else
			fprintf(kept, "\n%.*s", (int)(end - block), block);
		block = end;
	}
	free(copy);
	*same = 0;
	for (size_t i = 0; i < plan->setting_count; i++)
		*same += is_same[i];
	return true;
}

static size_t chosen_count(const struct persist_request *request)
{
	size_t count = 0;
	for (size_t i = 0; i < request->plan->setting_count; i++)
		count += request->chosen[i];
	return count;
}

/* Each with the numbers that it comes from, and the value to go back to when no journal is left. */
static void put_settings(FILE *stream, const struct persist_request *request)
{
	char value[220];
	for (size_t i = 0; i < request->plan->setting_count; i++) {
		const struct setting *setting = &request->plan->settings[i];
		if (!request->chosen[i])
			continue;
		fputc('\n', stream);
		put_comment(stream, setting->why);
		if (request->current[i].known)
			fprintf(stream, "# before: %s\n",
			    tunable_value_text(
				setting->id, &request->current[i], value, sizeof(value)));
		fprintf(stream, "%s = %s\n", tunables[setting->id].key,
		    tunable_value_text(setting->id, &setting->value, value, sizeof(value)));
	}
}

static bool prepare_sysctl(
    struct persist_file *file, const struct persist_request *request, char *why, size_t size)
{
	if (!read_old(file, request->tree, request->path + 1, why, size) ||
	    !is_ours(file, why, size))
		return false;
	struct text text;
	size_t same = 0;
	text_begin(&text);
	put_header(text.stream, request);
	put_settings(text.stream, request);
	bool good = !file->existed || merge_old(request, file, text.stream, &same, why, size);
	text_end(&text, file);
	file->change = good && same < chosen_count(request);
	return good;
}

/* ---- modules-load.d ---- */

/* One name a line: modules-load.d(5). */
static bool names_line(const char *text, const char *name)
{
	size_t length = strlen(name);
	for (const char *line = text; line != NULL && *line != '\0';) {
		if (strncmp(line, name, length) == 0 &&
		    (line[length] == '\n' || line[length] == '\0'))
			return true;
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return false;
}

static void put_old_modules(FILE *stream, const struct persist_file *file)
{
	const char *line = file->existed ? file->old_text : NULL;
	while (line != NULL && *line != '\0') {
		size_t length = strcspn(line, "\n");
		if (length > 0 && line[0] != '#' && line[0] != ';')
			fprintf(stream, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

static bool prepare_modules(struct persist_file *file, const struct persist_request *request,
    const char names[][32], size_t count, char *why, size_t size)
{
	if (!read_old(file, request->tree, PERSIST_MODULES, why, size))
		return false;
	struct text text;
	text_begin(&text);
	put_header(text.stream, request);
	put_old_modules(text.stream, file);
	for (size_t i = 0; i < count; i++) {
		if (file->existed && names_line(file->old_text, names[i]))
			continue;
		fprintf(text.stream, "%s\n", names[i]);
		file->change = true;
	}
	text_end(&text, file);
	/* Whoever wrote it, it may say what is needed already. */
	return !file->change || is_ours(file, why, size);
}

/* What has to be named in modules-load.d for the values to hold at boot. */
static size_t needed_modules(
    const struct persist_request *request, char names[][32], size_t max, struct outcome *outcome)
{
	size_t count = 0;
	for (size_t i = 0; i < request->plan->setting_count && count < max; i++) {
		const struct setting *setting = &request->plan->settings[i];
		if (!request->chosen[i])
			continue;
		const char *name = module_of(setting->id, &setting->value, names[count], 32);
		enum module_kind kind =
		    name[0] != '\0' ? module_kind(request->tree, name) : MODULE_BUILT_IN;
		if (kind == MODULE_LOADED || kind == MODULE_LOADABLE)
			count++;
		else if (kind == MODULE_UNKNOWN)
			outcome_note(outcome,
			    "whether %s is a module or built in cannot be told here: if it is one, see that "
			    "it is loaded at boot",
			    name);
	}
	return count;
}

/* ---- what is read later ---- */

#define OVERRIDES_MAX 12

static void note_override(
    const struct override *override, const struct persist_request *request, struct outcome *outcome)
{
	if (override->id == TUNABLE_COUNT)
		outcome_note(outcome, "%s has the same name and is read instead of %s at boot",
		    override->path, request->path);
	else if (override->old_style)
		outcome_note(outcome,
		    "%s line %u sets %s to '%s': sysctl -p and sysctl --system read it after %s; "
		    "systemd-sysctl does so only through a link 99-sysctl.conf, which Debian 13 has not",
		    override->path, override->line, tunables[override->id].key, override->value,
		    request->path);
	else
		outcome_note(outcome,
		    "%s line %u sets %s to '%s' after %s at boot: that value wins", override->path,
		    override->line, tunables[override->id].key, override->value, request->path);
}

static void note_tuned(const struct override *override, const struct tuned *tuned,
    const struct persist_request *request, struct outcome *outcome)
{
	if (tuned->rereads)
		outcome_note(outcome,
		    "tuned's profile %s sets %s to '%s' (%s line %u), and then reads sysctl.d again "
		    "(reapply_sysctl): %s holds",
		    tuned->profile, tunables[override->id].key, override->value, override->path,
		    override->line, request->path);
	else
		outcome_note(outcome,
		    "tuned's profile %s sets %s to '%s' (%s line %u) after sysctl.d, and does not read "
		    "that again (reapply_sysctl = 0): that value wins; set it in a profile of your own",
		    tuned->profile, tunables[override->id].key, override->value, override->path,
		    override->line);
}

/* Where tuned reads again is /etc/sysctl.d and /run/sysctl.d alone. */
static void note_all_of_tuned(struct persist *persist, const struct persist_request *request,
    const struct tunable_value wanted[TUNABLE_COUNT], struct outcome *outcome)
{
	struct override found[OVERRIDES_MAX];
	struct tuned tuned;
	size_t count = tuned_find(request->tree, wanted, &tuned, found, OVERRIDES_MAX);
	if (strncmp(request->path, "/etc/", 5) != 0 && strncmp(request->path, "/run/", 5) != 0)
		tuned.rereads = false;
	for (size_t i = 0; i < count && i < OVERRIDES_MAX; i++)
		note_tuned(&found[i], &tuned, request, outcome);
	if (count > 0 && !tuned.rereads)
		persist->overridden = true;
}

static void note_overrides(
    struct persist *persist, const struct persist_request *request, struct outcome *outcome)
{
	struct tunable_value wanted[TUNABLE_COUNT] = {0};
	for (size_t i = 0; i < request->plan->setting_count; i++)
		if (request->chosen[i])
			wanted[request->plan->settings[i].id] = request->plan->settings[i].value;
	struct override found[OVERRIDES_MAX];
	size_t count = override_find(
	    request->tree, request->path + 1, wanted, found, OVERRIDES_MAX, &persist->overridden);
	for (size_t i = 0; i < count && i < OVERRIDES_MAX; i++)
		note_override(&found[i], request, outcome);
	if (count > OVERRIDES_MAX)
		outcome_note(outcome, "and %zu more lines read later", count - OVERRIDES_MAX);
	note_all_of_tuned(persist, request, wanted, outcome);
}

bool persist_prepare(struct persist *persist, const struct persist_request *request,
    struct outcome *outcome, char *why, size_t size)
{
	*persist = (struct persist){0};
	if (!path_is_good(request->path, why, size))
		return false;
	bool at_boot = override_is_read_at_boot(request->path + 1);
	/* A file that is believed to hold, and does not, is worse than none. */
	if (at_boot && request->boot_problem[0] != '\0') {
		snprintf(why, size, "%s", request->boot_problem);
		return false;
	}
	persist->count = 1;
	if (!prepare_sysctl(&persist->files[0], request, why, size))
		return false;
	char names[PLAN_SETTINGS_MAX][32];
	size_t count = needed_modules(request, names, PLAN_SETTINGS_MAX, outcome);
	struct stat status;
	if (at_boot && count > 0 &&
	    request->tree->io->stat_at(request->tree->root, "etc/modules-load.d", &status) != 0) {
		outcome_note(outcome,
		    "there is no /etc/modules-load.d here: see that %s is loaded at boot",
		    names[0]);
	} else if (at_boot && count > 0) {
		persist->count = 2;
		if (!prepare_modules(
			&persist->files[1], request, (const char(*)[32])names, count, why, size))
			return false;
	}
	if (at_boot)
		note_overrides(persist, request, outcome);
	else
		outcome_note(outcome,
		    "%s is not read at boot: that needs a name ending in .conf in /etc/sysctl.d",
		    request->path);
	return true;
}

void persist_free(struct persist *persist)
{
	for (size_t i = 0; i < JOURNAL_FILES_MAX; i++) {
		free(persist->files[i].old_text);
		free(persist->files[i].text);
	}
	*persist = (struct persist){0};
}
