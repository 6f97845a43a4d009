#include "evidence/sample.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/ss_run.h"

/* What moves less tells nothing of its path: it fits into the initial window of RFC 6928. */
#define BYTES_MIN 14600
/* A direction with less than this share of the other's bytes is its acknowledgements in kind. */
#define SHARE_MIN 0.05

/* ---- readings into series ------------------------------------------------------------------ */

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* Sums for means over the readings; sample_close divides them. */
static void gather_add(struct sample *sample, const struct socket_info *info)
{
	struct bin *gather = &sample->gather;
	uint64_t cwnd = (uint64_t)info->cwnd_segments * info->mss;
	bool first = sample->gathered == 0;

	if ((info->has & SOCKET_CWND) && (info->has & SOCKET_MSS)) {
		gather->has |= BIN_CWND;
		gather->cwnd_bytes += cwnd;
		gather->cwnd_min_bytes =
		    first || cwnd < gather->cwnd_min_bytes ? cwnd : gather->cwnd_min_bytes;
		gather->cwnd_max_bytes =
		    cwnd > gather->cwnd_max_bytes ? cwnd : gather->cwnd_max_bytes;
	}
	if (info->has & SOCKET_PEER_WINDOW) {
		gather->has |= BIN_PEER_WINDOW;
		gather->peer_window_bytes += info->peer_window_bytes;
	}
	if (info->has & SOCKET_RTT) {
		gather->has |= BIN_RTT;
		gather->rtt_us += info->rtt_us;
		gather->rtt_min_us = first ? info->rtt_us : fmin(gather->rtt_min_us, info->rtt_us);
	}
	sample->gathered++;
}

static void sample_open(struct sample *sample, const struct socket_info *info, double now_s)
{
	sample->opened = *info;
	sample->opened_s = now_s;
	sample->gathered = 0;
	sample->gather = (struct bin){0};
}

/* The interval is over: one bin for each direction. */
static void sample_close(struct sample *sample, const struct socket_info *info, double now_s)
{
	struct bin bin = sample->gather;
	struct bin plain = bin_of_receiver(info);
	unsigned count = sample->gathered;

	plain.start_s = sample->opened_s - sample->first_s;
	plain.end_s = now_s - sample->first_s;
	plain.bytes = grown(sample->opened.bytes_received, info->bytes_received);
	series_add(&sample->received, &plain);
	bin.start_s = plain.start_s;
	bin.end_s = plain.end_s;
	bin.bytes = grown(sample->opened.bytes_acked, info->bytes_acked);
	bin.cwnd_bytes /= count;
	bin.peer_window_bytes /= count;
	bin.rtt_us /= count;
	if (info->has & SOCKET_RETRANS) {
		bin.has |= BIN_RETRANSMITS;
		bin.retransmits = grown(sample->opened.retransmits, info->retransmits);
	}
	series_add(&sample->sent, &bin);
}

void sample_add(struct sample *sample, const struct socket_info *info, double now_s)
{
	if (sample->readings++ == 0) {
		sample->first = *info;
		sample->first_s = now_s;
		sample_open(sample, info, now_s);
	} else {
		gather_add(sample, info);
		/* half a reading early is on time: sleeps are never shorter than asked for */
		if (now_s - sample->opened_s >=
		    sample->bin_s * (1 - 0.5 / SAMPLE_READINGS_PER_BIN)) {
			sample_close(sample, info, now_s);
			sample_open(sample, info, now_s);
		}
	}
	sample->last = *info;
	sample->last_s = now_s;
}

/* ---- series into runs ---------------------------------------------------------------------- */

static double sample_seconds(const struct sample *sample)
{
	return sample->last_s - sample->first_s;
}

uint64_t sample_moved(const struct sample *sample, bool sends)
{
	return sends ? grown(sample->first.bytes_acked, sample->last.bytes_acked)
		     : grown(sample->first.bytes_received, sample->last.bytes_received);
}

static uint64_t moved_by_all(struct sample *const *samples, size_t count, bool sends)
{
	uint64_t moved = 0;

	for (size_t i = 0; i < count; i++)
		moved += sample_moved(samples[i], sends);
	return moved;
}

static void fill_totals(
    struct run *run, struct sample *const *samples, size_t count, double seconds)
{
	bool sends = run->local_sends;
	uint64_t bytes = moved_by_all(samples, count, sends);
	unsigned has = ~0U; /* a fact of the run is one that every connection of it has */

	for (size_t i = 0; i < count; i++)
		has &= samples[i]->last.has;
	run->has |= sends ? RUN_SENT | run_account_has(has) : RUN_RECEIVED;
	*(sends ? &run->sent_bytes : &run->received_bytes) = bytes;
	*(sends ? &run->sent_seconds : &run->received_seconds) = seconds;
	run->streams = (unsigned)count;
	run->stream_totals = calloc(count, sizeof(*run->stream_totals));
	if (!run->stream_totals)
		err(1, NULL);
	run->stream_count = count;
	for (size_t i = 0; i < count; i++) {
		struct stream_total *total = &run->stream_totals[i];
		total->bytes = sample_moved(samples[i], sends);
		total->seconds = sample_seconds(samples[i]);
		if (!sends)
			continue;
		total->retransmits =
		    grown(samples[i]->first.retransmits, samples[i]->last.retransmits);
		const struct socket_info during = sample_socket(samples[i]);
		run_add_account(run, &during);
	}
}

/* Adds one connection's intervals to those in whose time their middles lie. */
static void series_fold(
    struct series *into, unsigned *streams, const struct series *series, double later_s)
{
	size_t at = 0;

	for (size_t i = 0; i < series->count; i++) {
		struct bin bin = series->bins[i];
		double middle_s = (bin.start_s + bin.end_s) / 2 + later_s;

		while (at < into->count && into->bins[at].end_s <= middle_s)
			at++;
		if (at == into->count)
			return;
		if (into->bins[at].start_s > middle_s)
			continue;
		bin_add_stream(&into->bins[at], &bin);
		streams[at]++;
	}
}

/* The intervals of the connection that was watched longest, with those of the others added. */
static double fill_series(struct run *run, struct sample *const *samples, size_t count, bool sends)
{
	struct sample *longest = samples[0];
	unsigned streams[SERIES_MAX] = {0};

	for (size_t i = 1; i < count; i++)
		if (sample_seconds(samples[i]) > sample_seconds(longest))
			longest = samples[i];
	struct series *series = sends ? &longest->sent : &longest->received;
	run->series = *series;
	*series = (struct series){0};
	for (size_t i = 0; i < count; i++)
		if (samples[i] != longest)
			series_fold(&run->series, streams,
			    sends ? &samples[i]->sent : &samples[i]->received,
			    samples[i]->first_s - longest->first_s);
	for (size_t i = 0; i < run->series.count; i++)
		run->series.bins[i].rtt_us /= streams[i] + 1;
	return sample_seconds(longest);
}

bool samples_to_runs(
    struct runs *runs, const char *input, struct sample *const *samples, size_t count)
{
	uint64_t sent = moved_by_all(samples, count, true);
	uint64_t received = moved_by_all(samples, count, false);
	uint64_t most = sent > received ? sent : received;
	const bool moves[2] = {
	    (double)sent >= SHARE_MIN * (double)most, (double)received >= SHARE_MIN * (double)most};

	if (most < BYTES_MIN || samples[0]->sent.count == 0)
		return false;
	unsigned test = runs->tests++;
	for (unsigned i = 0; i < 2; i++) {
		if (!moves[i])
			continue;
		struct run *run = runs_append(runs, input, test);
		run_describe_socket(run, &samples[0]->last, i == 0);
		run->bidir = moves[0] && moves[1];
		fill_totals(run, samples, count, fill_series(run, samples, count, i == 0));
	}
	return true;
}

/* Totals since the connection was opened would tell of older times. */
struct socket_info sample_socket(const struct sample *sample)
{
	struct socket_info info = sample->last;
	const struct socket_info *first = &sample->first;

	info.bytes_sent = grown(first->bytes_sent, info.bytes_sent);
	info.bytes_resent = grown(first->bytes_resent, info.bytes_resent);
	info.bytes_acked = grown(first->bytes_acked, info.bytes_acked);
	info.bytes_received = grown(first->bytes_received, info.bytes_received);
	info.data_segs_out = grown(first->data_segs_out, info.data_segs_out);
	info.retransmits = grown(first->retransmits, info.retransmits);
	info.busy_us -= first->busy_us;
	info.rwnd_limited_us -= first->rwnd_limited_us;
	info.sndbuf_limited_us -= first->sndbuf_limited_us;
	return info;
}

void sample_free(struct sample *sample)
{
	series_free(&sample->sent);
	series_free(&sample->received);
}

bool sample_finish(struct sample *sample, struct evidence *evidence, const char *input)
{
	bool sends = sample_moved(sample, true) >= sample_moved(sample, false);
	bool good = samples_to_runs(&evidence->runs, input, &sample, 1);

	if (good) {
		struct socket_info info = sample_socket(sample);
		evidence_keep_socket(evidence, &info, sends ? END_SENDER : END_RECEIVER);
	}
	sample_free(sample);
	return good;
}
