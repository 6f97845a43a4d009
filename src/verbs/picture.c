#include "verbs/picture.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/quote.h"
#include "report/plot.h"

bool picture_sweep(const void *subject, FILE *stream)
{
	return plot_sweep(subject, stream);
}

bool picture_compare(const void *subject, FILE *stream)
{
	return plot_compare(subject, stream);
}

bool picture_advise(const void *subject, FILE *stream)
{
	return plot_run(subject, stream);
}

/* Drawn in memory first: a file that is there already stays whole unless the picture is. */
bool picture_write(const char *path, picture_drawer *draw, const void *subject)
{
	char *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);

	if (!memory)
		err(1, NULL);
	bool drawn = draw(subject, memory);
	if (fclose(memory) != 0)
		err(1, NULL);
	FILE *file = drawn ? fopen(path, "w") : NULL;
	errno = file ? 0 : errno;
	bool good = file && fwrite(text, 1, length, file) == length;
	if (file && fclose(file) != 0)
		good = false;
	free(text);
	if (!drawn)
		warnx("--plot %s: there are no intervals to draw", quoted(path));
	else if (!good)
		warn("--plot %s", quoted(path));
	return good;
}
