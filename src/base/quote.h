/*
 * Foreign text made safe to show: file names and strings out of input may hold control
 * characters, terminal escapes or bidirectional marks.
 */
#ifndef BDP_QUOTE_H
#define BDP_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* Copies text into out[size] with C0 controls, DEL and bytes that are not UTF-8 written as \xNN,
 * C1 controls and bidirectional or invisible formatting characters (utf8_is_hidden()) as \u{NNNN};
 * cut between characters, with "...", when too long. Returns out. */
const char *quote_text(const char *text, char *out, size_t size);

/* The same in one of a few static buffers that take turns: for up to four uses in one message. */
const char *quoted(const char *text);

/* A host name or address that may stand in a command line as it is: letters, digits and . : _ % -
 * only, not beginning with a dash.  Any other, and an empty one, comes back as `fallback`. */
const char *quote_host(const char *name, const char *fallback);

/* An interface's name as one word of a shell, in quotes where it needs them: it may hold anything but '/', ':' and
 * blanks (net/core/dev.c, dev_valid_name).  False for one that cannot be shown, is empty or begins with a
 * dash: nothing of `out` is to be used then. */
bool quote_word(const char *name, char *out, size_t size);

#endif
