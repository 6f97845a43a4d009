/*
 * The sentences of a plan.
 */
#ifndef BDP_PLAN_TEXT_H
#define BDP_PLAN_TEXT_H

#include "advice/plan.h"

/* Says of each setting that answers a finding why it is set. */
void plan_text(struct plan *plan);

#endif
