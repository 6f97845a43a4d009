/* Bars of tables, and what pictures are made of. */
#include "near.h"

#include <stdlib.h>
#include <string.h>

#include "report/bar.h"
#include "report/plot.h"
#include "report/svg.h"

static void test_bar(void **state)
{
	(void)state;
	static const struct {
		double value, top;
		unsigned cells;
		bool utf8;
		const char *bar;
		unsigned columns;
	} rows[] = {
	    {1, 1, 4, true, "████", 4},
	    {1, 2, 4, true, "██", 2},
	    {5, 8, 1, true, "▋", 1}, /* five eighths of a column */
	    {1, 8, 4, true, "▌", 1}, /* an eighth of four columns is half a one */
	    {3, 8, 4, true, "█▌", 2},
	    {1e-9, 1, 4, true, "▏", 1}, /* never nothing for something */
	    {0, 1, 4, true, "", 0},
	    {-1, 1, 4, true, "", 0},
	    {2, 1, 4, true, "████", 4}, /* held to the scale */
	    {1, 2, 4, false, "##", 2},
	    {1, 8, 4, false, "#", 1},
	    {1e-9, 1, 4, false, "#", 1},
	    {1, 0, 4, true, "", 0},
	    {1, 1, 0, true, "", 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bar bar = bar_draw(rows[i].value, rows[i].top, rows[i].cells, rows[i].utf8);
		print_message("%g of %g in %u\n", rows[i].value, rows[i].top, rows[i].cells);
		assert_string_equal(bar.s, rows[i].bar);
		assert_int_equal(bar.cells, rows[i].columns);
	}
	assert_int_equal(bar_draw((double)NAN, 1, 4, true).cells, 0);
	assert_int_equal(bar_draw(1, (double)INFINITY, 4, true).cells, 0);
	assert_int_equal(bar_draw(1, 1, 1000, true).cells, BAR_CELLS_MAX);
}

/* Longer values never have shorter bars. */
static void test_bar_grows(void **state)
{
	(void)state;
	size_t last = 0;

	for (int value = 0; value <= 1000; value++) {
		struct bar bar = bar_draw(value, 1000, 7, false);
		assert_true(bar.cells >= last);
		last = bar.cells;
	}
	assert_int_equal(last, 7);
}

static char *drawn(void (*draw)(struct svg *svg))
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	struct svg svg;

	svg_begin(&svg, stream, 100, 50, "a<b>&\"c\"", "\033[31mred");
	draw(&svg);
	assert_true(svg_end(&svg));
	fclose(stream);
	return text;
}

static void draw_foreign(struct svg *svg)
{
	svg_text(svg, 1, 2, ANCHOR_END, PAINT_LOSS, true, "</text><script>x</script>\n\x01");
}

/* Labels and file names come from anywhere. */
static void test_escapes(void **state)
{
	(void)state;
	char *text = drawn(draw_foreign);

	assert_non_null(strstr(text, "<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"));
	assert_null(strstr(text, "<script"));
	assert_non_null(strstr(text, "&lt;script&gt;x"));
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	assert_non_null(strstr(text, "prefers-color-scheme:dark"));
	/* self-contained: nothing is fetched from elsewhere but the name of the language */
	assert_null(strstr(text, "href"));
	assert_null(strstr(text, "url("));
	free(text);
}

static void test_panel(void **state)
{
	(void)state;
	struct panel panel = {
	    .left = 100, .top = 10, .width = 400, .height = 200, .x_high = 40, .y_top = 8};

	assert_near(panel_x(&panel, 0), 100, 0);
	assert_near(panel_x(&panel, 10), 200, 1e-12);
	assert_near(panel_x(&panel, 40), 500, 1e-12);
	assert_near(panel_y(&panel, 0), 210, 1e-12);
	assert_near(panel_y(&panel, 2), 160, 1e-12);
	assert_near(panel_y(&panel, 8), 10, 1e-12);
	assert_near(panel_y(&panel, 99), 10, 1e-12); /* held inside */

	/* powers of two at equal distances; of ten likewise, with 1 and 0 at the bottom */
	panel.x_log = panel.y_log = true;
	panel.x_low = 1;
	panel.x_high = 16;
	panel.y_top = 10000;
	assert_near(panel_x(&panel, 4), 300, 1e-12);
	assert_near(panel_y(&panel, 100), 110, 1e-12);
	assert_near(panel_y(&panel, 0), 210, 1e-12);
	assert_near(panel_y(&panel, 1), 210, 1e-12);
}

static void draw_axes(struct svg *svg)
{
	static const struct {
		double top;
		enum svg_unit unit;
		bool log;
	} rows[] = {{3.34e9, SVG_RATE, false}, {35.3 * 1048576, SVG_SIZE, false},
	    {52.1e3, SVG_TIME, false}, {208251, SVG_COUNT, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct panel panel = {.left = 0,
		    .width = 100,
		    .height = 100,
		    .x_high = 1,
		    .y_top = rows[i].top,
		    .unit = rows[i].unit,
		    .y_log = rows[i].log};
		panel_begin(svg, &panel, "t");
		assert_true(panel.y_top >= rows[i].top);
		assert_true(rows[i].log || panel.y_top < 2 * rows[i].top);
	}
}

/* Scales end at round numbers in the units of each. */
static void test_ticks(void **state)
{
	(void)state;
	static const char *const wanted[] = {">4 Gbit/s<", ">1 Gbit/s<", ">48 MiB<", ">16 MiB<",
	    ">60 ms<", ">20 ms<", ">1,000,000<", ">100<", ">0<"};
	char *text = drawn(draw_axes);

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		print_message("%s\n", wanted[i]);
		assert_non_null(strstr(text, wanted[i]));
	}
	free(text);
}

/* A run without intervals has no picture. */
static void test_nothing(void **state)
{
	(void)state;
	static const struct analysis analysis = {.run = NULL};
	const struct report report = {.analyses = &analysis, .analysis_count = 1};
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	assert_false(plot_run(&report, stream));
	fclose(stream);
	assert_int_equal(length, 0);
	free(text);
}

/* Four seconds at one rate, so that there is one panel: 636 wide (760 less margins of 96 and 28). */
static char *picture_of(const struct phase *phases, size_t count)
{
	static struct bin bins[4];
	static struct run run;
	static struct analysis analysis;
	static struct evidence evidence;
	static struct findings findings;
	static struct plan plan;
	static struct exposure memory;
	char *text = NULL;
	size_t length;

	for (unsigned i = 0; i < 4; i++)
		bins[i] = (struct bin){.start_s = i, .end_s = i + 1, .bytes = 12500000};
	run = (struct run){.series = {.bins = bins, .count = 4}, .sender = "a", .receiver = "b"};
	analysis = (struct analysis){.run = &run,
	    .path = {.streams = 1, .phases = {.count = count, .governing = PHASE_HELD}},
	    .limit = {.factor = FACTOR_RECEIVE_WINDOW}};
	if (count > 0)
		memcpy(analysis.path.phases.items, phases, count * sizeof(*phases));
	const struct report report = {.analyses = &analysis,
	    .analysis_count = 1,
	    .evidence = &evidence,
	    .findings = &findings,
	    .plan = &plan,
	    .memory = &memory};
	FILE *stream = open_memstream(&text, &length);
	assert_true(plot_run(&report, stream));
	fclose(stream);
	return text;
}

/* Half of the run has a band of half the width; a name that is too long for its band is a number. */
static void test_bands(void **state)
{
	(void)state;
	static const struct phase phases[] = {{.kind = PHASE_START, .start_s = 0, .end_s = 2},
	    {.kind = PHASE_HELD, .start_s = 2, .end_s = 4},
	    {.kind = PHASE_RECOVERING, .start_s = 3.9, .end_s = 4}};
	char *text = picture_of(NULL, 0);
	assert_null(strstr(text, "class=\"band\""));
	assert_non_null(strstr(text, ">100 Mbit/s<"));
	free(text);

	text = picture_of(phases, 3);
	assert_non_null(strstr(text, "<rect class=\"band\" stroke=\"none\" x=\"96.0\""));
	assert_non_null(strstr(text, "width=\"318.0\""));
	assert_non_null(strstr(text, "<rect class=\"other-band\" stroke=\"none\" x=\"414.0\""));
	assert_non_null(strstr(text, ">start<"));
	assert_non_null(strstr(text, ">held: the receive window<"));
	assert_non_null(strstr(text, ">1: recovering<"));
	assert_non_null(strstr(text, ">1<"));
	free(text);
}

static void draw_rows(struct chart *chart)
{
	const struct chart_row rows[] = {
	    {.label = "one", .text = "10", .value = 10, .low = 8, .high = 20, .strong = true},
	    {.label = "a name that is much too long.json", .text = "5", .value = 5},
	    {.label = "none", .text = "unknown", .value = (double)NAN}};

	chart_rows(chart, "Rows", PAINT_RATE, rows, 3);
}

/* 470 is the length of the largest value, which is a high end here; the end of a long label is told. */
static void test_rows(void **state)
{
	(void)state;
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	struct chart chart;

	chart_begin(&chart, stream, "t", "s");
	draw_rows(&chart);
	assert_true(chart_end(&chart));
	fclose(stream);
	assert_non_null(strstr(text, "width=\"235.0\""));
	assert_non_null(strstr(text, "width=\"117.5\""));
	assert_non_null(strstr(text, "x1=\"348.0\"")); /* 160 + 8 / 20 x 470 */
	assert_non_null(strstr(text, "x2=\"630.0\""));
	assert_non_null(strstr(text, ">s much too long.json<"));
	assert_null(strstr(text, "a name"));
	assert_non_null(strstr(text, ">unknown<"));
	free(text);
}

/* Of numbers that are too close only those stand there that outrank the others, and the first. */
static void test_tick_room(void **state)
{
	(void)state;
	static const struct chart_tick ticks[] = {{.x = 0, .text = "zero"},
	    {.x = 50, .text = "near"}, {.x = 500, .text = "knee", .strong = true},
	    {.x = 530, .text = "beside"}, {.x = 636, .text = "last"}};
	static const struct chart_x x = {.low = 0, .high = 636};
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	struct chart chart;

	chart_begin(&chart, stream, "t", "s");
	chart_ticks(&chart, &x, ticks, 5);
	assert_true(chart_end(&chart));
	fclose(stream);
	assert_non_null(strstr(text, ">zero<"));
	assert_null(strstr(text, ">near<"));
	assert_non_null(strstr(text, ">knee<"));
	assert_null(strstr(text, ">beside<"));
	assert_non_null(strstr(text, ">last<"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bar),
	    cmocka_unit_test(test_bar_grows),
	    cmocka_unit_test(test_escapes),
	    cmocka_unit_test(test_panel),
	    cmocka_unit_test(test_ticks),
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_tick_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
