/*
 * The bundle that every report form prints: const pointers into what the stages before made.
 */
#ifndef BDP_REPORT_H
#define BDP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/plan.h"
#include "diagnosis/diagnosis.h"
#include "evidence/evidence.h"
#include "model/memory.h"
#include "model/path.h"
#include "model/rfc6349.h"

struct report {
	const char *version;
	const struct evidence *evidence;
	const struct analysis
	    *analyses; /* one per run, in order; one without a run for given numbers */
	size_t analysis_count;
	size_t chosen; /* index of the one advised on */
	const struct findings *findings;
	const struct plan *plan;
	const struct exposure *memory;
	const struct rfc6349 *rfc6349;
	const char *headline;	 /* stands for the answer in scripts; NULL: the answer itself */
	enum role only;		 /* --role: print only this host's settings in sysctl and sh */
	const struct host *here; /* this machine, when its facts were used; or NULL */
	enum here_by here_by;	 /* why it is taken for plan->here */
};

/* How to draw: decided once by main from the terminal and the environment. */
struct style {
	bool color;
	bool utf8;
	unsigned width; /* columns, 40..200 */
	bool verbose;	/* -v: also what the answer does not need */
};

/* The forms (forms.h); each false when a write failed. */
bool report_text(const struct report *report, const struct style *style, FILE *stream);
bool report_json(const struct report *report, const struct style *style, FILE *stream);
/* The same as one line, with the name of the file that it is on. */
bool report_json_line(const struct report *report, const char *file, FILE *stream);
bool report_sysctl(const struct report *report, const struct style *style, FILE *stream);
bool report_sh(const struct report *report, const struct style *style, FILE *stream);
bool report_k8s(const struct report *report, const struct style *style, FILE *stream);

#endif
