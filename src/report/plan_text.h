/*
 * The sentences of a plan, and its command lines.
 */
#ifndef BDP_PLAN_TEXT_H
#define BDP_PLAN_TEXT_H

#include "advice/plan.h"

/* Makes the texts of all entries from what they remark; a command that does not fit is left out.  Texts
 * of entries without a remark stay as they are. */
void plan_text(struct plan *plan);

/* The same of commands that belong to no plan, as those of qdisc_lines(). */
void commands_text(struct command *commands, size_t count);

#endif
