/*
 * The lines that -V and -d add to a test: what they tell of it, and nothing else.
 */
#ifndef BDP_IPERF_FACTS_H
#define BDP_IPERF_FACTS_H

#include <stddef.h>

#include "evidence/iperf_test.h"

struct iperf_fact {
	const char *phrase;
	void (*take)(struct iperf_part *part, const char *rest); /* what follows the phrase */
};

/* The fact whose phrase stands at p, NULL if none does. */
const struct iperf_fact *iperf_fact_at(const char *p);

/* The number that the text begins with, as the MSS. */
void iperf_mss_take(struct iperf_part *part, const char *rest);

/* Copies up to the end of the line or one of `stops`, without blanks at the end. */
void iperf_text_take(const char *text, const char *stops, char *out, size_t size);

#endif
