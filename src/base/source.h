/*
 * A stream of input bytes that can be looked at before it is read, in constant memory.
 */
#ifndef BDP_SOURCE_H
#define BDP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOURCE_PEEK_MAX 262144

struct source;

/* Opens a file for reading; "-" is standard input.  Returns NULL with errno set (EISDIR for a
 * directory).  `name` is kept by reference for messages and must outlive the source. */
struct source *source_open(const char *name);

/* A source over memory, for tests and fuzzing; the bytes are not copied. */
struct source *source_memory(const char *name, const void *bytes, size_t length);

/* The same, handed out in chunks of at most `chunk` bytes as a slow pipe would; for tests only. */
struct source *source_memory_chunked(
    const char *name, const void *bytes, size_t length, size_t chunk);

/* NULL-safe. Does not close standard input. */
void source_close(struct source *source);

/* "standard input" for "-", else the file's name as given (not yet made safe for a terminal). */
const char *source_name(const struct source *source);

/* Looks at up to SOURCE_PEEK_MAX unread bytes without consuming them, reading until that many are
 * there or the input ends.  Never fails: an error shows at the next read. */
size_t source_peek(struct source *source, const char **bytes);

/* Takes the next chunk of bytes, of any length >= 1.  0 at the end, -1 on a read error (errno);
 * EINTR is retried.  The bytes stay valid until the next call on this source. */
ssize_t source_chunk(struct source *source, const char **bytes);

/* Gives back the last `count` bytes of the chunk taken last. */
void source_unread(struct source *source, size_t count);

/* Takes one line without its line end (LF or CRLF) into line[size], always terminated; what does
 * not fit is dropped and *cut set.  NUL bytes become '?'; lines of quoted-printable mail are decoded and joined.  1 for a line, 0 at the end, -1 on a read
 * error, which comes after the line it broke off. */
int source_line(struct source *source, char *line, size_t size, bool *cut);

/* Number of the line read last, from 1; offset of the next unread byte, from 0. */
uint64_t source_line_number(const struct source *source);
uint64_t source_offset(const struct source *source);

#endif
