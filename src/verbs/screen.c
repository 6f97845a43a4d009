#include "verbs/screen.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ECMA-48: home; erase to the end of the line; erase to the end of the screen. */
#define HOME "\033[H"
#define ERASE_LINE "\033[K"
#define ERASE_REST "\033[J"

static volatile sig_atomic_t asked_to_end;

static void take_signal(int number)
{
	(void)number;
	asked_to_end = 1;
}

static unsigned rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
		return size.ws_row;
	return 24;
}

void screen_begin(void)
{
	struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART}, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1) */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	/* what was on the screen goes to where one can scroll back to it */
	for (unsigned i = 0; isatty(STDOUT_FILENO) && i < rows(); i++)
		putchar('\n');
}

bool screen_wait(double seconds)
{
	struct timespec left = {
	    .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

	while (!asked_to_end && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
	return !asked_to_end;
}

/* How much of the text fits: whole parts, as empty lines divide it; but no less than half of the room is
 * used. */
static const char *screen_end(const char *text, const char *end, unsigned room)
{
	const char *part = NULL;
	unsigned lines = 0, part_lines = 0;

	for (const char *line = text; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t)(end - line));
		if (line_end == line) {
			part = line;
			part_lines = lines;
		}
		if (lines == room)
			return part_lines >= room / 2 ? part : line;
		lines++;
		line = line_end ? line_end + 1 : end;
	}
	return end;
}

bool screen_show(const char *text, size_t length)
{
	const char *end = text + length;

	if (!isatty(STDOUT_FILENO))
		return fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0;
	/* a line is left for the cursor */
	end = screen_end(text, end, rows() - 1);
	fputs(HOME, stdout);
	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((line_end ? line_end : end) - text);
		fwrite(text, 1, line, stdout);
		fputs(ERASE_LINE "\n", stdout);
		text += line + (line_end != NULL);
	}
	fputs(ERASE_REST, stdout);
	return fflush(stdout) == 0 && !ferror(stdout);
}
