/*
 * A connection read again and again, as a series of intervals, and what several such come to as a run:
 * it is then told by the same rules as an iperf3 run's what holds it.
 */
#ifndef BDP_SAMPLE_H
#define BDP_SAMPLE_H

#include "evidence/evidence.h"
#include "evidence/ss.h"

/* Readings of one interval when a live connection is watched: RTT and cwnd are means over them. */
#define SAMPLE_READINGS_PER_BIN 5

/* The series of a connection while its readings arrive. */
struct sample {
	double bin_s; /* length of an interval; 0: each reading ends one */
	struct socket_info first, last;
	double first_s, last_s; /* when they were read */
	unsigned readings;
	/* the interval that is being filled */
	struct socket_info opened;
	double opened_s;
	unsigned gathered;
	struct bin gather;
	struct series sent, received;
};

/* Takes one reading, made at that time, which is later than that of the one before. */
void sample_add(struct sample *sample, const struct socket_info *info, double now_s);
/* Bytes acknowledged, or received, between the first reading and the last. */
uint64_t sample_moved(const struct sample *sample, bool sends);
/* The socket as it was last, with its totals since the first reading. */
struct socket_info sample_socket(const struct sample *sample);
/* Connections of one test as the streams of a run, one for each direction that carries data; takes
 * series out of the samples.  False when hardly anything moved: no run then. */
bool samples_to_runs(
    struct runs *runs, const char *input, struct sample *const *samples, size_t count);
/* One connection's runs and its socket; `input` names it.  Frees what the sample owns.  False when
 * hardly anything moved. */
bool sample_finish(struct sample *sample, struct evidence *evidence, const char *input);
void sample_free(struct sample *sample);

#endif
