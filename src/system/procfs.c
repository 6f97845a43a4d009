#include "system/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bsd/string.h>
#include <err.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* The tree that facts are read below. */
struct root {
	int fd;
	bool live; /* this machine's own */
};

/* Opens a path below fd one component at a time and follows no symbolic link at all. */
static int walk(int fd, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int at = fd;

	for (;;) {
		size_t length = strcspn(path, "/");
		bool last = path[length] == '\0';
		if (length >= sizeof(part))
			return errno = ENAMETOOLONG, -1;
		memcpy(part, path, length);
		part[length] = '\0';
		int how = last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
		int next = openat(at, part, how | O_NOFOLLOW);
		int error = errno;
		if (at != fd)
			close(at);
		errno = error;
		if (last || next < 0)
			return next;
		at = next;
		path += length + 1;
	}
}

/*
 * Opens a path below the root.  A recorded tree may come from anybody: links in it are followed
 * only within it, as chroot would, and a FIFO or a device does not block.
 */
static int root_open(const struct root *root, const char *path, int flags)
{
	struct open_how how = {.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	flags |= O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	if (root->live)
		return openat(root->fd, path, flags);
	how.flags = (unsigned)flags;
	long fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
	/* before Linux 5.6, or in a container whose seccomp filter does not know it */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return walk(root->fd, path, flags);
	return (int)fd;
}

/* Reads up to size - 1 bytes of a regular file into text, terminated; their number, 0 when it
 * cannot be read.  NUL bytes end the text for those who look at it. */
static size_t file_read(const struct root *root, const char *path, char *text, size_t size)
{
	int fd = root_open(root, path, 0);
	struct stat status;
	size_t used = 0;

	text[0] = '\0';
	if (fd < 0)
		return 0;
	/* files of /proc and /sys are regular ones of size 0 or a page */
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		while (used < size - 1) {
			ssize_t got = read(fd, text + used, size - 1 - used);
			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				break;
			used += (size_t)got;
		}
	}
	close(fd);
	text[used] = '\0';
	return used;
}

/* A file that holds one number; false when it does not. */
static bool number_read(const struct root *root, const char *path, uint64_t *value)
{
	char text[64];
	const char *at = text;

	return file_read(root, path, text, sizeof(text)) > 0 && scan_uint(&at, value) &&
	       (*at == '\n' || *at == '\0');
}

/* The number behind a word at the start of a line: "MemTotal:       24683656 kB". */
static bool field_read(const char *text, const char *name, uint64_t *value)
{
	for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		const char *number = at;
		if (!scan_prefix(&number, name))
			continue;
		number = scan_blanks(number);
		return scan_uint(&number, value);
	}
	return false;
}

/* Every file below but those of interfaces is smaller than this, as far as it is looked at. */
#define TEXT_MAX 4096

static bool kernel_read(struct host *host, const struct root *root)
{
	char text[TEXT_MAX];
	struct utsname system;

	if (root->live && uname(&system) == 0 &&
	    kernel_version_parse(system.release, &host->kernel))
		return true;
	return file_read(root, "proc/sys/kernel/osrelease", text, sizeof(text)) > 0 &&
	       kernel_version_parse(text, &host->kernel);
}

/* MemTotal and the page size; the latter of a recorded tree from a mapping that was recorded. */
static bool memory_read(struct host *host, const struct root *root)
{
	char text[TEXT_MAX];
	uint64_t kib;

	if (root->live) {
		long size = sysconf(_SC_PAGESIZE);
		host->page_size = size > 0 ? (uint64_t)size : 0;
	} else if (file_read(root, "proc/self/smaps", text, sizeof(text)) > 0 &&
		   field_read(text, "KernelPageSize:", &kib) && kib > 0 && kib <= 1024) {
		host->page_size = kib * 1024;
	}
	if (file_read(root, "proc/meminfo", text, sizeof(text)) == 0 ||
	    !field_read(text, "MemTotal:", &kib) || kib > UINT64_MAX / 1024)
		return false;
	host->mem_total_bytes = kib * 1024;
	return true;
}

static bool tunables_read(struct host *host, const struct root *root)
{
	char text[TEXT_MAX];
	bool any = false, ipv4 = false;

	for (unsigned i = 0; i < TUNABLE_COUNT; i++) {
		if (file_read(root, tunables[i].path, text, sizeof(text)) == 0 ||
		    !tunable_value_parse((enum tunable_id)i, text, &host->values[i]))
			continue;
		any = true;
		ipv4 = ipv4 || strncmp(tunables[i].key, "net.ipv4.", 9) == 0;
	}
	host->in_namespace = ipv4 && !host->values[TUNABLE_TCP_MEM].known;
	return any;
}

static bool sockstat_of_host(struct host *host, const struct root *root)
{
	static const char *const paths[] = {"proc/net/sockstat", "proc/net/sockstat6"};
	char text[TEXT_MAX];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		file_read(root, paths[i], text, sizeof(text));
		for (char *line = text, *end; *line != '\0'; line = end) {
			end = line + strcspn(line, "\n");
			if (*end == '\n')
				*end++ = '\0';
			sockstat_line(&host->sockstat, line);
		}
	}
	return host->sockstat.has & SOCKSTAT_TCP;
}

/* /proc/net/netstat and snmp are some 5 KiB each. */
#define COUNTERS_MAX 65536

static bool counters_of_host(struct host *host, const struct root *root)
{
	char *text = malloc(2 * COUNTERS_MAX);
	if (text == NULL)
		err(1, NULL);
	size_t length = file_read(root, "proc/net/netstat", text, COUNTERS_MAX);
	text[length++] = '\n';
	length += file_read(root, "proc/net/snmp", text + length, COUNTERS_MAX);
	struct source *source = source_memory("/proc/net", text, length);
	bool any = counters_read(&host->counters, source);
	source_close(source);
	free(text);
	return any;
}

#define ARPHRD_LOOPBACK 772
/* Entries of /sys/class/net that are looked at: a host full of containers has thousands. */
#define ENTRIES_MAX 4096
/* Network cards have 128 queues and more; a count beyond this is no queue count. */
#define QUEUES_MAX 4096

static unsigned queues_count(const struct root *root, const char *path)
{
	int fd = root_open(root, path, O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	unsigned count = 0;

	if (directory == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *entry; count < QUEUES_MAX && (entry = readdir(directory)) != NULL;)
		count += strncmp(entry->d_name, "tx-", 3) == 0;
	closedir(directory);
	return count;
}

#define ATTRIBUTE_PATH_MAX 64

static void attribute_path(char path[ATTRIBUTE_PATH_MAX], const char *name, const char *attribute)
{
	snprintf(path, ATTRIBUTE_PATH_MAX, "sys/class/net/%.15s/%s", name, attribute);
}

/* Facts of one interface; false when it is the loopback, or none. */
static bool interface_read(const struct root *root, const char *name, struct interface *interface)
{
	char path[ATTRIBUTE_PATH_MAX], text[32];
	uint64_t value;

	memset(interface, 0, sizeof(*interface));
	strlcpy(interface->name, name, sizeof(interface->name));
	scan_printable(interface->name);
	attribute_path(path, name, "type");
	if (!number_read(root, path, &value) || value == ARPHRD_LOOPBACK)
		return false;
	attribute_path(path, name, "operstate");
	file_read(root, path, text, sizeof(text));
	/* "unknown" is what drivers without link state say, and means usable:
	 * Documentation/networking/operstates.rst */
	interface->up = strcmp(text, "up\n") == 0 || strcmp(text, "unknown\n") == 0;
	/* Mbit/s; -1, or 2^32 - 1 in old kernels, when the driver does not know */
	attribute_path(path, name, "speed");
	if (number_read(root, path, &value) && value < UINT32_MAX)
		interface->speed_bps = value * 1000000;
	attribute_path(path, name, "mtu");
	if (number_read(root, path, &value) && value <= UINT32_MAX)
		interface->mtu = (uint32_t)value;
	attribute_path(path, name, "queues");
	interface->tx_queues = queues_count(root, path);
	return true;
}

/* Order in the list: those that are up first, then those of known speed, then by name. */
static int interface_compare(const struct interface *a, const struct interface *b)
{
	if (a->up != b->up)
		return a->up ? -1 : 1;
	if ((a->speed_bps > 0) != (b->speed_bps > 0))
		return a->speed_bps > 0 ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Keeps the list sorted; when it is full the last one makes room, or the new one is dropped. */
static void interface_insert(struct host *host, const struct interface *interface)
{
	unsigned at = host->interface_count;

	while (at > 0 && interface_compare(interface, &host->interfaces[at - 1]) < 0)
		at--;
	if (at == HOST_INTERFACES_MAX)
		return;
	if (host->interface_count < HOST_INTERFACES_MAX)
		host->interface_count++;
	for (unsigned i = host->interface_count - 1; i > at; i--)
		host->interfaces[i] = host->interfaces[i - 1];
	host->interfaces[at] = *interface;
}

static bool interfaces_read(struct host *host, const struct root *root)
{
	int fd = root_open(root, "sys/class/net", O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct interface interface;

	if (directory == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		const struct dirent *entry = readdir(directory);
		if (entry == NULL)
			break;
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < sizeof(interface.name) &&
		    interface_read(root, entry->d_name, &interface))
			interface_insert(host, &interface);
	}
	closedir(directory);
	return host->interface_count > 0;
}

/* The host's own name where it is told, else the directory that the facts come from. */
static void name_read(struct host *host, const struct root *root, const char *sysroot)
{
	char text[sizeof(host->name)];
	struct utsname system;

	if (root->live && uname(&system) == 0)
		strlcpy(text, system.nodename, sizeof(text));
	else if (file_read(root, "proc/sys/kernel/hostname", text, sizeof(text)) == 0)
		strlcpy(text, root->live ? "this machine" : sysroot, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	quote_text(text, host->name, sizeof(host->name));
}

bool host_read_system(struct host *host, const char *sysroot)
{
	static bool (*const readers[])(struct host * host, const struct root *root) = {kernel_read,
	    memory_read, tunables_read, sockstat_of_host, counters_of_host, interfaces_read};
	struct root root = {.live = sysroot[0] == '\0' || strcmp(sysroot, "/") == 0};
	bool any = false;

	memset(host, 0, sizeof(*host));
	root.fd = open(root.live ? "/" : sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root.fd < 0)
		return false;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		any = readers[i](host, &root) || any;
	if (any) {
		host->origin = root.live ? HOST_LIVE : HOST_SYSROOT;
		name_read(host, &root, sysroot);
	}
	close(root.fd);
	errno = any ? 0 : ENOENT;
	return any;
}
