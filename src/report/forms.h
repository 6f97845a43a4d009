/*
 * The forms of -o, and who prints each kind of report in each of them.
 */
#ifndef BDP_FORMS_H
#define BDP_FORMS_H

#include <stdbool.h>
#include <stdio.h>

struct compare_report;
struct host_report;
struct report;
struct style;
struct sweep_report;

/* The lists of words in options/table.c are in this order; a verb takes those from the first on. */
enum form { FORM_TEXT, FORM_JSON, FORM_SYSCTL, FORM_SH, FORM_K8S, FORM_TABLE, FORM_COUNT };

/* Each false when a write failed; NULL: a report of that kind has no such form. */
struct form_row {
	bool (*advise)(const struct report *report, const struct style *style, FILE *stream);
	bool (*sweep)(const struct sweep_report *report, const struct style *style, FILE *stream);
	bool (*compare)(
	    const struct compare_report *report, const struct style *style, FILE *stream);
	bool (*host)(const struct host_report *report, const struct style *style, FILE *stream);
};

extern const struct form_row form_table[FORM_COUNT];

#endif
