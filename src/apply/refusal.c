#include "apply/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum congestion_standing {
	CONGESTION_THERE,
	CONGESTION_FORBIDDEN,  /* there, but not allowed in this network namespace */
	CONGESTION_NOT_LISTED, /* not there now: at most a module would bring it */
	CONGESTION_UNKNOWN     /* there is no list */
};

/* Looks for /NAME.ko (also .ko.xz and so on) at a line's path, in constant memory. */
static int list_has(const struct tree *tree, const char *path, const char *name)
{
	char wanted[64];
	int length = snprintf(wanted, sizeof(wanted), "/%s.ko", name);
	int fd = tree->io->open_linked(tree->root, path);
	if (fd < 0)
		return -1;
	/* Bytes of the wanted name matched so far; "/" only begins it, so no match is missed. */
	int matched = 0, found = 0;
	char bytes[8192];
	ssize_t got = 0;
	while (found == 0 && (got = tree->io->read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got && found == 0; i++) {
			matched = bytes[i] == wanted[matched] ? matched + 1 : bytes[i] == '/';
			found = matched == length;
		}
	}
	close(fd);
	return got < 0 ? -1 : found;
}

/* A module that is in has this file; code that is built in has at most the directory
 * (kernel/module/sysfs.c, kernel/params.c). */
static bool is_loaded(const struct tree *tree, const char *name)
{
	char path[96];
	struct stat status;
	snprintf(path, sizeof(path), "sys/module/%s/initstate", name);
	return tree->io->stat_at(tree->root, path, &status) == 0;
}

enum module_kind module_kind(const struct tree *tree, const char *name)
{
	if (is_loaded(tree, name))
		return MODULE_LOADED;
	char release[72], path[160];
	ssize_t length = tree_read(
	    tree, tree->root, "proc/sys/kernel/osrelease", true, release, sizeof(release));
	if (length <= 0)
		return MODULE_UNKNOWN;
	release[strcspn(release, "\n/")] = '\0';
	snprintf(path, sizeof(path), "lib/modules/%s/modules.builtin", release);
	int built_in = list_has(tree, path, name);
	if (built_in == 1)
		return MODULE_BUILT_IN;
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", release);
	int loadable = list_has(tree, path, name);
	if (loadable == 1)
		return MODULE_LOADABLE;
	return built_in == 0 && loadable == 0 ? MODULE_ABSENT : MODULE_UNKNOWN;
}

/* False when the running kernel certainly loads none (CONFIG_MODULES=n: there is no /proc/modules). */
static bool modules_are_supported(const struct tree *tree)
{
	struct stat status;
	return !tree->machine || tree->io->stat_at(tree->root, "proc/modules", &status) == 0 ||
	       errno != ENOENT;
}

/* net/ipv4/tcp_cong.c asks for "tcp_%s"; net/sched/sch_api.c for "net-sch-%s", an alias of sch_%s. */
const char *module_of(enum tunable_id id, const struct tunable_value *value, char *out, size_t size)
{
	out[0] = '\0';
	/* reno is part of TCP itself */
	if (id == TUNABLE_TCP_CONGESTION_CONTROL && strcmp(value->word, "reno") != 0)
		snprintf(out, size, "tcp_%.27s", value->word);
	/* net/sched/sch_generic.c and sch_fifo.c are always built in */
	if (id == TUNABLE_DEFAULT_QDISC && strcmp(value->word, "pfifo_fast") != 0 &&
	    strcmp(value->word, "pfifo") != 0 && strcmp(value->word, "bfifo") != 0)
		snprintf(out, size, "sch_%.27s", value->word);
	return out;
}

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
static void module_remedy(const struct tree *tree, const char *module, char *out, size_t size)
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
		snprintf(out, size,
		    "not built, or a module that cannot be loaded from here: on the host itself, sudo "
		    "modprobe %s",
		    module);
		break;
	}
}

/* The kernel lists its congestion controls, but not its queueing disciplines. */
static void name_missing(struct backend *backend, enum tunable_id id,
    const struct tunable_value *value, char *why, size_t size)
{
	struct tunable_value available;
	char module[32], remedy[240];
	module_remedy(
	    backend->tree, module_of(id, value, module, sizeof(module)), remedy, sizeof(remedy));
	if (id == TUNABLE_DEFAULT_QDISC)
		snprintf(
		    why, size, "queueing discipline %s is not available; %s", value->word, remedy);
	else
		snprintf(why, size, "congestion control %s is not available (available: %s); %s",
		    value->word,
		    names_of(backend, TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL, &available),
		    remedy);
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
		name_missing(backend, TUNABLE_TCP_CONGESTION_CONTROL, value, why, size);
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

/* By the kernel's lists of what is available and what is allowed. */
static enum congestion_standing congestion_standing(struct backend *backend, const char *name)
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
		if (congestion || qdisc)
			name_missing(backend, id, value, why, size);
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

/* The queueing disciplines of Linux 4.4 to 7.3 (net/sched/sch_*.c, Qdisc_ops.id). */
static const char *const qdiscs[] = {"bfifo", "cake", "cbq", "cbs", "choke", "clsact", "codel",
    "drr", "dsmark", "dualpi2", "etf", "ets", "fq", "fq_codel", "fq_pie", "gred", "hfsc", "hhf",
    "htb", "ingress", "mq", "mqprio", "multiq", "netem", "noqueue", "pfifo", "pfifo_fast",
    "pfifo_head_drop", "pie", "plug", "prio", "qfq", "red", "sfb", "sfq", "skbprio", "taprio",
    "tbf", "teql"};

static bool is_known_qdisc(const char *name)
{
	for (size_t i = 0; i < sizeof(qdiscs) / sizeof(qdiscs[0]); i++)
		if (strcmp(qdiscs[i], name) == 0)
			return true;
	return false;
}

/* The kind of module that would carry it; built in where none is needed. */
static enum module_kind kind_of(
    const struct backend *backend, enum tunable_id id, const struct tunable_value *value)
{
	char name[32];
	return module_of(id, value, name, sizeof(name))[0] == '\0'
		   ? MODULE_BUILT_IN
		   : module_kind(backend->tree, name);
}

/* A name that is not on the kernel's list can only come from a module. */
static enum prediction predict_congestion(
    struct backend *backend, const struct tunable_value *value, char *why, size_t size)
{
	const enum tunable_id id = TUNABLE_TCP_CONGESTION_CONTROL;
	switch (congestion_standing(backend, value->word)) {
	case CONGESTION_THERE:
		return PREDICTED_TAKEN;
	case CONGESTION_FORBIDDEN:
		refusal_text(backend, id, value, REFUSED_WRITE, EPERM, why, size);
		return PREDICTED_REFUSED;
	case CONGESTION_UNKNOWN:
		snprintf(why, size,
		    "whether this kernel has congestion control %s cannot be told: there is no list of "
		    "them",
		    value->word);
		return PREDICTED_NOT;
	case CONGESTION_NOT_LISTED:
		break;
	}
	enum module_kind kind = kind_of(backend, id, value);
	if (kind == MODULE_LOADABLE || kind == MODULE_LOADED || kind == MODULE_BUILT_IN)
		return PREDICTED_TAKEN;
	if (kind == MODULE_ABSENT || !backend->tree->machine ||
	    !modules_are_supported(backend->tree)) {
		refusal_text(backend, id, value, REFUSED_WRITE, ENOENT, why, size);
		return PREDICTED_REFUSED;
	}
	snprintf(why, size,
	    "congestion control %s is not loaded; whether it is a module that can be cannot be told "
	    "here",
	    value->word);
	return PREDICTED_NOT;
}

/* The kernel has no list of these. */
static enum prediction predict_qdisc(
    struct backend *backend, const struct tunable_value *value, char *why, size_t size)
{
	const enum tunable_id id = TUNABLE_DEFAULT_QDISC;
	enum module_kind kind = kind_of(backend, id, value);
	bool refused = kind == MODULE_ABSENT;
	if (kind == MODULE_UNKNOWN && !is_known_qdisc(value->word))
		refused = !backend->tree->machine || !modules_are_supported(backend->tree);
	else if (kind != MODULE_UNKNOWN && !refused)
		return PREDICTED_TAKEN;
	if (refused) {
		refusal_text(backend, id, value, REFUSED_WRITE, ENOENT, why, size);
		return PREDICTED_REFUSED;
	}
	snprintf(why, size,
	    "whether this kernel has queueing discipline %s cannot be told here: there is no list of "
	    "its modules",
	    value->word);
	return PREDICTED_NOT;
}

/* Modes below /proc/sys hold for root, too (fs/proc/proc_sysctl.c, test_perm). */
static enum prediction predict_access(
    struct backend *backend, enum tunable_id id, char *why, size_t size)
{
	const struct tree *tree = backend->tree;
	struct stat status;
	if (!tree->machine)
		return PREDICTED_TAKEN;
	if (tree->io->is_read_only(tree->root, tunables[id].path) == 1) {
		refusal_text(
		    backend, id, &(struct tunable_value){0}, REFUSED_OPEN, EROFS, why, size);
		return PREDICTED_REFUSED;
	}
	if (tree->io->stat_at(tree->root, tunables[id].path, &status) != 0 ||
	    (status.st_mode & 0222) != 0)
		return PREDICTED_TAKEN;
	snprintf(why, size,
	    "read-only here, for root too, as in every network namespace (container) but the first: "
	    "set it on the host, for all of them");
	return PREDICTED_REFUSED;
}

enum prediction predict(struct backend *backend, enum tunable_id id,
    const struct tunable_value *value, char *why, size_t size)
{
	enum prediction access = predict_access(backend, id, why, size);
	if (access == PREDICTED_REFUSED)
		return access;
	if (id == TUNABLE_TCP_CONGESTION_CONTROL)
		return predict_congestion(backend, value, why, size);
	if (id == TUNABLE_DEFAULT_QDISC)
		return predict_qdisc(backend, value, why, size);
	return PREDICTED_TAKEN;
}
