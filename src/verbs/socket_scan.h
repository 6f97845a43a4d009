/*
 * What one question about many sockets has gathered, from the kernel or from files.
 */
#ifndef BDP_SOCKET_SCAN_H
#define BDP_SOCKET_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"
#include "evidence/counters.h"
#include "evidence/host.h"
#include "evidence/socket_filter.h"
#include "model/socket_memory.h"
#include "model/earlier_samples.h"
#include "model/socket_totals.h"
#include "options/options.h"

/* Outputs of ss in one call. */
#define SOCKET_SCAN_FILES_MAX 16

struct socket_scan {
	const struct options *options;
	struct socket_filter filter;
	struct socket_memory_rule rule;
	struct host host; /* whose sockets these are; origin HOST_UNKNOWN when not known */
	bool live;
	bool has_sockets;
	char source[160]; /* what the sockets came from; not yet safe to print */
	struct source *files[SOCKET_SCAN_FILES_MAX]; /* of ss, open until they are read */
	size_t file_count;
	char *pastes[SOCKET_SCAN_FILES_MAX]; /* what of them is in memory; owned */
	size_t paste_count;
	uint64_t lines_passed_over;
	struct socket_totals totals;
	struct earlier_samples *earlier; /* NULL when there is one reading */
	struct counters counters[2];
	unsigned counter_readings; /* 0, 1, 2 */
	double read_at_s;	   /* of the last live reading, monotonic clock */
	double seconds;		   /* between the last two; 0 when not known */
	/* Gets every socket as it comes; NULL for none. */
	void (*each)(const struct listed *item, void *context);
	void *each_context;
};

/* Reads the operands, or finds that the sockets of this machine are meant: then .live is set and
 * nothing is read yet.  Exit codes as of main; 0 to go on. */
int socket_scan_begin(struct socket_scan *scan, const struct options *options);
/* Reads the files that hold sockets. */
int socket_scan_read_files(struct socket_scan *scan);
/* One reading of this machine: sockets, counters, memory in use. With two readings wanted,
 * socket_scan_expect_two() comes first. */
int socket_scan_read_live(struct socket_scan *scan);
void socket_scan_expect_two(struct socket_scan *scan);
void socket_scan_free(struct socket_scan *scan);

#endif
