#include "verbs/picture.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/quote.h"

/* Drawn in memory first: a file that is there already stays whole unless the picture is. */
FILE *picture_begin(struct picture *picture)
{
	*picture = (struct picture){.text = NULL};
	picture->stream = open_memstream(&picture->text, &picture->length);
	if (!picture->stream)
		err(1, NULL);
	return picture->stream;
}

bool picture_write(struct picture *picture, bool drawn, const char *path)
{
	if (fclose(picture->stream) != 0)
		err(1, NULL);
	FILE *file = drawn ? fopen(path, "w") : NULL;
	errno = file ? 0 : errno;
	bool good = file && fwrite(picture->text, 1, picture->length, file) == picture->length;
	if (file && fclose(file) != 0)
		good = false;
	free(picture->text);
	if (!drawn)
		warnx("--plot %s: there are no intervals to draw", quoted(path));
	else if (!good)
		warn("--plot %s", quoted(path));
	return good;
}
