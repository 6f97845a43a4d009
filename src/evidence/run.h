/*
 * One direction of one iperf3 test, normalised: what every reader of iperf3 output fills in and
 * every later stage reads.  Presence is a bit, never a magic number.
 */
#ifndef BDP_RUN_H
#define BDP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"

/* Intervals kept of one run; past that, neighbours are merged in pairs, so that memory does not
 * grow with the length of the test. */
#define SERIES_MAX 512
/* Runs kept of all inputs, at most; past it the older half goes, and the readers say so. */
#define RUNS_MAX 256
/* Text prints three digits of a rate. */
#define TEXT_ROUNDING 0.005
/* iperf3 itself allows 128 streams; --bidir doubles them. */
#define STREAMS_MAX 256

enum protocol { PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP };

/* One interval of one direction, its streams added up. */
struct bin {
	double start_s, end_s; /* since the start of the counted test */
	uint64_t bytes;
	uint64_t retransmits; /* valid with BIN_RETRANSMITS */
	uint64_t cwnd_bytes;  /* sum over streams, mean over merged bins; BIN_CWND */
	uint64_t cwnd_min_bytes, cwnd_max_bytes; /* over merged bins */
	uint64_t peer_window_bytes;		 /* sum over streams; BIN_PEER_WINDOW */
	uint64_t arrived_bytes;			 /* as the receiver counted them; BIN_ARRIVED */
	double rtt_us;				 /* mean over streams; BIN_RTT */
	double rtt_min_us; /* smallest over streams and merged bins; BIN_RTT */
	unsigned has;
};

enum bin_has {
	BIN_RETRANSMITS = 1 << 0,
	BIN_CWND = 1 << 1,
	BIN_PEER_WINDOW = 1 << 2,
	BIN_RTT = 1 << 3,
	BIN_ARRIVED = 1 << 4,
};

/* Counted intervals of a run, in order. Omitted ones are not in it. */
struct series {
	struct bin *bins; /* owned; at most SERIES_MAX */
	size_t count, capacity;
	unsigned merged;  /* how many intervals one bin stands for: 1, 2, 4, ... */
	unsigned pending; /* how many are folded into the last bin so far, when merged > 1 */
};

/* Appends one interval; merges neighbours when full. */
void series_add(struct series *series, const struct bin *bin);
/* Replaces nothing and frees what series_add allocated. NULL-safe. */
void series_free(struct series *series);

/* Totals of one stream of the run. */
struct stream_total {
	uint64_t bytes;
	double seconds;
	uint64_t retransmits;
};

enum run_has {
	RUN_SENT = 1 << 0,     /* sent_bytes, sent_seconds: the sender's own total */
	RUN_RECEIVED = 1 << 1, /* received_bytes, received_seconds */
	RUN_RETRANSMITS = 1 << 2,
	RUN_MSS = 1 << 3,
	RUN_SENDER_CPU = 1 << 4,
	RUN_RECEIVER_CPU = 1 << 5,
	RUN_SOCKET_BUFFER = 1 << 6, /* socket_buffer_bytes was reported; 0 there means "not set" */
	RUN_TARGET_RATE = 1 << 7,   /* target_rate_bps was reported; 0 there means "unlimited" */
	RUN_DURATION = 1 << 8,
	RUN_OMIT = 1 << 9,
	RUN_JITTER = 1 << 10,	    /* UDP: jitter_ms, lost, packets */
	RUN_RTT_EXTREMES = 1 << 11, /* rtt_min_us.. from the summary */
	RUN_MAX_CWND = 1 << 12,
	RUN_ROLE_KNOWN = 1 << 13, /* `client` was told, not assumed */
	RUN_BUSY = 1 << 14,	  /* busy_us, rwnd_limited_us, sndbuf_limited_us */
	RUN_SEGMENTS = 1 << 15,	  /* segments_sent */
	RUN_RETRANSMITS_DROPPED =
	    1 << 16, /* a count was printed that cannot be: dropped_retransmits, 0 when of a row */
};

/* 8192 cores are the most of any Linux (arch/x86/Kconfig, NR_CPUS): beyond, it is no use of any. */
#define CPU_PERCENT_MAX 819200.0

struct run {
	char *input; /* name of the input it came from; owned, not yet safe to print */
	/* when its rows were printed: seconds since 1970, or without a cookie lines of the input; 0: not told */
	double began, ended;
	unsigned test; /* runs of one test (both directions, both ends) share this, from 0 */
	enum protocol protocol;
	bool client;	  /* printed by the client (else by the server) */
	bool local_sends; /* the end that printed it is the sender */
	bool reverse, bidir;
	bool complete; /* ended as planned: summary there, no error, not cut */
	bool has_summary;
	char version[24];	       /* "3.12", "" when unknown */
	char system_info[160];	       /* of the end that printed it: "Linux host 6.1... x86_64" */
	char sender[64], receiver[64]; /* addresses or names, "" when unknown */
	char title[64];
	char cookie[40]; /* the test's, the same at both ends; "" when unknown */
	char error[160]; /* iperf3's own words, "" when none */
	char sender_cc[16], receiver_cc[16]; /* congestion control, "" when unknown */

	unsigned has;	  /* enum run_has */
	unsigned streams; /* parallel streams in this direction, >= 1 */
	struct series series;
	struct stream_total
	    *stream_totals; /* owned; one per stream with a summary, else from rows */
	size_t stream_count;
	unsigned omitted_intervals;

	uint64_t sent_bytes, received_bytes;
	double sent_seconds, received_seconds;
	uint64_t retransmits; /* of the whole counted test */
	uint32_t mss;
	double sender_cpu_percent, receiver_cpu_percent; /* 100 = one core; to CPU_PERCENT_MAX */
	uint64_t socket_buffer_bytes;			 /* -w as asked for */
	double target_rate_bps;				 /* -b, per stream */
	double duration_s, omit_s;
	double rtt_min_us, rtt_mean_us,
	    rtt_max_us; /* from the JSON summary, samples over the test */
	uint64_t max_cwnd_bytes;
	double jitter_ms;
	uint64_t lost, packets;
	/* the kernel's account of the streams, added up: how long they had something to send, and
	 * waited for the peer's window or for room in their own buffer (tcp_info, Linux 4.10 on) */
	double busy_us, rwnd_limited_us, sndbuf_limited_us;
	uint64_t dropped_retransmits;
	uint64_t segments_sent; /* with data, those sent again included: tcp_info since 4.6 */
	double
	    rounding; /* relative rounding of printed rates: 0 for JSON, 0.005 for text's 3 digits */
};

/* All runs read so far, oldest first. */
struct runs {
	struct run *items; /* owned */
	size_t count, capacity;
	unsigned dropped; /* runs beyond RUNS_MAX that were let go */
	unsigned tests;	  /* number of tests begun, for run.test */
};

/* A new zeroed run of test `test` at the end of the list, owned by it; pointers to earlier items
 * are void after this. */
struct run *runs_append(struct runs *runs, const char *input, unsigned test);
/* Lets all runs go but those of that test. */
void runs_keep_test(struct runs *runs, unsigned test);
/* Where both ends told of one direction of a test, gives each what only the other one knows: the sender's
 * run the bytes that arrived, of the whole test and, where both have the same intervals, of each; the
 * receiver's run the retransmits; either one the MSS. */
void runs_pair(struct runs *runs);
/* Processes that ran side by side over one path, told apart by title (of one log) or by cookie (of documents with
 * times), become one run, with the streams of all; returns how many runs went into others. */
unsigned runs_sum_parallel(struct runs *runs);
/* Frees what a run owns. */
void run_free(struct run *run);
void runs_free(struct runs *runs);

/* What reading an iperf3 input came to. */
enum read_result {
	READ_OK,
	READ_PARTIAL, /* cut short or damaged, but there are runs to work with */
	READ_NOTHING, /* no usable run; the note says what there was instead */
	READ_SYSTEM,  /* read error, errno */
};

struct read_note {
	char text[240]; /* for READ_PARTIAL and READ_NOTHING: completes "NAME: ..." */
};

/* iperf3's human-readable output, client or server side, any release, any paste. */
enum read_result iperf_text_read(struct runs *runs, struct source *source, struct read_note *note);

/* iperf3 -J (one or several documents, text before the first brace, cut short) and --json-stream. */
enum read_result iperf_json_read(struct runs *runs, struct source *source, struct read_note *note);

/* Another stream of the same time; rtt_us is a sum, to be divided by the streams. */
void bin_add_stream(struct bin *bin, const struct bin *stream);

#endif
