/*
 * A picture of what was measured: a title, a sentence, and below them parts of one width.  A part is a
 * panel with a scale, or rows of bars.  Panels that follow each other share the x axis, whose numbers
 * stand below the last.
 */
#ifndef BDP_CHART_H
#define BDP_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/svg.h"

struct chart {
	FILE *stream; /* where the picture goes when it is whole: its height is known only then */
	char *body;
	size_t length;
	struct svg svg; /* of the body */
	double y;	/* where the next part begins */
	bool panels;	/* there is one already */
	const char *title;
	const char *sentence;
};

/* A value y, held from x to x_end (equal to x for a point); NAN when it is unknown.  The runs spread
 * from low to high; both equal to y where there was one. */
struct chart_point {
	double x, x_end, y, low, high;
	bool strong;
};

enum chart_mark {
	CHART_STEPS, /* each value holds for its interval */
	CHART_LINE,  /* points, and lines from one to the next */
	CHART_BARS,  /* from x to x_end; where these are equal, a thin one that tells its value */
};

struct chart_series {
	const char *name; /* for the legend; NULL when the panel's title says it */
	enum chart_mark mark;
	enum svg_paint paint;
	const struct chart_point *points;
	size_t count;
};

/* A stretch of the x axis that has a name. */
struct chart_band {
	double start, end;
	const char *label;
};

/* A place on the x axis: a number below it, or a dashed line with a label. */
struct chart_tick {
	double x;
	const char *text;
	bool strong; /* outranks its neighbours where there is no room for all */
};

struct chart_x {
	double low, high;
	bool log;
	const struct chart_band *bands;
	size_t band_count;
	const struct chart_tick *lines;
	size_t line_count;
	enum svg_paint line_paint;
};

struct chart_panel {
	const char *title, *log_title; /* the second where the scale became logarithmic */
	enum svg_unit unit;
	double height;
	bool plain; /* without the lines of the x axis, which would cross the numbers */
	/* logarithmic when the largest value is this many times the smallest; 0: never */
	double log_from;
	const struct chart_series *series;
	size_t series_count;
};

/* One of the bars below each other. */
struct chart_row {
	const char *label, *text; /* text: the value as it is told */
	double value, low, high;  /* value NAN when unknown */
	bool strong;
};

/* The texts must stay until the end. */
void chart_begin(struct chart *chart, FILE *stream, const char *title, const char *sentence);
/* The names of the bands; before the panels. */
void chart_bands(struct chart *chart, const struct chart_x *x);
/* Draws nothing when no value is above 0. */
void chart_panel(struct chart *chart, const struct chart_x *x, const struct chart_panel *panel);
void chart_ticks(
    struct chart *chart, const struct chart_x *x, const struct chart_tick *ticks, size_t count);
/* Bars on one scale; of a long label the end is shown. */
void chart_rows(struct chart *chart, const char *title, enum svg_paint paint,
    const struct chart_row *rows, size_t count);
/* Writes it all; false when that failed. */
bool chart_end(struct chart *chart);

#endif
