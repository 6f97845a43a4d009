#include "verbs/progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "verbs/screen.h"

/* ECMA-48: erase to the end of the line. */
#define ERASE_LINE "\033[K"
#define STEP_S 0.25
#define LINE_MAX_COLUMNS 120

/* What stands there, so that the same is not written again; "" for nothing. */
static char shown[LINE_MAX_COLUMNS + 1];

static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		return size.ws_col < LINE_MAX_COLUMNS ? size.ws_col : LINE_MAX_COLUMNS;
	return 80;
}

void progress_show(const char *what, double done_s, double total_s)
{
	char line[LINE_MAX_COLUMNS + 1];

	if (!isatty(STDERR_FILENO))
		return;
	if (total_s > 0)
		snprintf(line, sizeof(line), "%s: %.0f s of %.0f s", what, floor(done_s), total_s);
	else
		snprintf(line, sizeof(line), "%s: %.0f s", what, floor(done_s));
	/* a line that is wrapped could not be taken away */
	line[columns() - 1] = '\0';
	if (strcmp(line, shown) == 0)
		return;
	memcpy(shown, line, sizeof(shown));
	fprintf(stderr, "\r%s" ERASE_LINE, line);
	fflush(stderr);
}

void progress_clear(void)
{
	if (shown[0] == '\0')
		return;
	shown[0] = '\0';
	fputs("\r" ERASE_LINE, stderr);
	fflush(stderr);
}

void progress_wait(const char *what, double seconds)
{
	bool goes_on = true;

	for (double done_s = 0; goes_on && done_s < seconds; done_s += STEP_S) {
		progress_show(what, done_s, seconds);
		goes_on = screen_wait(fmin(STEP_S, seconds - done_s));
	}
	progress_clear();
}
