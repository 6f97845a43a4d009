/* What holds of every run that a reader made, whatever came in. */
#ifndef BDP_FUZZ_RUNS_CHECK_H
#define BDP_FUZZ_RUNS_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/run.h"

static void check(int good)
{
	if (!good)
		abort();
}

static void check_text(const char *text, size_t size)
{
	check(memchr(text, '\0', size) != NULL);
}

static void check_seconds(double seconds)
{
	check(isfinite(seconds) && seconds >= 0);
}

static void check_series(const struct series *series)
{
	check(series->count <= SERIES_MAX);
	for (size_t i = 0; i < series->count; i++) {
		const struct bin *bin = &series->bins[i];
		check_seconds(bin->start_s);
		check(isfinite(bin->end_s) && bin->end_s > bin->start_s);
		if (bin->has & BIN_CWND)
			check(bin->cwnd_min_bytes <= bin->cwnd_max_bytes);
		if (bin->has & BIN_RTT)
			check(bin->rtt_us > 0 && bin->rtt_min_us > 0);
	}
}

static void check_run(const struct runs *runs, const struct run *run)
{
	check(run->test < runs->tests);
	check(run->streams >= 1 && run->streams <= STREAMS_MAX);
	check(run->stream_count <= run->streams);
	check(!run->complete || (run->has_summary && run->error[0] == '\0'));
	check(!run->has_summary || (run->has & (RUN_SENT | RUN_RECEIVED)) ||
	      run->stream_count == 0 || run->stream_totals);
	check_text(run->version, sizeof(run->version));
	check_text(run->system_info, sizeof(run->system_info));
	check_text(run->sender, sizeof(run->sender));
	check_text(run->receiver, sizeof(run->receiver));
	check_text(run->title, sizeof(run->title));
	check_text(run->error, sizeof(run->error));
	check_text(run->sender_cc, sizeof(run->sender_cc));
	check_text(run->receiver_cc, sizeof(run->receiver_cc));
	check_seconds(run->sent_seconds);
	check_seconds(run->received_seconds);
	check_seconds(run->target_rate_bps);
	check_seconds(run->duration_s);
	check_seconds(run->omit_s);
	check_seconds(run->jitter_ms);
	check_series(&run->series);
}

/* Whatever came in, the runs are of the promised size and their numbers finite. */
static void check_reader(
    enum read_result (*read)(struct runs *, struct source *, struct read_note *),
    const uint8_t *data, size_t size)
{
	struct source *source = source_memory("fuzz", data, size);
	struct runs runs = {0};
	struct read_note note;
	enum read_result result = read(&runs, source, &note);

	check((runs.count == 0) == (result == READ_NOTHING));
	check((note.text[0] == '\0') == (result == READ_OK));
	check_text(note.text, sizeof(note.text));
	check(runs.count <= RUNS_MAX);
	for (size_t i = 0; i < runs.count; i++)
		check_run(&runs, &runs.items[i]);
	runs_free(&runs);
	source_close(source);
}

#endif
