#include "base/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define LINES_MAX 8

static const size_t chunk_sizes[] = {SIZE_MAX, 1, 2, 3, 5, 7, 64};

struct line_case {
	const char *name, *input;
	size_t length;
	size_t size; /* of the line buffer */
	const char *lines[LINES_MAX];
	unsigned cut; /* bit by line */
};

#define TEXT(text) .input = text, .length = sizeof(text) - 1

static const struct line_case line_cases[] = {
    {.name = "nothing", TEXT(""), .size = 9},
    {.name = "one line", TEXT("abc\n"), .size = 9, .lines = {"abc"}},
    {.name = "no line end", TEXT("abc"), .size = 9, .lines = {"abc"}},
    {.name = "empty lines", TEXT("\n\n"), .size = 9, .lines = {"", ""}},
    {.name = "last line without end", TEXT("a\nb"), .size = 9, .lines = {"a", "b"}},
    {.name = "CRLF", TEXT("a\r\nbc\r\n\r\n"), .size = 9, .lines = {"a", "bc", ""}},
    {.name = "cut between CR and LF", TEXT("a\r\nb\r"), .size = 9, .lines = {"a", "b"}},
    {.name = "only CR", TEXT("\r"), .size = 9, .lines = {""}},
    {.name = "CR inside", TEXT("a\rb\n"), .size = 9, .lines = {"a\rb"}},
    {.name = "CR twice", TEXT("a\r\r\n"), .size = 9, .lines = {"a\r"}},
    {.name = "fits exactly", TEXT("12345678\n"), .size = 9, .lines = {"12345678"}},
    {.name = "fits exactly with CRLF", TEXT("12345678\r\n"), .size = 9, .lines = {"12345678"}},
    {.name = "CR fits, and is not kept", TEXT("1234567\r\n"), .size = 9, .lines = {"1234567"}},
    {.name = "one too long",
	TEXT("123456789\nx\n"),
	.size = 9,
	.lines = {"12345678", "x"},
	.cut = 1},
    {.name = "one too long with CRLF",
	TEXT("123456789\r\nx\r\n"),
	.size = 9,
	.lines = {"12345678", "x"},
	.cut = 1},
    {.name = "too long, unterminated",
	TEXT("a\n1234567890"),
	.size = 9,
	.lines = {"a", "12345678"},
	.cut = 2},
    {.name = "CR where it is cut",
	TEXT("12345678\r9\n"),
	.size = 9,
	.lines = {"12345678"},
	.cut = 1},
    {.name = "room for nothing", TEXT("a\n\nb\n"), .size = 1, .lines = {"", "", ""}, .cut = 5},
    {.name = "NUL bytes", TEXT("a\0b\0\n\0\n"), .size = 9, .lines = {"a?b?", "?"}},
    {.name = "only a NUL", TEXT("\0"), .size = 9, .lines = {"?"}},
    {.name = "NUL bytes, cut", TEXT("\0\0\0\0\0"), .size = 4, .lines = {"???"}, .cut = 1},
    {.name = "any other byte",
	TEXT("\x01\x7f\x80\xff\n"),
	.size = 9,
	.lines = {"\x01\x7f\x80\xff"}},
};

static struct source *open_chunked(const char *bytes, size_t length, size_t chunk)
{
	return chunk == SIZE_MAX ? source_memory("test", bytes, length)
				 : source_memory_chunked("test", bytes, length, chunk);
}

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(line_cases) * COUNT(chunk_sizes); i++) {
		const struct line_case *row = &line_cases[i / COUNT(chunk_sizes)];
		size_t chunk = chunk_sizes[i % COUNT(chunk_sizes)], count = 0;
		struct source *source = open_chunked(row->input, row->length, chunk);
		char line[16];
		bool cut;
		printf("%s, chunks of %zd\n", row->name, (ssize_t)chunk);
		for (; count < LINES_MAX && row->lines[count] != NULL; count++) {
			memset(line, '#', sizeof(line));
			assert_int_equal(source_line(source, line, row->size, &cut), 1);
			assert_string_equal(line, row->lines[count]);
			assert_int_equal(cut, row->cut >> count & 1);
			assert_int_equal(source_line_number(source), count + 1);
			assert_int_equal(line[row->size], '#');
		}
		assert_int_equal(source_line(source, line, row->size, &cut), 0);
		assert_string_equal(line, "");
		assert_int_equal(source_line_number(source), count);
		assert_int_equal(source_offset(source), row->length);
		source_close(source);
	}
}

/* Numbered lines, so that any byte lost, doubled or moved shows. */
static char *numbered_lines(size_t count, size_t *length)
{
	char *text = malloc(count * 10 + 32);
	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		snprintf(text + i * 10, 32, "%09zu\n", i);
	*length = count * 10;
	return text;
}

static void check_numbered(struct source *source, size_t first, size_t count)
{
	char line[16];
	bool cut;
	for (size_t i = first; i < count; i++) {
		assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
		assert_int_equal(strtoul(line, NULL, 10), i);
	}
	assert_int_equal(source_line(source, line, sizeof(line), &cut), 0);
	assert_int_equal(source_offset(source), count * 10);
}

static void test_peek(void **state)
{
	(void)state;
	size_t length;
	char *text = numbered_lines(60000, &length);
	for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
		struct source *source = open_chunked(text, length, chunk_sizes[k]);
		const char *bytes;
		char line[16];
		bool cut;
		printf("chunks of %zd\n", (ssize_t)chunk_sizes[k]);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(source_peek(source, &bytes), SOURCE_PEEK_MAX);
			assert_memory_equal(bytes, text, SOURCE_PEEK_MAX);
			assert_int_equal(source_offset(source), 0);
		}
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
		assert_int_equal(source_peek(source, &bytes), SOURCE_PEEK_MAX);
		assert_memory_equal(bytes, text + 1000, SOURCE_PEEK_MAX);
		check_numbered(source, 100, 60000);
		assert_int_equal(source_peek(source, &bytes), 0);
		source_close(source);
	}
	free(text);
}

static void test_peek_at_short_input(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
		const char *bytes;
		struct source *source = open_chunked("abc", 3, chunk_sizes[k]);
		assert_int_equal(source_peek(source, &bytes), 3);
		assert_memory_equal(bytes, "abc", 3);
		source_close(source);
		source = open_chunked(NULL, 0, chunk_sizes[k]);
		assert_int_equal(source_peek(source, &bytes), 0);
		assert_int_equal(source_chunk(source, &bytes), 0);
		source_close(source);
	}
	source_close(NULL);
}

/* Chunks put together are the input, also when a part of each is given back. */
static void test_chunks_and_unread(void **state)
{
	(void)state;
	size_t length;
	char *text = numbered_lines(200, &length);
	for (size_t k = 0; k < COUNT(chunk_sizes); k++) {
		struct source *source = open_chunked(text, length, chunk_sizes[k]);
		const char *bytes;
		ssize_t count;
		size_t at = 0;
		bool whole = false;
		while ((count = source_chunk(source, &bytes)) > 0) {
			assert_memory_equal(bytes, text + at, (size_t)count);
			assert_int_equal(source_offset(source), at + (size_t)count);
			size_t back = whole ? 0 : (size_t)count / 2;
			whole = !whole;
			source_unread(source, back);
			at += (size_t)count - back;
			assert_int_equal(source_offset(source), at);
		}
		assert_int_equal(count, 0);
		assert_int_equal(at, length);
		assert_int_equal(source_chunk(source, &bytes), 0);
		source_close(source);
	}
	free(text);
}

static void test_names(void **state)
{
	(void)state;
	struct source *source = source_open("-");
	assert_string_equal(source_name(source), "standard input");
	source_close(source);
	/* still open */
	assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	source = source_open("/dev/null");
	assert_string_equal(source_name(source), "/dev/null");
	source_close(source);
}

static void test_open_errors(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int error;
	} rows[] = {{"/", EISDIR}, {".", EISDIR}, {"/nonexistent", ENOENT},
	    {"/dev/null/x", ENOTDIR}, {"", ENOENT}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		printf("'%s'\n", rows[i].name);
		errno = 0;
		assert_null(source_open(rows[i].name));
		assert_int_equal(errno, rows[i].error);
	}
	int kept = dup(STDIN_FILENO), directory = open("/", O_RDONLY);
	dup2(directory, STDIN_FILENO);
	assert_null(source_open("-"));
	assert_int_equal(errno, EISDIR);
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(directory);
}

static void test_read_error(void **state)
{
	(void)state;
	/* page 0 of a process is never mapped: the first read is an EIO */
	struct source *source = source_open("/proc/self/mem");
	const char *bytes;
	char line[16];
	bool cut;
	assert_int_equal(source_peek(source, &bytes), 0);
	for (int again = 0; again < 2; again++) {
		errno = 0;
		assert_int_equal(source_chunk(source, &bytes), -1);
		assert_int_equal(errno, EIO);
		errno = 0;
		assert_int_equal(source_line(source, line, sizeof(line), &cut), -1);
		assert_int_equal(errno, EIO);
	}
	source_close(source);
}

/* A pseudo-terminal whose other end is closed gives what was written, then EIO. */
static void test_error_after_line(void **state)
{
	(void)state;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(write(slave, "whole\nbroken", 12), 12);
	close(slave);
	int kept = dup(STDIN_FILENO);
	dup2(master, STDIN_FILENO);
	struct source *source = source_open("-");
	char line[16];
	bool cut;
	assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
	assert_string_equal(line, "whole");
	assert_int_equal(source_line(source, line, sizeof(line), &cut), 1);
	assert_string_equal(line, "broken");
	assert_int_equal(source_line(source, line, sizeof(line), &cut), -1);
	assert_int_equal(errno, EIO);
	source_close(source);
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(master);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
	(void)number;
	alarms++;
}

/* Runs a child that writes text to fd in pieces, slowly. */
static pid_t write_slowly(const char *path, int fd, const char *text, size_t length)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child > 0)
		return child;
	if (path != NULL)
		fd = open(path, O_WRONLY);
	for (size_t at = 0; at < length;) {
		size_t piece = at % 37 + 1;
		if (piece > length - at)
			piece = length - at;
		if (write(fd, text + at, piece) != (ssize_t)piece)
			_exit(1);
		at += piece;
		usleep(500);
	}
	_exit(0);
}

static void await(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
}

/* Signals that interrupt read() every millisecond change nothing. */
static void test_interrupted_reads(void **state)
{
	(void)state;
	size_t length;
	char *text = numbered_lines(300, &length), directory[] = "/tmp/test_source.XXXXXX",
	     path[64];
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/fifo", directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	pid_t child = write_slowly(path, -1, text, length);
	struct source *source = source_open(path);
	assert_non_null(source);
	struct sigaction action = {.sa_handler = count_alarm}, before;
	struct itimerval every = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000}, off = {0};
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &every, NULL);
	const char *bytes;
	assert_int_equal(source_peek(source, &bytes), length);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(alarms > 0);
	check_numbered(source, 0, 300);
	source_close(source);
	await(child);
	unlink(path);
	rmdir(directory);
	free(text);
}

/* Standard input that another process made non-blocking is waited for. */
static void test_nonblocking_input(void **state)
{
	(void)state;
	size_t length;
	char *text = numbered_lines(100, &length);
	int ends[2], kept = dup(STDIN_FILENO);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[0], STDIN_FILENO);
	struct source *source = source_open("-");
	pid_t child = write_slowly(NULL, ends[1], text, length);
	close(ends[1]);
	check_numbered(source, 0, 100);
	source_close(source);
	await(child);
	dup2(kept, STDIN_FILENO);
	close(kept);
	close(ends[0]);
	free(text);
}

static void test_offset_beyond_4_gib(void **state)
{
	(void)state;
	struct source *source = source_open("/dev/zero");
	const char *bytes;
	while (source_offset(source) <= UINT32_MAX)
		assert_true(source_chunk(source, &bytes) > 0);
	assert_int_equal(source_offset(source), UINT64_C(0x100000000));
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_peek),
	    cmocka_unit_test(test_peek_at_short_input),
	    cmocka_unit_test(test_chunks_and_unread),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_open_errors),
	    cmocka_unit_test(test_read_error),
	    cmocka_unit_test(test_error_after_line),
	    cmocka_unit_test(test_interrupted_reads),
	    cmocka_unit_test(test_nonblocking_input),
	    cmocka_unit_test(test_offset_beyond_4_gib),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
