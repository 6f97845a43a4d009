/*
 * What the text reports of sweep and compare have in common.
 */
#ifndef BDP_TEXT_GROUPS_H
#define BDP_TEXT_GROUPS_H

#include "report/layout.h"
#include "report/run_groups_report.h"

/* The median in the figure's unit; "-" when unknown. */
struct unit_text figure_text(enum figure figure, const struct range *range);

/* Runs that do not count, and why. */
void text_left_out(struct layout *layout, const struct groups_report *report);

#endif
