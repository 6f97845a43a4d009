#include "evidence/sample.h"

#include <bsd/string.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/complaint.h"
#include "base/quote.h"
#include "evidence/sock_diag.h"
#include "evidence/socket_filter.h"
#include "evidence/socket_state.h"

/* Connections among which to find the one that moves most. */
#define CANDIDATES_MAX 64
/* How long that takes. */
#define CHOOSE_S 0.2
/* Readings of one interval: RTT and cwnd are means over them. */
#define READINGS_PER_BIN 5
/* What moves less tells nothing of its path: it fits into the initial window of RFC 6928. */
#define BYTES_MIN 14600
/* A direction with less than this share of the other's bytes is its acknowledgements in kind. */
#define SHARE_MIN 0.05
/* Linux's default range of local ports begins here: ip_local_port_range. */
#define EPHEMERAL_FIRST 32768

/* ---- readings into series ------------------------------------------------------------------ */

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* Sums for means over the readings; sample_close divides them. */
static void gather_add(struct sample *sample, const struct socket_info *info)
{
	struct bin *gather = &sample->gather;
	uint64_t cwnd = (uint64_t)info->cwnd_segments * info->mss;
	bool first = sample->gathered == 0;

	if ((info->has & SOCKET_CWND) && (info->has & SOCKET_MSS)) {
		gather->has |= BIN_CWND;
		gather->cwnd_bytes += cwnd;
		gather->cwnd_min_bytes =
		    first || cwnd < gather->cwnd_min_bytes ? cwnd : gather->cwnd_min_bytes;
		gather->cwnd_max_bytes =
		    cwnd > gather->cwnd_max_bytes ? cwnd : gather->cwnd_max_bytes;
	}
	if (info->has & SOCKET_PEER_WINDOW) {
		gather->has |= BIN_PEER_WINDOW;
		gather->peer_window_bytes += info->peer_window_bytes;
	}
	if (info->has & SOCKET_RTT) {
		gather->has |= BIN_RTT;
		gather->rtt_us += info->rtt_us;
		gather->rtt_min_us = first ? info->rtt_us : fmin(gather->rtt_min_us, info->rtt_us);
	}
	sample->gathered++;
}

static void sample_open(struct sample *sample, const struct socket_info *info, double now_s)
{
	sample->opened = *info;
	sample->opened_s = now_s;
	sample->gathered = 0;
	sample->gather = (struct bin){0};
}

/* The interval is over: one bin for each direction. */
static void sample_close(struct sample *sample, const struct socket_info *info, double now_s)
{
	struct bin bin = sample->gather;
	struct bin plain = {.start_s = sample->opened_s - sample->first_s,
	    .end_s = now_s - sample->first_s,
	    .bytes = grown(sample->opened.bytes_received, info->bytes_received)};
	unsigned count = sample->gathered;

	/* Of what comes in, this end knows the RTT of the path at its best, and no more: its own srtt
	 * is of when it last sent something. */
	if (info->has & SOCKET_MIN_RTT) {
		plain.has = BIN_RTT;
		plain.rtt_us = plain.rtt_min_us = info->min_rtt_us;
	}
	series_add(&sample->received, &plain);
	bin.start_s = plain.start_s;
	bin.end_s = plain.end_s;
	bin.bytes = grown(sample->opened.bytes_acked, info->bytes_acked);
	bin.cwnd_bytes /= count;
	bin.peer_window_bytes /= count;
	bin.rtt_us /= count;
	if (info->has & SOCKET_RETRANS) {
		bin.has |= BIN_RETRANSMITS;
		bin.retransmits = grown(sample->opened.retransmits, info->retransmits);
	}
	series_add(&sample->sent, &bin);
}

void sample_add(struct sample *sample, const struct socket_info *info, double now_s)
{
	if (sample->readings++ == 0) {
		sample->first = *info;
		sample->first_s = now_s;
		sample_open(sample, info, now_s);
	} else {
		gather_add(sample, info);
		/* half a reading early is on time: sleeps are never shorter than asked for */
		if (now_s - sample->opened_s >= sample->bin_s * (1 - 0.5 / READINGS_PER_BIN)) {
			sample_close(sample, info, now_s);
			sample_open(sample, info, now_s);
		}
	}
	sample->last = *info;
	sample->last_s = now_s;
}

/* ---- series into runs ---------------------------------------------------------------------- */

/* As iperf3 names a machine: the fields of uname, joined by blanks; what does not fit is left out. */
static void name_machine(char *out, size_t size)
{
	struct utsname u;
	char text[sizeof(u.sysname) * 5 + 8];

	if (uname(&u) != 0)
		return;
	snprintf(text, sizeof(text), "%s %s %s %s %s", u.sysname, u.nodename, u.release, u.version,
	    u.machine);
	strlcpy(out, text, size);
}

static void fill_identity(struct run *run, const struct socket_info *info, bool sends)
{
	const char *here = info->local, *there = info->peer;

	run->protocol = PROTOCOL_TCP;
	run->local_sends = sends;
	run->client = info->local_port >= EPHEMERAL_FIRST || info->local_port > info->peer_port;
	run->complete = run->has_summary = true;
	name_machine(run->system_info, sizeof(run->system_info));
	strlcpy(run->sender, sends ? here : there, sizeof(run->sender));
	strlcpy(run->receiver, sends ? there : here, sizeof(run->receiver));
	strlcpy(sends ? run->sender_cc : run->receiver_cc, info->cc, sizeof(run->sender_cc));
	if (info->has & SOCKET_MSS) {
		run->has |= RUN_MSS;
		run->mss = info->mss;
	}
}

static void fill_sent(struct run *run, const struct sample *sample, uint64_t bytes)
{
	run->has |= RUN_SENT;
	run->sent_bytes = bytes;
	run->sent_seconds = sample->last_s - sample->first_s;
	if (sample->last.has & SOCKET_RETRANS) {
		run->has |= RUN_RETRANSMITS;
		run->retransmits = grown(sample->first.retransmits, sample->last.retransmits);
	}
}

static void add_run(struct sample *sample, struct evidence *evidence, const char *input,
    unsigned test, bool sends, uint64_t bytes)
{
	struct run *run = runs_append(&evidence->runs, input, test);
	struct series *series = sends ? &sample->sent : &sample->received;

	fill_identity(run, &sample->last, sends);
	run->series = *series;
	*series = (struct series){0};
	if (sends) {
		fill_sent(run, sample, bytes);
		return;
	}
	run->has |= RUN_RECEIVED;
	run->received_bytes = bytes;
	run->received_seconds = sample->last_s - sample->first_s;
}

/* The socket as it was during the sample: totals since it was opened would tell of older times. */
static struct socket_info socket_of_sample(const struct sample *sample)
{
	struct socket_info info = sample->last;
	const struct socket_info *first = &sample->first;

	info.bytes_sent = grown(first->bytes_sent, info.bytes_sent);
	info.bytes_acked = grown(first->bytes_acked, info.bytes_acked);
	info.bytes_received = grown(first->bytes_received, info.bytes_received);
	info.data_segs_out = grown(first->data_segs_out, info.data_segs_out);
	info.retransmits = grown(first->retransmits, info.retransmits);
	info.busy_us -= first->busy_us;
	info.rwnd_limited_us -= first->rwnd_limited_us;
	info.sndbuf_limited_us -= first->sndbuf_limited_us;
	return info;
}

bool sample_finish(struct sample *sample, struct evidence *evidence, const char *input)
{
	uint64_t sent = grown(sample->first.bytes_acked, sample->last.bytes_acked);
	uint64_t received = grown(sample->first.bytes_received, sample->last.bytes_received);
	uint64_t most = sent > received ? sent : received;
	bool good = most >= BYTES_MIN && sample->sent.count > 0;

	if (good) {
		unsigned test = evidence->runs.tests++;
		struct socket_info info = socket_of_sample(sample);
		bool sends = (double)sent >= SHARE_MIN * (double)most;
		bool receives = (double)received >= SHARE_MIN * (double)most;

		if (sends)
			add_run(sample, evidence, input, test, true, sent);
		if (receives)
			add_run(sample, evidence, input, test, false, received);
		for (size_t i = 0; sends && receives && i < evidence->runs.count; i++)
			evidence->runs.items[i].bidir |= evidence->runs.items[i].test == test;
		evidence_keep_socket(evidence, &info, sent >= received ? END_SENDER : END_RECEIVER);
	}
	series_free(&sample->sent);
	series_free(&sample->received);
	return good;
}

/* ---- the connection ------------------------------------------------------------------------ */

struct candidate {
	struct sock_diag_id id;
	uint64_t bytes;
};

struct candidates {
	struct candidate items[CANDIDATES_MAX];
	size_t count;
	uint64_t seen;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void wait_s(double seconds)
{
	struct timespec left = {
	    .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		continue;
}

/* Where both ends are on this machine, the sender tells more. */
static uint64_t moved(const struct socket_info *info)
{
	return 2 * info->bytes_acked + info->bytes_received;
}

/* Keeps those that have moved most. */
static void candidate_add(
    struct candidates *candidates, const struct sock_diag_id *id, uint64_t bytes)
{
	size_t at = candidates->count;

	candidates->seen++;
	if (at < CANDIDATES_MAX) {
		candidates->count++;
	} else {
		at = 0;
		for (size_t i = 1; i < CANDIDATES_MAX; i++)
			if (candidates->items[i].bytes < candidates->items[at].bytes)
				at = i;
		if (bytes <= candidates->items[at].bytes)
			return;
	}
	candidates->items[at] = (struct candidate){.id = *id, .bytes = bytes};
}

static enum sock_diag_result list_candidates(
    struct sock_diag *reader, const struct address_block *peer, struct candidates *candidates)
{
	struct socket_info info;
	struct sock_diag_id id;
	enum sock_diag_result result;

	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET ||
	       result == SOCK_DIAG_AGAIN) {
		if (result == SOCK_DIAG_AGAIN)
			*candidates = (struct candidates){.count = 0};
		else if (address_block_has(peer, info.peer))
			candidate_add(candidates, &id, moved(&info));
	}
	return result;
}

/* The one that moves most now; among idle ones, that which has moved most. */
static const struct sock_diag_id *choose(struct sock_diag *reader, struct candidates *candidates)
{
	const struct candidate *best = NULL;
	uint64_t most = 0;

	if (candidates->count > 1)
		wait_s(CHOOSE_S);
	for (size_t i = 0; i < candidates->count; i++) {
		struct candidate *candidate = &candidates->items[i];
		struct socket_info info;
		uint64_t by = 0;

		if (candidates->count > 1 &&
		    sock_diag_look_up(reader, &candidate->id, &info) == SOCK_DIAG_SOCKET)
			by = grown(candidate->bytes, moved(&info));
		if (!best || by > most || (by == most && candidate->bytes > best->bytes)) {
			best = candidate;
			most = by;
		}
	}
	return &best->id;
}

/* Reads until the time is up or the connection is gone. */
static enum sock_diag_result watch(
    struct sock_diag *reader, const struct sock_diag_id *id, struct sample *sample, double seconds)
{
	double begin = now_s(), step = sample->bin_s / READINGS_PER_BIN;
	unsigned steps = (unsigned)lround(seconds / step);
	enum sock_diag_result result = SOCK_DIAG_SOCKET;

	for (unsigned i = 0; i <= steps; i++) {
		struct socket_info info;
		double early = begin + i * step - now_s();
		if (early > 0)
			wait_s(early);
		result = sock_diag_look_up(reader, id, &info);
		if (result != SOCK_DIAG_SOCKET)
			break;
		sample_add(sample, &info, now_s());
	}
	return result;
}

static enum operand_result system_error(const char *endpoint)
{
	complain("%s: live sockets: %s", quoted(endpoint), sock_diag_why(errno));
	return OPERAND_SYSTEM;
}

static enum operand_result refuse(const char *endpoint, const char *why)
{
	complain("%s: %s", quoted(endpoint), why);
	return OPERAND_UNUSABLE;
}

/* What is told of it, and whether it ended before its time. */
static void describe(struct evidence *evidence, const char *endpoint, const struct sample *sample,
    const struct candidates *candidates, bool gone)
{
	struct input *input = evidence_add_input(evidence, endpoint, INPUT_SS);
	double seconds = sample->last_s - sample->first_s;

	snprintf(input->detail, sizeof(input->detail), "live connection, %.3g s", seconds);
	if (candidates->seen > 1)
		snprintf(input->detail + strlen(input->detail),
		    sizeof(input->detail) - strlen(input->detail), ", the busiest of %llu",
		    (unsigned long long)candidates->seen);
	if (!gone)
		return;
	snprintf(
	    input->warning, sizeof(input->warning), "the connection ended after %.3g s", seconds);
	complain("%s: %s", quoted(endpoint), input->warning);
	for (size_t i = 0; i < evidence->runs.count; i++)
		if (evidence->runs.items[i].test + 1 == evidence->runs.tests)
			evidence->runs.items[i].complete = false;
}

static enum operand_result sample_from(
    struct evidence *evidence, struct sock_diag *reader, const char *endpoint, double seconds)
{
	static struct candidates candidates;
	struct sample sample = {.bin_s = fmin(1, fmax(fmin(0.25, seconds / 2), seconds / 10))};
	struct address_block peer;
	uint16_t port;
	const char *why;

	candidates.count = 0;
	candidates.seen = 0;
	endpoint_parse(endpoint, &peer, &port, &why);
	if (list_candidates(reader, &peer, &candidates) == SOCK_DIAG_ERROR)
		return system_error(endpoint);
	if (candidates.count == 0)
		return refuse(endpoint, "no connection to it; ss -tn shows which there are");
	enum sock_diag_result result = watch(reader, choose(reader, &candidates), &sample, seconds);
	if (result == SOCK_DIAG_ERROR)
		return system_error(endpoint);
	bool gone = result == SOCK_DIAG_END;
	if (sample.readings > 0 && !(sample.last.has & SOCKET_BYTES_ACKED))
		return refuse(endpoint, "this kernel does not count what a connection moves (Linux "
					"4.1 and later do)");
	if (!sample_finish(&sample, evidence, endpoint))
		return refuse(endpoint,
		    gone ? "the connection ended before anything could be told"
			 : "next to nothing moved: a connection tells of its path only while it "
			   "transfers");
	describe(evidence, endpoint, &sample, &candidates, gone);
	return OPERAND_OK;
}

enum operand_result sample_read(struct evidence *evidence, const char *endpoint, double seconds)
{
	struct address_block peer;
	uint16_t port;
	const char *why;

	if (!endpoint_parse(endpoint, &peer, &port, &why))
		return refuse(endpoint, why);
	struct sock_diag *reader = sock_diag_open(STATES_CONNECTED, port);
	if (!reader)
		return system_error(endpoint);
	enum operand_result result =
	    sample_from(evidence, reader, endpoint, seconds > 0 ? seconds : SAMPLE_SECONDS_DEFAULT);
	sock_diag_close(reader);
	return result;
}
