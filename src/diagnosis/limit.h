/*
 * Rules of the limiting factor. Each looks at the signs and either decides or passes.
 */
#ifndef BDP_LIMIT_H
#define BDP_LIMIT_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/signs.h"

/* True when the rule decides; it has then set factor, where, confidence and the evidence. */
typedef bool (*limit_rule)(const struct signs *signs, struct limit *limit);

bool rule_application(const struct signs *signs, struct limit *limit);
bool rule_cpu(const struct signs *signs, struct limit *limit);
bool rule_window_scaling(const struct signs *signs, struct limit *limit);
bool rule_socket_option(const struct signs *signs, struct limit *limit);
bool rule_socket_times(const struct signs *signs, struct limit *limit);
bool rule_receive_window(const struct signs *signs, struct limit *limit);
bool rule_receive_ceiling(const struct signs *signs, struct limit *limit);
bool rule_default_window(const struct signs *signs, struct limit *limit);
bool rule_random_loss(const struct signs *signs, struct limit *limit);
bool rule_policer(const struct signs *signs, struct limit *limit);
bool rule_queue(const struct signs *signs, struct limit *limit);
bool rule_link(const struct signs *signs, struct limit *limit);
bool rule_send_buffer(const struct signs *signs, struct limit *limit);
bool rule_unknown(const struct signs *signs, struct limit *limit);

/* Sets the verdict; where is the factor's own. */
void limit_set(struct limit *limit, enum factor factor, enum confidence confidence);
/* Adds a candidate to an unknown verdict, once. */
void limit_candidate(struct limit *limit, enum factor factor);
/* Adds a sentence of evidence. */
void limit_say(struct limit *limit, const char *format, ...) __attribute__((format(printf, 2, 3)));
void limit_settle(struct limit *limit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The receiver as it may stand in a command, "RECEIVER" when it is not known. */
const char *limit_peer(const struct signs *signs);

#endif
