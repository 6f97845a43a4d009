/*
 * The kernel settings that bdp knows: one row each, with what the kernel accepts.
 *
 * This is the only list of keys: the dump reader, the /proc reader, the advice, apply and explain
 * all walk it.  A key that is not here is never written.
 */
#ifndef BDP_TUNABLE_H
#define BDP_TUNABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What kernels the settings, defaults and formulas here and in model/ were read from, and when: to be
 * moved on with them.  --version says it; bdp(1), CAVEATS, says the same. */
#define KERNEL_FACTS "Linux 4.4 to 7.3, November 2026"

enum tunable_id {
	TUNABLE_TCP_RMEM,
	TUNABLE_TCP_WMEM,
	TUNABLE_TCP_MEM,
	TUNABLE_RMEM_MAX,
	TUNABLE_WMEM_MAX,
	TUNABLE_RMEM_DEFAULT,
	TUNABLE_WMEM_DEFAULT,
	TUNABLE_TCP_CONGESTION_CONTROL,
	TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL,
	TUNABLE_TCP_ALLOWED_CONGESTION_CONTROL,
	TUNABLE_DEFAULT_QDISC,
	TUNABLE_TCP_ADV_WIN_SCALE,
	TUNABLE_TCP_MODERATE_RCVBUF,
	TUNABLE_TCP_WINDOW_SCALING,
	TUNABLE_TCP_TIMESTAMPS,
	TUNABLE_TCP_SACK,
	TUNABLE_TCP_SHRINK_WINDOW,
	TUNABLE_TCP_NO_METRICS_SAVE,
	TUNABLE_TCP_SLOW_START_AFTER_IDLE,
	TUNABLE_TCP_MTU_PROBING,
	TUNABLE_TCP_BASE_MSS,
	TUNABLE_TCP_NOTSENT_LOWAT,
	TUNABLE_TCP_LIMIT_OUTPUT_BYTES,
	TUNABLE_TCP_APP_WIN,
	TUNABLE_TCP_ECN,
	TUNABLE_TCP_RCVBUF_LOW_RTT,
	TUNABLE_TCP_MAX_ORPHANS,
	TUNABLE_NETDEV_MAX_BACKLOG,
	TUNABLE_OPTMEM_MAX,
	TUNABLE_TCP_LOW_LATENCY, /* does nothing since 4.14: still found in guides */
	TUNABLE_TCP_FACK,	 /* does nothing since 4.15 */
	TUNABLE_TCP_TW_RECYCLE,	 /* gone since 4.12 */
	TUNABLE_COUNT
};

enum tunable_kind {
	TUNABLE_NUMBER,	 /* one integer */
	TUNABLE_VECTOR3, /* min default max */
	TUNABLE_WORD,	 /* a name */
	TUNABLE_WORDS,	 /* names separated by blanks */
};

enum tunable_access {
	TUNABLE_WRITABLE, /* bdp may set it when a plan says so */
	TUNABLE_READ_ONLY /* bdp only reads it */
};

struct tunable {
	const char *key; /* "net.ipv4.tcp_rmem" */
	size_t key_length;
	const char *path; /* below the sysroot: "proc/sys/net/ipv4/tcp_rmem" */
	enum tunable_kind kind;
	enum tunable_access access;
	int64_t min, max; /* of each number, as the strictest supported kernel checks it */
	bool per_netns;	  /* exists in a network namespace of its own */
	const char *unit; /* "bytes", "pages", "" */
	const char
	    *about; /* one or two sentences: what it does, with the kernel file it is read in */
	const char *pitfall; /* what is often got wrong, or NULL */
};

extern const struct tunable tunables[TUNABLE_COUNT];

/* A value of one tunable. `count` numbers are valid for the numeric kinds, `word` for the others. */
struct tunable_value {
	bool known;
	uint8_t count;
	int64_t number[3];
	char word[200];
};

/* Row of a dotted (or slashed) key, or TUNABLE_COUNT. */
enum tunable_id tunable_find(const char *key);

/* Reads a value as the kernel or sysctl(8) prints it: numbers separated by blanks or tabs.  False
 * when it is not of the tunable's kind; bounds are not checked here. */
bool tunable_value_parse(enum tunable_id id, const char *text, struct tunable_value *value);

/* Normalised text: single blanks. out[size] always terminated; returns out. */
const char *tunable_value_text(
    enum tunable_id id, const struct tunable_value *value, char *out, size_t size);

bool tunable_value_equal(
    enum tunable_id id, const struct tunable_value *a, const struct tunable_value *b);

#endif
