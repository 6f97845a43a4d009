/*
 * The sentences of findings.
 */
#ifndef BDP_FINDING_TEXT_H
#define BDP_FINDING_TEXT_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/runaway.h"
#include "report/phrase.h"

#define FINDING_FORMS_MAX 3

struct finding_words {
	const char *meaning;		      /* for explain and DIAGNOSTICS */
	const char *advice;		      /* what to do; NULL when nothing */
	const char *forms[FINDING_FORMS_MAX]; /* with places for the values (report/template.h) */
};

extern const struct finding_words finding_words[FINDING_COUNT];

/* What it says, with its numbers; foreign text in it is not yet safe to print. */
struct phrase finding_text(const struct finding *finding);
/* One thing that speaks for runaway buffers. */
struct phrase runaway_text(const struct runaway_evidence *evidence);

#endif
