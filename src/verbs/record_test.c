#include "verbs/record_steps.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "system/interrupt.h"
#include "system/sock_diag.h"
#include "verbs/socket_log.h"
#include "verbs/transcript.h"

/* What iperf3 may take on top of its own time: to connect, to agree, to drain a queue. */
#define IPERF_SPARE_S 30
/* A server that is busy with the test before is asked again. */
#define BUSY_TRIES 5
#define BUSY_WAIT_MS 2000
/* The last reply of the ping under load comes within this of the test's end. */
#define PING_SPARE_S 2
#define ARGUMENTS_MAX 96
#define LOOK_MS 50

/* What runs at the same time. */
struct test {
	struct process iperf, ping;
	struct socket_log sockets;
	int64_t ping_ms; /* when the ping begins; 0: it has */
	const char *words[ARGUMENTS_MAX], *ping_words[16];
	char time[16], port[16], parallel[16], count[16];
};

static void add(struct test *test, size_t *count, const char *word)
{
	if (*count < ARGUMENTS_MAX - 1)
		test->words[(*count)++] = word;
	test->words[*count] = NULL;
}

static void compose(struct test *test, const struct record *record, bool reverse)
{
	const struct options *options = record->options;
	size_t count = 0;

	static const char *const first[] = {"iperf3", "-c", NULL, "-J", "-O", "2", "-t", NULL};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add(test, &count, i == 2 ? record->host : i == 7 ? test->time : first[i]);
	snprintf(test->time, sizeof(test->time), "%u",
	    options->test_seconds ? options->test_seconds : RECORD_SECONDS);
	snprintf(test->port, sizeof(test->port), "%u", options->port);
	snprintf(test->parallel, sizeof(test->parallel), "%u", options->parallel);
	if (options->port) {
		add(test, &count, "-p");
		add(test, &count, test->port);
	}
	if (options->parallel) {
		add(test, &count, "-P");
		add(test, &count, test->parallel);
	}
	if (options->algorithm) {
		add(test, &count, "-C");
		add(test, &count, options->algorithm);
	}
	/* the sender's cwnd and retransmits are at the other end then */
	if (reverse) {
		add(test, &count, "-R");
		add(test, &count, "--get-server-output");
	}
	for (size_t i = 1; i < options->operand_count; i++)
		add(test, &count, options->operands[i]);
}

static bool holds(const struct process *process, const char *text)
{
	return process->length > 0 &&
	       memmem(process->text, process->length, text, strlen(text)) != NULL;
}

/* A run that was interrupted before it began has sums of nothing. */
static bool has_moved(const struct process *iperf)
{
	return holds(iperf, "\"bits_per_second\"") && !holds(iperf, "\"intervals\":\t[]");
}

/* iperf3's reason out of its JSON, or its last line; "" when data moved. */
static void failure_find(const struct process *iperf, char *out, size_t size)
{
	const char *text = iperf->text, *end = text + iperf->length, *from, *stop;

	out[0] = '\0';
	if (iperf->error != 0) {
		strlcpy(out, "iperf3 is not installed here", size);
		return;
	}
	if (has_moved(iperf))
		return;
	from = iperf->length > 0 ? memmem(text, iperf->length, "\"error\":", 8) : NULL;
	from = from ? memchr(from + 8, '"', (size_t)(end - from - 8)) : NULL;
	stop = from ? memchr(from + 1, '"', (size_t)(end - from - 1)) : NULL;
	if (stop)
		snprintf(out, size, "%.*s", (int)(stop - from - 1 < 150 ? stop - from - 1 : 150),
		    from + 1);
	else
		strlcpy(out, "iperf3 printed no result", size);
}

static bool is_busy(const struct process *iperf)
{
	return holds(iperf, "busy") && !has_moved(iperf);
}

/* Begins the ping in the middle of the counted time, when the queue stands. */
static void ping_begin(struct record *record, struct test *test)
{
	unsigned seconds =
	    record->test_s > RECORD_OMIT_S + 4 ? (unsigned)(record->test_s - RECORD_OMIT_S) / 2 : 2;

	test->ping_ms = 0;
	snprintf(test->count, sizeof(test->count), "%u", seconds < 10 ? seconds * 2 : 20);
	record_ping_words(record, test->count, test->ping_words);
	process_start(&test->ping, test->ping_words, "", false, true);
}

/* Until iperf3 is over; samples and the ping go on meanwhile. */
static void follow(struct record *record, struct test *test)
{
	int64_t now_ms = process_now_ms();
	int64_t deadline_ms = now_ms + (int64_t)((record->test_s + IPERF_SPARE_S) * 1000);
	struct process *all[] = {&test->iperf, &test->ping, &record->far};

	test->ping_ms = now_ms + (RECORD_OMIT_S + 1) * 1000;
	while (!process_is_over(&test->iperf)) {
		int wait_ms = socket_log_tick(&test->sockets);
		process_wait(all, record->has_far ? 3 : 2,
		    wait_ms < LOOK_MS && wait_ms > 0 ? wait_ms : LOOK_MS);
		now_ms = process_now_ms();
		if (record_is_stopped() || now_ms >= deadline_ms)
			process_end(&test->iperf);
		else if (test->ping_ms != 0 && now_ms >= test->ping_ms)
			ping_begin(record, test);
	}
	record_wait(record, &test->ping, PING_SPARE_S);
}

static void show_sockets(const struct record *record, struct socket_log *log)
{
	char line[200];

	snprintf(line, sizeof(line),
	    "while sleep 1; do date +%%s.%%N; ss -tmin 'dport = :%u'; done",
	    record->options->port ? record->options->port : RECORD_PORT);
	transcript_line(line);
	socket_log_end(log);
	transcript_text(log->text, log->length);
	if (log->error != 0)
		transcript_note("live sockets: %s", sock_diag_why(log->error));
}

static void show(const struct record *record, struct test *test)
{
	transcript_command(test->words);
	transcript_output(&test->iperf, "iperf3");
	if (test->iperf.error != 0)
		return;
	show_sockets(record, &test->sockets);
	if (test->ping_words[0]) {
		transcript_command(test->ping_words);
		transcript_output(&test->ping, test->ping_words[0]);
	}
}

static void attempt(struct record *record, struct test *test)
{
	socket_log_begin(&test->sockets,
	    (uint16_t)(record->options->port ? record->options->port : RECORD_PORT));
	if (process_start(&test->iperf, test->words, "", false, true))
		follow(record, test);
}

static void test_free(struct test *test)
{
	process_free(&test->iperf);
	process_free(&test->ping);
	socket_log_free(&test->sockets);
}

void record_test(struct record *record, bool reverse)
{
	struct test test = {.iperf = {.in = -1, .out = -1}, .ping = {.in = -1, .out = -1}};

	record_say(record, "iperf3 %s %s, about %.0f s", reverse ? "from" : "to",
	    quoted(record->host), record->test_s + 1);
	compose(&test, record, reverse);
	attempt(record, &test);
	for (unsigned i = 1; i < BUSY_TRIES && is_busy(&test.iperf) && !record_is_stopped(); i++) {
		test_free(&test);
		test.ping_words[0] = NULL;
		test.ping = (struct process){.in = -1, .out = -1};
		interrupt_poll(NULL, 0, BUSY_WAIT_MS);
		attempt(record, &test);
	}
	show(record, &test);
	failure_find(&test.iperf, record->failure, sizeof(record->failure));
	record->runs += record->failure[0] == '\0';
	test_free(&test);
	fflush(stdout);
}
