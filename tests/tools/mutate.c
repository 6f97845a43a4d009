/*
 * Makes small changes to a C source, one at a time, to see whether a test notices.
 *
 *     mutate list FILE...                    every change that could be made, a line each:
 *                                            key, file, line, offset, length, old text, new text
 *     mutate make FILE OFFSET LENGTH NEW     the file with that change, on standard output
 *
 * What is changed: a comparison is turned round (< becomes >=, == becomes !=), "and" becomes "or" and
 * back, and a number becomes another (0 becomes 1, a small one is one larger, a larger one a quarter
 * less).  Left alone: comments, texts, directives other than "#define NAME number", sizes of arrays,
 * values of enumerators, {0}, the 0 of "sizeof(x[0])", the 0 of "> 0" and "<= 0" (of a measured number
 * 1 would do as well, and the comparison itself is changed), and _Static_assert.
 *
 * The key is made of the path and the line's own text, so that it stays when other lines change.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct file {
	const char *name;
	char *text;
	size_t length;
};

/* The longest first, so that << is not taken for two. */
static const struct {
	const char *old, *new; /* new NULL: no comparison, but must be known to be passed over */
} operators[] = {
    {"<<=", NULL},
    {">>=", NULL},
    {"->", NULL},
    {"<<", NULL},
    {">>", NULL},
    {"<=", ">"},
    {">=", "<"},
    {"==", "!="},
    {"!=", "=="},
    {"&&", "||"},
    {"||", "&&"},
    {"<", ">="},
    {">", "<="},
};

static struct file file_read(const char *name)
{
	struct file file = {.name = name};
	FILE *stream = fopen(name, "rb");
	if (stream == NULL || fseek(stream, 0, SEEK_END) != 0)
		err(1, "%s", name);
	long size = ftell(stream);
	if (size < 0)
		err(1, "%s", name);
	rewind(stream);
	file.length = (size_t)size;
	file.text = calloc(1, file.length + 1);
	if (file.text == NULL || fread(file.text, 1, file.length, stream) != file.length)
		err(1, "%s", name);
	fclose(stream);
	return file;
}

static size_t line_begin(const struct file *file, size_t at)
{
	while (at > 0 && file->text[at - 1] != '\n')
		at--;
	return at;
}

/* FNV-1a, of what does not move: the path, the line's text, the place in it and the new text. */
static uint64_t key_of(const struct file *file, size_t at, const char *new, unsigned twin)
{
	uint64_t hash = 14695981039346656037u;
	size_t begin = line_begin(file, at);
	char place[32];
	snprintf(place, sizeof(place), ":%zu:%u:", at - begin, twin);
	const char *parts[] = {file->name, place, new};
	for (size_t i = 0; i < COUNT(parts); i++)
		for (const char *p = parts[i]; *p != '\0'; p++)
			hash = (hash ^ (unsigned char)*p) * 1099511628211u;
	for (size_t i = begin; file->text[i] != '\n' && file->text[i] != '\0'; i++)
		hash = (hash ^ (unsigned char)file->text[i]) * 1099511628211u;
	return hash;
}

/* How many lines before this one have the same text. */
static unsigned twins_before(const struct file *file, size_t at)
{
	size_t begin = line_begin(file, at), length = strcspn(file->text + begin, "\n");
	unsigned count = 0;
	for (size_t i = 0; i < begin; i += strcspn(file->text + i, "\n") + 1)
		count += strncmp(file->text + i, file->text + begin, length + 1) == 0;
	return count;
}

static void print_mutant(const struct file *file, size_t at, size_t length, const char *new)
{
	unsigned line = 1;
	for (size_t i = 0; i < at; i++)
		line += file->text[i] == '\n';
	printf("%016" PRIx64 "\t%s\t%u\t%zu\t%zu\t%.*s\t%s\n",
	    key_of(file, at, new, twins_before(file, at)), file->name, line, at, length,
	    (int)length, file->text + at, new);
}

/* A number of any form, made another; a suffix is kept. */
static bool number_other(const char *old, size_t length, char *new, size_t size)
{
	char text[64], *end;
	if (length >= sizeof(text))
		return false;
	memcpy(text, old, length);
	text[length] = '\0';
	bool hexadecimal = strncmp(text, "0x", 2) == 0;
	if (hexadecimal && strchr(text, 'p') != NULL) {
		snprintf(new, size, "%a", strtod(text, NULL) * 0.75);
		return true;
	}
	if (!hexadecimal && strpbrk(text, ".e") != NULL) {
		double value = strtod(text, &end);
		snprintf(new, size, "%.9g%s", value == 0 ? 1 : value * 0.8, end);
		if (strpbrk(new, ".e") == NULL)
			snprintf(new, size, "%.9g.0%s", value == 0 ? 1 : value * 0.8, end);
		return true;
	}
	errno = 0;
	uint64_t value = strtoull(text, &end, 0);
	if (errno != 0)
		return false;
	uint64_t other = value < 10 ? value + 1 : value - value / 4;
	snprintf(new, size, "%" PRIu64 "%s", other, end);
	return true;
}

/* "sizeof(rows[0])" is that of any element. */
static bool is_in_sizeof(const struct file *file, size_t at, size_t length)
{
	size_t open = at;
	while (open > 0 && file->text[open] != '(' && file->text[open] != '\n')
		open--;
	return strncmp(file->text + at + length, "])", 2) == 0 && open > 6 &&
	       strncmp(file->text + open - 6, "sizeof(", 7) == 0;
}

/* The size of an array, an enumerator's value, an initialiser that only clears: no test can tell. */
static bool is_no_knowledge(const struct file *file, size_t at, size_t length)
{
	const char *text = file->text + at;
	size_t begin = line_begin(file, at);
	if (at > 0 && text[-1] == '{' && text[0] == '0' && text[length] == '}')
		return true;
	if (is_in_sizeof(file, at, length))
		return true;
	if (at > 0 && text[-1] == '[' && text[length] == ']' && strtoull(text, NULL, 0) > 3)
		return true;
	if (at > 2 && text[0] == '0' && length == 1 &&
	    (strncmp(text - 3, " > ", 3) == 0 || strncmp(text - 3, "<= ", 3) == 0))
		return true;
	size_t end = at + strcspn(text, "\n"), open = at;
	while (open > begin && file->text[open] != '[' && file->text[open] != ']')
		open--;
	if (file->text[open] == '[' && end - at > 1 &&
	    strncmp(file->text + end - 2, "];", 2) == 0 &&
	    memchr(text, ']', end - at) == file->text + end - 2)
		return true;
	size_t i = begin + strspn(file->text + begin, "\t ");
	size_t name = strspn(file->text + i, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	return name > 0 && strncmp(file->text + i + name, " = ", 3) == 0 &&
	       strncmp(file->text + begin, "#", 1) != 0;
}

static size_t skip_quoted(const char *text, size_t at)
{
	char quote = text[at++];
	while (text[at] != '\0' && text[at] != quote)
		at += text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;
	return text[at] == '\0' ? at : at + 1;
}

static size_t skip_to(const struct file *file, size_t at, const char *end)
{
	const char *found = strstr(file->text + at, end);
	return found == NULL ? file->length : (size_t)(found - file->text) + strlen(end);
}

/* A directive is passed over, but for the value of "#define NAME value". */
static size_t skip_directive(const struct file *file, size_t at)
{
	const char *text = file->text;
	size_t end = at;
	while (text[end] != '\0' && text[end] != '\n')
		end += text[end] == '\\' && text[end + 1] == '\n' ? 2 : 1;
	if (strncmp(text + at, "#define ", 8) != 0)
		return end;
	size_t name = at + 8;
	while (isalnum((unsigned char)text[name]) || text[name] == '_')
		name++;
	return text[name] == ' ' ? name : end;
}

static size_t take_operator(const struct file *file, size_t at)
{
	for (size_t i = 0; i < COUNT(operators); i++) {
		size_t length = strlen(operators[i].old);
		if (strncmp(file->text + at, operators[i].old, length) != 0)
			continue;
		if (operators[i].new != NULL)
			print_mutant(file, at, length, operators[i].new);
		return at + length;
	}
	return at + 1;
}

static size_t take_number(const struct file *file, size_t at)
{
	const char *text = file->text;
	size_t end = at;
	char new[64];
	while (isalnum((unsigned char)text[end]) || text[end] == '.' ||
	       ((text[end] == '-' || text[end] == '+') && text[end - 1] == 'e' &&
		   strncmp(text + at, "0x", 2) != 0))
		end++;
	if (!is_no_knowledge(file, at, end - at) &&
	    number_other(text + at, end - at, new, sizeof(new)))
		print_mutant(file, at, end - at, new);
	return end;
}

static size_t take_word(const struct file *file, size_t at)
{
	size_t begin = at;
	while (isalnum((unsigned char)file->text[at]) || file->text[at] == '_')
		at++;
	if (at - begin == 14 && strncmp(file->text + begin, "_Static_assert", 14) == 0)
		return skip_to(file, at, ");");
	return at;
}

static void list(const struct file *file)
{
	for (size_t at = 0; at < file->length;) {
		const char *text = file->text + at;
		bool first = file->text[line_begin(file, at)] == '#' && line_begin(file, at) == at;
		if (strncmp(text, "/*", 2) == 0)
			at = skip_to(file, at + 2, "*/");
		else if (strncmp(text, "//", 2) == 0)
			at = skip_to(file, at, "\n");
		else if (*text == '"' || *text == '\'')
			at = skip_quoted(file->text, at);
		else if (first)
			at = skip_directive(file, at);
		else if (isdigit((unsigned char)*text))
			at = take_number(file, at);
		else if (isalpha((unsigned char)*text) || *text == '_')
			at = take_word(file, at);
		else
			at = take_operator(file, at);
	}
}

static void make(const struct file *file, size_t at, size_t length, const char *new)
{
	if (at > file->length || length > file->length - at)
		errx(2, "%s: no such place", file->name);
	fwrite(file->text, 1, at, stdout);
	fputs(new, stdout);
	fwrite(file->text + at + length, 1, file->length - at - length, stdout);
}

int main(int argc, char **argv)
{
	if (argc == 6 && strcmp(argv[1], "make") == 0) {
		struct file file = file_read(argv[2]);
		make(&file, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), argv[5]);
		free(file.text);
	} else if (argc > 2 && strcmp(argv[1], "list") == 0) {
		for (int i = 2; i < argc; i++) {
			struct file file = file_read(argv[i]);
			list(&file);
			free(file.text);
		}
	} else {
		errx(2, "usage: mutate list FILE... | mutate make FILE OFFSET LENGTH NEW");
	}
	if (fflush(stdout) != 0)
		err(1, "standard output");
	return 0;
}
