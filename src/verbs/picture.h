/*
 * --plot FILE: writes a picture to a file, whole or not at all.
 */
#ifndef BDP_PICTURE_H
#define BDP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

/* Draws what `subject` points to; false when a write failed. */
typedef bool picture_drawer(const void *subject, FILE *stream);

/* False with a line on standard error. */
bool picture_write(const char *path, picture_drawer *draw, const void *subject);

/* Drawers: of struct sweep_report, struct compare_report and struct report. */
picture_drawer picture_sweep, picture_compare, picture_advise;

#endif
