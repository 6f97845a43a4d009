/* The report on many sockets: within its width, safe to show, and JSON that reads back. */
#include "report/sockets.h"

#include <stdlib.h>
#include <string.h>

#include "advice/runaway_plan.h"
#include "base/json.h"
#include "near.h"
#include "report/plan_text.h"

static const struct socket_memory_rule rule = {
    .target_bps = 1e9, .factor = 2, .floor_bytes = 262144};

/* Everything that the report may show. */
struct fixture {
	struct socket_totals totals;
	struct counters delta;
	struct host host;
	struct exposure memory;
	struct runaway_input input;
	struct runaway runaway;
	struct findings findings;
	struct plan plan;
	struct sockets_report report;
	struct listed one;
};

static void add(struct fixture *f, const char *peer, unsigned i)
{
	struct socket_info *info = &f->one.info;
	const struct counter_delta delta = {.seconds = 5,
	    .received_bytes = 1000,
	    .busy_us = 1e6,
	    .rwnd_limited_us = 5e5,
	    .queue_before_bytes = 1,
	    .queue_bytes = 1001};

	*info = (struct socket_info){.state = "ESTAB",
	    .cc = "a-long-cc-name",
	    .local_port = 65535,
	    .peer_port = 65535,
	    .has = 0xffffffff,
	    .rcvbuf = UINT64_C(268435456) >> (i % 14),
	    .rmem_alloc = UINT64_C(268435456) >> (i % 15),
	    .recv_queue = 1001,
	    .sndbuf = 4194304,
	    .wmem_queued = 1023 * 1024,
	    .snd_wscale = 14,
	    .rcv_wscale = 14,
	    .rtt_us = 20.5e3,
	    .min_rtt_us = 20e3,
	    .delivery_rate_bps = 123.4e9,
	    .data_segs_out = 100000,
	    .retransmits = 12345,
	    .busy_us = 1e6};
	snprintf(info->local, sizeof(info->local), "%s", peer);
	snprintf(info->peer, sizeof(info->peer), "%s", peer);
	socket_memory_compute(&f->one.memory, info, &delta, &rule);
	socket_totals_add(&f->totals, &f->one);
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	for (unsigned i = 0; i < 40; i++)
		add(f, i % 3 == 0 ? "2001:db8:1234:5678:9abc:def0:1234:5678" : "203.0.113.255", i);
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		f->delta.known[i] = true;
		f->delta.value[i] = UINT64_C(18446744073709551615);
	}
	f->delta.value[COUNTER_TO_ZERO_WINDOW_ADV] = 0;
	f->host.origin = HOST_DUMP;
	f->host.values[TUNABLE_TCP_SHRINK_WINDOW] =
	    (struct tunable_value){.known = true, .count = 1, .number = {0}};
	const struct exposure_input memory = {.page_size = 4096,
	    .has_tcp_mem = true,
	    .has_ram = true,
	    .tcp_mem_pages = {1528905, 2038543, 3057810},
	    .ram_bytes = UINT64_C(549755813888),
	    .has_in_use = true,
	    .in_use_pages = 2500000};
	exposure_compute(&memory, &f->memory);
	f->input = (struct runaway_input){.delta = &f->delta,
	    .host = &f->host,
	    .has_sockets = true,
	    .beyond_sockets = f->totals.receive.beyond,
	    .beyond_held_bytes = f->totals.receive.beyond_held_bytes,
	    .largest_buffer_bytes = 268435456,
	    .behind = f->totals.behind,
	    .stalled = f->totals.stalled,
	    .seconds = 5};
	runaway_decide(&f->input, &f->runaway);
	runaway_findings(&f->input, &f->runaway, &f->findings);
	runaway_plan(&f->input, &f->runaway, true, &f->plan);
	plan_text(&f->plan);
	f->report = (struct sockets_report){.version = "1",
	    .source = "a \033[31mname\n of \x9b file",
	    .live = true,
	    .has_sockets = true,
	    .seconds = 5,
	    .rule = &rule,
	    .totals = &f->totals,
	    .memory = &f->memory,
	    .delta = &f->delta,
	    .runaway = &f->runaway,
	    .findings = &f->findings,
	    .plan = &f->plan,
	    .notes =
		{"something of which nothing is known, and that takes more than one line of it"},
	    .note_count = 1};
	return f;
}

/* Columns: bytes but for the continuation bytes of UTF-8. */
static size_t columns(const char *line, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)line[i] & 0xc0) != 0x80;
	return count;
}

/* A command is on one line however long, so that it can be copied. */
static bool is_command(const char *line)
{
	return strncmp(line, "  run ", 6) == 0;
}

static void check_text(const char *text, unsigned width)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		bool address = strncmp(line, "[2001:", 6) == 0;

		if (!is_command(line) && !(address && width < 48) && columns(line, length) > width)
			fail_msg("%u columns: '%.*s'", width, (int)length, line);
		if (length > 0 && line[length - 1] == ' ')
			fail_msg("blank at the end: '%.*s'", (int)length, line);
		for (size_t i = 0; i < length; i++)
			assert_true((unsigned char)line[i] >= ' ' && line[i] != 127);
		line += length + (line[length] == '\n');
	}
}

static void test_widths(void **state)
{
	static const unsigned widths[] = {60, 79, 80, 81, 100, 120, 147, 160, 200};
	struct fixture *f = fixture_new();
	size_t heads = 0;
	(void)state;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		for (unsigned utf8 = 0; utf8 < 2; utf8++) {
			const struct style style = {.utf8 = utf8, .width = widths[i]};
			char *text = NULL;
			size_t size = 0;
			FILE *stream = open_memstream(&text, &size);

			print_message("%u columns\n", widths[i]);
			assert_non_null(stream);
			assert_true(sockets_text(&f->report, &style, stream));
			fclose(stream);
			check_text(text, widths[i]);
			/* wider terminals get more columns */
			const char *head = strstr(text, "\npeer ");
			assert_non_null(head);
			size_t length = strcspn(head + 1, "\n");
			assert_true(length >= heads);
			heads = length;
			free(text);
		}
	assert_true(heads > 150);
	free(f);
}

static void test_json(void **state)
{
	struct fixture *f = fixture_new();
	struct json_out out;
	(void)state;

	for (unsigned all = 0; all < 2; all++) {
		char *text = NULL;
		size_t size = 0;
		FILE *stream = open_memstream(&text, &size);

		assert_non_null(stream);
		sockets_json_begin(&out, "1", all, all, stream);
		for (unsigned i = 0; all && i < 3; i++)
			sockets_json_socket(&out, NULL, &f->one);
		assert_true(sockets_json_end(&out, &f->report, all));
		fclose(stream);
		/* compact is one line */
		if (all)
			assert_ptr_equal(strchr(text, '\n'), text + size - 1);
		struct source *source = source_memory("json", text, size);
		struct json *json = json_open(source, 0);
		enum json_token token;
		unsigned schemas = 0, sockets = 0;
		while ((token = json_next(json)) != JSON_END && token != JSON_ERROR) {
			if (token != JSON_KEY)
				continue;
			schemas += strcmp(json_text(json, NULL), "schema") == 0;
			sockets += strcmp(json_text(json, NULL), "peer_port") == 0;
		}
		assert_string_equal(json_error(json), "");
		assert_int_equal(schemas, 1);
		/* the ten largest, the slow ones, and those of --all */
		assert_int_equal(sockets, f->totals.largest_count + f->totals.slow_count + 3 * all);
		json_close(json);
		source_close(source);
		free(text);
	}
	free(f);
}

/* The answer names count, sum and share, and nothing that was not told. */
static void test_answers(void **state)
{
	static struct socket_totals empty;
	struct fixture *f = fixture_new();
	(void)state;

	print_message("%s\n", sockets_answer(&f->report).s);
	assert_non_null(
	    strstr(sockets_answer(&f->report).s, "have buffers beyond 2 x BDP of 1.00"));
	assert_non_null(strstr(sockets_answer(&f->report).s, "Receive buffers run away"));
	f->report.totals = &empty;
	f->runaway.verdict = RUNAWAY_UNKNOWN;
	assert_string_equal(sockets_answer(&f->report).s, "No TCP socket matches.");
	f->report.has_sockets = false;
	f->findings.count = 0;
	assert_non_null(strstr(sockets_answer(&f->report).s, "are not shown: take nstat -az"));
	f->report.delta = NULL;
	assert_non_null(strstr(sockets_answer(&f->report).s, "One reading of the counters"));
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_widths),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
