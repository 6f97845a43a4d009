/*
 * A live connection of this machine, watched for some seconds, as a run: what holds it is then told by
 * the rules that an iperf3 run goes through.
 */
#ifndef BDP_SAMPLE_H
#define BDP_SAMPLE_H

#include "evidence/evidence.h"
#include "evidence/ss.h"

#define SAMPLE_SECONDS_DEFAULT 5

/* Watches the busiest connection to "ADDR[:PORT]" and adds its runs (one for each direction that
 * carries data) and its socket to the bundle.  On failure one complaint has been made.  Takes `seconds`, 0 for the default. */
enum operand_result sample_read(struct evidence *evidence, const char *endpoint, double seconds);

/* The series of a connection while its readings arrive. */
struct sample {
	double bin_s; /* length of an interval */
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

/* Takes one reading, made at that time. */
void sample_add(struct sample *sample, const struct socket_info *info, double now_s);
/* Adds what was sampled; `input` names it.  False when hardly anything moved: no run then. */
bool sample_finish(struct sample *sample, struct evidence *evidence, const char *input);

#endif
