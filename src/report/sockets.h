/*
 * The report on many sockets: what they hold, which hold more than their paths need, and why.
 */
#ifndef BDP_SOCKETS_REPORT_H
#define BDP_SOCKETS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/plan.h"
#include "base/json_out.h"
#include "diagnosis/runaway.h"
#include "model/socket_memory.h"
#include "model/memory.h"
#include "model/socket_totals.h"
#include "report/report.h"
#include "report/phrase.h"

#define SOCKETS_NOTES_MAX 8

struct sockets_report {
	const char *version;
	const char *source; /* "this machine", "ss.txt and 2 more"; not yet safe to print */
	bool watched;	    /* again and again: what moves comes first */
	bool live;
	bool has_sockets; /* counters alone were given otherwise */
	double seconds;	  /* between the two readings; 0 when there was one, or it is not known */
	const struct socket_memory_rule *rule;
	const struct socket_totals *totals;
	const struct exposure *memory;
	const struct counters *delta; /* NULL when there were no two readings */
	const struct runaway *runaway;
	const struct findings *findings;
	const struct plan *plan;
	/* what could not be told, once and not for each socket */
	char notes[SOCKETS_NOTES_MAX][200];
	size_t note_count;
};

/* The answer in one sentence or two. */
struct phrase sockets_answer(const struct sockets_report *report);

/* Rows of all sockets as they come, before the report: the columns that fit. */
void sockets_text_header(const struct style *style, bool delta, FILE *stream);
void sockets_text_row(
    const struct listed *item, const struct style *style, bool delta, FILE *stream);
/* False when a write failed. */
bool sockets_text(const struct sockets_report *report, const struct style *style, FILE *stream);

/* Schema "bdp-sockets/1": begun, then the sockets if all are asked for, then the rest. */
void sockets_json_begin(
    struct json_out *out, const char *version, bool all, bool compact, FILE *stream);
void sockets_json_socket(struct json_out *out, const char *key, const struct listed *item);
/* False when a write failed. */
bool sockets_json_end(struct json_out *out, const struct sockets_report *report, bool all);

#endif
