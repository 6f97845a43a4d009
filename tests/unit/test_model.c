/* Windows, loss bounds, memory: against the formulas and figures of their sources. */
#include "near.h"

#include <stdlib.h>
#include <string.h>

#include "model/loss.h"
#include "model/memory.h"
#include "model/path.h"
#include "model/rfc6349.h"
#include "model/window.h"
#include "runs.h"

#define MIB 1048576.0

static struct kernel_version kernel(unsigned major, unsigned minor)
{
	return (struct kernel_version){.known = true, .major = major, .minor = minor};
}

static void test_window_share(void **state)
{
	(void)state;
	static const struct {
		unsigned major, minor;
		int scale; /* tcp_adv_win_scale; 99: unknown */
		double planning;
	} rows[] = {
	    {5, 15, 99, 0.5}, /* the default of 3.4 to 6.5 is 1: half */
	    {5, 15, 1, 0.5},
	    {4, 4, 2, 0.75},
	    {6, 5, 3, 0.875},
	    {6, 1, -2, 0.25}, /* story C: 256 MiB at -2 */
	    {6, 1, 0, 1},
	    {6, 6, -2, 0.5}, /* ignored since 6.6 */
	    {6, 18, 1, 0.5},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kernel_version version = kernel(rows[i].major, rows[i].minor);
		struct tunable_value scale = {
		    .known = rows[i].scale != 99, .count = 1, .number = {rows[i].scale}};
		print_message(
		    "Linux %u.%u, scale %d\n", rows[i].major, rows[i].minor, rows[i].scale);
		assert_near(window_share(&version, &scale).planning, rows[i].planning, 1e-9);
	}
}

/* Measured on 6.18 with MTU 1500: tcp_rmem[2] and the largest window that the peer saw. */
static void test_window_measured(void **state)
{
	(void)state;
	static const double measured[][2] = {{1 * MIB, 653952}, {2 * MIB, 1309312},
	    {4 * MIB, 2620032}, {6 * MIB, 3930752}, {16 * MIB, 10484736}};
	struct kernel_version version = kernel(6, 18);
	struct share share = window_share(&version, NULL);

	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
		assert_near(window_of_buffer(measured[i][0], share.typical), measured[i][1], 0.04);
		assert_true(measured[i][1] >= measured[i][0] * share.low);
		assert_true(measured[i][1] <= measured[i][0] * share.high);
	}
}

/* Measured on 6.18 with MTU 1500 at 20, 52 and 100 ms, by tests/lab/shares.sh and predict.sh: rate x RTT over
 * tcp_wmem[2]; 0: beyond the machine. */
static void test_send_share(void **state)
{
	(void)state;
	static const struct {
		double mib, at[3], within;
	} rows[] = {
	    {1, {0.731, 0.778, 0.738}, 0.05},
	    {2, {0.737, 0.715, 0.711}, 0.05},
	    {2.5, {0.744, 0.711, 0.710}, 0.05},
	    {3.5, {0.674, 0.667, 0.670}, 0.02},
	    {4, {0.823, 0.841, 0.845}, 0.03},
	    {5, {0.719, 0.722, 0.719}, 0.02},
	    {6, {0, 0.779, 0.774}, 0.02},
	    {8, {0, 0.734, 0.738}, 0.02},
	    {10, {0.703, 0.722, 0.722}, 0.03},
	    {16, {0, 0, 0.686}, 0.02},
	    {20, {0, 0.669, 0.676}, 0.02},
	    {40, {0, 0, 0.673}, 0.02},
	};
	struct share share = send_share(false);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int rtt = 0; rtt < 3; rtt++) {
			if (rows[i].at[rtt] <= 0)
				continue;
			print_message("%g MiB\n", rows[i].mib);
			assert_near(
			    send_share_at(rows[i].mib * MIB), rows[i].at[rtt], rows[i].within);
			assert_true(rows[i].at[rtt] > share.low && rows[i].at[rtt] < share.high);
		}
	/* between two of them, by the logarithm of the size: 64 MiB and beyond settle */
	assert_near(send_share_at(sqrt(10.0 * 12) * MIB), (0.72 + 0.705) / 2, 1e-9);
	assert_near(send_share_at(1024 * MIB), SEND_SHARE_SETTLED, 0.01);
}

static void test_window_scale(void **state)
{
	(void)state;
	/* net/ipv4/tcp_output.c: 6 MiB -> 7, 32 MiB -> 10, 64 MiB -> 11; 256 MiB -> 13 (story C). */
	assert_int_equal(window_scale_for(6 * MIB), 7);
	assert_int_equal(window_scale_for(32 * MIB), 10);
	assert_int_equal(window_scale_for(64 * MIB), 11);
	assert_int_equal(window_scale_for(256 * MIB), 13);
	assert_int_equal(window_scale_for(65535), 0);
	assert_int_equal(window_scale_for(BUFFER_MAX_BYTES), 14);
	assert_near(window_scale_limit(14), 1073725440.0, 0);
	assert_near(window_scale_limit(7), 65535.0 * 128, 0);
}

static void test_setsockopt(void **state)
{
	(void)state;
	struct kernel_version old = kernel(5, 15), released = kernel(6, 8), now = kernel(6, 18);

	/* 1 MiB -> sk_rcvbuf 2097152; 10 MiB under a limit of 4 MiB -> 8388608 (measured). */
	assert_near(setsockopt_buffer(1 * MIB, 4 * MIB), 2097152, 0);
	assert_near(setsockopt_buffer(10 * MIB, 4 * MIB), 8388608, 0);
	assert_near(setsockopt_window(1 * MIB, 4 * MIB, &old), 1048576, 0);
	assert_near(setsockopt_window(1 * MIB, 4 * MIB, &released), 0.51 * MIB, 0.01);
	assert_near(setsockopt_window(1 * MIB, 4 * MIB, &now), 1309920, 0.01);
}

static void test_defaults(void **state)
{
	(void)state;
	struct kernel_version v5 = kernel(5, 15), v615 = kernel(6, 15), v616 = kernel(6, 16),
			      v618 = kernel(6, 18), unknown = {.known = false};
	uint64_t gib = 1ULL << 30;

	assert_near(default_rmem_max(&v5, 16 * gib), 6 * MIB, 0);
	assert_near(default_rmem_max(&v615, 16 * gib), 6 * MIB, 0);
	assert_near(default_rmem_max(&v616, 16 * gib), 32 * MIB, 0);
	/* The cap of 32 MiB is reached at 4 GiB of RAM, that of 4 MiB at 512 MiB. */
	assert_near(default_rmem_max(&v616, 2 * gib), 16 * MIB, 0);
	assert_near(default_wmem_max(&v616, gib / 2), 4 * MIB, 0);
	assert_near(default_wmem_max(&v616, gib / 4), 2 * MIB, 0);
	assert_near(default_core_max(&v616), 212992, 0);
	assert_near(default_core_max(&v618), 4194304, 0);
	assert_near(default_rmem_max(&unknown, gib), 0, 0);
}

static void test_ceiling_round(void **state)
{
	(void)state;
	static const double rows[][2] = {{19.0, 20}, {16, 16}, {16.1, 20}, {20.7, 24}, {24.1, 28},
	    {28.5, 32}, {32.1, 40}, {41.4, 48}, {48.5, 56}, {57, 64}, {7.1, 8}, {5.1, 6}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%.1f MiB\n", rows[i][0]);
		assert_near(ceiling_round(rows[i][0] * MIB), rows[i][1] * MIB, 0);
	}
	assert_near(ceiling_round(1e12), BUFFER_MAX_BYTES, 0);
}

/* Rows of RFC 9438 and 8312: the packet loss at which a window of W segments is held. */
static void test_loss_bounds(void **state)
{
	(void)state;
	/* RTT 0.1 s, MSS 1448: p = 1e-5 gives 1054 segments of CUBIC; Reno 1.2247/sqrt(p) = 387. */
	assert_near(cubic_rate_bps(1448, 1e5, 1e-5), 1054 * 1448 * 8 / 0.1, 0.002);
	assert_near(reno_rate_bps(1448, 1e5, 1e-5), 387.3 * 1448 * 8 / 0.1, 0.001);
	assert_near(cubic_rate_bps(1448, 1e5, 1e-6), 5926 * 1448 * 8 / 0.1, 0.002);
	/* 1 % at 40 ms: Reno's region, 3.5 Mbit/s predicted (3.4 measured). */
	assert_near(cubic_rate_bps(1448, 4e4, 1e-2), 3.5e6, 0.02);
	/* RFC 8312, section 5.2: 10 Gbit/s, 100 ms, 1500-byte packets need 2.9e-8 (CUBIC) and 2e-10. */
	assert_near(cubic_loss_for_rate(1500, 1e5, 10e9), 2.9e-8, 0.05);
	assert_near(reno_loss_for_rate(1500, 1e5, 10e9), 2e-10, 0.1);
}

static void test_loss_inverse(void **state)
{
	(void)state;
	unsigned seed = 7;

	print_message("seed %u\n", seed);
	srand(seed);
	for (int i = 0; i < 2000; i++) {
		double rtt_us = pow(10, 2 + 3.5 * rand() / RAND_MAX);
		double loss = pow(10, -8 + 6.0 * rand() / RAND_MAX);
		double rate = cubic_rate_bps(1448, rtt_us, loss);
		assert_near(cubic_loss_for_rate(1448, rtt_us, rate), loss, 1e-6);
		assert_true(cubic_rate_bps(1448, rtt_us, loss / 2) > rate);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	struct path path;

	/* Story A: 703 Mbit/s with 4.36 MiB: 52.0 ms; 3.34 Gbit/s over it: 21.7 MB. */
	path_from_numbers(
	    &path, &(struct path_given){
		       .bandwidth_bps = 703e6, .window_bytes = 4571791, .target_bps = 3.34e9});
	assert_near(path.rtt.us, 4571791 * 8 / 703e6 * 1e6, 1e-9);
	assert_int_equal(path.rtt.method, RTT_WINDOW_RATE);
	assert_near(path.bdp.bytes, 21.72e6, 1e-3);
	path_from_numbers(&path, &(struct path_given){.bandwidth_bps = 3.34e9, .rtt_us = 52000});
	assert_near(path.bdp.bytes, 21710000, 1e-9);
	path_from_numbers(&path, &(struct path_given){.rtt_us = 52000, .window_bytes = 4194304});
	assert_near(path.rate.bps, 645.3e6, 1e-3);
}

static void test_memory(void **state)
{
	(void)state;
	struct exposure exposure;
	struct exposure_input input = {.page_size = 4096,
	    .has_tcp_mem = true,
	    .has_ram = true,
	    .tcp_mem_pages = {190464, 253952, 380928},
	    .ram_bytes = 16ULL << 30,
	    .connections = 10000,
	    .active = 10000,
	    .rmem_min_bytes = 4096,
	    .rmem_max_bytes = 20971520,
	    .wmem_max_bytes = 20971520,
	    .bdp_bytes = 50e6,
	    .receives = true,
	    .sends = true};

	exposure_compute(&input, &exposure);
	/* 744 MiB, 992 MiB, 1.45 GiB; worst 10,000 x 40 MiB = 390.6 GiB; pressure at 992 / 40 = 24. */
	assert_near(exposure.low_bytes, 744 * MIB, 0);
	assert_near(exposure.pressure_bytes, 992 * MIB, 0);
	assert_near(exposure.worst_bytes, 10000 * 40 * MIB, 0);
	assert_near(exposure.per_connection_bytes, 40 * MIB, 0);
	assert_near(exposure.pressure_at_connections, 24, 0);
	assert_true(exposure.bounded_before_ram);
	assert_false(exposure.looks_like_bytes);
	/* A busy one holds the BDP, not the ceiling, when that is less. */
	input.bdp_bytes = 1e6;
	exposure_compute(&input, &exposure);
	assert_near(exposure.per_connection_bytes, 2e6, 0);
	/* a quiet one holds what each of its two buffers is guaranteed: 4 KiB */
	input.connections = 1000;
	input.active = 100;
	input.rmem_min_bytes = 4096;
	exposure_compute(&input, &exposure);
	assert_near(exposure.idle_bytes, 1000 * 8192, 0);
	assert_near(exposure.likely_bytes, 100 * 2e6 + 900 * 8192, 0);
	/* Less than one connection is a number, and not "unknown". */
	input.bdp_bytes = 600 * MIB;
	input.rmem_max_bytes = input.wmem_max_bytes = 600 * 1048576;
	exposure_compute(&input, &exposure);
	assert_true(exposure.has_pressure_at);
	assert_near(exposure.pressure_at_connections, 0, 0);
	input.has_tcp_mem = input.has_ram = false;
	exposure_compute(&input, &exposure);
	assert_false(exposure.has_pressure_at || exposure.has_limits || exposure.has_ram);
	assert_false(exposure.bounded_before_ram || exposure.looks_like_bytes);
	input.has_tcp_mem = input.has_ram = true;
	/* a ceiling that is not known is none: a busy one holds its BDP, and the worst cannot be told */
	input.bdp_bytes = 1e6;
	input.rmem_max_bytes = input.wmem_max_bytes = 0;
	exposure_compute(&input, &exposure);
	assert_near(exposure.per_connection_bytes, 1e6 * (input.receives + input.sends), 0);
	assert_near(exposure.worst_bytes, 0, 0);
	input.bdp_bytes = 0;
	exposure_compute(&input, &exposure);
	assert_near(exposure.per_connection_bytes + exposure.likely_bytes, 0, 0);
	/* tcp_mem = 16777216 three times is 64 GiB: bytes were meant. */
	for (int i = 0; i < 3; i++)
		input.tcp_mem_pages[i] = 16777216;
	exposure_compute(&input, &exposure);
	assert_near(exposure.high_bytes, 64 * 1024 * MIB, 0);
	assert_true(exposure.looks_like_bytes);
	assert_false(exposure.bounded_before_ram);
}

static void test_memory_defaults(void **state)
{
	(void)state;
	struct exposure exposure;
	struct exposure_input input = {
	    .page_size = 4096, .has_ram = true, .ram_bytes = 24683656ULL << 10};

	/* A host with 24,683,656 kB has 287898 383866 575796 by itself. */
	exposure_compute(&input, &exposure);
	assert_true(exposure.limits_are_default);
	assert_near(exposure.low_bytes / 4096, 287898, 0.01);
	assert_near(exposure.high_bytes / 4096, 575796, 0.01);
}

static void test_rfc6349(void **state)
{
	(void)state;
	struct path path = {.loss = {.known = true, .ratio = 0.02},
	    .loaded = {.known = true, .rtt_us = 75000},
	    .idle = {.known = true, .rtt_us = 25000},
	    .target = {.known = true, .bps = 1e9},
	    .rate = {.mean_known = true, .mean_bps = 500e6}};
	struct rfc6349 metrics;

	rfc6349_compute(&path, &metrics);
	assert_near(metrics.tcp_efficiency, 0.98, 1e-12);
	assert_near(metrics.buffer_delay, 2, 1e-12); /* (75 - 25) / 25: 200 % */
	assert_near(metrics.transfer_time_ratio, 2, 1e-12);
	/* from 1 on it is said, below it is no ideal that was reached */
	path.rate.mean_bps = 800e6;
	rfc6349_compute(&path, &metrics);
	assert_true(metrics.has_transfer_time);
	path.rate.mean_bps = 1001e6;
	rfc6349_compute(&path, &metrics);
	assert_false(metrics.has_transfer_time);
	/* Gigabit Ethernet, MTU 1500, timestamps: 941.5 Mbit/s of payload. */
	assert_near(ethernet_payload_bps(1e9, 1448), 941.5e6, 1e-4);
}

static void test_exposure_of_host(void **state)
{
	struct host host = {.page_size = 65536, .mem_total_bytes = 8589934592};
	struct exposure_input in;
	(void)state;

	host.values[TUNABLE_TCP_MEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {6000, 8000, 12000}};
	host.values[TUNABLE_TCP_RMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 131072, 6291456}};
	host.values[TUNABLE_TCP_WMEM] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, 16384, 4194304}};
	host.sockstat = (struct sockstat){.has = SOCKSTAT_TCP, .memory_pages = 321};
	in = exposure_of_host(&host);
	assert_true(in.has_tcp_mem && in.has_ram && in.has_in_use);
	assert_int_equal(in.page_size, 65536);
	assert_int_equal(in.ram_bytes, 8589934592);
	assert_int_equal(in.in_use_pages, 321);
	assert_int_equal(in.tcp_mem_pages[0], 6000);
	assert_int_equal(in.tcp_mem_pages[1], 8000);
	assert_int_equal(in.tcp_mem_pages[2], 12000);
	assert_int_equal(in.rmem_min_bytes, 4096);
	assert_int_equal(in.rmem_max_bytes, 6291456);
	assert_int_equal(in.wmem_max_bytes, 4194304);

	/* what is not read is as that kernel sets itself up: net/ipv4/tcp.c tcp_init, RAM / 128 at most */
	host = (struct host){
	    .mem_total_bytes = 536870912, .kernel = {.known = true, .major = 6, .minor = 8}};
	in = exposure_of_host(&host);
	assert_int_equal(in.rmem_max_bytes, 4194304);
	assert_int_equal(in.wmem_max_bytes, 4194304);

	/* nothing is known: nothing is made up but the page of most kernels */
	for (int none = 0; none < 2; none++) {
		host = (struct host){.origin = HOST_UNKNOWN};
		in = exposure_of_host(none ? NULL : &host);
		assert_false(in.has_tcp_mem || in.has_ram || in.has_in_use);
		assert_int_equal(in.page_size, 4096);
		assert_int_equal(in.rmem_max_bytes + in.wmem_max_bytes, 0);
	}
}

/* The algorithm that the run names, else the one of its own socket. */
static void test_algorithm_of_socket(void **state)
{
	static const struct second seconds[] = {
	    {90, 1, 0, 50, 0}, {91, 1, 0, 50, 0}, {90, 1, 0, 50, 0}};
	static const struct {
		const char *run, *socket, *expected;
	} rows[] = {{"", "bbr", "bbr"}, {"cubic", "bbr", "cubic"}, {"", "", ""}};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct socket_info socket = {.has = 0};
		const struct path_given given = {0};
		const struct path_context context = {.socket = &socket};
		struct path path;
		struct run run;

		run_make(&run, seconds, 3);
		strlcpy(run.sender_cc, rows[i].run, sizeof(run.sender_cc));
		strlcpy(socket.cc, rows[i].socket, sizeof(socket.cc));
		path_from_run(&path, &run, &given, &context);
		assert_string_equal(path.congestion_control, rows[i].expected);
		series_free(&run.series);
	}
}

/* What came to lie in the sender's buffer is no rate of the path. */
static void test_arrived_rate(void **state)
{
	static const struct second filling[] = {
	    {120, 1, 0, 50, 0}, {110, 2, 0, 90, 0}, {110, 3, 0, 130, 0}, {110, 4, 0, 170, 0}};
	static const struct second rising[] = {
	    {95, 4, 0, 50, 0}, {100, 4.2, 0, 50, 0}, {100, 3.9, 0, 50, 0}, {100, 4, 0, 50, 0}};
	static const struct {
		const struct second *seconds;
		double received_mb, received_s, rounding;
		bool receiver_prints;
		double mbps;
	} rows[] = {
	    {filling, 0, 0, 0, false, 112.5},  /* not known: as sent, 450 Mbit in 4 s */
	    {filling, 50, 4, 0, false, 100},   /* 56.25 MB went, 50 came */
	    {filling, 55, 4.4, 0, false, 100}, /* the queue runs out after the end: 50 by then */
	    {filling, 56.25, 4.4, 0, false, 112.5}, /* all came: nothing is left to be told */
	    {filling, 56, 4, 0.005, false, 112.5},  /* 0.25 MB is what rounding may be */
	    {filling, 50, 4, 0, true, 112.5},	    /* these rows are the receiver's own */
	    /* 1.875 MB of the first second's 11.9 filled the buffer: 80 of 100 Mbit/s is a start */
	    {rising, 47.5, 4, 0, false, 100},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct path_given given = {0};
		const struct path_context context = {0};
		struct path path;
		struct run run;

		run_make(&run, rows[i].seconds, 4);
		run.local_sends = !rows[i].receiver_prints;
		run.rounding = rows[i].rounding;
		if (rows[i].received_mb > 0) {
			run.has |= RUN_RECEIVED;
			run.received_bytes = (uint64_t)(rows[i].received_mb * 1e6);
			run.received_seconds = rows[i].received_s;
		}
		path_from_run(&path, &run, &given, &context);
		print_message("row %zu\n", i);
		assert_near(path.rate.bps, rows[i].mbps * 1e6, 1e-4);
		series_free(&run.series);
	}
}

/* Its own queue left out: as measured without load, else the smallest that tcp_info shows, or as given. */
static void test_base_rtt(void **state)
{
	static const struct {
		bool idle_known;
		enum rtt_method method;
		double expected_us;
	} rows[] = {
	    {true, RTT_TCP_INFO, 40000},
	    {true, RTT_UNKNOWN, 40000},
	    {false, RTT_TCP_INFO, 50000},
	    {false, RTT_GIVEN, 50000},
	    {false, RTT_CWND, 0},
	    {false, RTT_PEER_WINDOW, 0},
	    {false, RTT_UNKNOWN, 0},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct path path = {.idle = {rows[i].idle_known, 40000},
		    .rtt = {.method = rows[i].method, .us = 50000}};
		assert_near(path_base_rtt_us(&path), rows[i].expected_us, 0);
	}
}

static void test_is_bbr(void **state)
{
	static const struct {
		const char *name;
		bool falls_unlost, expected;
	} rows[] = {{"bbr", false, true}, {"bbr3", false, true}, {"cubic", true, false},
	    {"", true, true}, {"", false, false}};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct path path = {.cwnd = {.falls_unlost = rows[i].falls_unlost}};
		strlcpy(path.congestion_control, rows[i].name, sizeof(path.congestion_control));
		assert_int_equal(path_is_bbr(&path), rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_window_share),
	    cmocka_unit_test(test_window_measured),
	    cmocka_unit_test(test_send_share),
	    cmocka_unit_test(test_window_scale),
	    cmocka_unit_test(test_setsockopt),
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_ceiling_round),
	    cmocka_unit_test(test_loss_bounds),
	    cmocka_unit_test(test_loss_inverse),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_memory_defaults),
	    cmocka_unit_test(test_rfc6349),
	    cmocka_unit_test(test_exposure_of_host),
	    cmocka_unit_test(test_algorithm_of_socket),
	    cmocka_unit_test(test_arrived_rate),
	    cmocka_unit_test(test_base_rtt),
	    cmocka_unit_test(test_is_bbr),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
