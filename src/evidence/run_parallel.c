#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/run.h"

/* Of the shorter one, what two processes must have run together, by the clock and by the lines of a log, which
 * tell it only as closely as they are many. */
#define TOGETHER_SHARE 0.8
#define TOGETHER_SHARE_LINES 0.5
/* Their intervals are of one length when it differs by no more than this share. */
#define LENGTH_SHARE 0.1

static double first_length(const struct run *run)
{
	return run->series.bins[0].end_s - run->series.bins[0].start_s;
}

static bool ran_together(const struct run *a, const struct run *b)
{
	double shorter = fmin(a->ended - a->began, b->ended - b->began);
	double together = fmin(a->ended, b->ended) - fmax(a->began, b->began);

	return a->began > 0 && b->began > 0 && shorter > 0 &&
	       together >= (a->cookie[0] != '\0' ? TOGETHER_SHARE : TOGETHER_SHARE_LINES) * shorter;
}

/* Two processes, and not two tests of one, or one test twice. */
static bool are_apart(const struct run *a, const struct run *b)
{
	if (a->cookie[0] != '\0' && b->cookie[0] != '\0')
		return strcmp(a->cookie, b->cookie) != 0;
	return a->cookie[0] == b->cookie[0] && strcmp(a->input, b->input) == 0 &&
	       a->title[0] != '\0' && b->title[0] != '\0' && strcmp(a->title, b->title) != 0;
}

static bool are_parallel(const struct run *a, const struct run *b)
{
	return a->protocol == PROTOCOL_TCP && b->protocol == PROTOCOL_TCP &&
	       a->client == b->client && a->local_sends == b->local_sends && !a->bidir &&
	       !b->bidir && a->sender[0] != '\0' && strcmp(a->sender, b->sender) == 0 &&
	       a->receiver[0] != '\0' && strcmp(a->receiver, b->receiver) == 0 && are_apart(a, b) &&
	       ran_together(a, b) && a->series.count > 0 && b->series.count > 0 &&
	       a->series.merged == b->series.merged &&
	       fabs(first_length(a) - first_length(b)) <= LENGTH_SHARE * first_length(a) &&
	       a->streams + b->streams <= STREAMS_MAX;
}

static void bin_sum(struct bin *to, const struct bin *from, double to_streams, double from_streams)
{
	double rtt_us =
	    (to->rtt_us * to_streams + from->rtt_us * from_streams) / (to_streams + from_streams);

	bin_add_stream(to, from);
	to->rtt_us = rtt_us;
}

/* Adds bytes up so that over the time their rates add up, too: one of them may have been cut short. */
static void rate_sum(uint64_t *bytes, double *seconds, uint64_t more_bytes, double more_seconds)
{
	double rate = (*seconds > 0 ? (double)*bytes / *seconds : 0) +
		      (more_seconds > 0 ? (double)more_bytes / more_seconds : 0);

	*bytes += more_bytes;
	*seconds = rate > 0 ? (double)*bytes / rate : fmax(*seconds, more_seconds);
}

static void totals_sum(struct run *to, const struct run *from)
{
	/* what only one of them told is unknown of both; a use of CPU is that of one process */
	to->has &=
	    from->has | ~(unsigned)(RUN_SENT | RUN_RECEIVED | RUN_RETRANSMITS | RUN_MAX_CWND |
				    RUN_RTT_EXTREMES | RUN_BUSY | RUN_SEGMENTS);
	to->has |= from->has & (RUN_RETRANSMITS_DROPPED | RUN_MSS);
	to->mss = to->mss > 0 ? to->mss : from->mss;
	rate_sum(&to->sent_bytes, &to->sent_seconds, from->sent_bytes, from->sent_seconds);
	rate_sum(&to->received_bytes, &to->received_seconds, from->received_bytes,
	    from->received_seconds);
	to->retransmits += from->retransmits;
	to->max_cwnd_bytes += from->max_cwnd_bytes;
	to->segments_sent += from->segments_sent;
	to->busy_us += from->busy_us;
	to->rwnd_limited_us += from->rwnd_limited_us;
	to->sndbuf_limited_us += from->sndbuf_limited_us;
	to->rtt_min_us = fmin(to->rtt_min_us, from->rtt_min_us);
	to->rtt_max_us = fmax(to->rtt_max_us, from->rtt_max_us);
	to->rtt_mean_us = (to->rtt_mean_us * to->streams + from->rtt_mean_us * from->streams) /
			  (to->streams + from->streams);
	to->sender_cpu_percent = fmax(to->sender_cpu_percent, from->sender_cpu_percent);
	to->receiver_cpu_percent = fmax(to->receiver_cpu_percent, from->receiver_cpu_percent);
	to->complete = to->complete && from->complete;
	to->has_summary = to->has_summary && from->has_summary;
}

static void run_sum(struct run *to, struct run *from)
{
	size_t count =
	    to->series.count < from->series.count ? to->series.count : from->series.count;
	size_t streams = to->stream_count + from->stream_count;

	for (size_t i = 0; i < count; i++)
		bin_sum(&to->series.bins[i], &from->series.bins[i], to->streams, from->streams);
	to->series.count = count;
	totals_sum(to, from);
	if (from->stream_count > 0) {
		to->stream_totals =
		    reallocarray(to->stream_totals, streams, sizeof(*to->stream_totals));
		if (!to->stream_totals)
			err(1, NULL);
		memcpy(&to->stream_totals[to->stream_count], from->stream_totals,
		    from->stream_count * sizeof(*to->stream_totals));
	}
	to->stream_count = streams;
	to->streams += from->streams;
}

unsigned runs_sum_parallel(struct runs *runs)
{
	unsigned gone = 0;

	for (size_t i = 0; i < runs->count; i++)
		for (size_t k = i + 1; k < runs->count;) {
			struct run *run = &runs->items[k];
			if (!are_parallel(&runs->items[i], run)) {
				k++;
				continue;
			}
			run_sum(&runs->items[i], run);
			run_free(run);
			memmove(run, run + 1, (--runs->count - k) * sizeof(*run));
			gone++;
		}
	return gone;
}
