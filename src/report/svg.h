/*
 * A self-contained SVG picture: shapes, and axes with numbers on them.  It follows the reader's light or
 * dark scheme.
 */
#ifndef BDP_SVG_H
#define BDP_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/units.h"

/* What a shape is for; each has its colour in both schemes. */
enum svg_paint {
	PAINT_INK,
	PAINT_FAINT,
	PAINT_GRID,
	PAINT_RATE,
	PAINT_LOSS,
	PAINT_DELAY,
	PAINT_KNEE,
	PAINT_BAND,
	PAINT_BAND_TOO
};
enum svg_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct svg {
	FILE *stream;
	double width, height;
};

/* `title` and `description` are for who cannot see it; any text may hold anything. */
void svg_begin(struct svg *svg, FILE *stream, double width, double height, const char *title,
    const char *description);
/* False when a write failed. */
bool svg_end(struct svg *svg);

void svg_text(struct svg *svg, double x, double y, enum svg_anchor anchor, enum svg_paint paint,
    bool bold, const char *text);
void svg_line(
    struct svg *svg, double x1, double y1, double x2, double y2, enum svg_paint paint, bool dashed);
void svg_bar(
    struct svg *svg, double x, double y, double width, double height, enum svg_paint paint);
void svg_dot(struct svg *svg, double x, double y, double radius, enum svg_paint paint);

/* A line through points, begun and ended by the caller. */
void svg_path_begin(struct svg *svg, enum svg_paint paint);
void svg_path_point(struct svg *svg, bool first, double x, double y);
void svg_path_end(struct svg *svg);

enum svg_unit { SVG_RATE, SVG_SIZE, SVG_TIME, SVG_COUNT };

/* A rectangle with a scale: y from 0 (or 1, when logarithmic) at its bottom to y_top, x from x_low
 * to x_high. */
struct panel {
	double left, top, width, height;
	double x_low, x_high;
	bool x_log;
	double y_top;
	bool y_log;
	enum svg_unit unit;
};

/* A number with its unit as it stands on a scale. */
struct unit_text svg_value(double value, enum svg_unit unit);

double panel_x(const struct panel *panel, double value);
double panel_y(const struct panel *panel, double value);

/* Raises y_top to a round number at or above it, and draws lines with numbers and the title. */
void panel_begin(struct svg *svg, struct panel *panel, const char *title);

#endif
