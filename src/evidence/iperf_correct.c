#include "evidence/iperf_correct.h"

#include <stdio.h>
#include <string.h>

/* Without an MSS told: that of Ethernet with time stamps. */
#define MSS_USUAL 1448
/* With every segment sent eleven times, at 91 % lost, no connection gets on; smaller writes than the
 * MSS make more segments, so that the bound is loose.  Some are allowed to one that is stuck. */
#define RESENT_MAX_TIMES 10
#define RESENT_STUCK_MAX 1000

static bool system_is(const struct run *run, const char *name)
{
	return strncmp(run->system_info, name, strlen(name)) == 0;
}

static bool version_is_before(const char *version, unsigned major, unsigned minor)
{
	unsigned a, b;

	return sscanf(version, "%3u.%3u", &a, &b) == 2 && (a < major || (a == major && b < minor));
}

static void bins_clear(struct run *run, unsigned bits)
{
	for (size_t i = 0; i < run->series.count; i++)
		run->series.bins[i].has &= ~bits;
}

static bool count_is_possible(const struct run *run, uint64_t retransmits, uint64_t bytes)
{
	uint64_t mss = (run->has & RUN_MSS) && run->mss > 0 ? run->mss : MSS_USUAL;

	return retransmits <= bytes / mss * RESENT_MAX_TIMES + RESENT_STUCK_MAX;
}

/* More retransmits than segments could have been sent. */
static void correct_counts(struct run *run)
{
	uint64_t bytes = run->has & RUN_SENT ? run->sent_bytes : run->received_bytes;
	bool wrong = false;

	for (size_t i = 0; i < run->series.count; i++) {
		struct bin *bin = &run->series.bins[i];
		if (!(bin->has & BIN_RETRANSMITS) ||
		    count_is_possible(run, bin->retransmits, bin->bytes))
			continue;
		bin->has &= ~(unsigned)BIN_RETRANSMITS;
		wrong = true;
	}
	if ((run->has & RUN_RETRANSMITS) && !count_is_possible(run, run->retransmits, bytes)) {
		run->dropped_retransmits = run->retransmits;
		wrong = true;
	}
	if (!wrong)
		return;
	run->has &= ~(unsigned)RUN_RETRANSMITS;
	run->has |= RUN_RETRANSMITS_DROPPED;
}

/* Stacks outside a kernel fake tcp_info: all of it is 0. */
static void correct_zeros(struct run *run)
{
	for (size_t i = 0; i < run->series.count; i++)
		if ((run->series.bins[i].has & BIN_RTT) || run->series.bins[i].retransmits > 0)
			return;
	if (run->retransmits > 0)
		return;
	bins_clear(run, BIN_RETRANSMITS);
	run->has &= ~(unsigned)RUN_RETRANSMITS;
}

/* FreeBSD's tcpi_snd_cwnd is in bytes already; iperf3 before 3.2 multiplied it by the MSS. */
static void correct_window(struct run *run)
{
	uint32_t mss = run->has & RUN_MSS ? run->mss : 0;

	if (mss > 0)
		run->max_cwnd_bytes /= mss;
	else
		run->has &= ~(unsigned)RUN_MAX_CWND;
	for (size_t i = 0; i < run->series.count; i++) {
		struct bin *bin = &run->series.bins[i];
		if (mss == 0) {
			bin->has &= ~(unsigned)BIN_CWND;
			continue;
		}
		bin->cwnd_bytes /= mss;
		bin->cwnd_min_bytes /= mss;
		bin->cwnd_max_bytes /= mss;
	}
}

void iperf_correct(struct run *run, const struct iperf_doubts *doubts)
{
	bool sctp = run->protocol == PROTOCOL_SCTP;

	/* the header gives tcpi_srtt of macOS in ms, iperf3 3.21 takes it for us */
	if (sctp || system_is(run, "Darwin")) {
		run->has &= ~(unsigned)RUN_RTT_EXTREMES;
		bins_clear(run, BIN_RTT);
	}
	/* SCTP's is not set */
	if (sctp)
		bins_clear(run, BIN_RETRANSMITS);
	if (system_is(run, "FreeBSD") && version_is_before(run->version, 3, 2))
		correct_window(run);
	else if (doubts->windows_are_broken)
		bins_clear(run, BIN_CWND);
	if (doubts->windows_are_zero)
		correct_zeros(run);
	if (doubts->count_dropped && !(run->has & RUN_RETRANSMITS))
		run->has |= RUN_RETRANSMITS_DROPPED;
	correct_counts(run);
}
