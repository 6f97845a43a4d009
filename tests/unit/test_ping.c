#include "evidence/ping.h"

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

static bool read_source(struct source *source, struct ping *ping, unsigned *targets)
{
	const char *why = NULL;
	bool ok = ping_read(ping, source, targets, &why);
	assert_true(ok || (why != NULL && why[0] != '\0'));
	source_close(source);
	return ok;
}

static bool read_text(const char *text, struct ping *ping, unsigned *targets)
{
	return read_source(source_memory("test", text, strlen(text)), ping, targets);
}

static void assert_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-6 * fabs(expected) + 1e-9)
		fail_msg("%.17g is not %.17g", value, expected);
}

/* Numbers as the files' closing lines have them, or computed from their replies. */
struct row {
	const char *file, *target;
	bool summary, counts;
	double min_ms, avg_ms, max_ms, deviation_ms;
	uint64_t sent, received, duplicates, errors;
	uint64_t replies; /* seen line by line, without duplicates */
	unsigned targets;
};

static const struct row rows[] = {
    {.file = "wan52.txt",
	.target = "10.77.0.2",
	.summary = true,
	.counts = true,
	.min_ms = 52.255,
	.avg_ms = 52.308,
	.max_ms = 52.407,
	.deviation_ms = 0.040,
	.sent = 10,
	.received = 10,
	.replies = 10,
	.targets = 1},
    {.file = "lossy2pct-jitter.txt",
	.target = "10.77.0.2",
	.summary = true,
	.counts = true,
	.min_ms = 85.441,
	.avg_ms = 116.874,
	.max_ms = 139.538,
	.deviation_ms = 13.894,
	.sent = 50,
	.received = 49,
	.replies = 49,
	.targets = 1},
    {.file = "bufferbloat-loaded-cubic.txt",
	.target = "10.77.0.2",
	.summary = true,
	.counts = true,
	.min_ms = 336.9,
	.avg_ms = 406.958,
	.max_ms = 477.443,
	.deviation_ms = 43.722,
	.sent = 15,
	.received = 15,
	.replies = 15,
	.targets = 1},
    {.file = "busybox.txt",
	.target = "192.0.2.1",
	.summary = true,
	.counts = true,
	.min_ms = 20.042,
	.avg_ms = 22.785,
	.max_ms = 30.1,
	.sent = 4,
	.received = 3,
	.duplicates = 1,
	.replies = 3,
	.targets = 1},
    {.file = "macos.txt",
	.target = "example.com",
	.summary = true,
	.counts = true,
	.min_ms = 11.632,
	.avg_ms = 12.5,
	.max_ms = 13.368,
	.deviation_ms = 0.868,
	.sent = 3,
	.received = 2,
	.replies = 2,
	.targets = 1},
    {.file = "macos-ping6.txt",
	.target = "2001:db8::2",
	.summary = true,
	.counts = true,
	.min_ms = 9.25,
	.avg_ms = 10,
	.max_ms = 10.75,
	.deviation_ms = 0.75,
	.sent = 2,
	.received = 2,
	.replies = 2,
	.targets = 1},
    {.file = "no-reply.txt",
	.target = "192.0.2.1",
	.counts = true,
	.sent = 4,
	.errors = 2,
	.targets = 1},
    /* 52.1, 452, 52.3: sample deviation of the three */
    {.file = "interrupted.txt",
	.target = "192.0.2.1",
	.min_ms = 52.1,
	.avg_ms = 556.4 / 3,
	.max_ms = 452,
	.deviation_ms = 230.8246592834772,
	.replies = 3,
	.targets = 1},
    {.file = "german.txt",
	.target = "192.0.2.1",
	.summary = true,
	.counts = true,
	.min_ms = 52.1,
	.avg_ms = 52.2,
	.max_ms = 52.3,
	.deviation_ms = 0.1,
	.sent = 3,
	.received = 2,
	.replies = 2,
	.targets = 1},
    {.file = "windows.txt",
	.target = "example.com",
	.summary = true,
	.counts = true,
	.min_ms = 0,
	.avg_ms = 9,
	.max_ms = 14,
	.sent = 4,
	.received = 3,
	.replies = 3,
	.targets = 1},
    {.file = "flood-quiet.txt",
	.target = "192.0.2.1",
	.summary = true,
	.counts = true,
	.min_ms = 0.15,
	.avg_ms = 0.2,
	.max_ms = 1.4,
	.deviation_ms = 0.05,
	.sent = 2000,
	.received = 1990,
	.duplicates = 3,
	.targets = 1},
    /* the first target's two pings as one: 10, and 20 30 40 */
    {.file = "two-targets.txt",
	.target = "192.0.2.1",
	.summary = true,
	.counts = true,
	.min_ms = 10,
	.avg_ms = 25,
	.max_ms = 40,
	.deviation_ms = 11.180358614552576,
	.sent = 4,
	.received = 4,
	.replies = 4,
	.targets = 2},
};

static void recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct ping ping;
		unsigned targets = 99;
		char path[128];
		print_message("%s\n", row->file);
		snprintf(path, sizeof(path), "tests/corpus/ping/%s", row->file);
		struct source *source = source_open(path);
		assert_non_null(source);
		assert_true(read_source(source, &ping, &targets));
		assert_string_equal(ping.target, row->target);
		assert_int_equal(targets, row->targets);
		assert_int_equal(ping.has_summary, row->summary);
		assert_int_equal(ping.has_counts, row->counts);
		assert_close(ping.min_us, row->min_ms * 1000);
		assert_close(ping.avg_us, row->avg_ms * 1000);
		assert_close(ping.max_us, row->max_ms * 1000);
		assert_close(ping.deviation_us, row->deviation_ms * 1000);
		assert_int_equal(ping.sent, row->sent);
		assert_int_equal(ping.received, row->received);
		assert_int_equal(ping.duplicates, row->duplicates);
		assert_int_equal(ping.errors, row->errors);
		assert_int_equal(ping.rtt_us.count, row->replies);
	}
}

static void replies_line_by_line(void **state)
{
	struct ping ping;
	unsigned targets;
	(void)state;
	assert_true(read_source(source_open("tests/corpus/ping/two-targets.txt"), &ping, &targets));
	assert_close(ping.rtt_us.mean, 25000);
	assert_close(ping.rtt_us.min, 10000);
	assert_close(ping.rtt_us.max, 40000);
	/* 10 20 30 40 about 25: squares 225 25 25 225 over three */
	assert_close(stats_deviation(&ping.rtt_us), 1000 * sqrt(500.0 / 3));
}

/* Pieces of output: what somebody pastes. */
static void pieces(void **state)
{
	static const struct {
		const char *text;
		const char *target; /* NULL: no ping output */
		uint64_t replies;
		bool summary;
		double avg_ms;
	} pieces[] = {
	    {"rtt min/avg/max/mdev = 1.0/2.0/3.0/0.1 ms\n", "", 0, true, 2},
	    {"64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=52.3 ms\n", "192.0.2.1", 1, false,
		52.3},
	    {"64 bytes from lb.example (192.0.2.1): icmp_seq=1 ttl=64 time=52.3 ms\r\n",
		"lb.example", 1, false, 52.3},
	    {"64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=1052 ms\n", "192.0.2.1", 1, false,
		1052},
	    {"PING 192.0.2.1 (192.0.2.1): 56 data bytes\n", "192.0.2.1", 0, false, 0},
	    {"PING ::1(::1) 56 data bytes\n64 bytes from ::1: icmp_seq=1 ttl=64 time=0.037 ms\n",
		"::1", 1, false, 0.037},
	    {"Reply from 2001:db8::1: time=31ms\n", "2001:db8::1", 1, false, 31},
	    {"--- lb.example ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss\n"
	     "rtt min/avg/max/mdev = 1/2/3/0 ms\n",
		"lb.example", 0, true, 2},
	    /* iputils on SIGQUIT: no closing line */
	    {"PING h (h): 56 data bytes\n7/7 packets, 0% loss, min/avg/ewma/max = 1/2/2/3 ms\n",
		"h", 0, false, 0},
	    {"PING h (h): 56 data bytes\nrtt min/avg/max/mdev = 3/2/1/0 ms\n", "h", 0, false, 0},
	    {"PING h (h): 56 data bytes\nrtt min/avg/max/mdev = nan/nan/nan/nan ms\n", "h", 0,
		false, 0},
	    {"PING h (h): 56 data bytes\nrtt min/avg/max/mdev = 1e+30/1e+30/1e+30/0 ms\n", "h", 0,
		false, 0},
	    {"64 bytes from h: icmp_seq=1 ttl=64\n64 bytes from h: icmp_seq=2 ttl=64 time=x ms\n",
		NULL, 0, false, 0},
	    {"64 bytes from h: icmp_seq=1 ttl=64 time=-5 ms\n", NULL, 0, false, 0},
	    {"", NULL, 0, false, 0},
	    {"PINGING\nping: unknown host lb\n--- nothing ---\n", NULL, 0, false, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct ping ping;
		unsigned targets;
		print_message("%s\n", pieces[i].text);
		bool ok = read_text(pieces[i].text, &ping, &targets);
		assert_int_equal(ok, pieces[i].target != NULL);
		assert_int_equal(targets, ok ? 1 : 0);
		if (!ok)
			continue;
		assert_string_equal(ping.target, pieces[i].target);
		assert_int_equal(ping.rtt_us.count, pieces[i].replies);
		assert_int_equal(ping.has_summary, pieces[i].summary);
		assert_close(ping.avg_us, pieces[i].avg_ms * 1000);
	}
}

static void target_is_safe_to_print(void **state)
{
	struct ping ping;
	unsigned targets;
	(void)state;
	assert_true(read_text("PING a\033]0;x\007b (1): 56 data bytes\n", &ping, &targets));
	assert_null(strpbrk(ping.target, "\033\007"));
	char text[400];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "PING ", 5);
	assert_true(read_text(text, &ping, &targets));
	assert_true(strlen(ping.target) < sizeof(ping.target));
}

/* A file of many targets counts them up to a limit and stays with the first. */
static void many_targets(void **state)
{
	static char text[200000];
	size_t used = 0;
	struct ping ping;
	unsigned targets;
	(void)state;
	for (int i = 0; i < 1000; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "PING 10.0.%d.%d: 56 data bytes\n64 bytes from x: icmp_seq=1 ttl=6 time=%d ms\n",
		    i / 100, i % 100, i + 1);
	assert_true(read_text(text, &ping, &targets));
	assert_string_equal(ping.target, "10.0.0.0");
	assert_int_equal(ping.rtt_us.count, 1);
	assert_in_range(targets, 2, 1000);
}

/* Several pings of one target: their mean is by replies, and a closing line without counts is one. */
static void weights(void **state)
{
	static const struct {
		const char *text;
		double avg_us;
	} means[] = {
	    /* (4 x 10 + 1 x 20) / 5 */
	    {"PING h (h): 56 data bytes\n--- h ping statistics ---\n4 packets transmitted, 4 received, 0% packet loss, time 3ms\n"
	     "rtt min/avg/max/mdev = 10.0/10.0/10.0/0.0 ms\n"
	     "PING h (h): 56 data bytes\nrtt min/avg/max/mdev = 20.0/20.0/20.0/0.0 ms\n",
		12000},
	    /* (1 x 10 + 3 x 30) / 4: the replies themselves, where the closing line is cut off */
	    {"PING h (h): 56 data bytes\nrtt min/avg/max/mdev = 10.0/10.0/10.0/0.0 ms\n"
	     "PING h (h): 56 data bytes\n64 bytes from h: icmp_seq=1 ttl=6 time=30 ms\n"
	     "64 bytes from h: icmp_seq=2 ttl=6 time=30 ms\n"
	     "64 bytes from h: icmp_seq=3 ttl=6 time=30 ms\n",
		25000},
	};
	struct ping ping;
	unsigned targets;
	(void)state;
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
		assert_true(read_text(means[i].text, &ping, &targets));
		assert_close(ping.avg_us, means[i].avg_us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recorded),
	    cmocka_unit_test(replies_line_by_line),
	    cmocka_unit_test(pieces),
	    cmocka_unit_test(target_is_safe_to_print),
	    cmocka_unit_test(many_targets),
	    cmocka_unit_test(weights),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
