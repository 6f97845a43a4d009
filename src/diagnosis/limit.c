#include "diagnosis/limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

/* In order: what was told outright, then what windows tell, then what the path tells. */
static const limit_rule rules[] = {
    rule_application,
    rule_cpu,
    rule_window_scaling,
    rule_socket_option,
    rule_socket_times,
    rule_receive_window,
    rule_random_loss,
    rule_policer,
    rule_queue,
    rule_link,
    rule_send_buffer,
    rule_receive_ceiling,
    rule_default_window,
    rule_unknown,
};

void limit_set(struct limit *limit, enum factor factor, enum confidence confidence)
{
	limit->factor = factor;
	limit->where = factor_table[factor].where;
	limit->confidence = confidence;
	if (factor != FACTOR_UNKNOWN) {
		limit->candidates[0] = factor;
		limit->candidate_count = 1;
	}
}

void limit_candidate(struct limit *limit, enum factor factor)
{
	for (size_t i = 0; i < limit->candidate_count; i++)
		if (limit->candidates[i] == factor)
			return;
	if (limit->candidate_count < LIMIT_CANDIDATES_MAX)
		limit->candidates[limit->candidate_count++] = factor;
}

void limit_say(struct limit *limit, const char *format, ...)
{
	va_list args;

	if (limit->evidence_count == LIMIT_EVIDENCE_MAX)
		return;
	va_start(args, format);
	vsnprintf(
	    limit->evidence[limit->evidence_count++], sizeof(limit->evidence[0]), format, args);
	va_end(args);
}

void limit_settle(struct limit *limit, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(limit->decide_with, sizeof(limit->decide_with), format, args);
	va_end(args);
}

const char *limit_peer(const struct signs *signs)
{
	return quote_host(signs->run ? signs->run->receiver : "", "RECEIVER");
}

void limit_decide(const struct diagnosis_input *input, struct limit *limit)
{
	struct signs signs;

	memset(limit, 0, sizeof(*limit));
	signs_read(input, &signs);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i](&signs, limit))
			break;
	/* an RTT under load that is only reckoned from cwnd settles nothing */
	if (limit->confidence == CONFIDENCE_HIGH && input->path->loaded_method == RTT_CWND)
		limit->confidence = CONFIDENCE_MEDIUM;
	if (limit->confidence == CONFIDENCE_HIGH)
		limit->decide_with[0] = '\0';
}
