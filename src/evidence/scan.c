#include "evidence/scan.h"

#include <string.h>

const char *scan_blanks(const char *at)
{
	return at + strspn(at, " \t\r");
}

bool scan_prefix(const char **at, const char *prefix)
{
	size_t length = strlen(prefix);
	if (strncmp(*at, prefix, length) != 0)
		return false;
	*at += length;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool scan_uint(const char **at, uint64_t *value)
{
	const char *p = *at;
	uint64_t sum = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*at = p;
	*value = sum;
	return true;
}

/* What %g makes of a byte count or a rate stays well within these. */
#define DIGITS_MAX 40
#define EXPONENT_MAX 30

/* "e+06": %g writes it for what does not fit six digits. */
static bool exponent_read(const char **at, int *exponent)
{
	const char *p = *at;
	uint64_t value;

	if (!scan_prefix(&p, "e+") && !scan_prefix(&p, "e-"))
		return true;
	bool negative = p[-1] == '-';
	if (!scan_uint(&p, &value) || value > EXPONENT_MAX)
		return false;
	*exponent = negative ? -(int)value : (int)value;
	*at = p;
	return true;
}

/* Not by strtod(), which would follow the locale.  Up to 15 digits the one division rounds right. */
bool scan_decimal(const char **at, double *value)
{
	const char *p = *at;
	double digits = 0, scale = 1;
	bool fraction = false;
	int exponent = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p) || ((*p == '.' || *p == ',') && !fraction && is_digit(p[1])); p++) {
		if (p - *at > DIGITS_MAX)
			return false;
		if (!is_digit(*p)) {
			fraction = true;
			continue;
		}
		digits = digits * 10 + (*p - '0');
		scale *= fraction ? 10 : 1;
	}
	if (!exponent_read(&p, &exponent))
		return false;
	for (; exponent > 0; exponent--)
		digits *= 10;
	for (; exponent < 0; exponent++)
		scale *= 10;
	*at = p;
	*value = digits / scale;
	return true;
}

size_t scan_word(const char **at, char *word, size_t size)
{
	const char *start = scan_blanks(*at);
	size_t length = strcspn(start, " \t\r");
	size_t kept = length < size ? length : size - 1;

	memcpy(word, start, kept);
	word[kept] = '\0';
	*at = start + length;
	return length;
}

void scan_printable(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}
