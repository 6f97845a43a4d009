/*
 * What went wrong, one line each, to standard error; or, where one call asks many questions, kept
 * beside the question that it belongs to.
 */
#ifndef BDP_ERROR_H
#define BDP_ERROR_H

#include <stddef.h>

/* "bdp: TEXT", as warnx() does. Foreign text in it must be quoted. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on the last error is kept in into[size], cut to fit, and not printed; NULL ends that. */
void errors_keep(char *into, size_t size);

#endif
