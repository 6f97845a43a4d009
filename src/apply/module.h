/*
 * Kernel modules: is a name built in, a module, or not there.
 */
#ifndef BDP_MODULE_H
#define BDP_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/tree.h"
#include "evidence/tunable.h"

enum module_kind {
	MODULE_UNKNOWN, /* no list of modules to be read here */
	MODULE_BUILT_IN,
	MODULE_LOADED,
	MODULE_LOADABLE,
	MODULE_ABSENT /* the lists are there, it is not in them */
};

enum module_kind module_kind(const struct tree *tree, const char *name);

/* False when the running kernel certainly loads none (CONFIG_MODULES=n: there is no /proc/modules). */
bool modules_are_supported(const struct tree *tree);

/* The module that carries a congestion control or queueing discipline ("tcp_bbr", "sch_fq"); ""
 * for every other setting. Returns out. */
const char *module_of(
    enum tunable_id id, const struct tunable_value *value, char *out, size_t size);

#endif
