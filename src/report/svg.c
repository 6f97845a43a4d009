#include "report/svg.h"

#include <math.h>
#include <string.h>

#include "base/quote.h"
#include "base/units.h"

#define TICKS 4
#define MIB 0x1p20

static const char *const paint_classes[] = {
    [PAINT_INK] = "ink",
    [PAINT_FAINT] = "faint",
    [PAINT_GRID] = "grid",
    [PAINT_RATE] = "rate",
    [PAINT_LOSS] = "loss",
    [PAINT_DELAY] = "delay",
    [PAINT_KNEE] = "knee",
    [PAINT_BAND] = "band",
    [PAINT_BAND_TOO] = "other-band",
};

/* Colours are told apart by lightness, too, for who does not see red and green apart. */
static const char style[] =
    "<style>\n"
    "text{font:12px system-ui,'DejaVu Sans',sans-serif}.bold{font-weight:bold}\n"
    "path{fill:none;stroke-width:2;stroke-linejoin:round}line{stroke-width:1}\n"
    ".back{fill:#ffffff}.ink{fill:#1b1f24;stroke:#1b1f24}.faint{fill:#57606a;stroke:#57606a}\n"
    ".grid{fill:#d0d7de;stroke:#d0d7de}.rate{fill:#0b62c4;stroke:#0b62c4}\n"
    ".loss{fill:#cf222e;stroke:#cf222e}.delay{fill:#8250df;stroke:#8250df}\n"
    ".band{fill:#ddf4ff}.other-band{fill:#fff8c5}\n"
    ".knee{fill:#116329;stroke:#116329}text{stroke:none!important}path{fill:none!important}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".back{fill:#0d1117}.ink{fill:#e6edf3;stroke:#e6edf3}.faint{fill:#9198a1;stroke:#9198a1}\n"
    ".grid{fill:#30363d;stroke:#30363d}.rate{fill:#58a6ff;stroke:#58a6ff}\n"
    ".loss{fill:#ff7b72;stroke:#ff7b72}.delay{fill:#d2a8ff;stroke:#d2a8ff}\n"
    ".knee{fill:#56d364;stroke:#56d364}.band{fill:#0c2d6b}.other-band{fill:#4b2900}\n"
    "}\n"
    "</style>\n";

/* XML has no way to write control characters; quote_text has made them visible. */
static void put_text(struct svg *svg, const char *text)
{
	char safe[1024];

	quote_text(text, safe, sizeof(safe));
	for (const char *at = safe; *at; at++) {
		switch (*at) {
		case '&':
			fputs("&amp;", svg->stream);
			break;
		case '<':
			fputs("&lt;", svg->stream);
			break;
		case '>':
			fputs("&gt;", svg->stream);
			break;
		case '"':
			fputs("&quot;", svg->stream);
			break;
		default:
			fputc(*at, svg->stream);
		}
	}
}

void svg_begin(struct svg *svg, FILE *stream, double width, double height, const char *title,
    const char *description)
{
	*svg = (struct svg){.stream = stream, .width = width, .height = height};
	fprintf(stream,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
	    "height=\"%.0f\" role=\"img\">\n<title>",
	    width, height, width, height);
	put_text(svg, title);
	fputs("</title>\n<desc>", stream);
	put_text(svg, description);
	fputs("</desc>\n", stream);
	fputs(style, stream);
	fprintf(stream, "<rect class=\"back\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
}

bool svg_end(struct svg *svg)
{
	fputs("</svg>\n", svg->stream);
	return fflush(svg->stream) == 0 && !ferror(svg->stream);
}

void svg_text(struct svg *svg, double x, double y, enum svg_anchor anchor, enum svg_paint paint,
    bool bold, const char *text)
{
	static const char *const anchors[] = {
	    [ANCHOR_START] = "start", [ANCHOR_MIDDLE] = "middle", [ANCHOR_END] = "end"};

	fprintf(svg->stream, "<text class=\"%s%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
	    paint_classes[paint], bold ? " bold" : "", x, y, anchors[anchor]);
	put_text(svg, text);
	fputs("</text>\n", svg->stream);
}

void svg_line(
    struct svg *svg, double x1, double y1, double x2, double y2, enum svg_paint paint, bool dashed)
{
	fprintf(svg->stream,
	    "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n",
	    paint_classes[paint], x1, y1, x2, y2, dashed ? " stroke-dasharray=\"5 4\"" : "");
}

void svg_bar(struct svg *svg, double x, double y, double width, double height, enum svg_paint paint)
{
	fprintf(svg->stream,
	    "<rect class=\"%s\" stroke=\"none\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.1f\"/>\n",
	    paint_classes[paint], x, y, fmax(width, 0), fmax(height, 0));
}

void svg_dot(struct svg *svg, double x, double y, double radius, enum svg_paint paint)
{
	fprintf(svg->stream, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
	    paint_classes[paint], x, y, radius);
}

void svg_path_begin(struct svg *svg, enum svg_paint paint)
{
	fprintf(svg->stream, "<path class=\"%s\" d=\"", paint_classes[paint]);
}

void svg_path_point(struct svg *svg, bool first, double x, double y)
{
	fprintf(svg->stream, "%c%.1f %.1f", first ? 'M' : 'L', x, y);
}

void svg_path_end(struct svg *svg)
{
	fputs("\"/>\n", svg->stream);
}

/* ---- panels ---- */

double panel_x(const struct panel *panel, double value)
{
	double share = panel->x_log ? log(value / panel->x_low) / log(panel->x_high / panel->x_low)
				    : (value - panel->x_low) / (panel->x_high - panel->x_low);

	return panel->left + panel->width * (isfinite(share) ? share : 0.5);
}

double panel_y(const struct panel *panel, double value)
{
	double share =
	    panel->y_log ? (value > 1 ? log(value) / log(panel->y_top) : 0) : value / panel->y_top;

	return panel->top + panel->height * (1 - fmin(fmax(share, 0), 1));
}

/* 1, 2 or 5 times a power of ten (of two, for sizes, in their own unit). */
static double round_step(double least, enum svg_unit unit)
{
	if (unit == SVG_SIZE)
		return exp2(ceil(log2(fmax(least, 1))));
	double power = pow(10, floor(log10(least)));
	double lead = least / power;
	return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

struct unit_text svg_value(double value, enum svg_unit unit)
{
	static const double up[] = {1e9, 1e6, 1e3, 1};
	static const char *const rate_units[] = {"Gbit/s", "Mbit/s", "kbit/s", "bit/s"};
	static const char *const time_units[] = {"ks", "s", "ms", "us"};
	struct unit_text text = {"0"};
	size_t i = 0;

	if (value <= 0)
		return text;
	if (unit == SVG_COUNT)
		return count_text((uint64_t)llround(value));
	if (unit == SVG_SIZE)
		return size_text(value);
	while (i < 3 && value < up[i])
		i++;
	snprintf(text.s, sizeof(text.s), "%.4g %s", value / up[i],
	    unit == SVG_RATE ? rate_units[i] : time_units[i]);
	return text;
}

static void grid_line(struct svg *svg, const struct panel *panel, double value)
{
	double y = panel_y(panel, value);

	svg_line(svg, panel->left, y, panel->left + panel->width, y, PAINT_GRID, false);
	svg_text(svg, panel->left - 8, y + 4, ANCHOR_END, PAINT_FAINT, false,
	    svg_value(value, panel->unit).s);
}

static void log_grid(struct svg *svg, struct panel *panel)
{
	double top = pow(10, ceil(log10(fmax(panel->y_top, 10))));

	panel->y_top = top;
	for (double value = 1; value <= top * 1.001; value *= top > 1e5 ? 100 : 10)
		grid_line(svg, panel, value);
}

void panel_begin(struct svg *svg, struct panel *panel, const char *title)
{
	svg_text(svg, panel->left, panel->top - 10, ANCHOR_START, PAINT_INK, true, title);
	if (panel->y_log) {
		log_grid(svg, panel);
		return;
	}
	double step = round_step(fmax(panel->y_top, 1e-9) / TICKS, panel->unit);
	double steps = fmax(1, ceil(panel->y_top / step - 1e-9));
	panel->y_top = steps * step;
	for (double i = 0; i <= steps; i++)
		grid_line(svg, panel, i * step);
}
