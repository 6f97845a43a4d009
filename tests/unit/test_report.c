#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/answer.h"
#include "report/sparkline.h"
#include "report/limit_text.h"
#include "report_fixture.h"

typedef void (*fixture_maker)(struct fixture *f);

static const struct {
	const char *name;
	fixture_maker make;
} fixtures[] = {
    {"proxy", fixture_proxy},
    {"clean", fixture_clean},
    {"rtt of numbers", fixture_rtt_of_numbers},
    {"bdp of numbers", fixture_bdp_of_numbers},
    {"receiving", fixture_receiving},
    {"two hosts", fixture_two_hosts},
};
#define FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static const unsigned widths[] = {40, 60, 80, 120, 200};
static const struct style plain = {.utf8 = true, .width = 80};
static const struct style whole = {.utf8 = true, .width = 80, .verbose = true};

typedef bool (*printer)(const struct report *report, const struct style *style, FILE *stream);

/* What a form prints; to be freed. */
static char *render(printer print, const struct report *report, const struct style *style)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_true(print(report, style, stream));
	fclose(stream);
	return text;
}

static void assert_has(const char *text, const char *piece)
{
	if (!strstr(text, piece)) {
		print_message("looked for:\n%s\nin:\n%s\n", piece, text);
		fail();
	}
}

static void assert_lacks(const char *text, const char *piece)
{
	if (strstr(text, piece)) {
		print_message("did not want:\n%s\nin:\n%s\n", piece, text);
		fail();
	}
}

static unsigned columns_of(const char *line)
{
	unsigned columns = 0;

	for (; *line; line++)
		columns += ((unsigned char)*line & 0xc0) != 0x80;
	return columns;
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* A command is printed whole, so that it can be copied; so is a key, and its value. */
static bool may_be_long(const struct report *report, const char *line)
{
	const char *text = line + strspn(line, " ");
	bool one_word = strchr(text, ' ') == NULL;

	for (size_t i = 0; i < report->plan->command_count; i++) {
		if (strcmp(text, report->plan->commands[i].command) == 0)
			return true;
	}
	struct measurement_text measurement;
	return one_word || (measurement_text(&report->analyses[report->chosen], &measurement) &&
			       strcmp(text, measurement.command) == 0);
}

static void check_lines(const struct report *report, const struct style *style, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t length = strlen(line);
		if (columns_of(line) > style->width && !may_be_long(report, line)) {
			print_message(
			    "%u columns of %u: '%s'\n", columns_of(line), style->width, line);
			fail();
		}
		if (line[length - 1] == ' ') {
			print_message("ends in a blank: '%s'\n", line);
			fail();
		}
		for (size_t i = 0; i < length; i++) {
			unsigned char c = (unsigned char)line[i];
			assert_false(iscntrl(c));
			assert_false(!style->utf8 && c >= 0x80);
		}
	}
}

static void text_keeps_to_its_width(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		for (size_t w = 0; w < 2 * sizeof(widths) / sizeof(widths[0]); w++) {
			struct style style = {.width = widths[w / 2], .utf8 = w % 2};
			struct fixture f;
			print_message("%s at %u\n", fixtures[i].name, style.width);
			fixtures[i].make(&f);
			char *text = render(report_text, &f.report, &style);
			assert_true(strlen(text) > 20);
			check_lines(&f.report, &style, text);
			free(text);
			fixture_end(&f);
		}
	}
}

/* Takes "ESC [ digits m" out; fails where ink is still on at a line's end. */
static void strip_ink(char *text)
{
	char *out = text;
	bool on = false;

	for (const char *in = text; *in;) {
		if (*in == '\033') {
			size_t digits = strspn(in + 2, "0123456789");
			assert_int_equal(in[1], '[');
			assert_int_equal(in[2 + digits], 'm');
			on = in[2] != '0';
			in += 3 + digits;
			continue;
		}
		assert_false(*in == '\n' && on);
		*out++ = *in++;
	}
	*out = '\0';
}

static void colour_adds_nothing_but_colour(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct style colored = {.color = true, .utf8 = true, .width = 60};
		struct style bare = {.utf8 = true, .width = 60};
		struct fixture f;
		print_message("%s\n", fixtures[i].name);
		fixtures[i].make(&f);
		char *with = render(report_text, &f.report, &colored);
		char *without = render(report_text, &f.report, &bare);
		assert_non_null(strstr(with, "\033[1m"));
		assert_null(strchr(without, '\033'));
		strip_ink(with);
		assert_string_equal(with, without);
		free(with);
		free(without);
		fixture_end(&f);
	}
}

static void colour_marks_the_limit_and_the_values(void **state)
{
	struct style colored = {.color = true, .utf8 = true, .width = 100};
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *text = render(report_text, &f.report, &colored);
	assert_has(text, "\033[31mthe receive window\033[0m");
	assert_has(text, "\033[2m4096 131072 4194304\033[0m");
	assert_has(text, "\033[32m4096 131072 20971520\033[0m");
	assert_has(text, "\033[33mwarning\033[0m");
	free(text);
	fixture_end(&f);
}

static const struct {
	fixture_maker make;
	const char *answer;
} answers[] = {
    {fixture_proxy,
	"703 Mbit/s, held by the receive window of 192.0.2.10; 3.34 Gbit/s needs a tcp_rmem "
	"ceiling of 20 MiB there (now 4 MiB), and 3 more settings."},
    {fixture_clean, "941 Mbit/s, all that the link carries; nothing needs setting."},
    {fixture_rtt_of_numbers, "RTT 52.0 ms: 4.36 MiB in flight at 703 Mbit/s."},
    {fixture_bdp_of_numbers, "BDP 20.7 MiB: 3.34 Gbit/s over 52.0 ms."},
    {fixture_receiving,
	"95.0 Mbit/s; undecided: the receive window (45 %), the send buffer (30 %) or the link "
	"(15 %), not random loss or a policer or a shallow queue; `bdp record SERVER` would tell."},
    {fixture_two_hosts, "24.7 Mbit/s, held by random loss on the path (2.01 % lost); set "
			"tcp_congestion_control to bbr on the sender."},
};

static void answer_is_one_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct fixture f;
		print_message("%s\n", answers[i].answer);
		answers[i].make(&f);
		assert_string_equal(answer_compute(&f.report).s, answers[i].answer);
		fixture_end(&f);
	}
}

/* Each factor of a run at 941 Mbit/s with nothing to set; the receiver is 10.0.0.2 in the plan. */
static const struct {
	enum factor factor;
	enum where where;
	const char *answer;
} factor_answers[] = {
    {FACTOR_UNKNOWN, WHERE_NONE, "941 Mbit/s; nothing here says what holds it."},
    {FACTOR_APPLICATION, WHERE_SENDER,
	"941 Mbit/s, all that the application asked for; nothing needs setting."},
    {FACTOR_SOCKET_OPTION, WHERE_EITHER,
	"941 Mbit/s, held by a socket buffer that the application set; no kernel setting lifts that."},
    {FACTOR_CPU, WHERE_RECEIVER,
	"941 Mbit/s, held by the CPU of 10.0.0.2; no kernel setting lifts that."},
    {FACTOR_RECEIVE_WINDOW, WHERE_RECEIVER,
	"941 Mbit/s, held by the receive window of 10.0.0.2; -t RATE sizes that for more."},
    {FACTOR_SEND_BUFFER, WHERE_SENDER,
	"941 Mbit/s, held by the send buffer of the sender; -t RATE sizes that for more."},
    {FACTOR_WINDOW_SCALING_OFF, WHERE_EITHER,
	"941 Mbit/s, held to 64 KiB in flight, as window scaling is off; nothing to set."},
    {FACTOR_RANDOM_LOSS, WHERE_PATH,
	"941 Mbit/s, held by random loss on the path (0 % lost); nothing to set."},
    {FACTOR_POLICER, WHERE_PATH,
	"941 Mbit/s, held by a policer or a shallow queue on the path (0 % lost); no kernel setting "
	"lifts that."},
    {FACTOR_QUEUE, WHERE_PATH,
	"941 Mbit/s, all that the path carries, through a queue that fills; nothing to set."},
};

static void answer_names_each_factor(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(factor_answers) / sizeof(factor_answers[0]); i++) {
		struct fixture f;
		print_message("%s\n", factor_answers[i].answer);
		fixture_clean(&f);
		snprintf(f.plan.receiver_name, sizeof(f.plan.receiver_name), "10.0.0.2");
		f.analyses[0].limit.factor = factor_answers[i].factor;
		f.analyses[0].limit.where = factor_answers[i].where;
		assert_string_equal(answer_compute(&f.report).s, factor_answers[i].answer);
		assert_int_equal(
		    answer_is_clean(&f.report), factor_answers[i].factor == FACTOR_APPLICATION);
		fixture_end(&f);
	}
}

/* 4 MiB over 52 ms: 4194304 x 8 / 0.052 = 645 Mbit/s. */
static void answer_solves_for_the_rate(void **state)
{
	struct fixture f;
	struct path *path = &f.analyses[0].path;

	(void)state;
	fixture_rtt_of_numbers(&f);
	path->rtt = (struct rtt){RTT_GIVEN, 52000, 52000, 52000};
	path->window.bytes = path->bdp.bytes = 4194304;
	path->rate.bps = path->target.bps = 4194304 * 8 / 0.052;
	assert_string_equal(
	    answer_compute(&f.report).s, "645 Mbit/s at most: 4 MiB in flight over 52.0 ms.");
	char *text = render(report_text, &f.report, &plain);
	assert_has(text, "  rate        645 Mbit/s  window / RTT, at most\n");
	assert_has(text,
	    "  window        4 MiB     (4.19 MB, 4,194,304 bytes) as given, which is the BDP\n");
	free(text);
	fixture_end(&f);
}

static void answer_without_anything(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	finding_add(
	    &f.findings, FINDING_SACK_OFF, 0, as_word("net.ipv4.tcp_sack"), as_word("host"));
	char *text = render(report_text, &f.report, &plain);
	assert_has(
	    text, "No run and no numbers, so nothing is known of the path; what the settings\n");
	assert_has(text, "  warning   sack-off: net.ipv4.tcp_sack is 0 on the host\n");
	free(text);
	fixture_end(&f);
}

/* Lines of the proxy's report at 80 columns, by the numbers in fixture_proxy's comments. */
static const char *const proxy_pieces[] = {
    "PATH        198.51.100.2 -> 192.0.2.10, 1 stream, 10 s, MSS 1448 (assumed)\n",
    "  rate        703 Mbit/s  \u2586\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588  steady in 9 of 10 intervals; 680 Mbit/s\n"
    "                                      over the whole test\n",
    "  cwnd       4.36 MiB     \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588  constant\n",
    "  RTT        23.9 ms      22.7 ms to 52.0 ms, ",
    "  BDP        9.50 MiB     in flight at 3.34 Gbit/s; 20.7 MiB if the RTT is\n"
    "                          52.0 ms\n",
    "  loss      <0.001 %      2 retransmits in about 607,000 segments\n",
    "  RFC 6349  efficiency 100 %, transfer in 4.75 x the ideal time\n",
    "\nLIMIT       the receive window at 192.0.2.10 (high confidence)\n"
    "            - cwnd is constant at 4.36 MiB over 10 intervals without a\n"
    "              retransmit\n",
    "\nSET         on the proxy 192.0.2.10 (it receives and sends over this path)\n"
    "  net.ipv4.tcp_rmem                4096 131072 4194304 -> 4096 131072 20971520\n"
    "            4 MiB x 3.34 / 0.703 = 19.0 MiB, rounded up to 20 MiB: what was\n",
    "  net.ipv4.tcp_wmem                4096 16384 4194304  -> 4096 262144 20971520\n",
    "  net.ipv4.tcp_congestion_control  cubic               -> bbr\n",
    "  net.core.default_qdisc           fq_codel            -> fq\n",
    "  run       sudo tc qdisc replace dev eth0 root fq\n",
    "\nEXPECT      up to 3.50 Gbit/s, by the same model\n",
    "\nMEMORY      20 MiB is headroom for one busy connection, not a reservation\n"
    "  tcp_mem   low 744 MiB, pressure 992 MiB, high 1.45 GiB (9.08 % of 16 GiB of\n"
    "            RAM); pages of 4 KiB\n"
    "  idle       39.1 MiB     10,000 quiet connections\n"
    "  likely      195 GiB     10,000 busy at once, 20 MiB each\n"
    "  worst       391 GiB     all 10,000 at their maxima: never reached, tcp_mem\n"
    "                          stops it at 1.45 GiB\n"
    "  pressure  begins at about 49 busy connections of 20 MiB\n",
    "\nNOT SET     net.core.rmem_max: caps what a program asks for with SO_RCVBUF;\n"
    "              autotuning ignores it\n"
    "            net.ipv4.tcp_mem: as the kernel set it",
    /* a command is one line, however long; what it is for then comes before */
    "\nNEXT\n  run       To set them there:\n"
    "   iperf3 -c 192.0.2.10 | bdp -o sysctl --role proxy | ssh 192.0.2.10 sudo sysctl -p -\n"
    "  run       bdp compare before=a.json after=b.json\n"
    "            Measure again and compare\n",
    /* the limit, the findings by severity, what is set: as many as fit the line */
    "\nMORE        bdp explain receive-window queueing-delay ",
    "\nFROM        lb.txt: iperf3 text (client, 1 run)\n",
};

static void text_of_a_proxy(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *text = render(report_text, &f.report, &whole);
	for (size_t i = 0; i < sizeof(proxy_pieces) / sizeof(proxy_pieces[0]); i++)
		assert_has(text, proxy_pieces[i]);
	/* the gravest finding first, though it was found last */
	assert_true(strstr(text, "RTT 98.0 ms under load") < strstr(text, "can never exceed"));
	free(text);
	fixture_end(&f);
}

/* The common case is one screen: the answer, the numbers that decide, what to set, what to type next. */
static void text_is_one_screen(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	f.memory = (struct exposure){.page_size = 4096};
	f.plan.setting_count = 1;
	f.plan.settings[0].why_brief = strcspn(f.plan.settings[0].why, ":");
	f.plan.commands[0] = f.plan.commands[2];
	f.plan.command_count = 1;
	f.findings.count = 1; /* one that is information alone: it waits for -v */
	char *text = render(report_text, &f.report, &plain);
	print_message("%s", text);
	assert_true(lines_of(text) <= 24);
	assert_has(text, "rounded up to 20 MiB\n");
	assert_lacks(text, "NOT SET");
	assert_lacks(text, "RFC 6349");
	assert_lacks(text, "MEMORY");
	assert_lacks(text, "  cwnd  ");
	assert_lacks(text, "FINDINGS");
	free(text);
	f.findings.count = 2;
	text = render(report_text, &f.report, &plain);
	const char *set = strstr(text, "\nSET "), *next = strstr(text, "\nNEXT"),
		   *findings = strstr(text, "\nFINDINGS");
	assert_true(set && next && findings && set < next && next < findings);
	assert_lacks(text, "can never exceed");
	free(text);
	fixture_end(&f);
}

static void text_on_a_narrow_terminal(void **state)
{
	struct style narrow = {.width = 40};
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *text = render(report_text, &f.report, &narrow);
	assert_has(text, "  net.ipv4.tcp_rmem\n"
			 "    now     4096 131072 4194304\n"
			 "    set     4096 131072 20971520\n");
	assert_has(text, "  rate        703 Mbit/s  +#######\n"
			 "              steady in 9 of 10;\n");
	free(text);
	fixture_end(&f);
}

static void text_is_short_when_there_is_little_to_say(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_clean(&f);
	text = render(report_text, &f.report, &plain);
	assert_true(lines_of(text) <= 10);
	assert_has(text, "  BDP        45.9 KiB     (47.0 kB, 47,050 bytes) at 941 Mbit/s\n");
	assert_has(text, "LIMIT       the link (high confidence)\n");
	assert_lacks(text, "SET");
	assert_lacks(text, "NEXT");
	free(text);
	fixture_end(&f);

	fixture_bdp_of_numbers(&f);
	text = render(report_text, &f.report, &plain);
	assert_string_equal(text,
	    "BDP 20.7 MiB: 3.34 Gbit/s over 52.0 ms.\n"
	    "\n"
	    "  rate       3.34 Gbit/s  as given\n"
	    "  RTT        52.0 ms      as given\n"
	    "  BDP        20.7 MiB     (21.7 MB, 21,710,000 bytes) at 3.34 Gbit/s\n");
	free(text);
	fixture_end(&f);
}

static void text_says_once_what_is_unknown(void **state)
{
	struct fixture f;

	(void)state;
	fixture_receiving(&f);
	char *text = render(report_text, &f.report, &whole);
	assert_has(text, "PATH        server -> client, 1 stream, 4 s, MSS 1448 (assumed)\n");
	assert_has(text,
	    "  unknown   RTT, cwnd and retransmits, which only the sender knows: `iperf3 -J\n");
	assert_has(text,
	    "  measure   iperf3 -c SERVER -R -J --get-server-output\n"
	    "            would tell which of them it is (the sender's side knows more: cwnd,\n"
	    "            RTT and retransmits)\n");
	assert_lacks(text, "BDP");
	assert_lacks(text, "  loss ");
	free(text);
	fixture_end(&f);
}

static void text_splits_a_measurement_from_its_comment(void **state)
{
	struct fixture f;

	(void)state;
	fixture_receiving(&f);
	f.analyses[0].limit.decide = MEASURE_SENDER_SOCKET;
	char *text = render(report_text, &f.report, &whole);
	assert_has(text,
	    "  measure   ss -tmin dst RECEIVER\n"
	    "            would tell which of them it is (on the sender during the test:\n"
	    "            rwnd_limited, sndbuf_limited)\n");
	free(text);
	fixture_end(&f);
}

/* cwnd / rate is a bound, and no exact number of bytes follows from it. */
static void text_calls_a_bound_a_bound(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	f.analyses[0].path.rtt = (struct rtt){RTT_CWND, 25134, 22620, 52026};
	char *text = render(report_text, &f.report, &(struct style){.width = 120, .verbose = true});
	assert_has(text,
	    "  RTT        25.1 ms      22.6 ms to 52.0 ms, from cwnd / rate: an upper bound, as ");
	assert_lacks(text, "9,963,638 bytes");
	free(text);
	fixture_end(&f);
}

/* What is missing is named; the remedy depends on which end printed the run. */
static void text_names_what_is_missing(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_receiving(&f);
	f.analyses[0].path.loss.counted = true;
	text = render(report_text, &f.report, &whole);
	assert_has(text, "  unknown   RTT and cwnd, which only the sender knows: ");
	free(text);
	f.runs[0].local_sends = true;
	text = render(report_text, &f.report, &whole);
	assert_has(text,
	    "  unknown   RTT and cwnd, which this iperf3 does not print: one on Linux does\n");
	free(text);
	f.analyses[0].path.cwnd.known = true;
	text = render(report_text, &f.report, &whole);
	assert_has(text, "  unknown   RTT: give -r TIME, a ping of the path, or iperf3 -J\n");
	free(text);
	fixture_end(&f);
}

static void text_of_two_hosts(void **state)
{
	struct fixture f;

	(void)state;
	fixture_two_hosts(&f);
	char *text = render(report_text, &f.report, &whole);
	assert_has(text, "             6.17 Mbit/s  of each of 4 streams\n");
	assert_has(text, "             84.0 ms      under load: 4.00 ms more\n");
	assert_has(text, "RUNS        this report is on run 14 of 20; --run N picks another\n");
	assert_has(text, "  12        2001:db8::1 -> host\\x0arm -rf /  24.7 Mbit/s   random loss\n"
			 "  14 *      2001:db8::1 -> host\\x0arm -rf /  24.7 Mbit/s   random loss\n"
			 "            and 7 more, which -o json lists\n");
	assert_has(text,
	    "SET         on the sender (this machine)\n"
	    "            what is set there now is unknown; `sysctl -a` of it, as sender=FILE,\n"
	    "            shows it\n"
	    "  net.ipv4.tcp_congestion_control  unknown -> bbr\n");
	assert_has(text, "            on the receiver host\\x0arm -rf /: nothing needs to change\n"
			 "  as it is  net.ipv4.tcp_rmem = 4096 131072 6291456\n");
	assert_has(text, "FROM        a\\x0ab\\x1b[31m.json: ");
	free(text);

	/* 12 for the label, 31 for the direction and 2, 14 for the rate, 20 for the limit: columns from 79 on */
	for (unsigned width = 78; width <= 79; width++) {
		struct style narrow = whole;
		narrow.width = width;
		text = render(report_text, &f.report, &narrow);
		assert_has(text,
		    width == 79 ? "2001:db8::1 -> host\\x0arm -rf /  24.7 Mbit/s   random loss\n"
				: "2001:db8::1 -> host\\x0arm -rf /, 24.7 Mbit/s, random loss\n");
		free(text);
	}
	fixture_end(&f);
}

static void text_of_datagrams(void **state)
{
	struct fixture f;

	(void)state;
	fixture_clean(&f);
	f.runs[0].protocol = PROTOCOL_UDP;
	f.runs[0].has |= RUN_JITTER;
	f.runs[0].packets = 50000;
	f.runs[0].lost = 600;
	f.runs[0].jitter_ms = 0.25;
	f.analyses[0].limit.factor = FACTOR_UNKNOWN;
	char *text = render(report_text, &f.report, &plain);
	assert_has(text,
	    "941 Mbit/s of UDP, 1.20 % lost; only TCP has a window and buffers to advise on.\n");
	assert_has(text, "  loss       1.20 %       600 of 50,000 datagrams\n");
	assert_has(text, "  jitter      250 us\n");
	assert_lacks(text, "LIMIT");
	assert_lacks(text, "BDP");
	free(text);
	fixture_end(&f);
}

static void memory_without_limits_names_the_remedy(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	f.memory.has_limits = false;
	f.memory.has_pressure_at = false;
	char *text = render(report_text, &f.report, &plain);
	assert_has(text, "  tcp_mem   unknown: --sysctl FILE or --memory SIZE");
	assert_has(text, "  worst       391 GiB     all 10,000 at their maxima\n");
	assert_lacks(text, "  pressure");
	free(text);
	fixture_end(&f);
}

/* One JSON value as lines "path=value", containers as "path={" and "path=[" and what is in them.
 * False at the end of the container around it. */
static bool flatten(struct json *json, const char *path, FILE *out)
{
	enum json_token token = json_next(json);
	char inner[512];

	if (token == JSON_BEGIN_ARRAY) {
		fprintf(out, "%s=[\n", path);
		size_t index = 0;
		do
			snprintf(inner, sizeof(inner), "%.400s[%zu]", path, index++);
		while (flatten(json, inner, out));
	} else if (token == JSON_BEGIN_OBJECT) {
		fprintf(out, "%s={\n", path);
		while (json_next(json) == JSON_KEY) {
			snprintf(
			    inner, sizeof(inner), "%.250s.%.250s", path, json_text(json, NULL));
			assert_true(flatten(json, inner, out));
		}
	} else if (token == JSON_STRING) {
		fprintf(out, "%s=\"%s\"\n", path, json_text(json, NULL));
	} else if (token == JSON_NUMBER) {
		fprintf(out, "%s=%.9g\n", path, json_number(json));
	} else if (token == JSON_TRUE || token == JSON_FALSE || token == JSON_NULL) {
		fprintf(out, "%s=%s\n", path,
		    token == JSON_NULL	 ? "null"
		    : token == JSON_TRUE ? "true"
					 : "false");
	} else {
		return false;
	}
	return true;
}

/* The report as lines, each between line feeds; fails unless it is one whole document. */
static char *json_lines(const struct report *report)
{
	char *document = render(report_json, report, &plain), *lines = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&lines, &size);
	struct source *source = source_memory("report", document, strlen(document));
	struct json *json = json_open(source, 0);

	fputc('\n', out);
	assert_true(flatten(json, "", out));
	assert_int_equal(json_next(json), JSON_END);
	json_close(json);
	source_close(source);
	fclose(out);
	free(document);
	return lines;
}

static const char *const proxy_members[] = {
    ".schema=\"bdp/1\"",
    ".version=\"0.1.0\"",
    ".inputs[0].name=\"lb.txt\"",
    ".inputs[0].kind=\"iperf3-text\"",
    ".inputs[0].detail=\"client, 1 run\"",
    ".path.direction=\"client-to-server\"",
    ".path.streams=1",
    ".path.seconds=10",
    ".path.rate_bps=703000000",
    ".path.mean_rate_bps=679700000",
    ".path.rate_bps_per_stream=703000000",
    ".path.retransmits=2",
    ".path.intervals=10",
    ".path.intervals_left_out=1",
    ".path.rtt.us=23865",
    ".path.rtt.low_us=22700",
    ".path.rtt.high_us=52026",
    ".path.window.bytes=4571791",
    ".path.window.kind=\"cwnd\"",
    ".path.cwnd_bytes=4571791",
    ".path.peer_window_bytes=null",
    ".path.in_flight_bytes=null",
    ".path.mss=1448",
    ".path.target_bps=3.34e+09",
    ".path.bdp_bytes=9963638",
    ".path.congestion_control=null",
    ".runs[0].path.rate_bps=703000000",
    ".runs[0].limit.factor=\"receive-window\"",
    ".limit.factor=\"receive-window\"",
    ".limit.where=\"receiver\"",
    ".limit.confidence=\"high\"",
    ".limit.candidates[0]=\"receive-window\"",
    ".limit.evidence[1].id=\"rmem-mark\"",
    ".limit.evidence[1].text=\"2.20 MiB in flight is what the receiver's tcp_rmem ceiling of 4 MiB permits\"",
    ".limit.decide_with=null",
    ".rfc6349.tcp_efficiency=0.999997",
    ".rfc6349.buffer_delay=null",
    ".rfc6349.transfer_time_ratio=4.75",
    ".findings[1].id=\"queueing-delay\"",
    ".findings[1].severity=\"warning\"",
    ".findings[1].text=\"RTT 98.0 ms under load against 52.0 ms: 46.0 ms of queue, 4 MiB, which is 47 % of what is in flight\"",
    ".settings[0].key=\"net.ipv4.tcp_rmem\"",
    ".settings[0].value=\"4096 131072 20971520\"",
    ".settings[0].current=\"4096 131072 4194304\"",
    ".settings[0].change=true",
    ".settings[0].host=\"proxy\"",
    ".settings[0].sized_by=\"scaling\"",
    ".settings[0].risk=null",
    ".settings[1].sized_by=null",
    ".settings[2].value=\"bbr\"",
    ".settings[2].risk=\"more retransmits, and unfair to CUBIC in shallow queues\"",
    ".not_advised[0].key=\"net.core.rmem_max\"",
    ".commands[0].command=\"sudo modprobe tcp_bbr\"",
    ".commands[0].why=\"BBR is a module\"",
    ".plan.predicted_bps=3.5e+09",
    ".memory.page_size=4096",
    ".memory.low_bytes=780140544",
    ".memory.pressure_bytes=1.04018739e+09",
    ".memory.high_bytes=1.56028109e+09",
    ".memory.ram_bytes=1.71798692e+10",
    ".memory.in_use_bytes=null",
    ".memory.connections=10000",
    ".memory.active=10000",
    ".memory.per_connection_bytes=20971520",
    ".memory.likely_bytes=2.097152e+11",
    ".memory.worst_bytes=4.194304e+11",
    ".memory.pressure_at_connections=49",
};

static void assert_members(const char *lines, const char *const *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char line[512];
		snprintf(line, sizeof(line), "\n%s\n", members[i]);
		assert_has(lines, line);
	}
}

static void json_has_the_names_of_the_schema(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *lines = json_lines(&f.report);
	assert_members(lines, proxy_members, sizeof(proxy_members) / sizeof(proxy_members[0]));
	free(lines);
	fixture_end(&f);
}

/* Unknown is null, also where the struct holds a zero. */
static const char *const number_members[] = {
    ".inputs=[",
    ".path.direction=null",
    ".path.seconds=null",
    ".path.rate_bps=703000000",
    ".path.mean_rate_bps=null",
    ".path.retransmits=null",
    ".path.loss_ratio=null",
    ".path.rtt.us=52026",
    ".path.window.kind=\"given\"",
    ".path.cwnd_bytes=null",
    ".runs=[",
    ".limit=null",
    ".rfc6349.tcp_efficiency=null",
    ".settings=[",
    ".memory.low_bytes=null",
    ".memory.ram_bytes=null",
    ".memory.connections=null",
    ".memory.worst_bytes=null",
};

static void json_writes_unknown_as_null(void **state)
{
	struct fixture f;
	char *lines;

	(void)state;
	fixture_rtt_of_numbers(&f);
	lines = json_lines(&f.report);
	assert_members(lines, number_members, sizeof(number_members) / sizeof(number_members[0]));
	free(lines);
	fixture_end(&f);

	fixture_receiving(&f);
	lines = json_lines(&f.report);
	assert_members(lines,
	    (const char *[]){".path.direction=\"server-to-client\"", ".path.sender=null",
		".path.rtt.us=null", ".path.rtt.method=null", ".limit.factor=\"unknown\"",
		".limit.where=null", ".limit.candidates[2]=\"link\"",
		".limit.decide_with=\"iperf3 -c SERVER -R -J --get-server-output   # the sender's side knows more: cwnd, RTT and retransmits\""},
	    8);
	free(lines);
	fixture_end(&f);
}

/* Names are data there: kept as they are, escaped by JSON's own rules. */
static void json_lists_all_runs(void **state)
{
	struct fixture f;

	(void)state;
	fixture_two_hosts(&f);
	char *lines = json_lines(&f.report);
	assert_members(lines,
	    (const char *[]){".runs[13].chosen=true", ".runs[12].chosen=false", ".runs[19].run=20",
		".settings[0].current=null", ".settings[1].change=false", ".plan.here=\"sender\"",
		".inputs[0].name=\"a\nb\033[31m.json\""},
	    7);
	assert_lacks(lines, ".runs[20]");
	free(lines);
	fixture_end(&f);
}

/* What sysctl(8) and sh(1) act on: the lines that are no comments. */
static void assert_acts(const char *text, const char *const *lines, size_t count)
{
	char *copy = strdup(text), *save = NULL;
	size_t found = 0;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line[0] == '#')
			continue;
		print_message("%s\n", line);
		assert_true(found < count);
		assert_string_equal(line, lines[found++]);
	}
	assert_int_equal(found, count);
	free(copy);
}

static void sysctl_of_a_proxy(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *text = render(report_sysctl, &f.report, &plain);
	assert_acts(text,
	    (const char *[]){"net.ipv4.tcp_rmem = 4096 131072 20971520",
		"net.ipv4.tcp_wmem = 4096 262144 20971520", "net.ipv4.tcp_congestion_control = bbr",
		"net.core.default_qdisc = fq"},
	    4);
	assert_has(text, "\n# on the proxy 192.0.2.10\n");
	assert_has(text,
	    "\n# 4 MiB x 3.34 / 0.703 = 19.0 MiB, rounded up to 20 MiB: what was measured,\n"
	    "# scaled; it needs");
	assert_has(text, "\n# sudo tc qdisc replace dev eth0 root fq\n");
	check_lines(&f.report, &plain, text);
	free(text);
	fixture_end(&f);
}

static void sh_of_a_proxy(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	char *text = render(report_sh, &f.report, &plain);
	/* the module before what needs it */
	assert_acts(text,
	    (const char *[]){"sudo modprobe tcp_bbr",
		"sudo sysctl -w net.ipv4.tcp_rmem=\"4096 131072 20971520\"",
		"sudo sysctl -w net.ipv4.tcp_wmem=\"4096 262144 20971520\"",
		"sudo sysctl -w net.ipv4.tcp_congestion_control=bbr",
		"sudo sysctl -w net.core.default_qdisc=fq",
		"sudo tc qdisc replace dev eth0 root fq"},
	    6);
	assert_int_equal(strncmp(text, "#!/bin/sh\n", 10), 0);
	free(text);
	fixture_end(&f);
}

/* Line feeds in names and reasons must not get out of the comments; templates are not run. */
static void scripts_hold_hostile_text_in_comments(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_two_hosts(&f);
	text = render(report_sysctl, &f.report, &plain);
	assert_acts(text, (const char *[]){"net.ipv4.tcp_congestion_control = bbr"}, 1);
	free(text);
	text = render(report_sh, &f.report, &plain);
	assert_acts(
	    text, (const char *[]){"sudo sysctl -w net.ipv4.tcp_congestion_control=bbr"}, 1);
	assert_has(text, "\n# already so: net.ipv4.tcp_rmem = 4096 131072 6291456\n");
	assert_has(text, "\n# sudo tc qdisc replace dev DEV root fq\n");
	free(text);
	fixture_end(&f);
}

static void scripts_print_only_the_role_asked_for(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_two_hosts(&f);
	f.report.only = ROLE_RECEIVER;
	text = render(report_sh, &f.report, &plain);
	assert_acts(text, NULL, 0);
	assert_has(text, "# already so: net.ipv4.tcp_rmem");
	free(text);
	f.report.only = ROLE_PROXY;
	text = render(report_sysctl, &f.report, &plain);
	assert_acts(text, NULL, 0);
	assert_has(text, "# nothing to set on the proxy\n");
	free(text);
	fixture_end(&f);

	fixture_clean(&f);
	text = render(report_sysctl, &f.report, &plain);
	assert_acts(text, NULL, 0);
	assert_has(text, "# nothing to set\n");
	free(text);
	fixture_end(&f);
}

/* The shell itself says whether what is printed is a script. */
static void sh_is_taken_by_the_shell(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURES; i++) {
		struct fixture f;
		FILE *shell = popen("sh -n", "w");
		print_message("%s\n", fixtures[i].name);
		assert_non_null(shell);
		fixtures[i].make(&f);
		assert_true(report_sh(&f.report, &plain, shell));
		assert_int_equal(pclose(shell), 0);
		fixture_end(&f);
	}
}

static void forms_report_a_full_disk(void **state)
{
	struct fixture f;

	(void)state;
	fixture_proxy(&f);
	for (enum form form = FORM_TEXT; form < FORM_TABLE; form++) {
		FILE *full = fopen("/dev/full", "w");
		print_message("form %d\n", (int)form);
		assert_non_null(full);
		assert_false(form_table[form].advise(&f.report, &plain, full));
		fclose(full);
	}
	fixture_end(&f);
}

#define GAP (double)NAN

static const struct {
	const char *name;
	double values[16];
	size_t count, cells;
	bool utf8;
	const char *expected;
} sparklines[] = {
    {"a ramp from zero, rounded to sevenths", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 8, false, "_.:-=+*#"},
    {"the same in blocks", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 8, true,
	"\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"},
    {"level is full", {5, 5, 5}, 3, 8, false, "###"},
    {"nothing but zero", {0, 0, 0}, 3, 8, false, "___"},
    {"two values are no series", {1, 2}, 2, 8, false, ""},
    {"a gap", {7, GAP, 7, 7}, 4, 8, false, "# ##"},
    {"two known values and a gap", {7, GAP, 7}, 3, 8, false, ""},
    {"pairs are averaged: 1, 3.5, 7", {0, 2, 3, 4, 7, 7}, 6, 3, false, ".=#"},
    {"no room", {1, 2, 3}, 3, 0, false, ""},
};

static void sparkline_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sparklines) / sizeof(sparklines[0]); i++) {
		struct sparkline line;
		print_message("%s\n", sparklines[i].name);
		sparkline_draw(&line, sparklines[i].values, sparklines[i].count,
		    sparklines[i].cells, sparklines[i].utf8);
		assert_string_equal(line.s, sparklines[i].expected);
		assert_int_equal(line.cells, columns_of(sparklines[i].expected));
	}
}

static void sparkline_has_at_most_32_cells(void **state)
{
	double values[500];
	struct sparkline line;

	(void)state;
	for (size_t i = 0; i < 500; i++)
		values[i] = (double)i;
	sparkline_draw(&line, values, 500, 100, true);
	assert_int_equal(line.cells, 32);
	assert_int_equal(strlen(line.s), 96);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_keeps_to_its_width),
	    cmocka_unit_test(colour_adds_nothing_but_colour),
	    cmocka_unit_test(colour_marks_the_limit_and_the_values),
	    cmocka_unit_test(answer_is_one_sentence),
	    cmocka_unit_test(answer_names_each_factor),
	    cmocka_unit_test(answer_solves_for_the_rate),
	    cmocka_unit_test(answer_without_anything),
	    cmocka_unit_test(text_of_a_proxy),
	    cmocka_unit_test(text_is_one_screen),
	    cmocka_unit_test(text_on_a_narrow_terminal),
	    cmocka_unit_test(text_is_short_when_there_is_little_to_say),
	    cmocka_unit_test(text_says_once_what_is_unknown),
	    cmocka_unit_test(text_splits_a_measurement_from_its_comment),
	    cmocka_unit_test(text_calls_a_bound_a_bound),
	    cmocka_unit_test(text_names_what_is_missing),
	    cmocka_unit_test(text_of_two_hosts),
	    cmocka_unit_test(text_of_datagrams),
	    cmocka_unit_test(memory_without_limits_names_the_remedy),
	    cmocka_unit_test(json_has_the_names_of_the_schema),
	    cmocka_unit_test(json_writes_unknown_as_null),
	    cmocka_unit_test(json_lists_all_runs),
	    cmocka_unit_test(sysctl_of_a_proxy),
	    cmocka_unit_test(sh_of_a_proxy),
	    cmocka_unit_test(scripts_hold_hostile_text_in_comments),
	    cmocka_unit_test(scripts_print_only_the_role_asked_for),
	    cmocka_unit_test(sh_is_taken_by_the_shell),
	    cmocka_unit_test(forms_report_a_full_disk),
	    cmocka_unit_test(sparkline_rows),
	    cmocka_unit_test(sparkline_has_at_most_32_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
