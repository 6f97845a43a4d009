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
/* Rate, windows, RTT and retransmits of the run advised on, over time. */
bool plot_run(const struct report *report, FILE *stream);
/* The same with stretches of its time shaded and named; in seconds since the start of the test. */
bool plot_run_bands(
    const struct report *report, const struct chart_band *bands, size_t band_count, FILE *stream);

#endif
