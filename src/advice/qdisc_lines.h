/*
 * The tc lines that bring a queueing discipline to interfaces that are up: default_qdisc is looked
 * at only when an interface comes up.
 */
#ifndef BDP_QDISC_LINES_H
#define BDP_QDISC_LINES_H

#include <stddef.h>

#include "advice/plan.h"
#include "evidence/host.h"

/*
 * Fills in at most `max` commands for the interfaces whose qdisc the kernel chose and that is not
 * `qdisc` yet; returns how many.  Interfaces without a queue need none; those with a qdisc that the
 * kernel never chooses by itself were set up by somebody and are only named in left_alone[size]
 * ("eth1 (htb)", "" when there is none).
 */
size_t qdisc_lines(const struct host *host, const char *qdisc, enum role role,
    struct command *lines, size_t max, char *left_alone, size_t size);

#endif
