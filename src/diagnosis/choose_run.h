/*
 * Which of several runs to report on, and how the others differ from it.
 */
#ifndef BDP_CHOOSE_RUN_H
#define BDP_CHOOSE_RUN_H

#include <stddef.h>

#include "diagnosis/diagnosis.h"

/* The run to report on, of one or more: of the last complete test the direction that is dead, slow or
 * held, unless the other direction, or a later run that did not end as planned, is dead or carries less
 * than half.  The last where the analyses are of no run. */
size_t choose_run(const struct analysis *analyses, size_t count);
/* Adds a finding when another run of the same path carried twice as much or half as much as the chosen
 * one. */
void find_other_runs(
    const struct analysis *analyses, size_t count, size_t chosen_at, struct findings *findings);

/* Of three runs or more over one path in the chosen one's direction: how far their rates lie apart, and whether
 * what was in flight stayed (a window's, at a host) or moved with the rate (the path's). */
void find_spread(
    const struct analysis *analyses, size_t count, size_t chosen_at, struct findings *findings);

#endif
