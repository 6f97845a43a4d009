#include "evidence/host.h"

#include <bsd/string.h>
#include <errno.h>
#include <string.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* Keys that are facts of the host without being tunables. */
#define KEY_RELEASE "kernel.osrelease"
#define KEY_HOSTNAME "kernel.hostname"

/* A namespace's listing has about 20 of our net.ipv4 keys; a sysctl.d file or a grep has a few, and
 * says nothing by what it leaves out. */
#define LISTING_KEYS_MIN 10

/* Removes blanks at both ends, in place; returns the new start. */
static char *trim(char *text)
{
	char *start = text + strspn(text, " \t\r");
	size_t length = strlen(start);

	while (length > 0 && strchr(" \t\r", start[length - 1]) != NULL)
		start[--length] = '\0';
	return start;
}

/* Takes one key and its value; true when the key is one of ours. */
static bool pair_take(struct host *host, const char *key, const char *value)
{
	if (strcmp(key, KEY_RELEASE) == 0 || strcmp(key, "kernel/osrelease") == 0)
		return kernel_version_parse(value, &host->kernel);
	if (strcmp(key, KEY_HOSTNAME) == 0 || strcmp(key, "kernel/hostname") == 0) {
		quote_text(value, host->name, sizeof(host->name));
		return false;
	}
	enum tunable_id id = tunable_find(key);
	if (id == TUNABLE_COUNT)
		return false;
	/* a later line wins, as in sysctl.d(5); one that the kernel would refuse changes nothing */
	return tunable_value_parse(id, value, &host->values[id]);
}

/*
 * "key = value" of sysctl -a, "key=value" and "-key = value" of sysctl.d(5).  Quotes are not taken
 * off: in a file they are part of the value, and the kernel refuses it.
 */
static bool file_line(struct host *host, char *line)
{
	char *separator = strchr(line, '=');
	const char *root = "/proc/sys/";

	/* grep . /proc/sys/net/ipv4/tcp_* prints "path:value" */
	if (strncmp(line, root, strlen(root)) == 0) {
		line += strlen(root);
		separator = strchr(line, ':');
	}
	if (separator == NULL)
		return false;
	*separator = '\0';
	line += *line == '-';
	return pair_take(host, trim(line), trim(separator + 1));
}

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

/* "sudo sysctl -w net.ipv4.tcp_rmem="4096 131072 20971520" ..."; *taken counts what was. */
static bool command_line(struct host *host, char *line, unsigned *taken)
{
	const char *at = line;

	/* a prompt before a pasted command */
	if (scan_prefix(&at, "$ "))
		at = scan_blanks(at);
	if (scan_prefix(&at, "sudo "))
		at = scan_blanks(at);
	if (!scan_prefix(&at, "/sbin/sysctl ") && !scan_prefix(&at, "/usr/sbin/sysctl ") &&
	    !scan_prefix(&at, "sysctl "))
		return false;
	char *rest = line + (at - line);
	for (char *word; (word = shell_word(&rest)) != NULL;) {
		char *separator = strchr(word, '=');
		if (word[0] == '-' || separator == NULL)
			continue;
		*separator = '\0';
		*taken += pair_take(host, word, separator + 1);
	}
	return true;
}

static unsigned line_take(struct host *host, char *line)
{
	unsigned taken = 0;

	line = trim(line);
	if (command_line(host, line, &taken) || line[0] == '#' || line[0] == ';')
		return taken;
	return file_line(host, line) ? 1 : 0;
}

static bool is_namespace(const struct host *host)
{
	unsigned known = 0;

	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		known += host->values[i].known && strncmp(tunables[i].key, "net.ipv4.", 9) == 0;
	return known >= LISTING_KEYS_MIN && !host->values[TUNABLE_TCP_MEM].known &&
	       !host->values[TUNABLE_TCP_MAX_ORPHANS].known;
}

bool host_read_dump(struct host *host, struct source *source, const char **why)
{
	char buffer[1024];
	bool cut, first = true;
	uint64_t taken = 0;
	int got;

	memset(host, 0, sizeof(*host));
	while ((got = source_line(source, buffer, sizeof(buffer), &cut)) > 0) {
		char *line = buffer;
		/* a byte order mark, from an editor */
		if (first && strncmp(line, "\xef\xbb\xbf", 3) == 0)
			line += 3;
		first = false;
		/* no value of ours is that long: half of one would be wrong */
		if (!cut)
			taken += line_take(host, line);
	}
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	if (taken == 0) {
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
