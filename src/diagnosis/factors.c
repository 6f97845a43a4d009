#include "diagnosis/diagnosis.h"

const struct factor_row factor_table[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = {.name = "unknown", .where = WHERE_NONE},
    [FACTOR_APPLICATION] = {.name = "application", .where = WHERE_SENDER},
    [FACTOR_SOCKET_OPTION] = {.name = "socket-option", .where = WHERE_EITHER},
    [FACTOR_CPU] = {.name = "cpu", .where = WHERE_EITHER},
    [FACTOR_RECEIVE_WINDOW] = {.name = "receive-window", .where = WHERE_RECEIVER},
    [FACTOR_SEND_BUFFER] = {.name = "send-buffer", .where = WHERE_SENDER},
    [FACTOR_WINDOW_SCALING_OFF] = {.name = "window-scaling-off", .where = WHERE_EITHER},
    [FACTOR_RANDOM_LOSS] = {.name = "random-loss", .where = WHERE_PATH},
    [FACTOR_POLICER] = {.name = "policer", .where = WHERE_PATH},
    [FACTOR_QUEUE] = {.name = "queue", .where = WHERE_PATH},
    [FACTOR_LINK] = {.name = "link", .where = WHERE_PATH},
    [FACTOR_STALLED] = {.name = "stalled", .where = WHERE_EITHER},
    [FACTOR_RECEIVER_APPLICATION] = {.name = "receiver-application", .where = WHERE_RECEIVER},
    [FACTOR_APPLICATION_WINDOW] = {.name = "application-window", .where = WHERE_SENDER},
    [FACTOR_LOSS_RECOVERY] = {.name = "loss-recovery", .where = WHERE_PATH},
};

const char *where_name(enum where where)
{
	static const char *const names[] = {
	    [WHERE_NONE] = NULL,
	    [WHERE_SENDER] = "sender",
	    [WHERE_RECEIVER] = "receiver",
	    [WHERE_EITHER] = "either",
	    [WHERE_PATH] = "path",
	};
	return names[where];
}

const char *confidence_name(enum confidence confidence)
{
	static const char *const names[] = {
	    [CONFIDENCE_LOW] = "low",
	    [CONFIDENCE_MEDIUM] = "medium",
	    [CONFIDENCE_HIGH] = "high",
	};
	return names[confidence];
}

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
	    [SEVERITY_INFO] = "info",
	    [SEVERITY_NOTICE] = "notice",
	    [SEVERITY_WARNING] = "warning",
	    [SEVERITY_PROBLEM] = "problem",
	};
	return names[severity];
}
