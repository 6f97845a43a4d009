#include "apply/predict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apply/module.h"
#include "apply/refusal.h"

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
