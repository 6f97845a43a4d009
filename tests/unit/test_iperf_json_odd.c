/* What iperf3, pagers, pipes and people do to JSON, each with what a reader must make of it. */
#include "evidence/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parts of documents, as short as they can be. */
#define CLIENT "\"connecting_to\":{\"host\":\"b\",\"port\":5201},"
#define SERVER "\"accepted_connection\":{\"host\":\"a\",\"port\":9},"
#define START(role, more) "\"start\":{\"version\":\"iperf 3.12\"," role "\"connected\":[]" more "}"
#define TEST(protocol, more) ",\"test_start\":{\"protocol\":\"" protocol "\"" more "}"
#define ROW(from, to, bytes, more) \
	"{\"socket\":5,\"start\":" #from ",\"end\":" #to ",\"bytes\":" #bytes more "}"
/* of a second stream */
#define ROW2(from, to, bytes, more) \
	"{\"socket\":7,\"start\":" #from ",\"end\":" #to ",\"bytes\":" #bytes more "}"
#define SENDER ",\"retransmits\":1,\"snd_cwnd\":500,\"snd_wnd\":900,\"rtt\":50"
#define RATE ",\"bits_per_second\":8"
#define INTERVAL(rows) "{\"streams\":[" rows "],\"sum\":{\"bytes\":1,\"omitted\":false}}"
#define TWO_INTERVALS INTERVAL(ROW(0, 1, 100, SENDER)) "," INTERVAL(ROW(1, 2, 300, SENDER))
#define INTERVALS(list) "\"intervals\":[" list "]"
#define ENDS(sent, received) \
	"\"end\":{\"streams\":[{\"sender\":" sent ",\"receiver\":" received "}]}"
#define END2 ENDS(ROW(0, 2, 400, ",\"retransmits\":2"), ROW(0, 2, 390, ""))
#define GOOD "{" START(CLIENT, "") "," INTERVALS(TWO_INTERVALS) "," END2 "}"
#define GOOD_RUN \
	"0 client sends, 2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, rtt 50"
#define EVENT(name, data) "{\"event\":\"" name "\",\"data\":" data "}\n"
#define STREAMED \
	EVENT("start", "{\"version\":\"iperf 3.21\",\"cookie\":\"c\"," CLIENT "\"connected\":[]}") \
	EVENT("interval", INTERVAL(ROW(0, 1, 100, SENDER))) \
	EVENT("interval", INTERVAL(ROW(1, 2, 300, SENDER)))
#define END2_DATA \
	"{\"streams\":[{\"sender\":" ROW(0, 2, 400, ",\"retransmits\":2") ",\"receiver\":" ROW( \
	    0, 2, 390, "") "}]}"
#define STREAMED_DOCUMENT \
	"{\"start\":{\"cookie\":\"c\"," CLIENT \
	"\"connected\":[]}," INTERVALS(TWO_INTERVALS) "," END2 "}"
/* Both ways: the client's stream, then the server's. */
#define BOTH(a, b) ROW(0, 1, a, SENDER ",\"sender\":true") "," ROW(0, 1, b, ",\"sender\":false")
#define BOTH_ENDS \
	"\"end\":{\"streams\":[{\"sender\":" ROW(0, 1, 100, \
	    ",\"retransmits\":1,\"max_snd_cwnd\":500," \
	    "\"min_rtt\":40,\"mean_rtt\":50,\"max_rtt\":60,\"sender\":true") ",\"receiver\":" ROW(0, \
	    1, 90, ",\"sender\":true") "},{\"sender\":" ROW(0, 1, 800, \
	    ",\"retransmits\":7,\"max_snd_cwnd\":360448,\"min_rtt\":19,\"mean_rtt\":19," \
	    "\"max_rtt\":19,\"sender\":false") ",\"receiver\":" ROW(0, 1.05, 700, \
	    ",\"sender\":false") "}],\"sum_sent\":{\"bytes\":1},\"sum_received\":{\"bytes\":2},\"sum_sent\":{\"bytes\":3}}"
#define UDP_END(bytes, lost, packets, more) \
	"\"end\":{\"streams\":[{\"udp\":" ROW(0, 2, bytes, \
	    ",\"jitter_ms\":0.5,\"lost_packets\":" #lost \
	    ",\"packets\":" #packets) "}],\"sum\":" ROW(0, 4, bytes, \
	    ",\"jitter_ms\":0.5," \
	    "\"lost_packets\":" #lost ",\"packets\":" #packets) more "}"
#define TEN "[[[[[[[[[["

struct row {
	const char *name, *input, *expected;
};

/* ---- what comes before, after and between ----------------------------------------------------- */

static const struct row framing[] = {
    {"a document", GOOD, "OK: " GOOD_RUN},
    {"-V: a line before", "Control connection MSS 1448\n" GOOD, "OK: " GOOD_RUN},
    {"macOS: a line before", "Increasing socket buffer size to 66531\n" GOOD, "OK: " GOOD_RUN},
    {"interrupted: ^C before", "^C" GOOD, "OK: " GOOD_RUN},
    {"a byte order mark", "\xef\xbb\xbf" GOOD, "OK: " GOOD_RUN},
    {"braces in a prompt", "$ docker ps --format '{{.ID}}' [1] {a}\n" GOOD, "OK: " GOOD_RUN},
    {"a prompt behind", GOOD "\n$ ", "OK: " GOOD_RUN},
    {"debug output of another kind", "send_parameters:\n{\n\t\"tcp\":\ttrue\n}\n" GOOD,
	"OK: " GOOD_RUN},
    {"CR LF", "{\r\n\t" START(CLIENT, "") ",\r\n" INTERVALS(TWO_INTERVALS) ",\r\n" END2 "\r\n}\r\n",
	"OK: " GOOD_RUN},
    {"one after another", GOOD GOOD,
	"OK: " GOOD_RUN "; 1" /* the next test */
	" client sends, 2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"text between", GOOD "\niperf3: exiting\n-----\n" GOOD,
	"OK: " GOOD_RUN "; 1"
	" client sends, 2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"an array of documents", "[" GOOD ",\n" GOOD "]",
	"OK: " GOOD_RUN "; 1"
	" client sends, 2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"a server's log with its end",
	GOOD "{\"start\":{\"version\":\"iperf 3.12\"},\"intervals\":[],"
	     "\"end\":{},\"error\":\"interrupt - the server has terminated\"}",
	"OK: " GOOD_RUN},
    {"printed twice", STREAMED_DOCUMENT "\n" STREAMED_DOCUMENT, "OK: " GOOD_RUN},
    {"keys in order of the alphabet",
	"{" END2 "," INTERVALS(TWO_INTERVALS) "," START(CLIENT, "") "}", "OK: " GOOD_RUN},
    {"nothing", "", "NOTHING: taken for JSON, but no object begins in it"},
    {"blanks", " \n\n", "NOTHING: taken for JSON, but no object begins in it"},
    {"text", "iperf Done.\n", "NOTHING: taken for JSON, but no object begins in it"},
    {"other JSON", "{\"a\":[1,{\"start\":3}],\"end\":null}",
	"NOTHING: valid JSON, but not iperf3's: no \"start\" or \"intervals\""},
    {"an array", "[{}, 1]", "NOTHING: valid JSON, but not iperf3's: no \"start\" or \"intervals\""},
    {"start and intervals of something else", "{\"start\":1,\"intervals\":{},\"end\":2}",
	"NOTHING: valid JSON, but not iperf3's: no \"start\" or \"intervals\""},
    {"not JSON after all", "{\"a\":\n,}",
	"NOTHING: not valid JSON at line 2: expected a value after ':', found ','"},
    {"too deep", "[{\"start\":" TEN TEN TEN TEN TEN TEN TEN,
	"NOTHING: not valid JSON at line 1: expected at most 64 containers in one another, found '['"},
};

/* ---- damage ----------------------------------------------------------------------------------- */

static const struct row damage[] = {
    {"cut in the third interval",
	"x\n{" START(CLIENT, "") ",\n"
				 "\"intervals\":[" TWO_INTERVALS
				 ",\n{\"streams\":[{\"socket\":5,\"sta",
	"PARTIAL: cut short at line 4, 2 intervals kept: 0 client sends, 2 bins 400 B, sent 400/2, "
	"retr 2, cwnd 500, window 900, rtt 50"},
    {"cut in the summary",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS) ",\"end\":{\"streams\":[{\"sender\":" ROW(0, 2, 9999, "") ",",
	"PARTIAL: cut short at line 1, 2 intervals kept: 0 client sends, 2 bins 400 B, sent 400/2, "
	"retr 2, cwnd 500, window 900, rtt 50"},
    {"damaged in the summary: its sums are no intervals",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS) ",\"end\":{\"streams\":[{\"sender\"}],\"sum_received\":{\"start\":0,"
			   "\"end\":2,\"bytes\":390" RATE ",\"sender\":false}}}",
	"PARTIAL: damaged at line 1, 2 intervals kept: expected ':' after a key, found '}': 0 client sends, "
	"2 bins 400 B, sent 400/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"cut behind the summary", "{" START(CLIENT, "") "," INTERVALS(TWO_INTERVALS) "," END2 ",",
	"PARTIAL: cut short at line 1, 2 intervals kept: " GOOD_RUN},
    {"cut before the first interval", "{" START(CLIENT, "") ",\"intervals\":[{\"streams\":[",
	"NOTHING: cut short at line 1, 0 intervals kept"},
    {"an exponent with a blank",
	"{" START(CLIENT,
	    "") ",\"intervals\":[" TWO_INTERVALS ","
		"{\"streams\":[{\"bits_per_second\":5.924e 06,\"omitted\":false}],\"sum\":{\"start\":2}}]," END2
		"}",
	"PARTIAL: damaged at line 1, 2 intervals kept: expected a digit in the exponent, found byte "
	"0x20: 0 client sends, 2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, "
	"rtt 50"},
    {"the head is missing, and part of an interval",
	"\"rtt\":50}],\"sum\":" ROW(0, 1, 100, RATE) "}," INTERVAL(ROW(1, 2, 300, SENDER)) "]," END2
											   "}",
	"PARTIAL: parts of a document, 2 intervals kept: 0 ? sends, 2 bins 400 B, sent 400/2, "
	"received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"intervals alone", TWO_INTERVALS,
	"PARTIAL: parts of a document, 2 intervals kept: 0 ? sends, 2 bins 400 B, sent 400/2, retr 2, "
	"cwnd 500, window 900, rtt 50"},
    {"rows alone, of two streams, with their sum",
	ROW(0, 1, 100, SENDER RATE)
	    ROW2(0.01, 1, 100, SENDER RATE) "{\"start\":0,\"end\":1,\"bytes\":200" RATE "}" ROW(
		1, 2, 30, SENDER RATE) ROW2(1, 2, 70, SENDER RATE),
	"PARTIAL: parts of a document, 2 intervals kept: 0 ? sends, 2 streams, 2 bins 300 B, sent 300/1.995, retr 4, "
	"cwnd 1000, window 1800, rtt 50"},
    {"the end alone", "\"end\":" END2_DATA,
	"PARTIAL: parts of a document, 0 intervals kept: 0 ? sends, 0 bins 0 B, sent 400/2, "
	"received 390/2, retr 2"},
    {"parts, then a document", INTERVAL(ROW(0, 1, 7, "")) "\n" GOOD,
	"PARTIAL: parts of a document, 1 interval kept: 0 ? sends, 1 bins 7 B, sent 7/1; 1 client sends, "
	"2 bins 400 B, sent 400/2, received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"perfSONAR's names",
	"{\"succeeded\":true,\"intervals\":[{\"streams\":[{\"stream-id\":5,\"start\":0,\"end\":1,"
	"\"throughput-bytes\":100,\"throughput-bits\":800,\"retransmits\":3,\"tcp-window-size\":500,"
	"\"rtt\":50,\"omitted\":false}],\"summary\":{\"start\":0,\"end\":1}}],\"summary\":{\"streams\":["
	"{\"stream-id\":5,\"start\":0,\"end\":1,\"throughput-bytes\":110,\"retransmits\":3}],"
	"\"summary\":{\"start\":0}}}",
	"OK: 0 ? sends, 1 bins 100 B, sent 110/1, retr 3, cwnd 500, rtt 50"},
    {"damaged, and a good one behind",
	"{" START(CLIENT, "") ",\"intervals\":[" INTERVAL(ROW(0, 1, 7, "")) ",{\n" GOOD,
	"PARTIAL: damaged at line 2, 1 interval kept: expected a key in quotes or '}', found '{': "
	"0 client sends, 1 bins 7 B, sent 7/1; 1 client sends, 2 bins 400 B, sent 400/2, "
	"received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"an excerpt", "\"streams\":[{\"socket\":4,\"bytes\":0,\"lost_percent\":-nan}],\"sum\":{}",
	"NOTHING: valid JSON, but not iperf3's: no \"start\" or \"intervals\""},
    {"nan and inf",
	"{" START(CLIENT, TEST("UDP", "")) "," INTERVALS(INTERVAL(ROW(0, 1, 0,
	    ",\"jitter_ms\":inf,\"packets\":0,\"lost_percent\":-nan"))) ",\"end\":{\"streams\":[{\"udp\":" ROW(0,
	    1, 0, ",\"lost_percent\":nan") "}]}}",
	"OK: 0 client sends UDP, 1 bins 0 B, sent 0/1"},
    {"values of another kind",
	"{" START(CLIENT, ",\"sock_bufsize\":{\"a\":[1]},\"cookie\":7") ",\"intervals\":[null,3,{\"streams\":null},{\"streams\":[null,[]," ROW(
	    0, 1, 5, ",\"rtt\":\"x\",\"omitted\":0") "]}],\"end\":[]}",
	"OK: 0 client sends, 1 bins 5 B, sent 5/1"},
    {"times beyond reason",
	"{" START(CLIENT, "") "," INTERVALS(INTERVAL(ROW(-1e308, 1e308, 5, "")) "," INTERVAL(
	    ROW(0, 1, 6, ""))) "," ENDS(ROW(-1e308, 1e308, 7, ""), ROW(0, 1e10, 6, "")) "}",
	"OK: 0 client sends, 1 bins 6 B, sent 6/1"},
    {"rows without what matters",
	"{" START(CLIENT, "") "," INTERVALS(INTERVAL("{\"start\":0,\"end\":1}") "," INTERVAL(
	    "{\"end\":1,\"bytes\":3}") "," INTERVAL(ROW(3, 2, 3, "")) "," INTERVAL(ROW(0, 1, -3,
	    "")) "," INTERVAL(ROW(2, 3, 8, ""))) ",\"end\":{}}",
	"OK: 0 client sends, 1 bins 8 B, sent 8/1"},
};

/* ---- values ------------------------------------------------------------------------------------ */

#define VALUES(more) \
	"{" START(CLIENT, "") "," INTERVALS(INTERVAL(ROW(0, 1, 5, more))) ",\"end\":{}}"
#define SYSTEM(name, version) \
	"{\"start\":{\"version\":\"iperf " version "\",\"system_info\":\"" name \
	" x 1\\n\"," CLIENT "\"tcp_mss_default\":1448}," INTERVALS(TWO_INTERVALS) "," ENDS( \
	    ROW(0, 2, 400, \
		",\"retransmits\":2,\"max_snd_cwnd\":1448000,\"min_rtt\":4,\"mean_rtt\":5,\"max_rtt\":6"), \
	    ROW(0, 2, 400, "")) "}"

static const struct row values[] = {
    {"zero is unknown", VALUES(",\"retransmits\":0,\"snd_cwnd\":0,\"snd_wnd\":0,\"rtt\":0"),
	"OK: 0 client sends, 1 bins 5 B, sent 5/1"},
    {"none of the retransmits", VALUES(",\"retransmits\":0,\"snd_cwnd\":7,\"rtt\":9"),
	"OK: 0 client sends, 1 bins 5 B, sent 5/1, retr 0, cwnd 7, rtt 9"},
    {"-1 is unknown", VALUES(",\"retransmits\":-1,\"snd_cwnd\":7,\"snd_wnd\":-1,\"rtt\":9"),
	"OK: 0 client sends, 1 bins 5 B, sent 5/1, cwnd 7, rtt 9"},
    {"-1 without a sign (3.12)",
	VALUES(",\"retransmits\":2,\"snd_cwnd\":7,"
	       "\"snd_wnd\":18446744073709551615,\"rtt\":9,\"pmtu\":18446744073709551615"),
	"OK: 0 client sends, 1 bins 5 B, sent 5/1, retr 2, cwnd 7, rtt 9"},
    {"a stack without TCP_INFO",
	VALUES(",\"retransmits\":4294967294,\"snd_cwnd\":0,"
	       "\"rtt\":4320356"),
	"OK: 0 client sends, 1 bins 5 B, sent 5/1"},
    {"macOS: an RTT in another unit", SYSTEM("Darwin", "3.21"),
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, received 400/2, retr 2, cwnd 500, window 900, "
	"max cwnd 1448000, mss 1448"},
    {"FreeBSD before 3.2: cwnd times MSS", SYSTEM("FreeBSD", "3.1.7"),
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, received 400/2, retr 2, cwnd 0, window 900, "
	"rtt 50, min 4 mean 5 max 6, max cwnd 1000, mss 1448"},
    {"FreeBSD since", SYSTEM("FreeBSD", "3.2"),
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, received 400/2, retr 2, cwnd 500, window 900, "
	"rtt 50, min 4 mean 5 max 6, max cwnd 1448000, mss 1448"},
    {"SCTP: retransmits not set, RTT of unknown unit",
	"{" START(CLIENT, TEST("SCTP", "")) "," INTERVALS(TWO_INTERVALS) "," END2 "}",
	"OK: 0 client sends SCTP, 2 bins 400 B, sent 400/2, received 390/2, cwnd 500, window 900"},
    {"keys twice",
	"{" START(CLIENT,
	    ",\"sock_bufsize\":0,\"sock_bufsize\":4096,"
	    "\"sock_bufsize\":4096,\"target_bitrate\":5,\"target_bitrate\":5") "," INTERVALS(TWO_INTERVALS) "," END2
													    "}",
	"OK: " GOOD_RUN ", buffer 4096, target 5"},
    {"target of test_start",
	"{" START(CLIENT, TEST("TCP", ",\"target_bitrate\":0,\"duration\":0,"
				      "\"omit\":1")) "," INTERVALS(TWO_INTERVALS) "," END2 "}",
	"OK: " GOOD_RUN ", target 0, omit 1"},
    {"several streams",
	"{" START(CLIENT, "") "," INTERVALS(
	    INTERVAL(ROW(0, 1, 5, ",\"retransmits\":1,\"snd_cwnd\":10,\"rtt\":20") "," ROW2(
		0, 1, 7, ",\"retransmits\":2,\"snd_cwnd\":30,\"rtt\":40")) "," INTERVAL(ROW(1, 2, 5,
		",\"retransmits\":1,\"snd_cwnd\":10,\"rtt\":30") "," ROW2(1, 2, 7,
		",\"retransmits\":2,\"snd_cwnd\":0,\"rtt\":0"))) ",\"end\":{}}",
	"OK: 0 client sends, 2 streams, 2 bins 24 B, sent 24/2, retr 6, cwnd 40, rtt 30"},
    {"the stub of an interval at the end",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS "," INTERVAL(ROW(2, 2.1, 30, SENDER))) ",\"end\":{}}",
	"OK: 0 client sends, 2 bins 400 B, sent 430/2.1, retr 3, cwnd 500, window 900, rtt 50"},
    {"a short interval that is no stub",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS "," INTERVAL(ROW(2, 2.5, 30, SENDER))) ",\"end\":{}}",
	"OK: 0 client sends, 3 bins 430 B, sent 430/2.5, retr 3, cwnd 500, window 900, rtt 50"},
};

/* ---- directions and ends ----------------------------------------------------------------------- */

static const struct row ends[] = {
    {"-R before 3.7",
	"{" START(CLIENT, TEST("TCP", ",\"reverse\":1")) "," INTERVALS(INTERVAL(ROW(0, 1, 5,
	    ""))) "," ENDS(ROW(0, 1, 6,
			       ",\"retransmits\":3,"
			       "\"max_snd_cwnd\":0,\"max_rtt\":0,\"min_rtt\":0,\"mean_rtt\":0"),
	    ROW(0, 1, 5, "")) "}",
	"OK: 0 client receives reverse, 1 bins 5 B, sent 6/1, received 5/1, retr 3"},
    {"-R at the server",
	"{" START(SERVER, TEST("TCP", ",\"reverse\":1")) "," INTERVALS(INTERVAL(ROW(
	    0, 1, 5, SENDER))) "," ENDS(ROW(0, 1, 6, ",\"retransmits\":3"), ROW(0, 1, 0, "")) "}",
	"OK: 0 server sends reverse, 1 bins 5 B, sent 6/1, retr 3, cwnd 500, window 900, rtt 50"},
    {"a server knows its own side",
	"{" START(SERVER, TEST("TCP", ",\"reverse\":0")) "," INTERVALS(
	    INTERVAL(ROW(0, 1, 5, ""))) "," ENDS(ROW(0, 1, 0, ""), ROW(0, 1, 5, "")) "}",
	"OK: 0 server receives, 1 bins 5 B, received 5/1"},
    {"3.0: a server that was told",
	"{" START(SERVER, "") "," INTERVALS(INTERVAL(ROW(0, 1, 5, ""))) "," ENDS(
	    ROW(0, 1, 6, ""), ROW(0, 1, 5, "")) "}",
	"OK: 0 server receives, 1 bins 5 B, sent 6/1, received 5/1"},
    {"a client whose data did not arrive",
	"{" START(CLIENT, "") "," INTERVALS(INTERVAL(ROW(0, 1, 5, SENDER))) "," ENDS(
	    ROW(0, 1, 5, ",\"retransmits\":1"), ROW(0, 1, 0, "")) "}",
	"OK: 0 client sends, 1 bins 5 B, sent 5/1, received 0/1, retr 1, cwnd 500, window 900, rtt 50"},
    {"both ways", "{" START(CLIENT, "") "," INTERVALS(INTERVAL(BOTH(100, 700))) "," BOTH_ENDS "}",
	"OK: 0 client sends bidir, 1 bins 100 B, sent 100/1, received 90/1, retr 1, cwnd 500, "
	"window 900, rtt 50, min 40 mean 50 max 60, max cwnd 500; "
	"0 client receives bidir, 1 bins 700 B, sent 800/1, received 700/1, retr 7"},
    {"both ways, cut short",
	"{" START(CLIENT, TEST("TCP", ",\"bidir\":1")) ",\"intervals\":[" INTERVAL(BOTH(100, 700)),
	"PARTIAL: cut short at line 1, 1 interval kept: 0 client sends bidir, 1 bins 100 B, "
	"sent 100/1, retr 1, cwnd 500, window 900, rtt 50; "
	"0 client receives bidir, 1 bins 700 B, received 700/1"},
    {"role unknown, and only senders count retransmits",
	"{\"intervals\":[" INTERVAL(ROW(0, 1, 5, SENDER)) "],\"end\":{}}",
	"OK: 0 ? sends, 1 bins 5 B, sent 5/1, retr 1, cwnd 500, window 900, rtt 50"},
    {"omitted, then the clock restarts",
	"{" START(CLIENT, TEST("TCP", ",\"omit\":1")) "," INTERVALS(INTERVAL(
	    ROW(0, 1, 9, ",\"omitted\":true")) "," INTERVAL(ROW(0, 1, 9,
	    ",\"omitted\":false")) "," INTERVAL(ROW(1, 2, 5, ",\"omitted\":false"))) ",\"end\":{}}",
	"OK: 0 client sends, 1 omitted, 2 bins 14 B, sent 14/2, omit 1"},
    {"3.1: it restarts before the row is printed",
	"{" START(CLIENT, TEST("TCP", ",\"omit\":2")) "," INTERVALS(INTERVAL(
	    ROW(0, 1.0001, 9, ",\"omitted\":true")) "," INTERVAL(ROW(1.00005, 1, 6,
	    ",\"omitted\":false")) "," INTERVAL(ROW(1, 2, 5, ",\"omitted\":false"))) ",\"end\":{}}",
	"OK: 0 client sends, 1 omitted, 2 bins 11 B, sent 11/2, omit 2"},
    {"streams that do not agree about the warm-up",
	"{" START(CLIENT, "") "," INTERVALS(INTERVAL(ROW(0, 1, 5, ",\"omitted\":true") "," ROW2(
	    0, 1, 5, ",\"omitted\":false")) "," INTERVAL(ROW(1, 2, 7,
	    ",\"omitted\":false") "," ROW2(1, 2, 7, ",\"omitted\":false"))) ",\"end\":{}}",
	"OK: 0 client sends, 2 streams, 1 omitted, 1 bins 14 B, sent 14/1, omit 1"},
    {"only a warm-up",
	"{" START(CLIENT, "") "," INTERVALS(
	    INTERVAL(ROW(0, 1, 5, ",\"omitted\":true"))) ",\"end\":{}}",
	"NOTHING: an iperf3 test in which nothing was transferred"},
    {"-O: what arrived of the warm-up too",
	"{" START(CLIENT, TEST("TCP", ",\"omit\":1")) "," INTERVALS(
	    INTERVAL(ROW(0, 1, 100, ""))) "," ENDS(ROW(0, 1, 100, ""), ROW(0, 1, 103, "")) "}",
	"OK: 0 client sends, 1 bins 100 B, sent 100/1, omit 1"},
    {"-O: more arrived, but it took longer",
	"{" START(CLIENT, TEST("TCP", ",\"omit\":1")) "," INTERVALS(
	    INTERVAL(ROW(0, 1, 100, ""))) "," ENDS(ROW(0, 1, 100, ""), ROW(0, 1.25, 103, "")) "}",
	"OK: 0 client sends, 1 bins 100 B, sent 100/1, received 103/1.25, omit 1"},
};

/* ---- interruptions, UDP, events ---------------------------------------------------------------- */

static const struct row accidents[] = {
    {"interrupted",
	"{" START(CLIENT, "") "," INTERVALS(TWO_INTERVALS) "," ENDS(
	    ROW(0, 2, 400, ",\"retransmits\":2"),
	    ROW(0, 2, 0, "")) ",\"error\":\"interrupt - the client has terminated\"}",
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, retr 2, cwnd 500, window 900, rtt 50, "
	"error 'interrupt - the client has terminated'"},
    {"server lost: last interval again",
	"{" START(CLIENT, "") "," INTERVALS(TWO_INTERVALS "," INTERVAL(
	    ROW(1, 2, 300, SENDER))) ",\"end\":{},\"error\":\"error - control socket has closed\"}",
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, retr 2, cwnd 500, window 900, rtt 50, "
	"error 'control socket has closed'"},
    {"interrupted server: again, and a time that is too short",
	"{" START(SERVER, "") "," INTERVALS(INTERVAL(ROW(0, 1, 100, "")) "," INTERVAL(
	    ROW(1, 2, 300, "")) "," INTERVAL(ROW(1, 2, 300, ""))) "," ENDS(ROW(0, 2, 0, ""),
	    ROW(0, 2, 550, "")) ",\"error\":\"the client has terminated\"}",
	"OK: 0 server receives, 2 bins 400 B, received 400/2, error 'the client has terminated'"},
    {"no connection",
	"{\"start\":{\"connected\":[]},\"intervals\":[],\"end\":{},"
	"\"error\":\"error - unable to connect to server: Connection\\u001b refused\"}",
	"NOTHING: no test took place: iperf3 says "
	"\"unable to connect to server: Connection\\x1b refused\""},
    {"no connection, streamed", EVENT("error", "\"unable to connect\"") EVENT("end", "{}"),
	"NOTHING: no test took place: iperf3 says \"unable to connect\""},
    {"UDP: what arrived is not what was sent",
	"{" START(CLIENT, TEST("UDP", "")) "," INTERVALS(
	    INTERVAL(ROW(0, 2, 1000, ",\"packets\":10"))) "," UDP_END(1000, 6, 10, "") "}",
	"OK: 0 client sends UDP, 1 bins 1000 B, sent 1000/2, received 400/4, jitter 0.5 lost 6/10"},
    {"UDP since 3.11",
	"{" START(CLIENT, TEST("UDP", "")) "," INTERVALS(
	    INTERVAL(ROW(0, 2, 1000, ",\"packets\":10"))) "," UDP_END(1000, 6, 10,
	    ",\"sum_received\":" ROW(0, 3, 500, "")) "}",
	"OK: 0 client sends UDP, 1 bins 1000 B, sent 1000/2, received 500/3, jitter 0.5 lost 6/10"},
    {"UDP at the server",
	"{" START(SERVER, TEST("UDP", "")) "," INTERVALS(INTERVAL(ROW(0, 2, 400,
	    ",\"jitter_ms\":0.5,\"lost_packets\":6,\"packets\":10"))) "," UDP_END(0, 6, 10, "") "}",
	"OK: 0 server receives UDP, 1 bins 400 B, received 400/2, jitter 0.5 lost 6/10"},
    {"UDP at the server, cut short",
	"{" START(SERVER, TEST("UDP", "")) ",\"intervals\":[" INTERVAL(
	    ROW(0, 2, 400, ",\"jitter_ms\":0.5,\"lost_packets\":6,\"packets\":10")),
	"PARTIAL: cut short at line 1, 1 interval kept: "
	"0 server receives UDP, 1 bins 400 B, received 400/2, jitter 0.5 lost 6/10"},
    {"UDP interrupted: the loss is unknown",
	"{" START(CLIENT, TEST("UDP", "")) "," INTERVALS(INTERVAL(ROW(0, 2, 1000,
	    ",\"packets\":10"))) "," UDP_END(1000, 0, 10, "") ",\"error\":\"interrupt\"}",
	"OK: 0 client sends UDP, 1 bins 1000 B, sent 1000/2, error 'interrupt'"},
    {"UDP: datagrams that came twice",
	"{" START(SERVER, TEST("UDP", "")) "," INTERVALS(INTERVAL(ROW(0, 2, 400, ""))) "," UDP_END(
	    0, -3, 10, "") "}",
	"OK: 0 server receives UDP, 1 bins 400 B, received 400/2, jitter 0.5 lost 0/10"},
    {"streamed", STREAMED EVENT("end", END2_DATA), "OK: " GOOD_RUN},
    {"streamed, and the document behind it", STREAMED EVENT("end", END2_DATA) STREAMED_DOCUMENT,
	"OK: " GOOD_RUN},
    {"streamed with an error", STREAMED EVENT("error", "\"error - broken\"") EVENT("end", "{}"),
	"OK: 0 client sends, 2 bins 400 B, sent 400/2, retr 2, cwnd 500, window 900, rtt 50, "
	"error 'broken'"},
    {"streamed, no end yet", STREAMED,
	"PARTIAL: ends without an \"end\" event, 2 intervals kept: 0 client sends, 2 bins 400 B, "
	"sent 400/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"streamed, last line cut", STREAMED "{\"event\":\"interval\",\"data\":{\"streams\":[",
	"PARTIAL: cut short at line 4, 2 intervals kept: 0 client sends, 2 bins 400 B, "
	"sent 400/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"streamed, one bad line",
	STREAMED "{\"event\":\"interval\",\"data\":{\"streams\":[{\"sock\n" EVENT(
	    "interval", INTERVAL(ROW(3, 4, 5, SENDER))) EVENT("end", "{}"),
	"PARTIAL: damaged at line 4, 3 intervals kept: expected a string without control "
	"characters, found byte 0x0a: 0 client sends, 3 bins 405 B, sent 405/3, retr 3, cwnd 500, "
	"window 900, rtt 50"},
    {"streamed, another test without an end before", STREAMED STREAMED EVENT("end", END2_DATA),
	"PARTIAL: ends without an \"end\" event, 2 intervals kept: 0 client sends, 2 bins 400 B, "
	"sent 400/2, retr 2, cwnd 500, window 900, rtt 50; 1 client sends, 2 bins 400 B, sent 400/2, "
	"received 390/2, retr 2, cwnd 500, window 900, rtt 50"},
    {"events unheard of", EVENT("weather", "{\"streams\":[1]}") STREAMED EVENT("end", END2_DATA),
	"OK: " GOOD_RUN},
    {"the server's document inside",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS) "," END2 ",\"server_output_json\":{" START(SERVER,
	    "") "," INTERVALS(INTERVAL(ROW(0, 2, 390, ""))) "," ENDS(ROW(0, 2, 0, ""),
	    ROW(0, 2, 390, "")) ",\"server_output_json\":{}}}",
	"OK: " GOOD_RUN "; 0 server receives, 1 bins 390 B, received 390/2"},
    {"the server's document inside, which does not know the MSS",
	"{" START(CLIENT, ",\"tcp_mss_default\":1400") "," INTERVALS(
	    TWO_INTERVALS) "," END2 ",\"server_output_json\":{" START(SERVER,
	    ",\"tcp_mss_default\":0") "," INTERVALS(INTERVAL(ROW(0, 2, 390, ""))) ",\"end\":{}}}",
	"OK: " GOOD_RUN ", mss 1400; 0 server receives, 1 bins 390 B, received 390/2, mss 1400"},
    {"the server's text inside",
	"{" START(CLIENT, "") "," INTERVALS(
	    TWO_INTERVALS) "," END2 ",\"server_output_text\":\"[  5] 0.00-1.00 sec {\\n\"}",
	"OK: " GOOD_RUN},
};

/* ---- running them ------------------------------------------------------------------------------ */

static void describe_window(FILE *out, const struct run *run)
{
	double cwnd = 0, window = 0, rtt = 0;
	unsigned cwnds = 0, windows = 0, rtts = 0;

	for (size_t i = 0; i < run->series.count; i++) {
		const struct bin *bin = &run->series.bins[i];
		cwnds += (bin->has & BIN_CWND) != 0;
		windows += (bin->has & BIN_PEER_WINDOW) != 0;
		rtts += (bin->has & BIN_RTT) != 0;
		cwnd += bin->has & BIN_CWND ? (double)bin->cwnd_bytes : 0;
		window += bin->has & BIN_PEER_WINDOW ? (double)bin->peer_window_bytes : 0;
		rtt += bin->has & BIN_RTT ? bin->rtt_us : 0;
	}
	if (cwnds > 0)
		fprintf(out, ", cwnd %.10g", cwnd / cwnds);
	if (windows > 0)
		fprintf(out, ", window %.10g", window / windows);
	if (rtts > 0)
		fprintf(out, ", rtt %.10g", rtt / rtts);
}

static void describe_run(FILE *out, const struct run *run)
{
	static const char *const protocols[] = {"", " UDP", " SCTP"};
	const char *role = run->has & RUN_ROLE_KNOWN ? run->client ? "client" : "server" : "?";
	unsigned long long bytes = 0;

	for (size_t i = 0; i < run->series.count; i++)
		bytes += run->series.bins[i].bytes;
	fprintf(out, "%u %s %s%s%s%s", run->test, role, run->local_sends ? "sends" : "receives",
	    run->reverse ? " reverse" : "", run->bidir ? " bidir" : "", protocols[run->protocol]);
	if (run->streams > 1)
		fprintf(out, ", %u streams", run->streams);
	if (run->omitted_intervals > 0)
		fprintf(out, ", %u omitted", run->omitted_intervals);
	fprintf(out, ", %zu bins %llu B", run->series.count, bytes);
	if (run->has & RUN_SENT)
		fprintf(out, ", sent %.10g/%.10g", (double)run->sent_bytes, run->sent_seconds);
	if (run->has & RUN_RECEIVED)
		fprintf(out, ", received %.10g/%.10g", (double)run->received_bytes,
		    run->received_seconds);
	if (run->has & RUN_RETRANSMITS)
		fprintf(out, ", retr %.10g", (double)run->retransmits);
	describe_window(out, run);
	if (run->has & RUN_RTT_EXTREMES)
		fprintf(out, ", min %.10g mean %.10g max %.10g", run->rtt_min_us, run->rtt_mean_us,
		    run->rtt_max_us);
	if (run->has & RUN_MAX_CWND)
		fprintf(out, ", max cwnd %.10g", (double)run->max_cwnd_bytes);
	if (run->has & RUN_MSS)
		fprintf(out, ", mss %u", run->mss);
	if (run->has & RUN_SOCKET_BUFFER)
		fprintf(out, ", buffer %.10g", (double)run->socket_buffer_bytes);
	if (run->has & RUN_TARGET_RATE)
		fprintf(out, ", target %.10g", run->target_rate_bps);
	if (run->has & RUN_OMIT)
		fprintf(out, ", omit %.10g", run->omit_s);
	if (run->has & RUN_JITTER)
		fprintf(out, ", jitter %.10g lost %.10g/%.10g", run->jitter_ms, (double)run->lost,
		    (double)run->packets);
	if (run->error[0] != '\0')
		fprintf(out, ", error '%s'", run->error);
}

/* The outcome in words: what was read, the note, the runs. */
static char *describe(enum read_result result, const char *note, const struct runs *runs)
{
	static const char *const results[] = {"OK", "PARTIAL", "NOTHING", "SYSTEM"};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	fputs(results[result], out);
	if (note[0] != '\0')
		fprintf(out, ": %s", note);
	for (size_t i = 0; i < runs->count; i++) {
		fputs(i == 0 ? ": " : "; ", out);
		describe_run(out, &runs->items[i]);
	}
	fclose(out);
	return text;
}

static void check_row(const struct row *row)
{
	struct runs runs = {0};
	struct read_note note;
	struct source *source = source_memory(row->name, row->input, strlen(row->input));
	enum read_result result = iperf_json_read(&runs, source, &note);
	char *text = describe(result, note.text, &runs);

	print_message("%s\n", row->name);
	assert_string_equal(text, row->expected);
	free(text);
	runs_free(&runs);
	source_close(source);
}

static void test_framing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(framing); i++)
		check_row(&framing[i]);
}

static void test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(damage); i++)
		check_row(&damage[i]);
}

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		check_row(&values[i]);
}

static void test_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++)
		check_row(&ends[i]);
}

static void test_accidents(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(accidents); i++)
		check_row(&accidents[i]);
}

/* A server's output in another input is of the same test as the client's: they share the cookie. */
static void test_both_ends_are_one_test(void **state)
{
	static const char client[] = STREAMED_DOCUMENT;
	static const char server[] =
	    "{\"start\":{\"cookie\":\"c\"," SERVER
	    "\"connected\":[]}," INTERVALS(INTERVAL(ROW(0, 2, 390, ""))) ",\"end\":{}}";
	static const char other[] =
	    "{\"start\":{\"cookie\":\"d\"," SERVER
	    "\"connected\":[]}," INTERVALS(INTERVAL(ROW(0, 2, 390, ""))) ",\"end\":{}}";
	static const char *const inputs[] = {client, other, server};
	static const unsigned tests_of[] = {0, 1, 0};
	struct runs runs = {0};
	struct read_note note;

	(void)state;
	for (size_t i = 0; i < COUNT(inputs); i++) {
		struct source *source = source_memory("x", inputs[i], strlen(inputs[i]));
		assert_int_equal(iperf_json_read(&runs, source, &note), READ_OK);
		source_close(source);
		assert_int_equal(runs.items[i].test, tests_of[i]);
	}
	assert_int_equal(runs.tests, 2);
	runs_free(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_framing),
	    cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_ends),
	    cmocka_unit_test(test_accidents),
	    cmocka_unit_test(test_both_ends_are_one_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
