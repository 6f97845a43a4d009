#include "apply/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Debian 12: since 6.2 (ABI 3), 6.7 (ABI 4) and 6.10 (ABI 5). */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_IOCTL_DEV (UINT64_C(1) << 15)
#define ACCESS_NET_BIND_TCP (UINT64_C(1) << 0)
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1)

/* The first two fields of struct landlock_ruleset_attr since ABI 4. */
struct ruleset {
	uint64_t files, net;
};

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGING (LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)

static const uint64_t access_rights[] = {
    [SANDBOX_READ] = READING,
    [SANDBOX_WRITE] =
	LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE,
    [SANDBOX_DIRECTORY] = READING | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | CHANGING,
};

/* All that this version of Landlock can take away. */
static uint64_t handled(long abi)
{
	uint64_t all = (UINT64_C(1) << 13) - 1; /* ABI 1: thirteen rights, up to MAKE_SYM */
	if (abi >= 2)
		all |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		all |= ACCESS_TRUNCATE;
	if (abi >= 5)
		all |= ACCESS_IOCTL_DEV;
	return all;
}

static void allow_fd(struct sandbox *sandbox, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {
	    .allowed_access = rights & sandbox->handled,
	    .parent_fd = fd,
	};
	syscall(SYS_landlock_add_rule, sandbox->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

void sandbox_begin(struct sandbox *sandbox)
{
	*sandbox = (struct sandbox){.ruleset = -1};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 1)
		return;
	sandbox->handled = handled(abi);
	struct ruleset rules = {
	    .files = sandbox->handled,
	    .net = ACCESS_NET_BIND_TCP | ACCESS_NET_CONNECT_TCP,
	};
	size_t size = abi >= 4 ? sizeof(rules) : sizeof(rules.files);
	sandbox->ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	/* The guard puts it in the place of its terminal. */
	int null = open("/dev/null", O_PATH | O_CLOEXEC);
	if (sandbox->ruleset >= 0 && null >= 0)
		allow_fd(sandbox, null, access_rights[SANDBOX_WRITE]);
	if (null >= 0)
		close(null);
}

void sandbox_allow(
    struct sandbox *sandbox, const struct tree *tree, const char *path, enum sandbox_access access)
{
	if (sandbox->ruleset < 0)
		return;
	int fd = openat(
	    tree->root, path, O_PATH | O_CLOEXEC | (access == SANDBOX_WRITE ? O_NOFOLLOW : 0));
	if (fd < 0)
		return;
	allow_fd(sandbox, fd, access_rights[access]);
	close(fd);
}

bool sandbox_enter(struct sandbox *sandbox)
{
	if (sandbox->ruleset < 0)
		return false;
	bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		       syscall(SYS_landlock_restrict_self, sandbox->ruleset, 0) == 0;
	close(sandbox->ruleset);
	sandbox->ruleset = -1;
	return entered;
}
