#include "verbs/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/ss.h"
#include "evidence/ss_print.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_words(void **state)
{
	static const struct {
		const char *line;
		const char *words[5]; /* none: refused */
	} rows[] = {
	    {"ssh lb", {"ssh", "lb"}},
	    {"  ssh\t-p 22  lb ", {"ssh", "-p", "22", "lb"}},
	    {"ssh -o 'ProxyCommand nc %h %p' lb", {"ssh", "-o", "ProxyCommand nc %h %p", "lb"}},
	    {"a \"b \\\" c\" d\\ e", {"a", "b \" c", "d e"}},
	    {"a '' b'c'\"d\"", {"a", "", "bcd"}},
	    {"a $(x) `y` *;b|c", {"a", "$(x)", "`y`", "*;b|c"}},
	    {"a 'b\\'", {"a", "b\\"}},
	    {"a 'b", {NULL}},
	    {"a \"b\\\"", {NULL}},
	    {"", {NULL}},
	    {" \t", {NULL}},
	};
	struct words words;
	const char *why;
	(void)state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t count = 0;
		print_message("%s\n", rows[i].line);
		bool good = words_split(rows[i].line, &words, &why);
		assert_int_equal(good, rows[i].words[0] != NULL);
		if (!good)
			continue;
		for (; rows[i].words[count]; count++)
			assert_string_equal(words.items[count], rows[i].words[count]);
		assert_int_equal(words.count, count);
		assert_null(words.items[count]);
		words_free(&words);
	}
}

/* What is printed is read back as it was. */
static void test_ss_print(void **state)
{
	const struct socket_info info = {.state = "ESTAB",
	    .local = "2001:db8::1",
	    .peer = "10.77.0.2",
	    .local_port = 40000,
	    .peer_port = 5201,
	    .recv_queue = 7,
	    .send_queue = 2786168,
	    .has = SOCKET_SKMEM | SOCKET_RTT | SOCKET_MIN_RTT | SOCKET_CWND | SOCKET_MSS |
		   SOCKET_DELIVERY_RATE | SOCKET_PEER_WINDOW | SOCKET_WSCALE | SOCKET_BUSY |
		   SOCKET_BYTES_SENT | SOCKET_BYTES_ACKED | SOCKET_BYTES_RECEIVED | SOCKET_RETRANS |
		   SOCKET_DATA_SEGS_OUT | SOCKET_UNACKED | SOCKET_NOTSENT | SOCKET_RCV_SPACE |
		   SOCKET_RCV_RTT | SOCKET_RCV_SSTHRESH | SOCKET_SSTHRESH | SOCKET_PACING_RATE |
		   SOCKET_LAST_SND | SOCKET_BYTES_RESENT | SOCKET_BACKOFF,
	    .bytes_resent = 17376,
	    .backoff = 2,
	    .rmem_alloc = 1,
	    .rcvbuf = 131072,
	    .wmem_alloc = 2,
	    .sndbuf = 4194304,
	    .forward_alloc = 200,
	    .wmem_queued = 2821944,
	    .drops = 3,
	    .backlog = 4,
	    .cc = "cubic",
	    .snd_wscale = 7,
	    .rcv_wscale = 10,
	    .rtt_us = 40220,
	    .rttvar_us = 141,
	    .min_rtt_us = 40044,
	    .rcv_rtt_us = 40062.5,
	    .mss = 1448,
	    .cwnd_segments = 993,
	    .ssthresh_segments = 700,
	    .unacked_segments = 450,
	    .bytes_sent = 10783040,
	    .bytes_acked = 10131441,
	    .bytes_received = 99,
	    .data_segs_out = 7455,
	    .retransmits = 12,
	    .delivery_rate_bps = 128717464,
	    .pacing_rate_bps = 571992488,
	    .peer_window_bytes = 652288,
	    .notsent_bytes = 2134568,
	    .rcv_space = 14480,
	    .rcv_ssthresh = 64088,
	    .busy_us = 856000,
	    .rwnd_limited_us = 696000,
	    .sndbuf_limited_us = 8000,
	    .lastsnd_ms = 8,
	    .lastrcv_ms = 856,
	    .app_limited = true,
	    .has_timestamps = true,
	    .has_sack = true};
	struct socket_info got;
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	(void)state;

	assert_non_null(stream);
	ss_print_header(stream);
	ss_print(stream, &info);
	assert_int_equal(fclose(stream), 0);
	print_message("%s", text);
	struct source *source = source_memory("test", text, length);
	struct ss_reader *reader = ss_open(source);
	assert_int_equal(ss_next(reader, &got), 1);
	assert_int_equal(got.has, info.has);
	assert_string_equal(got.local, info.local);
	assert_string_equal(got.peer, info.peer);
	assert_string_equal(got.state, info.state);
	assert_string_equal(got.cc, info.cc);
#define SAME(member) assert_true(got.member == info.member)
	SAME(local_port);
	SAME(peer_port);
	SAME(recv_queue);
	SAME(send_queue);
	SAME(rmem_alloc);
	SAME(rcvbuf);
	SAME(wmem_alloc);
	SAME(sndbuf);
	SAME(forward_alloc);
	SAME(wmem_queued);
	SAME(drops);
	SAME(backlog);
	SAME(snd_wscale);
	SAME(rcv_wscale);
	SAME(rtt_us);
	SAME(rttvar_us);
	SAME(min_rtt_us);
	SAME(rcv_rtt_us);
	SAME(mss);
	SAME(cwnd_segments);
	SAME(ssthresh_segments);
	SAME(unacked_segments);
	SAME(bytes_sent);
	SAME(bytes_acked);
	SAME(bytes_received);
	SAME(data_segs_out);
	SAME(retransmits);
	SAME(delivery_rate_bps);
	SAME(pacing_rate_bps);
	SAME(peer_window_bytes);
	SAME(notsent_bytes);
	SAME(rcv_space);
	SAME(rcv_ssthresh);
	SAME(busy_us);
	SAME(rwnd_limited_us);
	SAME(sndbuf_limited_us);
	SAME(lastsnd_ms);
	SAME(lastrcv_ms);
	SAME(bytes_resent);
	SAME(backoff);
	SAME(app_limited);
	SAME(has_timestamps);
	SAME(has_sack);
	assert_int_equal(ss_next(reader, &got), 0);
	ss_close(reader);
	source_close(source);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_ss_print),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
