/*
 * Standard output: how to draw on it, and whether it took everything.
 */
#ifndef BDP_OUTPUT_H
#define BDP_OUTPUT_H

#include <stdbool.h>

#include "options/options.h"
#include "report/report.h"

/* Reports of prose read badly when wider; tables make use of more. */
#define OUTPUT_WIDTH_PROSE 100u
#define OUTPUT_WIDTH_TABLE 200u

/* Before anything else: messages begin with "bdp:", and files are not opened as standard output. */
void output_begin(void);

/* From --color, the terminal and the environment; 80 columns where there is no terminal. */
struct style output_style(const struct options *options, unsigned widest);

/* Flushes; the exit code.  A full disk or a closed pipe must not pass for success. */
int output_finish(bool printed);

#endif
