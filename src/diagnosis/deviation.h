/*
 * Where a host's settings differ from what its kernel sets by itself, and whether that helps or harms.
 */
#ifndef BDP_DEVIATION_H
#define BDP_DEVIATION_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence/host.h"

enum effect {
	EFFECT_HARMS,
	EFFECT_HELPS,
	EFFECT_NEUTRAL, /* a choice: neither by itself */
	EFFECT_NOTHING, /* this kernel does not read it */
};

/* What a deviation is; report/host_words.c has a sentence for each. */
enum deviation_kind {
	DEVIATION_BUFFER_ORDER,
	DEVIATION_CEILING_LOW, /* amount: bit/s of one connection at 100 ms, own_amount: the kernel's */
	DEVIATION_CEILING_HIGH,	 /* amount: bit/s of one connection at 100 ms */
	DEVIATION_HUGE_DEFAULT,	 /* amount: bytes */
	DEVIATION_HUGE_MINIMUM,	 /* amount: bytes */
	DEVIATION_ASKED_BUFFER,	 /* amount: bytes that a program which asks gets at most */
	DEVIATION_MEMORY_BEYOND, /* amount: bytes of all TCP; own_amount: RAM */
	DEVIATION_MEMORY_SMALL,	 /* amount: bytes of all TCP; own_amount: the kernel's own */
	DEVIATION_MEMORY_LARGE,	 /* amount: bytes of all TCP; own_amount: RAM */
	DEVIATION_NOT_READ,	 /* since Linux major.minor */
	DEVIATION_NO_SCALING,
	DEVIATION_NO_AUTOTUNING,
	DEVIATION_NO_SACK,
	DEVIATION_NO_TIMESTAMPS,
	DEVIATION_ALWAYS_PROBES,
	DEVIATION_PROBES,
	DEVIATION_NO_IDLE_RESTART,
	DEVIATION_NO_METRICS,
	DEVIATION_SHRINKS_WINDOW,
	DEVIATION_UNSENT_SMALL,
	DEVIATION_UNSENT_BOUNDED,
	DEVIATION_WINDOW_SHARE_LESS,
	DEVIATION_WINDOW_SHARE_MORE,
	DEVIATION_NO_PREQUEUE,
	DEVIATION_FACK_OFF,
	DEVIATION_FACK_ON,
	DEVIATION_RECYCLES,
	DEVIATION_ALGORITHM,
	DEVIATION_KIND_COUNT
};

struct deviation {
	enum tunable_id id;
	enum effect effect;
	enum deviation_kind kind;
	double amount, own_amount;
	unsigned major, minor;
	bool has_own;		  /* the kernel's own value is known */
	struct tunable_value own; /* by version and RAM */
	bool has_mend;		  /* a value that mends the harm */
	struct tunable_value mend;
};

#define DEVIATIONS_MAX 32

struct deviations {
	struct deviation items[DEVIATIONS_MAX]; /* those that harm first */
	size_t count;
	size_t harms;
};

/* Pure.  Without a kernel version only what no release ships counts; tcp_mem needs the RAM. */
void deviations_find(const struct host *host, struct deviations *deviations);

#endif
