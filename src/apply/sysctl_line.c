#include "apply/sysctl_line.h"

#include <string.h>

static const char blanks[] = " \t\r\n\f\v";

static char *trim(char *text)
{
	text += strspn(text, blanks);
	size_t length = strlen(text);
	while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
		length--;
	text[length] = '\0';
	return text;
}

struct sysctl_line sysctl_line_cut(char *line)
{
	struct sysctl_line cut = {.kind = SYSCTL_OTHER};
	char *text = trim(line);
	if (text[0] == '\0') {
		cut.kind = SYSCTL_BLANK;
		return cut;
	}
	if (text[0] == '#' || text[0] == ';') {
		cut.kind = SYSCTL_COMMENT;
		return cut;
	}
	char *equals = strchr(text, '=');
	if (equals == NULL)
		return cut;
	*equals = '\0';
	cut.optional = text[0] == '-';
	cut.key = trim(text + cut.optional);
	cut.value = trim(equals + 1);
	if (cut.key[0] != '\0')
		cut.kind = SYSCTL_SETTING;
	return cut;
}
