/*
 * What is known of one host: kernel, memory, tunables, interfaces, counters.  Everything may be
 * absent: a container has no tcp_mem, a dump has no interfaces.
 */
#ifndef BDP_HOST_H
#define BDP_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "evidence/counters.h"
#include "evidence/sockstat.h"
#include "evidence/tunable.h"

struct kernel_version {
	bool known;
	unsigned major, minor, patch;
	char release[72]; /* as uname -r prints it, safe to print */
};

enum host_origin {
	HOST_UNKNOWN, /* nothing is known */
	HOST_LIVE,    /* this machine */
	HOST_SYSROOT, /* a recorded tree */
	HOST_DUMP,    /* a sysctl -a dump */
	HOST_OPTIONS  /* --kernel and --memory only */
};

/* What of a dump did not become a setting. */
struct dump_notes {
	uint64_t not_understood;     /* lines with one of our keys and no usable value */
	uint64_t first_line;	     /* of them, from 1 */
	enum tunable_id first_id;    /* and its key */
	unsigned unquoted;	     /* sysctl -w K=A B C, which sets one number of three */
	enum tunable_id unquoted_id; /* the first of them */
};

#define HOST_INTERFACES_MAX 32

struct interface {
	char name[16];
	char qdisc[16];	     /* root qdisc, "" when unknown */
	char leaf_qdisc[16]; /* kind of the children of mq, "" when unknown or when they differ */
	uint64_t speed_bps;  /* 0 when unknown */
	unsigned tx_queues;  /* 0 when unknown */
	uint32_t mtu;	     /* 0 when unknown */
	bool up;
};

struct host {
	enum host_origin origin;
	char name[72]; /* where the facts come from: file name, host name; safe to print */
	struct kernel_version kernel;
	uint64_t page_size;	  /* bytes, 0 when unknown */
	uint64_t mem_total_bytes; /* 0 when unknown */
	struct tunable_value values[TUNABLE_COUNT];
	struct sockstat sockstat;
	struct dump_notes dump;
	bool in_namespace; /* tcp_mem is absent though other net.ipv4 keys are there */
	struct counters counters;
	struct interface interfaces[HOST_INTERFACES_MAX];
	unsigned interface_count;
};

/* "6.1.0-57-cloud-amd64", "5.15", "6.18.44": false when there is no MAJOR.MINOR at the start. */
bool kernel_version_parse(const char *text, struct kernel_version *version);

/* Its page size in bytes: 4096, that of x86 and of most ARM kernels, where it is not known, or nothing is
 * known of the host (NULL). */
uint64_t host_page_bytes(const struct host *host);

/* True when settings or the kernel are known, and not only what TCP holds. */
bool host_has_settings(const struct host *host);

/* True when the version is known and at least major.minor. */
bool kernel_at_least(const struct kernel_version *version, unsigned major, unsigned minor);
/* True when the version is known and below major.minor. */
bool kernel_before(const struct kernel_version *version, unsigned major, unsigned minor);

/*
 * Fills from `sysctl -a` output and from what else people keep settings in: sysctl.d files, greps of
 * them ("file:key=value", where the file that is later in order wins), commands (sysctl, cat and echo
 * below /proc/sys, docker --sysctl), tuned.conf, YAML and Ansible.  Unknown keys are passed over; a line of
 * one of our keys whose value the kernel would refuse is counted in .dump.  False when nothing was
 * found; *why says so, or tells of a read error, and then errno is not 0.
 */
bool host_read_dump(struct host *host, struct source *source, const char **why);

#endif
