#include "evidence/host.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <err.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* Keys that are facts of the host without being tunables. */
#define KEY_RELEASE "kernel.osrelease"
#define KEY_HOSTNAME "kernel.hostname"
#define PROC_SYS "/proc/sys/"

/* A namespace's listing has about 20 of our net.ipv4 keys; a sysctl.d file or a grep has a few, and
 * says nothing by what it leaves out. */
#define LISTING_KEYS_MIN 10

#define KEY_MAX 80
/* Keys whose values are awaited, of one command such as `cat A B C`. */
#define AWAITED_MAX 8
#define FILE_MAX 48

struct reader {
	struct host *host;
	uint64_t line_number, taken;
	char file[FILE_MAX];		     /* that grep says the line is of; "" for none */
	char files[TUNABLE_COUNT][FILE_MAX]; /* whose value stands */
	char awaited[AWAITED_MAX][KEY_MAX];  /* of cat or sysctl -n, in order */
	unsigned awaited_count, awaited_next;
	char named[KEY_MAX]; /* of YAML's "name: KEY", whose value is on another line */
	bool quotes;	     /* in a section of tuned.conf, where quotes are no part of the value */
};

/* Removes blanks at both ends, in place; returns the new start. */
static char *trim(char *text)
{
	char *start = text + strspn(text, " \t\r");
	size_t length = strlen(start);

	while (length > 0 && strchr(" \t\r", start[length - 1]) != NULL)
		start[--length] = '\0';
	return start;
}

/* Takes off what YAML and tuned.conf put around a value: a comma or a brace behind it, and quotes. */
static char *unquote(char *text)
{
	char *start = trim(text);
	size_t length = strlen(start);

	while (length > 0 && strchr(" ,}\t", start[length - 1]) != NULL)
		start[--length] = '\0';
	if (length >= 2 && (start[0] == '"' || start[0] == '\'') && start[length - 1] == start[0]) {
		start[length - 1] = '\0';
		start++;
	}
	return trim(start);
}

/* ---- keys and values -------------------------------------------------------------------------- */

/* sysctl --system reads files in the order of their names, whatever the directory, and sysctl.conf last
 * (sysctl(8)); lines without a file's name are in the order in which they stand. */
static bool file_is_earlier(const char *file, const char *standing)
{
	bool last = strcmp(file, "sysctl.conf") == 0,
	     standing_last = strcmp(standing, "sysctl.conf") == 0;

	if (file[0] == '\0' || standing[0] == '\0')
		return false;
	return last != standing_last ? standing_last : strcmp(file, standing) < 0;
}

static void not_understood(struct reader *reader, enum tunable_id id)
{
	struct dump_notes *notes = &reader->host->dump;

	if (notes->not_understood++ == 0) {
		notes->first_line = reader->line_number;
		notes->first_id = id;
	}
}

/* Takes one key and its value; true when the key is one of ours, whatever its value. */
static bool pair_take(struct reader *reader, const char *key, const char *value)
{
	struct host *host = reader->host;
	struct tunable_value read;

	if (strcmp(key, KEY_RELEASE) == 0 || strcmp(key, "kernel/osrelease") == 0) {
		reader->taken += kernel_version_parse(value, &host->kernel);
		return true;
	}
	if (strcmp(key, KEY_HOSTNAME) == 0 || strcmp(key, "kernel/hostname") == 0) {
		quote_text(value, host->name, sizeof(host->name));
		return true;
	}
	enum tunable_id id = tunable_find(key);
	if (id == TUNABLE_COUNT)
		return false;
	/* one that the kernel would refuse changes nothing */
	if (!tunable_value_parse(id, value, &read)) {
		not_understood(reader, id);
		return true;
	}
	reader->taken++;
	/* a later line wins, as in sysctl.d(5) */
	if (file_is_earlier(reader->file, reader->files[id]))
		return true;
	host->values[id] = read;
	strlcpy(reader->files[id], reader->file, sizeof(reader->files[id]));
	return true;
}

/* The setting that a text begins with, as a key or below /proc/sys; its length, 0 when there is none. */
static size_t key_at(const char *text, char key[KEY_MAX])
{
	size_t skip = strncmp(text, PROC_SYS, strlen(PROC_SYS)) == 0 ? strlen(PROC_SYS) : 0;
	size_t length = strspn(text + skip, "abcdefghijklmnopqrstuvwxyz0123456789_./");

	if (length == 0 || length >= KEY_MAX)
		return 0;
	memcpy(key, text + skip, length);
	key[length] = '\0';
	return tunable_find(key) != TUNABLE_COUNT || strcmp(key, KEY_RELEASE) == 0 ? skip + length
										   : 0;
}

static void await(struct reader *reader, const char *key)
{
	if (reader->awaited_count < AWAITED_MAX)
		strlcpy(reader->awaited[reader->awaited_count++], key, KEY_MAX);
}

static void await_nothing(struct reader *reader)
{
	reader->awaited_count = reader->awaited_next = 0;
}

/* ---- commands --------------------------------------------------------------------------------- */

/* Cuts the next word of a shell command off *at, with its quotes; NULL at the end. */
static char *shell_word(char **at)
{
	char *start = *at + strspn(*at, " \t\r"), *to = start, *from = start;
	char quote = '\0';

	if (*start == '\0' || *start == '#' || *start == ';' || *start == '|' || *start == '&')
		return NULL;
	for (; *from != '\0' && (quote != '\0' || strchr(" \t\r;|&", *from) == NULL); from++) {
		if (quote == '\0' && (*from == '"' || *from == '\''))
			quote = *from;
		else if (quote != '\0' && *from == quote)
			quote = '\0';
		else
			*to++ = *from;
	}
	*at = from + (*from == ' ' || *from == '\t' || *from == '\r');
	*to = '\0';
	return start;
}

/* "sysctl -w k=4096 131072 20971520": without quotes the shell passes on the first number alone. */
static void unquoted_note(struct reader *reader, const char *word)
{
	struct dump_notes *notes = &reader->host->dump;
	enum tunable_id id = tunable_find(word);
	const char *value = strchr(word, '\0') + 1;
	struct tunable_value one;

	if (id == TUNABLE_COUNT || tunables[id].kind != TUNABLE_VECTOR3 ||
	    tunable_value_parse(id, value, &one) || value[strspn(value, "0123456789")] != '\0')
		return;
	/* it is understood, though not as it was meant */
	if (notes->unquoted++ == 0)
		notes->unquoted_id = id;
	uint64_t first;
	struct tunable_value *standing = &reader->host->values[id];
	if (standing->known && scan_uint(&value, &first) && first <= INT64_MAX)
		standing->number[0] = (int64_t)first;
}

/* "sysctl -w K=V K=V", "sysctl -n K", "docker run --sysctl K=V". */
static void words_take(struct reader *reader, char *rest)
{
	char key[KEY_MAX];
	bool values_only = false;

	for (char *word; (word = shell_word(&rest)) != NULL;) {
		if (strncmp(word, "--sysctl=", strlen("--sysctl=")) == 0)
			word += strlen("--sysctl=");
		char *separator = strchr(word, '=');
		if (word[0] == '-') {
			values_only = values_only || strchr(word, 'n') != NULL;
		} else if (separator == NULL) {
			if (values_only && key_at(word, key) == strlen(word))
				await(reader, key);
		} else {
			*separator = '\0';
			unsigned before = reader->host->dump.unquoted;
			unquoted_note(reader, word);
			if (reader->host->dump.unquoted == before)
				pair_take(reader, word, separator + 1);
		}
	}
}

/* `cat /proc/sys/net/ipv4/tcp_rmem ...`: the values are on the lines that follow. */
static void cat_take(struct reader *reader, char *rest)
{
	char key[KEY_MAX];

	for (char *word; (word = shell_word(&rest)) != NULL;)
		if (key_at(word, key) > 0)
			await(reader, key);
}

/* `echo "4096 131072 20971520" > /proc/sys/net/ipv4/tcp_rmem`. */
static void echo_take(struct reader *reader, char *rest)
{
	char *into = strstr(rest, PROC_SYS), *arrow = strchr(rest, '>'), key[KEY_MAX];

	if (into == NULL || arrow == NULL || arrow > into || key_at(into, key) == 0)
		return;
	*arrow = '\0';
	pair_take(reader, key, unquote(rest));
}

/* Past a prompt: "$ ", "user@host:~$ ", "[root@host ~]# ", "root@host:~# ".  A bare "# " is a comment's, too. */
static char *skip_prompt(char *line)
{
	char *end = line + strcspn(line, "$#");
	size_t length = (size_t)(end - line);

	if (*end == '\0' || end[1] != ' ' || length > 60)
		return line;
	if (length == 0 && *end == '#')
		return line;
	if (length > 0 && memchr(line, '@', length) == NULL && line[0] != '[')
		return line;
	return trim(end + 1);
}

/* True when the line is a command of these. */
static bool command_line(struct reader *reader, char *line)
{
	static const char *const sysctls[] = {"sysctl ", "/sbin/sysctl ", "/usr/sbin/sysctl "};
	const char *at = line;

	scan_prefix(&at, "sudo ");
	char *command = line + (scan_blanks(at) - line);
	for (size_t i = 0; i < sizeof(sysctls) / sizeof(sysctls[0]); i++)
		if (strncmp(command, sysctls[i], strlen(sysctls[i])) == 0) {
			words_take(reader, command + strlen(sysctls[i]));
			return true;
		}
	if (strncmp(command, "cat ", 4) == 0) {
		cat_take(reader, command + 4);
		return true;
	}
	if (strncmp(command, "echo ", 5) == 0) {
		echo_take(reader, command + 5);
		return true;
	}
	char *docker = strstr(command, "--sysctl");
	if (docker != NULL)
		words_take(reader, docker);
	return docker != NULL;
}

/* ---- lines of files and listings -------------------------------------------------------------- */

/* The value that a command before this line asked for. */
static bool awaited_line(struct reader *reader, const char *line)
{
	struct tunable_value value;

	if (reader->awaited_next >= reader->awaited_count)
		return false;
	const char *key = reader->awaited[reader->awaited_next++];
	enum tunable_id id = tunable_find(key);
	if (id != TUNABLE_COUNT && !tunable_value_parse(id, line, &value)) {
		await_nothing(reader);
		return false;
	}
	return pair_take(reader, key, line);
}

/* `grep . /proc/sys/net/ipv4/tcp_*` prints "path:value". */
static bool proc_line(struct reader *reader, char *line)
{
	char *separator = strchr(line, ':');

	if (strncmp(line, PROC_SYS, strlen(PROC_SYS)) != 0 || separator == NULL)
		return false;
	*separator = '\0';
	return pair_take(reader, trim(line + strlen(PROC_SYS)), trim(separator + 1));
}

/* "/etc/sysctl.d/99-x.conf:net.core.rmem_max=3276800" of grep: past the file's name, which is kept. */
static char *skip_file(struct reader *reader, char *line)
{
	char *colon = strchr(line, ':'), *slash, key[KEY_MAX];

	reader->file[0] = '\0';
	if (colon == NULL || strcspn(line, " \t=") < (size_t)(colon - line))
		return line;
	/* "file:12:key=value" of grep -n */
	char *rest = colon + 1 + strspn(colon + 1, "0123456789");
	rest = *rest == ':' ? rest + 1 : colon + 1;
	if (key_at(rest + strspn(rest, " \t-"), key) == 0)
		return line;
	*colon = '\0';
	slash = strrchr(line, '/');
	strlcpy(reader->file, slash != NULL ? slash + 1 : line, sizeof(reader->file));
	return trim(rest);
}

/*
 * "key = value" of sysctl -a, "key=value" and "-key = value" of sysctl.d(5).  Quotes are not taken
 * off: in a file they are part of the value, and the kernel refuses it.
 */
static bool equals_line(struct reader *reader, char *line)
{
	char *separator = strchr(line, '=');

	if (separator == NULL || memchr(line, ':', (size_t)(separator - line)) != NULL)
		return false;
	*separator = '\0';
	line += *line == '-';
	char *key = trim(line), *value = trim(separator + 1);
	if (pair_take(reader, key, reader->quotes ? unquote(value) : value))
		return true;
	*separator = '=';
	return false;
}

/* The text behind "name:" or "key:" or "value:", whichever word it is; NULL when it is not there. */
static char *behind(char *line, const char *word)
{
	char *at = strstr(line, word);

	if (at == NULL || (at > line && strchr(" \t{,-", at[-1]) == NULL))
		return NULL;
	return at + strlen(word) + strspn(at + strlen(word), " \t\"'");
}

/* Ansible's "name: KEY" and "value: V", on one line in braces or on two. */
static bool named_line(struct reader *reader, char *line)
{
	char *name = behind(line, "name:"), *value = behind(line, "value:"), key[KEY_MAX];

	if (name == NULL)
		name = behind(line, "key:");
	if (name != NULL && key_at(name, key) > 0)
		strlcpy(reader->named, key, sizeof(reader->named));
	if (value == NULL || reader->named[0] == '\0')
		return name != NULL;
	value[strcspn(value, "\"',}")] = '\0';
	pair_take(reader, reader->named, unquote(value));
	reader->named[0] = '\0';
	return true;
}

/* YAML: "net.core.rmem_max: 16777216", quoted or not. */
static bool colon_line(struct reader *reader, char *line)
{
	char key[KEY_MAX];
	char *start = line + strspn(line, "\"'{ ");
	size_t length = key_at(start, key);
	char *at = start + length + strspn(start + length, "\"' ");

	if (length == 0 || *at != ':')
		return false;
	return pair_take(reader, key, unquote(at + 1));
}

static void line_take(struct reader *reader, char *text)
{
	char *line = trim(text), *command = skip_prompt(line);
	bool comment = command == line && (line[0] == '#' || line[0] == ';');

	/* "# cat /proc/sys/..." is root's prompt; "# net.core.rmem_max = 1" is a comment */
	if (comment && strncmp(line, "# cat ", 6) == 0)
		command = line + 2;
	else if (comment)
		return;
	if (command != line || strncmp(command, "sudo ", 5) == 0)
		await_nothing(reader);
	if (command_line(reader, command) || command != line || awaited_line(reader, line))
		return;
	if (line[0] == '[') {
		reader->quotes = strncmp(line, "[sysctl]", strlen("[sysctl]")) == 0;
		return;
	}
	if (proc_line(reader, line))
		return;
	line = skip_file(reader, line);
	/* an item of a YAML list */
	if (line[0] == '-' && line[1] == ' ')
		line = unquote(line + 2);
	if (!equals_line(reader, line) && !colon_line(reader, line))
		named_line(reader, line);
}

static bool is_namespace(const struct host *host)
{
	unsigned known = 0;

	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		known += host->values[i].known && strncmp(tunables[i].key, "net.ipv4.", 9) == 0;
	return known >= LISTING_KEYS_MIN && !host->values[TUNABLE_TCP_MEM].known &&
	       !host->values[TUNABLE_TCP_MAX_ORPHANS].known;
}

static int lines_read(struct reader *reader, struct source *source)
{
	char buffer[1024];
	bool cut, first = true;
	int got;

	while ((got = source_line(source, buffer, sizeof(buffer), &cut)) > 0) {
		char *line = buffer;
		/* a byte order mark, from an editor */
		if (first && strncmp(line, "\xef\xbb\xbf", 3) == 0)
			line += 3;
		first = false;
		reader->line_number = source_line_number(source);
		/* no value of ours is that long: half of one would be wrong */
		if (!cut)
			line_take(reader, line);
	}
	return got;
}

bool host_read_dump(struct host *host, struct source *source, const char **why)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (reader == NULL)
		err(1, NULL);
	memset(host, 0, sizeof(*host));
	reader->host = host;
	int got = lines_read(reader, source);
	uint64_t taken = reader->taken;
	free(reader);
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	if (taken == 0 && host->dump.unquoted == 0) {
		errno = 0;
		*why = "no setting of TCP in it that has a usable value";
		return false;
	}
	host->origin = HOST_DUMP;
	host->in_namespace = is_namespace(host);
	if (host->name[0] == '\0')
		quote_text(source_name(source), host->name, sizeof(host->name));
	return true;
}
