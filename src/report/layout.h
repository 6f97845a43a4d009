/*
 * Lines of a report: a label column, values, words wrapped at the style's width, and ink.
 * Nothing here knows what the words mean.
 */
#ifndef BDP_LAYOUT_H
#define BDP_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#include "report/report.h"

#define LAYOUT_LABEL 12u /* columns of the label; text begins here */
#define LAYOUT_VALUE 14u /* columns of a row's value */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_GREEN, INK_YELLOW, INK_RED };

struct layout {
	FILE *stream;
	const struct style *style;
	unsigned column;  /* of the next character, from 0 */
	unsigned indent;  /* where a wrapped line begins */
	bool blank_due;	  /* before the next word of this line */
	const char *lead; /* begins every line, such as the "# " of a comment; NULL: nothing does */
};

/* One quantity: "  rate        703 Mbit/s  ######  steady in 9 of 10 intervals". */
struct row {
	const char *label, *value;
	const char *spark;    /* NULL when there is none */
	unsigned spark_cells; /* columns that sparks take in this section */
	const char *note;     /* NULL when there is none */
};

void layout_begin(struct layout *layout, FILE *stream, const struct style *style);

/* Ends the line, if one was begun; layout_gap also leaves an empty one. */
void layout_break(struct layout *layout);
void layout_gap(struct layout *layout);

/* A heading that a short report puts right below what stands before it. */
void layout_section(struct layout *layout, const char *heading);

/* Goes to a column, on the next line when this one is past it, and makes it the indent. */
void layout_tab(struct layout *layout, unsigned column);

/* Begins a section or an item of it, and goes to the text column. */
void layout_heading(struct layout *layout, const char *heading);
void layout_item(struct layout *layout, enum ink ink, const char *label);

/* Words, separated by blanks and wrapped; a number stays with its unit. */
void layout_text(struct layout *layout, enum ink ink, const char *text);
void layout_textf(struct layout *layout, enum ink ink, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One text on lines of its own: the stream stands at `column`, where the lines that follow begin, too; each
 * behind `lead` (NULL: none).  A word longer than `width` stays whole: it may be a path or a command. */
void layout_paragraph(
    FILE *stream, unsigned width, unsigned column, const char *lead, const char *text);

/* The same of text that may hold anything: control characters are made visible. */
void layout_foreign(struct layout *layout, enum ink ink, const char *text);

/* Characters as they are, without a blank before or a line break within. */
void layout_raw(struct layout *layout, enum ink ink, const char *text);

/* A cell of a table, on one line: begun at a column, or one blank behind what stands there; and the same
 * that ends before a column, as numbers do. */
void layout_cell(struct layout *layout, unsigned column, enum ink ink, const char *text);
void layout_cell_to(struct layout *layout, unsigned end, enum ink ink, const char *text);

/* "- " and the words (foreign), with a hanging indent. */
void layout_bullet(struct layout *layout, const char *text);

/* An item that is a command, on one line however long, so that it can be copied; and what it is for,
 * "" for nothing: below it, or where it needs a line of its own, before it.  Both are foreign. */
void layout_command(struct layout *layout, const char *label, const char *command, const char *why);

void layout_row(struct layout *layout, const struct row *row);

/* Columns that UTF-8 text takes. */
unsigned layout_width(const char *text);

#endif
