/* The reader of iperf3's JSON against what jq says of the same inputs, and its properties. */
#include "evidence/run.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Columns of tests/corpus/expect-json.tsv. */
enum column {
	COLUMN_FILE,
	COLUMN_RUN,
	COLUMN_ROLE,
	COLUMN_DIRECTION,
	COLUMN_PROTOCOL,
	COLUMN_VERSION,
	COLUMN_COMPLETE,
	COLUMN_STREAMS,
	COLUMN_INTERVALS,
	COLUMN_OMITTED,
	COLUMN_SENT_BYTES,
	COLUMN_SENT_SECONDS,
	COLUMN_RECEIVED_BYTES,
	COLUMN_RECEIVED_SECONDS,
	COLUMN_RETRANSMITS,
	COLUMN_LOST,
	COLUMN_PACKETS,
	COLUMN_MEAN_RTT,
	COLUMN_MEAN_CWND,
	COLUMN_MEAN_WINDOW,
	COLUMN_SENDER_CC,
	COLUMN_RECEIVER_CC,
	COLUMN_OWN_CPU,
	COLUMN_OTHER_CPU,
	COLUMN_COUNT
};

static char *file_bytes(const char *path, size_t *length)
{
	FILE *file = fopen(path, "r");
	char *bytes = malloc(1 << 20);

	assert_non_null(file);
	assert_non_null(bytes);
	*length = fread(bytes, 1, 1 << 20, file);
	assert_true(*length > 0 && *length < 1 << 20);
	fclose(file);
	return bytes;
}

static enum read_result read_bytes(
    const char *bytes, size_t length, struct runs *runs, struct read_note *note)
{
	struct source *source = source_memory("memory", bytes, length);
	enum read_result result = iperf_json_read(runs, source, note);

	source_close(source);
	return result;
}

/* ---- against jq --------------------------------------------------------------------------- */

/* "-" is unknown. */
static void check_number(const char *name, const char *expected, bool is_known, double actual)
{
	if (strcmp(expected, "-") == 0) {
		if (is_known)
			fail_msg("%s: %.17g where none was expected", name, actual);
		return;
	}
	double value = strtod(expected, NULL);
	if (!is_known)
		fail_msg("%s: unknown, expected %s", name, expected);
	if (fabs(actual - value) > 1e-6 * fabs(value))
		fail_msg("%s: %.17g, expected %s", name, actual, expected);
}

static void check_text(const char *name, const char *expected, const char *actual)
{
	if (strcmp(expected, actual[0] != '\0' ? actual : "-") != 0)
		fail_msg("%s: '%s', expected '%s'", name, actual, expected);
}

/* Mean over the bins that have it; bins are single intervals in these inputs. */
static void check_mean(const char *name, const char *expected, const struct run *run, unsigned bit,
    double (*of)(const struct bin *bin))
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < run->series.count; i++) {
		if (!(run->series.bins[i].has & bit))
			continue;
		sum += of(&run->series.bins[i]);
		count++;
	}
	check_number(name, expected, count > 0, count > 0 ? sum / (double)count : 0);
}

static double bin_rtt(const struct bin *bin)
{
	return bin->rtt_us;
}

static double bin_cwnd(const struct bin *bin)
{
	return (double)bin->cwnd_bytes;
}

static double bin_window(const struct bin *bin)
{
	return (double)bin->peer_window_bytes;
}

static void check_totals(char *const *columns, const struct run *run)
{
	bool is_sent = run->has & RUN_SENT, is_received = run->has & RUN_RECEIVED;
	bool has_loss = run->has & RUN_JITTER;

	check_number("sent bytes", columns[COLUMN_SENT_BYTES], is_sent, (double)run->sent_bytes);
	check_number("sent seconds", columns[COLUMN_SENT_SECONDS], is_sent, run->sent_seconds);
	check_number("received bytes", columns[COLUMN_RECEIVED_BYTES], is_received,
	    (double)run->received_bytes);
	check_number("received seconds", columns[COLUMN_RECEIVED_SECONDS], is_received,
	    run->received_seconds);
	check_number("retransmits", columns[COLUMN_RETRANSMITS], run->has & RUN_RETRANSMITS,
	    (double)run->retransmits);
	check_number("lost", columns[COLUMN_LOST], has_loss, (double)run->lost);
	check_number("packets", columns[COLUMN_PACKETS], has_loss, (double)run->packets);
}

static void check_run(char *const *columns, const struct run *run)
{
	static const char *const protocols[] = {"TCP", "UDP", "SCTP"};
	bool sends = run->local_sends;
	bool own = run->has & (sends ? RUN_SENDER_CPU : RUN_RECEIVER_CPU);
	bool other = run->has & (sends ? RUN_RECEIVER_CPU : RUN_SENDER_CPU);

	check_text("role", columns[COLUMN_ROLE], run->client ? "client" : "server");
	check_text("direction", columns[COLUMN_DIRECTION], sends ? "sends" : "receives");
	check_text("protocol", columns[COLUMN_PROTOCOL], protocols[run->protocol]);
	check_text("version", columns[COLUMN_VERSION], run->version);
	check_text("complete", columns[COLUMN_COMPLETE], run->complete ? "true" : "false");
	check_number("streams", columns[COLUMN_STREAMS], true, run->streams);
	check_number("intervals", columns[COLUMN_INTERVALS], true, (double)run->series.count);
	check_number("omitted", columns[COLUMN_OMITTED], true, run->omitted_intervals);
	check_totals(columns, run);
	check_mean("mean RTT", columns[COLUMN_MEAN_RTT], run, BIN_RTT, bin_rtt);
	check_mean("mean cwnd", columns[COLUMN_MEAN_CWND], run, BIN_CWND, bin_cwnd);
	check_mean("mean window", columns[COLUMN_MEAN_WINDOW], run, BIN_PEER_WINDOW, bin_window);
	check_text("sender's algorithm", columns[COLUMN_SENDER_CC], run->sender_cc);
	check_text("receiver's algorithm", columns[COLUMN_RECEIVER_CC], run->receiver_cc);
	check_number("own CPU", columns[COLUMN_OWN_CPU], own,
	    sends ? run->sender_cpu_percent : run->receiver_cpu_percent);
	check_number("other CPU", columns[COLUMN_OTHER_CPU], other,
	    sends ? run->receiver_cpu_percent : run->sender_cpu_percent);
	assert_true(run->has & RUN_ROLE_KNOWN);
	assert_int_equal(run->stream_count, run->streams);
}

static void check_streams(const struct run *run)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->stream_count; i++)
		bytes += run->stream_totals[i].bytes;
	assert_int_equal(bytes, run->local_sends ? run->sent_bytes : run->received_bytes);
}

/* One line: opens the file anew, which costs little and keeps lines apart. */
static void check_line(char *line)
{
	char *columns[COLUMN_COUNT], path[256], *rest = line;
	struct runs runs = {0};
	struct read_note note;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < COLUMN_COUNT; i++)
		assert_non_null(columns[i] = strsep(&rest, "\t"));
	assert_null(rest);
	print_message("%s %s\n", columns[COLUMN_FILE], columns[COLUMN_RUN]);
	snprintf(path, sizeof(path), "tests/corpus/%s", columns[COLUMN_FILE]);
	struct source *source = source_open(path);
	assert_non_null(source);
	size_t number = strtoul(columns[COLUMN_RUN], NULL, 10);
	enum read_result result = iperf_json_read(&runs, source, &note);
	if (number == 0) {
		assert_int_equal(result, READ_NOTHING);
		assert_int_equal(runs.count, 0);
	} else {
		assert_int_equal(result, READ_OK);
		assert_string_equal(note.text, "");
		assert_true(number <= runs.count);
		assert_string_equal(runs.items[number - 1].input, path);
		check_run(columns, &runs.items[number - 1]);
		check_streams(&runs.items[number - 1]);
	}
	runs_free(&runs);
	source_close(source);
}

static void agrees_with_jq(void **state)
{
	FILE *file = fopen("tests/corpus/expect-json.tsv", "r");
	char line[1024];
	unsigned lines = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (line[0] == '#')
			continue;
		check_line(line);
		lines++;
	}
	fclose(file);
	assert_true(lines > 200);
}

/* Facts that jq's table has no column for, read off the documents by eye. */
static void fills_in_the_rest(void **state)
{
	struct runs runs = {0};
	struct read_note note;
	size_t length;
	char *bytes = file_bytes("tests/corpus/iperf3/setsockopt-256k.3.12.json", &length);

	(void)state;
	assert_int_equal(read_bytes(bytes, length, &runs, &note), READ_OK);
	const struct run *run = &runs.items[0];
	assert_string_equal(run->sender, "10.77.0.1");
	assert_string_equal(run->receiver, "10.77.0.2");
	assert_string_equal(
	    run->system_info, "Linux host 6.18.44 #1 SMP PREEMPT_DYNAMIC @0 x86_64");
	assert_true(run->has & RUN_SOCKET_BUFFER);
	assert_int_equal(run->socket_buffer_bytes, 262144);
	assert_true(run->has & RUN_TARGET_RATE);
	assert_true(run->target_rate_bps == 0);
	assert_true(run->has & RUN_MSS);
	assert_int_equal(run->mss, 1448);
	assert_true((run->has & RUN_DURATION) && run->duration_s == 4);
	assert_true((run->has & RUN_OMIT) && run->omit_s == 0);
	assert_true(run->has & RUN_RTT_EXTREMES);
	assert_true(
	    run->rtt_min_us == 52178 && run->rtt_mean_us == 52219 && run->rtt_max_us == 52256);
	assert_true(run->has & RUN_MAX_CWND);
	assert_int_equal(run->max_cwnd_bytes, 705176);
	assert_true(run->rounding == 0);
	assert_false(run->reverse || run->bidir);
	free(bytes);
	runs_free(&runs);
}

/* ---- properties --------------------------------------------------------------------------- */

static size_t intervals(const struct runs *runs)
{
	size_t count = 0;

	for (size_t i = 0; i < runs->count; i++)
		count += runs->items[i].series.count;
	return count;
}

/* However short a document is cut, it has the intervals that were whole. */
static void keeps_what_can_be_kept(void **state)
{
	static const struct {
		const char *path;
		size_t intervals, runs;
	} rows[] = {
	    {"tests/corpus/iperf3/omit.3.12.json", 4, 1},
	    {"tests/corpus/iperf3/bidir.3.21.json", 8, 2},
	    {"tests/corpus/iperf3/rwnd-clamp.3.21.jsonl", 4, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t length, kept = 0;
		char *bytes = file_bytes(rows[i].path, &length);
		print_message("%s\n", rows[i].path);
		for (size_t cut = 0; cut <= length; cut++) {
			struct runs runs = {0};
			struct read_note note;
			enum read_result result = read_bytes(bytes, cut, &runs, &note);
			size_t now = intervals(&runs);
			if (now < kept)
				fail_msg("%zu intervals of %zu bytes, %zu of less", now, cut, kept);
			kept = now;
			/* the last byte may be a line feed */
			bool is_whole = cut + 1 >= length;
			if (!is_whole)
				assert_int_equal(result, kept > 0 ? READ_PARTIAL : READ_NOTHING);
			assert_int_equal(note.text[0] == '\0', is_whole && result == READ_OK);
			assert_true(runs.count == 0 || kept > 0);
			if (cut == length) {
				assert_int_equal(result, READ_OK);
				assert_int_equal(kept, rows[i].intervals);
				assert_int_equal(runs.count, rows[i].runs);
			}
			runs_free(&runs);
		}
		free(bytes);
	}
}

/* The outcome does not depend on how the bytes come in. */
static void reads_chunks_of_any_size(void **state)
{
	static const size_t chunks[] = {1, 2, 3, 7, 64, 4096};
	size_t length;
	char *bytes = file_bytes("tests/corpus/iperf3/server-log.3.12.json", &length);
	struct runs whole = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_bytes(bytes, length, &whole, &note), READ_OK);
	for (size_t i = 0; i < COUNT(chunks); i++) {
		struct runs runs = {0};
		struct source *source = source_memory_chunked("memory", bytes, length, chunks[i]);
		print_message("%zu\n", chunks[i]);
		assert_int_equal(iperf_json_read(&runs, source, &note), READ_OK);
		assert_int_equal(runs.count, whole.count);
		for (size_t k = 0; k < runs.count; k++) {
			const struct run *a = &runs.items[k], *b = &whole.items[k];
			assert_int_equal(a->has, b->has);
			assert_int_equal(a->sent_bytes, b->sent_bytes);
			assert_int_equal(a->received_bytes, b->received_bytes);
			assert_int_equal(a->series.count, b->series.count);
			assert_string_equal(a->cookie, b->cookie);
		}
		source_close(source);
		runs_free(&runs);
	}
	runs_free(&whole);
	free(bytes);
}

/* A document of `count` intervals of a second, each of `streams` streams with 100 bytes. */
static char *document_of(unsigned count, unsigned streams, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	assert_non_null(file);
	fputs("{\"start\":{\"connecting_to\":{\"host\":\"h\"}},\"intervals\":[", file);
	for (unsigned i = 0; i < count; i++) {
		fprintf(file, "%s{\"streams\":[", i > 0 ? "," : "");
		for (unsigned k = 0; k < streams; k++)
			fprintf(file,
			    "%s{\"start\":%u,\"end\":%u,\"bytes\":100,\"retransmits\":1,"
			    "\"snd_cwnd\":10,\"rtt\":%u}",
			    k > 0 ? "," : "", i, i + 1, i + 1);
		fputs("]}", file);
	}
	fputs("],\"end\":{}}", file);
	fclose(file);
	return text;
}

static void long_runs_are_merged(void **state)
{
	size_t length;
	char *text = document_of(5000, 2, &length);
	struct runs runs = {0};
	struct read_note note;
	uint64_t bytes = 0, lost = 0;

	(void)state;
	assert_int_equal(read_bytes(text, length, &runs, &note), READ_OK);
	const struct run *run = &runs.items[0];
	assert_true(run->series.count <= SERIES_MAX && run->series.count > SERIES_MAX / 2 - 1);
	for (size_t i = 0; i < run->series.count; i++) {
		bytes += run->series.bins[i].bytes;
		lost += run->series.bins[i].retransmits;
	}
	assert_int_equal(bytes, 5000 * 2 * 100);
	assert_int_equal(lost, 5000 * 2);
	assert_int_equal(run->sent_bytes, 5000 * 2 * 100);
	assert_true(run->sent_seconds == 5000);
	assert_int_equal(run->retransmits, 10000);
	free(text);
	runs_free(&runs);
}

static void streams_are_bounded(void **state)
{
	size_t length;
	char *text = document_of(1, STREAMS_MAX + 44, &length);
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_int_equal(read_bytes(text, length, &runs, &note), READ_OK);
	assert_int_equal(runs.items[0].streams, STREAMS_MAX);
	assert_int_equal(runs.items[0].series.bins[0].bytes, STREAMS_MAX * 100);
	assert_int_equal(runs.items[0].series.bins[0].cwnd_bytes, STREAMS_MAX * 10);
	free(text);
	runs_free(&runs);
}

static void old_runs_are_dropped(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	for (unsigned i = 0; i < RUNS_MAX + 10; i++)
		fprintf(file,
		    "{\"start\":{},\"intervals\":[{\"streams\":[{\"start\":0,\"end\":1,"
		    "\"bytes\":%u}]}],\"end\":{}}\n",
		    i + 1);
	fclose(file);
	assert_int_equal(read_bytes(text, length, &runs, &note), READ_OK);
	/* the older half goes at once; what is left are the last ones */
	assert_int_equal(runs.dropped, RUNS_MAX / 2);
	assert_int_equal(runs.count, RUNS_MAX / 2 + 10);
	assert_int_equal(runs.items[0].series.bins[0].bytes, RUNS_MAX / 2 + 1);
	assert_int_equal(runs.items[runs.count - 1].test, RUNS_MAX + 9);
	free(text);
	runs_free(&runs);
}

static void read_errors_are_told(void **state)
{
	/* address 0 of this process is not mapped: EIO */
	struct source *source = source_open("/proc/self/mem");
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	assert_non_null(source);
	errno = 0;
	assert_int_equal(iperf_json_read(&runs, source, &note), READ_SYSTEM);
	assert_int_equal(errno, EIO);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agrees_with_jq),
	    cmocka_unit_test(fills_in_the_rest),
	    cmocka_unit_test(keeps_what_can_be_kept),
	    cmocka_unit_test(reads_chunks_of_any_size),
	    cmocka_unit_test(long_runs_are_merged),
	    cmocka_unit_test(streams_are_bounded),
	    cmocka_unit_test(old_runs_are_dropped),
	    cmocka_unit_test(read_errors_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
