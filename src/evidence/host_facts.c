#include "evidence/host_facts.h"

#include <bsd/string.h>
#include <string.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* "Linux lb 6.1.0-57-cloud-amd64 #1 SMP ..." */
static bool uname_line(struct host *host, const char *line)
{
	char name[sizeof(host->name)], release[sizeof(host->kernel.release)];

	if (!scan_prefix(&line, "Linux ") || scan_word(&line, name, sizeof(name)) == 0)
		return false;
	line = scan_blanks(line);
	struct kernel_version kernel = {0};
	if (scan_word(&line, release, sizeof(release)) == 0 ||
	    !kernel_version_parse(release, &kernel))
		return false;
	host->kernel = kernel;
	quote_text(name, host->name, sizeof(host->name));
	return true;
}

static bool memory_line(struct host *host, const char *line)
{
	uint64_t kib;

	if (!scan_prefix(&line, "MemTotal:"))
		return false;
	line = scan_blanks(line);
	if (!scan_uint(&line, &kib) || kib > UINT64_MAX / 1024)
		return false;
	host->mem_total_bytes = kib * 1024;
	return true;
}

/* The word behind " mtu " or " qdisc ". */
static bool word_behind(const char *line, const char *name, char *word, size_t size)
{
	const char *at = strstr(line, name);

	if (!at)
		return false;
	at += strlen(name);
	return scan_word(&at, word, size) > 0;
}

/* "2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT ..." */
static bool link_line(struct host *host, const char *line)
{
	struct interface interface = {.up = strstr(line, "LOWER_UP") != NULL};
	char word[32];
	uint64_t number;

	if (!scan_uint(&line, &number) || !scan_prefix(&line, ": "))
		return false;
	size_t length = strcspn(line, ":@ ");
	if (length == 0 || length >= sizeof(interface.name) || strstr(line, "LOOPBACK") ||
	    !word_behind(line, " mtu ", word, sizeof(word)) ||
	    host->interface_count == HOST_INTERFACES_MAX)
		return false;
	memcpy(interface.name, line, length);
	scan_printable(interface.name);
	const char *digits = word;
	if (scan_uint(&digits, &number) && number <= UINT32_MAX)
		interface.mtu = (uint32_t)number;
	if (word_behind(line, " qdisc ", word, sizeof(word))) {
		strlcpy(interface.qdisc, word, sizeof(interface.qdisc));
		scan_printable(interface.qdisc);
	}
	host->interfaces[host->interface_count++] = interface;
	return true;
}

static bool page_size_line(struct host *host, const char *line)
{
	uint64_t size;

	/* a power of two from 4 KiB to 1 MiB */
	if (!scan_uint(&line, &size) || size < 4096 || size > 1U << 20 || (size & (size - 1)))
		return false;
	host->page_size = size;
	return true;
}

bool host_facts_read(struct host *host, const char *command, const char *text, size_t length)
{
	bool any = false, page = strstr(command, "PAGE") != NULL;
	char line[512];

	for (const char *at = text, *end = text + length; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);
		size_t kept = size < sizeof(line) ? size : sizeof(line) - 1;

		memcpy(line, at, kept);
		line[kept] = '\0';
		any = uname_line(host, line) || memory_line(host, line) || link_line(host, line) ||
		      (page && page_size_line(host, line)) || any;
		at += size + (stop != NULL);
	}
	return any;
}

void host_facts_join(struct host *host, const struct host *facts)
{
	if (!host->kernel.known)
		host->kernel = facts->kernel;
	if (host->mem_total_bytes == 0)
		host->mem_total_bytes = facts->mem_total_bytes;
	if (host->page_size == 0)
		host->page_size = facts->page_size;
	if (host->interface_count == 0) {
		memcpy(host->interfaces, facts->interfaces, sizeof(host->interfaces));
		host->interface_count = facts->interface_count;
	}
	if (host->origin == HOST_UNKNOWN) {
		host->origin = HOST_DUMP;
		memcpy(host->name, facts->name, sizeof(host->name));
	}
}
