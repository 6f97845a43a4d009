/*
 * --plot FILE: writes a picture to a file, whole or not at all.
 */
#ifndef BDP_PICTURE_H
#define BDP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

struct picture {
	FILE *stream;
	char *text; /* owned by the two functions */
	size_t length;
};

/* Where to draw it (report/plot.h). */
FILE *picture_begin(struct picture *picture);
/* Writes what was drawn to the file, and frees it; `drawn` is what the drawing returned.  False with a
 * line on standard error. */
bool picture_write(struct picture *picture, bool drawn, const char *path);

#endif
