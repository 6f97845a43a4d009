/* Features of sockets, pings and losses: a row that shows one, and a row that just does not. */
#include "near.h"

#include "diagnosis/features.h"
#include "model/loss_pattern.h"
#include "runs.h"

#define MSS 1448

/* ss of a sender in mid-run: 100 Mbit/s over 40 ms, half of cwnd under way, a window with room. */
static const struct socket_info usual = {
    .has = SOCKET_SKMEM | SOCKET_RTT | SOCKET_MIN_RTT | SOCKET_CWND | SOCKET_MSS |
	   SOCKET_PEER_WINDOW | SOCKET_WSCALE | SOCKET_BUSY | SOCKET_UNACKED | SOCKET_NOTSENT |
	   SOCKET_RETRANS | SOCKET_SSTHRESH | SOCKET_DELIVERY_RATE | SOCKET_PACING_RATE,
    .rtt_us = 40500,
    .rttvar_us = 300,
    .min_rtt_us = 40000,
    .mss = MSS,
    .cwnd_segments = 700,
    .ssthresh_segments = 600,
    .unacked_segments = 345,
    .notsent_bytes = 2000000,
    .sndbuf = 4000000,
    .wmem_queued = 3000000,
    .peer_window_bytes = 3000000,
    .snd_wscale = 7,
    .busy_us = 4e6,
    .delivery_rate_bps = 100e6,
    .pacing_rate_bps = 240e6,
    .delivered = 30000};

/* A change of `usual`, and what must be there then. */
struct socket_row {
	const char *name;
	void (*change)(struct socket_info *socket);
	enum feature feature;
	bool present;
};

static void unchanged(struct socket_info *s)
{
	(void)s;
}

static void pacing_reached(struct socket_info *s)
{
	s->max_pacing_bps = 100e6;
}

static void pacing_not_reached(struct socket_info *s)
{
	s->max_pacing_bps = 120e6;
}

static void waits_below(struct socket_info *s)
{
	s->wmem_alloc = 130000;
}

static void waits_a_little(struct socket_info *s)
{
	s->wmem_alloc = 60000;
}

static void marked(struct socket_info *s)
{
	s->delivered_ce = 40;
}

static void jitters(struct socket_info *s)
{
	s->rttvar_us = 8000;
}

static void small_window(struct socket_info *s)
{
	s->has &= ~(unsigned)SOCKET_WSCALE;
	s->peer_window_bytes = 65535;
	s->unacked_segments = 45;
}

static void scaled_small_window(struct socket_info *s)
{
	small_window(s);
	s->has |= SOCKET_WSCALE;
}

static void nothing_under_way(struct socket_info *s)
{
	s->unacked_segments = 0;
	s->rwnd_limited_us = 3e6;
}

static void held_by_window(struct socket_info *s)
{
	s->rwnd_limited_us = 3e6;
}

static void cwnd_never_grew(struct socket_info *s)
{
	s->has &= ~(unsigned)SOCKET_SSTHRESH;
	s->cwnd_segments = s->unacked_segments = 100;
}

static void cwnd_in_slow_start(struct socket_info *s)
{
	cwnd_never_grew(s);
	s->delivered = 900;
}

static void ssh_channel(struct socket_info *s)
{
	s->app_limited = true;
	s->send_queue = 2099456;
}

static void small_buffer(struct socket_info *s)
{
	s->sndbuf = 1048576;
	s->sndbuf_limited_us = 0.5 * s->busy_us;
}

static void usual_buffer(struct socket_info *s)
{
	small_buffer(s);
	s->sndbuf = 4194304;
}

static void longer_queue(struct socket_info *s)
{
	s->app_limited = true;
	s->send_queue = 2300000;
}

static const struct socket_row rows[] = {
    {"one reading", unchanged, FEATURE_ONE_READING, true},
    {"no SO_MAX_PACING_RATE", unchanged, FEATURE_PACING_SET, false},
    {"SO_MAX_PACING_RATE reached", pacing_reached, FEATURE_PACING_SET, true},
    {"SO_MAX_PACING_RATE of 120 Mbit/s", pacing_not_reached, FEATURE_PACING_SET, false},
    {"130 kB in the host's own queue", waits_below, FEATURE_LOCAL_QUEUE, true},
    {"60 kB there", waits_a_little, FEATURE_LOCAL_QUEUE, false},
    {"ECN marks", marked, FEATURE_ECN_MARKED, true},
    {"no ECN mark", unchanged, FEATURE_ECN_MARKED, false},
    {"rttvar a fifth of the RTT", jitters, FEATURE_RTT_JITTERS, true},
    {"rttvar of 300 us", unchanged, FEATURE_RTT_JITTERS, false},
    {"no wscale, a window of 65,535", small_window, FEATURE_SCALE_ABSENT, true},
    {"the same with wscale", scaled_small_window, FEATURE_SCALE_ABSENT, false},
    {"rwnd-limited with nothing under way", nothing_under_way, FEATURE_WINDOW_ZERO, true},
    {"rwnd-limited", held_by_window, FEATURE_WINDOW_ZERO, false},
    {"30,000 delivered by a cwnd of 100 in slow start", cwnd_never_grew, FEATURE_CWND_CLAMPED,
	true},
    {"900 delivered", cwnd_in_slow_start, FEATURE_CWND_CLAMPED, false},
    {"Send-Q of OpenSSH's channel", ssh_channel, FEATURE_SEND_QUEUE_IS_WINDOW, true},
    {"a send buffer of 1 MiB that is full", small_buffer, FEATURE_SNDBUF_BELOW_DEFAULT, true},
    {"one of 4 MiB", usual_buffer, FEATURE_SNDBUF_BELOW_DEFAULT, false},
    {"Send-Q of 2.3 MB", longer_queue, FEATURE_SEND_QUEUE_IS_WINDOW, false},
};

static void read_features(
    struct features *features, const struct run *run, const struct path_context *context)
{
	static const struct path_given nothing;
	struct path path;

	path_from_run(&path, run, &nothing, context);
	features_read(
	    &(struct diagnosis_input){.path = &path, .run = run, .context = context}, features);
}

static void test_sockets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct socket_info socket = usual;
		struct path_context context = {.socket = &socket};
		struct features features;
		struct run run;

		rows[i].change(&socket);
		/* what is under way in an RTT */
		double mbps = fmax(5, socket.unacked_segments * MSS * 8 / 40.5e3);
		const struct second second = {mbps, socket.cwnd_segments * MSS / 0x1p20,
		    (double)socket.peer_window_bytes / 0x1p20, 40.5, 0};
		run_make(&run, &second, 1);
		read_features(&features, &run, &context);
		print_message("%s\n", rows[i].name);
		assert_int_equal(features.items[rows[i].feature].present, rows[i].present);
		series_free(&run.series);
	}
}

/* 100 Mbit/s x 40 ms are 500,000 bytes. */
static void test_receiver(void **state)
{
	(void)state;
	static const struct {
		uint64_t window_bytes, unread_bytes;
		bool full, open;
	} receivers[] = {{600000, 0, true, false}, {1000000, 0, false, false},
	    {2000000, 0, false, true}, {600000, 900000, false, false}};

	for (size_t i = 0; i < sizeof(receivers) / sizeof(receivers[0]); i++) {
		struct socket_info peer = {
		    .has = SOCKET_SKMEM | SOCKET_RCV_RTT | SOCKET_RCV_SSTHRESH,
		    .rcv_rtt_us = 40000,
		    .rcv_ssthresh = receivers[i].window_bytes,
		    .rcvbuf = 1048576,
		    .rmem_alloc = receivers[i].unread_bytes,
		    .recv_queue = receivers[i].unread_bytes};
		struct path_context context = {.peer_socket = &peer};
		const struct second second = {100, 0, 0, 0, 0};
		struct features features;
		struct run run;

		run_make(&run, &second, 1);
		run.local_sends = false;
		read_features(&features, &run, &context);
		assert_int_equal(
		    features.items[FEATURE_RECEIVER_WINDOW_FULL].present, receivers[i].full);
		assert_int_equal(
		    features.items[FEATURE_RECEIVER_WINDOW_OPEN].present, receivers[i].open);
		series_free(&run.series);
	}
}

/* Five seconds of 1,000 segments each; 20 lost in every other one after the first. */
static const struct second bursts[] = {{11.584, 0, 0, 0, 7}, {11.584, 0, 0, 0, 0},
    {11.584, 0, 0, 0, 20}, {11.584, 0, 0, 0, 0}, {11.584, 0, 0, 0, 20}};
/* The same number, evenly. */
static const struct second evenly[] = {{11.584, 0, 0, 0, 7}, {11.584, 0, 0, 0, 10},
    {11.584, 0, 0, 0, 10}, {11.584, 0, 0, 0, 10}, {11.584, 0, 0, 0, 10}};

static void read_pattern(struct loss_pattern *pattern, const struct second *seconds)
{
	struct phases phases;
	struct run run;

	run_make(&run, seconds, 5);
	phases_cut(&phases, &run);
	loss_pattern_read(pattern, &run, &phases, MSS, 40000);
	series_free(&run.series);
}

static void test_loss_pattern(void **state)
{
	(void)state;
	struct loss_pattern pattern;

	read_pattern(&pattern, bursts);
	assert_true(pattern.known);
	assert_near(pattern.ratio, 0.01, 1e-6);
	assert_near(pattern.per_row, 10, 1e-6);
	/* four rows, each 10 off the 10 that are expected: 4 x 100 / 10, of three degrees of freedom */
	assert_near(pattern.dispersion, 40.0 / 3, 1e-6);
	assert_near(pattern.events, 3, 1e-6);
	/* 11.584 Mbit/s x 40 ms, and sqrt(3/2) / sqrt(0.01) segments */
	assert_near(pattern.window_bytes, 57920, 1e-6);
	assert_near(pattern.chance_bytes, 12.247 * MSS, 1e-3);
	assert_near(pattern.first_ratio, 1, 1e-6);

	read_pattern(&pattern, evenly);
	assert_true(pattern.known && pattern.dispersion < 1e-9);
	/* five rows: two and a half times a burst and its repair */
	assert_near(pattern.events, 2.5, 1e-6);
}

/* What is graded counts both ways, and for so much at most. */
static void test_grade(void **state)
{
	(void)state;
	static const struct {
		unsigned retransmits[5];
		bool positive;
	} cases[] = {{{0, 0, 40, 0, 40}, true}, {{0, 10, 10, 10, 10}, false}};

	for (size_t i = 0; i < 2; i++) {
		struct second seconds[5];
		struct path_context context = {0};
		struct features features;
		struct run run;

		for (size_t j = 0; j < 5; j++)
			seconds[j] = (struct second){11.584 + (double)j, 0.05 + 0.01 * (double)j, 0,
			    40, cases[i].retransmits[j]};
		run_make(&run, seconds, 5);
		read_features(&features, &run, &context);
		const struct feature_value *value = &features.items[FEATURE_LOSS_CLUSTERS];
		assert_true(value->present);
		assert_int_equal(value->grade > 0, cases[i].positive);
		assert_true(value->grade <= 1.5 && value->grade >= -1.5);
		series_free(&run.series);
	}
}

/* Pings that take 41 ms beside a flow whose segments take 90: an end delays them. */
static void test_pings(void **state)
{
	(void)state;
	struct ping idle = {.has_summary = true, .min_us = 40000, .avg_us = 40500};
	struct ping other = {.has_summary = true, .min_us = 40000, .avg_us = 41000};
	struct path_context context = {.ping = &idle, .other_ping = &other};
	static const double rtts_ms[] = {90, 43};

	for (size_t i = 0; i < 2; i++) {
		struct second seconds[4];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 4; j++)
			seconds[j] = (struct second){80, 2, 3, rtts_ms[i], 0};
		run_make(&run, seconds, 4);
		read_features(&features, &run, &context);
		assert_int_equal(features.items[FEATURE_PING_PASSES].present, i == 0);
		series_free(&run.series);
	}
}

/* Ten rows of the same, and what they show. */
struct flow_row {
	const char *name;
	struct second second;
	double received_share,
	    rounding; /* of what was sent; 0 when the receiver's total is not known */
	enum feature feature;
	bool present;
};

static const struct flow_row flows[] = {
    /* 2.65 MiB are 0.6625 of 4 MiB; 422 Mbit/s over 50 ms are 2.52 MiB */
    {"window of a ceiling of 4 MiB", {422, 5, 2.65, 50, 0}, 0, 0, FEATURE_WINDOW_ROUND_CEILING,
	true},
    {"window of half of 6 MiB", {480, 6, 3.0, 50, 0}, 0, 0, FEATURE_WINDOW_ROUND_CEILING, true},
    {"window of no round ceiling", {370, 5, 2.3, 50, 0}, 0, 0, FEATURE_WINDOW_ROUND_CEILING, false},
    {"window that is not full", {200, 5, 2.65, 50, 0}, 0, 0, FEATURE_WINDOW_ROUND_CEILING, false},
    {"window of 64 KiB", {10.4, 0.13, 0.0625, 50, 0}, 0, 0, FEATURE_WINDOW_ROUND_CEILING, false},
    /* 200 Mbit/s over 50 ms are 1.19 MiB of a cwnd of 4 and a window of 8; 250 MB sent in all */
    {"data waits below cwnd", {200, 4, 8, 50, 0}, 0.97, 0, FEATURE_HELD_BELOW_CWND, true},
    {"nothing waits", {200, 4, 8, 50, 0}, 1, 0, FEATURE_HELD_BELOW_CWND, false},
    {"a full cwnd", {200, 1.2, 8, 50, 0}, 0.97, 0, FEATURE_HELD_BELOW_CWND, false},
    {"a full window", {200, 4, 1.2, 50, 0}, 0.97, 0, FEATURE_HELD_BELOW_CWND, false},
    /* 65,535 bytes are 0.0625 MiB */
    {"cwnd of two unscaled windows", {10.4, 0.125, 0, 0, 0}, 0, 5e-3, FEATURE_UNSCALED_MARK, true},
    {"cwnd of an unscaled window", {10.4, 0.0625, 0, 0, 0}, 0, 5e-3, FEATURE_UNSCALED_MARK, true},
    {"cwnd of three", {10.4, 0.1875, 0, 0, 0}, 0, 5e-3, FEATURE_UNSCALED_MARK, false},
    {"cwnd of two, and losses", {10.4, 0.125, 0, 0, 3}, 0, 5e-3, FEATURE_UNSCALED_MARK, false},
};

static void test_flows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		const struct flow_row *row = &flows[i];
		struct path_context context = {0};
		struct second seconds[10];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 10; j++)
			seconds[j] = row->second;
		run_make(&run, seconds, 10);
		run.rounding = row->rounding;
		if (row->received_share > 0) {
			run.has |= RUN_RECEIVED;
			run.received_bytes =
			    (uint64_t)((double)run.sent_bytes * row->received_share);
			run.received_seconds = 10;
		}
		read_features(&features, &run, &context);
		print_message("%s\n", row->name);
		assert_int_equal(features.items[row->feature].present, row->present);
		series_free(&run.series);
	}
}

/* cwnd doubles again and again, between losses: at a constant RTT the rate does, too; before a queue it does
 * not. */
static void test_rate_by_cwnd(void **state)
{
	(void)state;
	static const double exponents[] = {1, 0};

	for (size_t i = 0; i < 2; i++) {
		struct path_context context = {0};
		struct second seconds[12];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 12; j++) {
			double grown = 1 + (double)(j % 4) / 3;
			seconds[j] = (struct second){
			    400 * pow(grown, exponents[i]), 2 * grown, 0, 0, j % 4 == 3 ? 9 : 0};
		}
		run_make(&run, seconds, 12);
		read_features(&features, &run, &context);
		const struct feature_value *value = &features.items[FEATURE_RATE_BY_CWND];
		assert_true(value->present);
		assert_int_equal(value->grade > 0, exponents[i] > 0.5);
		/* a queue, or drops without one: nothing tells as long as no RTT is seen */
		assert_int_equal(
		    features.items[FEATURE_RATE_FLAT_RTT_UNSEEN].present, exponents[i] < 0.5);
		assert_false(features.items[FEATURE_RATE_FLAT_CWND_MOVES].present);
		series_free(&run.series);
	}
}

/* Of a stall without a cwnd column nothing is said of cwnd. */
static void test_stall_unseen(void **state)
{
	(void)state;
	for (int shown = 0; shown < 2; shown++) {
		struct path_context context = {0};
		struct second seconds[10];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 10; j++)
			seconds[j] = (struct second){j == 0 ? 90 : 0, shown ? 1 : 0, 0, 0, 0};
		run_make(&run, seconds, 10);
		read_features(&features, &run, &context);
		assert_int_equal(features.items[FEATURE_STALLS_CWND_UNSEEN].present, !shown);
		assert_false(features.items[FEATURE_STALLS_OPEN_CWND].present);
		series_free(&run.series);
	}
}

/* A buffer asked for with -w does not bind where losses keep cwnd below it, or where it is not used. */
static void test_buffer_asked(void **state)
{
	(void)state;
	static const struct {
		struct second second;
		bool far;
	} cases[] = {{{40, 0.25, 3, 50, 0}, false}, {{40, 0.25, 3, 50, 9}, true},
	    {{10, 0.0625, 3, 50, 0}, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct path_context context = {0};
		struct second seconds[6];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 6; j++)
			seconds[j] = cases[i].second;
		run_make(&run, seconds, 6);
		run.has |= RUN_SOCKET_BUFFER;
		run.socket_buffer_bytes = 262144;
		read_features(&features, &run, &context);
		assert_int_equal(features.items[FEATURE_BUFFER_ASKED_FAR].present, cases[i].far);
		assert_int_equal(features.items[FEATURE_BUFFER_ASKED_BINDS].present, !cases[i].far);
		series_free(&run.series);
	}
}

/* What a sender's rows leave out is said; it lowers what the rest can tell. */
static void test_unseen(void **state)
{
	(void)state;
	for (int left_out = 0; left_out < 2; left_out++) {
		struct path_context context = {0};
		struct second seconds[6];
		struct features features;
		struct run run;

		for (size_t j = 0; j < 6; j++)
			seconds[j] = (struct second){90, left_out ? 0 : 1, 0, 40, 0};
		run_make(&run, seconds, 6);
		for (size_t j = 0; left_out && j < 6; j++)
			run.series.bins[j].has &= ~(unsigned)BIN_RETRANSMITS;
		if (left_out)
			run.has &= ~(unsigned)RUN_RETRANSMITS;
		read_features(&features, &run, &context);
		assert_int_equal(features.items[FEATURE_CWND_UNSEEN].present, left_out);
		assert_int_equal(features.items[FEATURE_LOSS_UNSEEN].present, left_out);
		series_free(&run.series);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_flows),
	    cmocka_unit_test(test_rate_by_cwnd),
	    cmocka_unit_test(test_stall_unseen),
	    cmocka_unit_test(test_buffer_asked),
	    cmocka_unit_test(test_unseen),
	    cmocka_unit_test(test_sockets),
	    cmocka_unit_test(test_receiver),
	    cmocka_unit_test(test_loss_pattern),
	    cmocka_unit_test(test_grade),
	    cmocka_unit_test(test_pings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
