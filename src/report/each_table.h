/*
 * Many runs as a table: a line a file, written as it comes.
 */
#ifndef BDP_EACH_TABLE_H
#define BDP_EACH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/report.h"

struct each_table {
	FILE *stream;
	unsigned file_columns; /* of the name; of a longer one the end is shown */
};

/* Writes the head.  `longest` is that of the names, as far as they are known beforehand; 0: they are not.
 * The rest of a line takes about 64 columns of the style's width. */
void each_table_begin(
    struct each_table *table, const struct style *style, size_t longest, FILE *stream);
/* Rate, limit, confidence, RTT and what to set.  False when a write failed. */
bool each_table_line(struct each_table *table, const struct report *report, const char *file);
/* A file that tells nothing, and why. */
bool each_table_failure(struct each_table *table, const char *file, const char *why);

#endif
