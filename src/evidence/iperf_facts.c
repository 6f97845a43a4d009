#include "evidence/iperf_facts.h"

#include <bsd/string.h>
#include <ctype.h>
#include <string.h>

void iperf_text_take(const char *text, const char *stops, char *out, size_t size)
{
	size_t length = strcspn(text, stops);

	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	strlcpy(out, text, length < size ? length + 1 : size);
}

static double number_after(const char *text, const char *phrase, bool *found)
{
	const char *p = strstr(text, phrase);
	double number = 0;

	*found = false;
	if (p) {
		p += strlen(phrase);
		*found = iperf_number_take(&p, &number);
	}
	return number;
}

/* The number in front of a phrase: "10 second test". */
static double number_before(const char *text, const char *phrase, bool *found)
{
	const char *p = strstr(text, phrase), *start = p;
	double number = 0;

	*found = false;
	if (!p)
		return 0;
	while (start > text && (isdigit((unsigned char)start[-1]) || start[-1] == '.'))
		start--;
	if (start < p)
		*found = iperf_number_take(&start, &number);
	return number;
}

static void mss_store(struct iperf_part *part, double mss)
{
	if (mss < 1 || mss > UINT16_MAX)
		return;
	part->facts.mss = (uint64_t)mss;
	part->facts.has |= RUN_MSS;
}

void iperf_mss_take(struct iperf_part *part, const char *rest)
{
	double mss = 0;

	if (iperf_number_take(&rest, &mss))
		mss_store(part, mss);
}

static void target_take(struct iperf_part *part, const char *rest)
{
	if (iperf_number_take(&rest, &part->facts.target_rate_bps))
		part->facts.has |= RUN_TARGET_RATE;
}

static void starting_take(struct iperf_part *part, const char *rest)
{
	bool found;

	if (strncmp(rest, "UDP", 3) == 0)
		part->protocol = PROTOCOL_UDP;
	else if (strncmp(rest, "SCTP", 4) == 0)
		part->protocol = PROTOCOL_SCTP;
	double number = number_before(rest, " streams", &found);
	if (found && number <= STREAMS_MAX)
		part->streams = (unsigned)number;
	number = number_after(rest, "omitting ", &found);
	if (found) {
		part->facts.omit_s = number;
		part->facts.has |= RUN_OMIT;
	}
	number = number_before(rest, " second test", &found);
	if (found) {
		part->facts.duration_s = number;
		part->facts.has |= RUN_DURATION;
	}
}

/* "local/sender 24.2% (0.3%u/23.8%s), remote/receiver 29.0% (...)" */
static void cpu_take(struct iperf_part *part, const char *rest)
{
	bool sender, receiver, remote_sender, remote_receiver;
	double as_sender = number_after(rest, "local/sender ", &sender);
	double as_receiver = number_after(rest, "local/receiver ", &receiver);
	double from_sender = number_after(rest, "remote/sender ", &remote_sender);
	double from_receiver = number_after(rest, "remote/receiver ", &remote_receiver);

	if (!sender && !receiver)
		return;
	part->facts.has |= RUN_SENDER_CPU | RUN_RECEIVER_CPU;
	part->local_role_known = true;
	part->local_sends = sender;
	part->facts.local_cpu_percent = sender ? as_sender : as_receiver;
	part->facts.remote_cpu_percent = remote_sender	   ? from_sender
					 : remote_receiver ? from_receiver
							   : 0;
}

/* -d prints what the ends tell each other: "send_results" this one, "get_results" the other. */
static void results_sent_take(struct iperf_part *part, const char *rest)
{
	(void)rest;
	part->debug_results = RUN_SENDER_CPU;
}

static void results_got_take(struct iperf_part *part, const char *rest)
{
	(void)rest;
	part->debug_results = RUN_RECEIVER_CPU;
}

static void results_cpu_take(struct iperf_part *part, const char *rest)
{
	bool local = part->debug_results == RUN_SENDER_CPU;

	rest += strspn(rest, " \t");
	if (part->debug_results != 0 &&
	    iperf_number_take(
		&rest, local ? &part->facts.local_cpu_percent : &part->facts.remote_cpu_percent))
		part->facts.has |= part->debug_results;
}

static void sender_cc_take(struct iperf_part *part, const char *rest)
{
	iperf_text_take(rest, " \t", part->facts.sender_cc, sizeof(part->facts.sender_cc));
}

static void receiver_cc_take(struct iperf_part *part, const char *rest)
{
	iperf_text_take(rest, " \t", part->facts.receiver_cc, sizeof(part->facts.receiver_cc));
}

/* -d of iperf3 up to 3.1: "tcpi_snd_cwnd 50 tcpi_snd_mss 1326 tcpi_rtt 93887", before each row. */
static void debug_take(struct iperf_part *part, const char *rest)
{
	bool found;
	double number = number_after(rest, "tcpi_snd_mss ", &found);

	if (found)
		mss_store(part, number);
	number = number_after(rest, "tcpi_rtt ", &found);
	part->debug_lines += found && number > 0 ? 1 : 2;
	part->debug_rtt_us = number;
}

static const struct iperf_fact facts[] = {
    {.phrase = "TCP MSS: ", .take = iperf_mss_take},
    {.phrase = "Target Bitrate: ", .take = target_take},
    {.phrase = "Starting Test: protocol: ", .take = starting_take},
    {.phrase = "CPU Utilization: ", .take = cpu_take},
    {.phrase = "snd_tcp_congestion ", .take = sender_cc_take},
    {.phrase = "rcv_tcp_congestion ", .take = receiver_cc_take},
    {.phrase = "tcpi_snd_cwnd ", .take = debug_take},
    {.phrase = "send_results", .take = results_sent_take},
    {.phrase = "get_results", .take = results_got_take},
    {.phrase = "\"cpu_util_total\":", .take = results_cpu_take},
};

const struct iperf_fact *iperf_fact_at(const char *p)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *phrase = facts[i].phrase;
		if (phrase[0] == *p && strncmp(phrase, p, strlen(phrase)) == 0)
			return &facts[i];
	}
	return NULL;
}
