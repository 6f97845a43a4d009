/*
 * A report that is repeated in place.
 *
 * No mode of the terminal is changed: whenever the program ends, and however, the last report stands
 * there and the cursor is below it.
 */
#ifndef BDP_SCREEN_H
#define BDP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the wait, not the program. */
void screen_begin(void);
/* False when a signal asked to end. */
bool screen_wait(double seconds);
/* Writes the text to standard output, over the one before where that is a terminal, as many lines
 * as it has, and of its parts, as empty lines divide it, those that fit whole.  False when that
 * failed. */
bool screen_show(const char *text, size_t length);

#endif
