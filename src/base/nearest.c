#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD_MAX 32
#define FAR SIZE_MAX

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment; words beyond WORD_MAX are far from everything. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t table[3][WORD_MAX + 1];
	size_t length_a = strnlen(a, WORD_MAX + 1), length_b = strnlen(b, WORD_MAX + 1);
	if (length_a > WORD_MAX || length_b > WORD_MAX)
		return FAR;
	for (size_t j = 0; j <= length_b; j++)
		table[0][j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t *row = table[i % 3];
		const size_t *above = table[(i - 1) % 3], *before = table[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			bool same = a[i - 1] == b[j - 1];
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return table[length_a % 3][length_b];
}

struct nearest nearest_to(const char *word)
{
	return (struct nearest){.word = word, .distance = FAR};
}

void nearest_try(struct nearest *nearest, const char *candidate)
{
	size_t length = strnlen(nearest->word, WORD_MAX + 1);
	size_t distance = edit_distance(nearest->word, candidate);
	if (length >= 2 && distance > 1 && strncmp(candidate, nearest->word, length) == 0)
		distance = 1;
	bool near = distance <= 1 + length / 4 && distance < length;
	if (near && distance < nearest->distance) {
		nearest->distance = distance;
		nearest->best = candidate;
	}
}
