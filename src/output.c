#include "output.h"

#include <err.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

	setlocale(LC_CTYPE, "");
	return (struct style){
	    .color = options->color == COLOR_ALWAYS ||
		     (options->color == COLOR_AUTO && !plain && isatty(STDOUT_FILENO)),
	    .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	    .width = isatty(STDOUT_FILENO) ? terminal_width(widest) : 80,
	};
}

int output_finish(bool printed)
{
	if (!printed || ferror(stdout)) {
		warnx("standard output: the report could not be written");
		return 1;
	}
	errno = 0;
	if (fflush(stdout) != 0) {
		warn("standard output");
		return 1;
	}
	return 0;
}
