#include "evidence/sockstat.h"

#include <errno.h>
#include <string.h>

#include "evidence/scan.h"

/* The number behind a word: " orphan 5". */
static bool field_read(const char *line, const char *word, uint64_t *value)
{
	const char *at = strstr(line, word);

	if (at == NULL)
		return false;
	at = scan_blanks(at + strlen(word));
	return scan_uint(&at, value);
}

/* "TCP: inuse 0 orphan 5 tw 0 alloc 12 mem 217". */
static bool tcp_line(struct sockstat *sockstat, const char *line)
{
	uint64_t inuse, pages;

	if (!field_read(line, " inuse ", &inuse) || !field_read(line, " mem ", &pages))
		return false;
	sockstat->has |= SOCKSTAT_TCP;
	sockstat->inuse = inuse;
	sockstat->memory_pages = pages;
	if (field_read(line, " orphan ", &sockstat->orphans))
		sockstat->has |= SOCKSTAT_ORPHANS;
	if (field_read(line, " alloc ", &sockstat->allocated))
		sockstat->has |= SOCKSTAT_ALLOCATED;
	return true;
}

bool sockstat_line(struct sockstat *sockstat, const char *line)
{
	const char *at = scan_blanks(line);

	if (scan_prefix(&at, "TCP: inuse "))
		return tcp_line(sockstat, scan_blanks(line) + strlen("TCP:"));
	if (scan_prefix(&at, "TCP6: inuse ")) {
		if (!scan_uint(&at, &sockstat->inuse6))
			return false;
		sockstat->has |= SOCKSTAT_TCP6;
		return true;
	}
	/* a command that looks for the message is not the message */
	if (strstr(line, "grep") != NULL)
		return false;
	if (strstr(line, "TCP: out of memory") != NULL) {
		sockstat->out_of_memory++;
		return true;
	}
	if (strstr(line, "too many orphaned sockets") != NULL ||
	    strstr(line, "too many of orphaned sockets") != NULL) {
		sockstat->too_many_orphans++;
		return true;
	}
	return false;
}

bool sockstat_read(struct sockstat *sockstat, struct source *source, const char **why)
{
	char line[512];
	bool cut, any = false;
	int got;

	memset(sockstat, 0, sizeof(*sockstat));
	while ((got = source_line(source, line, sizeof(line), &cut)) > 0)
		any = sockstat_line(sockstat, line) || any;
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	if (!any) {
		errno = 0;
		*why = "no line of /proc/net/sockstat or of the kernel's log on TCP memory in it";
	}
	return any;
}

void sockstat_join(struct sockstat *into, const struct sockstat *more)
{
	unsigned missing = more->has & ~into->has;

	into->has |= missing;
	if (missing & SOCKSTAT_TCP) {
		into->inuse = more->inuse;
		into->memory_pages = more->memory_pages;
	}
	if (missing & SOCKSTAT_TCP6)
		into->inuse6 = more->inuse6;
	if (missing & SOCKSTAT_ORPHANS)
		into->orphans = more->orphans;
	if (missing & SOCKSTAT_ALLOCATED)
		into->allocated = more->allocated;
	into->out_of_memory += more->out_of_memory;
	into->too_many_orphans += more->too_many_orphans;
}
