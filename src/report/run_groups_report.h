/*
 * The bundles that sweep and compare print.
 */
#ifndef BDP_RUN_GROUPS_REPORT_H
#define BDP_RUN_GROUPS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "diagnosis/run_groups.h"
#include "model/compare.h"
#include "model/sweep.h"
#include "report/report.h"
#include "report/phrase.h"

/* What the two have in common. */
struct groups_report {
	const char *version;
	const struct run_group *groups;
	const char *const *labels;	       /* not yet safe to print */
	const struct analysis *const *typical; /* the run nearest the median, of each */
	size_t count;
	const struct left_out *left_out; /* runs that do not count, and why */
	size_t left_out_count;
	double idle_rtt_us; /* 0 when unknown */
	bool idle_is_seen;  /* the smallest RTT of the runs stands for it */
};

struct sweep_report {
	struct groups_report groups;
	enum tunable_id key; /* whose ceiling it is */
	const struct sweep_rule *rule;
	const struct sweep *sweep;
	const struct tunable_value *current; /* of the host that was swept; NULL when unknown */
	const struct report *advice;	     /* what the knee comes to: its plan and run */
};

struct compare_report {
	struct groups_report groups;
	const struct compare *compare;
};

/* Each false when a write failed. */
bool sweep_text(const struct sweep_report *report, const struct style *style, FILE *stream);
bool sweep_json(const struct sweep_report *report, const struct style *style, FILE *stream);
bool compare_text(const struct compare_report *report, const struct style *style, FILE *stream);
bool compare_json(const struct compare_report *report, const struct style *style, FILE *stream);

/* The answer in a sentence or two. */
struct phrase sweep_answer(const struct sweep_report *report);
struct phrase compare_answer(const struct compare_report *report);

/* "the largest ceiling that gains at least 5 % ..." */
struct phrase sweep_rule_text(const struct sweep_rule *rule);

/* Why a run does not count: "NAME: a UDP run: it has no window". */
struct phrase left_out_text(const struct left_out *item);
/* Why there is no report. */
struct phrase groups_problem_text(const struct run_groups *set, enum groups_problem problem);

/* A label made safe to show. */
struct phrase run_groups_label(const struct groups_report *report, size_t index);

/* "4.2 x", "17 x", "68 x": two digits, as a ratio of measurements is good for. */
struct unit_text factor_text(double factor);
/* A share of at least one per cent in two digits: "17 %", "5 %", "0.2 %". */
struct unit_text share_text(double ratio);

/* Names of enumerators in json. */
const char *sweep_end_name(enum sweep_end end);
const char *figure_name(enum figure figure);

#endif
