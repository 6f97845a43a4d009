/*
 * Pictures of what was measured.
 */
#ifndef BDP_PLOT_H
#define BDP_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/chart.h"
#include "report/run_groups_report.h"

/* Each writes one SVG; false when there is nothing to draw or a write failed. */

/* Rate and retransmits against the ceiling, the knee marked. */
bool plot_sweep(const struct sweep_report *report, FILE *stream);
/* Rate, loss and delay of each label as bars. */
bool plot_compare(const struct compare_report *report, FILE *stream);
/* Rate, windows, RTT and retransmits of the run advised on, over time, with its phases as bands: the governing
 * one has the limit's name. */
bool plot_run(const struct report *report, FILE *stream);

#endif
