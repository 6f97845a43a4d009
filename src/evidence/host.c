#include "evidence/host.h"

#include <string.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* No version component comes near this; what exceeds it is not a version. */
#define COMPONENT_MAX 65535

static bool component_read(const char **at, unsigned *component)
{
	uint64_t value;

	if (!scan_uint(at, &value) || value > COMPONENT_MAX)
		return false;
	*component = (unsigned)value;
	return true;
}

bool kernel_version_parse(const char *text, struct kernel_version *version)
{
	struct kernel_version read = {.known = true};
	char release[sizeof(read.release)];
	const char *at = scan_blanks(text), *start = at;

	if (!component_read(&at, &read.major) || *at != '.')
		return false;
	at++;
	if (!component_read(&at, &read.minor))
		return false;
	/* "6.18-rc3" and "5.15" have no patch level */
	if (*at == '.') {
		at++;
		component_read(&at, &read.patch);
	}
	size_t length = strcspn(start, " \t\r\n");
	if (length >= sizeof(release))
		length = sizeof(release) - 1;
	memcpy(release, start, length);
	release[length] = '\0';
	quote_text(release, read.release, sizeof(read.release));
	*version = read;
	return true;
}

bool kernel_at_least(const struct kernel_version *version, unsigned major, unsigned minor)
{
	if (!version->known)
		return false;
	return version->major > major || (version->major == major && version->minor >= minor);
}

bool kernel_before(const struct kernel_version *version, unsigned major, unsigned minor)
{
	return version->known && !kernel_at_least(version, major, minor);
}

uint64_t host_page_bytes(const struct host *host)
{
	return host && host->page_size > 0 ? host->page_size : 4096;
}

bool host_has_settings(const struct host *host)
{
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		if (host->values[i].known)
			return true;
	return host->kernel.known;
}
