#include "evidence/run.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What two bins come to as one; `a_weight` intervals stand behind a, b_weight behind b. */
static struct bin bin_merge(
    const struct bin *a, const struct bin *b, double a_weight, double b_weight)
{
	struct bin m = *a;
	double whole = a_weight + b_weight;

	m.end_s = b->end_s;
	m.bytes += b->bytes;
	m.arrived_bytes += b->arrived_bytes;
	m.has = a->has & b->has;
	m.retransmits += b->retransmits;
	m.cwnd_bytes =
	    (uint64_t)(((double)a->cwnd_bytes * a_weight + (double)b->cwnd_bytes * b_weight) /
		       whole);
	if (b->cwnd_min_bytes < m.cwnd_min_bytes)
		m.cwnd_min_bytes = b->cwnd_min_bytes;
	if (b->cwnd_max_bytes > m.cwnd_max_bytes)
		m.cwnd_max_bytes = b->cwnd_max_bytes;
	m.peer_window_bytes = (uint64_t)(((double)a->peer_window_bytes * a_weight +
					     (double)b->peer_window_bytes * b_weight) /
					 whole);
	m.rtt_us = (a->rtt_us * a_weight + b->rtt_us * b_weight) / whole;
	m.rtt_min_us = fmin(a->rtt_min_us, b->rtt_min_us);
	return m;
}

/* Halves the series: each pair of neighbours becomes one bin. */
static void series_halve(struct series *series)
{
	for (size_t i = 0; i + 1 < series->count; i += 2)
		series->bins[i / 2] = bin_merge(&series->bins[i], &series->bins[i + 1], 1, 1);
	series->count /= 2;
	series->merged *= 2;
}

void series_add(struct series *series, const struct bin *bin)
{
	if (series->merged == 0)
		series->merged = 1;
	if (series->pending > 0 && series->pending < series->merged) {
		struct bin *last = &series->bins[series->count - 1];
		*last = bin_merge(last, bin, series->pending, 1);
		series->pending++;
		return;
	}
	if (series->count == SERIES_MAX)
		series_halve(series);
	if (series->count == series->capacity) {
		series->capacity = series->capacity ? series->capacity * 2 : 16;
		series->bins = reallocarray(series->bins, series->capacity, sizeof(*series->bins));
		if (!series->bins)
			err(1, NULL);
	}
	series->bins[series->count++] = *bin;
	series->pending = 1;
}

void series_free(struct series *series)
{
	if (!series)
		return;
	free(series->bins);
	memset(series, 0, sizeof(*series));
}

void run_free(struct run *run)
{
	free(run->input);
	free(run->stream_totals);
	series_free(&run->series);
}

/* Lets the older half go at once, so that a log of a million tests is not moved a million times. */
static void runs_drop_older(struct runs *runs)
{
	size_t drop = RUNS_MAX / 2;

	for (size_t i = 0; i < drop; i++)
		run_free(&runs->items[i]);
	runs->count -= drop;
	runs->dropped += (unsigned)drop;
	memmove(&runs->items[0], &runs->items[drop], runs->count * sizeof(runs->items[0]));
}

struct run *runs_append(struct runs *runs, const char *input, unsigned test)
{
	if (runs->count == RUNS_MAX)
		runs_drop_older(runs);
	if (runs->count == runs->capacity) {
		runs->capacity = runs->capacity ? runs->capacity * 2 : 2;
		runs->items = reallocarray(runs->items, runs->capacity, sizeof(*runs->items));
		if (!runs->items)
			err(1, NULL);
	}
	struct run *run = &runs->items[runs->count++];
	memset(run, 0, sizeof(*run));
	run->test = test;
	run->streams = 1;
	run->input = strdup(input);
	if (!run->input)
		err(1, NULL);
	return run;
}

void runs_keep_test(struct runs *runs, unsigned test)
{
	size_t kept = 0;

	for (size_t i = 0; i < runs->count; i++) {
		if (runs->items[i].test == test)
			runs->items[kept++] = runs->items[i];
		else
			run_free(&runs->items[i]);
	}
	runs->count = kept;
}

/* One direction of one test, as its two ends saw it. */
static bool is_other_view(const struct run *a, const struct run *b)
{
	return a->test == b->test && a->protocol == b->protocol && a->client != b->client &&
	       a->local_sends != b->local_sends;
}

static void mss_take(struct run *to, const struct run *from)
{
	if ((to->has & RUN_MSS) || !(from->has & RUN_MSS))
		return;
	to->has |= RUN_MSS;
	to->mss = from->mss;
}

/* Rows of the two ends are of one interval when their borders differ by less than this share of it. */
#define BORDER_SHARE 0.1

/* Gives the sender's intervals what the receiver counted in them, if they are the same ones. */
static void series_join(struct series *sender, const struct series *receiver)
{
	size_t count = sender->count < receiver->count ? sender->count : receiver->count;

	/* what arrives at the end may have an interval of its own */
	if (sender->merged != receiver->merged || sender->count > receiver->count + 1 ||
	    receiver->count > sender->count + 1)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct bin *a = &sender->bins[i], *b = &receiver->bins[i];
		double slack = BORDER_SHARE * (a->end_s - a->start_s);
		if (fabs(a->start_s - b->start_s) > slack || fabs(a->end_s - b->end_s) > slack)
			return;
	}
	for (size_t i = 0; i < count; i++) {
		sender->bins[i].arrived_bytes = receiver->bins[i].bytes;
		sender->bins[i].has |= BIN_ARRIVED;
	}
}

static void views_join(struct run *sender, struct run *receiver)
{
	series_join(&sender->series, &receiver->series);
	mss_take(sender, receiver);
	mss_take(receiver, sender);
	/* before 3.2 a sender gives the receiver's bytes over its own time */
	bool untold =
	    !(sender->has & RUN_RECEIVED) || sender->received_seconds == sender->sent_seconds;
	if (untold && (receiver->has & RUN_RECEIVED) && receiver->complete) {
		sender->has |= RUN_RECEIVED;
		sender->received_bytes = receiver->received_bytes;
		sender->received_seconds = receiver->received_seconds;
	}
	if (!(receiver->has & RUN_RETRANSMITS) && (sender->has & RUN_RETRANSMITS)) {
		receiver->has |= RUN_RETRANSMITS;
		receiver->retransmits = sender->retransmits;
	}
}

void runs_pair(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		for (size_t k = 0; k < runs->count; k++)
			if (runs->items[i].local_sends &&
			    is_other_view(&runs->items[i], &runs->items[k]))
				views_join(&runs->items[i], &runs->items[k]);
}

void runs_free(struct runs *runs)
{
	if (!runs)
		return;
	for (size_t i = 0; i < runs->count; i++)
		run_free(&runs->items[i]);
	free(runs->items);
	memset(runs, 0, sizeof(*runs));
}

void bin_add_stream(struct bin *bin, const struct bin *stream)
{
	bin->has &= stream->has;
	bin->bytes += stream->bytes;
	bin->retransmits += stream->retransmits;
	bin->cwnd_bytes += stream->cwnd_bytes;
	bin->cwnd_min_bytes += stream->cwnd_min_bytes;
	bin->cwnd_max_bytes += stream->cwnd_max_bytes;
	bin->peer_window_bytes += stream->peer_window_bytes;
	bin->arrived_bytes += stream->arrived_bytes;
	bin->rtt_us += stream->rtt_us;
	bin->rtt_min_us = fmin(bin->rtt_min_us, stream->rtt_min_us);
}
