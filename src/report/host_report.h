/*
 * The report on one host's TCP settings, without a run.
 */
#ifndef BDP_HOST_REPORT_H
#define BDP_HOST_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "advice/host_mend.h"
#include "diagnosis/deviation.h"
#include "diagnosis/diagnosis.h"
#include "model/capacity.h"
#include "model/memory.h"
#include "report/report.h"
#include "report/phrase.h"

/* A line that sets a key at boot. */
struct host_boot {
	char file[272];
	unsigned line;
	enum tunable_id id;
	char value[200]; /* safe to print */
	bool wins;	 /* no later line sets the key */
	bool differs;	 /* and what it sets is not what is set now */
};

#define HOST_BOOTS_MAX 64

struct host_report {
	const char *version;
	const struct host *host;
	const struct capacity *capacity;
	const struct deviations *deviations;
	const struct findings *findings; /* of memory and the like: what deviations do not say */
	const struct exposure *memory;
	const struct host_need *need;
	const struct host_mend *mends;
	size_t mend_count;
	const struct host_boot *boots;
	size_t boot_count;
	const char *tuned; /* active profile; "" when there is none, or it is not known */
};

/* RTTs of the table, in microseconds; ends in 0. */
extern const double host_rtts_us[];

/* "harms", "helps", "neutral", "no effect". */
const char *host_effect_word(enum effect effect);
/* What a deviation does, and what a line that mends is for; one sentence, without a full stop. */
struct phrase host_deviation_words(const struct deviation *item, const struct tunable_value *value);
struct phrase host_mend_words(const struct host_report *report, const struct host_mend *mend);

/* Something to change or a problem: for --check. */
bool host_report_wants_change(const struct host_report *report);

/* Each false when a write failed.  JSON: schema "bdp-host/1". */
bool host_text(const struct host_report *report, const struct style *style, FILE *stream);
bool host_json(const struct host_report *report, const struct style *style, FILE *stream);
bool host_sysctl(const struct host_report *report, const struct style *style, FILE *stream);

#endif
