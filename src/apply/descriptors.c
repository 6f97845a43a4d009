#include "apply/descriptors.h"

#include <bsd/stdlib.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 3

static int compare(const void *a, const void *b)
{
	const int *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

static bool close_range_of(unsigned from, unsigned to)
{
	return from > to || syscall(SYS_close_range, from, to, 0) == 0;
}

/* The gaps between those that are kept. */
static bool close_gaps(const int *kept, size_t count)
{
	unsigned from = FIRST;
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		if (kept[i] < (int)from)
			continue;
		if (kept[i] > (int)from)
			good = close_range_of(from, (unsigned)kept[i] - 1);
		from = (unsigned)kept[i] + 1;
	}
	return good && close_range_of(from, UINT_MAX);
}

bool descriptors_close_listed(const int *kept, size_t count)
{
	DIR *listed = opendir("/proc/self/fd");
	if (listed == NULL)
		return false;
	for (struct dirent *entry; (entry = readdir(listed)) != NULL;) {
		const char *problem;
		int fd = (int)strtonum(entry->d_name, FIRST, INT_MAX, &problem);
		if (problem != NULL || fd == dirfd(listed))
			continue;
		if (count == 0 || bsearch(&fd, kept, count, sizeof(fd), compare) == NULL)
			close(fd);
	}
	closedir(listed);
	return true;
}

bool descriptors_close_others(int *kept, size_t count)
{
	if (count > 0)
		qsort(kept, count, sizeof(*kept), compare);
	return close_gaps(kept, count) || descriptors_close_listed(kept, count);
}
