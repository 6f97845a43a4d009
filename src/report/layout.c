#include "report/layout.h"

#include <stdarg.h>
#include <string.h>

#include "base/quote.h"

/* A note narrower than this reads badly beside its value: it gets the next line. */
#define NOTE_MIN 24u
/* A command that is too long to stand beside its label; 77 columns are the longest that is advised. */
#define COMMAND_INDENT 3u
/* "4.36" and "703" end in the same column. */
#define NUMBER_WIDTH 5u

/* ECMA-48 SGR, the subset that every terminal has. */
static const char *const ink_codes[] = {
    [INK_PLAIN] = "",
    [INK_BOLD] = "\033[1m",
    [INK_DIM] = "\033[2m",
    [INK_GREEN] = "\033[32m",
    [INK_YELLOW] = "\033[33m",
    [INK_RED] = "\033[31m",
};

static const char *const units[] = {
    "B",
    "kB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "bytes",
    "bit/s",
    "kbit/s",
    "Mbit/s",
    "Gbit/s",
    "Tbit/s",
    "ns",
    "us",
    "ms",
    "s",
    "%",
};

void layout_begin(struct layout *layout, FILE *stream, const struct style *style)
{
	memset(layout, 0, sizeof(*layout));
	layout->stream = stream;
	layout->style = style;
}

unsigned layout_width(const char *text)
{
	unsigned width = 0;

	/* every byte but the continuation bytes of UTF-8 begins a character */
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void ink_on(const struct layout *layout, enum ink ink)
{
	if (layout->style->color)
		fputs(ink_codes[ink], layout->stream);
}

static void ink_off(const struct layout *layout, enum ink ink)
{
	if (layout->style->color && ink != INK_PLAIN)
		fputs("\033[0m", layout->stream);
}

/* Blanks are only written before something, so that no line ends in them. */
static void pad_to(struct layout *layout, unsigned column)
{
	if (layout->lead && layout->column == 0) {
		fputs(layout->lead, layout->stream);
		layout->column = layout_width(layout->lead);
	}
	for (; layout->column < column; layout->column++)
		fputc(' ', layout->stream);
}

void layout_break(struct layout *layout)
{
	if (layout->column > 0)
		fputc('\n', layout->stream);
	layout->column = 0;
	layout->blank_due = false;
}

void layout_gap(struct layout *layout)
{
	layout_break(layout);
	fputc('\n', layout->stream);
}

void layout_section(struct layout *layout, const char *heading)
{
	if (layout->style->verbose)
		layout_gap(layout);
	layout_heading(layout, heading);
}

void layout_tab(struct layout *layout, unsigned column)
{
	if (layout->column > column)
		layout_break(layout);
	layout->indent = column;
	layout->blank_due = false;
}

void layout_heading(struct layout *layout, const char *heading)
{
	layout_break(layout);
	layout_tab(layout, 0);
	layout_raw(layout, INK_BOLD, heading);
	layout_tab(layout, LAYOUT_LABEL);
}

void layout_item(struct layout *layout, enum ink ink, const char *label)
{
	layout_break(layout);
	layout_tab(layout, 2);
	layout_raw(layout, ink, label);
	layout_tab(layout, LAYOUT_LABEL);
}

void layout_raw(struct layout *layout, enum ink ink, const char *text)
{
	pad_to(layout, layout->indent);
	ink_on(layout, ink);
	fputs(text, layout->stream);
	ink_off(layout, ink);
	layout->column += layout_width(text);
	layout->blank_due = true;
}

static bool unit_begins(const char *text, size_t *length)
{
	size_t letters = strcspn(text, " ,;:.)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i]) == letters && strncmp(units[i], text, letters) == 0) {
			*length = strcspn(text, " ");
			return true;
		}
	}
	return false;
}

/* Bytes of the word at the start of text, with the unit that follows a number. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " "), unit;

	if (length > 0 && text[length] == ' ' && text[length - 1] >= '0' &&
	    text[length - 1] <= '9' && unit_begins(text + length + 1, &unit))
		length += 1 + unit;
	return length;
}

static unsigned bytes_width(const char *text, size_t length)
{
	unsigned width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* The word is put on this line, or on the next when it does not fit and the line has words. */
static void word_put(struct layout *layout, enum ink ink, const char *word, size_t length)
{
	unsigned width = bytes_width(word, length);
	bool begun = layout->column > layout->indent;

	if (begun && layout->column + layout->blank_due + width > layout->style->width) {
		ink_off(layout, ink);
		layout_break(layout);
		pad_to(layout, layout->indent);
		ink_on(layout, ink);
	} else if (begun && layout->blank_due) {
		fputc(' ', layout->stream);
		layout->column++;
	}
	fwrite(word, 1, length, layout->stream);
	layout->column += width;
	layout->blank_due = true;
}

void layout_text(struct layout *layout, enum ink ink, const char *text)
{
	pad_to(layout, layout->indent);
	ink_on(layout, ink);
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = word_length(text);
		word_put(layout, ink, text, length);
		text += length;
	}
	ink_off(layout, ink);
}

void layout_textf(struct layout *layout, enum ink ink, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	layout_text(layout, ink, text);
}

void layout_paragraph(
    FILE *stream, unsigned width, unsigned column, const char *lead, const char *text)
{
	const struct style style = {.width = width};
	struct layout layout;

	layout_begin(&layout, stream, &style);
	layout.lead = lead;
	layout.column = column;
	layout.indent = column + (lead ? layout_width(lead) : 0);
	layout_text(&layout, INK_PLAIN, text);
	fputc('\n', stream);
}

void layout_foreign(struct layout *layout, enum ink ink, const char *text)
{
	char safe[2048];

	layout_text(layout, ink, quote_text(text, safe, sizeof(safe)));
}

void layout_cell(struct layout *layout, unsigned column, enum ink ink, const char *text)
{
	bool passed = layout->column > 0 && column <= layout->column;

	layout_tab(layout, passed ? layout->column + 1 : column);
	layout_raw(layout, ink, text);
}

void layout_cell_to(struct layout *layout, unsigned end, enum ink ink, const char *text)
{
	unsigned width = layout_width(text);

	layout_cell(layout, end > width ? end - width : 0, ink, text);
}

void layout_bullet(struct layout *layout, const char *text)
{
	layout_break(layout);
	layout_tab(layout, LAYOUT_LABEL);
	layout_raw(layout, INK_PLAIN, "- ");
	layout_tab(layout, LAYOUT_LABEL + 2);
	layout_foreign(layout, INK_PLAIN, text);
	layout_break(layout);
}

void layout_command(struct layout *layout, const char *label, const char *command, const char *why)
{
	char safe[2048];

	quote_text(command, safe, sizeof(safe));
	layout_item(layout, INK_PLAIN, label);
	bool is_long = LAYOUT_LABEL + layout_width(safe) > layout->style->width;
	if (is_long && *why) {
		char lead[1024];
		snprintf(lead, sizeof(lead), "%s:", why);
		layout_foreign(layout, INK_PLAIN, lead);
	}
	if (is_long) {
		layout_break(layout);
		layout_tab(layout, COMMAND_INDENT);
	}
	layout_raw(layout, INK_GREEN, safe);
	layout_break(layout);
	if (*why && !is_long) {
		layout_tab(layout, LAYOUT_LABEL);
		layout_foreign(layout, INK_PLAIN, why);
		layout_break(layout);
	}
}

/* Right-aligns the number of "4.36 MiB", so that units stand below each other. */
static void value_put(struct layout *layout, const char *value)
{
	size_t digits = strspn(value, "0123456789.");

	if (digits > 0 && digits < NUMBER_WIDTH && (value[digits] == ' ' || !value[digits]))
		layout_tab(layout, LAYOUT_LABEL + NUMBER_WIDTH - (unsigned)digits);
	layout_raw(layout, INK_PLAIN, value);
}

void layout_row(struct layout *layout, const struct row *row)
{
	unsigned column = LAYOUT_LABEL + LAYOUT_VALUE;

	layout_item(layout, INK_PLAIN, row->label);
	value_put(layout, row->value);
	if (row->spark) {
		layout_tab(layout, column);
		layout_raw(layout, INK_PLAIN, row->spark);
		column += row->spark_cells + 2;
	}
	if (row->note) {
		if (layout->style->width < column + NOTE_MIN) {
			layout_break(layout);
			column = LAYOUT_LABEL + 2;
		}
		layout_tab(layout, column);
		layout_text(layout, INK_PLAIN, row->note);
	}
	layout_break(layout);
}
