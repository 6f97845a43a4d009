#include "base/source.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The unread bytes are window[begin..end).  The window is our buffer, or for a source over memory
 * that memory itself.
 */
struct source {
	const char *name;
	const char *window;
	size_t begin, end;
	char *buffer; /* SOURCE_PEEK_MAX bytes, or NULL */
	int fd;	      /* -1: no more than the window, or what is left of memory */
	const char *memory;
	size_t memory_left, memory_chunk;
	bool at_end;
	int error; /* errno of the read that failed; told when the bytes before it are used up */
	uint64_t offset, line_number;
	enum { QUOTED_UNKNOWN, QUOTED_NO, QUOTED_YES } quoted; /* lines are quoted-printable */
};

/* An encoder that leaves no blank at the end of a line may make "=20" of it behind 76 characters. */
#define QUOTED_LINE_MAX 78
#define QUOTED_BREAK_MIN 72

static struct source *source_new(const char *name, int fd)
{
	struct source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		err(1, NULL);
	source->name = name;
	source->fd = fd;
	return source;
}

static void buffer_new(struct source *source)
{
	/* not cleared: a small file then touches as little of it as it fills */
	source->buffer = malloc(SOURCE_PEEK_MAX);
	if (source->buffer == NULL)
		err(1, NULL);
	source->window = source->buffer;
}

struct source *source_open(const char *name)
{
	int fd = STDIN_FILENO;
	if (strcmp(name, "-") != 0)
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return NULL;
	struct stat status;
	int error = fstat(fd, &status) < 0 ? errno : 0;
	if (error == 0 && S_ISDIR(status.st_mode))
		error = EISDIR;
	if (error != 0) {
		if (fd != STDIN_FILENO)
			close(fd);
		errno = error;
		return NULL;
	}
	struct source *source = source_new(name, fd);
	buffer_new(source);
	return source;
}

struct source *source_memory(const char *name, const void *bytes, size_t length)
{
	struct source *source = source_new(name, -1);
	source->window = length > 0 ? bytes : "";
	source->end = length;
	source->at_end = true;
	return source;
}

struct source *source_memory_chunked(
    const char *name, const void *bytes, size_t length, size_t chunk)
{
	struct source *source = source_new(name, -1);
	buffer_new(source);
	source->memory = bytes;
	source->memory_left = length;
	source->memory_chunk = chunk;
	return source;
}

void source_close(struct source *source)
{
	if (source == NULL)
		return;
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	free(source->buffer);
	free(source);
}

const char *source_name(const struct source *source)
{
	return strcmp(source->name, "-") == 0 ? "standard input" : source->name;
}

static ssize_t read_memory(struct source *source, char *into, size_t room)
{
	size_t count = source->memory_left < room ? source->memory_left : room;
	if (count > source->memory_chunk)
		count = source->memory_chunk;
	if (count > 0)
		memcpy(into, source->memory, count);
	source->memory += count;
	source->memory_left -= count;
	return (ssize_t)count;
}

static ssize_t read_file(int fd, char *into, size_t room)
{
	for (;;) {
		ssize_t count = read(fd, into, room);
		if (count >= 0)
			return count;
		/* standard input may be non-blocking because another process set its end so */
		if (errno == EAGAIN) {
			struct pollfd ready = {.fd = fd, .events = POLLIN};
			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
}

/* One read behind the unread bytes; false when there was nothing. */
static bool fill(struct source *source)
{
	if (source->at_end)
		return false;
	if (source->begin > 0) {
		source->end -= source->begin;
		memmove(source->buffer, source->buffer + source->begin, source->end);
		source->begin = 0;
	}
	char *into = source->buffer + source->end;
	size_t room = SOURCE_PEEK_MAX - source->end;
	ssize_t count =
	    source->fd < 0 ? read_memory(source, into, room) : read_file(source->fd, into, room);
	if (count <= 0) {
		/* a terminal gives more after its end of file; one end is enough */
		source->at_end = true;
		source->error = count < 0 ? errno : 0;
		return false;
	}
	source->end += (size_t)count;
	return true;
}

size_t source_peek(struct source *source, const char **bytes)
{
	while (source->end - source->begin < SOURCE_PEEK_MAX && fill(source))
		;
	*bytes = source->window + source->begin;
	size_t count = source->end - source->begin;
	return count < SOURCE_PEEK_MAX ? count : SOURCE_PEEK_MAX;
}

/* Makes sure there is an unread byte: 1, 0 at the end, -1 on error. */
static int ready(struct source *source)
{
	if (source->begin < source->end || fill(source))
		return 1;
	if (source->error == 0)
		return 0;
	errno = source->error;
	return -1;
}

ssize_t source_chunk(struct source *source, const char **bytes)
{
	int result = ready(source);
	if (result <= 0)
		return result;
	size_t count = source->end - source->begin;
	*bytes = source->window + source->begin;
	source->begin = source->end;
	source->offset += count;
	return (ssize_t)count;
}

void source_unread(struct source *source, size_t count)
{
	source->begin -= count;
	source->offset -= count;
}

/* Copies what fits, with NUL bytes made visible: later stages take lines as C strings. */
static size_t line_copy(char *into, size_t room, const char *bytes, size_t count)
{
	if (count > room)
		count = room;
	memcpy(into, bytes, count);
	for (char *nul; (nul = memchr(into, '\0', count)) != NULL;)
		*nul = '?';
	return count;
}

static int line_read(struct source *source, char *line, size_t size, bool *cut)
{
	size_t kept = 0;
	uint64_t length = 0;
	char last = '\0';
	const char *newline = NULL;
	int result = 0;
	while (newline == NULL && (result = ready(source)) > 0) {
		const char *bytes = source->window + source->begin;
		size_t count = source->end - source->begin;
		newline = memchr(bytes, '\n', count);
		size_t text = newline != NULL ? (size_t)(newline - bytes) : count;
		kept += line_copy(line + kept, size - 1 - kept, bytes, text);
		if (text > 0)
			last = bytes[text - 1];
		length += text;
		count = newline != NULL ? text + 1 : count;
		source->begin += count;
		source->offset += count;
	}
	/* also at the end of input: it may have been cut between CR and LF */
	if (last == '\r')
		length--;
	if (kept > length)
		kept = (size_t)length;
	line[kept] = '\0';
	*cut = kept < length;
	/* an unterminated last line is a line, and comes before the error that ended it */
	if (newline == NULL && last == '\0' && length == 0)
		return result;
	source->line_number++;
	return 1;
}

/* Mail that is quoted-printable (RFC 2045, 6.7): no line is longer than 76 characters, and one that was ends in
 * a lone "=". */
static bool is_quoted_printable(struct source *source)
{
	const char *bytes;
	size_t length = source_peek(source, &bytes);
	bool broken = false;

	for (const char *at = bytes, *end = bytes + length; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);
		if (stop && size > 0 && at[size - 1] == '\r')
			size--;
		if (size > QUOTED_LINE_MAX)
			return false;
		broken = broken || (stop && size >= QUOTED_BREAK_MIN && at[size - 1] == '=' &&
				       at[size - 2] != '=');
		at = stop ? stop + 1 : end;
	}
	return broken;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes in place; true when the next line goes on with this one. */
static bool line_decode(char *line)
{
	char *out = line, *p = line;

	for (; *p; p++) {
		int high = *p == '=' ? hex_digit(p[1]) : -1, low = high < 0 ? -1 : hex_digit(p[2]);
		if (low < 0) {
			*out++ = *p;
			continue;
		}
		*out++ = high + low > 0 ? (char)(high << 4 | low) : '?';
		p += 2;
	}
	*out = '\0';
	if (out == line || out[-1] != '=' || p[-1] != '=')
		return false;
	out[-1] = '\0';
	return true;
}

int source_line(struct source *source, char *line, size_t size, bool *cut)
{
	bool more = true;
	size_t kept = 0;
	int result = 0;

	if (source->quoted == QUOTED_UNKNOWN)
		source->quoted = is_quoted_printable(source) ? QUOTED_YES : QUOTED_NO;
	if (source->quoted == QUOTED_NO)
		return line_read(source, line, size, cut);
	for (bool any = false; more && kept + 1 < size; any = true) {
		result = line_read(source, line + kept, size - kept, cut);
		if (result <= 0)
			return any ? 1 : result;
		more = line_decode(line + kept);
		kept += strlen(line + kept);
	}
	return result;
}

uint64_t source_line_number(const struct source *source)
{
	return source->line_number;
}

uint64_t source_offset(const struct source *source)
{
	return source->offset;
}
