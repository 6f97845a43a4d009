#include "evidence/tracepath.h"

#include <errno.h>
#include <string.h>

#include "evidence/scan.h"

/* IPv4 must carry 68 bytes (RFC 791), and no packet is longer than 65,535. */
#define MTU_MIN 68
#define MTU_MAX 65535
#define HOP_MAX 255

/* " 2:  172.16.0.9     1.902ms pmtu 1400", " 1?: [LOCALHOST]   pmtu 1500". */
static bool hop_number(const char *line, uint64_t *hop, bool *local)
{
	const char *at = scan_blanks(line);

	if (!scan_uint(&at, hop) || *hop == 0 || *hop > HOP_MAX)
		return false;
	*local = scan_prefix(&at, "?: [LOCALHOST]");
	return *local || *at == ':' || *at == '?';
}

static void mtu_take(struct tracepath *path, uint32_t mtu, uint64_t hop, bool local)
{
	if (local)
		path->local_mtu = mtu;
	if (path->path_mtu == 0 || mtu < path->path_mtu) {
		path->path_mtu = mtu;
		path->hop = local ? 0 : (unsigned)hop;
	}
}

static void line_take(struct tracepath *path, const char *line)
{
	const char *at = strstr(line, "pmtu ");
	uint64_t hop, mtu = 0;
	bool local = false;
	bool numbered = hop_number(line, &hop, &local);

	if (at != NULL) {
		at += strlen("pmtu ");
		if (!scan_uint(&at, &mtu) || mtu < MTU_MIN || mtu > MTU_MAX)
			mtu = 0;
	}
	/* another run begins */
	if (local)
		*path = (struct tracepath){.path_mtu = 0};
	if (numbered && !local && strstr(line, "no reply") == NULL && hop > path->hops)
		path->hops = (unsigned)hop;
	path->reached = path->reached || (numbered && strstr(line, " reached") != NULL);
	if (mtu == 0 ||
	    (!numbered && strstr(line, "Resume:") == NULL && strstr(line, "hops:") == NULL))
		return;
	mtu_take(path, (uint32_t)mtu, numbered ? hop : path->hops, local);
}

bool tracepath_read(struct tracepath *tracepath, struct source *source, const char **why)
{
	char line[512];
	bool cut;
	int got;

	memset(tracepath, 0, sizeof(*tracepath));
	while ((got = source_line(source, line, sizeof(line), &cut)) > 0)
		line_take(tracepath, line);
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	errno = 0;
	*why = "no MTU of tracepath in it";
	return tracepath->path_mtu > 0;
}
