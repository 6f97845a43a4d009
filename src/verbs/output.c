#include "verbs/output.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A program started without one of the three would open the next file in its place, and write its
 * messages into that.  What stands in fails every read and write with EBADF, as a closed one does. */
static void descriptors_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		int got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		/* a bare root directory has no /dev */
		if (got < 0)
			got = open("/", O_PATH | O_DIRECTORY);
		if (got != fd)
			_exit(1);
	}
}

void output_begin(void)
{
	static char name[] = "bdp";

	/* argv[0] may be anything, or nothing */
	program_invocation_short_name = name;
	descriptors_fill();
	/* a closed pipe, or a file at its limit, is a failed write, reported like any other */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* By the rule of setlocale(3), but from the names alone: the locale's own files may be missing, and
 * reading them takes longer than all the rest. */
static bool output_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]);
		if (!locale || !*locale)
			continue;
		const char *charset = strchr(locale, '.');
		return charset && (strncasecmp(charset, ".UTF-8", 6) == 0 ||
				      strncasecmp(charset, ".utf8", 5) == 0);
	}
	return false;
}

static unsigned terminal_width(unsigned widest)
{
	struct winsize size;
	unsigned width = 80;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	return width < 40 ? 40 : width > widest ? widest : width;
}

struct style output_style(const struct options *options, unsigned widest)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool plain = (no_color && no_color[0]) || (term && strcmp(term, "dumb") == 0);

	return (struct style){
	    .color = options->color == COLOR_ALWAYS ||
		     (options->color == COLOR_AUTO && !plain && isatty(STDOUT_FILENO)),
	    .utf8 = output_is_utf8(),
	    .width = isatty(STDOUT_FILENO) ? terminal_width(widest) : 80,
	    .verbose = options->verbose,
	};
}

int output_finish(bool printed)
{
	/* the write that failed was the last call that set errno */
	if (!printed || ferror(stdout)) {
		warn("standard output");
		return 1;
	}
	if (fflush(stdout) != 0) {
		warn("standard output");
		return 1;
	}
	return 0;
}
