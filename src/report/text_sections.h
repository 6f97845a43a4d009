/*
 * The sections of the text report, in the order in which text.c prints them.
 */
#ifndef BDP_TEXT_SECTIONS_H
#define BDP_TEXT_SECTIONS_H

#include "report/layout.h"
#include "report/report.h"

/* text_path.c: what was measured. The brief form is for a path that needs nothing. */
void text_path(struct layout *layout, const struct report *report, bool brief);
void text_runs(struct layout *layout, const struct report *report);

/* text_plan.c: what to set and what not, what it costs */
void text_settings(struct layout *layout, const struct report *report);
void text_memory(struct layout *layout, const struct report *report);
void text_not_advised(struct layout *layout, const struct report *report);
/* What else to run, but for what belongs to a host's settings; with the heading when these are first. */
void text_commands(struct layout *layout, const struct plan *plan, bool first);

#endif
