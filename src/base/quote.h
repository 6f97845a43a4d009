/*
 * Foreign text made safe to show: file names and strings out of input may hold control
 * characters, terminal escapes or bidirectional marks.
 */
#ifndef BDP_QUOTE_H
#define BDP_QUOTE_H

#include <stddef.h>

/* Copies text into out[size] with every control character (C0, DEL, C1), invalid UTF-8 byte and
 * bidirectional or invisible formatting character (U+061C, U+200B-200F, U+2028-202E, U+2060-2069,
 * U+FEFF) written as \xNN or \u{NNNN}; cut with "..." when too long. Returns out. */
const char *quote_text(const char *text, char *out, size_t size);

/* The same in one of a few static buffers that take turns: for up to four uses in one message. */
const char *quoted(const char *text);

#endif
