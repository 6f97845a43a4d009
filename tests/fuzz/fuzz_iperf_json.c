/*
 * Fuzzes the reader of iperf3's JSON.  The first byte chooses the chunk size; the rest is the input.
 *
 * Beside not crashing: what comes out is what the header promises, and chunk borders change
 * nothing.
 */
#include "evidence/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

static void check_bin(const struct bin *bin)
{
	REQUIRE(isfinite(bin->start_s) && isfinite(bin->end_s) && bin->end_s >= bin->start_s);
	if (bin->has & BIN_CWND)
		REQUIRE(bin->cwnd_min_bytes <= bin->cwnd_max_bytes);
	if (bin->has & BIN_RTT)
		REQUIRE(bin->rtt_us >= 1 && bin->rtt_min_us >= 1);
}

static void check_run(const struct run *run, unsigned tests)
{
	REQUIRE(run->test < tests);
	REQUIRE(run->streams >= 1 && run->streams <= STREAMS_MAX);
	REQUIRE(run->stream_count == run->streams && run->stream_totals != NULL);
	REQUIRE(run->series.count <= SERIES_MAX);
	for (size_t i = 0; i < run->series.count; i++)
		check_bin(&run->series.bins[i]);
	REQUIRE(run->series.count > 0 || run->sent_bytes > 0 || run->received_bytes > 0);
	REQUIRE(!run->complete || (run->has_summary && run->error[0] == '\0'));
	REQUIRE(isfinite(run->sent_seconds) && run->sent_seconds >= 0);
	REQUIRE(isfinite(run->received_seconds) && run->received_seconds >= 0);
	if (run->has & RUN_JITTER)
		REQUIRE(run->packets > 0 && run->lost <= run->packets && run->jitter_ms >= 0);
	if (run->has & RUN_RTT_EXTREMES)
		REQUIRE(run->rtt_min_us >= 1 && run->rtt_mean_us >= 1 && run->rtt_max_us >= 1);
	if (run->has & RUN_MSS)
		REQUIRE(run->mss > 0);
}

static enum read_result read_all(struct source *source, struct runs *runs, struct read_note *note)
{
	memset(note, 'x', sizeof(*note));
	enum read_result result = iperf_json_read(runs, source, note);
	REQUIRE(strnlen(note->text, sizeof(note->text)) < sizeof(note->text));
	REQUIRE(result != READ_SYSTEM);
	REQUIRE((result == READ_NOTHING) == (runs->count == 0));
	REQUIRE((result == READ_OK) == (note->text[0] == '\0'));
	REQUIRE(runs->count <= RUNS_MAX);
	for (size_t i = 0; i < runs->count; i++)
		check_run(&runs->items[i], runs->tests);
	source_close(source);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	struct runs whole = {0}, chunked = {0};
	struct read_note a, b;
	size_t chunk = (size_t)bytes[0] + 1;
	const uint8_t *input = bytes + 1;
	size--;
	enum read_result result = read_all(source_memory("input", input, size), &whole, &a);
	REQUIRE(
	    result == read_all(source_memory_chunked("input", input, size, chunk), &chunked, &b));
	REQUIRE(strcmp(a.text, b.text) == 0);
	REQUIRE(whole.count == chunked.count && whole.tests == chunked.tests);
	for (size_t i = 0; i < whole.count; i++) {
		const struct run *x = &whole.items[i], *y = &chunked.items[i];
		REQUIRE(x->has == y->has && x->series.count == y->series.count);
		REQUIRE(x->sent_bytes == y->sent_bytes && x->received_bytes == y->received_bytes);
	}
	runs_free(&whole);
	runs_free(&chunked);
	return 0;
}
