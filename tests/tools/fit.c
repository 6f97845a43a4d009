/*
 * Fits the weights of the features to labelled runs: reads what `features` prints from standard input, uses
 * the lines whose split is "fit", and prints src/diagnosis/weights.c.
 *
 * Multinomial logistic regression with several right answers a line (a truth may accept more than one
 * cause), and a penalty on the distance from what an expert would weigh (tests/corpus/experts.txt, the operand): a
 * weight that the runs say nothing of stays as the expert has it.  A weight keeps its expert's sign, and
 * one that the expert has at 0 stays 0.
 */
#include <bsd/string.h>
#include <ctype.h>
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis/features.h"

#define LINES_MAX 20000
#define ROUNDS 1500
/* Adam (Kingma, Ba 2015): step and decays. */
#define STEP 0.15
#define DECAY_MEAN 0.9
#define DECAY_SQUARE 0.999
/* Standard deviation of what the runs may change an expert's weight by, in its unit. */
/* Every cause has this weight, times the root of what its lines come to. */
#define CAUSE_WEIGHT 4.0
#define TRUST 3.0
/* An expert knows less of what a number on a scale weighs. */
#define TRUST_GRADED 4.0
#define FARTHEST_GRADED 6.0
/* No weight moves farther than this from the expert's. */
#define FARTHEST 5.0
#define NATS (M_LN10 / 10)
#define EXCLUDED 30 /* as in src/diagnosis/verdict.c */

struct line {
	bool present[FEATURE_COUNT];
	double grade[FEATURE_COUNT];
	bool accepted[FACTOR_COUNT];
	double weight, balanced;
	bool fit;
	char group[300];
};

static struct line *lines;
static size_t line_count;
/* An expert's weight that ends in "!" is not fitted. */
static bool fixed[FEATURE_COUNT + 2][FACTOR_COUNT];
static unsigned shows[FEATURE_COUNT], excludes[FEATURE_COUNT], proves[FEATURE_COUNT],
    lowers[FEATURE_COUNT];
#define MET (FEATURE_COUNT + 1)
static double expert[FEATURE_COUNT + 2][FACTOR_COUNT], weights[FEATURE_COUNT + 1][FACTOR_COUNT];

/* Features that are numbers: some line has another grade than 1. */
static bool graded[FEATURE_COUNT + 1];

static int factor_named(const char *name)
{
	for (int f = 0; f < FACTOR_COUNT; f++)
		if (strcmp(factor_table[f].name, name) == 0)
			return f == FACTOR_QUEUE ? FACTOR_LINK : f;
	return -1;
}

static void read_line(char *text)
{
	char *cell[6], *at = text, *word;
	struct line *line = &lines[line_count];

	for (int i = 0; i < 6; i++)
		cell[i] = strsep(&at, "\t");
	if (!cell[5] || cell[5][0] == '-' || cell[4][0] == '-')
		return;
	memset(line, 0, sizeof(*line));
	line->fit = strcmp(cell[3], "fit") == 0;
	snprintf(line->group, sizeof(line->group), "%s %s %s", cell[0], cell[1], cell[4]);
	while ((word = strsep(&cell[4], ",")))
		if (factor_named(word) >= 0)
			line->accepted[factor_named(word)] = true;
	while ((word = strsep(&cell[5], ",")))
		if (isdigit((unsigned char)word[0]) && atoi(word) < FEATURE_COUNT) {
			const char *grade = strchr(word, ':');
			line->present[atoi(word)] = true;
			line->grade[atoi(word)] = grade ? atof(grade + 1) : 1;
			graded[atoi(word)] |= line->grade[atoi(word)] != 1;
		}
	line_count++;
}

static bool same_first(const struct line *a, const struct line *b)
{
	for (int f = 0; f < FACTOR_COUNT; f++)
		if (a->accepted[f] || b->accepted[f])
			return a->accepted[f] && b->accepted[f];
	return false;
}

/* Many runs of one kind count as the square root of their number; all causes count alike. */
static void weigh_lines(void)
{
	for (size_t i = 0; i < line_count; i++) {
		double same = 0;
		for (size_t j = 0; j < line_count; j++)
			same += lines[j].fit == lines[i].fit &&
				strcmp(lines[j].group, lines[i].group) == 0;
		lines[i].weight = 1 / sqrt(same);
	}
	for (size_t i = 0; i < line_count; i++) {
		double cause = 0;
		for (size_t j = 0; j < line_count; j++)
			if (lines[j].fit == lines[i].fit && same_first(&lines[i], &lines[j]))
				cause += lines[j].weight;
		lines[i].balanced = CAUSE_WEIGHT * lines[i].weight / sqrt(cause);
	}
	for (size_t i = 0; i < line_count; i++)
		lines[i].weight = lines[i].balanced;
}

static double shares_of(const struct line *line, double shares[FACTOR_COUNT])
{
	double most = -INFINITY, sum = 0, right = 0;

	for (int f = 0; f < FACTOR_COUNT; f++) {
		shares[f] = f == FACTOR_QUEUE ? -INFINITY : weights[FEATURE_COUNT][f];
		for (int i = 0; i < FEATURE_COUNT; i++)
			if (line->present[i])
				shares[f] += line->grade[i] * weights[i][f] -
					     (excludes[i] & 1u << f ? EXCLUDED : 0);
		most = fmax(most, shares[f]);
	}
	for (int f = 0; f < FACTOR_COUNT; f++)
		sum += shares[f] = exp(NATS * (shares[f] - most));
	for (int f = 0; f < FACTOR_COUNT; f++) {
		shares[f] /= sum;
		right += line->accepted[f] ? shares[f] : 0;
	}
	return right;
}

static double gradient[FEATURE_COUNT + 1][FACTOR_COUNT];
static double means[FEATURE_COUNT + 1][FACTOR_COUNT], squares[FEATURE_COUNT + 1][FACTOR_COUNT];

static double descend(int round)
{
	double loss = 0, total = 0;

	memset(gradient, 0, sizeof(gradient));
	for (size_t n = 0; n < line_count; n++) {
		const struct line *line = &lines[n];
		double shares[FACTOR_COUNT];
		if (!line->fit)
			continue;
		double right = fmax(1e-9, shares_of(line, shares));
		loss -= line->weight * log(right);
		total += line->weight;
		for (int f = 0; f < FACTOR_COUNT; f++) {
			double slope = line->weight * NATS *
				       (shares[f] - (line->accepted[f] ? shares[f] / right : 0));
			gradient[FEATURE_COUNT][f] += slope;
			for (int i = 0; i < FEATURE_COUNT; i++)
				if (line->present[i])
					gradient[i][f] += line->grade[i] * slope;
		}
	}
	for (int i = 0; i <= FEATURE_COUNT; i++)
		for (int f = 0; f < FACTOR_COUNT; f++) {
			double away = weights[i][f] - expert[i][f];
			double trust = graded[i] ? TRUST_GRADED : TRUST;
			double farthest = graded[i] ? FARTHEST_GRADED : FARTHEST;
			gradient[i][f] += away / (trust * trust);
			loss += away * away / (2 * trust * trust);
			if ((expert[i][f] == 0 && i < FEATURE_COUNT) || fixed[i][f])
				continue;
			double g = gradient[i][f];
			means[i][f] = DECAY_MEAN * means[i][f] + (1 - DECAY_MEAN) * g;
			squares[i][f] = DECAY_SQUARE * squares[i][f] + (1 - DECAY_SQUARE) * g * g;
			double mean = means[i][f] / (1 - pow(DECAY_MEAN, round + 1));
			double square = squares[i][f] / (1 - pow(DECAY_SQUARE, round + 1));
			weights[i][f] -= STEP * mean / (sqrt(square) + 1e-9);
			weights[i][f] = fmax(
			    expert[i][f] - farthest, fmin(expert[i][f] + farthest, weights[i][f]));
			if (weights[i][f] * expert[i][f] < 0 && i < FEATURE_COUNT && !graded[i])
				weights[i][f] = 0;
		}
	return loss / fmax(total, 1);
}

/* "+CAUSE", "-CAUSE", "*CAUSE" and "<CAUSE" */
static void mark(int row, const char *cell, const char *name)
{
	int f = factor_named(cell + 1);

	if (f < 0 || row >= FEATURE_COUNT)
		errx(1, "%s: \"%s\": expected a cause behind a feature", name, cell);
	unsigned *mask = *cell == '+'	? shows
			 : *cell == '*' ? proves
			 : *cell == '<' ? lowers
					: excludes;
	mask[row] |= 1u << f;
}

static void read_experts(const char *name)
{
	char text[1024];
	FILE *stream = fopen(name, "r");

	if (!stream)
		err(1, "%s", name);
	while (fgets(text, sizeof(text), stream)) {
		char *at = text, *cell = strsep(&at, " \n");
		int row = -1;
		if (text[0] == '#' || text[0] == '\0')
			continue;
		for (int i = 0; i < FEATURE_COUNT; i++)
			if (feature_table[i].name && strcmp(feature_table[i].name, cell) == 0)
				row = i;
		if (strcmp(cell, "prior") == 0)
			row = FEATURE_COUNT;
		if (strcmp(cell, "met") == 0)
			row = MET;
		if (row < 0)
			errx(1, "%s: no feature \"%s\"", name, cell);
		while ((cell = strsep(&at, " \n")) && *cell) {
			if (strchr("+-*<", *cell)) {
				mark(row, cell, name);
				continue;
			}
			char *equals = strchr(cell, '=');
			if (!equals)
				errx(1, "%s: \"%s\": expected CAUSE=WEIGHT", name, cell);
			*equals = '\0';
			int f = factor_named(cell);
			if (f < 0)
				errx(1, "%s: no cause \"%s\"", name, cell);
			expert[row][f] = atof(equals + 1);
			fixed[row][f] = strchr(equals + 1, '!') != NULL;
		}
	}
	fclose(stream);
}

static const char *const shorts[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = "OTHER",
    [FACTOR_APPLICATION] = "APP",
    [FACTOR_SOCKET_OPTION] = "OPT",
    [FACTOR_CPU] = "CPU",
    [FACTOR_RECEIVE_WINDOW] = "RW",
    [FACTOR_SEND_BUFFER] = "SB",
    [FACTOR_WINDOW_SCALING_OFF] = "SCALE",
    [FACTOR_RANDOM_LOSS] = "LOSS",
    [FACTOR_POLICER] = "POL",
    [FACTOR_LINK] = "LINK",
    [FACTOR_STALLED] = "STALL",
    [FACTOR_RECEIVER_APPLICATION] = "READ",
    [FACTOR_APPLICATION_WINDOW] = "AWIN",
    [FACTOR_LOSS_RECOVERY] = "RECOV",
};

static void print_weights(const double row[FACTOR_COUNT], const double more[FACTOR_COUNT])
{
	const char *comma = "";

	for (int f = 0; f < FACTOR_COUNT; f++) {
		int weight = (int)lround(row[f]) + (more ? (int)lround(more[f]) : 0);
		if (weight == 0 || !shorts[f])
			continue;
		printf("%s[%s] = %d", comma, shorts[f], weight);
		comma = ", ";
	}
	if (*comma == '\0')
		putchar('0');
}

static void print_causes(const char *member, unsigned mask)
{
	const char *bar = "";

	if (mask == 0)
		return;
	printf(",\n\t\t.%s = ", member);
	for (int f = 0; f < FACTOR_COUNT; f++)
		if (mask & 1u << f) {
			printf("%s1 << %s", bar, shorts[f]);
			bar = " | ";
		}
}

/* The constant's name of a feature: "window-full" is FEATURE_WINDOW_FULL. */
static void print_constant(const char *name)
{
	printf("FEATURE_");
	for (; *name; name++)
		putchar(*name == '-' ? '_' : toupper((unsigned char)*name));
}

static void print_table(void)
{
	printf(
	    "/*\n * What each feature weighs for and against each cause: 10 log10 of how many times likelier the feature"
	    "\n * is where that cause holds the flow than elsewhere.\n *\n * Printed by `make weights` from labelled"
	    " runs and tests/corpus/experts.txt: do not edit.\n */\n#include \"diagnosis/features.h\"\n\n");
	for (int f = 0; f < FACTOR_COUNT; f++)
		if (shorts[f]) {
			printf("#define %s FACTOR_", shorts[f]);
			for (const char *c = factor_table[f].name; *c; c++)
				putchar(*c == '-' ? '_' : toupper((unsigned char)*c));
			putchar('\n');
		}
	printf("\n/* clang-format off */\nconst signed char factor_prior[FACTOR_COUNT] = {\n\t");
	print_weights(weights[FEATURE_COUNT], expert[MET]);
	printf(",\n};\n\nconst struct feature_row feature_table[FEATURE_COUNT] = {\n");
	for (int i = 0; i < FEATURE_COUNT; i++) {
		printf("\t[");
		print_constant(feature_table[i].name);
		printf("] = {.name = \"%s\",\n\t\t.weight = {", feature_table[i].name);
		print_weights(weights[i], NULL);
		printf("}");
		print_causes("shows", shows[i]);
		print_causes("excludes", excludes[i]);
		print_causes("proves", proves[i]);
		print_causes("lowers", lowers[i]);
		printf("},\n");
	}
	printf("};\n/* clang-format on */\n");
}

int main(int argc, char **argv)
{
	static char text[8192];

	if (argc != 2)
		errx(2, "usage: features <LIST | fit EXPERTS");
	read_experts(argv[1]);
	lines = calloc(LINES_MAX, sizeof(*lines));
	if (!lines)
		err(1, NULL);
	while (line_count < LINES_MAX && fgets(text, sizeof(text), stdin)) {
		text[strcspn(text, "\n")] = '\0';
		read_line(text);
	}
	weigh_lines();
	memcpy(weights, expert, sizeof(weights));
	double loss = 0;
	for (int round = 0; round < ROUNDS; round++)
		loss = descend(round);
	fprintf(stderr, "%zu lines, loss %.4f\n", line_count, loss);
	print_table();
	return 0;
}
