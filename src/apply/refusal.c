#include "apply/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apply/module.h"

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

/* Release numbers begin with two of them: "6.1.0-57-amd64". */
static bool kernel_is_at_least(const struct tree *tree, unsigned major, unsigned minor)
{
	char release[72];
	unsigned its_major = 0, its_minor = 0;
	ssize_t length = tree_read(
	    tree, tree->root, "proc/sys/kernel/osrelease", true, release, sizeof(release));
	if (length <= 0 || sscanf(release, "%u.%u", &its_major, &its_minor) != 2)
		return false;
	return its_major > major || (its_major == major && its_minor >= minor);
}

static const char *names_of(
    struct backend *backend, enum tunable_id id, struct tunable_value *value)
{
	return backend->read(backend, id, value) && value->word[0] != '\0' ? value->word
									   : "unknown";
}

/* What to do about a module, by whether there is one.  In a container the lists are often missing,
 * and a module can only be loaded on the host. */
static void module_remedy(
    const struct tree *tree, const char *module, const char *none, char *out, size_t size)
{
	if (!modules_are_supported(tree)) {
		snprintf(out, size, "this kernel was built without it, and loads no modules");
		return;
	}
	switch (module_kind(tree, module)) {
	case MODULE_LOADABLE:
		snprintf(out, size,
		    "the module %s is not loaded: sudo modprobe %s; for every boot: echo %s | sudo tee -a "
		    "/etc/modules-load.d/bdp.conf",
		    module, module, module);
		break;
	case MODULE_ABSENT:
		snprintf(out, size, "this kernel was built without it (no module %s)", module);
		break;
	default:
		snprintf(out, size, "%s: on the host itself, sudo modprobe %s", none, module);
		break;
	}
}

static void congestion_missing(
    struct backend *backend, const struct tunable_value *value, char *why, size_t size)
{
	struct tunable_value available;
	const char *names = names_of(backend, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, &available);
	char module[32], remedy[240];
	module_remedy(backend->tree,
	    module_of(TUNABLE_TCP_CONGESTION_CONTROL, value, module, sizeof(module)),
	    "not built, or a module that cannot be loaded from here", remedy, sizeof(remedy));
	snprintf(why, size, "congestion control %s is not available (available: %s); %s",
	    value->word, names, remedy);
}

/* Outside the first network namespace only what is allowed there may be made the default
 * (net/ipv4/tcp_cong.c, tcp_set_default_congestion_control, since 5.13 and 5.10.37). */
static void congestion_forbidden(
    struct backend *backend, const struct tunable_value *value, char *why, size_t size)
{
	struct tunable_value allowed, available;
	const char *names = names_of(backend, TUNABLE_TCP_ALLOWED_CONGESTION_CONTROL, &allowed);
	const char *there = names_of(backend, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, &available);
	if (has_word(there, value->word))
		snprintf(why, size,
		    "congestion control %s is not allowed in this network namespace (allowed: %s); on the "
		    "host: sudo sysctl -w net.ipv4.tcp_allowed_congestion_control=\"%s %s\"",
		    value->word, names, allowed.known ? allowed.word : "reno", value->word);
	else
		congestion_missing(backend, value, why, size);
}

/* In the first namespace whatever is there may be made the default, and it alone has tcp_mem. */
static bool is_restricted(const struct backend *backend)
{
	const struct tree *tree = backend->tree;
	struct stat status;
	return tree->machine &&
	       tree->io->stat_at(tree->root, tunables[TUNABLE_TCP_MEM].path, &status) != 0 &&
	       kernel_is_at_least(tree, 5, 13);
}

enum congestion_standing congestion_standing(struct backend *backend, const char *name)
{
	struct tunable_value allowed, available;
	names_of(backend, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, &available);
	if (!available.known || available.word[0] == '\0')
		return CONGESTION_UNKNOWN;
	if (!has_word(available.word, name))
		return CONGESTION_NOT_LISTED;
	if (!is_restricted(backend))
		return CONGESTION_THERE;
	names_of(backend, TUNABLE_TCP_ALLOWED_CONGESTION_CONTROL, &allowed);
	return allowed.known && !has_word(allowed.word, name) ? CONGESTION_FORBIDDEN
							      : CONGESTION_THERE;
}

static void key_missing(enum tunable_id id, const struct tree *tree, char *why, size_t size)
{
	struct stat status;
	if (tree->io->stat_at(tree->root, "proc/sys/net", &status) != 0)
		snprintf(why, size, "%s/proc/sys/net is not there: is /proc mounted?", tree->name);
	else if (!tunables[id].per_netns)
		snprintf(why, size,
		    "this key does not exist in a network namespace (container); it is set on the host, "
		    "for all of them");
	else
		snprintf(why, size, "this kernel does not have this key");
}

static void qdisc_missing(
    struct backend *backend, const struct tunable_value *value, char *why, size_t size)
{
	char module[32], remedy[240];
	module_remedy(backend->tree,
	    module_of(TUNABLE_DEFAULT_QDISC, value, module, sizeof(module)),
	    "not built, or a module that cannot be loaded from here", remedy, sizeof(remedy));
	snprintf(why, size, "queueing discipline %s is not available; %s", value->word, remedy);
}

static void not_permitted(const struct tree *tree, int error, char *why, size_t size)
{
	if (tree->machine && geteuid() != 0)
		snprintf(why, size, "%s: run with sudo", strerror(error));
	else if (tree->machine)
		snprintf(why, size,
		    "%s although this is root: in a container only the host may set this, or the container "
		    "needs CAP_NET_ADMIN",
		    strerror(error));
	else
		snprintf(why, size, "%s: the tree is not yours to write", strerror(error));
}

static void value_refused(
    enum tunable_id id, const struct tunable_value *value, char *why, size_t size)
{
	char text[220];
	snprintf(why, size,
	    "the kernel refuses the value '%s' (Invalid argument): this one is stricter "
	    "than %lld to %lld",
	    tunable_value_text(id, value, text, sizeof(text)), (long long)tunables[id].min,
	    (long long)tunables[id].max);
}

void refusal_text(struct backend *backend, enum tunable_id id, const struct tunable_value *value,
    enum refusal_step step, int error, char *why, size_t size)
{
	bool congestion = id == TUNABLE_TCP_CONGESTION_CONTROL && step == REFUSED_WRITE;
	bool qdisc = id == TUNABLE_DEFAULT_QDISC && step == REFUSED_WRITE;
	switch (error) {
	case ENOENT:
		if (congestion)
			congestion_missing(backend, value, why, size);
		else if (qdisc)
			qdisc_missing(backend, value, why, size);
		else
			key_missing(id, backend->tree, why, size);
		break;
	case EPERM:
		if (congestion)
			congestion_forbidden(backend, value, why, size);
		else
			not_permitted(backend->tree, error, why, size);
		break;
	case EACCES:
		not_permitted(backend->tree, error, why, size);
		break;
	case EROFS:
		snprintf(why, size,
		    "/proc/sys is mounted read-only, as in most containers: set it on the "
		    "host, or start the container with --sysctl");
		break;
	case EINVAL:
		value_refused(id, value, why, size);
		break;
	case EBUSY:
		snprintf(why, size, "busy: the module was being loaded or removed; try again");
		break;
	case EBADMSG:
		snprintf(
		    why, size, "what is there now cannot be understood: not what a kernel prints");
		break;
	case ELOOP:
		snprintf(why, size, "a symbolic link is in the way; bdp follows none");
		break;
	default:
		snprintf(why, size, "%s", strerror(error));
		break;
	}
}
