#include "base/error.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>

static char *kept;
static size_t kept_size;

void report_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (kept)
		vsnprintf(kept, kept_size, format, arguments);
	else
		vwarnx(format, arguments);
	va_end(arguments);
}

void errors_keep(char *into, size_t size)
{
	kept = into;
	kept_size = size;
}
